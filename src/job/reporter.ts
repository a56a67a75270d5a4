import type { Clock } from '../clock.ts';
import { CloudRefusedError, CloudUnreachableError, JobGoneError } from '../cloud/errors.ts';
import type { JobApi } from '../cloud/jobs.ts';
import type { CloudBatch } from '../log/cloud-batch.ts';
import { CloudLog } from '../log/cloud-log.ts';
import type { CloudLogResult } from '../log/cloud-log-options.ts';
import { messageOf } from '../outcome.ts';
import { Patience } from './patience.ts';

/** Milliseconds without success after which a running step's lines are given up: more than any outage that the job survives. */
const GIVE_UP_MS = 10 * 60_000;
/** The longest pause between two tries, also when Pulumi Cloud asks for more. */
const LONGEST_PAUSE_MS = 30_000;
/** Refusals in a row that are taken for good: a proxy or a server that is just being replaced may refuse once. */
const REFUSALS = 3;

export interface ReporterOptions {
  readonly api: Pick<JobApi, 'stepStatus' | 'logs'>;
  readonly clock: Clock;
  /** The job is not known any more. */
  readonly onGone: () => void;
  readonly onNotice: (message: string) => void;
  /** Aborts when the run is being stopped. */
  readonly stopping: AbortSignal;
}

type Status = 'running' | 'succeeded' | 'failed';

interface StatusReport {
  readonly index: number;
  readonly status: Status;
}

/** What Pulumi Cloud took of a step's lines, and in how many calls. */
export type Delivery = Pick<CloudLogResult, 'sent' | 'undelivered' | 'batches' | 'retries' | 'failures'>;

/** One step's report: its lines may be written at once, they are sent when the step's turn has come. */
export interface StepReport {
  readonly log: CloudLog;
  /** All lines are written: sends the rest, then the final status. Resolves as soon as that is queued. */
  finish(status: 'succeeded' | 'failed', beforeStatus?: () => Promise<void>): Promise<Delivery>;
}

/**
 * Tells Pulumi Cloud what happens, strictly in order: a step's `running`, its lines, its final status, then the next step's.
 * The job itself never waits for it but through a log's back-pressure.
 */
export class Reporter {
  readonly #options: ReporterOptions;
  readonly #gone = new AbortController();
  #tail: Promise<unknown> = Promise.resolve();
  /** Statuses that are still to be told, in order: Pulumi Cloud takes none of a step that it doesn't know as begun. */
  readonly #owed: StatusReport[] = [];
  /** The last status there is to tell, and the last that was taken. */
  #last: StatusReport | undefined;
  #told: StatusReport | undefined;
  /** No status has arrived since patience ended. */
  #isLost = false;
  /** No lines have arrived since patience with them ended: those of the next steps are not waited for as long again. */
  #areLinesLost = false;
  /** With the lines of the step that is being finished. */
  #patienceWithLines: Patience | undefined;

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  /** `onSent` is told how many lines were taken, at each call. */
  begin(index: number, onSent?: (lines: number) => void): StepReport {
    const { api, clock } = this.#options;
    const running = this.#enqueue(() => this.#deliverStatus(index, 'running'));
    const refused = new AbortController();
    const signal = AbortSignal.any([this.#gone.signal, refused.signal]);
    let refusals = 0;
    const log = new CloudLog({
      send: async (batch: CloudBatch, aborted: AbortSignal) => {
        await running;
        try {
          await this.#settle(aborted);
          const answer = await api.logs(index, batch, aborted);
          this.#isLost = false;
          this.#areLinesLost = false;
          this.#patienceWithLines?.renew();
          refusals = 0;
          if (answer === 'accepted') onSent?.(batch.length);
          return answer;
        } catch (error) {
          if (error instanceof JobGoneError) this.#lose(error);
          if (error instanceof CloudRefusedError) {
            refusals += 1;
            if (refusals === REFUSALS) {
              // Another try won't mend it: the lines are counted as undelivered, and the artifact has them.
              this.#options.onNotice(error.message);
              refused.abort(error);
            }
          }
          throw error;
        }
      },
      now: () => clock.steady(),
      sleep: (ms, aborted) => clock.sleep(ms, aborted),
      signal,
      giveUpMs: GIVE_UP_MS,
      pauseAfter: askedMs,
    });
    return {
      log,
      finish: (status, beforeStatus) =>
        this.#enqueue(async () => {
          const patience = this.#patience(this.#isLost || this.#areLinesLost);
          this.#patienceWithLines = patience;
          const { sent, undelivered, batches, retries, failures } = await log.end(patience.over);
          patience.clear();
          if (undelivered > 0) {
            this.#areLinesLost = true;
            this.#options.onNotice(
              `${undelivered} log lines of step ${index} did not reach Pulumi Cloud; they are in the artifact.`,
            );
          }
          await beforeStatus?.();
          await this.#deliverStatus(index, status);
          return { sent, undelivered, batches, retries, failures };
        }),
    };
  }

  /** Resolves when everything that was begun is told, or given up: false when the last status was not taken. */
  async drained(): Promise<boolean> {
    await this.#tail;
    return this.#gone.signal.aborted || this.#told === this.#last;
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#tail.then(work);
    this.#tail = done.catch(() => undefined);
    return done;
  }

  #lose(error: JobGoneError): void {
    if (this.#gone.signal.aborted) return;
    this.#gone.abort(error);
    this.#options.onGone();
  }

  #patience(isLost: boolean): Patience {
    const { clock, stopping } = this.#options;
    return new Patience({ clock, stopping, isLost });
  }

  /** Tells a status behind those that are still owed. What can't be told now is told with the next one. */
  async #deliverStatus(index: number, status: Status): Promise<void> {
    const owed = this.#owed;
    const report = { index, status };
    this.#last = report;
    owed.push(report);
    const patience = this.#patience(this.#isLost);
    try {
      while (owed.length > 0 && (await this.#deliverFirst(patience))) owed.shift();
      // Perhaps it is only one of those before that can't be taken.
      if (owed.length > 1 && (await this.#isTaken(report, patience.late))) owed.length = 0;
    } finally {
      patience.clear();
    }
  }

  /** Tries the first one until it is told or refused: true, or patience ends: false. */
  async #deliverFirst({ over, late }: Patience): Promise<boolean> {
    const [first] = this.#owed;
    const gone = this.#gone.signal;
    if (first === undefined) return false;
    const enough = AbortSignal.any([gone, over]);
    let refusals = 0;
    for (let wait = 1_000; !gone.aborted; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      let asked = 0;
      try {
        await this.#tell(first, late);
        return true;
      } catch (error) {
        if (gone.aborted) return false;
        if (!(error instanceof CloudUnreachableError || late.aborted)) refusals += 1;
        if (refusals === REFUSALS || over.aborted) {
          if (!this.#isLost) this.#options.onNotice(late.aborted ? unanswered(first) : messageOf(error));
          // A refusal is an answer: what comes behind it may be taken.
          this.#isLost = refusals < REFUSALS;
          return !this.#isLost;
        }
        asked = askedMs(error);
      }
      const pause = Math.max(asked, wait / 2 + (Math.random() * wait) / 2);
      await this.#options.clock.sleep(pause, enough).catch(() => undefined);
    }
    return false;
  }

  async #isTaken(report: StatusReport, signal: AbortSignal): Promise<boolean> {
    return this.#tell(report, signal).then(
      () => true,
      () => false,
    );
  }

  /** Throws what the API throws, and the signal's reason. */
  async #tell(report: StatusReport, signal: AbortSignal): Promise<void> {
    try {
      const { index, status } = report;
      await this.#options.api.stepStatus(index, status, AbortSignal.any([this.#gone.signal, signal]));
      this.#told = report;
      this.#isLost = false;
    } catch (error) {
      if (error instanceof JobGoneError) this.#lose(error);
      throw error;
    }
  }

  /** Tells what is owed, each once; a log waits for it. Throws what the API throws. */
  async #settle(signal: AbortSignal): Promise<void> {
    for (let first = this.#owed[0]; first !== undefined; first = this.#owed[0]) {
      await this.#tell(first, signal);
      this.#owed.shift();
    }
  }
}

/** Milliseconds that `Retry-After` asked for with this failure, as far as a report waits. */
function askedMs(error: unknown): number {
  const asked = error instanceof CloudUnreachableError ? error.retryAfterMs : undefined;
  return Math.min(asked ?? 0, LONGEST_PAUSE_MS);
}

function unanswered({ index, status }: StatusReport): string {
  return `Failed to report step ${index} as ${status} for the job: no answer came in time. Check Pulumi Cloud's status.`;
}
