import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import type { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';

/** Queues a deployment whose job has these steps, by their names, behind the agent's own. */
export function enqueueSteps(
  cloud: PulumiCloud,
  scripts: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Deployment {
  return cloud.enqueue({
    project: 'network',
    stack: 'dev',
    poolId: 'pool-1',
    job: {
      os: 'linux',
      architecture: 'amd64',
      image: { reference: 'pulumi-runner-test/job:1' },
      shell: 'bash',
      timeout: '5m0s',
      env,
      steps: [{ name: 'Setup', run: '' }, ...Object.entries(scripts).map(([name, run]) => ({ name, run }))],
    },
  });
}
