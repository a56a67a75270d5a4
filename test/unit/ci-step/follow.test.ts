import { appendFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  type FollowedStep,
  type FollowOptions,
  follow,
  type RunListener,
} from '../../../src/ci-step/follow.ts';
import type { Line } from '../../../src/record/growing-lines.ts';
import type { RecordEvent } from '../../../src/record/schema.ts';
import { SampleRun } from '../../support/run/sample-run.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

/** Notes each call in a line. */
class Notes implements RunListener {
  readonly all: string[] = [];
  /** Called with each note. */
  onNote: (note: string) => void = () => undefined;
  wantsMore = true;

  async resumed(step: FollowedStep): Promise<void> {
    this.#note(`resumed ${step.index}`);
  }
  async event(event: RecordEvent, step: FollowedStep | undefined): Promise<void> {
    this.#note(`${event.type}${step === undefined ? '' : ` in ${step.index}`}`);
  }
  async lines(step: FollowedStep, lines: readonly Line[]): Promise<boolean> {
    for (const { text } of lines) this.#note(`${step.index}| ${text}`);
    return this.wantsMore;
  }
  async quiet(step: FollowedStep, unfinished: string): Promise<void> {
    this.#note(`${step.index}… ${unfinished}`);
  }
  async unreadable(message: string): Promise<void> {
    this.#note(`unreadable ${message.slice(0, 40)}`);
  }
  /** Resolves once there is such a note. */
  async seen(wanted: string): Promise<void> {
    await expect.poll(() => this.all, { timeout: 20_000 }).toContain(wanted);
  }
  #note(note: string): void {
    this.all.push(note);
    this.onNote(note);
  }
}

let run: SampleRun;
let notes: Notes;
beforeEach(async () => {
  run = new SampleRun(await temporaryDirectory());
  notes = new Notes();
  return () => run.close();
});

const start = (over: Partial<FollowOptions> = {}) =>
  follow({
    directory: run.directory,
    position: { events: 0 },
    listener: notes,
    isAlive: () => true,
    steady: () => performance.now(),
    signal: new AbortController().signal,
    ...over,
  });

function finishedRun(): void {
  run.claim();
  run.step(0, 'Setup')('pulled\nno line end');
  run.finishStep(0, 'Setup');
  run.step(1, 'update')('a\nb\n');
  run.finishStep(1, 'update');
  run.result();
}
const FINISHED = [
  ...['claimed', 'step-started', '0| pulled', '0| no line end', 'step-finished in 0'],
  ...['step-started', '1| a', '1| b', 'step-finished in 1', 'outcome'],
];

describe('following', () => {
  test('delivers a run line by line while it is written, and each step’s lines before its end', async () => {
    const end = start();
    run.claim();
    await notes.seen('claimed');
    const log = run.step(0, 'Setup');
    for (const text of ['one', 'two']) {
      log(`${text}\n`);
      await notes.seen(`0| ${text}`);
    }
    run.event({ type: 'notice', level: 'info', message: 'x' });
    await notes.seen('notice in 0');
    log('half');
    run.finishStep(0, 'Setup');
    const result = run.result({ outcome: 'failed', exitCode: 1 });
    expect(await end).toEqual({ kind: 'finished', result });
    expect(notes.all.slice(-4)).toEqual(['notice in 0', '0| half', 'step-finished in 0', 'outcome']);
  });

  test('gives its place when it stops at lines that were on their way', async () => {
    const stop = new AbortController();
    const position: FollowOptions['position'] = { events: 0 };
    let saved: unknown;
    const onDelivered = () => {
      saved = structuredClone(position);
    };
    notes.onNote = (note) => {
      if (note === '0| two') stop.abort();
    };
    const end = start({ signal: stop.signal, position, onDelivered });
    const log = run.step(0, 'Setup');
    log('one\n');
    await notes.seen('0| one');
    log('two\n');
    expect(await end).toEqual({ kind: 'stopped' });
    expect(position.step?.offset).toBe(8);
    expect(saved).toEqual(position);
  });

  test('tells every five minutes of a step that ends no line, with the end of its line and nothing delivered', async () => {
    let now = 0;
    const stop = new AbortController();
    const position: FollowOptions['position'] = { events: 0 };
    const end = start({ steady: () => now, signal: stop.signal, position });
    const log = run.step(1, 'update');
    log('creating\n@ updating.');
    await notes.seen('1| creating');
    now += 299_999;
    log('.');
    await start({ signal: AbortSignal.timeout(500) });
    expect(notes.all.filter((note) => note.startsWith('1…'))).toEqual([]);
    now += 1;
    await notes.seen('1… @ updating..');
    const { offset } = position.step ?? {};
    expect(offset).toBe('creating\n'.length);
    log('.');
    now += 300_000;
    await notes.seen('1… @ updating...');
    log(' done\n');
    await notes.seen('1| @ updating... done');
    now += 299_999;
    log(`50 %\r${'='.repeat(2_000)}\r99 %\r`);
    now += 1;
    await notes.seen('1… 99 %');
    stop.abort();
    await end;
    expect(notes.all.filter((note) => note.startsWith('1…'))).toHaveLength(3);
  });

  test('tells of a step whose lines the console shows no more, too', async () => {
    let now = 0;
    notes.wantsMore = false;
    const stop = new AbortController();
    const end = start({ steady: () => now, signal: stop.signal });
    const log = run.step(1, 'update');
    log('one\ntw');
    await notes.seen('1| one');
    log('o\nthree');
    now += 300_000;
    await notes.seen('1… ');
    stop.abort();
    await end;
  });

  test('can be stopped anywhere and resumed elsewhere, with nothing lost and nothing twice', async () => {
    finishedRun();
    for (let stopAt = 1; stopAt < FINISHED.length; stopAt++) {
      const position = { events: 0 };
      const [first, second] = [new Notes(), new Notes()];
      const stop = new AbortController();
      first.onNote = () => first.all.length === stopAt && stop.abort();
      await start({ position, listener: first, signal: stop.signal });
      // Another process continues from the saved position.
      expect((await start({ position: JSON.parse(JSON.stringify(position)), listener: second })).kind).toBe(
        'finished',
      );
      const all = [...first.all, ...second.all].filter((note) => !note.startsWith('resumed'));
      expect(all, `stopped at note ${stopAt}`).toEqual(FINISHED);
    }
  });

  test('ends when the process is gone, with everything that it wrote', async () => {
    let alive = true;
    const end = start({ isAlive: () => alive });
    const log = run.step(0, 'Setup');
    await notes.seen('step-started');
    log('the last it said');
    alive = false;
    expect(await end).toEqual({ kind: 'died' });
    expect(notes.all.at(-1)).toBe('0| the last it said');
  });

  test('finds a result that a process wrote just before it ended', async () => {
    run.result();
    expect((await start({ isAlive: () => false })).kind).toBe('finished');
  });

  test('continues after lines it can’t read, and waits for the rest of a torn one', async () => {
    appendFileSync(run.path('events.ndjson'), 'not json\n{"type":"from-the-future","t":"x"}\n');
    run.result();
    appendFileSync(run.path('events.ndjson'), '{"type":"noti');
    await start();
    expect(notes.all).toEqual([expect.stringMatching(/^unreadable Failed to read an event/), 'outcome']);
  });

  test('rejects an invalid result', async () => {
    writeFileSync(run.path('run.json'), '{"schema":99}');
    await expect(start()).rejects.toThrow(/Failed to read the result/);
  });

  test('reads no file outside the steps folder, whatever an event says', async () => {
    writeFileSync(run.path('secret.log'), 'secret\n');
    run.event({ type: 'step-started', index: 0, step: 'x', log: 'steps/../secret.log' });
    run.finishStep(0, 'x');
    run.result();
    await start();
    expect(notes.all).toEqual(['step-started', 'step-finished in 0', 'outcome']);
  });

  test('stops reading a step when its listener has had enough', async () => {
    run.step(0, 'loud')('x\n'.repeat(200_000));
    run.finishStep(0, 'loud');
    run.result();
    notes.wantsMore = false;
    await start();
    // No more than a chunk of the file.
    expect(notes.all.filter((note) => note.startsWith('0|')).length).toBeLessThan(40_000);
    expect(notes.all.slice(-2)).toEqual(['step-finished in 0', 'outcome']);
  });
});
