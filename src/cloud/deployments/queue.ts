import { counted } from '../../base/quantity.ts';
import type { StartedDeployment } from '../../record/deployment.ts';
import type { OrganizationApi } from '../organization-api.ts';
import type { DeploymentLoad, ListedDeployment } from '../organization-wire.ts';
import { type AskOptions, askBriefly } from './ask.ts';

/** The most pages to read of the organization's deployments, 100 on each. */
const MAX_PAGES = 30;

/**
 * Until Pulumi Cloud skips a waiting deployment (protocol section 2), and an hour for clock skew.
 */
const LONGEST_QUEUED_MS = (7 * 24 + 1) * 3_600_000;

/** The most stacks that a sentence names. */
const MAX_NAMES = 5;

/** The most jobs that GitHub allows in a matrix (its reference of `jobs.<id>.strategy.matrix`). */
export const MAX_JOBS = 256;

/** The status of a deployment that no agent has claimed. */
const WAITING = 'not-started';

export interface Queue {
  /**
   * By ID: the deployments that Pulumi Cloud lists, of any pool and status, as far as they were
   * read.
   */
  readonly listed: ReadonlyMap<string, ListedDeployment>;
  /** Those for the pool that an agent can claim now, the newest first. */
  readonly waiting: readonly ListedDeployment[];
  /** Those for the pool whose stacks are paused. */
  readonly paused: readonly ListedDeployment[];
  /** Those for the pool behind another deployment of their stack: one of a stack runs at a time. */
  readonly behind: readonly ListedDeployment[];
  /** Work for the pool that isn't a deployment, or not one that this version knows. */
  readonly others: readonly ListedDeployment[];
  /** False when older deployments may be waiting too. */
  readonly complete: boolean;
}

/**
 * Reads the pool's queue from all of the organization's deployments, newest first, until `expected`
 * are found waiting across all pools or no older one can be. Throws OutcomeError.
 */
export async function readQueue(
  { organization, poolId, expected }: { organization: string; poolId: string; expected: number | undefined },
  api: { deployments: OrganizationApi['deployments'] },
  { now, signal }: { now: () => number; signal: AbortSignal },
): Promise<Queue> {
  const listed = new Map<string, ListedDeployment>();
  const waits = ({ status }: ListedDeployment) => status === WAITING;
  let complete = false;
  let received = 0;

  for (let page = 1; page <= MAX_PAGES && !complete; page += 1) {
    const { deployments, total, serverTime } = await api.deployments(organization, page, signal);

    // A page can hold fewer than requested.
    received += deployments.length;

    // New deployments shift the pages: some may be seen twice.
    for (const deployment of deployments) listed.set(deployment.id, deployment);

    const waitingCount = [...listed.values()].filter(waits).length;
    const oldest = deployments.at(-1)?.createdAt ?? Number.NaN;

    complete =
      deployments.length === 0 ||
      (total !== undefined && received >= total) ||
      (expected !== undefined && waitingCount >= expected) ||
      oldest < (serverTime ?? now()) - LONGEST_QUEUED_MS;
  }

  return {
    listed,
    ...standingOf(
      [...listed.values()].filter((each) => LIVE.has(each.status)),
      poolId,
    ),
    complete,
  };
}

/** Statuses of deployments that have not ended. */
const LIVE: ReadonlySet<string> = new Set([WAITING, 'accepted', 'running']);

/** Sorts the pool's waiting deployments by what keeps them; `live` are those of all pools, the newest first. */
function standingOf(live: readonly ListedDeployment[], poolId: string) {
  const waiting: ListedDeployment[] = [];
  const paused: ListedDeployment[] = [];
  const behind: ListedDeployment[] = [];
  const others: ListedDeployment[] = [];
  const taken = new Set(
    live.filter(({ status, kind }) => status !== WAITING && kind === undefined).map(stackOf),
  );

  for (const each of live.toReversed()) {
    if (each.status !== WAITING) continue;
    if (each.kind !== undefined) {
      if (each.poolId === poolId) others.unshift(each);
      continue;
    }
    const stack = stackOf(each);
    const list = each.paused ? paused : taken.has(stack) ? behind : waiting;
    if (!each.paused) taken.add(stack);
    if (each.poolId === poolId) list.unshift(each);
  }

  return { waiting, paused, behind, others };
}

/** A deployment's stack; its ID where the service doesn't name one. */
function stackOf({ id, projectName, stackName }: ListedDeployment): string {
  return projectName === undefined || stackName === undefined ? id : `${projectName}/${stackName}`;
}

/** A sentence on deployments that wait and get no job; undefined if there are none. */
export function heldSentence({
  paused,
  behind,
  others = [],
}: Pick<Queue, 'paused' | 'behind'> & Partial<Pick<Queue, 'others'>>): string | undefined {
  const parts = [
    paused.length > 0 &&
      `${counted(paused.length, 'deployment')} of paused stacks (${stacksOf([...new Set(paused.map(stackOf))].map((stack) => ({ stack })))})`,
    behind.length > 0 && `${counted(behind.length, 'deployment')} behind another of the same stack`,
    others.length > 0 &&
      `${others.length} of another kind than deployments (${[...new Set(others.map(({ kind }) => kind))].slice(0, MAX_NAMES).join(', ')})`,
  ].filter((part) => part !== false);
  if (parts.length === 0) return undefined;
  const next = behind.length > 0 ? '; a job that still waits takes the next one of its stack' : '';
  return `Not counted: ${parts.join(', and ')}${next}.`;
}

/** The started deployments that are listed for another pool, or for none. */
export function misplaced(started: readonly StartedDeployment[], listed: Queue['listed'], poolId: string) {
  return started.filter(({ deploymentId }) => {
    const deployment = listed.get(deploymentId);
    return deployment !== undefined && (deployment.poolId ?? '') !== poolId;
  });
}

/** The remedy for a deployment that no agent of this pool will run. */
export const CHOOSE_POOL = "choose it in the stack's Settings → Deploy, as Deployment runner pool";

/** A sentence that names the deployments not meant for the pool, and ends in `what`. */
export function misplacedSentence(
  deployments: readonly StartedDeployment[],
  poolId: string,
  what: string,
): string {
  const some = stacksOf(deployments);
  const are = deployments.length === 1 ? `deployment of ${some} is` : `deployments of ${some} are`;
  return `The ${are} not for pool ${poolId}: ${what}.`;
}

/** The deployments' stacks, or the first few and the number of the others. */
export function stacksOf(deployments: readonly { readonly stack: string }[]): string {
  const rest = deployments.length > MAX_NAMES ? ` and ${deployments.length - MAX_NAMES} more` : '';
  const names = deployments.slice(0, MAX_NAMES).map(({ stack }) => stack);
  return `${names.join(', ')}${rest}`;
}

/**
 * How many jobs to start for the `queued` deployments, no more than can run by the organization's load, as far as
 * Pulumi Cloud reports it; the clause `reason` says why fewer than queued.
 */
export function planSize({
  queued,
  max,
  concurrency,
  busy = 0,
  paused,
}: Partial<Omit<DeploymentLoad, 'queued'>> & { readonly queued: number; readonly max: number }) {
  const free = concurrency === undefined ? Number.POSITIVE_INFINITY : Math.max(0, concurrency - busy);
  const limits: [number, string][] = [
    [paused === true ? 0 : Number.POSITIVE_INFINITY, "the organization's deployments are paused"],
    [free, `the organization runs ${concurrency} at a time, and ${busy} run`],
    [max, `no more than ${max} were asked for`],
    [MAX_JOBS, `GitHub allows ${MAX_JOBS} jobs in a matrix`],
  ];

  const [most, reason] = limits.reduce((least, limit) => (limit[0] < least[0] ? limit : least));

  return most < queued ? { count: most, reason } : { count: queued };
}

/** The load of an organization's deployments, as advice. */
export function readLoad(api: OrganizationApi, organization: string, options: AskOptions) {
  return askBriefly(`The load of ${organization}`, (signal) => api.load(organization, signal), options);
}
