import { type Clock, momentOf, passedSince } from '../clock.ts';
import { defined } from '../defined.ts';
import { withEntry } from '../error-codes.ts';
import type { Redactor } from '../log/redactor.ts';
import { StepFile } from '../log/step-file.ts';
import { StepLog } from '../log/step-log.ts';
import { counted } from '../quantity.ts';
import type { RecordEventBody, StepResult } from '../record/schema.ts';
import type { Reports } from './reports.ts';
import type { StepEnd } from './step.ts';

/** Figures of every log while it grows: its bytes, the lines that Pulumi Cloud took, and in the end those it did not. */
export interface LogWatcher {
  readonly onLog?: (figures: { bytes?: number; sent?: number; undelivered?: number }) => void;
}

interface StepJournalOptions extends LogWatcher {
  readonly reports: Reports;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly stepLog: (index: number, name: string) => { relative: string; absolute: string };
  readonly event: (event: RecordEventBody) => void;
  readonly notice: (message: string) => void;
}

/** A step that was begun. */
export interface OpenStep {
  readonly log: StepLog;
  /** All its output was written. Resolves when the file is whole; the report to Pulumi Cloud goes on behind. Never rejects. */
  finish(end: StepEnd): Promise<void>;
}

/** Keeps what happens to each step: its file, its events, its report to Pulumi Cloud and its result. */
export class StepJournal {
  readonly #options: StepJournalOptions;
  readonly #results = new Map<number, Promise<StepResult>>();
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
    const { reports, redactor, clock, stepLog, event, notice, onLog } = this.#options;
    const name = this.#names[index] ?? `Step ${index}`;
    const { relative, absolute } = stepLog(index, name);
    const file = new StepFile({
      path: absolute,
      clock,
      onTrouble: (error) => notice(withEntry(error.message, error.code)),
    });
    const report = reports.begin(index, file);
    const log = new StepLog({ redactor, file, now: () => clock.now(), onBytes: (bytes) => onLog?.({ bytes }) });
    const started = momentOf(clock);
    event({ type: 'step-started', index, step: name, log: relative });
    return {
      log,
      finish: async (end) => {
        // What the disk didn't take has been said already.
        await log.end().catch(() => undefined);
        const { lost, ...totals } = file.totals;
        if (lost > 0)
          notice(`Lost ${counted(lost, 'line')} of step ${index}: neither disk nor memory could hold more.`);
        const { sha256 } = file;
        const seconds = passedSince(started, clock).surely / 1000;
        event({ type: 'step-finished', index, step: name, seconds, lines: totals.lines, ...end });
        const result = {
          index,
          name,
          ...end,
          startedAt: new Date(started.now).toISOString(),
          finishedAt: new Date(clock.now()).toISOString(),
          log: relative,
          ...totals,
          ...(lost > 0 && { lost }),
          ...defined({ sha256 }),
        };
        const reported = report.finish(end.status).then((cloud) => {
          onLog?.({ undelivered: cloud.undelivered });
          return { ...result, cloud };
        });
        this.#results.set(index, reported);
      },
    };
  }

  /** Every expected step's result, once everything is reported. */
  results(): Promise<StepResult[]> {
    const cloud = { sent: 0, undelivered: 0, batches: 0, retries: 0, failures: 0 };
    const steps = this.#names.map(
      (name, index) =>
        this.#results.get(index) ?? { index, name, status: 'not-started' as const, lines: 0, bytes: 0, cloud },
    );
    return Promise.all(steps);
  }
}
