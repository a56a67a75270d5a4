import type { Clock } from './clock.ts';

/**
 * Repeats `attempt` until it succeeds, and returns its result. After a failure `pauseMs` returns the
 * time to wait, or undefined to throw the failure; it can log, and throw another error.
 * `failures` counts from 1. Throws the signal's reason if it aborts a wait.
 */
export async function retry<T>(
  attempt: () => Promise<T>,
  pauseMs: (error: unknown, failures: number) => number | undefined | Promise<number | undefined>,
  { clock, signal }: { readonly clock: { sleep: Clock['sleep'] }; readonly signal: AbortSignal },
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      const ms = await pauseMs(error, failures);
      if (ms === undefined) throw error;
      await clock.sleep(ms, signal);
    }
  }
}
