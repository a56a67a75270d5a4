import { globSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { PulumiCloud } from '../emulators/pulumi-cloud/server.ts';
import { AUDIENCE, trust } from '../support/cloud/id-token.ts';
import { testImage } from '../support/docker/images.ts';
import { read } from '../support/documents/pages.ts';
import { jobResults, useAct } from '../support/e2e/act.ts';

const POOL = { id: 'pool-1', name: 'private-network' };
const STACKS = ['network', 'web'].map((project) => ({ project, stack: 'prod' }));

const act = useAct('examples');
let cloud: PulumiCloud;
let job: unknown;

beforeAll(async () => {
  const { directory, github, repository, tree } = act;
  for (const path of globSync('examples/workflows/*.yml', { cwd: tree }))
    await writeFile(
      join(tree, path),
      read(path).replaceAll('<pool ID>', POOL.id).replace('trigger-jitter: 10m', 'trigger-jitter: 0s'),
    );
  // A stub for AWS's action.
  await mkdir(join(directory, 'aws'));
  const aws = 'name: aws\nruns: { using: composite, steps: [{ run: exit, shell: sh }] }\n';
  await writeFile(join(directory, 'aws/action.yml'), aws);
  cloud = await PulumiCloud.start({ organization: 'acme', pools: [POOL] });
  const rules = { aud: AUDIENCE, repository };
  const runner = { decision: 'allow', tokenType: 'runner', runnerID: POOL.id, rules } as const;
  trust(cloud, github.issuer, runner, { decision: 'allow', tokenType: 'organization', rules });
  const image = { reference: await testImage('job') };
  job = { image, steps: [{ name: 'Setup' }, { name: 'pulumi', run: 'echo done' }] };
  for (const stack of STACKS) cloud.defineStack({ ...stack, poolId: POOL.id, job });
}, 300_000);
afterAll(() => cloud?.stop());

/** AWS's action as deploy.yml pins it. */
const [AWS = ''] =
  read('examples/workflows/deploy.yml').match(/aws-actions\/configure-aws-credentials@\S+/) ?? [];

/** Runs a workflow of the repository, as its event would. */
const example = (path: string, event: 'schedule' | 'workflow_dispatch') =>
  act.run({
    home: path,
    workflow: `${path}.yml`,
    event,
    repositories: {
      'org/pulumi-runner-action@<commit>': act.tree,
      [AWS]: join(act.directory, 'aws'),
    },
    env: { PULUMI_AGENT_SERVICE_URL: cloud.url, PULUMI_AGENT_PULL_IMAGE: 'false' },
  });

const ended = () => cloud.deployments.map(({ operation, status }) => `${operation} ${status}`);

const planned = (name: string) => [`${name} success`, `${name} success`, 'plan success'];

it.each([
  ['deploy', 'workflow_dispatch', ['deploy success'], ['update succeeded']],
  ['matrix', 'schedule', planned('deploy'), ['update succeeded', 'update succeeded']],
  ['matrix', 'schedule', ['plan success'], []],
  ['drift', 'schedule', planned('drift'), ['detect-drift succeeded', 'detect-drift succeeded']],
  ['drift-one-by-one', 'schedule', ['drift success'], ['detect-drift succeeded', 'detect-drift succeeded']],
  [
    'approved',
    'workflow_dispatch',
    ['preview success', 'update success'],
    ['preview succeeded', 'update succeeded'],
  ],
] as const)(
  '%s runs with our pool on %s: %j',
  { timeout: 200_000 },
  async (name, event, jobs, deployments) => {
    const path = `examples/workflows/${name}`;
    const before = cloud.deployments.length;
    if (name === 'deploy' || name === 'matrix')
      for (const stack of STACKS.slice(0, deployments.length))
        cloud.enqueue({ ...stack, poolId: POOL.id, job });
    const run = await example(path, event);
    expect(run.code, run.transcript).toBe(0);
    expect(jobResults(run)).toEqual(jobs);
    expect(ended().slice(before)).toEqual(deployments);
    const claims = cloud.deployments.slice(before).map(({ claimedBy }) => claimedBy);
    // One step claims one after the other, the jobs of a matrix one each.
    expect(new Set(claims).size).toBe(name === 'drift-one-by-one' ? 1 : deployments.length);
  },
);

it('approved.yml updates nothing once the stack has changed since its preview', {
  timeout: 200_000,
}, async () => {
  const before = cloud.deployments.length;
  const running = example('examples/workflows/approved', 'workflow_dispatch');
  await cloud.waitFor(() => cloud.deployments[before]?.status === 'running', 120_000);
  const stack = cloud.stacks.find({ project: 'web', stack: 'prod' });
  if (stack === undefined) throw new Error('Failed to find the stack web/prod.');
  const update = cloud.stacks.plan(stack, { kind: 'update', dryRun: false, message: '' });
  cloud.stacks.begin(stack, update);
  cloud.stacks.end(stack, update, 'succeeded');
  const run = await running;
  expect(jobResults(run)).toEqual(['preview success', 'update failure']);
  expect(run.transcript).toContain(
    'Failed to start update for acme/web/prod at version 0: it has version 1.',
  );
  expect(ended().slice(before)).toEqual(['preview succeeded']);
});

it('called.yml keeps its own limits for a caller that asks for others', { timeout: 200_000 }, async () => {
  // Like a caller whose author asks for more than the called workflow's lists have.
  const ours = { '<pool ID>': POOL.id, 'https://api.pulumi.com': cloud.url, 'pulumi/*': "'**'" };
  const called = Object.entries(ours).reduce(
    (text, [shown, used]) => text.replace(`: ${shown}\n`, `: ${used}\n`),
    read('examples/workflows/called.yml').replace(', private-network]', ']'),
  );
  const hostile = { memory: '64Gi', 'max-wait': '99h', stack: 'acme/web/prod' };
  const caller = parse(read('examples/workflows/caller.yml'));
  Object.assign(caller.jobs.deploy.with, hostile);
  await writeFile(join(act.tree, '.github/workflows/pulumi-deployment.yml'), called);
  await writeFile(join(act.tree, 'examples/workflows/hostile.yml'), stringify(caller));

  const before = cloud.deployments.length;
  const limit =
    'cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null || true';
  const image = { reference: await testImage('job') };
  const shown = { image, steps: [{ name: 'Setup' }, { name: 'pulumi', run: limit }] };
  cloud.enqueue({ project: 'network', stack: 'prod', poolId: POOL.id, job: shown });
  const run = await example('examples/workflows/hostile', 'workflow_dispatch');
  expect(run.code, run.transcript).toBe(0);
  expect(jobResults(run)).toEqual(['deploy success']);
  const [deployment, ...others] = cloud.deployments.slice(before);
  expect(others).toEqual([]);
  expect(deployment?.status).toBe('succeeded');
  expect(JSON.stringify(deployment?.steps.map(({ lines }) => lines))).toContain(String(4 * 1024 ** 3));
});
