import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { OrphanSweep, sweepOrphans } from '../../../src/agent/orphans.ts';
import type { Owner } from '../../../src/base/owner.ts';
import { type Liveness, livenessOf, ownerOf, ownOwner, processSpace } from '../../../src/base/owner.ts';
import type { Executor, SweepOptions } from '../../../src/executor/executor.ts';
import { ANY_OWNER, livenessByLabels, ownerLabels } from '../../../src/executor/owner-labels.ts';

const HERE = processSpace();
/** An owner that has ended: this process, which started later, has its pid. */
const DEAD = { ...ownOwner(), started: '1' };
const MINUTE = 60_000;

describe('the liveness of an owner', () => {
  const INITIAL = 'pid:[4026531836]';
  const OTHER = 'pid:[4026532001]';
  const at = (space?: string): Owner => {
    const { space: _, ...owner } = DEAD;
    return space === undefined ? owner : { ...owner, space };
  };

  it.each<[Liveness, string, Owner, string?]>([
    ['alive', 'of this process', ownOwner(), HERE],
    ['alive', 'of this process after its host got another name', { ...ownOwner(), host: 'renamed' }, HERE],
    [
      'alive',
      'of this process after its machine got another card',
      ownOwner(),
      HERE.replace(/^[^/]*/, 'm-2'),
    ],
    ['alive', 'of its parent', ownerOf(process.ppid), HERE],
    // Linux never assigns this pid (PID_MAX_LIMIT).
    ['dead', 'that no process has', { ...DEAD, pid: 2 ** 22 + 1 }, HERE],
    ['dead', 'of a process that started at another time', DEAD, HERE],
    ['unknown', 'of a process whose start could not be read', { ...DEAD, started: 'unknown' }, HERE],
    ['dead', 'from before this machine rebooted', at(`m-1/boot-0/${INITIAL}`)],
    [
      'unknown',
      'from before a reboot, read in a container',
      at(`m-1/boot-0/${INITIAL}`),
      `m-1/boot-1/${OTHER}`,
    ],
    [
      'unknown',
      'from before a reboot, on a machine without a name',
      at(`/boot-0/${INITIAL}`),
      `/boot-1/${INITIAL}`,
    ],
    ['unknown', 'of another machine', at(`m-2/boot-0/${INITIAL}`)],
    ['unknown', 'of another container of this machine', at(`m-1/boot-1/${OTHER}`)],
    ['unknown', 'of a container that has restarted since', at(`m-1/boot-0/${OTHER}`)],
    ['unknown', 'of an agent that did not say where it is', at()],
    ['unknown', 'of a machine whose space is known, where none is', DEAD, ''],
    ['alive', 'of this process where no space is known', { ...at(), started: ownOwner().started }, ''],
    ['dead', 'of a process that started at another time, where no space is known', at(), ''],
  ])('is %s for a pid %s', (liveness, _, owner, here = `m-1/boot-1/${INITIAL}`) => {
    expect(livenessOf(owner, here)).toBe(liveness);
  });

  it('is read from labels, and unknown if they are not ours', () => {
    expect(livenessByLabels(ownerLabels(DEAD))).toBe('dead');
    expect(livenessByLabels(ownerLabels(ownOwner()))).toBe('alive');
    const { 'pulumi-runner.owner-host': _, ...nameless } = ownerLabels(DEAD);
    expect(livenessByLabels(nameless)).toBe('dead');
    const others = { 'owner-pid': ['-1', '1e3', ''], 'owner-space': [''], 'owner-started': ['unknown'] };
    for (const [key, values] of Object.entries(others))
      for (const value of values)
        expect(livenessByLabels({ ...ownerLabels(DEAD), [`pulumi-runner.${key}`]: value })).toBe('unknown');
    expect(livenessByLabels({})).toBe('unknown');
  });
});

/** An executor with an object of each liveness, and a pod abandoned elsewhere; the test controls how long a sweep takes. */
function sweptExecutor() {
  const seen = { sweeps: [] as SweepOptions[], elsewhere: [] as AbortSignal[] };
  const by = {
    removal: Promise.resolve() as Promise<unknown>,
    abandoned: async (): Promise<string[]> => ['Removed pod p.'],
  };
  const objects: Record<string, string>[] = [
    { name: 'mine', ...ownerLabels(ownOwner()) },
    { name: 'orphan', ...ownerLabels(DEAD) },
    { name: 'elsewhere', ...ownerLabels(DEAD), 'pulumi-runner.owner-space': 'm/b/p' },
  ];
  const executor = {
    sweepAbandoned: (signal: AbortSignal) => {
      seen.elsewhere.push(signal);
      return by.abandoned();
    },
    sweep: async (labels: object, _: AbortSignal, how: SweepOptions) => {
      expect(labels).toEqual(ANY_OWNER);
      seen.sweeps.push(how);
      await by.removal;
      return objects.filter((object) => how.only?.(object)).map(({ name }) => `Removed ${name}.`);
    },
  } satisfies Partial<Executor> as unknown as Executor;
  return { seen, by, executor };
}

/** An agent's sweeps with such an executor. */
function sweeping(chance = 0.5) {
  const given = sweptExecutor();
  const said: string[] = [];
  const time = { now: 0 };
  const clock = { now: () => time.now, steady: () => time.now };
  const say = (level: string, text: string) => said.push(`${level}: ${text}`);
  const orphans = new OrphanSweep({ executor: given.executor, clock, random: () => chance, say });
  /** Begins the sweep that is due by then, if any. */
  const at = async (minutes: number) => {
    time.now = minutes * MINUTE;
    orphans.begin();
    await setImmediate();
  };
  return { ...given, said, orphans, at };
}

describe('a sweep of orphans', () => {
  const signal = new AbortController().signal;

  it('removes what a dead agent left, and nothing else', async () => {
    expect(await sweepOrphans(sweptExecutor().executor, { signal })).toEqual([
      'Removed pod p.',
      'Removed orphan.',
    ]);
  });

  it('still cleans up here when it may not look elsewhere, and passes the error on', async () => {
    const { seen, by, executor } = sweptExecutor();
    by.abandoned = () => Promise.reject(new Error('no right'));
    await expect(sweepOrphans(executor, { signal })).rejects.toThrow('no right');
    expect(seen.sweeps).toHaveLength(1);
  });

  it.each([
    [0, 11.25],
    [1, 18.75],
  ])(
    'starts at once, patiently, and again every quarter of an hour (with random %s: %s min)',
    async (chance, minutes) => {
      const { seen, said, at } = sweeping(chance);
      await at(0);
      await at(minutes - 0.01);
      expect(said).toEqual([
        'info: Removed pod p. Its agent is dead.',
        'info: Removed orphan. Its agent is dead.',
      ]);
      // A dead agent's container takes at most 30 s to end gracefully.
      expect(seen.sweeps.map(({ graceMs }) => graceMs)).toEqual([32_000]);
      await at(minutes);
      expect(seen.sweeps).toHaveLength(2);
    },
  );

  it('does not start twice, and leaves what is still ending to itself when the agent ends', async () => {
    const { seen, by, orphans, at } = sweeping();
    const removal = Promise.withResolvers<void>();
    by.removal = removal.promise;
    await at(0);
    await at(60);
    expect(seen.sweeps.map(({ skipGrace }) => skipGrace?.aborted)).toEqual([false]);
    const ended = orphans.end();
    expect(seen.sweeps[0]?.skipGrace?.aborted).toBe(true);
    removal.resolve();
    await ended;
    await at(120);
    expect(seen.sweeps).toHaveLength(1);
  });

  it.each([
    [true, 'it obeys its signal'],
    [false, 'it ignores its signal'],
  ])(
    'is given up two seconds after the agent is asked to end, however often it is asked (%s: %s)',
    async (heeds) => {
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
      expect({ aborted: seen.elsewhere[0]?.aborted, said }).toEqual({ aborted: true, said: [] });
    },
  );

  it('that fails causes one warning, and is tried again', async () => {
    const { said, by, at } = sweeping();
    by.abandoned = () => Promise.reject(new Error('no answer'));
    for (const minutes of [0, 20, 40]) await at(minutes);
    by.abandoned = () => Promise.resolve([]);
    by.removal = Promise.resolve();
    await at(60);
    const failure = 'Failed to look for the remains of dead agents: no answer';
    expect(said.filter((line) => !line.includes('orphan'))).toEqual([
      `warning: ${failure}`,
      `debug: ${failure}`,
      `debug: ${failure}`,
      'info: Looking for the remains of dead agents works again after 3 failures in 3600 s.',
    ]);
  });
});
