import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { OrphanSweep, sweepOrphans } from '../../../src/agent/orphans.ts';
import { Outage } from '../../../src/cloud/outage.ts';
import type { SweepOptions } from '../../../src/executor/executor.ts';
import { fateByLabels, hostLabels, ownLabels } from '../../../src/executor/labels.ts';
import { fateOf, ownerOf, ownOwner, processSpace } from '../../../src/record/owner.ts';
import { ProcessExecutor } from '../../support/job/process-executor.ts';
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
class Engine extends ProcessExecutor {
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

/** An engine where dead agents of elsewhere leave things too. */
class Cluster extends Engine {
  readonly looks: AbortSignal[] = [];
  abandoned: () => Promise<string[]> = async () => [];
  sweepAbandoned(signal: AbortSignal): Promise<string[]> {
    this.looks.push(signal);
    return this.abandoned();
  }
}

function sweepOf(target: Engine) {
  const told: string[] = [];
  const time = { now: 0, chance: 0.5 };
  const clock = { now: () => time.now, steady: () => time.now };
  const options = {
    target,
    host: ownOwner().host,
    steady: () => time.now,
    random: () => time.chance,
    onRemoved: (line: string) => told.push(line),
    outage: new Outage({ what: 'Looking', say: (level, text) => told.push(`${level}: ${text}`), clock }),
  };
  return { told, time, orphans: new OrphanSweep(options) };
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

  it('looks here though it may not look elsewhere, and says that', async () => {
    const target = new Cluster({ root: await folder() });
    target.abandoned = () => Promise.reject(new Error('no right'));
    const signal = new AbortController().signal;
    await expect(sweepOrphans(target, ownOwner().host, { signal })).rejects.toThrow('no right');
    expect(target.sweeps).toHaveLength(1);
  });

  it('that fails is told, and harms nothing', async () => {
    const target = await engine();
    target.removal = Promise.reject(new Error('no engine'));
    const { orphans, told } = sweepOf(target);
    orphans.start();
    await orphans.end();
    expect(told).toEqual(['warning: What dead agents left could not be looked for: no engine']);
  });
});

describe('while an agent waits', () => {
  const MINUTE = 60_000;

  async function waiting() {
    const target = new Cluster({ root: await folder() });
    const sweep = sweepOf(target);
    /** Waits once more, and for the look that this may begin. */
    const waitAt = async (minutes: number) => {
      sweep.time.now = minutes * MINUTE;
      sweep.orphans.waiting();
      await setImmediate();
    };
    return { target, ...sweep, waitAt };
  }

  it.each([
    [0, 11.25],
    [1, 18.75],
  ])(
    'it looks again for what was left elsewhere, once the time is over (by chance %s: %s min)',
    async (chance, minutes) => {
      const { target, told, time, orphans, waitAt } = await waiting();
      time.chance = chance;
      await waitAt(0);
      await waitAt(minutes - 0.01);
      expect(target.looks).toHaveLength(1);
      target.abandoned = async () => ['Removed pod p.'];
      await waitAt(minutes);
      expect(told).toEqual(['Removed pod p.']);
      await waitAt(2 * minutes - 0.01);
      expect(target.looks).toHaveLength(2);
      await waitAt(2 * minutes);
      expect(target.looks).toHaveLength(3);
      expect(target.sweeps).toHaveLength(1);
      await orphans.end();
    },
  );

  it('it begins no second look while one is under way, and ends it when it ends itself', async () => {
    const { target, told, orphans, waitAt } = await waiting();
    await waitAt(0);
    target.abandoned = () =>
      new Promise((_, reject) => {
        const signal = target.looks.at(-1)!;
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    await waitAt(20);
    await waitAt(60);
    expect(target.looks).toHaveLength(2);
    await orphans.end();
    expect(target.looks[1]!.aborted).toBe(true);
    await waitAt(120);
    expect(target.looks).toHaveLength(2);
    expect(told).toEqual([]);
  });

  it('it tells a failure that lasts once, and goes on', async () => {
    const { target, told, orphans, waitAt } = await waiting();
    target.abandoned = () => Promise.reject(new Error('no answer'));
    for (const minutes of [0, 20, 40]) await waitAt(minutes);
    target.abandoned = () => Promise.resolve([]);
    await waitAt(60);
    const failure = 'What dead agents left could not be looked for: no answer';
    expect(told).toEqual([
      `warning: ${failure}`,
      `debug: ${failure}`,
      `debug: ${failure}`,
      'info: Looking works again after 3 failures in 3600 s.',
    ]);
    await orphans.end();
  });

  it('it looks once where nothing is left elsewhere', async () => {
    const target = await engine();
    const { time, orphans } = sweepOf(target);
    for (const minutes of [0, 20, 40]) {
      time.now = minutes * MINUTE;
      orphans.waiting();
      await setImmediate();
    }
    await orphans.end();
    expect(target.sweeps).toHaveLength(1);
  });
});
