import type { ListedDeployment, OrganizationApi } from '../../cloud/organization.ts';

/** Pages of the organization's deployments that are read at most, of 100 each. */
const MOST_PAGES = 30;
/** Nothing waits longer: Pulumi Cloud then skips it (protocol section 2). An hour more, for clocks. */
const LONGEST_QUEUED_MS = (7 * 24 + 1) * 3_600_000;

export interface Queue {
  /** By ID: what Pulumi Cloud lists, of any pool and status, as far as it was read. */
  readonly listed: ReadonlyMap<string, ListedDeployment>;
  /** The deployments that wait for the pool. */
  readonly waiting: readonly ListedDeployment[];
  /** False when older deployments may wait as well. */
  readonly complete: boolean;
}

/**
 * The pool's queue, read from the organization's list of all deployments, which is newest first: until as many are found waiting
 * as `expected` in all pools, or no older one can wait. Throws OutcomeError when the list can't be had.
 */
export async function readQueue(
  { organization, poolId, expected }: { organization: string; poolId: string; expected: number | undefined },
  api: Pick<OrganizationApi, 'deployments'>,
  { now, signal }: { now: () => number; signal: AbortSignal },
): Promise<Queue> {
  const listed = new Map<string, ListedDeployment>();
  const waits = ({ status }: ListedDeployment) => status === 'not-started';
  let complete = false;
  let received = 0;
  for (let page = 1; page <= MOST_PAGES && !complete; page += 1) {
    const { deployments, total, serverTime } = await api.deployments(organization, page, signal);
    // A page may have fewer than were asked for.
    received += deployments.length;
    // What came in meanwhile moves the pages: some may be seen twice.
    for (const deployment of deployments) listed.set(deployment.id, deployment);
    const found = [...listed.values()].filter(waits).length;
    const oldest = deployments.at(-1)?.createdAt ?? Number.NaN;
    complete =
      deployments.length === 0 ||
      (total !== undefined && received >= total) ||
      (expected !== undefined && found >= expected) ||
      oldest < (serverTime ?? now()) - LONGEST_QUEUED_MS;
  }
  const waiting = [...listed.values()].filter((each) => waits(each) && each.poolId === poolId);
  return { listed, waiting, complete };
}
