import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runDirectories, runPruner, runsFolder } from '../../../src/agent/runs/directories.ts';
import type { Owner } from '../../../src/base/owner.ts';
import { ownerOf, ownOwner, processSpace } from '../../../src/base/owner.ts';
import { ServerClock } from '../../../src/cloud/server-clock.ts';
import { runName } from '../../../src/record/run-directory.ts';
import { RunRecord } from '../../../src/record/run-record.ts';
import { folder } from '../../support/agent/claimed-run.ts';
import { ManualClock } from '../../support/job/manual-clock.ts';

const HERE = processSpace();
const ELSEWHERE = 'another machine/another boot/pid:[4026531836]';
const LIVING = ownerOf(process.ppid);
const DEAD = { ...LIVING, started: '1' };
const NOBODY = 65_534;
const DAY = 24 * 60 * 60_000;
/** A few days after the runs of these tests. */
const NOW = '2026-06-01T00:00:00Z';

it.each([
  [{ runDirectory: '/runs' }, { HOME: '/home/me' }, '/runs'],
  [{}, { HOME: '/home/me' }, '/home/me/.local/state/pulumi-runner-agent/runs'],
  [{}, { HOME: '/home/me', XDG_STATE_HOME: '/state' }, '/state/pulumi-runner-agent/runs'],
])('run directories of a lasting agent with %j and %j lie in %s', (config, env, below) => {
  expect(runsFolder(config, env)).toBe(below);
});

it('run directories of agents that begin in the same millisecond are different ones, named after the time', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(NOW) });
  onTestFinished(() => void vi.useRealTimers());
  const base = join(await folder(), 'deep', 'runs');
  const [lasting, other, single] = [false, false, true].map((singleRun) =>
    runDirectories(
      { ...(!singleRun && { runDirectory: base }), singleRun },
      { XDG_STATE_HOME: dirname(base) },
    ),
  );
  const made = [lasting?.(), other?.(), lasting?.()];
  expect(made.map((directory = '') => basename(directory))).toEqual([
    '2026-06-01T00-00-00.000Z',
    '2026-06-01T00-00-00.001Z',
    '2026-06-01T00-00-00.002Z',
  ]);
  expect(await readdir(base)).toHaveLength(3);
  expect(single?.()).toBe(single?.());
});

it('a run directory that can’t be made is named all the same', () => {
  expect(runDirectories({ runDirectory: '/dev/null', singleRun: false }, {})()).toMatch(/^\/dev\/null\/2/);
});

it('a single run uses the run directory that was given', () => {
  expect(runDirectories({ runDirectory: '/run', singleRun: true }, {})()).toBe('/run');
});

/** Writes a run directory as an agent does; `space` null leaves out where the agent is. */
function run(at: string, given: { owner?: Owner; space?: string | null; ends?: boolean } = {}): string {
  const { space: _, ...nowhere } = given.owner ?? LIVING;
  const { space = HERE, ends = true } = given;
  const owner = space === null ? nowhere : { ...nowhere, space };
  const record = new RunRecord({ version: '1.2.3', owner, now: Date.now, redact: (text) => text });
  record.event({ type: 'agent-started', version: '1.2.3', owner });
  record.open(at);
  writeFileSync(record.stepLog(1, 'Step').absolute, 'output\n');
  const end = { outcome: 'succeeded', exitCode: 0, message: 'Done.', waitSeconds: 0, runSeconds: 1 } as const;
  if (ends) record.close({ ...end, forwarded: [], steps: [] });
  return at;
}

/** Adds the beginning of another agent. */
function began(at: string, owner: Owner): void {
  appendFileSync(
    events(at),
    `${JSON.stringify({ t: '', type: 'agent-started', version: '1', owner: { ...owner, space: HERE } })}\n`,
  );
}

/** Writes a run without a result whose agent is elsewhere; returns the path of the missing result. */
function linked(at: string): string {
  return join(run(at, { ends: false, owner: DEAD, space: ELSEWHERE }), 'run.json');
}

/** The name of run number `index`. */
const name = (index: number) =>
  new Date(1_780_000_000_000 + index * 60_000).toISOString().replaceAll(':', '-');
const OLD = name(0);
const events = (directory: string) => join(directory, 'events.ndjson');
const never = new AbortController().signal;

/** Prunes `times` times, as an agent does after each job. Returns the logged lines. */
async function prune(
  base: string,
  kept: number,
  times = 1,
  signal = never,
  now: () => number | undefined = () => Date.parse(NOW),
): Promise<string[]> {
  const said: string[] = [];
  const log = (level: string, message: string) => said.push(`${level}: ${message}`);
  const pruner = runPruner({ keptRuns: kept, keptRunsDays: 14 }, base, log, now, signal);
  for (let count = 0; count < times; count += 1) await pruner();
  return said;
}

/** The line logged for this many removals. */
const removals = (count: number) => [
  expect.stringMatching(new RegExp(`^info: .* ${count}, as kept_runs is `)),
];

/** A folder with five ended runs, younger than the one under test. */
async function baseWithFive(): Promise<string> {
  const base = await folder();
  for (let index = 0; index < 5; index++) run(join(base, name(1000 + index)));
  return base;
}

describe('pruning removes the oldest run', () => {
  it.each<[string, (directory: string) => unknown]>([
    ['whose agent wrote its result', (at) => run(at, { space: null })],
    ['whose agent is dead', (at) => run(at, { owner: DEAD, ends: false })],
    [
      'with folders and links of all kinds in it',
      (at) => {
        mkdirSync(join(run(at), 'steps/deep/deeper'), { recursive: true });
        symlinkSync('/etc', join(at, 'steps/deep/etc'));
        symlinkSync('nowhere', join(at, 'dangling'));
      },
    ],
    [
      'whose removal was cut short',
      (at) => {
        run(at);
        for (const gone of ['steps', 'health.ndjson', 'events.ndjson'])
          rmSync(join(at, gone), { recursive: true });
      },
    ],
    ['that two agents began', (at) => began(run(at), DEAD)],
  ])('%s', async (_, make) => {
    const base = await baseWithFive();
    make(join(base, OLD));
    expect(await readdir(base)).toContain(OLD);
    expect(await prune(base, 5)).toEqual(removals(1));
    expect((await readdir(base)).sort()).toEqual(
      Array.from({ length: 5 }, (__, index) => name(1000 + index)),
    );
  });
});

describe('pruning keeps', () => {
  it.each<[string, string, (at: string) => unknown]>([
    ['a run whose agent is alive', OLD, (at) => run(at, { ends: false })],
    ['a run whose agent is elsewhere', OLD, (at) => run(at, { owner: DEAD, space: ELSEWHERE, ends: false })],
    [
      'a run whose agent did not say where it is',
      OLD,
      (at) => run(at, { owner: DEAD, space: null, ends: false }),
    ],
    ['a run that a living agent began as well', OLD, (at) => began(run(at, { owner: DEAD }), LIVING)],
    [
      'a directory that a run has only just made',
      OLD,
      (at) => mkdirSync(join(at, 'steps'), { recursive: true }),
    ],
    [
      'a run whose first line is cut off',
      OLD,
      (at) => writeFileSync(events(run(at)), '{"t":"","type":"agent-started","v'),
    ],
    [
      'a run of another version',
      OLD,
      (at) => appendFileSync(events(run(at)), '{"t":"","type":"agent-started"}\n'),
    ],
    [
      'a run whose result is invalid',
      OLD,
      (at) => writeFileSync(join(run(at, { owner: DEAD }), 'run.json'), '{"schema":2}'),
    ],
    [
      'a run whose result is a link',
      OLD,
      (at) => symlinkSync(join(run(join(at, '../elsewhere')), 'run.json'), linked(at)),
    ],
    ['a run whose result is a pipe', OLD, (at) => execFileSync('mkfifo', [linked(at)])],
    ['a link to a run', OLD, (at) => symlinkSync(run(join(at, '../elsewhere')), at)],
    ['a run of another user', OLD, (at) => chownSync(run(at), NOBODY, NOBODY)],
    ['a run under another name', 'important', run],
    ['a run with a similar name', `${OLD}.bak`, run],
    ['a run one folder deeper', 'archive', (at) => run(join(at, OLD))],
  ])('%s', async (_, called, make) => {
    const base = await baseWithFive();
    make(join(base, called));
    const before = await readdir(base, { recursive: true });
    expect(await prune(base, 5)).toEqual([]);
    expect(await readdir(base, { recursive: true })).toEqual(before);
    // It doesn't count either: as many of the others stay as without it.
    expect(await prune(base, 2)).toEqual(removals(3));
    const left = await readdir(base);
    expect(left).toContain(called);
    expect(left.filter((each) => each >= name(1000) && each <= name(1004)).sort()).toEqual([
      name(1003),
      name(1004),
    ]);
  });

  it('what a link in a run leads to', async () => {
    const base = await baseWithFive();
    const outside = await folder();
    writeFileSync(join(outside, 'precious'), 'x');
    symlinkSync(outside, join(run(join(base, OLD)), 'steps/link'));
    expect(await prune(base, 5)).toEqual(removals(1));
    expect(readFileSync(join(outside, 'precious'), 'utf8')).toBe('x');
  });

  it('everything if the folder is missing or the agent is asked to end', async () => {
    expect(await prune(join(await folder(), 'none'), 1)).toEqual([]);
    expect(await prune(await baseWithFive(), 1, 1, AbortSignal.abort())).toEqual([]);
  });
});

it('pruning removes runs that are too old, however few there are, but none that may go on', async () => {
  const base = await folder();
  const at = (days: number) => join(base, runName(Date.parse(NOW) - days * DAY));
  for (const days of [13, 13.9, 14.1, 400]) run(at(days));
  run(at(15), { ends: false });
  run(at(16), { owner: DEAD, space: ELSEWHERE, ends: false });
  expect(await prune(base, 100)).toEqual([
    `info: Removed the oldest run directories below ${base}: 2, as kept_runs is 100 and kept_runs_days 14.`,
  ]);
  expect((await readdir(base)).toSorted()).toEqual([16, 15, 13.9, 13].map((days) => basename(at(days))));
});

it('pruning removes nothing as too old by a clock that is a month ahead, of this machine or of Pulumi Cloud', async () => {
  const base = await folder();
  const at = (days: number) => join(base, runName(Date.parse(NOW) - days * DAY));
  for (const days of [0, 1, 2, 13]) run(at(days));
  for (const [told, ahead] of [
    [Date.parse(NOW), 30],
    [Date.parse(NOW) + 30 * DAY, 0],
    [undefined, 30],
  ] as const) {
    const clock = new ManualClock(Date.parse(NOW));
    const server = new ServerClock(clock);
    server.told(told);
    clock.set(ahead * DAY);
    clock.pass(60_000);
    expect(await prune(base, 100, 1, never, () => server.reached)).toEqual([]);
  }
  expect(await readdir(base)).toHaveLength(4);
  // The number decides all the same.
  expect(await prune(base, 3, 1, never, () => undefined)).toEqual(removals(1));
});

it('two agents that prune at once share the work', async () => {
  const base = await folder();
  for (let index = 0; index < 20; index++) run(join(base, name(index)), { owner: ownOwner() });
  await Promise.all([prune(base, 3), prune(base, 3)]);
  expect((await readdir(base)).sort()).toEqual([name(17), name(18), name(19)]);
});

it('pruning warns once about what can’t be read or removed, and removes the rest', async () => {
  expect(await prune('/dev/null', 1, 2)).toEqual([
    expect.stringMatching(/^warning: Failed to look for old run directories below \/dev\/null: ENOTDIR/),
  ]);
  const base = await baseWithFive();
  const stuck = run(join(base, OLD));
  for (const path of ['', ...(await readdir(base, { recursive: true }))])
    chownSync(join(base, path), NOBODY, NOBODY);
  chownSync(join(stuck, 'steps'), 0, 0);
  process.seteuid?.(NOBODY);
  try {
    expect(await prune(base, 4, 2)).toEqual([
      expect.stringMatching(/^warning: Failed to remove the run directory \S+ for kept_runs: EACCES/),
      ...removals(1),
    ]);
    // Its result is still there, so it goes once it can be removed.
    process.seteuid?.(0);
    chownSync(join(stuck, 'steps'), NOBODY, NOBODY);
    process.seteuid?.(NOBODY);
    expect(await prune(base, 4)).toEqual(removals(1));
  } finally {
    process.seteuid?.(0);
  }
});
