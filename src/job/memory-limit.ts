import type { Clock } from '../clock.ts';
import type { JobContainer } from '../executor/executor.ts';
import { byteCount } from '../quantity.ts';
import type { StopSource } from './stop.ts';

/**
 * Milliseconds between memory checks. A job that grows past both limits faster than that meets the
 * kernel's first.
 */
const CHECK_MS = 1_000;

const UNKNOWN =
  'The target does not report how much memory the job uses, so memory_soft_limit has no effect.';

export interface MemoryLimitOptions {
  readonly container: { memory: JobContainer['memory'] };
  /** Bytes of the container's working set. */
  readonly limit: number;
  readonly stop: StopSource;
  readonly clock: Clock;
  /** Ends the watch when it aborts. */
  readonly signal: AbortSignal;
  /** Called once with a note for the user if the target doesn't report memory use. */
  readonly onNote: (note: string) => void;
}

/**
 * Requests a stop once the container uses `limit` bytes. Resolves then, or when `signal` aborts.
 * Never throws.
 */
export async function watchMemory(options: MemoryLimitOptions): Promise<void> {
  const { container, limit, stop, clock, signal, onNote } = options;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    // A target that is briefly unreachable is asked again.
    const memory = await container.memory(signal).catch(() => 0);
    if (signal.aborted) return;
    if (memory === undefined && isFirst) return onNote(UNKNOWN);

    if (memory !== undefined && memory >= limit) {
      const reason = `the job took ${byteCount(memory)} of memory, and memory_soft_limit is ${byteCount(limit)}`;
      return stop.request({ by: 'memory', reason });
    }

    await clock.sleep(CHECK_MS, signal).catch(() => undefined);
  }
}
