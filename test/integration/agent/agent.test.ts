import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { Redactor } from '../../../src/base/log/redactor.ts';
import { DeploymentApi } from '../../../src/cloud/deployment-api.ts';
import { StackOutputs } from '../../../src/cloud/deployments/stack-outputs.ts';
import { ORGANIZATION, StaticToken } from '../../../src/cloud/token.ts';
import { ExecutorUnavailableError } from '../../../src/executor/executor.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { jobOf } from '../../support/agent/claimed-run.ts';
import { agentOf } from '../../support/agent/cloud-agent.ts';
import { cloudHttp } from '../../support/cloud/cloud-http.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

describe('a single run', () => {
  it('serves one claim and ends with its outcome', async () => {
    const { agent, cloud, enqueue, result } = await agentOf();
    const deployment = enqueue(jobOf('echo hello'));
    const second = enqueue(jobOf('true'), 'other');
    expect(await agent.run()).toBe(0);
    expect(deployment.status).toBe('succeeded');
    expect(second.status).toBe('not-started');
    expect(cloud.requests.filter(({ path }) => path.endsWith('/poll'))).toHaveLength(1);
    expect(await result()).toMatchObject({
      outcome: 'succeeded',
      exitCode: 0,
      version: '1.2.3',
      deploymentId: deployment.id,
      runId: deployment.runId,
      jobId: deployment.jobId,
      serviceUrl: cloud.url,
      steps: [{ name: 'Setup' }, { name: 'Step 1', lines: 1 }],
    });
    const { waitSeconds, runSeconds, claimedAt, startedAt, finishedAt } = (await result())!;
    expect([waitSeconds, runSeconds].every((seconds) => seconds >= 0 && seconds < 20)).toBe(true);
    expect([startedAt, claimedAt, finishedAt]).toEqual([startedAt, claimedAt, finishedAt].toSorted());
  });

  it.each([
    ['is down', { status: 503 }],
    ['redirects elsewhere', { status: 302, headers: { location: 'https://login.example' } }],
  ])('ends as unreachable when Pulumi Cloud %s until max_wait', async (_, answer) => {
    const { agent, cloud, result } = await agentOf({ config: { max_wait: '2s' } });
    cloud.script({ method: 'GET', path: /poll/, times: Infinity, answer });
    expect(await agent.run()).toBe(4);
    const { outcome, message, notices, waitSeconds } = (await result())!;
    expect(outcome).toBe('cloud-unreachable');
    expect(waitSeconds).toBeGreaterThanOrEqual(2);
    expect(message).toMatch(
      /^Failed to (?:poll for work|read the claim) for .*(?:Check|Correct service_url)/,
    );
    expect(notices).toHaveLength(1);
  });

  it('stops waiting for Pulumi Cloud once the circuit breaker opens', async () => {
    const { agent, cloud, result } = await agentOf({
      config: { max_wait: '1h' },
      http: { circuitBreakerFailures: 1 },
    });
    cloud.script({ method: 'GET', path: /poll/, times: Infinity, answer: { status: 503 } });
    expect(await agent.run()).toBe(4);
    expect(await result()).toMatchObject({ outcome: 'cloud-unreachable' });
  });

  it('polls only when a job can run here', async () => {
    const error = new ExecutorUnavailableError('Failed to reach Docker for the job: no socket. Start it.', {
      code: 'PRA-DOCKER-01',
    });
    const { agent, cloud, result, target, enqueue } = await agentOf();
    target.check = () => Promise.reject(error);
    enqueue(jobOf('true'));
    expect(await agent.run()).toBe(5);
    expect(await result()).toMatchObject({ outcome: 'target-error', message: error.message });
    expect(cloud.requests).toEqual([]);
  });

  it('does its work while calls that nothing depends on hang', async () => {
    const { agent, cloud, enqueue } = await agentOf();
    cloud.script({ method: 'GET', path: /background/, times: Infinity, answer: 'hang' });
    cloud.script({ method: 'POST', path: /agent-workflows/, times: Infinity, answer: 'hang' });
    const running = agent.run();
    await cloud.waitFor(() => cloud.requests.some(({ path }) => path.includes('background')));
    const deployment = enqueue(jobOf('true'));
    expect(await running).toBe(0);
    expect(deployment.status).toBe('succeeded');
  });

  it('serves its health while it runs, and not afterwards', async () => {
    const { agent, cloud, enqueue, log, root } = await agentOf({ config: { health_threshold: '1m' } });
    const deployment = enqueue(jobOf('until [ -e go ]; do sleep 0.02; done'));
    const running = agent.run();
    await cloud.waitFor(() => deployment.status === 'running');
    const url = /Health is served at (\S+)\./.exec(log.join('\n'))![1]!;
    const response = await fetch(url);
    const name = { deploymentId: deployment.id, stack: 'acme/web/dev', operation: 'update', version: 1 };
    const healthy = { status: 'healthy', deployment: expect.objectContaining(name) };
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 200,
      body: expect.objectContaining(healthy),
    });
    await writeFile(join(root, 'go'), '');
    await running;
    await expect(fetch(url)).rejects.toThrow();
  });

  it('ends with the reason when its directory can’t be made', async () => {
    const { agent, enqueue, log } = await agentOf({ options: { runDirectory: () => '/dev/null/run' } });
    const deployment = enqueue(jobOf('true'));
    expect(await agent.run()).toBe(2);
    expect(log.at(-1)).toMatch(/^error: config-error: .*ENOTDIR/);
    expect(deployment.status).toBe('not-started');
  });
});

describe('images', () => {
  it('are pulled ahead after the first poll without work, and claims are served meanwhile', async () => {
    const pulling: string[] = [];
    const { agent, cloud, enqueue, target } = await agentOf({
      config: { prepull_images: 'acme/slow', max_wait: '20s' },
    });
    const polls = () => cloud.requests.filter(({ path }) => path.endsWith('/poll')).length;
    Object.assign(target, {
      prepull: (image: string) => {
        pulling.push(`${image} after ${polls()}`);
        return new Promise(() => undefined);
      },
    });
    const running = agent.run();
    await cloud.waitFor(() => polls() >= 4, 15_000);
    const deployment = enqueue(jobOf('true'));
    expect(await running).toBe(0);
    expect(deployment.status).toBe('succeeded');
    expect(pulling).toEqual(['acme/slow after 1']);
  });

  it('that replace all others but are not allowed end the agent before it polls', async () => {
    const { agent, cloud, enqueue, result } = await agentOf({
      config: { image: 'evil.com/pulumi/pulumi', allowed_images: 'pulumi/*', single_run: 'false' },
    });
    const deployment = enqueue(jobOf('true'));
    expect(await agent.run()).toBe(5);
    expect(deployment.status).toBe('not-started');
    expect(cloud.requests.filter(({ path }) => path.endsWith('/poll'))).toEqual([]);
    expect(await result()).toBeUndefined();
  });
});

describe('a signal', () => {
  it('while the agent waits ends it, and nothing is claimed', async () => {
    const { agent, cloud, send, result, enqueue } = await agentOf({ config: { polling_interval: '1h' } });
    const running = agent.run();
    await cloud.waitFor(() =>
      cloud.requests.some(({ path, status }) => path.endsWith('/poll') && status === 204),
    );
    const deployment = enqueue(jobOf('true'));
    send('SIGTERM');
    expect(await running).toBe(7);
    expect(await result()).toMatchObject({
      outcome: 'interrupted',
      message: expect.stringContaining('nothing had been claimed'),
    });
    expect(deployment.status).toBe('not-started');
  });

  it('before the agent is ready ends it', async () => {
    const { agent, send, result, cloud } = await agentOf();
    send('SIGINT');
    expect(await agent.run()).toBe(7);
    expect(await result()).toMatchObject({ outcome: 'interrupted' });
    expect(cloud.requests.filter(({ path }) => path.endsWith('/poll'))).toEqual([]);
  });

  it.each([
    ['SIGTERM', 'succeeded', 0],
    ['SIGINT', 'interrupted', 7],
  ])(
    '(%s) during the poll that brings a claim still tells Pulumi Cloud the outcome',
    async (name, outcome, code) => {
      const { agent, cloud, send, result, enqueue, target } = await agentOf();
      const deployment = enqueue(jobOf('echo ran'));
      // The signal arrives once the claim is made, but before the agent reads the answer.
      const claimed = cloud.waitFor(() => deployment.claimedAt !== undefined).then(() => send(name));
      expect(await agent.run()).toBe(code);
      await claimed;
      expect(await result()).toMatchObject({ outcome, deploymentId: deployment.id });
      expect(deployment.endReason).toBe('steps');
      // One more for the trial.
      expect(target.containers).toHaveLength(outcome === 'succeeded' ? 2 : 1);
    },
  );

  it('(SIGTERM) lets a running job end, and a second one interrupts it', async () => {
    const { agent, cloud, send, result, enqueue } = await agentOf();
    const deployment = enqueue(jobOf("trap 'exit 130' INT; echo ready; while :; do sleep 0.02; done"));
    const running = agent.run();
    await cloud.waitFor(() => deployment.steps[1]!.lines.length > 0);
    send('SIGTERM');
    const { statusReads } = deployment;
    await cloud.waitFor(() => deployment.statusReads > statusReads + 1);
    expect(deployment.steps[1]!.status).toBe('running');
    send('SIGTERM');
    expect(await running).toBe(7);
    expect(await result()).toMatchObject({ outcome: 'interrupted', steps: [{}, { exitCode: 130 }] });
  });
});

describe('a Pulumi Cloud that hangs when asked about a job that has ended', () => {
  it.each([
    ['detect-drift', 'true', /\/drift\/runs$/],
    ['detect-drift', 'true', /\/updates$/],
    ['update', 'exit 1', /\/updates$/],
    ['update', 'true', /\/outputs$/],
  ])('does not hold up the end of a cancelled run: %s, %s, %s', async (operation, run, path) => {
    const cloud = await PulumiCloud.start();
    onTestFinished(() => cloud.stop());
    const tokens = new StaticToken(cloud.userToken, ORGANIZATION);
    const deployments = new DeploymentApi(cloudHttp(cloud.url), tokens);
    const file = join(await temporaryDirectory(), 'stack-outputs.json');
    const redactor = new Redactor();
    const stackOutputs = new StackOutputs({ file, redactor, clock: systemClock });
    const options = { deployments, redactor, stackOutputs };
    const { agent, send, result } = await agentOf({ cloud, options });
    cloud.enqueue({ project: 'web', stack: 'dev', poolId: 'pool-1', job: jobOf(run), operation });
    cloud.script({ method: 'GET', path, times: 9, answer: 'hang' });

    const running = agent.run();
    await cloud.waitFor(() => cloud.requests.some(({ path: asked }) => path.test(asked.split('?')[0] ?? '')));
    send('SIGINT');
    await running;
    expect(await result()).toMatchObject({ outcome: run === 'true' ? 'succeeded' : 'failed' });
  });
});

describe('a drift detection that Pulumi’s schedule started', () => {
  const detected = async (
    drifts: boolean,
    { mayAsk = true, oidcToken }: { mayAsk?: boolean; oidcToken?: string } = {},
  ) => {
    const cloud = await PulumiCloud.start();
    onTestFinished(() => cloud.stop());
    const stack = { project: 'web', stack: 'dev', poolId: 'pool-1', job: jobOf('true'), drifts };
    cloud.defineStack(stack);
    const access = new StaticToken(cloud.createOrganizationToken(), ORGANIZATION);
    const deployments = new DeploymentApi(cloudHttp(cloud.url), access);
    const { agent, result, directory } = await agentOf({ cloud, options: mayAsk ? { deployments } : {} });
    cloud.enqueue({ ...stack, operation: 'detect-drift', ...(oidcToken !== undefined && { oidcToken }) });
    await agent.run();
    const events = await readFile(join(directory, 'run-1/events.ndjson'), 'utf8');
    return {
      ...(await result()),
      isKnown: !events.includes('know whether the deployment of acme/web/dev found drift.'),
      isAdvised: events.includes('found drift. Set access_token'),
    };
  };

  it.each([
    ['finds some', true],
    ['finds none', false],
  ])('says so when it %s, though its token calls it a refresh', async (_, drifts) => {
    expect(await detected(drifts)).toMatchObject({
      drift: drifts,
      isKnown: true,
      identity: { operation: 'refresh', proven: true },
    });
  });

  it('is proven by an access token where it has no token of its own', async () => {
    const identity = { stack: 'dev', operation: 'detect-drift', version: 1, proven: true };
    expect(await detected(true, { oidcToken: '' })).toMatchObject({ drift: true, identity });
  });

  it('leaves it open without an access token, says so, and stays green', async () => {
    const { outcome, drift, isKnown, isAdvised } = await detected(true, { mayAsk: false });
    expect({ outcome, drift, isKnown, isAdvised }).toEqual({
      outcome: 'succeeded',
      drift: undefined,
      isKnown: false,
      isAdvised: true,
    });
  });
});
