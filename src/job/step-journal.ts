import { type Clock, momentOf, passedSince } from '../clock.ts';
import type { Redactor } from '../log/redactor.ts';
import type { LogBlock } from '../log/sink.ts';
import { openStepFile, type StepFile } from '../log/step-file.ts';
import { StepLog } from '../log/step-log.ts';
import { messageOf } from '../outcome.ts';
import type { RecordEventBody, StepResult } from '../record/schema.ts';
import type { Delivery, Reporter } from './reporter.ts';
import type { StepEnd } from './step.ts';

const NOTHING_SENT: Delivery = { sent: 0, undelivered: 0, batches: 0, retries: 0, failures: 0 };

/** Somebody who is told of every log while it grows: its bytes, the lines that Pulumi Cloud took, and in the end those it did not. */
export interface LogWatcher {
  readonly onLog?: (figures: { bytes?: number; sent?: number; undelivered?: number }) => void;
}

interface StepJournalOptions extends LogWatcher {
  readonly reporter: Reporter;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly stepLog: (index: number, name: string) => { relative: string; absolute: string };
  readonly event: (event: RecordEventBody) => void;
  readonly notice: (message: string) => void;
}

/** A step that was begun. */
export interface OpenStep {
  readonly log: StepLog;
  /** All its output was written. Resolves when the file is whole; the report to Pulumi Cloud goes on behind. */
  finish(end: StepEnd, beforeStatus?: () => Promise<void>): Promise<void>;
}

/** Keeps what happens to each step: its file, its events, its report to Pulumi Cloud and its result. */
export class StepJournal {
  readonly #options: StepJournalOptions;
  readonly #results = new Map<number, StepResult>();
  readonly #deliveries = new Map<number, Promise<Delivery>>();
  #names: string[] = [];

  constructor(options: StepJournalOptions) {
    this.#options = options;
  }

  get names(): string[] {
    return this.#names;
  }

  /** The steps that are to come, by name. */
  expect(names: string[]): void {
    this.#names = names;
  }

  begin(index: number): OpenStep {
    const { reporter, redactor, clock, stepLog, event, notice, onLog } = this.#options;
    const name = this.#names[index] ?? `Step ${index}`;
    const path = stepLog(index, name);
    const report = reporter.begin(index, (sent) => onLog?.({ sent }));
    const files = this.#openFile(path.absolute);
    // The cloud's log is ended by the report, in the report's turn: the next step doesn't wait for the network.
    const cloud = {
      write: (blocks: readonly LogBlock[]) => {
        onLog?.({ bytes: blocks.reduce((sum, { bytes }) => sum + bytes.length, 0) });
        return report.log.write(blocks);
      },
      release: () => report.log.release(),
      end: () => Promise.resolve(),
    };
    const log = new StepLog({ redactor, sinks: [...files, cloud], now: () => clock.now() });
    const started = momentOf(clock);
    event({ type: 'step-started', index, step: name, log: path.relative });
    return {
      log,
      finish: async (end, beforeStatus) => {
        let whole = files.length > 0;
        await log.end().catch((error: unknown) => {
          whole = false;
          notice(messageOf(error));
        });
        const { totals } = log;
        const delivery = report.finish(end.status, beforeStatus);
        delivery.then(({ undelivered }) => onLog?.({ undelivered })).catch(() => undefined);
        this.#deliveries.set(index, delivery);
        const finished = clock.now();
        const { status, ...why } = end;
        event({
          type: 'step-finished',
          index,
          step: name,
          status,
          seconds: passedSince(started, clock).surely / 1000,
          lines: totals.lines,
          ...why,
        });
        this.#results.set(index, {
          index,
          name,
          status,
          ...why,
          startedAt: new Date(started.now).toISOString(),
          finishedAt: new Date(finished).toISOString(),
          log: path.relative,
          ...totals,
          ...(whole && files[0]?.sha256 !== undefined && { sha256: files[0].sha256 }),
          cloud: NOTHING_SENT,
        });
      },
    };
  }

  /** Without a file the step runs all the same: Pulumi Cloud has been told of it and must learn its end. */
  #openFile(path: string): StepFile[] {
    try {
      return [openStepFile(path)];
    } catch (error) {
      this.#options.notice(messageOf(error));
      return [];
    }
  }

  /** Every expected step's result, once everything is told. */
  async results(): Promise<StepResult[]> {
    return Promise.all(
      this.#names.map(async (name, index): Promise<StepResult> => {
        const result = this.#results.get(index);
        if (result === undefined)
          return { index, name, status: 'not-started', lines: 0, bytes: 0, cloud: NOTHING_SENT };
        const delivery = await this.#deliveries.get(index)?.catch(() => undefined);
        return { ...result, cloud: delivery ?? { ...NOTHING_SENT, undelivered: result.lines } };
      }),
    );
  }
}
