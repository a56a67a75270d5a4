import { addAbortListener } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** A signal that never aborts, for work that must run to its end. */
export const NEVER: AbortSignal = new AbortController().signal;

/** The wall clock and the monotonic clock. */
export interface TimeSource {
  /**
   * Milliseconds since the epoch, for display only: it may be set at any moment, so it can't
   * measure durations.
   */
  now(): number;

  /**
   * Monotonic milliseconds from an arbitrary origin, for durations. Stops while the machine is
   * suspended.
   */
  steady(): number;
}

/** Time as an argument, so tests can supply their own. */
export interface Clock extends TimeSource {
  /** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Node's timers fire at once past 2^31 - 1 ms; 24 days is as good as unlimited. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
  sleep: async (ms, signal) => {
    try {
      await delay(Math.min(ms, LONGEST_TIMER_MS), undefined, { signal });
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  },
};

/**
 * Monotonic milliseconds from an origin that all processes on a machine share, as Linux's
 * CLOCK_MONOTONIC is: another process can tell how much time has passed since.
 */
export function sharedSteady(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

export interface Moment {
  readonly now: number;
  readonly steady: number;
}

export function momentOf(clock: TimeSource): Moment {
  return { now: clock.now(), steady: clock.steady() };
}

/** Milliseconds elapsed since a moment. */
export interface Elapsed {
  /** The least that has elapsed. */
  readonly atLeast: number;

  /**
   * The time by the wall clock, if that is more: the machine was suspended, or the clock was set
   * forward.
   */
  readonly atMost: number;
}

/** The time elapsed since `since`. */
export function elapsedSince(since: Moment, clock: TimeSource): Elapsed {
  const atLeast = clock.steady() - since.steady;
  return { atLeast, atMost: Math.max(atLeast, clock.now() - since.now) };
}

/**
 * Calls `onExpire` once after `ms`, or never if undefined. The caller must `clear` it.
 */
export function startTimer(ms: number | undefined, onExpire: () => void): { clear(): void } {
  if (ms === undefined) return { clear: () => undefined };
  const timer = setTimeout(onExpire, Math.min(ms, LONGEST_TIMER_MS));
  return { clear: () => clearTimeout(timer) };
}

/**
 * Settles with `promise`, or rejects with the signal's reason as soon as it aborts; a later result
 * is dropped.
 */
export async function settledBefore<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  promise.catch(() => undefined);
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  using _ = addAbortListener(signal, () => reject(signal.reason));
  return await Promise.race([promise, aborted]);
}
