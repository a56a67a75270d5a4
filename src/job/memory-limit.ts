import type { Clock } from '../clock.ts';
import type { JobContainer } from '../executor/executor.ts';
import { byteCount } from '../quantity.ts';
import type { StopSource } from './stop.ts';

/** Milliseconds from one look at the memory to the next. Whatever takes the rest of it in less time meets the kernel's limit first. */
const LOOK_MS = 1_000;

const UNKNOWN =
  'The place where the job runs does not tell how much memory it takes, so memory_soft_limit has no effect.';

export interface MemoryLimitOptions {
  readonly container: Pick<JobContainer, 'memory'>;
  /** Bytes of the container's working set. */
  readonly limit: number;
  readonly stop: StopSource;
  readonly clock: Clock;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Takes what the user should know: once, where the memory isn't told. */
  readonly onNote: (note: string) => void;
}

/** Has the job stopped as soon as its container takes `limit` bytes. Resolves then, and when `signal` aborts. Never throws. */
export async function watchMemory(options: MemoryLimitOptions): Promise<void> {
  const { container, limit, stop, clock, signal, onNote } = options;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    // A place that is away for a moment tells it later.
    const memory = await container.memory(signal).catch(() => 0);
    if (signal.aborted) return;
    if (memory === undefined && isFirst) return onNote(UNKNOWN);
    if (memory !== undefined && memory >= limit) {
      const reason = `the job took ${byteCount(memory)} of memory, and memory_soft_limit is ${byteCount(limit)}`;
      return stop.request({ by: 'memory', reason });
    }
    await clock.sleep(LOOK_MS, signal).catch(() => undefined);
  }
}
