import { systemClock } from '../../../base/clock.ts';
import { retry } from '../../../base/retry.ts';
import { ExecutorUnavailableError } from '../../executor.ts';
import { EngineRefusedError } from './errors.ts';

/** Between tries. */
const AGAIN_MS = 200;

/**
 * Repeats a call that does no harm if it is done twice, such as a read, while the engine is away for a moment: without an
 * answer, or with a 5xx of its own or of a proxy, for at most `ms` milliseconds and unless `isOver`. Throws the last
 * failure, and the signal's reason.
 */
export async function repeated<T>(
  call: () => Promise<T>,
  {
    ms,
    isOver,
    signal,
  }: { readonly ms: number; readonly isOver: () => boolean; readonly signal: AbortSignal },
): Promise<T> {
  const from = systemClock.steady();
  return await retry(
    call,
    (error) => (isAway(error) && !isOver() && systemClock.steady() - from < ms ? AGAIN_MS : undefined),
    { clock: systemClock, signal },
  );
}

function isAway(error: unknown): boolean {
  return (
    error instanceof ExecutorUnavailableError || (error instanceof EngineRefusedError && error.status >= 500)
  );
}
