import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { OutcomeError } from '../../../src/base/outcome.ts';
import { DeploymentApi } from '../../../src/cloud/deployment-api.ts';
import { StaticToken } from '../../../src/cloud/token.ts';
import { ExecutorUnavailableError } from '../../../src/executor/executor.ts';
import { failing as refused } from '../../emulators/pulumi-cloud/faults.ts';
import { jobOf } from '../../support/agent/claimed-run.ts';
import { type AgentOptions, agentOf, isTrial } from '../../support/agent/cloud-agent.ts';
import { cloudHttp } from '../../support/cloud/cloud-http.ts';

describe('a lasting agent', () => {
  it('serves one claim after another, each with its own record, until it is asked to stop', async () => {
    const { agent, cloud, send, result, enqueue, directory } = await agentOf({
      config: { single_run: 'false' },
    });
    const failing = enqueue(jobOf('exit 1'));
    const running = agent.run();
    await cloud.waitFor(() => failing.endReason !== undefined);
    const good = enqueue(jobOf('echo ready; sleep 0.3'), 'other');
    await cloud.waitFor(() => good.steps[1]!.lines.length > 0);
    send('SIGTERM');
    expect(await running).toBe(0);
    expect(failing.status).toBe('failed');
    expect(good.status).toBe('succeeded');
    expect((await result(1))?.outcome).toBe('failed');
    expect((await result(2))?.outcome).toBe('succeeded');
    expect(await readdir(directory)).toEqual(expect.arrayContaining(['run-1', 'run-2']));
    expect(cloud.violations).toEqual([]);
  });

  it('that a signal ends while it waits says how many deployments it served, whatever became of them', async () => {
    const { agent, cloud, send, log, enqueue } = await agentOf({ config: { single_run: 'false' } });
    const failing = enqueue(jobOf('exit 1'));
    const running = agent.run();
    await cloud.waitFor(() => failing.endReason !== undefined);
    await cloud.waitFor(() => cloud.requests.at(-1)?.status === 204 && polls(cloud.requests.at(-1)!));
    send('SIGTERM');
    expect(await running).toBe(0);
    expect(log.at(-1)).toBe(
      'info: succeeded: The agent was asked to stop while it waited; it had served 1 deployment.',
    );
  });

  it('that a signal ends while it waits has not failed', async () => {
    const { agent, cloud, send, log } = await agentOf({
      config: { single_run: 'false', polling_interval: '1h' },
    });
    const running = agent.run();
    await cloud.waitFor(() =>
      cloud.requests.some(({ path, status }) => path.endsWith('/poll') && status === 204),
    );
    send('SIGINT');
    expect(await running).toBe(0);
    expect(log.at(-1)).toMatch(/^info: no-work: The agent was asked to stop while it waited/);
  });

  it('keeps removing what dead agents left while it waits, and says so', async () => {
    // A minute passes in a millisecond.
    const clock = { ...systemClock, steady: () => systemClock.steady() * 60_000 };
    const { agent, send, log, target } = await agentOf({
      config: { single_run: 'false' },
      options: { clock },
    });
    const third = Promise.withResolvers<void>();
    let looks = 0;
    const sweep = async () => {
      looks += 1;
      if (looks === 3) third.resolve();
      return [`Removed pod ${looks}.`];
    };
    Object.assign(target, { sweep });
    const running = agent.run();
    await third.promise;
    send('SIGTERM');
    expect(await running).toBe(0);
    const told = log.filter((line) => line.includes('Removed'));
    expect(told.slice(0, 2)).toEqual([1, 2].map((n) => expect.stringContaining(`info: Removed pod ${n}.`)));
  });

  it('runs a job that it has claimed even when its record can’t be made', async () => {
    const { agent, cloud, enqueue, send, log } = await agentOf({
      config: { single_run: 'false' },
      options: { runDirectory: () => '/dev/null/run' },
    });
    const deployment = enqueue(jobOf('echo ran'));
    const running = agent.run();
    await cloud.waitFor(() => deployment.endReason !== undefined, 5_000);
    send('SIGTERM');
    await running;
    expect(deployment.status).toBe('succeeded');
    expect(log.join('\n')).toMatch(/warning: Failed to make the directory for the run: ENOTDIR/);
  });
});

/** Sleeps a thousandth of the time. */
const quick: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 1_000, signal) };
const polls = ({ path }: { path: string }) => path.endsWith('/poll');

describe('a lasting failure', () => {
  const lasting = (config: Readonly<Record<string, string>> = {}, more: Partial<AgentOptions> = {}) =>
    agentOf({ config: { single_run: 'false', ...config }, options: { clock: quick, ...more } });

  it('to poll does not end the agent', async () => {
    const { agent, cloud, send, enqueue } = await lasting();
    cloud.script({ method: 'GET', path: /poll/, times: 3, answer: refused(403) });
    const deployment = enqueue(jobOf('true'));
    const running = agent.run();
    await cloud.waitFor(() => deployment.endReason !== undefined, 10_000);
    send('SIGTERM');
    expect({ running: await running, status: deployment.status }).toEqual({
      running: 0,
      status: 'succeeded',
    });
  });

  it('of the engine keeps the agent from polling, and what comes before the first poll still happens', async () => {
    const order: string[] = [];
    const beforeWaiting = async () => {
      order.push('started deployments');
      const api = new DeploymentApi(cloudHttp('http://127.0.0.1'), new StaticToken('pul-1'));
      return {
        starts: { started: [], failed: [] },
        elsewhere: new Set<string>(),
        api,
      };
    };
    const { agent, cloud, send, target, enqueue, log } = await lasting({}, { beforeWaiting });
    target.check = async () => {
      order.push(`looked, after ${cloud.requests.length} requests`);
      if (order.length <= 3) throw new ExecutorUnavailableError('no engine', { code: 'PRA-DOCKER-01' });
      return 'An engine.';
    };
    const deployment = enqueue(jobOf('true'));
    const running = agent.run();
    await cloud.waitFor(() => deployment.endReason !== undefined);
    send('SIGTERM');
    expect(await running).toBe(0);
    expect(deployment.status).toBe('succeeded');
    // The trial looks once more.
    expect(order).toEqual([...Array(5).fill('looked, after 0 requests'), 'started deployments']);
    expect(log.filter((line) => line.includes('no engine'))).toEqual([
      expect.stringMatching(/^warning: no engine\. See PRA-DOCKER-01/),
      ...Array(2).fill('debug: no engine'),
    ]);
    expect(log.join('\n')).toContain('info: The place where jobs run works again after 3 failures');
  });

  it.each([
    ['before a step costs no claim', 'before', 'succeeded'],
    ['during a step costs only that claim', 'during', 'failed'],
  ])('of an engine that dies %s', async (_, moment, end) => {
    const { agent, cloud, target, enqueue, send } = await lasting();
    const { prepare } = target;
    let looks = 0;
    const die = () => {
      target.check = async () => {
        looks += 1;
        if (looks < 4) throw new ExecutorUnavailableError('no engine', { code: 'PRA-DOCKER-01' });
        return 'An engine.';
      };
      return Promise.reject(new ExecutorUnavailableError('the engine went away', { code: 'PRA-DOCKER-01' }));
    };
    target.prepare = async (...given) => {
      if (isTrial(given[0])) return prepare.apply(target, given);
      target.prepare = prepare;
      return moment === 'before' ? die() : Object.assign(await prepare.apply(target, given), { start: die });
    };
    const [first, second] = [enqueue(jobOf('true'), 'one'), enqueue(jobOf('true'), 'two')];
    const running = agent.run();
    await cloud.waitFor(() => second.endReason !== undefined);
    send('SIGTERM');
    expect(await running).toBe(0);
    expect(first.status).toBe(end);
    expect(second.status).toBe('succeeded');
    expect(looks).toBeLessThanOrEqual(4);
  });

  it('before the first wait is reported, costs no claim, and is the outcome when the time is up', async () => {
    const beforeWaiting = () =>
      Promise.reject(
        new OutcomeError('config-error', 'Failed to start update: HTTP 404.', { code: 'PRA-TRIGGER-01' }),
      );
    const { agent, enqueue, log } = await lasting({ max_wait: '0s' }, { beforeWaiting });
    const deployment = enqueue(jobOf('true'));
    expect(await agent.run()).toBe(2);
    expect(deployment.status).toBe('succeeded');
    const warning =
      'warning: Failed to start update: HTTP 404. The agent still serves its pool. See PRA-TRIGGER-01';
    expect(log).toContain(warning);
    expect(log.at(-1)).toContain('error: config-error: Failed to start update: HTTP 404.');
  });
});

describe('an agent without time to wait', () => {
  const hurried = () => agentOf({ config: { single_run: 'false', max_wait: '0s' } });

  it('serves what is queued and ends', async () => {
    const { agent, cloud, enqueue } = await hurried();
    const deployments = ['one', 'two', 'three'].map((stack) => enqueue(jobOf('true'), stack));
    expect(await agent.run()).toBe(0);
    expect(deployments.map(({ status }) => status)).toEqual(Array(3).fill('succeeded'));
    expect(cloud.requests.filter(polls)).toHaveLength(4);
  });
});
