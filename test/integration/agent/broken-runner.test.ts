import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ContainerError, ImageError } from '../../../src/executor/executor.ts';
import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import { CALLS } from '../../emulators/pulumi-cloud/faults.ts';
import { folder, jobOf } from '../../support/agent/claimed-run.ts';
import { agentOf, isTrial } from '../../support/agent/cloud-agent.ts';

const FULL = new ContainerError('no space left', { code: 'PRA-CONTAINER-01' });

/** A lasting agent with a queue of so many deployments. */
async function lasting(count: number, config: Readonly<Record<string, string>> = {}) {
  const scene = await agentOf({ config: { single_run: 'false', ...config } });
  const queue = Array.from({ length: count }, (_, at) => scene.enqueue(jobOf('true'), `stack-${at}`));
  const claimed = () => queue.filter(({ claimedAt }) => claimedAt !== undefined).length;
  const { log } = scene;
  const said = (words: RegExp) => expect.poll(() => log.join('\n'), { timeout: 20_000 }).toMatch(words);
  const page = async (path: string) => {
    const url = /Health is served at (\S+)\/healthz/.exec(log.join('\n'))?.[1];
    const response = await fetch(`${url}${path}`);
    return { status: response.status, text: await response.text() };
  };
  return { ...scene, queue, claimed, said, page };
}

const ended = (queue: readonly Deployment[]) =>
  queue.filter(({ endReason }) => endReason !== undefined).length;

describe('a lasting agent before a full queue', () => {
  it('whose engine refuses to create containers loses one deployment, and goes on once a trial passes', async () => {
    const { agent, target, queue, claimed, said, page, log, cloud, send } = await lasting(40);
    const { prepare } = target;
    let isFull = false;
    target.prepare = (spec, ...rest) => {
      isFull ||= claimed() > 0;
      return isFull ? Promise.reject(FULL) : prepare.call(target, spec, ...rest);
    };
    const running = agent.run();
    await said(/No trial container starts: no space left/);
    expect({ claimed: claimed(), ended: ended(queue) }).toEqual({ claimed: 1, ended: 1 });
    expect(await page('/livez')).toMatchObject({ status: 200 });
    const health = await page('/healthz');
    expect({ ...health, text: JSON.parse(health.text) }).toMatchObject({
      status: 503,
      text: { status: 'unhealthy', claiming: 'paused', code: 'PRA-CONTAINER-01' },
    });
    expect((await page('/metrics')).text).toContain('\npulumi_runner_claiming_paused 1\n');
    target.prepare = prepare;
    await cloud.waitFor(() => ended(queue) === 40, 60_000);
    expect(await page('/healthz')).toMatchObject({ status: 200 });
    expect((await page('/metrics')).text).toContain('\npulumi_runner_claiming_paused 0\n');
    expect(queue.map(({ status }) => status).toSorted()).toEqual(['failed', ...Array(39).fill('succeeded')]);
    expect(log.filter((line) => /Claiming (pauses|resumes)/.test(line))).toHaveLength(2);
    send('SIGTERM');
    expect(await running).toBe(0);
  }, 90_000);

  it('whose registry is away loses one deployment a pause, whatever a trial shows', async () => {
    const { agent, target, claimed, said, send } = await lasting(10, { polling_interval: '300ms' });
    const { prepare } = target;
    const away = new ImageError('no registry', { code: 'PRA-IMAGE-03', fault: 'elsewhere' });
    target.prepare = (spec, ...rest) =>
      isTrial(spec) ? prepare.call(target, spec, ...rest) : Promise.reject(away);
    const began = performance.now();
    const running = agent.run();
    // Its pauses are 0.3, 0.6 and 1.2 s long.
    await said(/(?:Claiming pauses for [\s\S]*){4}/);
    expect({ claimed: claimed(), isEarly: performance.now() - began < 2_100 }).toEqual({
      claimed: 4,
      isEarly: false,
    });
    send('SIGTERM');
    expect(await running).toBe(0);
  }, 30_000);

  it('whose hook is broken loses one deployment a pause', async () => {
    const hook = join(await folder(), 'before');
    await writeFile(hook, '#!/bin/sh\nset -e\necho "no secret store"\nfalse\n');
    await chmod(hook, 0o755);
    const { agent, claimed, said, send, queue } = await lasting(40, {
      hook_before_job: hook,
      polling_interval: '1h',
    });
    const running = agent.run();
    await said(/Claiming pauses for 6\d minutes/);
    expect({ claimed: claimed(), ended: ended(queue) }).toEqual({ claimed: 1, ended: 1 });
    send('SIGTERM');
    expect(await running).toBe(0);
  }, 30_000);

  it('whose hook refuses every deployment pauses for none', async () => {
    const hook = join(await folder(), 'before');
    await writeFile(hook, '#!/bin/sh\nexit "$PULUMI_RUNNER_REFUSE"\n');
    await chmod(hook, 0o755);
    const { agent, queue, send, cloud, log } = await lasting(3, { hook_before_job: hook });
    const running = agent.run();
    await cloud.waitFor(() => ended(queue) === 3, 30_000);
    send('SIGTERM');
    await running;
    expect(log.join('\n')).not.toContain('Claiming pauses');
  }, 40_000);
});

describe('an answer that may be a claim and cannot be read', () => {
  const odd = { status: 200, body: { jobIdentifier: 'secret-1', job: { token: 'secret-2' } } };
  const shape = '{jobIdentifier: string, job: {token: string}}';
  const script = { method: 'GET', path: CALLS.poll, answer: odd };

  it('ends the claiming of a lasting agent, which stays up until a person acts', async () => {
    const { agent, cloud, claimed, said, page, log, send } = await lasting(3);
    cloud.script(script);
    const running = agent.run();
    await said(/This agent claims nothing more \(PRA-CLOUD-03\)/);
    // Several polling intervals.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(claimed()).toBe(0);
    expect(cloud.requests.filter(({ path }) => path.endsWith('/poll'))).toHaveLength(1);
    expect([(await page('/livez')).status, (await page('/healthz')).status]).toEqual([200, 503]);
    expect(log.join('\n')).toContain(shape);
    expect(log.join('\n')).not.toContain('secret-');
    send('SIGTERM');
    expect(await running).toBe(4);
  }, 30_000);

  it('ends a single run', async () => {
    const { agent, cloud, enqueue, result } = await agentOf();
    const deployment = enqueue(jobOf('true'));
    cloud.script(script);
    expect(await agent.run()).toBe(4);
    expect(deployment.claimedAt).toBeUndefined();
    expect(await result()).toMatchObject({
      outcome: 'cloud-unreachable',
      code: 'PRA-CLOUD-03',
      message: expect.stringContaining(shape),
    });
  });
});

it('a lasting agent that starts on a broken engine claims nothing, and ends when max_wait is over', async () => {
  const { agent, cloud, target, claimed } = await lasting(3, { max_wait: '2s' });
  target.prepare = () => Promise.reject(FULL);
  expect(await agent.run()).toBe(5);
  expect(claimed()).toBe(0);
  expect(cloud.requests.filter(({ path }) => path.endsWith('/poll'))).toEqual([]);
});

describe('a single run on a broken engine', () => {
  it('claims nothing, as its trial shows that no container starts', async () => {
    const { agent, cloud, target, enqueue, result } = await agentOf();
    enqueue(jobOf('true'));
    target.prepare = () => Promise.reject(FULL);
    expect(await agent.run()).toBe(5);
    expect(await result()).toMatchObject({ outcome: 'target-error', code: 'PRA-CONTAINER-01' });
    expect(cloud.requests.filter(({ path }) => path.endsWith('/poll'))).toEqual([]);
  });

  it('claims where there is no image for a trial', async () => {
    const { agent, target, enqueue } = await agentOf();
    const deployment = enqueue(jobOf('true'));
    const { prepare } = target;
    const none = new ImageError('not there', { code: 'PRA-IMAGE-04', fault: 'deployment' });
    target.prepare = (spec, ...rest) =>
      isTrial(spec) ? Promise.reject(none) : prepare.call(target, spec, ...rest);
    expect(await agent.run()).toBe(0);
    expect(deployment.status).toBe('succeeded');
  });
});
