import type { Clock, Moment } from '../clock.ts';
import { pauseAfter } from '../cloud/backoff.ts';
import { isRefusal } from '../cloud/errors.ts';
import type { JobApi, StepStatus } from '../cloud/jobs.ts';
import { Outage, type OutageOptions } from '../cloud/outage.ts';
import { withEntry } from '../error-codes.ts';
import type { StepFile } from '../log/step-file.ts';
import { codeOf, messageOf } from '../outcome.ts';
import { counted } from '../quantity.ts';
import { type Delivery, LastingRefusal, Upload } from './upload.ts';

/** The last part of the time for reports belongs to the statuses: this many milliseconds, half of the time at most. */
const STATUSES_MS = 2 * 60_000;
/** Milliseconds for which reports are refused, once Pulumi Cloud says that the deployment has ended, until it takes no more. */
const ENDED_MS = 30_000;

export interface ReportsOptions {
  readonly api: Pick<JobApi, 'stepStatus' | 'logs'>;
  readonly clock: Clock;
  /** Milliseconds without any report taken, counted from the last step's end at the earliest, after which reports end. */
  readonly timeoutMs: number;
  /** Aborts when Pulumi Cloud takes no report of the job any more, or they are given up. */
  readonly over: AbortSignal;
  /** True when a heartbeat was accepted that was sent after then. */
  readonly heartbeatSince: (moment: Moment) => boolean;
  /** True when Pulumi Cloud says that the deployment has ended: a refusal that lasts is for good then. */
  readonly hasEnded: () => boolean;
  readonly say: OutageOptions['say'];
  /** Called with the number of lines of each call that was taken. */
  readonly onTaken: (lines: number) => void;
}

/** One step's report: its lines are read from its file. */
export interface StepReport {
  /** The step has ended, and its file with it. Resolves with what became of the lines, once the status is taken or given up. */
  finish(status: 'succeeded' | 'failed'): Promise<Delivery>;
}

/** Tells Pulumi Cloud what happens, in order: a step's `running`, its lines, its final status, then the next step. Each is repeated until taken. */
export class Reports {
  readonly #options: ReportsOptions;
  /** Aborts when no report is tried any more. */
  readonly #over = new AbortController();
  /** Aborts when the step that is reported sends no more lines. */
  #lines = new AbortController();
  /** What is left of the time belongs to the statuses: lines go on only for as long as none of their calls fails. */
  #areLinesLate = false;
  readonly #statusOutage: Outage;
  readonly #logOutage: Outage;
  #tail: Promise<unknown> = Promise.resolve();
  #lastTaken: number;
  /** By the steady clock, once the deployment has ended. */
  #refusedSince: number | undefined;
  /** The newest step, whether it is the last, and whether its final status was taken. */
  #newest = -1;
  #isEnded = false;
  #isTold = false;

  constructor(options: ReportsOptions) {
    this.#options = options;
    const { clock, say, over } = options;
    this.#lastTaken = clock.steady();
    this.#statusOutage = new Outage({ what: 'Reporting the status of steps', say, clock });
    this.#logOutage = new Outage({ what: 'Sending log lines', say, clock });
    over.addEventListener('abort', this.#end, { once: true });
    if (over.aborted) this.#end();
  }

  /** A step begins, and writes to `file`, which is closed once it is reported. */
  begin(index: number, file: StepFile): StepReport {
    this.#newest = index;
    const final = Promise.withResolvers<'succeeded' | 'failed'>();
    const reported = this.#tail.then(() => this.#report(index, file, final.promise));
    this.#tail = reported;
    return {
      finish: (status) => {
        final.resolve(status);
        return reported;
      },
    };
  }

  /** Waits until everything is taken or given up: true when the last status was taken. Every begun step must be finished. Never rejects. */
  async settled(): Promise<boolean> {
    this.#isEnded = true;
    const done = new AbortController();
    const watch = this.#watchTime(done.signal);
    await this.#tail;
    done.abort();
    await watch;
    // Node keeps a signal of AbortSignal.any() for as long as it has a listener, and the whole job with it.
    this.#options.over.removeEventListener('abort', this.#end);
    return this.#isTold;
  }

  /** Never rejects. */
  async #report(index: number, file: StepFile, final: Promise<'succeeded' | 'failed'>): Promise<Delivery> {
    const { api, clock, heartbeatSince, say, onTaken } = this.#options;
    await this.#tell(index, 'running');
    const lines = new AbortController();
    this.#lines = lines;
    if (this.#over.signal.aborted) lines.abort();
    const upload = new Upload({
      index,
      file,
      api,
      clock,
      signal: lines.signal,
      heartbeatSince,
      onTaken: (count) => {
        this.#areLinesLate = false;
        this.#taken(this.#logOutage);
        onTaken(count);
      },
      onFailure: (error) => {
        this.#failed(error, this.#logOutage);
        if (this.#areLinesLate) lines.abort();
      },
    });
    await upload.run().catch((error: unknown) => say('warning', withEntry(messageOf(error), codeOf(error))));
    const status = await final;
    file.close();
    const { delivery } = upload;
    if (delivery.undelivered > 0) {
      const lines = counted(delivery.undelivered, 'log line');
      const where = file.sha256 === undefined ? 'the disk did not take all of them either' : 'they are in the artifact';
      say('warning', `${lines} of step ${index} did not reach Pulumi Cloud; ${where}.`);
    }
    const isTold = await this.#tell(index, status);
    if (index === this.#newest) this.#isTold = isTold;
    return delivery;
  }

  /** Repeats a status until it is taken: false when it is skipped, or reports are over. */
  async #tell(index: number, status: StepStatus): Promise<boolean> {
    const { api, clock, say } = this.#options;
    const { signal } = this.#over;
    const refusal = new LastingRefusal(this.#options);
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        await api.stepStatus(index, status, signal);
        this.#taken(this.#statusOutage);
        return true;
      } catch (error) {
        if (signal.aborted) break;
        this.#failed(error, this.#statusOutage);
        const isLast = this.#isEnded && index === this.#newest && status !== 'running';
        if (refusal.lasts(error) && !isLast) {
          const sentence = `Pulumi Cloud was not told that step ${index} is ${status}: ${messageOf(error)}`;
          say('warning', withEntry(sentence, codeOf(error)));
          return false;
        }
        await pauseAfter(failures, error, clock, signal);
      }
    }
    return false;
  }

  #taken(outage: Outage): void {
    this.#lastTaken = this.#options.clock.steady();
    this.#refusedSince = undefined;
    outage.over();
  }

  #failed(error: unknown, outage: Outage): void {
    const { clock, hasEnded } = this.#options;
    outage.failed(error);
    this.#refusedSince = hasEnded() && isRefusal(error) ? (this.#refusedSince ?? clock.steady()) : undefined;
    if (clock.steady() - (this.#refusedSince ?? clock.steady()) >= ENDED_MS) this.#end();
  }

  /** Ends the reports when none was taken for long enough. */
  async #watchTime(signal: AbortSignal): Promise<void> {
    const { clock, timeoutMs } = this.#options;
    const ended = clock.steady();
    while (!signal.aborted) {
      const left = Math.max(ended, this.#lastTaken) + timeoutMs - clock.steady();
      const linesLeft = left - Math.min(STATUSES_MS, timeoutMs / 2);
      if (linesLeft <= 0) {
        this.#areLinesLate = true;
        this.#lines.abort();
      }
      if (left <= 0) return this.#end();
      await clock.sleep(linesLeft > 0 ? linesLeft : left, signal).catch(() => undefined);
    }
  }

  readonly #end = (): void => {
    this.#over.abort();
    this.#lines.abort();
  };
}
