import type { Clock } from '../../base/clock.ts';
import { defined } from '../../base/defined.ts';
import type { OwnDeployment } from '../../record/deployment.ts';
import type { DriftRun } from '../deployment-wire.ts';

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

/** Whether there is drift, and what differs; empty if unknown. */
export type DriftResult = Pick<OwnDeployment, 'drift' | 'driftRun'>;

/** An operation's name, as Pulumi's are: what else a service says gets into no summary. */
const KIND = /^[a-z][a-z-]{0,30}$/;

/** What an ended drift run found: drift, the run, and the counts of what differs. */
export function resultOfRun(run: DriftRun): DriftResult {
  const drift = driftIn(run);
  if (drift !== true) return defined({ drift });

  const counts = Object.entries(run.detectUpdate?.resourceChanges ?? {});
  const changes = Object.fromEntries(
    counts.filter(([kind, number]) => kind !== 'same' && number > 0 && KIND.test(kind)),
  );
  return { drift, driftRun: { ...defined({ id: run.id }), changes } };
}

/**
 * What a drift detection that this agent ran found, by the run that Pulumi Cloud lists for it. Empty
 * if it lists none in time or before `signal` ends the calls, it didn't succeed, or the token may not ask.
 * Never rejects.
 */
export async function driftFound(
  driftRun: (signal: AbortSignal) => Promise<DriftRun | undefined>,
  { clock, signal: asking }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<DriftResult> {
  const signal = AbortSignal.any([asking, AbortSignal.timeout(ALL_MS)]);
  for (let left = TRIES; left > 0; left -= 1) {
    try {
      const run = await driftRun(signal);
      if (run !== undefined && isOver(run)) return resultOfRun(run);
      await clock.sleep(BETWEEN_MS, signal);
    } catch {
      return {};
    }
  }

  return {};
}
