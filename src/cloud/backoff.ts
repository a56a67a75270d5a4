import type { Clock } from '../clock.ts';
import { CloudCallError } from './errors.ts';

/** Milliseconds that every retry waits at least, where the configured waits allow it: chance must not make a client hammer. */
const FLOOR_MS = 500;
/** How a running job's calls are repeated: no longer a pause, because the lease and the reports' time go on. */
const JOB_CALLS: Backoff = { retryWaitMs: 500, retryMaxWaitMs: 30_000, random: Math.random };

/** Milliseconds before the next try after so many failures in a row: `firstMs`, doubled each time, `mostMs` at most. */
export function doubled(firstMs: number, mostMs: number, failures: number): number {
  return Math.min(mostMs, firstMs * 2 ** (failures - 1));
}

export interface Backoff {
  readonly retryWaitMs: number;
  readonly retryMaxWaitMs: number;
  /** A number from 0 up to 1. */
  readonly random: () => number;
}

/** Milliseconds before retry `attempt` (from 1): by chance up to a wait that doubles, or what `Retry-After` asked for; `retryMaxWaitMs` at most. */
export function retryWait(attempt: number, askedMs: number | undefined, options: Backoff): number {
  const { retryWaitMs, retryMaxWaitMs, random } = options;
  const full = doubled(retryWaitMs, retryMaxWaitMs, attempt);
  const least = Math.min(FLOOR_MS, full);
  return Math.min(retryMaxWaitMs, Math.max(least, askedMs ?? full * random()));
}

/** Waits before a running job's call is repeated that has failed `failures` times in a row. Never rejects. */
export async function pauseAfter(failures: number, error: unknown, clock: Clock, signal: AbortSignal): Promise<void> {
  const asked = error instanceof CloudCallError ? error.retryAfterMs : undefined;
  await clock.sleep(retryWait(failures, asked, JOB_CALLS), signal).catch(() => undefined);
}
