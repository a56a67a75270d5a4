import type { ErrorCode } from '../../base/error-codes.ts';
import { OUTCOME_NAMES, type Verdict } from '../../base/outcome.ts';
import { counted } from '../../base/quantity.ts';
import type { OwnDeployment } from '../../record/deployment.ts';
import { timedOut } from './errors.ts';
import { stacksOf } from './queue.ts';

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
    const left = `${stacksOf(open)} ${standing(open)}.`;
    if (isInterrupted)
      return {
        outcome: 'interrupted',
        code: 'PRA-JOB-05',
        message: `The CI job interrupted the run: ${left}`,
      };

    return timedOut(timeoutMs, left);
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
  const verdict = { outcome, ...(code !== undefined && { code }) };
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
  const found = deployments.map(({ drift }) => drift);
  return found.includes(true) ? true : found.every((drift) => drift === false) ? false : undefined;
}

function rank({ outcome }: OwnDeployment): number {
  return outcome === undefined ? 0 : OUTCOME_NAMES.indexOf(outcome);
}

/** The states of the deployments that have not ended. */
function standing(open: readonly OwnDeployment[]): string {
  const waiting = open.filter(({ state }) => state === 'waiting').length;
  const running = open.length - waiting;
  if (waiting === 0) return running === 1 ? 'still runs' : 'still run';
  if (running === 0) return waiting === 1 ? 'still waits' : 'still wait';
  return `still wait (${waiting}) or run (${running})`;
}
