import { type Moment, momentOf } from '../clock.ts';
import type { PoolApi } from '../cloud/deployments.ts';
import { refusedStatus } from '../cloud/errors.ts';
import type { Outage } from '../cloud/outage.ts';
import type { HeartbeatTimes } from './lease.ts';

/** Milliseconds between the first sign of a cancellation and the poll that confirms it. */
const CONFIRM_MS = 1_000;
/** Without `succeeded`, which a service may derive from the steps reported so far. */
const ENDED: ReadonlySet<string> = new Set(['failed', 'skipped', 'cancelled', 'canceled']);
/** Statuses of a service without the endpoint, and how many in a row prove it. */
const NOT_SERVED: ReadonlySet<number> = new Set([404, 405, 500, 501]);
const NOT_SERVED_TIMES = 3;

export interface CancellationOptions extends HeartbeatTimes {
  readonly pool: Pick<PoolApi, 'state' | 'check'>;
  readonly deploymentId: string;
  readonly intervalMs: number;
  /** Called with the HTTP status of each poll; undefined if no answer arrived. */
  readonly onAnswer: (status: number | undefined) => void;
  /** Called once, on switching to `check`. */
  readonly onFallback: () => void;
  readonly outage: Outage;
}

/** Polls a deployment's status while its job runs to detect a cancellation (protocol section 5). */
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

  /** Resolves true on cancellation, false when `signal` aborts. Network errors and odd answers don't count. */
  async seen(signal: AbortSignal): Promise<boolean> {
    const { intervalMs, clock } = this.#options;
    while (this.#seen < 2) {
      await clock.sleep(this.#seen > 0 ? Math.min(CONFIRM_MS, intervalMs) : intervalMs, signal).catch(() => undefined);
      if (signal.aborted) return false;
      await this.#poll(signal);
    }
    return true;
  }

  async #poll(signal: AbortSignal): Promise<void> {
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

  /** A missing endpoint is no outage: after three such answers in a row, `check` replaces it. */
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
