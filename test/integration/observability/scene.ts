import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { testImage } from '../../support/docker/images.ts';
import { startAgent } from '../../support/e2e/agent-process.ts';
import { definition, POOL } from '../../support/e2e/stage.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

const PROGRAM = join(import.meta.dirname, '../../../src/cli/index.ts');

/** Pulumi Cloud, and an agent from its sources that runs real jobs in Docker. Everything ends with the running test. */
export async function openScene() {
  await testImage('job');
  const home = await temporaryDirectory();
  const cloud = await PulumiCloud.start({ organization: 'acme', pools: [POOL] });
  onTestFinished(() => cloud.stop());
  const token = cloud.createStaticToken(POOL.id);
  const runs = join(home, 'runs');
  return {
    cloud,
    token,
    /** The folder of the agent's run directories; for a single run, its run directory. */
    runs,
    start: (
      settings: Readonly<Record<string, string>> = {},
      environment: Readonly<Record<string, string>> = {},
    ) => {
      const all = {
        TOKEN: token,
        SERVICE_URL: cloud.url,
        POLLING_INTERVAL: '200ms',
        JOB_STATUS_LOOP_INTERVAL: '1s',
        PULL_IMAGE: 'false',
        HTTP_SERVER_PORT: '0',
        RUN_DIRECTORY: runs,
        ...settings,
      };
      const variables = Object.entries(all).map(([key, value]) => [`PULUMI_AGENT_${key}`, value]);
      const own = Object.fromEntries(variables);
      const agent = startAgent({ program: PROGRAM, home, environment: { ...own, ...environment } });
      onTestFinished(async () => {
        agent.child.kill('SIGKILL');
        await agent.ended;
      });
      return agent;
    },
    /** Queues a deployment whose only step is `script`. */
    enqueue: (script: string, stack = 'dev') =>
      cloud.enqueue({ project: 'web', stack, poolId: POOL.id, job: definition({ 'pulumi up': script }) }),
  };
}
