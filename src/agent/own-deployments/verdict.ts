import type { ErrorCode } from '../../error-codes.ts';
import { clause, OUTCOME_NAMES, type Verdict } from '../../outcome.ts';
import { counted } from '../../quantity.ts';
import type { OwnDeployment } from '../../record/deployment.ts';

/** Deployments that a sentence names. */
const MOST_NAMES = 5;

/**
 * How a run ended that answers for the deployments that it started: `succeeded` when all did, else the outcome of one that did not,
 * the first by the order of the table of outcomes. `cut` is why it stopped following those that had not ended.
 */
export function ownVerdict(deployments: readonly OwnDeployment[], cut: Verdict | undefined): Verdict {
  const open = deployments.filter(({ outcome }) => outcome === undefined);
  const red = deployments.filter(({ outcome }) => outcome !== undefined && outcome !== 'succeeded');
  if (open.length > 0 && cut !== undefined) {
    return { ...cut, message: `${clause(cut.message)}: ${namesOf(open)} ${standing(open)}.` };
  }
  const [worst] = red.toSorted((one, other) => rank(one) - rank(other));
  if (worst?.outcome === undefined) {
    const which = deployments.length === 1 ? 'The deployment' : `All ${deployments.length} deployments`;
    return { outcome: 'succeeded', message: `${which} succeeded.` };
  }
  const code = worst.code as ErrorCode | undefined;
  const { outcome, message = 'It did not succeed.' } = worst;
  const verdict = { outcome, ...(code !== undefined && { code }) };
  if (deployments.length === 1) return { ...verdict, message };
  const failed = `${red.length} of ${counted(deployments.length, 'deployment')} did not succeed: ${namesOf(red)}`;
  return { ...verdict, message: `${failed}. ${worst.stack}: ${message}` };
}

function rank({ outcome }: OwnDeployment): number {
  return outcome === undefined ? 0 : OUTCOME_NAMES.indexOf(outcome);
}

function namesOf(deployments: readonly OwnDeployment[]): string {
  const more = deployments.length > MOST_NAMES ? ` and ${deployments.length - MOST_NAMES} more` : '';
  const names = deployments.slice(0, MOST_NAMES).map(({ stack }) => stack);
  return `${names.join(', ')}${more}`;
}

/** What those that have not ended still do. */
function standing(open: readonly OwnDeployment[]): string {
  const waiting = open.filter(({ state }) => state === 'waiting').length;
  const running = open.length - waiting;
  if (waiting === 0) return running === 1 ? 'still runs' : 'still run';
  if (running === 0) return waiting === 1 ? 'still waits' : 'still wait';
  return `still wait (${waiting}) or run (${running})`;
}
