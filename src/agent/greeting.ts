import type { PoolApi } from '../cloud/deployments.ts';
import type { Outage } from '../cloud/outage.ts';

export interface GreetingSources {
  readonly pool: Pick<PoolApi, 'bootstrap'>;
  /** Ends it. */
  readonly drain: AbortSignal;
  readonly outage: Outage;
}

/** Says what Pulumi's own agent says before it polls. Nothing depends on the answers. Never rejects. */
export async function greet({ pool, drain, outage }: GreetingSources): Promise<void> {
  try {
    await pool.bootstrap(drain);
    outage.over();
  } catch (error) {
    if (!drain.aborted) outage.failed(error);
  }
}
