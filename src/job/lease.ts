import { type Clock, type Moment, momentOf, type Passed, passedSince } from '../clock.ts';
import { Heartbeat, type HeartbeatOptions, INTERVAL_MS, LOOK_MS } from './heartbeat.ts';

/** Pulumi Cloud fails a deployment after 10 minutes without a heartbeat (protocol section 2): two before, we stop it ourselves. */
export const FENCE_MS = 8 * 60_000;
/**
 * The last part of the fence, which heartbeats have left however far the wall clock has jumped: a minute, which one that hangs and
 * the next one fit into.
 */
const DOUBT = 1 / 8;
/** Milliseconds from the claim on: a thread's start would compete with the container's, and the next heartbeat is far off. */
const HAND_OVER_MS = 1_000;

/** Somebody who sends the heartbeats beside the main thread's work. */
export interface HeartbeatThread {
  /** When the last accepted heartbeat was sent; undefined before the first. */
  readonly lastAccepted: Moment | undefined;
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
  /** No heartbeat was accepted for `fenceMs`, or perhaps for as long: somebody else may own the stack by now. */
  readonly onLost: (passed: Passed) => void;
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
  #lastAccepted: Moment;
  /** One was accepted, beyond the claim itself. */
  #isAccepted = false;
  #handOver: Promise<void> | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
    // The claim itself counts as the first: the server's clock starts there.
    this.#lastAccepted = momentOf(options.clock);
    this.#own = this.#heartbeat();
  }

  /** When the last accepted heartbeat was sent, or the claim was made. */
  get lastAccepted(): Moment {
    const own = this.#lastAccepted;
    const other = this.#thread?.lastAccepted ?? own;
    return other.steady > own.steady ? other : own;
  }

  start(): void {
    const { thread } = this.#options;
    void this.#fence();
    this.#own.start();
    if (thread !== undefined) this.#handOver = this.#servedBy(thread);
  }

  /** Ends the heartbeat; when it resolves, none is in flight. */
  async stop(): Promise<void> {
    this.#ended.abort();
    await Promise.all([this.#own.stop(), this.#handOver]);
  }

  /**
   * A loop of its own, because a heartbeat that hangs must not keep the fence from falling. Where only the wall clock says that it
   * has fallen, the machine was suspended or its clock was set: Pulumi Cloud knows which, and the heartbeat asks it at once.
   */
  async #fence(): Promise<void> {
    const { clock, fenceMs = FENCE_MS, onLost } = this.#options;
    const { signal } = this.#ended;
    for (let doubted: Moment | undefined; !signal.aborted; ) {
      const passed = passedSince(this.lastAccepted, clock);
      doubted = passed.perhaps < fenceMs * (1 - DOUBT) ? undefined : (doubted ?? momentOf(clock));
      const answer = doubted === undefined ? fenceMs : fenceMs * DOUBT - passedSince(doubted, clock).surely;
      const left = Math.min(fenceMs - passed.surely, answer);
      if (left <= 0) {
        onLost(passed);
        return;
      }
      await clock.sleep(Math.min(left, LOOK_MS), signal).catch(() => undefined);
    }
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
      thread.begin(this.#isAccepted ? Math.max(0, intervalMs - passedSince(this.#lastAccepted, clock).perhaps) : 0);
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
