import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { fateByLabels, hostLabels, ownLabels } from '../../../src/agent/labels.ts';
import { OrphanSweep, sweepOrphans } from '../../../src/agent/orphans.ts';
import { fateOf, processSpace } from '../../../src/record/fate.ts';
import { ownerOf, ownOwner } from '../../../src/record/owner.ts';
import type { SweepOptions } from '../../../src/target/target.ts';
import { ProcessTarget } from '../job/process-target.ts';
import { folder } from './claimed-run.ts';

const HERE = processSpace()!;

/** An owner whose process has ended. */
async function dead() {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const owner = ownerOf(child.pid!)!;
  child.kill('SIGKILL');
  await once(child, 'exit');
  return owner;
}

describe('the fate of an owner', () => {
  it('is to be alive, as this process and its parent are', () => {
    expect(fateOf(ownOwner(), HERE)).toBe('alive');
    expect(fateOf(ownerOf(process.ppid)!, HERE)).toBe('alive');
  });

  it('is to be dead when nobody has its number, or somebody who began at another time', async () => {
    expect(fateOf(await dead(), HERE)).toBe('dead');
    expect(fateOf({ ...ownOwner(), started: '1' }, HERE)).toBe('dead');
  });

  it.each([
    ['on another machine', 'm-2/boot-1/pid:[4026531836]'],
    ['in another container of this machine', 'm-1/boot-1/pid:[4026532001]'],
    ['in a container of this machine, before it was started anew', 'm-1/boot-0/pid:[4026532001]'],
    ['on a machine that has no name, before', '/boot-0/pid:[4026531836]'],
    ['by an agent that did not say where', undefined],
  ])('is unknown where its number counts elsewhere: %s', async (_, space) => {
    expect(fateOf(await dead(), space, 'm-1/boot-1/pid:[4026531836]')).toBe('unknown');
    expect(fateOf(await dead(), space, undefined)).toBe('unknown');
  });

  it('is to be dead when this very machine was started anew since', () => {
    const here = 'm-1/boot-1/pid:[4026531836]';
    expect(fateOf(ownOwner(), 'm-1/boot-0/pid:[4026531836]', here)).toBe('dead');
    expect(fateOf(ownOwner(), 'm-1/boot-0/pid:[4026531836]', 'm-1/boot-1/pid:[4026532001]')).toBe('unknown');
    expect(fateOf(ownOwner(), '/boot-0/pid:[4026531836]', '/boot-1/pid:[4026531836]')).toBe('unknown');
  });

  it('is read from labels, and unknown by labels that are none of ours', async () => {
    const owner = await dead();
    expect(fateByLabels(ownLabels(owner))).toBe('dead');
    expect(fateByLabels(ownLabels(ownOwner()))).toBe('alive');
    for (const key of Object.keys(ownLabels(owner)))
      expect(fateByLabels({ ...ownLabels(owner), [key]: '' })).not.toBe('alive');
    for (const [key, value] of [
      ['pulumi-runner.owner-pid', '-1'],
      ['pulumi-runner.owner-pid', '1e3'],
      ['pulumi-runner.owner-pid', ''],
      ['pulumi-runner.owner-space', ''],
    ] as const)
      expect(fateByLabels({ ...ownLabels(owner), [key]: value })).toBe('unknown');
    expect(fateByLabels({})).toBe('unknown');
  });
});

/** An engine with one object of each fate, and a removal that takes as long as it is told to. */
class Engine extends ProcessTarget {
  readonly sweeps: SweepOptions[] = [];
  readonly begun = Promise.withResolvers<void>();
  removal: Promise<unknown> = Promise.resolve();
  objects: Record<string, string>[] = [];
  override async sweep(labels = {}, _?: AbortSignal, how: SweepOptions = {}): Promise<string[]> {
    expect(labels).toEqual(hostLabels(ownOwner().host));
    this.sweeps.push(how);
    this.begun.resolve();
    await this.removal;
    return this.objects.filter((object) => how.only?.(object)).map(({ name }) => `Removed ${name}.`);
  }
}

async function engine(): Promise<Engine> {
  const made = new Engine({ root: await folder() });
  made.objects = [
    { name: 'mine', ...ownLabels(ownOwner()) },
    { name: 'orphan', ...ownLabels(await dead()) },
    { name: 'elsewhere', ...ownLabels(await dead()), 'pulumi-runner.owner-space': 'm/b/p' },
  ];
  return made;
}

function sweepOf(target: Engine) {
  const told: string[] = [];
  const options = { target, host: ownOwner().host, onRemoved: (line: string) => told.push(line) };
  return { told, orphans: new OrphanSweep({ ...options, onFailure: (why) => told.push(`failed: ${why}`) }) };
}

describe('a sweep of orphans', () => {
  it('takes what a dead agent left, and nothing else', async () => {
    const signal = new AbortController().signal;
    expect(await sweepOrphans(await engine(), ownOwner().host, { signal })).toEqual(['Removed orphan.']);
  });

  it('is made once, patiently, and told', async () => {
    const target = await engine();
    const { orphans, told } = sweepOf(target);
    orphans.start();
    orphans.start();
    await orphans.end();
    expect(told).toEqual(['Removed orphan.']);
    expect(target.sweeps).toHaveLength(1);
    // A dead agent's container takes 10 s at most to end in order.
    expect(target.sweeps[0]!.graceMs).toBeGreaterThan(10_000);
  });

  it('lets what still ends by itself alone when the agent itself ends', async () => {
    const target = await engine();
    const removal = Promise.withResolvers<void>();
    target.removal = removal.promise;
    const { orphans } = sweepOf(target);
    orphans.start();
    await target.begun.promise;
    expect(target.sweeps[0]!.hurry!.aborted).toBe(false);
    const ended = orphans.end();
    expect(target.sweeps[0]!.hurry!.aborted).toBe(true);
    removal.resolve();
    await ended;
  });

  it('is not begun by an end, nor after it by the time that was set', async () => {
    const target = await engine();
    const { orphans } = sweepOf(target);
    orphans.startSoon();
    await orphans.end();
    expect(target.sweeps).toEqual([]);
  });

  it('that fails is told, and harms nothing', async () => {
    const target = await engine();
    target.removal = Promise.reject(new Error('no engine'));
    const { orphans, told } = sweepOf(target);
    orphans.start();
    await orphans.end();
    expect(told).toEqual(['failed: no engine']);
  });
});
