import type { Clock } from '../clock.ts';
import { JobGoneError } from '../cloud/errors.ts';

/** Milliseconds from one heartbeat to the next (protocol section 5). */
export const INTERVAL_MS = 30_000;
/** Milliseconds from a failed one to the next try. */
export const RETRY_MS = 5_000;

export interface HeartbeatOptions {
  readonly beat: (signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  /** One was accepted that was sent at `asked`, milliseconds since the epoch. */
  readonly onAccepted: (asked: number) => void;
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
    if (inMs > 0) await clock.sleep(inMs, signal).catch(() => undefined);
    while (!signal.aborted) {
      const asked = clock.now();
      let next = asked + intervalMs;
      try {
        await beat(signal);
        onAccepted(asked);
      } catch (error) {
        if (signal.aborted) return;
        onFailure(error);
        if (error instanceof JobGoneError) onGone();
        else next = clock.now() + Math.min(intervalMs, retryMs);
      }
      // Never longer than that, also when the clock was set back meanwhile.
      const wait = Math.min(intervalMs, Math.max(0, next - clock.now()));
      await clock.sleep(wait, signal).catch(() => undefined);
    }
  }
}
