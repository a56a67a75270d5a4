/**
 * Repeats `attempt` until it succeeds, and returns its result. After a failure `pauseMs` returns the
 * milliseconds to wait, or undefined to throw the failure; it can log, and throw another error.
 * `failures` counts from 1. Throws what `sleep` throws, such as a signal's reason.
 */
export async function retry<T>(
  attempt: () => Promise<T>,
  pauseMs: (error: unknown, failures: number) => number | undefined | Promise<number | undefined>,
  sleep: (ms: number) => Promise<void>,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      const ms = await pauseMs(error, failures);
      if (ms === undefined) throw error;
      await sleep(ms);
    }
  }
}
