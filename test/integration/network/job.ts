import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import type { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { definition } from '../../support/e2e/stage.ts';

/** Queues a deployment whose job has these steps by name, after the agent's own. */
export function enqueueSteps(cloud: PulumiCloud, scripts: Record<string, string>): Deployment {
  return cloud.enqueue({ project: 'network', stack: 'dev', poolId: 'pool-1', job: definition(scripts) });
}
