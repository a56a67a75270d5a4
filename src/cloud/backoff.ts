/** Milliseconds that every retry waits at least, where the configured waits allow it: chance must not make a client hammer. */
const FLOOR_MS = 500;

export interface Backoff {
  readonly retryWaitMs: number;
  readonly retryMaxWaitMs: number;
  /** A number from 0 up to 1. */
  readonly random: () => number;
}

/**
 * Milliseconds before retry `attempt` (1 is the first): anything up to the wait that doubles each time ("full jitter", so that
 * agents that failed together don't return together), or what `Retry-After` asked for; `retryMaxWaitMs` at most.
 */
export function retryWait(attempt: number, askedMs: number | undefined, options: Backoff): number {
  const { retryWaitMs, retryMaxWaitMs, random } = options;
  const full = Math.min(retryMaxWaitMs, retryWaitMs * 2 ** (attempt - 1));
  const least = Math.min(FLOOR_MS, full);
  return Math.min(retryMaxWaitMs, Math.max(least, askedMs ?? full * random()));
}
