import type { Clock } from '../clock.ts';
import type { DriftRun } from '../cloud/started-deployments-wire.ts';

/** Tries, as Pulumi Cloud can need a moment, and milliseconds between them and for all of them. */
const TRIES = 4;
const BETWEEN_MS = 2_000;
const ALL_MS = 20_000;

/** Statuses of a run that may still find drift. */
const OPEN: ReadonlySet<string | undefined> = new Set(['not-started', 'accepted', 'running']);

/** True once a drift run has ended. A service that gives no status lists only those. */
export function isOver({ status }: DriftRun): boolean {
  return !OPEN.has(status);
}

/**
 * Whether an ended drift run found drift. Undefined if it found none and didn't succeed: it didn't
 * look at everything.
 */
export function driftIn({ driftDetected, status = 'succeeded' }: DriftRun): boolean | undefined {
  return driftDetected || status === 'succeeded' ? driftDetected : undefined;
}

/**
 * Whether a drift detection that this agent ran found drift, by the run that Pulumi Cloud lists for
 * it. Undefined if it lists none in time, it didn't succeed, or the token may not ask. Never rejects.
 */
export async function driftFound(
  driftRun: (signal: AbortSignal) => Promise<DriftRun | undefined>,
  clock: Clock,
): Promise<boolean | undefined> {
  const signal = AbortSignal.timeout(ALL_MS);
  for (let left = TRIES; left > 0; left -= 1) {
    try {
      const run = await driftRun(signal);
      if (run !== undefined && isOver(run)) return driftIn(run);
      await clock.sleep(BETWEEN_MS, signal);
    } catch {
      return undefined;
    }
  }

  return undefined;
}
