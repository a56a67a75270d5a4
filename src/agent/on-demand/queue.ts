import type { Clock } from '../../clock.ts';
import type { OrganizationApi } from '../../cloud/organization.ts';
import type { DeploymentLoad, ListedDeployment } from '../../cloud/organization-wire.ts';
import { messageOf } from '../../outcome.ts';
import type { StartedDeployment } from '../../record/deployment.ts';
import type { Log } from '../logging/log-line.ts';

/** Pages of the organization's deployments that are read at most, of 100 each. */
const MOST_PAGES = 30;
/** Nothing waits longer: Pulumi Cloud then skips it (protocol section 2). An hour more, for clocks. */
const LONGEST_QUEUED_MS = (7 * 24 + 1) * 3_600_000;
/** Stacks that a sentence names. */
const MOST_NAMES = 5;
/** The most jobs that GitHub takes in a matrix (its reference of `jobs.<id>.strategy.matrix`). */
export const MOST_JOBS = 256;

export interface Queue {
  /** By ID: what Pulumi Cloud lists, of any pool and status, as far as it was read. */
  readonly listed: ReadonlyMap<string, ListedDeployment>;
  /** The deployments that wait for the pool. */
  readonly waiting: readonly ListedDeployment[];
  /** False when older deployments may wait as well. */
  readonly complete: boolean;
}

/** The pool's queue, from all the organization's deployments, newest first, until `expected` wait in all pools or no older one can. Throws OutcomeError. */
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

/** Those of the started deployments that are listed as another pool's, or as no pool's. */
export function misplaced(
  started: readonly StartedDeployment[],
  listed: ReadonlyMap<string, ListedDeployment>,
  poolId: string,
): readonly StartedDeployment[] {
  return started.filter(({ deploymentId }) => {
    const deployment = listed.get(deploymentId);
    return deployment !== undefined && (deployment.poolId ?? '') !== poolId;
  });
}

/** What to do about a deployment that no agent of this pool will run. */
export const CHOOSE_POOL = "choose it in the stack's Settings → Deploy, as Deployment runner pool";

/** Says which deployments are not the pool's, and `what` follows. */
export function misplacedSentence(deployments: readonly StartedDeployment[], poolId: string, what: string): string {
  const some = stacksOf(deployments);
  const are = deployments.length === 1 ? `deployment of ${some} is` : `deployments of ${some} are`;
  return `The ${are} not for pool ${poolId}: ${what}.`;
}

/** The deployments' stacks, or the first of them and how many there are besides. */
export function stacksOf(deployments: readonly { readonly stack: string }[]): string {
  const more = deployments.length > MOST_NAMES ? ` and ${deployments.length - MOST_NAMES} more` : '';
  const names = deployments.slice(0, MOST_NAMES).map(({ stack }) => stack);
  return `${names.join(', ')}${more}`;
}

export interface PlanLimits {
  /** Deployments that wait for the pool. */
  readonly queued: number;
  readonly max: number;
  /** The most deployments of the organization that run at a time, and how many do; unknown where Pulumi Cloud doesn't tell. */
  readonly concurrency?: number | undefined;
  readonly busy?: number | undefined;
  readonly paused?: boolean | undefined;
}

/** How many jobs to start for what is queued, no more than can run; `reason` is a clause that says why there are fewer than deployments. */
export function planSize({ queued, max, concurrency, busy = 0, paused }: PlanLimits): {
  readonly count: number;
  readonly reason?: string;
} {
  const free = concurrency === undefined ? Number.POSITIVE_INFINITY : Math.max(0, concurrency - busy);
  const limits: [number, string][] = [
    [paused === true ? 0 : Number.POSITIVE_INFINITY, "the organization's deployments are paused"],
    [free, `the organization runs ${concurrency} at a time, and ${busy} run`],
    [max, `no more than ${max} were asked for`],
    [MOST_JOBS, `GitHub takes ${MOST_JOBS} jobs in a matrix`],
  ];
  const [most, reason] = limits.reduce((least, limit) => (limit[0] < least[0] ? limit : least));
  return most < queued ? { count: most, reason } : { count: queued };
}

/** Milliseconds for an answer. */
const ADVICE_MS = 10_000;

export interface AdviceOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** What is good to know and not needed: `ask` has ten seconds. Undefined where `what`, as the log calls it, can't be had. Throws the signal's reason alone. */
export async function advice<T>(
  what: string,
  ask: (signal: AbortSignal) => Promise<T>,
  { clock, log, signal }: AdviceOptions,
): Promise<T | undefined> {
  const [over, late] = [new AbortController(), new AbortController()];
  const expire = () => late.abort(new Error(`no answer within ${ADVICE_MS / 1000} s`));
  void clock.sleep(ADVICE_MS, over.signal).then(expire, () => undefined);
  try {
    return await ask(AbortSignal.any([signal, late.signal]));
  } catch (error) {
    signal.throwIfAborted();
    log('warning', `${what} can't be read, and nothing depends on it: ${messageOf(error)}`);
    return undefined;
  } finally {
    over.abort();
  }
}

/** How an organization's deployments stand, as advice. */
export function readLoad(
  api: Pick<OrganizationApi, 'load'>,
  organization: string,
  options: AdviceOptions,
): Promise<DeploymentLoad | undefined> {
  return advice(`The load of ${organization}`, (signal) => api.load(organization, signal), options);
}
