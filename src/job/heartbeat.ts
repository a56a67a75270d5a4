import { type Clock, type Moment, momentOf, passedSince } from '../clock.ts';
import { JobGoneError } from '../cloud/errors.ts';

/** Milliseconds from one heartbeat to the next (protocol section 5). */
export const INTERVAL_MS = 30_000;
/** Milliseconds from a failed one to the next try. */
export const RETRY_MS = 5_000;
/** Milliseconds from one look at the clock to the next: timers stand still while the machine is suspended. */
export const LOOK_MS = 5_000;

export interface HeartbeatOptions {
  readonly beat: (signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  /** One was accepted that was sent at `asked`. */
  readonly onAccepted: (asked: Moment) => void;
  /** Pulumi Cloud no longer knows the job. */
  readonly onGone: () => void;
  readonly onFailure: (error: unknown) => void;
  readonly intervalMs?: number;
  readonly retryMs?: number;
}

/** Sends one heartbeat after the other from `start` to `stop`. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #ended = new AbortController();
  #loop: Promise<void> | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** The first goes out `inMs` milliseconds from now. */
  start(inMs = 0): void {
    this.#loop ??= this.#run(inMs);
  }

  /** Ends the heartbeat; when it resolves, none is in flight. */
  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#loop;
  }

  async #run(inMs: number): Promise<void> {
    const { beat, clock, onAccepted, onGone, onFailure, intervalMs = INTERVAL_MS, retryMs = RETRY_MS } = this.#options;
    const { signal } = this.#ended;
    if (inMs > 0) await this.#until(momentOf(clock), inMs);
    while (!signal.aborted) {
      const asked = momentOf(clock);
      let next: [since: Moment, ms: number] = [asked, intervalMs];
      try {
        await beat(signal);
        onAccepted(asked);
      } catch (error) {
        if (signal.aborted) return;
        onFailure(error);
        if (error instanceof JobGoneError) onGone();
        else next = [momentOf(clock), Math.min(intervalMs, retryMs)];
      }
      await this.#until(...next);
    }
  }

  /** Waits until `ms` milliseconds have passed. A clock that jumps forward ends it: what was asked before may be out of date. */
  async #until(since: Moment, ms: number): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#ended;
    while (!signal.aborted) {
      const left = ms - passedSince(since, clock).perhaps;
      if (left <= 0) return;
      await clock.sleep(Math.min(left, LOOK_MS), signal).catch(() => undefined);
    }
  }
}
