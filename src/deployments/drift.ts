import type { Clock } from '../clock.ts';

/** Tries, as Pulumi Cloud can need a moment, and milliseconds between them and for all of them. */
const TRIES = 4;
const BETWEEN_MS = 2_000;
const ALL_MS = 20_000;

/**
 * Whether a drift detection that this agent ran found drift, by the run that Pulumi Cloud lists for
 * it. Undefined if it lists none in time, or the token may not ask. Never rejects.
 */
export async function driftFound(
  driftRun: (signal: AbortSignal) => Promise<boolean | undefined>,
  clock: Clock,
): Promise<boolean | undefined> {
  const signal = AbortSignal.timeout(ALL_MS);
  for (let left = TRIES; left > 0; left -= 1) {
    try {
      const drift = await driftRun(signal);
      if (drift !== undefined) return drift;
      await clock.sleep(BETWEEN_MS, signal);
    } catch {
      return undefined;
    }
  }

  return undefined;
}
