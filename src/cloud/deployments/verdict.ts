import type { ErrorCode } from '../../base/error-codes.ts';
import { clause, messageOf, OUTCOME_NAMES, type Verdict } from '../../base/outcome.ts';
import { counted } from '../../base/quantity.ts';
import type { OwnDeployment } from '../../record/deployment.ts';
import type { DeploymentApi, DeploymentName } from '../deployment-api.ts';
import type { DeploymentView } from '../deployment-wire.ts';
import { type AskOptions, askPatiently } from './ask.ts';
import { failedElsewhere, timedOut } from './errors.ts';
import { stacksOf } from './queue.ts';

/**
 * The time in the queue after which Pulumi Cloud skips a deployment whatever comes after it (its
 * SDK, GetDeploymentResponse.Status), less an hour, as the exact minute is unknown.
 */
const QUEUED_TOO_LONG_MS = (7 * 24 - 1) * 3_600_000;

/**
 * The verdict on a run's own deployments: `succeeded` if all did; `skipped` if the others were, for
 * newer ones; else that of the failed ones' which is first in the table of outcomes.
 */
export function ownVerdict(
  deployments: readonly OwnDeployment[],
  isInterrupted: boolean,
  timeoutMs: number,
): Verdict {
  const open = deployments.filter(({ outcome }) => outcome === undefined);
  const skipped = deployments.filter(({ outcome }) => outcome === 'skipped');
  const red = deployments.filter(
    ({ outcome }) => outcome !== undefined && outcome !== 'succeeded' && outcome !== 'skipped',
  );

  if (open.length > 0) {
    const standing = `${stacksOf(open)} ${standingOf(open)}.`;
    if (isInterrupted)
      return {
        outcome: 'interrupted',
        code: 'PRA-JOB-05',
        message: `The CI job interrupted the run: ${standing}`,
      };

    return timedOut(timeoutMs, standing);
  }

  const [worst] = red.toSorted((one, other) => rank(one) - rank(other));
  if (worst?.outcome === undefined) {
    const [first] = skipped;
    if (first !== undefined)
      return { outcome: 'skipped', message: skippedSentence(first, skipped, deployments) };
    const which = deployments.length === 1 ? 'The deployment' : `All ${deployments.length} deployments`;
    return { outcome: 'succeeded', message: `${which} succeeded.` };
  }

  const code = worst.code as ErrorCode | undefined;
  const { outcome, message = 'It did not succeed.' } = worst;
  const verdict = { outcome, code };
  if (deployments.length === 1) return { ...verdict, message };

  const failed = `${red.length} of ${counted(deployments.length, 'deployment')} did not succeed: ${stacksOf(red)}`;
  return { ...verdict, message: `${failed}. ${worst.stack}: ${message}` };
}

function skippedSentence(
  { message = '' }: OwnDeployment,
  skipped: readonly OwnDeployment[],
  all: readonly OwnDeployment[],
): string {
  if (all.length === 1) return message;
  const which = `${skipped.length} of ${all.length} deployments for newer ones: ${stacksOf(skipped)}`;
  return `Pulumi Cloud skipped ${which}.${skipped.length < all.length ? ' The others succeeded.' : ''}`;
}

/**
 * True if one of them found drift, false if all of them found none, undefined if that isn't known.
 */
export function driftOf(deployments: readonly OwnDeployment[]): boolean | undefined {
  const drifts = deployments.map(({ drift }) => drift);
  return drifts.includes(true) ? true : drifts.every((drift) => drift === false) ? false : undefined;
}

function rank({ outcome }: OwnDeployment): number {
  return outcome === undefined ? 0 : OUTCOME_NAMES.indexOf(outcome);
}

/** The states of the deployments that have not ended. */
function standingOf(open: readonly OwnDeployment[]): string {
  const waiting = open.filter(({ state }) => state === 'waiting').length;
  const running = open.length - waiting;
  if (waiting === 0) return running === 1 ? 'still runs' : 'still run';
  if (running === 0) return waiting === 1 ? 'still waits' : 'still wait';
  return `still wait (${waiting}) or run (${running})`;
}

/** The verdict on a deployment that another agent ran, or that was cancelled before. */
export function elsewhereVerdict(
  { stack, operation }: OwnDeployment,
  { status, steps }: DeploymentView,
): Verdict {
  if (status === 'succeeded') return { outcome: 'succeeded', message: 'Every step succeeded.' };

  const last =
    steps.find(({ status }) => status === 'failed') ??
    steps.findLast((step) => step.status !== 'not-started');
  const where = last === undefined ? 'before its first step' : `in ${last.name}`;

  return failedElsewhere(operation, stack, `Pulumi Cloud calls it ${status}, ${where}`);
}

/**
 * The verdict on a deployment that Pulumi Cloud skipped: `skipped` if a newer one of its stack and
 * operation is listed, as skipIntermediateDeployments wants; `failed` after seven days in the queue,
 * and where that can't be told. Throws only the signal's reason.
 */
export async function skippedVerdict(
  { stack: name }: DeploymentName,
  { stack, operation, version: ownVersion }: OwnDeployment,
  { createdAt, version = ownVersion }: DeploymentView,
  { api, clock, signal }: Omit<AskOptions, 'log'> & { readonly api: Pick<DeploymentApi, 'newestOf'> },
): Promise<Verdict> {
  const red = (why: string) => failedElsewhere(operation, stack, `Pulumi Cloud skipped it${why}`);

  try {
    const { deployments, serverTime } = await askPatiently(() => api.newestOf(name, signal), {
      clock,
      signal,
    });
    const queuedMs = (serverTime ?? clock.now()) - createdAt;
    if (Number.isNaN(queuedMs)) return red(' after a time in the queue that it does not tell');
    if (queuedMs >= QUEUED_TOO_LONG_MS) return red(' after seven days in the queue');

    const newer = deployments.find(
      (each) =>
        each.pulumiOperation === operation &&
        (version === undefined || each.version === undefined
          ? each.createdAt > createdAt
          : each.version > version),
    );
    if (newer === undefined) return red(', and lists no newer one');

    const which = newer.version === undefined ? newer.id : `version ${newer.version}`;
    const message = `Pulumi Cloud skipped the ${operation} of ${stack} for a newer one, ${which}.`;
    return { outcome: 'skipped', message };
  } catch (error) {
    signal.throwIfAborted();
    return red(`; it is unknown whether that was for a newer one: ${clause(messageOf(error))}`);
  }
}
