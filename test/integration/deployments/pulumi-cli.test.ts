import { expect, it } from 'vitest';
import { DeploymentApi } from '../../../src/cloud/deployment-api.ts';
import { changesBy, updatesIn } from '../../../src/cloud/deployment-wire.ts';
import { ORGANIZATION, StaticToken } from '../../../src/cloud/token.ts';
import { agentOf } from '../../support/agent/cloud-agent.ts';
import { cloudHttp } from '../../support/cloud/cloud-http.ts';
import { HEADERS } from '../../support/emulators/model-calls.ts';
import { pulumiCli } from '../../support/pulumi/cli.ts';

const STACK = 'acme/network/prod';

/** An emulated Pulumi Cloud with an agent, and the CLI that made one stack of its own there. */
async function scene(seconds = 0) {
  const scene = await agentOf();
  const cli = await pulumiCli(scene.cloud, { seconds });
  await cli.output('stack', 'init', STACK);
  const variables = { ...cli.environment, PULUMI_API: scene.cloud.url };
  const start = (operation: string, ...flags: string[]) => [
    ...['deployment', 'run', operation, cli.repository, '--git-branch', 'main', '--stack', STACK],
    ...['--inherit-settings=false', '--env-secret', `PULUMI_ACCESS_TOKEN=${scene.cloud.userToken}`],
    ...Object.entries(variables).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ...flags,
  ];
  return { ...scene, cli, start };
}

it('a deployment that `pulumi deployment run` starts is run by the agent, and shown by `get`, `list` and `log`', async () => {
  const { agent, cloud, cli, start, result } = await scene();
  const flags = ['--agent-pool-id', 'pool-1', '--pre-run-command', 'echo ready'];
  expect(await cli.output(...start('update', ...flags))).toContain('/acme/network/prod/deployments/1');
  const [deployment] = cloud.deployments;
  const { id = '' } = deployment ?? {};
  const json = async (...args: string[]) =>
    JSON.parse(await cli.output('deployment', ...args, '--stack', STACK, '--output', 'json'));
  expect(await json('get', '1')).toMatchObject({ id, status: 'not-started', jobs: [], updates: [] });
  await agent.run();
  const log = await cli.output('deployment', 'log', id, '--all', '--stack', STACK);
  expect((await result())?.outcome, log).toBe('succeeded');
  const got = await json('get', id);
  expect(got).toMatchObject({ status: 'succeeded', version: 1, pulumiOperation: 'update' });
  expect(
    got.jobs[0].steps.map(({ name, status }: { name: string; status: string }) => `${name} ${status}`),
  ).toEqual([
    'Setup succeeded',
    'Get source succeeded',
    'Pre-run command 1 succeeded',
    'pulumi update succeeded',
  ]);
  expect(log).toMatch(/\[Pre-run command 1\]\nready\n\[pulumi update\]\n/);
  expect(log).toContain('+ 3 created');
  expect(await cli.output('deployment', 'log', '#1', '--job', '0', '--step', '2', '--stack', STACK)).toBe(
    'ready\n',
  );
  expect(await cli.output('deployment', 'list', '--stack', STACK)).toMatch(/update.*succeeded/i);
  expect(cloud.stacks.find({ project: 'network', stack: 'prod' })).toMatchObject({
    active: undefined,
    updates: [{ kind: 'update', status: 'succeeded' }],
  });
});

it('`pulumi deployment run` shows its update live', async () => {
  const { agent, cli, start } = await scene(2);
  const watching = cli.run(start('update', '--agent-pool-id', 'pool-1', '--suppress-stream-logs=false'));
  await agent.run();
  const { code, stdout, stderr } = await watching;
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/Get source:.*pulumi update:.*tempo:index:Work first created.*\+ 3 created/s);
});

it('the changes that Pulumi Cloud reports are the CLI’s, and an unchanged stack has no drift', async () => {
  const { agent, cloud, cli, start } = await scene();
  const changes = async (operation: string, by: Pick<typeof agent, 'run'>) => {
    await cli.output(...start(operation, '--agent-pool-id', 'pool-1'));
    await by.run();
    const { id = '', status } = cloud.deployments.at(-1) ?? {};
    const answer = await fetch(`${cloud.url}/api/stacks/${STACK}/deployments/${id}/updates`, {
      headers: { ...HEADERS, authorization: `token ${cloud.userToken}` },
    });
    return { status, changes: changesBy(updatesIn(await answer.json())) };
  };
  expect(await changes('update', agent)).toEqual({ status: 'succeeded', changes: { create: 3 } });
  for (const [operation, found] of [
    ['detect-drift', { same: 3 }],
    ['preview', { same: 3 }],
    ['destroy', { delete: 3 }],
  ] as const) {
    const next = await agentOf({ cloud });
    expect(await changes(operation, next.agent), operation).toEqual({ status: 'succeeded', changes: found });
  }
});

it('a drift detection by the CLI says what drifted, in the agent’s record', async () => {
  const { agent, cloud, cli, start } = await scene();
  await cli.output(...start('update', '--agent-pool-id', 'pool-1'));
  await agent.run();
  const drifted = ['--env', 'TEMPO_CHANGED=first', '--env', 'TEMPO_LOST=slow'];
  await cli.output(...start('detect-drift', '--agent-pool-id', 'pool-1', ...drifted));
  const access = new StaticToken(cloud.createOrganizationToken(), ORGANIZATION);
  const deployments = new DeploymentApi(cloudHttp(cloud.url), access);
  const next = await agentOf({ cloud, options: { deployments } });
  await next.agent.run();
  const detection = cloud.deployments.at(-1);
  const id = `run-${detection?.id}`;
  expect(await next.result(), JSON.stringify(detection?.steps.at(-1)?.lines)).toMatchObject({
    ...{ outcome: 'succeeded', drift: true, driftRun: { id, changes: { update: 1, delete: 1 } } },
  });
});

it('`pulumi deployment cancel` ends it while it runs', async () => {
  const { agent, cloud, cli, start, result } = await scene(60);
  await cli.output(...start('update', '--agent-pool-id', 'pool-1'));
  const ending = agent.run();
  const stack = await cloud.waitFor(
    ({ stacks }) => stacks.all.find(({ active }) => active !== undefined),
    40_000,
  );
  const { id = '' } = cloud.deployments[0] ?? {};
  expect(await cli.output('deployment', 'cancel', id, '--yes', '--stack', STACK)).toContain(
    'Cancellation requested',
  );
  await ending;
  expect((await result())?.outcome).toBe('cancelled');
  expect(stack.active).toBeUndefined();
  expect((await cli.run(['deployment', 'cancel', id, '--yes', '--stack', STACK])).stderr).toContain(
    'not found',
  );
});

it('a deployment without `--agent-pool-id` goes to Pulumi’s own runners, even where the stack has a pool', async () => {
  const { cloud, cli } = await scene();
  cloud.defineStack({
    project: 'network',
    stack: 'prod',
    poolId: 'pool-1',
    job: { steps: [{ name: 'Setup' }] },
  });
  const start = ['deployment', 'run', 'preview', '--stack', STACK];
  await cli.output(...start);
  await cli.output(...start, '--agent-pool-id', 'pool-1');
  expect(cloud.deployments.map(({ pool }) => pool.id)).toEqual(['shared', 'pool-1']);
  const { stderr } = await cli.run([...start, '--agent-pool-id', 'pool-9']);
  expect(stderr).toContain("Agent pool 'pool-9' not found");
});
