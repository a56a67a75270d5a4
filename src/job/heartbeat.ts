import type { Clock } from '../clock.ts';
import { JobGoneError } from '../cloud/errors.ts';

/** Pulumi Cloud fails a deployment after 10 minutes without a heartbeat (protocol section 2): two before, we stop it ourselves. */
export const FENCE_MS = 8 * 60_000;
const INTERVAL_MS = 30_000;
const RETRY_MS = 5_000;

export interface HeartbeatOptions {
  readonly beat: (signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  /** No heartbeat was accepted for `FENCE_MS`: somebody else may own the stack by now. */
  readonly onLost: () => void;
  /** Pulumi Cloud no longer knows the job. */
  readonly onGone: () => void;
  readonly onFailure: (error: unknown) => void;
  readonly intervalMs?: number;
  readonly retryMs?: number;
  readonly fenceMs?: number;
}

/** Keeps the claim from the moment it is made until `stop`. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #ended = new AbortController();
  #lastAccepted: number;
  #loop: Promise<void> | undefined;
  #fence: NodeJS.Timeout | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    // The claim itself counts as the first: the server's clock starts there.
    this.#lastAccepted = options.clock.now();
  }

  /** Milliseconds since the epoch. */
  get lastAccepted(): number {
    return this.#lastAccepted;
  }

  start(): void {
    const { clock, fenceMs = FENCE_MS, onLost } = this.#options;
    // A timer of its own, because a heartbeat that hangs must not keep the fence from falling.
    const check = () => {
      const left = this.#lastAccepted + fenceMs - clock.now();
      if (left <= 0) onLost();
      else this.#fence = setTimeout(check, left);
    };
    this.#fence = setTimeout(check, fenceMs);
    this.#loop = this.#run();
  }

  /** Ends the heartbeat; when it resolves, none is in flight. */
  async stop(): Promise<void> {
    clearTimeout(this.#fence);
    this.#ended.abort();
    await this.#loop;
    clearTimeout(this.#fence);
  }

  async #run(): Promise<void> {
    const { beat, clock, onGone, onFailure, intervalMs = INTERVAL_MS, retryMs = RETRY_MS } = this.#options;
    const { signal } = this.#ended;
    while (!signal.aborted) {
      let wait = intervalMs;
      const asked = clock.now();
      try {
        await beat(signal);
        this.#lastAccepted = asked;
      } catch (error) {
        if (signal.aborted) return;
        onFailure(error);
        if (error instanceof JobGoneError) onGone();
        else wait = Math.min(intervalMs, retryMs);
      }
      await clock.sleep(wait, signal).catch(() => undefined);
    }
  }
}
