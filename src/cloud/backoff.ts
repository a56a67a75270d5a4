import type { Clock } from '../base/clock.ts';
import { CloudCallError } from './errors.ts';

/**
 * The shortest wait before a retry, unless configured waits are shorter: jitter must not make
 * a client hammer.
 */
const FLOOR_MS = 500;

/**
 * Retries of a running job's calls. Pauses stay short, because the lease and the time for reports
 * keep running out.
 */
const JOB_CALLS: Backoff = { retryWaitMs: 500, retryMaxWaitMs: 30_000, random: Math.random };

/**
 * Milliseconds to wait after `failures` consecutive failures: `firstMs`, doubled each time, at most
 * `maxMs`.
 */
export function doubled(firstMs: number, maxMs: number, failures: number): number {
  return Math.min(maxMs, firstMs * 2 ** (failures - 1));
}

export interface Backoff {
  readonly retryWaitMs: number;
  /** The longest wait before a retry, whatever `Retry-After` asks for. */
  readonly retryMaxWaitMs: number;
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number;
}

/**
 * Milliseconds until retry `attempt` (from 1): `Retry-After` or random exponential backoff, up to
 * `retryMaxWaitMs`.
 */
export function retryWait(
  attempt: number,
  retryAfterMs: number | undefined,
  { retryWaitMs, retryMaxWaitMs, random }: Backoff,
): number {
  const full = doubled(retryWaitMs, retryMaxWaitMs, attempt);
  const least = Math.min(FLOOR_MS, full);
  return Math.min(retryMaxWaitMs, Math.max(least, retryAfterMs ?? full * random()));
}

/**
 * Milliseconds before repeating a running job's call that has failed `failures` times in a row.
 */
export function jobCallWait(failures: number, error: unknown): number {
  const retryAfterMs = error instanceof CloudCallError ? error.retryAfterMs : undefined;
  return retryWait(failures, retryAfterMs, JOB_CALLS);
}

/** Waits for `jobCallWait`. Never rejects. */
export async function pauseAfter(
  failures: number,
  error: unknown,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  await clock.sleep(jobCallWait(failures, error), signal).catch(() => undefined);
}
