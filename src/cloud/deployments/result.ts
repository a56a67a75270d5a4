import type { Log } from '../../base/log/level.ts';
import { messageOf, type Outcome } from '../../base/outcome.ts';
import type { DriftResult, OwnDeployment } from '../../record/deployment.ts';
import type { DeploymentApi, DeploymentName } from '../deployment-api.ts';
import { changesBy, type DeploymentUpdate, type DriftRun } from '../deployment-wire.ts';
import { CloudUnreachableError } from '../errors.ts';
import { type AskOptions, askPatiently } from './ask.ts';

const OPERATIONS_OF_DRIFT: ReadonlySet<string> = new Set(['detect-drift', 'remediate-drift']);

/** Tries to find a drift run, as Pulumi Cloud can need a moment; the pause between them, and the time for all. */
const TRIES = 4;
const BETWEEN_MS = 2_000;
const ALL_MS = 20_000;

/** Statuses of a run that may still find drift. */
const OPEN: ReadonlySet<string | undefined> = new Set(['not-started', 'accepted', 'running']);

/** The notice for a drift detection of `stack` whose answer stays unknown. */
export function driftUnknown(stack: string): string {
  return `The agent doesn't know whether the deployment of ${stack} found drift.`;
}

/** True if a drift detection with this outcome ran to its end: only then is its run asked for. */
export function ranToItsEnd(outcome: Outcome): boolean {
  return outcome === 'succeeded' || outcome === 'failed';
}

/** The results of a deployment, as far as Pulumi Cloud reports them. */
export type DeploymentResult = DriftResult & Pick<OwnDeployment, 'changes'>;

/**
 * The updates that tell what a deployment did; undefined where Pulumi Cloud doesn't report them.
 * Never rejects.
 */
export function updatesOf(
  name: DeploymentName,
  { api, log, signal }: Pick<AskOptions, 'log' | 'signal'> & { readonly api: Pick<DeploymentApi, 'updates'> },
): Promise<readonly DeploymentUpdate[] | undefined> {
  return ifReported(api.updates(name, signal), log);
}

/**
 * Tells what a deployment did, by its `updates` and by what Pulumi Cloud says of drift. If the drift
 * of its stack isn't reported, the deployment's own changes decide. If the deployment did not succeed,
 * the stack's drift can be an earlier one's: only a detection's own run or changes then prove drift,
 * and nothing proves its absence. Never rejects.
 */
export async function resultOf(
  name: DeploymentName,
  {
    operation,
    outcome,
    updates,
  }: {
    readonly operation: string;
    readonly outcome: Outcome;
    readonly updates: readonly DeploymentUpdate[] | undefined;
  },
  { api, clock, log, signal }: AskOptions & { readonly api: Pick<DeploymentApi, 'drift' | 'driftRun'> },
): Promise<DeploymentResult> {
  const changes = updates && changesBy(updates);
  if (!OPERATIONS_OF_DRIFT.has(operation)) return { changes };

  const differ = changes && differs(changes);
  const isDetection = operation === 'detect-drift';

  // The run of this very deployment says more than the stack's latest. Some fail where there is drift.
  const mayHaveRun = isDetection && ranToItsEnd(outcome);
  const run = mayHaveRun ? await ifReported(api.driftRun(name, signal), log) : undefined;
  const ofRun = run !== undefined && isOver(run) ? resultOfRun(run) : undefined;

  if (outcome !== 'succeeded') {
    if (ofRun?.drift === true) return { changes, ...ofRun };
    return { changes, drift: (isDetection && differ) || undefined };
  }

  if (ofRun !== undefined)
    return { changes, drift: ofRun.drift ?? (differ || undefined), driftRun: ofRun.driftRun };
  const drift = await ifReported(
    askPatiently(() => api.drift(name.stack, signal), { clock, signal }),
    log,
  );

  return { changes, drift: drift ?? differ };
}

/** The answer; undefined if Pulumi Cloud gives none. */
async function ifReported<T>(answer: Promise<T>, log: Log): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    // Not every service reports it.
    log(error instanceof CloudUnreachableError ? 'warning' : 'debug', messageOf(error));
    return undefined;
  }
}

/** True if anything but `same` was counted. */
function differs(changes: Readonly<Record<string, number>>): boolean {
  return Object.entries(changes).some(([kind, number]) => kind !== 'same' && number > 0);
}

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

/** An operation's name, as Pulumi's are: what else a service says gets into no summary. */
const KIND = /^[a-z][a-z-]{0,30}$/;

/** What an ended drift run found: drift, the run, and the counts of what differs. */
export function resultOfRun(run: DriftRun): DriftResult {
  const drift = driftIn(run);
  if (drift !== true) return { drift };

  const counts = Object.entries(run.detectUpdate?.resourceChanges ?? {});
  const changes = Object.fromEntries(
    counts.filter(([kind, number]) => kind !== 'same' && number > 0 && KIND.test(kind)),
  );
  return { drift, driftRun: { id: run.id, changes } };
}

/**
 * What a drift detection that this agent ran found, by the run that Pulumi Cloud lists for it. Empty
 * if it lists none in time or before `signal` ends the calls, it didn't succeed, or the token may not ask.
 * Never rejects.
 */
export async function driftFound(
  driftRun: (signal: AbortSignal) => Promise<DriftRun | undefined>,
  { clock, signal: end }: Pick<AskOptions, 'clock' | 'signal'>,
): Promise<DriftResult> {
  const signal = AbortSignal.any([end, AbortSignal.timeout(ALL_MS)]);
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
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
