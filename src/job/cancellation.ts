import { type Clock, type Moment, momentOf } from '../clock.ts';
import type { PoolApi } from '../cloud/deployments.ts';
import { refusedStatus } from '../cloud/errors.ts';
import type { Outage } from '../cloud/outage.ts';

/** Milliseconds between the first sign of a cancellation and the look that confirms it. */
const CONFIRM_MS = 1_000;
/** `succeeded` is none: a service may derive it from the steps reported so far. */
const ENDED: ReadonlySet<string> = new Set(['failed', 'skipped', 'cancelled', 'canceled']);
/** What a service answers that serves no status, and how often in a row until it is believed. */
const NOT_SERVED: ReadonlySet<number> = new Set([404, 405, 500, 501]);
const NOT_SERVED_TIMES = 3;

export interface CancellationOptions {
  readonly pool: Pick<PoolApi, 'state' | 'check'>;
  readonly deploymentId: string;
  readonly intervalMs: number;
  readonly clock: Clock;
  /** True when a heartbeat was accepted that was sent after then. */
  readonly heartbeatSince: (moment: Moment) => boolean;
  /** Called with the HTTP status of each look; undefined where no answer came. */
  readonly onAnswer: (status: number | undefined) => void;
  /** Called once, when `check` is asked from then on. */
  readonly onFallback: () => void;
  readonly outage: Outage;
}

/** Looks how a deployment stands while its job runs, and finds out whether it was cancelled (protocol section 5). */
export class Cancellation {
  readonly #options: CancellationOptions;
  #call: 'state' | 'check' = 'state';
  #wasRunning = false;
  #seen = 0;
  #notServed = 0;
  #notServedSince: Moment | undefined;

  constructor(options: CancellationOptions) {
    this.#options = options;
  }

  /** Resolves true when it was cancelled, false when `signal` aborted. Network errors and odd answers are no cancellation. */
  async seen(signal: AbortSignal): Promise<boolean> {
    const { intervalMs, clock } = this.#options;
    while (this.#seen < 2) {
      await clock.sleep(this.#seen > 0 ? Math.min(CONFIRM_MS, intervalMs) : intervalMs, signal).catch(() => undefined);
      if (signal.aborted) return false;
      await this.#look(signal);
    }
    return true;
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { pool, deploymentId, onAnswer, outage } = this.#options;
    try {
      const state = await pool[this.#call](deploymentId, signal);
      onAnswer(200);
      outage.over();
      this.#notServed = 0;
      if (state !== undefined) this.#judge(state);
    } catch (error) {
      if (signal.aborted) return;
      const status = refusedStatus(error);
      onAnswer(status);
      this.#fail(error, status);
    }
  }

  #judge(state: string): void {
    if (state === 'running') this.#wasRunning = true;
    const isTakenAway = this.#call === 'check' && state === 'not-started' && this.#wasRunning;
    this.#seen = ENDED.has(state) || isTakenAway ? this.#seen + 1 : 0;
  }

  /** A call that is not served is no outage: after three looks in a row the other one takes its place. */
  #fail(error: unknown, status: number | undefined): void {
    const { clock, heartbeatSince, onFallback, outage } = this.#options;
    if (this.#call === 'check' || status === undefined || !NOT_SERVED.has(status)) {
      this.#notServed = 0;
      outage.failed(error);
      return;
    }
    if (this.#notServed === 0) this.#notServedSince = momentOf(clock);
    this.#notServed += 1;
    const since = this.#notServedSince;
    if (this.#notServed < NOT_SERVED_TIMES || since === undefined || !heartbeatSince(since)) return;
    this.#call = 'check';
    onFallback();
  }
}
