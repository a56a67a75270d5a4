import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { HeartbeatTimes } from '../../../src/agent/heartbeat/messages.ts';
import { PoolApi } from '../../../src/cloud/deployments.ts';
import { StaticToken } from '../../../src/cloud/token.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { cloudHttp, never } from '../cloud/cloud-http.ts';
import { claimed, jobOf } from './claimed-run.ts';
import type { Order, Start } from './heartbeats/main-thread.ts';

/** The agent's entry, run from its sources. */
const PROGRAM = join(import.meta.dirname, '../../../src/agent/index.ts');
const QUICK = { intervalMs: 100, retryMs: 50, fenceMs: 60_000 };

/** A program that is run from its sources takes seconds to start on a loaded machine. */
const PATIENCE_MS = 60_000;
vi.setConfig({ testTimeout: 2 * PATIENCE_MS });

const program = (name: string) => join(import.meta.dirname, 'heartbeats', `${name}.ts`);

/** A claim kept by a process of its own, whose main thread can be held up while this one looks on. */
async function kept(times: Partial<HeartbeatTimes> = {}, alone = false) {
  const cloud = await PulumiCloud.start();
  onTestFinished(() => cloud.stop());
  const deployment = cloud.enqueue({ project: 'web', stack: 'dev', poolId: 'pool-1', job: jobOf('true') });
  const { claim } = await new PoolApi(cloudHttp(cloud.url), new StaticToken(cloud.createStaticToken('pool-1'))).poll(
    never,
    never,
  );
  const child: ChildProcess = fork(program('main-thread'), { execArgv: [], stdio: 'inherit' });
  const said: string[] = [];
  const waiting = new Set<() => void>();
  child.on('message', (message: string) => {
    said.push(message);
    for (const look of waiting) look();
  });
  const ended = once(child, 'exit') as Promise<[code: number | null, signal: NodeJS.Signals | null]>;
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const start: Start = {
    claim: claim!,
    serviceUrl: cloud.url,
    program: PROGRAM,
    times: { ...QUICK, ...times },
    alone,
  };
  child.send(start);
  const beats = (count: number) => cloud.waitFor(() => deployment.heartbeats.length >= count, PATIENCE_MS);
  if (!alone) await beats(1);
  return {
    cloud,
    deployment,
    beats,
    said,
    ended,
    tell: (order: Order) => child.send(order),
    hears: (what: string) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (said.includes(what)) resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

describe('the heartbeats’ own thread', () => {
  it('sends them while the main thread is held up, and none any more when the lease has been given up', async () => {
    const { deployment, beats, tell, hears, said, ended } = await kept();
    tell({ block: 3_000 });
    await hears('blocking');
    const before = deployment.heartbeats.length;
    await hears('back');
    // Thirty fit in; a loaded machine may take its time.
    expect(deployment.heartbeats.length).toBeGreaterThan(before + 5);
    await beats(deployment.heartbeats.length + 2);
    expect(said.filter((what) => what !== 'accepted')).toEqual(['blocking', 'back']);
    tell('stop');
    expect(await ended).toEqual([0, null]);
    const { length } = deployment.heartbeats;
    expect(said.at(-1)).toBe('stopped');
    await new Promise((resolve) => setTimeout(resolve, 5 * QUICK.intervalMs));
    expect(deployment.heartbeats).toHaveLength(length);
  });

  it('keeps no process that has nothing else to do', async () => {
    const { ended, deployment } = await kept({}, true);
    expect(await ended).toEqual([0, null]);
    expect(deployment.heartbeats.length).toBeGreaterThan(0);
  });

  it('ends the process when its main thread stands still past the fence, having sent none for as long', async () => {
    const { deployment, tell, ended } = await kept({ fenceMs: 3_000 });
    const began = Date.now();
    tell({ block: 60_000 });
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(Date.now() - began).toBeLessThan(60_000);
    expect(Date.now() - deployment.heartbeats.at(-1)!).toBeGreaterThan(3_000);
  });
});

describe('a run whose heartbeats have a thread', () => {
  const heartbeats = { program: PROGRAM, handOverMs: 0, ...QUICK };

  it('goes as any other, and the last heartbeat is over before the last status', async () => {
    const run = await claimed({ job: jobOf('echo ready; sleep 2'), options: { heartbeats } });
    expect(await run.serve()).toMatchObject({ outcome: 'succeeded' });
    expect(run.deployment.heartbeats.length).toBeGreaterThan(3);
    expect(run.deployment.lateHeartbeats).toBe(0);
    expect(run.notices).toEqual([]);
    run.expectOrderlyEnd();
  });

  it.each([
    ['dies', 'crashing', 'out of its mind'],
    ['gets stuck', 'stuck', 'the thread is stuck'],
    ['can’t be started', 'nowhere', 'Cannot find module'],
  ])('goes on when the thread %s: the main thread sends them, and says so', async (_, name, reason) => {
    // It is found stuck at half of the fence: the other half is room for a loaded machine.
    const times = { ...heartbeats, fenceMs: 12_000 };
    const run = await claimed({
      job: jobOf('echo ready; while [ ! -e over ]; do sleep 0.05; done'),
      options: { heartbeats: { ...times, program: program(name) } },
    });
    const end = run.serve();
    await run.cloud.waitFor(() => run.notices.length > 0, PATIENCE_MS);
    const { length } = run.deployment.heartbeats;
    await run.cloud.waitFor(() => run.deployment.heartbeats.length > length + 3, PATIENCE_MS);
    await run.touch('over');
    expect(await end).toMatchObject({ outcome: 'succeeded' });
    expect(run.notices).toEqual([expect.stringContaining(reason)]);
    expect(run.notices[0]).toMatch(
      /^Failed to keep the heartbeats' own thread for job \S+: .*go on from the main thread/,
    );
    run.expectOrderlyEnd();
  });

  it.each([
    ['no heartbeat is accepted in time', { status: 503 }, 'lease-lost'],
    ['Pulumi Cloud no longer knows the job', { status: 410 }, 'cancelled'],
  ])('is stopped when %s', async (_, answer, outcome) => {
    const run = await claimed({
      job: jobOf("trap 'exit 130' INT; echo ready; while :; do sleep 0.05; done"),
      options: { heartbeats: { ...heartbeats, fenceMs: 5_000 } },
    });
    const end = run.serve();
    await run.cloud.waitFor(() => run.deployment.heartbeats.length > 5, PATIENCE_MS);
    run.cloud.script({ method: 'POST', path: /heartbeat/, times: Infinity, answer });
    expect(await end).toMatchObject({ outcome, steps: [{}, { exitCode: 130 }] });
    expect(run.notices[0]).toMatch(/^Failed to send a heartbeat for /);
  });

  it('tells nothing of a thread that was not ready when the job ended', async () => {
    const run = await claimed({
      job: jobOf('true'),
      options: { heartbeats: { ...heartbeats, program: program('silent') } },
    });
    expect(await run.serve()).toMatchObject({ outcome: 'succeeded' });
    expect(run.notices).toEqual([]);
    run.expectOrderlyEnd();
  });
});
