import { withEntry } from '../../base/error-codes.ts';
import type { RunLog } from '../../base/log/level.ts';
import { Outage } from '../../base/log/outage.ts';
import type { StepFile } from '../../base/log/step-file.ts';
import { codeOf, messageOf } from '../../base/outcome.ts';
import { counted } from '../../base/quantity.ts';
import { pauseAfter } from '../../cloud/backoff.ts';
import { isRefusal } from '../../cloud/errors.ts';
import type { JobApi, StepStatus } from '../../cloud/job-api.ts';
import type { DeploymentWatch } from '../job/deployment-watch.ts';
import type { HeartbeatTimes } from '../job/lease.ts';
import { lastingRefusal } from './refusal.ts';
import { type Delivery, Upload } from './upload.ts';

/** The end of the time for reports, kept for statuses; at most half of it. */
const STATUSES_MS = 2 * 60_000;

/** How long calls are refused after the deployment's end in Pulumi Cloud until reports end. */
const ENDED_MS = 30_000;

/** The calls that report a job. */
export interface ReportCalls {
  readonly stepStatus: JobApi['stepStatus'];
  readonly logs: JobApi['logs'];
}

/** How the deployment is shown while its job is reported. */
export interface ReportWatch {
  readonly hasEnded: boolean;
  stepRuns: DeploymentWatch['stepRuns'];
  success: DeploymentWatch['success'];
}

/**
 * Counts bytes written and lines accepted by Pulumi Cloud as logs grow, and finally undelivered
 * lines.
 */
export interface LogMetrics {
  log(figures: { bytes?: number; sent?: number; undelivered?: number }): void;
}

export interface ReportsOptions extends HeartbeatTimes {
  readonly api: ReportCalls;
  readonly watch: ReportWatch;
  readonly say: RunLog;
  readonly metrics?: LogMetrics | undefined;
}

/**
 * Reports to Pulumi Cloud, each sent until accepted: a step's `running`, lines, final status; then
 * the next step.
 */
export class Reports {
  readonly #options: ReportsOptions;
  readonly #timeoutMs: number;
  readonly #ended = new AbortController();
  /** Aborts when reports end. */
  readonly #over: AbortSignal;
  /** Aborts when the current step may send no more lines, though reports go on. */
  #lines = new AbortController();
  /**
   * The remaining time is reserved for statuses: a step's lines are sent only until a call fails.
   */
  #areLinesLate = false;
  readonly #statusOutage: Outage;
  readonly #logOutage: Outage;
  #tail: Promise<unknown> = Promise.resolve();
  #lastTaken: number;
  /** The first refusal since the deployment ended, by the steady clock. */
  #refusedSince: number | undefined;
  /** The step that began last. */
  #newest = -1;
  /** No further step begins. */
  #isEnded = false;
  /** The newest step's final status was accepted. */
  #isReported = false;

  /**
   * Reports end after `timeoutMs` milliseconds without an accepted one, counted from the last step's
   * end or later, and when `over` aborts.
   */
  constructor(options: ReportsOptions, timeoutMs: number, over: AbortSignal) {
    this.#options = options;
    this.#timeoutMs = timeoutMs;
    const { clock, say } = options;
    this.#lastTaken = clock.steady();
    this.#statusOutage = new Outage('Reporting the status of steps', { say, clock });
    this.#logOutage = new Outage('Sending log lines', { say, clock });
    this.#over = AbortSignal.any([over, this.#ended.signal]);
  }

  /**
   * Begins a step that writes to `file`, and closes the file once it is reported. Returns a
   * function to call once step and file have ended: it resolves with the delivery of its lines when
   * the status is accepted or given up.
   */
  begin(
    index: number,
    file: StepFile,
    isLast = false,
  ): (status: 'succeeded' | 'failed') => Promise<Delivery> {
    this.#newest = index;
    const final = Promise.withResolvers<'succeeded' | 'failed'>();
    const reported = this.#tail.then(() => this.#report(index, file, isLast, final.promise));

    this.#tail = reported;

    return (status) => {
      final.resolve(status);
      return reported;
    };
  }

  /**
   * Waits for all reports; true if the last status was accepted. Call it after every step's end.
   * Never rejects.
   */
  async settled(): Promise<boolean> {
    this.#isEnded = true;
    const done = new AbortController();
    const watch = this.#watchTime(done.signal);
    await this.#tail;
    done.abort();
    await watch;
    return this.#isReported;
  }

  /** Never rejects. */
  async #report(
    index: number,
    file: StepFile,
    isLast: boolean,
    final: Promise<StepStatus>,
  ): Promise<Delivery> {
    const { api, clock, heartbeatSince, say, metrics, watch } = this.#options;
    const isTaken = await this.#sendStatus(index, 'running');
    const seen = isTaken ? watch.stepRuns(isLast, this.#over) : undefined;
    const lines = new AbortController();

    this.#lines = lines;

    const upload = new Upload({
      api,
      clock,
      heartbeatSince,
      index,
      file,
      signal: AbortSignal.any([lines.signal, this.#over]),
      onTaken: (sent) => {
        this.#areLinesLate = false;
        this.#taken(this.#logOutage);
        metrics?.log({ sent });
      },
      onFailure: (error) => {
        this.#failed(error, this.#logOutage);
        if (this.#areLinesLate) lines.abort();
      },
    });

    await upload.run().catch((error: unknown) => say('warning', withEntry(messageOf(error), codeOf(error))));

    const status = await final;

    // Before the last status, which changes what is shown.
    await seen;
    file.close();

    const { delivery } = upload;
    if (delivery.undelivered > 0) {
      const lines = counted(delivery.undelivered, 'log line');
      const where =
        file.sha256 === undefined ? 'the artifact lacks some of them too' : 'they are in the artifact';
      say('warning', `${lines} of step ${index} did not reach Pulumi Cloud; ${where}.`);
    }

    const isReported = await this.#sendStatus(index, status);
    if (index === this.#newest) this.#isReported = isReported;
    metrics?.log({ undelivered: delivery.undelivered });

    return delivery;
  }

  /** Repeats a status until it is accepted; false if it is skipped or reports end. */
  async #sendStatus(index: number, status: StepStatus): Promise<boolean> {
    const { api, clock, say, watch } = this.#options;
    const signal = this.#over;
    const refusalLasts = lastingRefusal(this.#options);
    const hasSucceeded = watch.success();

    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        await api.stepStatus(index, status, signal);
        this.#taken(this.#statusOutage);
        return true;
      } catch (error) {
        if (signal.aborted) break;

        this.#failed(error, this.#statusOutage);

        const isLast = this.#isEnded && index === this.#newest && status !== 'running';
        const mayShow = isLast && status === 'succeeded' && isRefusal(error);

        if (mayShow && (await hasSucceeded(signal))) {
          say(
            'info',
            `Pulumi Cloud shows a success: it had already accepted the status ${status} of step ${index}.`,
          );
          return true;
        }

        if (refusalLasts(error) && !isLast) {
          const sentence = `Pulumi Cloud did not accept the status ${status} of step ${index}: ${messageOf(error)}`;
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
    const { clock, watch } = this.#options;
    outage.failed(error);
    this.#refusedSince =
      watch.hasEnded && isRefusal(error) ? (this.#refusedSince ?? clock.steady()) : undefined;
    if (clock.steady() - (this.#refusedSince ?? clock.steady()) >= ENDED_MS) this.#ended.abort();
  }

  /** Ends the reports after `timeoutMs` without an accepted one. */
  async #watchTime(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const timeoutMs = this.#timeoutMs;
    const ended = clock.steady();

    while (!signal.aborted) {
      const remainingMs = Math.max(ended, this.#lastTaken) + timeoutMs - clock.steady();
      const linesMs = remainingMs - Math.min(STATUSES_MS, timeoutMs / 2);

      if (linesMs <= 0) {
        this.#areLinesLate = true;
        this.#lines.abort();
      }

      if (remainingMs <= 0) return this.#ended.abort();

      await clock.sleep(linesMs > 0 ? linesMs : remainingMs, signal).catch(() => undefined);
    }
  }
}
