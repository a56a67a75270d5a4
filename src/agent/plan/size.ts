/** The most jobs that GitHub takes in a matrix (its reference of `jobs.<id>.strategy.matrix`). */
export const MOST_JOBS = 256;

export interface PlanLimits {
  /** Deployments that wait for the pool. */
  readonly queued: number;
  readonly max: number;
  /** The most deployments of the organization that run at a time, and how many do; unknown where Pulumi Cloud doesn't tell. */
  readonly concurrency?: number | undefined;
  readonly busy?: number | undefined;
  readonly paused?: boolean;
}

export interface PlanSize {
  readonly count: number;
  /** Why there are fewer jobs than deployments, as a clause. */
  readonly reason?: string;
}

/** How many jobs to start for what is queued: no more than can run. */
export function planSize({ queued, max, concurrency, busy, paused }: PlanLimits): PlanSize {
  const free = concurrency === undefined ? Number.POSITIVE_INFINITY : Math.max(0, concurrency - (busy ?? 0));
  const limits: [number, string][] = [
    [paused === true ? 0 : Number.POSITIVE_INFINITY, "the organization's deployments are paused"],
    [free, `the organization runs ${concurrency} at a time, and ${busy ?? 0} run`],
    [max, `no more than ${max} were asked for`],
    [MOST_JOBS, `GitHub takes ${MOST_JOBS} jobs in a matrix`],
  ];
  const [most, reason] = limits.reduce((least, limit) => (limit[0] < least[0] ? limit : least));
  return most < queued ? { count: most, reason } : { count: queued };
}
