import { readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { Redactor } from '../../../src/base/log/redactor.ts';
import { VERSION } from '../../../src/base/version.ts';
import { SIGNATURE } from '../../../src/cloud/deployment-wire.ts';
import { StackOutputs } from '../../../src/cloud/deployments/stack-outputs.ts';
import { triggerFirst } from '../../../src/cloud/deployments/trigger-first.ts';
import { ORGANIZATION, StaticToken } from '../../../src/cloud/token.ts';
import { ContainerError, ExecutorUnavailableError } from '../../../src/executor/executor.ts';
import { readResult } from '../../../src/record/reader.ts';
import { reportWithout } from '../../../src/record/report/report.ts';
import { verifyRecord } from '../../../src/record/verification.ts';
import { CALLS, failing, type Script } from '../../emulators/pulumi-cloud/faults.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import type { Stack } from '../../emulators/pulumi-cloud/stacks.ts';
import { type AgentOptions, agentOf, isTrial } from '../../support/agent/cloud-agent.ts';
import { configOf } from '../../support/agent/config-of.ts';
import { cloudHttp } from '../../support/cloud/cloud-http.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

const job = (run: string) => ({ steps: [{ name: 'Setup' }, { name: 'pulumi preview', run }] });

/** An agent of pool-1 that starts previews of acme/web stacks and answers for them. */
async function stepThatStarts(
  cloud: PulumiCloud,
  trigger: string,
  changes: Readonly<Record<string, string>> = {},
  more: Partial<AgentOptions> = {},
) {
  const overrides = {
    trigger,
    operation: 'preview',
    access_token: cloud.userToken,
    runner_pool_id: 'pool-1',
    ...changes,
  };
  const config = configOf({ token: 'pul-1', single_run: 'true', service_url: cloud.url, ...overrides });
  const drain = new AbortController();
  const http = cloudHttp(cloud.url);
  const tokens = new StaticToken(cloud.userToken, ORGANIZATION);
  const options: Partial<AgentOptions> = {
    ...more,
    beforeWaiting: (notice, onActivity) =>
      triggerFirst({ config, http, tokens, clock: systemClock, signal: drain.signal }, notice, onActivity),
  };
  const running = await agentOf({ cloud, config: overrides, options });
  const run = join(running.directory, 'run-1');
  return {
    ...running,
    end: async () => {
      const code = await running.agent.run();
      const result = await running.result();
      const deployments = result?.deployments ?? [];
      return {
        code,
        result,
        deployments,
        of: (stack: string) => deployments.find((each) => each.stack === `acme/web/${stack}`),
      };
    },
    /** A file in a deployment's own record. */
    file: (directory = '', name: string) => readFile(join(run, directory, name), 'utf8'),
    record: (directory = '') => readResult(join(run, directory)),
    events: async () =>
      (await readFile(join(run, 'events.ndjson'), 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
  };
}

async function cloudWith(
  stacks: Readonly<
    Record<
      string,
      {
        poolId?: string;
        run?: string;
        drifts?: boolean;
        skipsIntermediate?: boolean;
        changes?: Record<string, number>;
      }
    >
  >,
) {
  const cloud = await PulumiCloud.start({ pools: ['pool-1', OTHER].map((id) => ({ id, name: id })) });
  for (const [stack, { poolId = 'pool-1', run = `echo ${stack}`, ...more }] of Object.entries(stacks))
    cloud.defineStack({ project: 'web', stack, poolId, job: job(run), ...more });
  return cloud;
}

/** The other pool of the emulated organization. */
const OTHER = 'pool-2';

describe('a run that started deployments', () => {
  it('serves all of them, each with its own record, and repeats their events in the run’s record', async () => {
    await using cloud = await cloudWith({ dev: { changes: { create: 2 } }, prod: {} });
    const step = await stepThatStarts(cloud, 'acme/web/*');
    const { code, result, of } = await step.end();
    expect(code).toBe(0);
    expect(result).toMatchObject({
      outcome: 'succeeded',
      message: 'All 2 deployments succeeded.',
      steps: [],
    });
    expect(of('dev')).toMatchObject({
      outcome: 'succeeded',
      ranHere: true,
      state: 'ended',
      changes: { create: 2 },
    });
    const { directory } = of('prod') ?? {};
    expect(await step.record(directory)).toMatchObject({
      outcome: 'succeeded',
      steps: [{ index: 0 }, { lines: 1 }],
    });
    expect(await step.file(directory, 'steps/01-pulumi-preview.log')).toBe('prod\n');
    const logs = (await step.events()).filter(({ type }) => type === 'step-started').map(({ log }) => log);
    expect(logs).toContain(`${directory}/steps/01-pulumi-preview.log`);
    expect(result?.deploymentId).toBe(of('dev')?.deploymentId);
  });

  it('pins each record, here and elsewhere, by the digest of its result, and names pool and engine', async () => {
    await using cloud = await cloudWith({ dev: {}, prod: { poolId: OTHER } });
    const elsewhere = await agentOf({ cloud, poolId: OTHER });
    const step = await stepThatStarts(cloud, 'acme/web/*');
    const [{ result, of }] = await Promise.all([step.end(), elsewhere.agent.run()]);
    const engine = { name: 'own', version: VERSION };
    expect(result).toMatchObject({ pool: 'pool-1', engine });
    expect(await step.record(of('dev')?.directory)).toMatchObject({ pool: 'pool-1', engine });
    const theirs = await step.record(of('prod')?.directory);
    expect(theirs).toMatchObject({ identity: { stack: 'prod', operation: 'preview', proven: true } });
    expect(theirs?.engine).toBeUndefined();

    const { files } = await verifyRecord(join(step.directory, 'run-1'));
    expect(files.filter(({ problem }) => problem !== undefined)).toEqual([]);
    const results = files.map(({ path }) => path).filter((path) => path.endsWith('run.json'));
    expect(results).toEqual(result?.records?.map(({ directory }) => `${directory}/run.json`));
    expect(results).toHaveLength(2);
  });

  it('records how it ends before the last container is removed, and not before', async () => {
    await using cloud = await cloudWith({ dev: { run: 'exit 3' }, prod: {} });
    const step = await stepThatStarts(cloud, 'acme/web/*');
    const { result } = await step.end();
    const events = (await step.events()).map(({ type }) => type);
    expect(events.filter((type) => type === 'reported')).toHaveLength(1);
    expect(events.lastIndexOf('reported')).toBeGreaterThan(events.lastIndexOf('step-finished'));
    const run = join(step.directory, 'run-1');
    // As if the agent had died then.
    await rm(join(run, 'run.json'));
    const { outcome, exitCode, message } = result ?? {};
    const known = { outcome, exitCode, message, reported: true };
    expect(await reportWithout(run, { outcome: 'failed', message: '' })).toMatchObject(known);
  });

  it("keeps each job's secrets to its own record: the run's shows none, the next job's log hides none", async () => {
    await using cloud = await cloudWith({ prod: { run: 'echo hunter2-hunter2' } });
    const steps = [{ name: 'Setup' }, { name: 'use hunter2-hunter2', run: 'echo $TOKEN; exit 1' }];
    const spoiled = { steps, env: { TOKEN: 'hunter2-hunter2' } };
    cloud.defineStack({ project: 'web', stack: 'dev', poolId: 'pool-1', job: spoiled });
    const step = await stepThatStarts(cloud, 'acme/web/dev acme/web/prod');
    const { of } = await step.end();
    expect(await step.file(of('dev')?.directory, 'steps/01-use.log')).toBe('***\n');
    expect(await step.file(of('prod')?.directory, 'steps/01-pulumi-preview.log')).toBe('hunter2-hunter2\n');
    for (const name of ['run.json', 'events.ndjson'])
      expect(await step.file('', name)).not.toContain('hunter2-hunter2');
  });

  it('is red when one of them failed, but still serves the others', async () => {
    await using cloud = await cloudWith({ dev: { run: 'exit 3' }, prod: {} });
    const { code, result, of } = await (await stepThatStarts(cloud, 'acme/web/*')).end();
    expect(code).toBe(1);
    expect(result?.message).toBe(
      '1 of 2 deployments did not succeed: acme/web/dev. acme/web/dev: Failed to run step 1 "pulumi preview" of the deployment: exit code 3. Its log says more.',
    );
    expect(of('dev')?.outcome).toBe('failed');
    expect(of('prod')?.outcome).toBe('succeeded');
  });

  it('claims no more of them once the engine is gone, and after max_wait ends them all as target errors', async () => {
    await using cloud = await cloudWith({ dev: {}, prod: {} });
    const step = await stepThatStarts(cloud, 'acme/web/*', { max_wait: '1s' });
    const gone = async () => {
      step.target.check = gone;
      throw new ExecutorUnavailableError('the engine went away', { code: 'PRA-DOCKER-01' });
    };
    const { prepare } = step.target;
    // The trial before the first claim passes.
    step.target.prepare = async (...given) => {
      step.target.prepare = gone;
      return prepare.apply(step.target, given);
    };
    const { code, deployments } = await step.end();
    expect(code).toBe(5);
    expect(deployments.map(({ outcome, ranHere }) => [outcome, ranHere]).toSorted()).toEqual([
      ['target-error', false],
      ['target-error', true],
    ]);
    expect(cloud.deployments.map(({ status }) => status).toSorted()).toEqual(['failed', 'not-started']);
  });

  it('waits unhealthily while its executor is broken, and records no fault when that lasts', async () => {
    await using cloud = await cloudWith({ dev: {}, prod: {} });
    const step = await stepThatStarts(cloud, 'acme/web/*', { max_wait: '7s' });
    const full = new ContainerError('no space left', { code: 'PRA-CONTAINER-01' });
    const { prepare } = step.target;
    step.target.prepare = (spec, ...rest) =>
      cloud.deployments.some(({ claimedAt }) => claimedAt !== undefined)
        ? Promise.reject(full)
        : prepare.call(step.target, spec, ...rest);
    const ended = step.end();
    await expect.poll(() => step.log.join('\n'), { timeout: 20_000 }).toMatch(/No trial container starts/);
    const url = /Health is served at (\S+)\/healthz/.exec(step.log.join('\n'))?.[1];
    expect((await fetch(`${url}/healthz`)).status).toBe(503);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(/agent_state\{state="waiting"\} 1\n/);
    const { code, deployments } = await ended;
    expect(code).toBe(5);
    expect(deployments.map(({ state }) => state)).toEqual(['ended', 'ended']);
    expect(await step.file('', 'events.ndjson')).not.toContain('"fault"');
    expect(await step.file('', 'run.json')).not.toContain('"fault"');
  }, 40_000);

  it('answers for what other agents run, and records what Pulumi Cloud reports about it', async () => {
    await using cloud = await cloudWith({
      dev: { poolId: OTHER, run: 'echo error: it exists; seq 1200; exit 1', changes: { update: 1 } },
    });
    const step = await stepThatStarts(cloud, 'acme/web/dev');
    const ending = step.end();
    await cloud.waitFor(() => cloud.deployments.length === 1);
    const other = await agentOf({ cloud, poolId: OTHER });
    expect(await other.agent.run()).toBe(1);
    const { code, result, of } = await ending;
    expect(code).toBe(1);
    expect(result?.message).toBe(
      'Failed to finish preview of acme/web/dev, in the step\'s own words: "it exists". Its page in Pulumi Cloud says more.',
    );
    expect(of('dev')).toMatchObject({ outcome: 'failed', ranHere: false, changes: { update: 1 } });
    const { directory } = of('dev') ?? {};
    expect(await step.record(directory)).toMatchObject({
      elsewhere: true,
      outcome: 'failed',
      steps: [{}, { lines: 1201, error: 'it exists' }],
    });
    // A lasting run may follow many deployments, so it must keep none of their files open.
    const open = (await readdir('/proc/self/fd')).map((fd) =>
      readlink(`/proc/self/fd/${fd}`).catch(() => ''),
    );
    expect((await Promise.all(open)).filter((path) => path.startsWith(step.directory))).toEqual([]);
    expect((await step.file(directory, 'steps/01-pulumi-preview.log')).endsWith('1199\n1200\n')).toBe(true);
    expect(cloud.requests.filter(({ path }) => path.endsWith('/poll'))).toHaveLength(1);
    // For the counts and the steps of it.
    expect(cloud.requests.filter(({ path }) => ASKED.updates.test(path))).toHaveLength(1);
  });

  it("finishes and shows a stranger's job, which does not affect the outcome", async () => {
    await using cloud = await cloudWith({ dev: {} });
    cloud.enqueue({ project: 'web', stack: 'old', poolId: 'pool-1', job: job('exit 1') });
    const step = await stepThatStarts(cloud, 'acme/web/dev');
    const { code, deployments } = await step.end();
    expect(code).toBe(0);
    expect(deployments).toHaveLength(1);
    expect(cloud.deployments.map(({ status }) => status)).toEqual(['failed', 'succeeded']);
    const claims = (await step.events()).filter(({ type }) => type === 'claimed');
    expect(claims.map(({ deploymentId }) => deploymentId)).toEqual(cloud.deployments.map(({ id }) => id));
  });

  it('claims nothing more once its own deployments have ended', async () => {
    await using cloud = await cloudWith({ dev: {} });
    const step = await stepThatStarts(cloud, 'acme/web/dev');
    const ending = step.end();
    await cloud.waitFor(() => cloud.deployments.some(({ status }) => status === 'running'));
    cloud.enqueue({ project: 'web', stack: 'later', poolId: 'pool-1', job: job('true') });
    expect((await ending).code).toBe(0);
    expect(cloud.deployments.map(({ status }) => status)).toEqual(['succeeded', 'not-started']);
  });

  it('is red at trigger_timeout, and says which of them still wait, and for which pool', async () => {
    await using cloud = await cloudWith({ dev: { poolId: OTHER } });
    const step = await stepThatStarts(cloud, 'acme/web/dev', { trigger_timeout: '300ms' });
    const { code, result, of } = await step.end();
    expect(code).toBe(1);
    const said = 'The deployment of acme/web/dev is not for pool pool-1: followed here, run elsewhere.';
    expect(await step.events()).toContainEqual(expect.objectContaining({ type: 'notice', message: said }));
    expect(result?.message).toBe(
      'Failed to follow the deployments for the run: trigger_timeout (300ms) has expired: acme/web/dev still waits.',
    );
    expect(of('dev')).toMatchObject({ state: 'waiting' });
  });

  it('is red when one of them could not be started, after the others ended', async () => {
    await using cloud = await cloudWith({ dev: {} });
    const { code, of } = await (await stepThatStarts(cloud, 'acme/web/dev acme/web/none')).end();
    expect(code).not.toBe(0);
    expect(of('dev')).toMatchObject({ outcome: 'succeeded' });
    expect(of('none')).toMatchObject({
      state: 'ended',
      message: expect.stringContaining('Failed to start preview for acme/web/none'),
    });
  });

  it('says whether there is drift, what drifted, and which run found it', async () => {
    await using cloud = await cloudWith({ dev: { drifts: true, changes: { same: 9, update: 2 } }, prod: {} });
    const { result, of } = await (
      await stepThatStarts(cloud, 'acme/web/*', { operation: 'detect-drift' })
    ).end();
    expect(result?.drift).toBe(true);
    const id = expect.stringMatching(/^run-/);
    expect(of('dev')).toMatchObject({ drift: true, driftRun: { id, changes: { update: 2 } } });
    expect(of('prod')).not.toHaveProperty('driftRun');
    expect(of('prod')?.drift).toBe(false);
  });

  it('cancels what other agents run at once, while it still interrupts its own job', async () => {
    const run =
      'trap "until [ -e go ]; do sleep 0.1; done; exit 1" INT; echo trapped; while :; do sleep 0.1; done';
    await using cloud = await cloudWith({ dev: { run }, prod: { poolId: OTHER } });
    const step = await stepThatStarts(cloud, 'acme/web/dev acme/web/prod', { trigger_cancel: 'true' });
    const ending = step.end();
    const [dev, prod] = ['dev', 'prod'].map(
      (stack) => () => cloud.deployments.find((each) => each.stack === stack),
    );
    await cloud.waitFor(() => dev?.()?.steps[1]?.lines.length === 1);
    step.send('SIGINT');
    await cloud.waitFor(() => prod?.()?.ended === true);
    expect(dev?.()?.ended).toBe(false);
    await writeFile(join(step.root, 'go'), '');
    expect((await ending).result?.outcome).toBe('interrupted');
  });

  it('cancels what other agents run only when asked to, and never because of its own failure', async () => {
    for (const [asked, status, event] of [
      ['true', 'failed', 'SIGINT'],
      ['false', 'not-started', 'SIGINT'],
      // A bug in the agent itself must not cancel deployments.
      ['true', 'not-started', 'uncaughtException'],
    ] as const) {
      await using cloud = await cloudWith({ dev: { poolId: OTHER } });
      const step = await stepThatStarts(cloud, 'acme/web/dev', { trigger_cancel: asked });
      const ending = step.end();
      await cloud.waitFor(() => cloud.requests.some(({ path }) => /deployments\/[^/]+$/.test(path)));
      step.send(event, event === 'SIGINT' ? event : new Error('a bug'));
      const { result } = await ending;
      expect(result?.outcome).toBe(event === 'SIGINT' ? 'interrupted' : 'failed');
      expect(cloud.deployments[0]?.status).toBe(status);
    }
  });
});

/** Request paths that a run uses to follow a started deployment and its stack. */
const ASKED = {
  standing: /\/deployments\/(?!metadata)[^/]+$/,
  lines: /\/logs$/,
  drift: /\/drift\/status$/,
  runs: /\/drift\/runs$/,
  updates: /\/updates$/,
};
const ALWAYS = Number.POSITIVE_INFINITY;

describe('a service that answers oddly, or not at all', () => {
  /** What a run says and how often it reads; its trigger_timeout begins once `isShown`. */
  const followed = async (
    faults: readonly Script[],
    isShown: (log: string, reads: number) => boolean = () => true,
    trigger = 'acme/web/dev',
  ) => {
    const stacks = ['dev', 'a', 'b', 'c', 'd', 'e', 'f', 'g'].map(
      (stack) => [stack, { poolId: OTHER }] as const,
    );
    const cloud = await cloudWith(Object.fromEntries(stacks));
    onTestFinished(() => cloud.stop());
    for (const fault of faults) cloud.script({ method: 'GET', times: ALWAYS, ...fault });
    const reads = () =>
      cloud.requests.filter(({ path, method }) => method === 'GET' && ASKED.standing.test(path)).length;
    const sleep: Clock['sleep'] = async (ms, signal) => {
      if (ms === 600) await vi.waitUntil(() => isShown(step.log.join('\n'), reads()), { timeout: 30_000 });
      return systemClock.sleep(ms, signal);
    };
    const clock = { ...systemClock, sleep };
    const step = await stepThatStarts(cloud, trigger, { trigger_timeout: '600ms' }, { clock });
    return { ...(await step.end()), reads: reads() };
  };

  it('does not delay trigger_timeout', async () => {
    const { result } = await followed([{ path: ASKED.standing, answer: 'hang' }]);
    expect(result?.message).toContain('trigger_timeout (600ms) has expired');
    expect(result?.notices.join()).not.toContain('abort');
  });

  it('is not asked again before its Retry-After', async () => {
    const answer = { status: 429, headers: { 'retry-after': '60' }, body: {} };
    // The number that may be under way at a time.
    const areAsked = (_: string, reads: number) => reads >= 4;
    const { reads } = await followed([{ path: ASKED.standing, answer }], areAsked, 'acme/web/*');
    expect(reads).toBe(4);
  });

  it('is reported in a sentence when its answer can’t be read', async () => {
    const notice = 'Failed to read the deployment for acme/web/dev: the answer holds no status. Check';
    const { result } = await followed([{ path: ASKED.standing, answer: { status: 200, body: {} } }], (log) =>
      log.includes(notice),
    );
    expect(result?.notices.join()).toContain(notice);
  });

  it('is reported where its answer is about another deployment, whose end does not count', async () => {
    const body = { id: 'another', status: 'succeeded' };
    const notice =
      'Failed to read the deployment for acme/web/dev: the answer is about another deployment. Check';
    const { result } = await followed([{ path: ASKED.standing, answer: { status: 200, body } }], (log) =>
      log.includes(notice),
    );
    expect(result?.deployments).toMatchObject([{ state: 'waiting' }]);
    expect(result?.notices.join()).toContain(notice);
  });

  it('costs no line: pages end where it says, and a line may have no text', async () => {
    await using cloud = await cloudWith({ dev: { poolId: OTHER } });
    const lines = (more: object) => ({ status: 200, body: { __type: 'DeploymentLogsStep', ...more } });
    const [first, last] = [
      lines({ lines: [{ header: 'Setup' }, { line: 'a\n' }], nextOffset: 2 }),
      lines({ lines: [{ line: 'b\n' }] }),
    ];
    for (const answer of [failing(503), first, last, lines({ lines: null })])
      cloud.script({ path: ASKED.lines, method: 'GET', answer });
    const step = await stepThatStarts(cloud, 'acme/web/dev');
    const ending = step.end();
    await cloud.waitFor(() => cloud.deployments.length === 1);
    await (await agentOf({ cloud, poolId: OTHER })).agent.run();
    const { directory } = (await ending).of('dev') ?? {};
    expect(await step.file(directory, 'steps/00-setup.log')).toBe('\na\nb\n');
    expect((await step.record(directory))?.notices).toEqual([]);
  });
});

describe('a deployment that Pulumi Cloud skipped', () => {
  /** Its end, after `newer` was queued behind it; `faults` begin with that. */
  const skipped = async (newer: string, faults: readonly Script[] = []) => {
    const cloud = await cloudWith({ dev: { poolId: OTHER, skipsIntermediate: true } });
    onTestFinished(() => cloud.stop());
    const step = await stepThatStarts(cloud, 'acme/web/dev', { operation: 'update' });
    const ending = step.end();
    await cloud.waitFor(() => cloud.deployments.length === 1);
    for (const fault of faults) cloud.script({ method: 'GET', times: ALWAYS, ...fault });
    cloud.enqueue({ project: 'web', stack: 'dev', poolId: OTHER, operation: newer, job: job('true') });
    return { ...(await ending), events: await step.events(), log: step.log };
  };

  it('for a newer one of its operation ends as skipped, which is no failure', async () => {
    const { code, result, of, log } = await skipped('update');
    const message = 'Pulumi Cloud skipped the update of acme/web/dev for a newer one, version 2.';
    expect({ code, ...result }).toMatchObject({ code: 0, outcome: 'skipped', message });
    expect(of('dev')).toMatchObject({ state: 'ended', outcome: 'skipped', ranHere: false });
    expect(result?.code).toBeUndefined();
    expect(log.join('\n')).toContain(`skipped: ${message}`);
  });

  it.each([
    ['no newer one is listed', { total: 0, deployments: [] }, ', and lists no newer one'],
    [
      'the newer one is of another operation',
      { deployments: [{ id: 'x', status: 'running', version: 9, pulumiOperation: 'preview' }] },
      ', and lists no newer one',
    ],
    ['the list can’t be read', {}, '; it is unknown whether that was for a newer one: Failed to read'],
  ])('is a failure, said once, where %s', async (_, body, why) => {
    const path = /\/stacks\/acme\/web\/dev\/deployments$/;
    const { code, result, events } = await skipped('update', [{ path, answer: { status: 200, body } }]);
    expect({ code, outcome: result?.outcome }).toEqual({ code: 1, outcome: 'failed' });
    expect(result?.message).toContain(
      `Failed to finish update of acme/web/dev: Pulumi Cloud skipped it${why}`,
    );
    expect(events.filter(({ type, message }) => type === 'notice' && message.includes('skipped'))).toEqual(
      [],
    );
  });

  it.each([
    ['after seven days in the queue', new Date(Date.now() - 7 * 86_400_000).toISOString()],
    ['after a time in the queue that it does not tell', undefined],
    ['after a time in the queue that it does not tell', 'yesterday'],
  ])('%s is a failure, whatever is behind it', async (when, created) => {
    const body = { id: '', status: 'skipped', version: 1, created };
    const { result } = await skipped('update', [
      { path: /\/web\/dev\/deployments\/[^/]+$/, answer: { status: 200, body } },
    ]);
    expect(result?.message).toContain(`Pulumi Cloud skipped it ${when}.`);
  });
});

describe('an update at an expected version', () => {
  const updated = async (onPrepare: (stack: Stack, cloud: PulumiCloud) => void) => {
    const cloud = await cloudWith({ dev: {} });
    onTestFinished(() => cloud.stop());
    const stack = cloud.stacks.find({ project: 'web', stack: 'dev' });
    if (stack === undefined) throw new Error('Failed to find the stack.');
    const step = await stepThatStarts(cloud, 'acme/web/dev', { operation: 'update', expected_version: '0' });
    const { prepare } = step.target;
    step.target.prepare = (spec, ...rest) => {
      if (!isTrial(spec)) onPrepare(stack, cloud);
      return prepare.call(step.target, spec, ...rest);
    };
    const { result } = await step.end();
    return { result, cloud };
  };

  it('runs where the stack still has it', async () => {
    const { result } = await updated(() => undefined);
    expect(result).toMatchObject({ outcome: 'succeeded', deployments: [{ stackVersion: 0 }] });
  });

  it.each<[string, (stack: Stack, cloud: PulumiCloud) => void, string]>([
    [
      'has changed',
      (stack, { stacks }) => {
        const update = stacks.plan(stack, { kind: 'update', dryRun: false, message: '' });
        stacks.begin(stack, update);
        stacks.end(stack, update, 'succeeded');
      },
      'it has version 1 now',
    ],
    [
      'is changing',
      (stack, { stacks }) => {
        stacks.begin(stack, stacks.plan(stack, { kind: 'update', dryRun: false, message: '' }));
        stack.version = 0;
      },
      'an operation (update) runs on it',
    ],
    [
      'can’t be read',
      (_, cloud) => {
        cloud.script({ method: 'GET', path: /\/web\/dev$/, times: 9, answer: failing(403) });
      },
      "its version can't be read",
    ],
  ])('runs no step where the stack %s once its container is made', async (_, change, why) => {
    const { result, cloud } = await updated(change);
    expect(result?.message).toContain(`Failed to start update for acme/web/dev at version 0: ${why}`);
    expect(result?.message).toContain('No step was run: preview the stack again');
    expect(result?.code).toBe('PRA-TRIGGER-10');
    const [deployment] = cloud.deployments;
    expect(deployment?.status).toBe('failed');
    expect(deployment?.steps.map(({ status }) => status)).toEqual(['failed', 'not-started']);
  });
});

describe('the outputs of stacks', () => {
  const secret = { [SIGNATURE]: '1b47061264138c4ac30d75fd1eb44270', ciphertext: 'x' };
  // As JSON.parse makes it, __proto__ is a name like any other.
  const outputs = JSON.parse(
    `{"__proto__":{"a":1},"constructor":"c","outcome":"succeeded","list":[1,null],"password":${JSON.stringify(secret)},` +
      `"nested":{"deep":[{"x":${JSON.stringify(secret)}}]},"leak":"it is hunter2-hunter2","at hunter2-hunter2":1}`,
  );
  const state = (all: object) => ({
    version: 3,
    deployment: {
      resources: [
        { type: 'a:b:C', outputs: { x: 1 } },
        { type: 'pulumi:pulumi:Stack', outputs: all },
      ],
    },
  });

  /** Runs an update here and one elsewhere, and returns the file, what was said and the calls. */
  const collected = async (
    options: { servesOutputs?: boolean; faults?: readonly Script[]; all?: object } = {},
  ) => {
    const { servesOutputs = true, faults = [], all = outputs } = options;
    const cloud = await PulumiCloud.start({
      pools: ['pool-1', OTHER].map((id) => ({ id, name: id })),
      servesOutputs,
    });
    onTestFinished(() => cloud.stop());
    for (const [stack, poolId] of [
      ['dev', 'pool-1'],
      ['prod', OTHER],
      ['bad', 'pool-1'],
    ] as const) {
      const own = {
        ...job(stack === 'bad' ? 'exit 1' : 'true'),
        env: { TOKEN: { secret: 'hunter2-hunter2' } },
      };
      cloud.defineStack({ project: 'web', stack, poolId, job: own });
      const found = cloud.stacks.find({ project: 'web', stack });
      if (found !== undefined) found.state = state(stack === 'dev' ? all : { url: 'https://prod' });
    }
    for (const fault of faults) cloud.script(fault);
    const file = join(await temporaryDirectory(), 'stack-outputs.json');
    const redactor = new Redactor();
    const stackOutputs = new StackOutputs({ file, redactor, clock: systemClock });
    const step = await stepThatStarts(
      cloud,
      'acme/web/*',
      { operation: 'update' },
      { redactor, stackOutputs },
    );
    const ending = step.end();
    await cloud.waitFor(() => cloud.deployments.length === 3);
    await (await agentOf({ cloud, poolId: OTHER })).agent.run();
    await ending;
    const events: { type: string; message: string }[] = await step.events();
    const said = events.flatMap(({ type, message }) => (type === 'notice' ? [message] : []));
    const text = await readFile(file, 'utf8');
    return { text, said, cloud, record: `${await step.file('', 'run.json')}${JSON.stringify(events)}` };
  };

  it('are kept beside the record, without a secret at any depth and without what the job hides, and that is said', async () => {
    const { text, said, cloud, record } = await collected();
    const dev = '{"__proto__":{"a":1},"constructor":"c","outcome":"succeeded","list":[1,null]}';
    const [one, other] = [`"acme/web/dev":${dev}`, '"acme/web/prod":{"url":"https://prod"}'];
    expect(text).toBe(`{${one},${other}}`);
    expect(said).toContain(
      'stack-outputs leaves out outputs of acme/web/dev that are secret or not plain JSON: password, nested.',
    );
    expect(said).toContain(
      'stack-outputs leaves out outputs of acme/web/dev that hold a text that this run hides: leak, at ***.',
    );
    expect(record).not.toMatch(/https:\/\/prod|constructor/);
    // Not with a job's token, and not of the stack whose update failed.
    const asked = cloud.requests.filter(({ path }) => path.endsWith('/outputs'));
    expect(new Set(asked.map(({ path }) => path))).toEqual(
      new Set(['dev', 'prod'].map((stack) => `/api/stacks/acme/web/${stack}/outputs`)),
    );
    expect(asked.every(({ tokenId = '' }) => tokenId.startsWith('user'))).toBe(true);
  });

  it('come from the exported state where the service has no call for them', async () => {
    const { text, cloud } = await collected({ servesOutputs: false });
    expect(JSON.parse(text)['acme/web/dev']).toMatchObject({ outcome: 'succeeded', list: [1, null] });
    expect(cloud.requests.some(({ path }) => path.endsWith('/dev/export'))).toBe(true);
  });

  it('are asked for again while they are pending', async () => {
    const path = /\/dev\/outputs$/;
    const { text } = await collected({
      faults: [{ path, answer: { status: 200, body: { state: 'pending' } } }],
    });
    expect(JSON.parse(text)['acme/web/dev']).toMatchObject({ outcome: 'succeeded' });
  });

  it.each([
    ['are refused', failing(403), 'HTTP 403'],
    [
      'are placeholders',
      { status: 200, body: { outputs: { a: 'x' }, unknown: true } },
      'their values are not known',
    ],
    ['are a list', { status: 200, body: { outputs: [1] } }, 'the answer holds none'],
  ])('are said to be unknown where they %s, and the rest remain', async (_, answer, why) => {
    const { text, said } = await collected({ faults: [{ path: /\/dev\/outputs$/, answer }] });
    expect(text).toBe('{"acme/web/prod":{"url":"https://prod"}}');
    expect(said.join('\n')).toContain(
      "The outputs of acme/web/dev are unknown: Failed to read the stack's outputs",
    );
    expect(said.join('\n')).toContain(why);
  });

  it('are none at all over 256 KiB, and that is said once', async () => {
    const { text, said } = await collected({ all: { long: 'é'.repeat(128 * 1024) } });
    expect(text).toBe('');
    expect(
      said.filter((each) => each === 'stack-outputs is empty: the outputs are longer than 256 KiB.'),
    ).toHaveLength(1);
  });
});

describe('drift', () => {
  type Dev = { run?: string; drifts?: boolean; changes?: Record<string, number> };
  const detected = async (dev: Dev, faults: readonly Script[]) => {
    const cloud = await cloudWith({ dev, prod: {} });
    onTestFinished(() => cloud.stop());
    for (const fault of faults) cloud.script(fault);
    const step = await stepThatStarts(cloud, 'acme/web/dev acme/web/prod', { operation: 'detect-drift' });
    const { result } = await step.end();
    const notices = (await step.events()).flatMap(({ type, message }) =>
      type === 'notice' ? [message] : [],
    );
    return { found: result, unknown: notices.filter((message) => message.includes('found drift')) };
  };
  const unknownOf = (stack: string) =>
    `The agent doesn't know whether the deployment of acme/web/${stack} found drift.`;

  it('is unknown, not false, when one stack does not report it', async () => {
    const [answer, paths] = [failing(404), [ASKED.runs, ASKED.drift, ASKED.updates]];
    const { found, unknown } = await detected(
      {},
      // The updates are asked for twice: for their steps, and for their counts.
      paths.map((path) => ({ path, answer, times: path === ASKED.updates ? 2 : 1 })),
    );
    expect(found).toMatchObject({ outcome: 'succeeded', deployments: [{}, { drift: false }] });
    expect(found?.drift).toBeUndefined();
    expect(unknown).toEqual([unknownOf('dev')]);
  });

  it('is asked for again after an outage', async () => {
    const { found, unknown } = await detected({ drifts: true }, [
      { path: ASKED.runs, times: 2, answer: failing(404) },
      { path: ASKED.drift, times: 2, answer: failing(503) },
    ]);
    expect(found?.drift).toBe(true);
    expect(unknown).toEqual([]);
  });

  it('found by an earlier detection does not count for a later one, whether that failed or not', async () => {
    const body = { driftDetected: true, latestDriftRun: 'earlier', runInProgress: false };
    const { found, unknown } = await detected({ run: 'exit 1' }, [
      { path: ASKED.drift, times: ALWAYS, answer: { status: 200, body } },
    ]);
    expect(found).toMatchObject({ outcome: 'failed', deployments: [{}, { drift: false }] });
    expect(found?.deployments?.[0]?.drift).toBeUndefined();
    expect(unknown).toEqual([unknownOf('dev')]);
  });

  it('is found by the reported changes even when the detection fails', async () => {
    const { found } = await detected({ run: 'exit 1', changes: { same: 3, update: 1 } }, []);
    expect(found).toMatchObject({
      outcome: 'failed',
      drift: true,
      deployments: [{ drift: true }, { drift: false }],
    });
  });

  it('is found by a lasting agent’s own detection too', async () => {
    await using cloud = await cloudWith({ dev: { drifts: true } });
    const changes = { operation: 'detect-drift', single_run: 'false', max_wait: '0s' };
    const step = await stepThatStarts(cloud, 'acme/web/dev', changes);
    expect(await step.end()).toMatchObject({ code: 0, result: { outcome: 'succeeded', drift: true } });
  });
});

it('a run whose executor fails pauses, and serves the rest of its deployments once a trial container starts', async () => {
  await using cloud = await cloudWith({ one: {}, two: {}, three: {} });
  const step = await stepThatStarts(cloud, 'acme/web/*', { max_wait: '1m' });
  const { prepare } = step.target;
  const full = new ContainerError('no space left', { code: 'PRA-CONTAINER-01' });
  let isFull = false;
  step.target.prepare = async (spec, ...rest) => {
    const isTrial = spec.labels['pulumi-runner.run'] === 'trial';
    // The first trial is made before the first claim; the second fails, and makes room.
    isFull ||= !isTrial;
    if (isFull && isTrial) step.target.prepare = prepare;
    if (isFull) throw full;
    return prepare.call(step.target, spec, ...rest);
  };
  const { code, result, deployments } = await step.end();
  expect(code).toBe(5);
  expect(deployments.map(({ outcome }) => outcome).toSorted()).toEqual([
    'succeeded',
    'succeeded',
    'target-error',
  ]);
  expect(result?.notices.filter((notice) => notice.startsWith('Claiming'))).toEqual([
    expect.stringMatching(/pauses until a trial container starts: .*PRA-CONTAINER-01/),
  ]);
});

it('a run that loses two answers in a row claims nothing more, and follows its deployments to their end', async () => {
  await using cloud = await cloudWith({ dev: {} });
  const step = await stepThatStarts(cloud, 'acme/web/dev', { trigger_timeout: '2s' });
  cloud.script({ path: CALLS.poll, times: ALWAYS, answer: failing(502) });
  const { result } = await step.end();
  expect(cloud.requests.filter(({ path }) => path.endsWith('/poll'))).toHaveLength(2);
  expect(result?.notices.filter((notice) => notice.includes('may have been handed out'))).toHaveLength(1);
  expect(result?.notices).toContain(
    'The answers to several polls in a row were lost: this agent claims nothing more, and only follows the deployments that it started.',
  );
  expect(result?.deployments?.[0]).toMatchObject({ state: 'waiting' });
});

it('a run that no longer waits for work says so, and counts only the time that it waited', async () => {
  await using cloud = await cloudWith({ dev: { run: 'sleep 1' }, prod: {} });
  const changes = { max_wait: '100ms', trigger_timeout: '3s' };
  const step = await stepThatStarts(cloud, 'acme/web/dev acme/web/prod', changes);
  const ending = step.end();
  await cloud.waitFor(() => cloud.deployments.some(({ status }) => status === 'running'));
  cloud.script({ path: CALLS.poll, times: ALWAYS, answer: { status: 204 } });
  const { result } = await ending;
  expect(result?.notices).toContain(
    'No work came within max_wait: this agent claims nothing more, and only follows the deployments that it started.',
  );
  expect(result?.waitSeconds).toBeLessThan((result?.runSeconds ?? 0) - 1);
});

/** Milliseconds that the service is down, in a run that polls every 50 ms. */
const AWAY_MS = 1_500;

it('five runs with five stacks each on one pool end as their own deployments do, and none of those runs twice, even through an outage', {
  timeout: 60_000,
}, async () => {
  // The first of each step's stacks, except the last step's.
  const fails = (index: number) => index % 5 === 0 && index < 20;
  const names = Array.from({ length: 25 }, (_, index) => `s${index}`);
  await using cloud = await cloudWith(
    Object.fromEntries(
      names.map((name, index) => [name, { run: fails(index) ? 'sleep 0.1; exit 1' : 'sleep 0.1' }]),
    ),
  );
  const own = Array.from({ length: 5 }, (_, step) =>
    names.slice(5 * step, 5 * step + 5).map((name) => `acme/web/${name}`),
  );
  const steps = await Promise.all(own.map((stacks) => stepThatStarts(cloud, stacks.join(' '))));
  const outside = await agentOf({ cloud });
  const endings = Promise.all(steps.map((step) => step.end()));
  await cloud.waitFor(() => cloud.deployments.length > 3);
  const outsideEnding = outside.agent.run();
  await cloud.waitFor(
    () => cloud.deployments.length === 25 && cloud.deployments.filter(({ ended }) => ended).length > 3,
  );
  cloud.script({ path: /./, window: { ms: AWAY_MS }, answer: failing(503) });
  const ends = await endings;
  await outsideEnding;
  for (const [step, { code, deployments }] of ends.entries()) {
    expect(deployments.map(({ stack }) => stack).toSorted()).toEqual(own[step]?.toSorted());
    for (const { stack, outcome, deploymentId } of deployments) {
      const { status } = cloud.deployments.find(({ id }) => id === deploymentId) ?? {};
      expect({ stack, outcome }).toEqual({ stack, outcome: status });
    }
    expect(code === 0).toBe(step === 4);
  }
  // The emulator refuses to run one twice; none was queued twice either, and none is left.
  expect(cloud.deployments).toHaveLength(25);
  expect(cloud.deployments.every(({ ended }) => ended)).toBe(true);
  const all = ends.flatMap(({ deployments }) => deployments);
  expect(all.some(({ ranHere }) => !ranHere)).toBe(true);
  expect(await outside.result()).toMatchObject({ deploymentId: expect.any(String) });
});
