import { setTimeout as delay } from 'node:timers/promises';

/** Tells the time, in two ways. */
export interface Timepiece {
  /** Milliseconds since the epoch: for what people read. It may be set at any moment, so it says nothing of how long something took. */
  now(): number;
  /** Milliseconds since some moment, for durations. Nobody sets it, but it stands still while the machine is suspended. */
  steady(): number;
}

/** Time as functions take it, so that tests can bring their own. */
export interface Clock extends Timepiece {
  /** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Node's timers fire at once past 2^31 - 1 ms: more than 24 days is as good as for ever. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's own time. */
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

/** A moment by both of its times. */
export interface Moment {
  readonly now: number;
  readonly steady: number;
}

/** The present moment. */
export function momentOf(clock: Timepiece): Moment {
  return { now: clock.now(), steady: clock.steady() };
}

/** Milliseconds since a moment. */
export interface Passed {
  /** As much has passed at least. */
  readonly surely: number;
  /** As much has passed if the clock was not set forward meanwhile: the machine was suspended then. */
  readonly perhaps: number;
}

/** What has passed since then. */
export function passedSince(since: Moment, clock: Timepiece): Passed {
  const surely = clock.steady() - since.steady;
  return { surely, perhaps: Math.max(surely, clock.now() - since.now) };
}

/** Calls `onExpire` once after `ms` milliseconds; its owner ends it by `clear`. No `ms`: never. */
export function deadline(ms: number | undefined, onExpire: () => void): { clear(): void } {
  if (ms === undefined) return { clear: () => undefined };
  const timer = setTimeout(onExpire, Math.min(ms, LONGEST_TIMER_MS));
  return { clear: () => clearTimeout(timer) };
}

/** Settles with `promise`, or rejects with the signal's reason as soon as it aborts; what it brings after that is dropped. */
export async function settledBefore<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  promise.catch(() => undefined);
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
