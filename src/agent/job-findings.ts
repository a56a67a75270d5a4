import type { Clock } from '../base/clock.ts';
import { defined } from '../base/defined.ts';
import type { Log } from '../base/log/level.ts';
import { messageOf, type Verdict } from '../base/outcome.ts';
import { type Identity, stackText } from '../base/stack.ts';
import type { DeploymentApi } from '../cloud/deployment-api.ts';
import { recordedChanges } from '../cloud/deployments/recorded-changes.ts';
import { driftFound, driftUnknown, ranToItsEnd } from '../cloud/deployments/result.ts';
import { stackLock } from '../cloud/deployments/stack-lock.ts';
import type { DriftResult } from '../record/deployment.ts';
import { changesInLogs } from '../record/output/changes.ts';
import { type LockHint, lockHint } from '../record/output/lock.ts';
import type { RunEnd, RunRecord } from '../record/run-record.ts';
import { lockText, type StackLock } from '../record/stack-lock.ts';
import type { JobEnd } from './job/job-end.ts';
import type { ShutdownSignals } from './job/stop.ts';

/** Time for the answers about a stopped job, as its CI system leaves few. */
const STOPPED_MS = 2_000;

interface FindingsSources {
  readonly end: JobEnd;
  readonly deploymentId: string;
  /** The deployment's name, if known. */
  readonly identity: Identity | undefined;
  /** The run directory; undefined without a record, which the output is read from. */
  readonly directory: string | undefined;
  /** Reads deployments; absent without an access token. */
  readonly deployments: DeploymentApi | undefined;
  /** Hides the job's secrets. */
  readonly redact: (text: string) => string;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Ends the calls about a job that has ended: at an interrupt, which leaves the agent little time, or 2 s from now if that
 * has come before.
 */
export function askingUntil({ interrupted, reportsAbandoned }: ShutdownSignals): AbortSignal {
  const end = interrupted.aborted ? AbortSignal.timeout(STOPPED_MS) : interrupted;
  return AbortSignal.any([reportsAbandoned, end]);
}

/**
 * What a job changed, whether its stack is free, and the verdict if another update's lock stopped it:
 * by Pulumi Cloud's record where the agent may read it, else by the job's output. Never rejects.
 */
export async function jobFindings(
  sources: FindingsSources,
): Promise<Pick<RunEnd, 'resources' | 'lock'> & Partial<Verdict>> {
  const { end, identity, directory = '', log } = sources;
  const stopped =
    end.outcome === 'cancelled' || end.outcome === 'interrupted' || end.outcome === 'lease-lost';

  const limited = stopped ? withinMs(sources, STOPPED_MS) : sources;

  try {
    const hint = directory === '' ? undefined : await lockHint(directory, end.steps);
    const [recorded, lock] = await Promise.all([
      changesOf(limited),
      hint === undefined && !stopped ? undefined : lockOf(hint, limited),
    ]);
    const resources = recorded ?? (directory === '' ? undefined : await changesInLogs(directory, end.steps));
    return { ...defined({ resources, lock }), ...conflictVerdict(end, lock, identity) };
  } catch (error) {
    log('debug', `Failed to read the output of the job: ${messageOf(error)}`);
    return {};
  }
}

function withinMs(sources: FindingsSources, ms: number): FindingsSources {
  return { ...sources, signal: AbortSignal.any([sources.signal, AbortSignal.timeout(ms)]) };
}

/** Only of a name that Pulumi Cloud gave: a job's variables must not choose the stack to read. */
function proven(identity: Identity | undefined): Identity | undefined {
  return identity?.proven === true ? identity : undefined;
}

async function changesOf({ identity, deploymentId, deployments: api, redact, log, signal }: FindingsSources) {
  const stack = proven(identity);
  if (api === undefined || stack === undefined) return undefined;
  const readUpdates = (end: AbortSignal) => api.updates({ stack, deploymentId }, end);
  return await recordedChanges(stack, { readUpdates, api, redact, log, signal });
}

function lockOf(hint: LockHint | undefined, { identity, deployments: api, log, signal }: FindingsSources) {
  return stackLock(hint, { api, stack: proven(identity), log, signal });
}

/** Names the lock in the message of a job that another update's lock stopped. */
function conflictVerdict(
  { outcome, code, steps }: JobEnd,
  lock: StackLock | undefined,
  identity: Identity | undefined,
): Partial<Verdict> {
  if (lock?.conflict !== true || outcome !== 'failed' || code !== 'PRA-JOB-01') return {};
  const failed = steps.find(({ index, status }) => index > 0 && status === 'failed');
  const named = proven(identity);
  const lockSentence = lockText(lock, named && stackText(named));
  return {
    code: 'PRA-JOB-15',
    message: `Failed to run step ${failed?.index} "${failed?.name}" of the deployment: another update was in progress, according to its output. ${lockSentence}`,
  };
}

interface DriftSources {
  readonly end: JobEnd;
  readonly deploymentId: string;
  readonly identity: Identity | undefined;
  readonly deployments: DeploymentApi | undefined;
  /** Notes when the answer stays unknown. */
  readonly record: RunRecord;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What a claimed drift detection found; empty if unknown. Never rejects. */
export async function driftOfClaim({
  end: { outcome },
  deploymentId,
  identity,
  deployments,
  record,
  clock,
  signal,
}: DriftSources): Promise<DriftResult> {
  if (identity === undefined || !ranToItsEnd(outcome)) return {};

  const name = { stack: identity, deploymentId };
  const result =
    deployments === undefined
      ? {}
      : await driftFound((asking) => deployments.driftRun(name, asking), { clock, signal });
  if (result.drift === undefined) {
    const advice = deployments === undefined ? ' Set access_token to let it ask Pulumi Cloud.' : '';
    record.notice('info', `${driftUnknown(stackText(identity))}${advice}`);
  }

  return result;
}
