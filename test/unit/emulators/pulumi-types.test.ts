import { describe, expect, it } from 'vitest';
import { agentRoutes } from '../../emulators/pulumi-cloud/agent.ts';
import { exchangeRoute } from '../../emulators/pulumi-cloud/exchange.ts';
import { settingsOf } from '../../emulators/pulumi-cloud/options.ts';
import { DeploymentQueue } from '../../emulators/pulumi-cloud/queue.ts';
import { restRoutes } from '../../emulators/pulumi-cloud/rest.ts';
import { Stacks } from '../../emulators/pulumi-cloud/stacks.ts';
import { TokenStore } from '../../emulators/pulumi-cloud/tokens.ts';
import { CLI, ModelScene } from '../../support/emulators/model-calls.ts';
import { faultsOf, type PulumiType } from '../../support/pulumi-types/types.ts';

const STACK = '/api/stacks/acme/web/dev';
const AGENT = { version: 'v2.2.0', platform: 'linux', hostname: 'ci-1', status: 'online' } as const;
const JOB = { image: 'x', steps: ['Setup', 'pulumi'].map((name) => ({ name, run: 'true' })) };

/** The type of each call's answer, and whether it is a list of them. `:id` is the claimed deployment. */
const TYPES: readonly [path: string, type: PulumiType, isList?: true][] = [
  [`${STACK}/deployments/:id`, 'GetDeploymentResponse'],
  [`${STACK}/deployments/version/1`, 'GetDeploymentResponse'],
  [`${STACK}/deployments?page=1&pageSize=100`, 'ListDeploymentResponseV2'],
  ['/api/orgs/acme/deployments?page=1&pageSize=100', 'ListDeploymentResponseV2'],
  [`${STACK}/deployments/:id/updates`, 'UpdateInfo', true],
  [`${STACK}/deployments/:id/logs?job=0&step=1&offset=0&count=499`, 'DeploymentLogsBase'],
  [`${STACK}/deployments/:id/logs`, 'DeploymentLogsBase'],
  [`${STACK}/deployments/settings`, 'DeploymentSettings'],
  [`${STACK}/deployments/metadata`, 'StackDeploymentsMetadataResponse'],
  [`${STACK}/drift/runs?page=1&pageSize=20`, 'ListDriftRunsResponse'],
  [`${STACK}/drift/status`, 'StackDriftStatus'],
  ['/api/orgs/acme/deployments/metadata', 'OrgDeploymentsMetadataResponse'],
  [STACK, 'AppStack'],
  [`${STACK}/outputs`, 'StackOutputsResponse'],
  ['/api/user/stacks?organization=acme', 'AppListStacksResponse'],
  ['/api/orgs/acme/agent-pools', 'ListAgentPoolsResponse'],
  ['/api/orgs/acme/agent-pools/pool-1', 'AgentPoolDetail'],
];

/** Those that only Pulumi's CLI makes. */
const AS_CLI = new Set([`${STACK}/deployments/version/1`, `${STACK}/deployments/:id/logs`]);

/** Calls whose answers have no type in Pulumi's SDK, and the POST ones that other tests below make. */
const OTHERS = [
  '/api/background-activities/token',
  '/api/background-activities/configuration',
  '/api/agent-workflows/deployment',
  '/api/agent-workflows/:workflow/check',
  // Answered without a body that means anything.
  '/api/stacks/:org/:project/:stack/deployments/:deploymentId/cancel',
  // Below, and in exchange.test.ts.
  '/api/deployments/poll',
  '/api/deployments/:deploymentId/status',
  '/api/capabilities',
  '/api/oauth/token',
];

function parts(operation: string) {
  const pools = [{ id: 'pool-1', name: 'ci', agents: [AGENT] }];
  const scene = new ModelScene({ pools, defaultPoolId: 'pool-1', stackPageSize: 1 });
  const { cloud } = scene;
  const stack = { project: 'web', poolId: 'pool-1', job: JOB };
  cloud.defineStack({ ...stack, stack: 'dev', changes: { create: 2 }, drifts: true });
  cloud.defineStack({ ...stack, stack: 'paused', paused: true });
  const start = (name: string) =>
    scene.call('POST', `/api/stacks/acme/web/${name}/deployments`, cloud.userToken, {
      operation,
      inheritSettings: true,
    });
  return { scene, cloud, start, pool: cloud.createStaticToken('pool-1') };
}

type Parts = ReturnType<typeof parts>;

/** Makes every call of `TYPES`, and expects answers without a fault. */
async function judge({ scene, cloud }: Parts, id: string, isServed = true): Promise<void> {
  for (const [path, type, isList] of TYPES) {
    if (!isServed && path.includes('/logs')) continue;
    const headers = AS_CLI.has(path) ? CLI : {};
    const { status, body } = await scene.call(
      'GET',
      path.replace(':id', id),
      cloud.userToken,
      undefined,
      headers,
    );
    const faults = (isList === true ? (body as unknown[]) : [body]).flatMap((each) => faultsOf(type, each));
    expect({ path, status, faults }).toEqual({ path, status: 200, faults: [] });
  }
}

describe("an answer of the emulated Pulumi Cloud is of Pulumi's own type", () => {
  it.each(['update', 'detect-drift', 'remediate-drift', 'preview', 'refresh', 'destroy'])(
    'at every stage of %s',
    async (operation) => {
      const all = parts(operation);
      const { scene: calls, cloud, start, pool } = all;
      await start('paused');
      const started = await start('dev');
      expect(faultsOf('CreateDeploymentResponse', started.body)).toEqual([]);
      const { id } = started.body as { id: string };
      const claim = await calls.call<{ jobID: string; jobToken: string }>(
        'GET',
        '/api/deployments/poll',
        pool,
      );
      expect(faultsOf('AgentWorkflowDefinition', claim.body)).toEqual([]);
      const { jobID, jobToken } = claim.body;
      const tell = (step: number, status: string) =>
        calls.call('PATCH', `/api/workflow/jobs/${jobID}/${step}/status`, jobToken, { status });
      for (const [step, status] of [
        [0, 'running'],
        [0, 'succeeded'],
        [1, 'running'],
      ] as const)
        await tell(step, status);
      const lines = [{ t: '2026-06-18T10:00:00.123Z', l: 'a\n' }];
      await calls.call('POST', `/api/workflow/jobs/${jobID}/1/logs`, jobToken, { offset: 0, lines });
      await judge(all, id);
      const state = await calls.call('GET', `/api/deployments/${id}/status`, pool);
      expect(faultsOf('JobStatus', state.body)).toEqual([]);
      await tell(1, 'succeeded');
      expect(cloud.deployment(id).status).toBe('succeeded');
      await judge(all, id);
    },
  );

  it('once it skipped a deployment for a newer one', async () => {
    const all = parts('update');
    all.cloud.defineStack({
      project: 'web',
      stack: 'dev',
      poolId: 'pool-1',
      job: JOB,
      skipsIntermediate: true,
    });
    const { id } = (await all.start('dev')).body as { id: string };
    await all.start('dev');
    expect(all.cloud.deployment(id).status).toBe('skipped');
    await judge(all, id, false);
  });

  it('where it names the versions of its API', async () => {
    const { body } = await parts('update').scene.call('GET', '/api/capabilities', '');
    expect(faultsOf('AppCapabilitiesResponse', body)).toEqual([]);
  });

  it('at every call that it answers, but for those that have none', () => {
    const settings = settingsOf({});
    const tokens = new TokenStore();
    const stacks = new Stacks(settings.clock);
    const queue = new DeploymentQueue(settings, tokens, stacks);
    const routes = [
      exchangeRoute(queue, settings, tokens, new Map()),
      ...agentRoutes(queue),
      ...restRoutes(queue, stacks, settings),
    ];
    const named = TYPES.map(([path]) => new URL(path, 'http://x').pathname);
    const isJudged = ({ path }: { path: string }) =>
      OTHERS.includes(path) ||
      named.some((each) => new URLPattern({ pathname: path }).test({ pathname: each }));
    expect(routes.filter((route) => !isJudged(route)).map(({ method, path }) => `${method} ${path}`)).toEqual(
      [],
    );
  });
});
