import type { ListedDeployment } from '../../cloud/organization.ts';
import type { StartedDeployment } from '../../record/plan-report.ts';

/** Stacks that a sentence names. */
const MOST_NAMES = 5;

/** A sentence for started deployments that are listed as another pool's, or as nobody's; undefined when there is none. */
export function elsewhere(
  started: readonly StartedDeployment[],
  listed: ReadonlyMap<string, ListedDeployment>,
  poolId: string,
): string | undefined {
  const stacks = started
    .filter(({ deploymentId }) => (listed.get(deploymentId)?.poolId ?? '') !== poolId && listed.has(deploymentId))
    .map(({ stack }) => stack);
  if (stacks.length === 0) return undefined;
  const more = stacks.length > MOST_NAMES ? ` and ${stacks.length - MOST_NAMES} more` : '';
  const some = `${stacks.slice(0, MOST_NAMES).join(', ')}${more}`;
  return `The deployments of ${some} are not for pool ${poolId}: choose it in their stacks' settings under Settings → Deploy.`;
}
