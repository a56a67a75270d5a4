import { type Clock, elapsedSince, type Moment, momentOf } from '../base/clock.ts';
import { withEntry } from '../base/error-codes.ts';
import type { Redactor } from '../base/log/redactor.ts';
import { StepFile } from '../base/log/step-file.ts';
import { StepLog } from '../base/log/step-log.ts';
import { counted } from '../base/quantity.ts';
import { ERROR_WINDOW, errorIn } from './output/error.ts';
import { isCutShort } from './output/interrupt.ts';
import type { RecordSink } from './run-record.ts';
import type { StepEnd, StepResult } from './schema.ts';

/** When a step ran, by a clock other than ours. Times are RFC 3339, absent if unknown. */
export interface StepTimes {
  readonly startedAt?: string | undefined;
  readonly finishedAt?: string | undefined;
  readonly seconds: number;
}

/** The parts of a run that the record of each of its steps needs. */
export interface RecordingContext {
  readonly record: RecordSink;
  readonly redactor: Redactor;
  readonly clock: Clock;
  /** Called with warnings for the user. */
  readonly notice: (message: string) => void;
}

/**
 * A step in the run directory: its log file, its events and its result, except what was delivered
 * to Pulumi Cloud.
 */
export class RecordedStep {
  readonly log: StepLog;
  readonly file: StepFile;
  readonly #index: number;
  readonly #name: string;
  readonly #context: RecordingContext;
  readonly #path: string;
  readonly #started: Moment;

  /** Begins the step. `onBytes` is called with the number of bytes of each write to the file. */
  constructor(index: number, name: string, context: RecordingContext, onBytes?: (bytes: number) => void) {
    this.#index = index;
    this.#name = name;
    this.#context = context;

    const { record, redactor, clock, notice } = context;
    const { relative, absolute } = record.stepLog(index, name);
    const onTrouble = (error: { message: string; code: string }) =>
      notice(withEntry(error.message, error.code));

    this.#path = relative;
    this.file = new StepFile(absolute, clock, onTrouble);
    this.log = new StepLog({ redactor, file: this.file, now: () => clock.now(), onBytes });
    this.#started = momentOf(clock);
    record.event({ type: 'step-started', index, step: name, log: relative });
  }

  /** True if an interrupt cut the step's work short, according to its output so far. Never rejects. */
  async wasCutShort(): Promise<boolean> {
    return isCutShort(await this.#tail());
  }

  /**
   * Call it once all output is written. Resolves when no more can be saved; the file stays open.
   * Never rejects.
   */
  async finish(end: StepEnd, times?: StepTimes): Promise<Omit<StepResult, 'cloud'>> {
    const { record, notice } = this.#context;
    const [index, name] = [this.#index, this.#name];

    // A failing disk has been reported already.
    await this.log.end().catch(() => undefined);

    const printed = end.status === 'failed' ? errorIn(await this.#tail()) : undefined;
    const ended = { ...end, error: printed ?? end.error };

    const { lost, ...totals } = this.file.totals;
    if (lost > 0)
      notice(`Lost ${counted(lost, 'line')} of step ${index}: neither the disk nor memory could hold more.`);

    const { seconds, startedAt, finishedAt } = times ?? this.#times();
    record.event({ type: 'step-finished', index, step: name, seconds, lines: totals.lines, ...ended });

    const { sha256 } = this.file;
    const file = { log: this.#path, ...totals, lost: lost > 0 ? lost : undefined, sha256 };

    return { index, name, ...ended, startedAt, finishedAt, ...file };
  }

  /** The end of the output; empty where that can't be read. */
  async #tail(): Promise<string> {
    try {
      const start = Math.max(0, this.file.size - ERROR_WINDOW);
      const text = String(await this.file.read(start, ERROR_WINDOW));
      // The first line may have begun before, in an escape sequence.
      return start === 0 ? text : text.slice(text.indexOf('\n') + 1);
    } catch {
      return '';
    }
  }

  #times(): StepTimes {
    const { clock } = this.#context;
    return {
      startedAt: new Date(this.#started.now).toISOString(),
      finishedAt: new Date(clock.now()).toISOString(),
      seconds: elapsedSince(this.#started, clock).atLeast / 1000,
    };
  }
}
