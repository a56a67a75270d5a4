import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { OrphanSweep, sweepOrphans } from '../../../src/agent/orphans.ts';
import type { Executor, SweepOptions } from '../../../src/executor/executor.ts';
import { fateByLabels, hostLabels, ownLabels } from '../../../src/executor/labels.ts';
import { fateOf, ownerOf, ownOwner, processSpace } from '../../../src/record/owner.ts';

const HERE = processSpace();
const HOST = ownOwner().host;
/** An owner that has ended: its number is used again, by this process. */
const DEAD = { ...ownOwner(), started: '1' };
const MINUTE = 60_000;

describe('the fate of an owner', () => {
  it('is to be alive, as this process and its parent are', () => {
    expect(fateOf(ownOwner(), HERE)).toBe('alive');
    expect(fateOf(ownerOf(process.ppid)!, HERE)).toBe('alive');
  });

  it('is to be dead when no process has its number, or one that began at another time', () => {
    // No Linux gives a process this number (PID_MAX_LIMIT).
    expect(fateOf({ ...DEAD, pid: 2 ** 22 + 1 }, HERE)).toBe('dead');
    expect(fateOf(DEAD, HERE)).toBe('dead');
  });

  it.each([
    ['on another machine', 'm-2/boot-1/pid:[4026531836]'],
    ['in another container of this machine', 'm-1/boot-1/pid:[4026532001]'],
    ['in a container of this machine, before it was started anew', 'm-1/boot-0/pid:[4026532001]'],
    ['on a machine that has no name, before', '/boot-0/pid:[4026531836]'],
    ['by an agent that did not say where', undefined],
  ])('is unknown where its number counts elsewhere: %s', (_, space) => {
    expect(fateOf(DEAD, space, 'm-1/boot-1/pid:[4026531836]')).toBe('unknown');
    expect(fateOf(DEAD, space, undefined)).toBe('unknown');
  });

  it('is to be dead when this very machine was started anew since', () => {
    const here = 'm-1/boot-1/pid:[4026531836]';
    expect(fateOf(ownOwner(), 'm-1/boot-0/pid:[4026531836]', here)).toBe('dead');
    expect(fateOf(ownOwner(), 'm-1/boot-0/pid:[4026531836]', 'm-1/boot-1/pid:[4026532001]')).toBe('unknown');
    expect(fateOf(ownOwner(), '/boot-0/pid:[4026531836]', '/boot-1/pid:[4026531836]')).toBe('unknown');
  });

  it('is read from labels, and unknown by labels that are none of ours', () => {
    expect(fateByLabels(ownLabels(DEAD))).toBe('dead');
    expect(fateByLabels(ownLabels(ownOwner()))).toBe('alive');
    const others = { 'owner-pid': ['-1', '1e3', ''], 'owner-space': [''], 'owner-started': [], 'owner-host': [] };
    for (const [key, values] of Object.entries(others))
      for (const value of values)
        expect(fateByLabels({ ...ownLabels(DEAD), [`pulumi-runner.${key}`]: value })).toBe('unknown');
    expect(fateByLabels({})).toBe('unknown');
  });
});

/** An executor with one object of each fate here, and one left elsewhere; a sweep takes as long as a test has it. */
function sweptExecutor() {
  const seen = { sweeps: [] as SweepOptions[], elsewhere: [] as AbortSignal[] };
  const by = {
    removal: Promise.resolve() as Promise<unknown>,
    abandoned: async (): Promise<string[]> => ['Removed pod p.'],
  };
  const objects: Record<string, string>[] = [
    { name: 'mine', ...ownLabels(ownOwner()) },
    { name: 'orphan', ...ownLabels(DEAD) },
    { name: 'elsewhere', ...ownLabels(DEAD), 'pulumi-runner.owner-space': 'm/b/p' },
  ];
  const executor = {
    sweepAbandoned: (signal: AbortSignal) => {
      seen.elsewhere.push(signal);
      return by.abandoned();
    },
    sweep: async (labels: object, _: AbortSignal, how: SweepOptions) => {
      expect(labels).toEqual(hostLabels(HOST));
      seen.sweeps.push(how);
      await by.removal;
      return objects.filter((object) => how.only?.(object)).map(({ name }) => `Removed ${name}.`);
    },
  } satisfies Partial<Executor> as unknown as Executor;
  return { seen, by, executor };
}

/** An agent's sweeps of it. */
function sweeping(chance = 0.5) {
  const given = sweptExecutor();
  const said: string[] = [];
  const time = { now: 0 };
  const clock = { now: () => time.now, steady: () => time.now };
  const say = (level: string, text: string) => said.push(`${level}: ${text}`);
  const orphans = new OrphanSweep({ executor: given.executor, host: HOST, clock, random: () => chance, say });
  /** Begins what is due by then. */
  const at = async (minutes: number) => {
    time.now = minutes * MINUTE;
    orphans.begin();
    await setImmediate();
  };
  return { ...given, said, orphans, at };
}

describe('a sweep of orphans', () => {
  const signal = new AbortController().signal;

  it('takes what a dead agent left, and nothing else', async () => {
    expect(await sweepOrphans(sweptExecutor().executor, HOST, { signal })).toEqual([
      'Removed pod p.',
      'Removed orphan.',
    ]);
  });

  it('sweeps here though it may not look elsewhere, and says that', async () => {
    const { seen, by, executor } = sweptExecutor();
    by.abandoned = () => Promise.reject(new Error('no right'));
    await expect(sweepOrphans(executor, HOST, { signal })).rejects.toThrow('no right');
    expect(seen.sweeps).toHaveLength(1);
  });

  it.each([
    [0, 11.25],
    [1, 18.75],
  ])(
    'is made at once, patiently, and again every quarter of an hour (by chance %s: %s min)',
    async (chance, minutes) => {
      const { seen, said, at } = sweeping(chance);
      await at(0);
      await at(minutes - 0.01);
      expect(said).toEqual(['info: Removed pod p. Its agent is dead.', 'info: Removed orphan. Its agent is dead.']);
      // A dead agent's container takes 10 s at most to end gracefully.
      expect(seen.sweeps.map(({ graceMs }) => graceMs)).toEqual([12_000]);
      await at(minutes);
      expect(seen.sweeps).toHaveLength(2);
    },
  );

  it('is not begun twice, and lets what still ends by itself alone when the agent itself ends', async () => {
    const { seen, by, orphans, at } = sweeping();
    const removal = Promise.withResolvers<void>();
    by.removal = removal.promise;
    await at(0);
    await at(60);
    expect(seen.sweeps.map(({ hurry }) => hurry?.aborted)).toEqual([false]);
    const ended = orphans.end();
    expect(seen.sweeps[0]?.hurry?.aborted).toBe(true);
    removal.resolve();
    await ended;
    await at(120);
    expect(seen.sweeps).toHaveLength(1);
  });

  it.each([
    [true, 'one that a signal ends'],
    [false, 'one that none ends'],
  ])('is given up after two seconds when the agent ends, however often (%s: %s)', async (heeds) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { seen, said, by, orphans, at } = sweeping();
    by.abandoned = () =>
      new Promise((_, reject) => {
        if (heeds) seen.elsewhere.at(-1)?.addEventListener('abort', () => reject(new Error('aborted')));
      });
    await at(0);
    for (let time = 0; time < 2; time += 1) {
      const ended = orphans.end();
      await vi.advanceTimersByTimeAsync(1_999);
      expect(seen.elsewhere[0]?.aborted).toBe(time > 0);
      await vi.advanceTimersByTimeAsync(1);
      await ended;
    }
    expect([seen.elsewhere[0]?.aborted, said]).toEqual([true, []]);
  });

  it('that fails is a warning once, and is tried again', async () => {
    const { said, by, at } = sweeping();
    by.abandoned = () => Promise.reject(new Error('no answer'));
    for (const minutes of [0, 20, 40]) await at(minutes);
    by.abandoned = () => Promise.resolve([]);
    by.removal = Promise.resolve();
    await at(60);
    const failure = 'Failed to look for what dead agents left: no answer';
    expect(said.filter((line) => !line.includes('orphan'))).toEqual([
      `warning: ${failure}`,
      `debug: ${failure}`,
      `debug: ${failure}`,
      'info: Looking for what dead agents left works again after 3 failures in 3600 s.',
    ]);
  });
});
