import { setTimeout as delay } from 'node:timers/promises';

/** Time as functions take it, so that tests can bring their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Node's timers fire at once past 2^31 - 1 ms: more than 24 days is as good as for ever. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    try {
      await delay(Math.min(ms, LONGEST_TIMER_MS), undefined, { signal });
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  },
};

/** Calls `onExpire` once after `ms` milliseconds; whoever asks for it ends it by `clear`. No `ms`: never. */
export function deadline(ms: number | undefined, onExpire: () => void): { clear(): void } {
  if (ms === undefined) return { clear: () => undefined };
  const timer = setTimeout(onExpire, Math.min(ms, LONGEST_TIMER_MS));
  return { clear: () => clearTimeout(timer) };
}

/** Settles with `promise`, or rejects with the signal's reason as soon as it aborts; what it then still brings is nobody's. */
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
