import type { Clock } from '../../base/clock.ts';
import { byteCount } from '../../base/quantity.ts';
import type { JobContainer } from '../../executor/executor.ts';
import type { StopSource } from './stop.ts';

/**
 * Time between memory checks. A job that grows past both limits faster than that meets the
 * kernel's first.
 */
const CHECK_MS = 1_000;

const UNKNOWN =
  'The target does not report how much memory the job uses, so memory_soft_limit has no effect.';

/**
 * Requests a stop once the container's working set has `limit` bytes. Resolves then, or when
 * `signal` aborts, or at once with a note for the user if the target doesn't report memory use.
 * Never rejects.
 */
export async function watchMemory(
  container: { memory: JobContainer['memory'] },
  limit: number,
  stop: StopSource,
  clock: Clock,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    // A target that is briefly unreachable is asked again.
    const memory = await container.memory(signal).catch(() => 0);
    if (signal.aborted) break;
    if (memory === undefined && isFirst) return UNKNOWN;

    if (memory !== undefined && memory >= limit) {
      const reason = `the job took ${byteCount(memory)} of memory, and memory_soft_limit is ${byteCount(limit)}`;
      stop.request({ by: 'memory', reason });
      break;
    }

    await clock.sleep(CHECK_MS, signal).catch(() => undefined);
  }

  return undefined;
}
