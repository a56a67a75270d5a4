import { appendFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { githubHost } from '../../../src/hosts/github/host.ts';
import { Console } from '../../../src/supervisor/console.ts';
import { type FollowPosition, follow } from '../../../src/supervisor/follow.ts';
import { interpretConsole } from '../../emulators/github/workflow-commands.ts';
import { captureStdout } from '../../support/hosts/captured-stdout.ts';
import { stepIn } from '../../support/hosts/step.ts';
import { SampleRun } from '../../support/run/sample-run.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

interface Shown extends Partial<ConstructorParameters<typeof Console>[0]> {
  readonly position?: FollowPosition;
  readonly now?: () => number;
}

/** Shows a run directory as main does. */
async function show(run: SampleRun, { position = { events: 0 }, now = Date.now, ...options }: Shown = {}) {
  const { directory } = run;
  const host = githubHost(stepIn(directory, {}, { now }));
  const { signal } = new AbortController();
  const listener = new Console({ host, directory, signal, place: 'run directory', ...options });
  await follow({ directory, position, listener, isAlive: () => false, signal });
  listener.close();
}

async function newRun(): Promise<SampleRun> {
  return new SampleRun(await temporaryDirectory());
}

describe('Console', () => {
  test('shows one group a step, with its lines', async () => {
    const run = await newRun();
    run.event({ type: 'health-listening', url: 'http://127.0.0.1:4711/healthz' });
    run.event({ type: 'authenticated', method: 'oidc' });
    run.claim();
    run.event({ type: 'job-loaded', image: 'pulumi/pulumi:latest', steps: ['Setup', 'update'] });
    for (const [index, name] of ['Setup', 'update'].entries()) {
      run.step(index, name)(`${name} one\n${name} two\n`);
      run.finishStep(index, name);
    }
    run.result();
    run.close();
    const stdout = captureStdout();
    await show(run);
    const { lines, groups, annotations } = stdout.read();
    expect(groups.map(({ title, from, to }) => [title, ...lines.slice(from + 1, to)])).toEqual([
      ['Step 0: Setup', 'Setup one', 'Setup two', '##[endgroup]'],
      ['Step 1: update', 'update one', 'update two', '##[endgroup]'],
    ]);
    expect(lines).toContain('Health: http://127.0.0.1:4711/healthz');
    expect(lines).toContain('Claimed deployment dep-1 after 1.3 s.');
    expect(lines).toContain('Step 1: update succeeded (2 s, 3 lines).');
    expect(annotations).toEqual([]);
  });

  test('annotates a failed step with its last 20 lines', async () => {
    const run = await newRun();
    const log = run.step(1, 'pulumi, update: ::error::');
    for (let n = 1; n <= 40; n++) log(`line ${n} 100%0A\u001b[31m\n`);
    log('::error::forged\n##[error]forged\n');
    run.finishStep(1, 'pulumi, update: ::error::', {
      status: 'failed',
      exitCode: 255,
      reason: 'it broke\n::warning::x',
    });
    run.close();
    const stdout = captureStdout();
    await show(run);
    const { annotations, commands, groups, lines } = stdout.read();
    expect(commands.map(({ command }) => command)).toEqual(['group', 'endgroup', 'error']);
    expect(annotations).toHaveLength(1);
    const [sentence, ...tail] = annotations[0]?.message.split('\n') ?? [];
    expect(sentence).toBe(
      'Step 1: pulumi, update: ::error:: failed with exit code 255 (2 s, 3 lines): it broke ::warning::x',
    );
    expect(annotations[0]?.properties['title']).toBe('pulumi, update: ::error:: failed');
    expect(tail).toHaveLength(20);
    expect(tail[0]).toBe('line 23 100%0A');
    expect(tail.slice(-2)).toEqual([': :error::forged', '## [error]forged']);
    // What stands before them is to be read outside the folded group, and once.
    const open = lines.slice(groups[0]?.to).filter((line) => line.startsWith('line '));
    expect(open.map((line) => Number(line.split(' ')[1]))).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
  });

  test('repeats no more than the last 120 lines of a failed step', async () => {
    const run = await newRun();
    const log = run.step(1, 'loud');
    for (let n = 1; n <= 3_000; n++) log(`line ${n}${n === 2_950 ? 'x'.repeat(50_000) : ''}\n`);
    run.finishStep(1, 'loud', { status: 'failed', exitCode: 1 });
    run.step(2, 'short')('one\n');
    run.finishStep(2, 'short', { status: 'failed', exitCode: 1 });
    run.close();
    const stdout = captureStdout();
    await show(run);
    const { lines, groups, longestLine } = stdout.read();
    const end = lines.slice(groups[0]?.to, groups[1]?.from);
    expect(end[0]).toBe('The end of step 1; its last lines stand in the error below.');
    expect(end[1]).toMatch(/^line 2881$/);
    expect(end.filter((line) => line.startsWith('line '))).toHaveLength(120);
    expect(longestLine).toBeLessThan(8_400);
    // All of it is in the annotation.
    expect(lines.slice(groups[1]?.to).join('\n')).not.toContain('The end of');
  });

  test('shows no more of a run than its share', async () => {
    const run = await newRun();
    for (const index of [0, 1, 2]) {
      run.step(index, `step ${index}`)(`${'x'.repeat(99)}\n`.repeat(60));
      run.finishStep(index, `step ${index}`);
    }
    run.close();
    const stdout = captureStdout();
    await show(run, { maxRunBytes: 10_000, place: 'artifact' });
    const { lines } = stdout.read();
    expect(lines.filter((line) => line.startsWith('xxx'))).toHaveLength(100);
    const left = lines.filter((line) => line.startsWith('…'));
    expect(left[0]).toBe(
      '… The console shows no more of this step; all of it is in steps/01-step-1.log of the artifact.',
    );
    expect(left[1]).toContain('steps/02-step-2.log of the artifact');
    expect(lines).toContain('Step 2: step 2 succeeded (2 s, 3 lines).');
  });

  test('keeps an annotation below what GitHub shows, with the latest lines', async () => {
    const run = await newRun();
    const log = run.step(0, 'x');
    for (let n = 1; n <= 30; n++) log(`${n} ${'y'.repeat(2_000)}\n`);
    log('the very last line\n');
    run.finishStep(0, 'x', { status: 'failed' });
    run.close();
    const stdout = captureStdout();
    await show(run);
    const message = stdout.read().annotations[0]?.message ?? '';
    expect(message.length).toBeLessThan(4_096);
    expect(message.endsWith('\nthe very last line')).toBe(true);
  });

  test('cuts a long line and says where the rest of it is', async () => {
    const run = await newRun();
    run.step(0, 'x')(`${'z'.repeat(100_000)}\nnext\n`);
    run.finishStep(0, 'x');
    run.close();
    const stdout = captureStdout();
    await show(run);
    const { lines, longestLine } = stdout.read();
    expect(longestLine).toBeLessThan(8_400);
    expect(lines.find((line) => line.startsWith('zzz'))).toMatch(
      /z … \(91808 more bytes: see steps\/00-x\.log of the run/,
    );
    expect(lines).toContain('next');
  });

  test('shows no more of a step than its share, and all of the next one', async () => {
    const run = await newRun();
    const log = run.step(0, 'loud');
    for (let n = 0; n < 5_000; n++) log(`line ${n} ${'x'.repeat(90)}\n`);
    run.finishStep(0, 'loud', { status: 'failed' });
    run.step(1, 'quiet')('heard\n');
    run.finishStep(1, 'quiet');
    run.close();
    const stdout = captureStdout();
    await show(run, { maxStepBytes: 10_000 });
    const { lines, groups, annotations } = stdout.read();
    const loud = lines.slice((groups[0]?.from ?? 0) + 1, groups[0]?.to);
    expect(loud.join('\n').length).toBeLessThan(10_200);
    expect(loud.at(-2)).toBe(
      '… The console shows no more of this step; all of it is in steps/00-loud.log of the run directory.',
    );
    expect(lines).toContain('heard');
    expect(annotations[0]?.message).toContain('line 4999');
  });

  test('goes on in the middle of a step under its name', async () => {
    const run = await newRun();
    const position: FollowPosition = { events: 0 };
    run.step(0, 'Setup')('one\n');
    const stdout = captureStdout();
    await show(run, { position });
    appendFileSync(run.path('steps/00-setup.log'), 'two\n');
    run.finishStep(0, 'Setup');
    run.close();
    await show(run, { position });
    const { lines, groups } = stdout.read();
    expect(groups.map(({ title, from, to }) => [title, ...lines.slice(from + 1, to)])).toEqual([
      ['Step 0: Setup', 'one', '##[endgroup]'],
      ['Step 0: Setup (continued)', 'two', '##[endgroup]'],
    ]);
  });

  test('says that it waits once a minute and later once in five, and shows warnings as annotations', async () => {
    const run = await newRun();
    for (let n = 1; n <= 80; n++) run.event({ type: 'waiting', polls: n, nextPollSeconds: 10 });
    run.event({ type: 'notice', level: 'warning', message: 'careful\n::error::x' });
    run.event({ type: 'notice', level: 'info', message: '::error::y' });
    run.event({ type: 'stopping', by: 'cloud', reason: 'cancelled in Pulumi Cloud' });
    run.close();
    let now = 0;
    const stdout = captureStdout();
    await show(run, {
      now: () => {
        now += 20_000;
        return now;
      },
    });
    const { lines, annotations } = stdout.read();
    expect(lines.filter((line) => /waiting for/i.test(line))).toEqual([
      'Waiting for a deployment; asking again in 10 s.',
      ...[1, 2, 3, 4, 5, 10, 15, 20, 25].map(
        (minutes) => `Still waiting for a deployment after ${minutes} min 0 s; asking again in 10 s.`,
      ),
    ]);
    expect(annotations).toEqual([{ level: 'warning', message: 'careful ::error::x', properties: {} }]);
    expect(lines).toContain(': :error::y');
    expect(lines).toContain('Stopping: cancelled in Pulumi Cloud');
  });

  test('yields no command for any bytes of a step, in whatever pieces they are written', async () => {
    const words = '::|##[|]|#|:|::error::x|##[group]|::stop-commands::t|::add-mask::a|::endgroup::'.split('|');
    const breaks = [
      '\n',
      '\r',
      '\r\n',
      '\n ',
      '\n\t',
      '\n\u200b',
      '\n\ufeff',
      '\n\u2003',
      '\u001b[31m',
      '\u001b[2K',
      '%0A',
    ];
    const piece = fc.oneof(
      fc.constantFrom(...words),
      fc.constantFrom(...breaks),
      fc.string({ unit: 'binary', maxLength: 4 }),
    );
    const stdout = captureStdout();
    let before = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(piece, { maxLength: 8 }), { maxLength: 6 }),
        fc.string(),
        async (writes, name) => {
          const run = await newRun();
          const log = run.step(0, name);
          for (const pieces of writes) log(pieces.join(''));
          run.finishStep(0, name);
          run.close();
          before = stdout.text().length;
          await show(run);
          const reading = interpretConsole(stdout.text().slice(before));
          expect(reading.commands.map(({ command }) => command)).toEqual(['group', 'endgroup']);
          expect(reading.masks).toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  });
});
