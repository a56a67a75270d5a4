import { setTimeout as sleep } from 'node:timers/promises';
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
  for (const from = performance.now(); ; ) {
    try {
      return await call();
    } catch (error) {
      signal.throwIfAborted();
      const isAway =
        error instanceof ExecutorUnavailableError ||
        (error instanceof EngineRefusedError && error.status >= 500);
      if (!isAway || isOver() || performance.now() - from >= ms) throw error;
    }
    await sleep(AGAIN_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
