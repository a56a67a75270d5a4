import { defined } from '../../base/defined.ts';
import type { StepLog } from '../../base/log/step-log.ts';
import { RecordedStep, type RecordingContext } from '../../record/recorded-step.ts';
import type { StepEnd, StepResult } from '../../record/schema.ts';
import type { LogMetrics, Reports } from '../upload/reports.ts';

export interface OpenStep {
  readonly log: StepLog;
  /** True if an interrupt cut the step's work short, according to its output so far. Never rejects. */
  wasCutShort(): Promise<boolean>;
  /**
   * Call it once all output is written. Resolves with the end and the error that the output shows, when the file is
   * complete; reporting continues. Never rejects.
   */
  finish(end: StepEnd): Promise<StepEnd>;
}

/** Records each step: its file, its events, its report to Pulumi Cloud and its result. */
export class StepJournal {
  readonly #context: RecordingContext;
  readonly #reports: Reports;
  readonly #metrics: LogMetrics | undefined;
  readonly #results = new Map<number, Promise<StepResult>>();
  names: string[] = [];

  constructor(context: RecordingContext, reports: Reports, metrics: LogMetrics | undefined) {
    this.#context = context;
    this.#reports = reports;
    this.#metrics = metrics;
  }

  begin(index: number): OpenStep {
    const name = this.names[index] ?? `Step ${index}`;
    const step = new RecordedStep(index, name, this.#context, (bytes) => this.#metrics?.log({ bytes }));
    const reportEnd = this.#reports.begin(index, step.file, index === this.names.length - 1);

    return {
      log: step.log,
      wasCutShort: () => step.wasCutShort(),
      finish: async (end) => {
        const result = await step.finish(end);
        const reported = reportEnd(end.status).then((cloud) => ({ ...result, cloud }));
        this.#results.set(index, reported);
        return { ...end, ...defined({ error: result.error }) };
      },
    };
  }

  /** Every expected step's result, once all reports are settled. */
  results(): Promise<StepResult[]> {
    const cloud = { sent: 0, undelivered: 0, batches: 0, retries: 0, failures: 0 };
    const nothing = { status: 'not-started', lines: 0, bytes: 0, cloud } as const;
    return Promise.all(
      this.names.map((name, index) => this.#results.get(index) ?? { index, name, ...nothing }),
    );
  }
}
