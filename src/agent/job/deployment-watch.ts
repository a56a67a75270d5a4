import { type Clock, elapsedSince, type Moment, momentOf } from '../../base/clock.ts';
import { withEntry } from '../../base/error-codes.ts';
import type { RunLog } from '../../base/log/level.ts';
import { Outage } from '../../base/log/outage.ts';
import { codeOf } from '../../base/outcome.ts';
import { span } from '../../base/quantity.ts';
import { isRefusal, refusedStatus } from '../../cloud/errors.ts';
import type { Stop, StopSource } from './stop.ts';

/**
 * Time between the first sign of an end and the look that confirms it, and between tries of
 * a brief look.
 */
const CONFIRM_MS = 1_000;

/** The most milliseconds that a job's beginning and its end wait for a look. */
const BRIEF_MS = 5_000;

/** Time without an answer after which the user learns that a cancel would go unseen. */
const UNSEEN_MS = 5 * 60_000;
const UNSEEN = `The agent can't notice a cancel in Pulumi Cloud: it could not read the deployment's status for ${span(UNSEEN_MS)}. The deployment continues. To stop it, cancel the CI job or interrupt the agent.`;

/** Without `succeeded`, which a service may derive from the steps reported so far. */
const ENDED: ReadonlySet<string> = new Set(['failed', 'skipped', 'cancelled', 'canceled']);

/** How a deployment is shown once it was taken away: 410 to `status` counts as `gone`. */
const TAKEN_AWAY: ReadonlySet<string> = new Set(['not-started', 'gone']);

/** HTTP statuses of a service that serves `check` alone. */
const NOT_SERVED: ReadonlySet<number> = new Set([404, 405, 500, 501]);

/** The reason to stop a job, or to call it cancelled, when its deployment has ended without it. */
export const CANCELLED: Stop = { by: 'cloud', reason: 'the deployment was cancelled in Pulumi Cloud' };

/** The calls that read a deployment's status. */
interface StatusCalls {
  state(deploymentId: string, signal: AbortSignal): Promise<string | undefined>;
  check(deploymentId: string, signal: AbortSignal): Promise<string | undefined>;
}

export interface DeploymentWatchOptions {
  readonly pool: StatusCalls;
  readonly deploymentId: string;
  readonly intervalMs: number;
  readonly clock: Clock;
  /** Asked to stop the job when the deployment has ended while it runs. */
  readonly stop: StopSource;
  /** Notes each answer, and since when a cancel would go unseen, if it would. */
  readonly health: { active(): void; cancelUnseen(since: Moment | undefined): void };
  readonly say: RunLog;
}

/**
 * Looks at a deployment in Pulumi Cloud, where it may end before its job does (protocol section 5).
 */
export class DeploymentWatch {
  readonly #options: DeploymentWatchOptions;
  readonly #outage: Outage;
  readonly #over = new AbortController();
  #looks: Promise<void> | undefined;
  /** `running` from the first `running` that Pulumi Cloud accepts to the end of the last step. */
  #phase: 'claimed' | 'running' | 'ended' = 'claimed';
  #hasEnded = false;
  /**
   * True once the last step was seen to run; false for good if a success is shown before that
   * step's end is reported.
   */
  #provesSuccess: boolean | undefined;
  #hasSaidFallback = false;
  /** When the status was last read; at first, when the claim was made. */
  #lastRead: Moment;
  #isUnseen = false;

  constructor(options: DeploymentWatchOptions) {
    this.#options = options;
    this.#outage = new Outage("Reading the deployment's status", options);
    this.#lastRead = momentOf(options.clock);
  }

  /**
   * Looks at once, then every interval, until `stop`. Resolves once the first look is answered, or
   * given up.
   */
  start(): Promise<void> {
    const first = this.#lookBriefly();
    this.#looks = first.then(() => this.#repeat());
    return first;
  }

  /** Stops the looks; resolves when none is in flight. */
  async stop(): Promise<void> {
    this.#over.abort();
    await this.#looks;
  }

  /** True once the deployment was seen to have ended, other than by success. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Notes that Pulumi Cloud accepted a step's `running`. Looks, if it is the last step: a service
   * that derives a success from the steps before shows it now. Never rejects.
   */
  async stepRuns(isLast: boolean, signal: AbortSignal): Promise<void> {
    if (this.#phase === 'claimed') this.#phase = 'running';
    if (isLast && (await this.#shown(signal))) this.#provesSuccess ??= true;
  }

  /** Notes that no step runs any more. */
  stepsEnded(): void {
    this.#phase = 'ended';
  }

  /**
   * Called before the last status is sent; returns a look for the success that only this status can
   * bring about.
   */
  success(): (signal: AbortSignal) => Promise<boolean> {
    const isProof = this.#provesSuccess === true;
    return async (signal) => isProof && (await this.#shown(signal)) === 'succeeded';
  }

  /**
   * Looks once more, when all is reported: true if the deployment has ended, other than by success.
   * Never rejects.
   */
  async endedOtherwise(): Promise<boolean> {
    await this.#lookBriefly();
    return this.#hasEnded;
  }

  async #repeat(): Promise<void> {
    const { intervalMs, clock } = this.#options;
    const { signal } = this.#over;
    while (!signal.aborted && !this.#hasEnded) {
      await clock.sleep(intervalMs, signal).catch(() => undefined);
      if (!signal.aborted) await this.#lookTwice(signal);
    }
  }

  /** Looks until an answer comes, for 5 seconds at most. */
  async #lookBriefly(): Promise<void> {
    const { clock, stop } = this.#options;
    const late = new AbortController();
    const signal = AbortSignal.any([late.signal, this.#over.signal, stop.reportsAbandoned]);
    const end = () => late.abort();

    void clock.sleep(BRIEF_MS, signal).then(end, end);
    while (!signal.aborted && !(await this.#lookTwice(signal)))
      await clock.sleep(CONFIRM_MS, signal).catch(() => undefined);
    end();
  }

  /** Looks, and looks again if the deployment seems to have ended. True if there was an answer. */
  async #lookTwice(signal: AbortSignal): Promise<boolean> {
    const { intervalMs, clock, stop } = this.#options;
    let hasEnded = await this.#look(signal);

    if (hasEnded === true) {
      await clock.sleep(Math.min(CONFIRM_MS, intervalMs), signal).catch(() => undefined);
      hasEnded = await this.#look(signal);
    }

    this.#hasEnded ||= hasEnded === true;

    // After the last step, only the reports need to know.
    if (hasEnded === true && this.#phase !== 'ended') stop.request(CANCELLED);

    return hasEnded !== undefined;
  }

  /** True if the deployment has ended, other than by success; undefined without an answer. */
  async #look(signal: AbortSignal): Promise<boolean | undefined> {
    // Before our `running`, a deployment may not have started; after our last status, it may be put
    // away.
    const wasRunning = this.#phase === 'running';
    const shown = await this.#shown(signal);
    if (shown === undefined) return undefined;
    return ENDED.has(shown) || (TAKEN_AWAY.has(shown) && wasRunning && this.#phase === 'running');
  }

  /**
   * The deployment's status, such as `running`; empty if it is refused or odd, undefined without an
   * answer.
   */
  async #shown(signal: AbortSignal): Promise<string | undefined> {
    try {
      const shown = await this.#status(signal);
      this.#options.health.active();
      this.#outage.over();
      this.#read();
      if (shown === 'succeeded') this.#provesSuccess = false;
      return shown ?? '';
    } catch (error) {
      if (signal.aborted) return undefined;
      this.#outage.failed(error);
      this.#unread(error);
      // A 401 may be a stray one.
      return isRefusal(error) && refusedStatus(error) !== 401 ? '' : undefined;
    }
  }

  #read(): void {
    this.#lastRead = momentOf(this.#options.clock);
    if (this.#isUnseen) this.#options.health.cancelUnseen(undefined);
    this.#isUnseen = false;
  }

  /** Says so if the status could not be read for long, such as with a pool token that can't be renewed. */
  #unread(error: unknown): void {
    const { clock, health, say } = this.#options;
    if (this.#isUnseen || this.#phase === 'ended') return;
    if (elapsedSince(this.#lastRead, clock).atLeast < UNSEEN_MS) return;
    this.#isUnseen = true;
    health.cancelUnseen(this.#lastRead);
    say('warning', withEntry(UNSEEN, codeOf(error)));
  }

  async #status(signal: AbortSignal): Promise<string | undefined> {
    const { pool, deploymentId, say } = this.#options;
    try {
      return await pool.state(deploymentId, signal);
    } catch (error) {
      const status = refusedStatus(error) ?? 0;
      if (status === 410) return 'gone';
      if (!NOT_SERVED.has(status)) throw error;

      const shown = await pool.check(deploymentId, signal);

      if (!this.#hasSaidFallback)
        say(
          'info',
          `Pulumi Cloud does not serve the deployment's status (HTTP ${status}): the agent uses the call check instead.`,
        );

      this.#hasSaidFallback = true;

      return shown;
    }
  }
}
