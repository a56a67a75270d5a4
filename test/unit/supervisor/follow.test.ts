import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isAlive, ownerOf } from '../../../src/record/owner.ts';
import type { RecordEvent } from '../../../src/record/schema.ts';
import type { Line } from '../../../src/report/growing-lines.ts';
import { type FollowedStep, type FollowPosition, follow, type RunListener } from '../../../src/supervisor/follow.ts';
import { SampleRun } from '../../support/run/sample-run.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

/** Notes what it is told, a line each. */
class Notes implements RunListener {
  readonly told: string[] = [];
  /** Called with each note. */
  onNote: (note: string) => void = () => undefined;
  wantsMore = true;
  largest = 0;

  async resumed(step: FollowedStep): Promise<void> {
    this.#note(`resumed ${step.index}`);
  }
  async event(event: RecordEvent, step: FollowedStep | undefined): Promise<void> {
    this.#note(`${event.type}${step === undefined ? '' : ` in ${step.index}`}`);
  }
  async lines(step: FollowedStep, lines: readonly Line[]): Promise<boolean> {
    this.largest = Math.max(this.largest, lines.length);
    for (const { text } of lines) this.#note(`${step.index}| ${text}`);
    return this.wantsMore;
  }
  async trouble(message: string): Promise<void> {
    this.#note(`trouble ${message.slice(0, 40)}`);
  }

  #note(note: string): void {
    this.told.push(note);
    this.onNote(note);
  }
}

interface Setup {
  readonly run: SampleRun;
  readonly notes: Notes;
  readonly position: FollowPosition;
  start(over?: { isAlive?: () => boolean; signal?: AbortSignal }): ReturnType<typeof follow>;
}

async function setup(): Promise<Setup> {
  const run = new SampleRun(await temporaryDirectory());
  const notes = new Notes();
  const position: FollowPosition = { events: 0 };
  return {
    run,
    notes,
    position,
    start: ({ isAlive: alive = () => true, signal = new AbortController().signal } = {}) =>
      follow({ directory: run.directory, position, listener: notes, isAlive: alive, signal }),
  };
}

describe('follow', () => {
  test('tells a finished run in the order of the agent: a step’s lines stand before its end', async () => {
    const { run, notes, start } = await setup();
    run.claim();
    const first = run.step(0, 'Setup');
    first('pulled\n');
    run.finishStep(0, 'Setup');
    const second = run.step(1, 'update');
    second('a\nb\nno line end');
    run.finishStep(1, 'update');
    const result = run.result();
    run.close();
    expect(await start()).toEqual({ kind: 'finished', result });
    expect(notes.told).toEqual([
      'claimed',
      'step-started',
      '0| pulled',
      'step-finished in 0',
      'step-started',
      '1| a',
      '1| b',
      '1| no line end',
      'step-finished in 1',
      'outcome',
    ]);
  });

  test('tells a run while it is written, line by line', async () => {
    const { run, notes, start } = await setup();
    const seen = (wanted: string) =>
      new Promise<void>((resolve) => {
        if (notes.told.includes(wanted)) resolve();
        notes.onNote = (note) => note === wanted && resolve();
      });
    const end = start();
    run.claim();
    await seen('claimed');
    const log = run.step(0, 'Setup');
    await seen('step-started');
    for (const text of ['one', 'two', 'three']) {
      log(`${text}\n`);
      await seen(`0| ${text}`);
    }
    run.event({ type: 'notice', level: 'info', message: 'x' });
    await seen('notice in 0');
    log('half');
    run.finishStep(0, 'Setup');
    await seen('0| half');
    run.result({ outcome: 'failed', exitCode: 1 });
    expect((await end).kind).toBe('finished');
    run.close();
  });

  test('goes on in another process at the same line', async () => {
    const { run, notes, position, start } = await setup();
    run.claim();
    const log = run.step(0, 'Setup');
    log('one\ntwo\n');
    const stop = new AbortController();
    notes.onNote = (note) => note === '0| two' && stop.abort();
    expect(await start({ signal: stop.signal })).toEqual({ kind: 'stopped' });

    const saved: FollowPosition = JSON.parse(JSON.stringify(position));
    log('three\n');
    run.finishStep(0, 'Setup');
    run.result();
    run.close();
    const rest = new Notes();
    const { signal } = new AbortController();
    const end = await follow({
      directory: run.directory,
      position: saved,
      listener: rest,
      isAlive: () => false,
      signal,
    });
    expect(end.kind).toBe('finished');
    expect(rest.told).toEqual(['resumed 0', '0| three', 'step-finished in 0', 'outcome']);
  });

  test('can be stopped anywhere: two parts tell what one would, nothing twice and nothing lost', async () => {
    const { run, notes, start } = await setup();
    run.claim();
    for (const index of [0, 1]) {
      const log = run.step(index, `step ${index}`);
      log(Array.from({ length: 5 }, (_, n) => `line ${n}\n`).join(''));
      run.finishStep(index, `step ${index}`);
    }
    run.result();
    run.close();
    await start();
    for (let stopAt = 1; stopAt < notes.told.length; stopAt++) {
      const position: FollowPosition = { events: 0 };
      const first = new Notes();
      const stop = new AbortController();
      first.onNote = () => first.told.length === stopAt && stop.abort();
      const from = { directory: run.directory, position, isAlive: () => false };
      await follow({ ...from, listener: first, signal: stop.signal });
      const second = new Notes();
      await follow({ ...from, listener: second, signal: new AbortController().signal });
      const told = [...first.told, ...second.told].filter((note) => !note.startsWith('resumed'));
      expect(told, `stopped at note ${stopAt}`).toEqual(notes.told);
    }
  });

  test('sees a killed process, with everything it had written', async () => {
    const { run, notes, start } = await setup();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const owner = ownerOf(child.pid ?? 0);
    expect(owner).toBeDefined();
    run.claim();
    const log = run.step(0, 'Setup');
    const end = start({ isAlive: () => owner !== undefined && isAlive(owner) });
    await new Promise<void>((resolve) => {
      notes.onNote = (note) => note === 'step-started' && resolve();
    });
    log('last words');
    const killed = performance.now();
    child.kill('SIGKILL');
    expect(await end).toEqual({ kind: 'died' });
    expect(performance.now() - killed).toBeLessThan(10_000);
    expect(notes.told.at(-1)).toBe('0| last words');
    run.close();
  });

  test('takes a result that a process wrote just before it ended', async () => {
    const { run, start } = await setup();
    run.result();
    run.close();
    expect((await start({ isAlive: () => false })).kind).toBe('finished');
  });

  test('goes on behind lines it can’t read, and waits for the rest of a torn one', async () => {
    const { run, notes, start } = await setup();
    appendFileSync(run.path('events.ndjson'), 'not json\n{"type":"from-the-future","t":"x"}\n');
    run.claim();
    run.result();
    run.close();
    appendFileSync(run.path('events.ndjson'), '{"type":"noti');
    expect((await start()).kind).toBe('finished');
    expect(notes.told).toEqual([expect.stringMatching(/^trouble Failed to read an event/), 'claimed', 'outcome']);
  });

  test('rejects for a result that isn’t one', async () => {
    const { run, start } = await setup();
    writeFileSync(run.path('run.json'), '{"schema":99}');
    await expect(start()).rejects.toThrow(/Failed to read the result/);
    run.close();
  });

  test('reads no file outside the steps, whatever an event says', async () => {
    const { run, notes, start } = await setup();
    writeFileSync(run.path('secret.log'), 'secret\n');
    run.event({ type: 'step-started', index: 0, step: 'x', log: 'steps/../secret.log' });
    run.finishStep(0, 'x');
    run.result();
    run.close();
    await start();
    expect(notes.told).toEqual(['step-started', 'step-finished in 0', 'outcome']);
  });

  test('reads a muted step no further', async () => {
    const { run, notes, start } = await setup();
    const log = run.step(0, 'loud');
    log('x\n'.repeat(200_000));
    run.finishStep(0, 'loud');
    run.result();
    run.close();
    notes.wantsMore = false;
    await start();
    expect(notes.told.filter((note) => note.startsWith('0|')).length).toBe(notes.largest);
    expect(notes.told.slice(-2)).toEqual(['step-finished in 0', 'outcome']);
  });
});
