import type { Clock } from '../clock.ts';
import type { Redactor } from '../log/redactor.ts';
import type { LogBlock } from '../log/sink.ts';
import { openStepFile, type StepFile } from '../log/step-file.ts';
import { StepLog } from '../log/step-log.ts';
import { messageOf } from '../outcome.ts';
import type { RecordEventBody, StepResult } from '../record/schema.ts';
import type { Delivery, Reporter } from './reporter.ts';
import type { StepEnd } from './step.ts';

interface StepJournalOptions {
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
    const { reporter, redactor, clock, stepLog, event, notice } = this.#options;
    const name = this.#names[index] ?? `Step ${index}`;
    const path = stepLog(index, name);
    const report = reporter.begin(index);
    const files = this.#openFile(path.absolute);
    // The cloud's log is ended by the report, in the report's turn: the next step doesn't wait for the network.
    const cloud = {
      write: (blocks: readonly LogBlock[]) => report.log.write(blocks),
      release: () => report.log.release(),
      end: () => Promise.resolve(),
    };
    const log = new StepLog({ redactor, sinks: [...files, cloud], now: () => clock.now() });
    const started = clock.now();
    event({ type: 'step-started', index, step: name, log: path.relative });
    return {
      log,
      finish: async (end, beforeStatus) => {
        await log.end().catch((error: unknown) => notice(messageOf(error)));
        const { totals } = log;
        const delivery = report.finish(end.status, beforeStatus);
        delivery.catch(() => undefined);
        this.#deliveries.set(index, delivery);
        const finished = clock.now();
        const { status, ...why } = end;
        event({
          type: 'step-finished',
          index,
          step: name,
          status,
          seconds: (finished - started) / 1000,
          lines: totals.lines,
          ...why,
        });
        this.#results.set(index, {
          index,
          name,
          status,
          ...why,
          startedAt: new Date(started).toISOString(),
          finishedAt: new Date(finished).toISOString(),
          log: path.relative,
          ...totals,
          cloud: { sent: 0, undelivered: 0 },
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
        const none = { sent: 0, undelivered: 0 };
        if (result === undefined) return { index, name, status: 'not-started', lines: 0, bytes: 0, cloud: none };
        const delivery = await this.#deliveries.get(index)?.catch(() => undefined);
        return { ...result, cloud: delivery ?? { sent: 0, undelivered: result.lines } };
      }),
    );
  }
}
