import type { Clock } from '../clock.ts';
import { Heartbeat, type HeartbeatOptions, INTERVAL_MS } from './heartbeat.ts';

/** Pulumi Cloud fails a deployment after 10 minutes without a heartbeat (protocol section 2): two before, we stop it ourselves. */
export const FENCE_MS = 8 * 60_000;
/** Milliseconds from the claim on: a thread's start would compete with the container's, and the next heartbeat is far off. */
const HAND_OVER_MS = 1_000;

/** Somebody who sends the heartbeats beside the main thread's work. */
export interface HeartbeatThread {
  /** Milliseconds since the epoch; 0 before the first. */
  readonly lastAccepted: number;
  /** Resolves when it can begin. Rejects when it can't, and when `signal` aborts. */
  ready(signal: AbortSignal): Promise<void>;
  /** Its first heartbeat goes out `inMs` milliseconds from now. */
  begin(inMs: number): void;
  /** Rejects when it has died or is stuck, and when `signal` aborts; never resolves. */
  failure(signal: AbortSignal): Promise<never>;
  /** Ends it, dead or alive; when it resolves, no heartbeat of its is in flight. */
  stop(): Promise<void>;
}

/** What a heartbeat tells, from whichever thread. */
export interface HeartbeatEvents {
  readonly onAccepted: () => void;
  readonly onGone: () => void;
  readonly onFailure: (error: unknown) => void;
}

export interface LeaseOptions extends HeartbeatEvents, Pick<HeartbeatOptions, 'beat' | 'intervalMs' | 'retryMs'> {
  readonly clock: Clock;
  /** No heartbeat was accepted for `FENCE_MS`: somebody else may own the stack by now. */
  readonly onLost: () => void;
  /** Starts the thread that takes the heartbeats over; without it, they stay here. May reject. */
  readonly thread?: () => Promise<HeartbeatThread>;
  /** The thread could not be had, or is lost: the heartbeats go on from here. */
  readonly onThreadFailure?: (error: unknown) => void;
  readonly fenceMs?: number;
  readonly handOverMs?: number;
}

/**
 * Keeps the claim from the moment it is made until `stop`. The first heartbeat is sent from here; then a thread of its own takes
 * over, so that nothing that the main thread does delays one. The fence stays here, whoever sends them.
 */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #ended = new AbortController();
  #own: Heartbeat;
  #thread: HeartbeatThread | undefined;
  #lastAccepted: number;
  /** One was accepted, beyond the claim itself. */
  #isAccepted = false;
  #fence: NodeJS.Timeout | undefined;
  #handOver: Promise<void> | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
    // The claim itself counts as the first: the server's clock starts there.
    this.#lastAccepted = options.clock.now();
    this.#own = this.#heartbeat();
  }

  /** Milliseconds since the epoch. */
  get lastAccepted(): number {
    return Math.max(this.#lastAccepted, this.#thread?.lastAccepted ?? 0);
  }

  start(): void {
    const { clock, fenceMs = FENCE_MS, onLost, thread } = this.#options;
    // A timer of its own, because a heartbeat that hangs must not keep the fence from falling.
    const check = () => {
      const left = this.lastAccepted + fenceMs - clock.now();
      if (left <= 0) onLost();
      else this.#fence = setTimeout(check, left);
    };
    this.#fence = setTimeout(check, fenceMs);
    this.#own.start();
    if (thread !== undefined) this.#handOver = this.#servedBy(thread);
  }

  /** Ends the heartbeat; when it resolves, none is in flight. */
  async stop(): Promise<void> {
    clearTimeout(this.#fence);
    this.#ended.abort();
    await Promise.all([this.#own.stop(), this.#handOver]);
    clearTimeout(this.#fence);
  }

  #heartbeat(): Heartbeat {
    return new Heartbeat({
      ...this.#options,
      onAccepted: (asked) => {
        this.#lastAccepted = asked;
        this.#isAccepted = true;
        this.#options.onAccepted();
      },
    });
  }

  /** The thread's whole life: from its start to its stop, or to its death, after which the heartbeats go on from here. */
  async #servedBy(start: () => Promise<HeartbeatThread>): Promise<void> {
    const { clock, handOverMs = HAND_OVER_MS, intervalMs = INTERVAL_MS, onThreadFailure } = this.#options;
    const { signal } = this.#ended;
    let thread: HeartbeatThread | undefined;
    try {
      await clock.sleep(handOverMs, signal);
      thread = await start();
      await thread.ready(signal);
      await this.#own.stop();
      signal.throwIfAborted();
      this.#thread = thread;
      // A first one that failed, or that the hand-over cut short, is made up for at once.
      thread.begin(this.#isAccepted ? Math.max(0, this.#lastAccepted + intervalMs - clock.now()) : 0);
      await thread.failure(signal);
    } catch (error) {
      if (signal.aborted) return;
      if (this.#thread !== undefined) {
        this.#lastAccepted = this.lastAccepted;
        this.#own = this.#heartbeat();
        this.#own.start();
      }
      onThreadFailure?.(error);
    } finally {
      await thread?.stop();
    }
  }
}
