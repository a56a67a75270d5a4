import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { Redactor } from '../../../src/base/log/redactor.ts';
import { StackOutputs } from '../../../src/cloud/deployments/stack-outputs.ts';
import { triggerFirst } from '../../../src/cloud/deployments/trigger-first.ts';
import { ORGANIZATION, StaticToken } from '../../../src/cloud/token.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import type { Stack } from '../../emulators/pulumi-cloud/stacks.ts';
import { type AgentOptions, agentOf } from '../../support/agent/cloud-agent.ts';
import { configOf } from '../../support/agent/config-of.ts';
import { cloudHttp } from '../../support/cloud/cloud-http.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';
import { programPath } from '../../support/script.ts';

const NAME = { project: 'network', stack: 'prod' };
const STACK = 'acme/network/prod';

let bin: string;
let cloud: PulumiCloud;
let stack: Stack;

beforeAll(async () => {
  bin = await mkdtemp(join(tmpdir(), 'pulumi-cli-'));
  const folder = await programPath('pulumi');
  const programs = [...['pulumi', 'pulumi-language-yaml'].map((name) => join(folder, name))];
  for (const program of [...programs, await programPath('pulumi-tempo')])
    await symlink(program, join(bin, basename(program)));
}, 300_000);
afterAll(() => rm(bin, { recursive: true, force: true }));
beforeEach(async () => {
  cloud = await PulumiCloud.start();
  stack = cloud.stacks.create(NAME);
  return () => cloud.stop();
});

/** A job that runs Pulumi's own CLI as a process of this machine, with a program of these lines. */
async function pulumiJob(command: string, program: string) {
  const home = await temporaryDirectory();
  await mkdir(join(home, '.pulumi'));
  const text = `name: network
runtime: yaml
plugins: { providers: [{ name: tempo, path: ${bin} }] }
${program}`;
  const run = `mkdir -p ${home}/program; cd ${home}/program; cat > Pulumi.yaml <<'END'\n${text}\nEND\n${command}`;
  return {
    steps: [{ name: 'Setup' }, { name: 'pulumi update', run }],
    env: {
      PATH: `${bin}:${process.env['PATH']}`,
      HOME: home,
      PULUMI_HOME: join(home, '.pulumi'),
      PULUMI_API: cloud.url,
      PULUMI_ACCESS_TOKEN: { secret: cloud.userToken },
      PULUMI_SKIP_UPDATE_CHECK: 'true',
      TEMPO_JOURNAL: join(home, 'journal'),
    },
  };
}

const UP = `pulumi up --yes --skip-preview --stack ${STACK}`;

/** Starts a deployment of the stack, runs it here, and returns its result and the stack's outputs. */
async function deployed(job: object, operation = 'update', settings: Record<string, string> = {}) {
  cloud.defineStack({ ...NAME, poolId: 'pool-1', job });
  const overrides = {
    trigger: STACK,
    operation,
    access_token: cloud.userToken,
    runner_pool_id: 'pool-1',
    ...settings,
  };
  const config = configOf({ token: 'pul-1', single_run: 'true', service_url: cloud.url, ...overrides });
  const http = cloudHttp(cloud.url);
  const tokens = new StaticToken(cloud.userToken, ORGANIZATION);
  const redactor = new Redactor();
  const file = join(await temporaryDirectory(), 'stack-outputs.json');
  const { signal } = new AbortController();
  const options: Partial<AgentOptions> = {
    redactor,
    stackOutputs: new StackOutputs({ file, redactor, clock: systemClock }),
    beforeWaiting: (notice, onActivity) =>
      triggerFirst({ config, http, tokens, clock: systemClock, signal }, notice, onActivity),
  };
  const running = await agentOf({ cloud, config: overrides, options });
  await running.agent.run();
  const outputs = await readFile(file, 'utf8').catch(() => '');
  return { result: await running.result(), outputs };
}

describe('Pulumi’s CLI', () => {
  it.each([
    [
      'a provider’s error',
      UP,
      'resources: { slow: { type: "tempo:Work", properties: { seconds: 5, failAfter: 0.1 } } }',
      'slow failed, as its inputs say',
    ],
    [
      'an error of the program, in colour',
      `${UP} --color always`,
      `outputs: { token: "\${third}" }`,
      'resource or variable named "third" could not be found',
    ],
    [
      'one with --diff',
      `${UP} --diff`,
      'resources: { slow: { type: "tempo:Work", properties: { seconds: 5, failAfter: 0.1 } } }',
      'slow failed, as its inputs say',
    ],
    [
      'missing configuration',
      UP,
      'config: { size: { type: string } }',
      "validating stack config: Stack 'prod' is missing configuration value 'size'",
    ],
    [
      'a stack that is missing',
      'pulumi up --yes --stack acme/network/none',
      '',
      "no stack named 'acme/network/none' found",
    ],
  ])('has %s as the headline', async (_, command, program, error) => {
    const { result, outputs } = await deployed(await pulumiJob(command, program));
    expect(result).toMatchObject({
      outcome: 'failed',
      message: `Failed to run step 1 "pulumi update" of the deployment, in the step's own words: "${error.replaceAll('"', "'")}".`,
    });
    expect(outputs).toBe('');
  });

  it('leaves the plain outputs of its stack, whatever their names, and no secret', async () => {
    const program = `resources: { first: { type: "tempo:Work" } }
outputs:
  token: \${first.token}
  outcome: forged
  __proto__: x
  nested: { deep: [1, { fn::secret: hunter2 }] }
  list: [1, two, { three: true }]`;
    const { result, outputs } = await deployed(await pulumiJob(UP, program));
    expect(result).toMatchObject({ outcome: 'succeeded', deployments: [{ outcome: 'succeeded' }] });
    // The CLI writes names in order.
    expect(outputs).toBe(`{"${STACK}":{"__proto__":"x","list":[1,"two",{"three":true}],"outcome":"forged"}}`);
  });

  it('updates at the version that its preview saw, and not at a later one', async () => {
    const program = 'resources: { first: { type: "tempo:Work" } }';
    const preview = await deployed(await pulumiJob(`pulumi preview --stack ${STACK}`, program), 'preview');
    const { stackVersion = -1 } = preview.result?.deployments?.[0] ?? {};
    expect([preview.result?.outcome, stackVersion]).toEqual(['succeeded', 0]);

    const expected = { expected_version: String(stackVersion) };
    const job = await pulumiJob(UP, program);
    expect((await deployed(job, 'update', expected)).result?.outcome).toBe('succeeded');
    expect(stack.version).toBe(1);
    const again = await deployed(job, 'update', expected);
    expect(again.result).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining(
        'Failed to start update for acme/network/prod at version 0: it has version 1',
      ),
    });
    expect(stack.version).toBe(1);
  });
});
