import type { Clock } from '../clock.ts';
import { CloudRefusedError, CloudUnreachableError } from '../cloud/errors.ts';

const FIRST_MS = 500;
/** The longest pause between two tries, also when Pulumi Cloud asks for more: the lease and the report's time go on. */
const LONGEST_MS = 30_000;

/** Waits after a call's `failures`th failure in a row: longer each time, spread by chance, and as long as `Retry-After` asks for. Never rejects. */
export async function pauseAfter(failures: number, error: unknown, clock: Clock, signal: AbortSignal): Promise<void> {
  const backoff = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS) * (0.5 + Math.random() / 2);
  const asked =
    error instanceof CloudUnreachableError || error instanceof CloudRefusedError ? (error.retryAfterMs ?? 0) : 0;
  await clock.sleep(Math.min(Math.max(backoff, asked), LONGEST_MS), signal).catch(() => undefined);
}
