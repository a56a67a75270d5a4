import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KeptRuns } from '../../../src/agent/kept-runs.ts';
import { isRunDirectoryName, runDirectories } from '../../../src/agent/run-directories.ts';
import { systemClock } from '../../../src/clock.ts';
import { processSpace } from '../../../src/record/fate.ts';
import { TargetUnavailableError } from '../../../src/target/target.ts';
import { folder, jobOf } from './claimed-run.ts';
import { agentOf } from './cloud-agent.ts';

describe('a single run', () => {
  it('serves one claim and ends with its outcome', async () => {
    const { agent, cloud, enqueue, result } = await agentOf();
    const deployment = enqueue(jobOf('echo hello'));
    expect(await agent.run()).toBe(0);
    expect(deployment.status).toBe('succeeded');
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

  it('claims nothing more after it', async () => {
    const { agent, cloud, enqueue } = await agentOf();
    enqueue(jobOf('true'));
    const second = enqueue(jobOf('true'), 'other');
    await agent.run();
    expect(second.status).toBe('not-started');
    expect(cloud.requests.filter(({ path }) => path.endsWith('/poll'))).toHaveLength(1);
  });

  it('ends without work when its time is up', async () => {
    const plain = await agentOf({ config: { max_wait: '0s' } });
    expect(await plain.agent.run()).toBe(0);
    expect(await plain.result()).toMatchObject({ outcome: 'no-work', steps: [], runSeconds: 0 });
    const strict = await agentOf({ config: { max_wait: '2s', fail_on_no_work: 'true' } });
    expect(await strict.agent.run()).toBe(75);
    expect(strict.cloud.requests.filter(({ path }) => path.endsWith('/poll')).length).toBeGreaterThanOrEqual(2);
  });

  it('ends with the refusal of a poll', async () => {
    const { agent, cloud, result, log } = await agentOf();
    cloud.script({ method: 'GET', path: /poll/, answer: { status: 403, body: { message: 'not your pool' } } });
    expect(await agent.run()).toBe(3);
    expect((await result())?.message).toContain('HTTP 403 not your pool');
    expect(log.at(-1)).toMatch(/^error: auth-error: Failed to poll/);
  });

  it.each([
    ['is down', { status: 503 }],
    ['is something else', { status: 302, headers: { location: 'https://login.example' } }],
    ['answers with a page', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>sign in</html>' }],
  ])('ends as unreachable when Pulumi Cloud %s to the end', async (_, answer) => {
    const { agent, cloud, result } = await agentOf({ config: { max_wait: '2s' } });
    cloud.script({ method: 'GET', path: /poll/, times: Infinity, answer });
    expect(await agent.run()).toBe(4);
    const { outcome, message, notices } = (await result())!;
    expect(outcome).toBe('cloud-unreachable');
    expect(message).toMatch(/^Failed to (?:poll for work|read the claim) for .*(?:Check|Correct service_url)/);
    expect(notices.length).toBeGreaterThanOrEqual(2);
  });

  it('polls only when a job can run here', async () => {
    const error = new TargetUnavailableError('Failed to reach Docker for the job: no socket. Start it.');
    const { agent, cloud, result, target, enqueue } = await agentOf();
    target.check = () => Promise.reject(error);
    enqueue(jobOf('true'));
    expect(await agent.run()).toBe(5);
    expect(await result()).toMatchObject({ outcome: 'target-error', message: error.message });
    expect(cloud.requests).toEqual([]);
  });

  it('is not kept from its work by calls that nothing depends on', async () => {
    const { agent, cloud, enqueue } = await agentOf();
    cloud.script({ method: 'GET', path: /background/, times: Infinity, answer: 'hang' });
    cloud.script({ method: 'POST', path: /agent-workflows/, times: Infinity, answer: 'hang' });
    const running = agent.run();
    await cloud.waitFor(() => cloud.requests.some(({ path }) => path.includes('background')));
    const deployment = enqueue(jobOf('true'));
    expect(await running).toBe(0);
    expect(deployment.status).toBe('succeeded');
  });

  it('serves its health meanwhile, and not after', async () => {
    const { agent, cloud, enqueue, log } = await agentOf();
    const deployment = enqueue(jobOf('echo ready; sleep 0.5'));
    const running = agent.run();
    await cloud.waitFor(() => deployment.status === 'running');
    const url = /Health is served at (\S+)\./.exec(log.join('\n'))![1]!;
    const response = await fetch(url);
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ status: 'healthy' })]);
    await running;
    await expect(fetch(url)).rejects.toThrow();
  });

  it('ends although its directory can’t be made, and says why', async () => {
    const { agent, enqueue, log } = await agentOf({ options: () => ({ runDirectory: () => '/dev/null/run' }) });
    const deployment = enqueue(jobOf('true'));
    expect(await agent.run()).toBe(2);
    expect(log.at(-1)).toMatch(/^error: config-error: .*ENOTDIR/);
    expect(deployment.status).toBe('not-started');
  });
});

describe('a signal', () => {
  it('while it waits ends the agent, and nothing is claimed', async () => {
    const { agent, cloud, send, result, enqueue } = await agentOf({ config: { polling_interval: '1h' } });
    const running = agent.run();
    await cloud.waitFor(() => cloud.requests.some(({ path, status }) => path.endsWith('/poll') && status === 204));
    const deployment = enqueue(jobOf('true'));
    send('SIGTERM');
    expect(await running).toBe(7);
    expect(await result()).toMatchObject({
      outcome: 'interrupted',
      message: expect.stringContaining('nothing had been claimed'),
    });
    expect(deployment.status).toBe('not-started');
  });

  it('before it was ready ends it', async () => {
    const { agent, send, result, cloud } = await agentOf();
    send('SIGINT');
    expect(await agent.run()).toBe(7);
    expect(await result()).toMatchObject({ outcome: 'interrupted' });
    expect(cloud.requests.filter(({ path }) => path.endsWith('/poll'))).toEqual([]);
  });

  it.each([
    ['SIGTERM', 'succeeded', 0],
    ['SIGINT', 'interrupted', 7],
  ])('%s during the poll that brings a claim: Pulumi Cloud is told how that ended', async (name, outcome, code) => {
    const { agent, cloud, send, result, enqueue, target } = await agentOf();
    const deployment = enqueue(jobOf('echo ran'));
    // The claim has been given when the signal comes, but its answer has not been read.
    const claimed = cloud.waitFor(() => deployment.claimedAt !== undefined).then(() => send(name));
    expect(await agent.run()).toBe(code);
    await claimed;
    expect(await result()).toMatchObject({ outcome, deploymentId: deployment.id });
    expect(deployment.endReason).toBe('steps');
    expect(target.containers).toHaveLength(outcome === 'succeeded' ? 1 : 0);
  });

  it('SIGTERM lets a running job end, and a second one interrupts it', async () => {
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

describe('a lasting agent', () => {
  it('serves one claim after the other, each with a record of its own, until it is told to end', async () => {
    const { agent, cloud, send, result, enqueue, directory } = await agentOf({ config: { single_run: 'false' } });
    const failing = enqueue(jobOf('exit 1'));
    const running = agent.run();
    await cloud.waitFor(() => failing.endReason !== undefined);
    const good = enqueue(jobOf('echo ready; sleep 0.3'), 'other');
    await cloud.waitFor(() => good.steps[1]!.lines.length > 0);
    send('SIGTERM');
    expect(await running).toBe(0);
    expect([failing.status, good.status]).toEqual(['failed', 'succeeded']);
    expect([(await result(1))?.outcome, (await result(2))?.outcome]).toEqual(['failed', 'succeeded']);
    expect(await readdir(directory)).toEqual(expect.arrayContaining(['run-1', 'run-2']));
  });

  it.each(['SIGTERM', 'SIGINT'])('that %s ends while it waits has not failed', async (name) => {
    const { agent, cloud, send, log } = await agentOf({ config: { single_run: 'false', polling_interval: '1h' } });
    const running = agent.run();
    await cloud.waitFor(() => cloud.requests.some(({ path, status }) => path.endsWith('/poll') && status === 204));
    send(name);
    expect(await running).toBe(0);
    expect(log.at(-1)).toMatch(/^info: no-work: The agent was asked to stop while it waited/);
  });

  it('that is stopped while it looks at its engine after a job that had none has not failed', async () => {
    const { agent, send, log, enqueue, target } = await agentOf({ config: { single_run: 'false' } });
    const looking = Promise.withResolvers<void>();
    let looks = 0;
    target.check = (signal) => {
      looks += 1;
      if (looks === 1) return Promise.resolve('An engine.');
      looking.resolve();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    target.prepare = () => Promise.reject(new TargetUnavailableError('Failed to reach the engine.'));
    const deployment = enqueue(jobOf('true'));
    const running = agent.run();
    await looking.promise;
    send('SIGTERM');
    expect(await running).toBe(0);
    expect(log.at(-1)).toMatch(/^info: no-work: The agent was asked to stop while it waited/);
    expect(deployment.status).toBe('failed');
  });

  it('looks again and again for what dead agents left while it waits, and tells what it removed', async () => {
    // A minute goes by in a millisecond.
    const clock = { ...systemClock, steady: () => systemClock.steady() * 60_000 };
    const { agent, send, log, target } = await agentOf({
      config: { single_run: 'false' },
      options: () => ({ clock }),
    });
    const third = Promise.withResolvers<void>();
    let looks = 0;
    const sweepAbandoned = async () => {
      looks += 1;
      if (looks === 3) third.resolve();
      return [`Removed pod ${looks}.`];
    };
    Object.assign(target, { sweepAbandoned });
    const running = agent.run();
    await third.promise;
    send('SIGTERM');
    expect(await running).toBe(0);
    const told = log.filter((line) => line.includes('Removed'));
    expect(told.slice(0, 2)).toEqual([1, 2].map((n) => expect.stringContaining(`info: Removed pod ${n}.`)));
  });

  it('tries on while Pulumi Cloud is down', async () => {
    const { agent, cloud, send, enqueue } = await agentOf({ config: { single_run: 'false' } });
    cloud.script({ method: 'GET', path: /poll/, times: 3, answer: { status: 503 } });
    const deployment = enqueue(jobOf('true'));
    const running = agent.run();
    await cloud.waitFor(() => deployment.endReason !== undefined);
    expect(deployment.status).toBe('succeeded');
    // It may still be about to end that run, or wait for the next one already.
    send('SIGINT');
    expect(await running).toBe(0);
  });

  it('that can’t run jobs ends before it polls, so that it burns no claim', async () => {
    const { agent, cloud, target, enqueue } = await agentOf({ config: { single_run: 'false' } });
    target.check = () => Promise.reject(new TargetUnavailableError('no engine'));
    const deployment = enqueue(jobOf('true'));
    expect(await agent.run()).toBe(5);
    expect(deployment.status).toBe('not-started');
    expect(cloud.requests).toEqual([]);
  });

  it('whose engine dies later ends after the one claim that showed it', async () => {
    const { agent, target, enqueue } = await agentOf({ config: { single_run: 'false' } });
    target.prepare = () => {
      target.check = () => Promise.reject(new TargetUnavailableError('no engine'));
      return Promise.reject(new TargetUnavailableError('the engine went away'));
    };
    const [first, second] = [enqueue(jobOf('true'), 'one'), enqueue(jobOf('true'), 'two')];
    expect(await agent.run()).toBe(5);
    expect([first.status, second.status]).toEqual(['failed', 'not-started']);
  });

  it('ends when its credentials are refused', async () => {
    const { agent, cloud } = await agentOf({ config: { single_run: 'false' } });
    cloud.script({ method: 'GET', path: /poll/, times: Infinity, answer: { status: 401 } });
    expect(await agent.run()).toBe(3);
  });

  it('keeps a number of ended runs, and touches nothing but the older ones', async () => {
    const base = await folder();
    const lines: string[] = [];
    const log = (level: string, message: string) => lines.push(`${level}: ${message}`);
    const { agent, cloud, enqueue, send } = await agentOf({
      config: { single_run: 'false' },
      options: () => ({
        runDirectory: runDirectories({ runDirectory: base, singleRun: false }, {}),
        keptRuns: new KeptRuns({ folder: base, kept: 2, log }),
      }),
    });
    await writeFile(join(base, 'notes.txt'), 'mine');
    const running = agent.run();
    const seen: string[][] = [];
    for (const stack of ['one', 'two', 'three', 'four', 'five']) {
      const deployment = enqueue(jobOf('echo ready'), stack);
      await cloud.waitFor(() => deployment.endReason !== undefined);
      seen.push(await readdir(base));
    }
    send('SIGTERM');
    expect(await running).toBe(0);
    const newest = new Set(seen.flat().filter(isRunDirectoryName).sort().slice(-2));
    expect(new Set(await readdir(base))).toEqual(new Set([...newest, 'notes.txt']));
    // What says of a killed agent's run that nobody writes it any more.
    const last = join(base, [...newest].at(-1)!, 'events.ndjson');
    const [began] = (await readFile(last, 'utf8')).split('\n');
    expect(JSON.parse(began ?? '')).toMatchObject({ type: 'agent-started', space: processSpace() });
    expect(lines.every((line) => line.startsWith('info: Removed the oldest run directories below '))).toBe(true);
    const removed = lines.map((line) => Number(/: (\d+), as kept_runs is 2\.$/.exec(line)?.[1]));
    expect(removed.reduce((sum, each) => sum + each, 0)).toBe(3);
  });

  it('that can’t look for old runs says so once, and works on', async () => {
    const lines: string[] = [];
    const log = (level: string, message: string) => lines.push(`${level}: ${message}`);
    const { agent, cloud, enqueue, send } = await agentOf({
      config: { single_run: 'false' },
      options: () => ({ keptRuns: new KeptRuns({ folder: '/dev/null', kept: 1, log }) }),
    });
    const running = agent.run();
    for (const stack of ['one', 'two', 'three']) {
      const deployment = enqueue(jobOf('true'), stack);
      await cloud.waitFor(() => deployment.endReason !== undefined);
      expect(deployment.status).toBe('succeeded');
    }
    send('SIGTERM');
    await running;
    expect(lines).toEqual([
      expect.stringMatching(/^warning: Failed to look for old run directories below \/dev\/null: ENOTDIR/),
    ]);
  });

  it('runs a job that it has claimed even when its record can’t be made', async () => {
    const { agent, cloud, enqueue, send, log } = await agentOf({
      config: { single_run: 'false' },
      options: () => ({ runDirectory: () => '/dev/null/run' }),
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
