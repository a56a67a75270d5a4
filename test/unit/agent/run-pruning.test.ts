import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeptRuns } from '../../../src/agent/kept-runs.ts';
import { RunRecord } from '../../../src/agent/run-record.ts';
import { ownerOf, ownOwner, processSpace } from '../../../src/record/owner.ts';
import type { Owner } from '../../../src/record/schema.ts';
import { folder } from './claimed-run.ts';

const HERE = processSpace()!;
const DEAD_ELSEWHERE = 'another machine/another boot/pid:[4026531836]';

let neighbour: ChildProcess;
let living: Owner;
let dead: Owner;
beforeAll(async () => {
  neighbour = spawn('sleep', ['600'], { stdio: 'ignore' });
  const other = spawn('sleep', ['600'], { stdio: 'ignore' });
  await Promise.all([once(neighbour, 'spawn'), once(other, 'spawn')]);
  [living, dead] = [ownerOf(neighbour.pid!)!, ownerOf(other.pid!)!];
  other.kill('SIGKILL');
  await once(other, 'exit');
});
afterAll(() => neighbour.kill('SIGKILL'));

interface Run {
  readonly owner?: Owner;
  /** Where the owner's number counts; null: the agent did not say. */
  readonly space?: string | null;
  readonly ends?: boolean;
}

/** A run's directory, as an agent writes it. */
function run(directory: string, { owner = living, space = HERE, ends = true }: Run = {}): string {
  const record = new RunRecord({ version: '1.2.3', owner, now: Date.now, redact: (text) => text });
  record.event({ type: 'agent-started', version: '1.2.3', owner, ...(space === null ? {} : { space }) });
  record.open(directory);
  writeFileSync(record.stepLog(1, 'Step').absolute, 'output\n');
  if (!ends) return directory;
  const end = { outcome: 'succeeded', exitCode: 0, message: 'Done.', waitSeconds: 0, runSeconds: 1 } as const;
  record.close({ ...end, forwarded: [], steps: [] });
  return directory;
}

/** The name of the run number `index`. */
const name = (index: number) => new Date(1_780_000_000_000 + index * 60_000).toISOString().replaceAll(':', '-');

/** Prunes once, as after a job. Returns what was said of it. */
async function prune(base: string, kept: number): Promise<string[]> {
  const said: string[] = [];
  const runs = new KeptRuns({ folder: base, kept, log: (level, message) => said.push(`${level}: ${message}`) });
  runs.ended();
  await runs.end();
  return said;
}

/** What is said of so many removals. */
const removals = (count: number) => [expect.stringMatching(new RegExp(`^info: .* ${count}, as kept_runs is `))];

/** A folder with ten ended runs that are younger than what is asked about. */
async function baseWithTen(): Promise<string> {
  const base = await folder();
  for (let index = 0; index < 10; index++) run(join(base, name(1000 + index)));
  return base;
}

const OLD = name(0);
const events = (directory: string) => join(directory, 'events.ndjson');

describe('the oldest is removed', () => {
  it.each<[string, (directory: string) => unknown]>([
    ['whose agent lives and wrote its result', (at) => run(at)],
    ['whose agent is elsewhere and wrote its result', (at) => run(at, { owner: dead, space: DEAD_ELSEWHERE })],
    ['whose agent said not where it is, and wrote its result', (at) => run(at, { space: null })],
    ['whose agent is dead', (at) => run(at, { owner: dead, ends: false })],
    [
      'with folders, files and links of all kinds in it',
      (at) => {
        run(at);
        mkdirSync(join(at, 'steps/deep/deeper'), { recursive: true });
        symlinkSync('/etc', join(at, 'steps/deep/etc'));
        symlinkSync('nowhere', join(at, 'dangling'));
        writeFileSync(join(at, 'run.json.part'), '');
      },
    ],
    [
      'whose removal was cut short',
      (at) => {
        run(at);
        for (const gone of ['steps', 'health.ndjson', 'events.ndjson']) rmSync(join(at, gone), { recursive: true });
      },
    ],
    [
      'that two agents began in the same millisecond, both of them over',
      (at) => {
        run(at, { owner: dead, ends: false });
        run(at);
      },
    ],
  ])('%s', async (_, make) => {
    const base = await baseWithTen();
    make(join(base, OLD));
    expect(await readdir(base)).toContain(OLD);
    expect(await prune(base, 10)).toEqual(removals(1));
    expect((await readdir(base)).sort()).toEqual(Array.from({ length: 10 }, (__, index) => name(1000 + index)));
  });
});

describe('nothing else is', () => {
  it.each<[string, string, (at: string) => unknown]>([
    ['a run whose agent lives', OLD, (at) => run(at, { ends: false })],
    ['a run whose agent is elsewhere', OLD, (at) => run(at, { owner: dead, space: DEAD_ELSEWHERE, ends: false })],
    ['a run whose agent said not where it is', OLD, (at) => run(at, { owner: dead, space: null, ends: false })],
    [
      'a run whose agent has this one’s name, number and start, elsewhere',
      OLD,
      (at) => run(at, { owner: ownOwner(), space: DEAD_ELSEWHERE, ends: false }),
    ],
    [
      'a run beside that a living agent began in the same millisecond',
      OLD,
      (at) => [run(at, { ends: false }), run(at, { owner: dead })],
    ],
    ['a directory that a run has only just made', OLD, (at) => mkdirSync(join(at, 'steps'), { recursive: true })],
    [
      'a run whose first line is not whole',
      OLD,
      (at) => writeFileSync(events(run(at)), '{"t":"","type":"agent-started","ver'),
    ],
    [
      'a run whose first line is another version’s',
      OLD,
      (at) => appendFileSync(events(run(at)), '{"t":"","type":"agent-started"}\n'),
    ],
    ['a result that is none', OLD, (at) => writeFileSync(join(run(at, { owner: dead }), 'run.json'), '{"schema":2}')],
    ['a result that is a pipe', OLD, (at) => execFileSync('mkfifo', [join(run(at, { ends: false }), 'run.json')])],
    ['events that are a pipe', OLD, (at) => [rmSync(events(run(at))), execFileSync('mkfifo', [events(at)])]],
    [
      'events that are a link',
      OLD,
      (at) => {
        const elsewhere = run(join(at, '../elsewhere'), { owner: dead, ends: false });
        rmSync(events(run(at, { owner: dead, ends: false })));
        symlinkSync(events(elsewhere), events(at));
      },
    ],
    ['a link to a run', OLD, (at) => symlinkSync(run(join(at, '../elsewhere')), at)],
    ['a file', OLD, (at) => writeFileSync(at, '{}')],
    ['a run of another user', OLD, (at) => chownSync(run(at), 65_534, 65_534)],
    ['a run under another name', 'important', run],
    ['a run under a name like those', `${OLD}.bak`, run],
    ['a run under a name with another precision', OLD.replace(/\.\d+Z/, 'Z'), run],
    ['a run under a time with colons', '2026-01-01T10:00:00.000Z', run],
    ['a run one folder deeper', 'archive', (at) => run(join(at, OLD))],
  ])('%s', async (_, called, make) => {
    const base = await baseWithTen();
    make(join(base, called));
    const before = await readdir(base, { recursive: true });
    expect(await prune(base, 10)).toEqual([]);
    expect(await readdir(base, { recursive: true })).toEqual(before);
    // What stays does not count either: of the others as many stay as without it.
    expect(await prune(base, 4)).toEqual(removals(6));
    const left = await readdir(base);
    expect(left).toContain(called);
    expect(left.filter((each) => each >= name(1000) && each <= name(1009))).toHaveLength(4);
  });

  it('not this agent’s present run, which isn’t counted either', async () => {
    const base = await baseWithTen();
    for (const at of [OLD, name(2000)]) run(join(base, at), { owner: ownOwner(), ends: false });
    expect(await prune(base, 1)).toEqual(removals(9));
    expect((await readdir(base)).sort()).toEqual([OLD, name(1009), name(2000)]);
  });

  it('nor what a link in a run leads to', async () => {
    const base = await baseWithTen();
    const outside = await folder();
    writeFileSync(join(outside, 'precious'), 'x');
    symlinkSync(outside, join(run(join(base, OLD)), 'steps/link'));
    expect(await prune(base, 10)).toEqual(removals(1));
    expect(readFileSync(join(outside, 'precious'), 'utf8')).toBe('x');
  });

  it('and a folder that is not there, or has none too many, is left as it is', async () => {
    expect(await prune(join(await folder(), 'none'), 1)).toEqual([]);
    expect(await prune(await baseWithTen(), 10)).toEqual([]);
  });
});

it('goes by age', async () => {
  const base = await baseWithTen();
  expect(await prune(base, 4)).toEqual(removals(6));
  expect((await readdir(base)).sort()[0]).toBe(name(1006));
});

it('two agents that do it at once share the work', async () => {
  const base = await folder();
  for (let index = 0; index < 40; index++) run(join(base, name(index)));
  await Promise.all([prune(base, 3), prune(base, 3), prune(base, 3)]);
  expect((await readdir(base)).sort()).toEqual([name(37), name(38), name(39)]);
});

it('what can’t be removed is told, and the rest is', async () => {
  const base = await baseWithTen();
  const nobody = 65_534;
  const stuck = run(join(base, OLD));
  for (const path of ['', ...(await readdir(base, { recursive: true }))]) chownSync(join(base, path), nobody, nobody);
  chownSync(join(stuck, 'steps'), 0, 0);
  process.seteuid?.(nobody);
  try {
    expect(await prune(base, 9)).toEqual([
      expect.stringMatching(/^warning: Failed to remove the run directory \S+ for kept_runs: EACCES/),
      ...removals(1),
    ]);
    expect(await readdir(base)).toHaveLength(10);
    // Its result is still there, so it goes when it can.
    process.seteuid?.(0);
    chownSync(join(stuck, 'steps'), nobody, nobody);
    process.seteuid?.(nobody);
    expect(await prune(base, 9)).toEqual(removals(1));
  } finally {
    process.seteuid?.(0);
  }
});
