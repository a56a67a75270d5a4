import { type Clock, type Elapsed, elapsedSince, type Moment, momentOf } from '../../base/clock.ts';
import type { RunLog } from '../../base/log/level.ts';
import { Outage } from '../../base/log/outage.ts';
import { FENCE_MS, fence, LEASE_MS } from '../../cloud/fence.ts';

/** Time between heartbeats (protocol section 5), and from a failed one to its retry. */
const INTERVAL_MS = 30_000;
const RETRY_MS = 5_000;

/** Time between checks of the clock: timers stop while the machine is suspended. */
const CHECK_MS = 5_000;

/**
 * The least milliseconds a job gets to end if only the wall clock says that the lease is over,
 * which may be wrong.
 */
const MIN_MS = 60_000;

/** Tells if Pulumi Cloud accepts heartbeats: another call's refusal is then no outage. */
export interface HeartbeatTimes {
  readonly clock: Clock;
  /** True if a heartbeat sent after `moment` was accepted. */
  readonly heartbeatSince: (moment: Moment) => boolean;
}

export interface LeaseOptions {
  readonly clock: Clock;
  /** Sends one heartbeat. Rejects if it isn't accepted or `signal` aborts. */
  readonly beat: (signal: AbortSignal) => Promise<void>;
  readonly say: RunLog;
  readonly health: { heartbeat(result: 'accepted' | 'failed'): void };
  /**
   * Called once if no heartbeat may have been accepted for FENCE_MS. Nothing may run past `endBy`
   * (steady clock).
   */
  readonly onLost: (passed: Elapsed, endBy: number) => void;
}

/** Sends heartbeats from `start` to `stop`, even after a lost lease: reports still need them. */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #outage: Outage;
  readonly #ended = new AbortController();
  /** The claim counts as the first heartbeat: the server's clock starts there. */
  #lastAccepted: Moment;
  #loops: Promise<unknown> | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#outage = new Outage('Sending heartbeats', options);
    this.#lastAccepted = momentOf(options.clock);
  }

  /** When the last accepted heartbeat was sent; at first, when the claim was made. */
  get lastAccepted(): Moment {
    return this.#lastAccepted;
  }

  /**
   * Time until the fence falls unless a heartbeat is accepted; negative once it has fallen.
   */
  get leftMs(): number {
    return FENCE_MS - elapsedSince(this.#lastAccepted, this.#options.clock).atLeast;
  }

  start(): void {
    this.#loops ??= Promise.all([this.#beat(), this.#watch()]);
  }

  /** Stops the heartbeats; resolves when none is in flight. */
  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#loops;
  }

  async #beat(): Promise<void> {
    const { beat, clock, health } = this.#options;
    const { signal } = this.#ended;

    while (!signal.aborted) {
      const sentAt = momentOf(clock);
      let [since, ms] = [sentAt, INTERVAL_MS];

      try {
        await beat(signal);
        this.#lastAccepted = sentAt;
        health.heartbeat('accepted');
        this.#outage.over();
      } catch (error) {
        if (signal.aborted) return;
        health.heartbeat('failed');
        this.#outage.failed(error);
        [since, ms] = [momentOf(clock), RETRY_MS];
      }

      // A forward clock jump ends the wait: the last answer may be out of date.
      await this.#passed(() => ms - elapsedSince(since, clock).atMost);
    }
  }

  /** A separate loop: a hanging heartbeat must not delay the fence. */
  async #watch(): Promise<void> {
    const { clock, onLost } = this.#options;
    await this.#fence();
    if (this.#ended.signal.aborted) return;
    const passed = elapsedSince(this.#lastAccepted, clock);
    onLost(passed, clock.steady() + Math.max(LEASE_MS - passed.atMost, MIN_MS));
  }

  /** Resolves when the fence falls, or on `stop`. */
  #fence(): Promise<void> {
    const leftMs = fence(this.#options.clock);
    return this.#passed(() => leftMs(this.#lastAccepted));
  }

  /** Resolves when `leftMs` returns no more milliseconds, or on `stop`. */
  async #passed(leftMs: () => number): Promise<void> {
    const { signal } = this.#ended;
    for (let ms = leftMs(); ms > 0 && !signal.aborted; ms = leftMs())
      await this.#options.clock.sleep(Math.min(ms, CHECK_MS), signal).catch(() => undefined);
  }
}
