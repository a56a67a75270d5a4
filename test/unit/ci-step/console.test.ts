import { describe, expect, test } from 'vitest';
import { stripControl } from '../../../src/base/log/plain-text.ts';
import { Console } from '../../../src/ci-step/console.ts';
import { type FollowPosition, follow } from '../../../src/ci-step/follow.ts';
import type { ConsoleLimits } from '../../../src/ci-step/host.ts';
import { githubHost } from '../../../src/ci-step/hosts/github/host.ts';
import { captureStdout } from '../../support/hosts/captured-stdout.ts';
import { stepIn } from '../../support/hosts/step.ts';
import { ownDeployment, sampleOwnRun } from '../../support/run/own-run.ts';
import { OWNER, SampleRun } from '../../support/run/sample-run.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

interface Shown extends Partial<ConstructorParameters<typeof Console>[0]> {
  readonly position?: FollowPosition;
  readonly steady?: () => number;
  readonly limits?: Partial<ConsoleLimits>;
}

/** Shows a run directory as main does. */
async function show(
  run: SampleRun,
  { position = { events: 0 }, steady = () => performance.now(), limits = {} }: Shown = {},
) {
  const { directory } = run;
  const known = githubHost(stepIn(directory, {}, { steady }));
  const host = { ...known, consoleLimits: { ...known.consoleLimits, ...limits } };
  const { signal } = new AbortController();
  const listener = new Console(host, directory, signal);
  await follow({ directory, position, listener, isAlive: () => false, steady, signal });
  listener.close();
}

async function newRun(): Promise<SampleRun> {
  return new SampleRun(await temporaryDirectory());
}

/** A run with one step that printed `text`. */
async function runOf(
  text: string,
  over: Parameters<SampleRun['finishStep']>[2] = {},
  name = 'x',
): Promise<SampleRun> {
  const run = await newRun();
  run.step(1, name)(text);
  run.finishStep(1, name, over);
  return run;
}

async function shown(run: SampleRun, options?: Shown) {
  run.close();
  const stdout = captureStdout();
  await show(run, options);
  return stdout.read();
}

/** The lines that no group folds away. */
function outside(lines: readonly string[], groups: readonly { from: number; to: number }[]): string[] {
  return lines.filter((_, at) => !groups.some(({ from, to }) => at >= from && at < to));
}

const FAILED = { status: 'failed', exitCode: 255, reason: 'it broke\n::warning::x' } as const;
const numbered = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => `${line(n + 1)}\n`).join('');

describe('the console', () => {
  test('shows one group for the set-up and one per step, with their lines', async () => {
    const run = await newRun();
    run.event({ type: 'agent-started', version: '1.2.3', owner: OWNER });
    run.event({ type: 'health-listening', url: 'http://127.0.0.1:4711/healthz' });
    run.event({ type: 'authenticated', method: 'oidc' });
    run.event({ type: 'target-ready', target: 'docker', detail: 'Docker 29' });
    run.event({ type: 'waiting', polls: 1, nextPollSeconds: 5 });
    run.claim();
    for (const [index, name] of ['Setup', 'update'].entries()) {
      run.step(index, name)(`${name} one\n${name} two\n`);
      run.finishStep(index, name);
    }
    run.result();
    const { lines, groups, annotations } = await shown(run);
    expect(groups.map(({ title, from, to }) => [title, ...lines.slice(from + 1, to)])).toEqual([
      [
        'Set up',
        'Agent 1.2.3 started.',
        'Health: http://127.0.0.1:4711/healthz',
        "Signed in to Pulumi Cloud with this job's ID token.",
        'Jobs run on docker: Docker 29',
        '##[endgroup]',
      ],
      ['Step 0: Setup', 'Setup one', 'Setup two', '##[endgroup]'],
      ['Step 1: update', 'update one', 'update two', '##[endgroup]'],
    ]);
    expect(outside(lines, groups).slice(0, 2)).toEqual([
      'Waiting for a deployment; asking again in 5 s.',
      'Claimed a deployment after 1.3 s.',
    ]);
    expect(lines).toContain('Step 1: update succeeded (2 s, 3 lines).');
    expect(annotations).toEqual([]);
  });

  test('names neither a process nor an ID, and the stack once', async () => {
    const run = await newRun();
    run.event({ type: 'agent-started', version: '1.2.3', owner: { ...OWNER, pid: 424_242 } });
    const identity = { organization: 'acme', project: 'web', stack: 'dev', operation: 'update', version: 7 };
    const ids = { deploymentId: 'a-deployment', runId: 'a-run', jobId: 'a-job' };
    run.event({ type: 'claimed', ...ids, waitSeconds: 1, identity: { ...identity, proven: true } });
    run.event({ type: 'job-loaded', image: 'pulumi/pulumi:3', steps: ['update'] });
    run.step(1, 'update')('done\n');
    run.finishStep(1, 'update');
    run.result();
    const { lines } = await shown(run);
    expect(lines.join('\n')).not.toMatch(/424242|a-deployment|a-run|a-job/);
    expect(lines.filter((line) => line.includes('acme/web/dev'))).toEqual([
      'Claimed acme/web/dev · update #7 after 1 s.',
    ]);
    expect(lines).toContain('Image pulumi/pulumi:3, 1 step.');
  });

  test('shows no annotation inside a group, which goes on after it', async () => {
    const run = await newRun();
    const warn = (message: string) => run.event({ type: 'notice', level: 'warning', message });
    run.event({ type: 'health-listening', url: 'http://127.0.0.1:4711/healthz' });
    warn('in the set-up');
    run.event({ type: 'authenticated', method: 'token' });
    run.claim();
    const print = run.step(1, 'update');
    print('one\n');
    const stdout = captureStdout();
    const position: FollowPosition = { events: 0 };
    await show(run, { position });
    warn('in the step');
    warn('again');
    await show(run, { position });
    print('two\n');
    warn('at its end');
    run.finishStep(1, 'update');
    run.close();
    await show(run, { position });
    const { lines, groups } = stdout.read();
    expect(outside(lines, groups).filter((line) => line.startsWith('##['))).toEqual(
      ['in the set-up', 'in the step', 'again', 'at its end'].map((message) => `##[warning]${message}`),
    );
    expect(groups.map(({ title, from, to }) => [title, ...lines.slice(from + 1, to - 1)])).toEqual([
      ['Set up', 'Health: http://127.0.0.1:4711/healthz'],
      ['Set up (continued)', 'Signed in to Pulumi Cloud with a pool token.'],
      ['Step 1: update', 'one'],
      ['Step 1: update (continued)'],
      ['Step 1: update (continued)', 'two'],
    ]);
  });

  test('shows the jobs of a run one after the other, and what becomes of its deployments elsewhere', async () => {
    const run = await newRun();
    await sampleOwnRun(run);
    const { lines, groups, annotations } = await shown(run);
    expect(groups.map(({ title, from, to }) => [title, ...lines.slice(from + 1, to)])).toEqual([
      ['Step 1: pulumi update', 'of another', '##[endgroup]'],
      ['Step 1: pulumi update', 'one', 'two', 'error: it exists', '##[endgroup]'],
    ]);
    expect(lines).toEqual(
      expect.arrayContaining([
        'Claimed acme/web/old · update #6 after 1.3 s. This step did not start it, so its outcome does not count here.',
        'Claimed acme/web/prod · update #6 after 1.3 s.',
        'The update of acme/web/dev succeeded elsewhere after 10 s.',
      ]),
    );
    expect(annotations.map(({ level, properties }) => [level, properties['title']])).toEqual([
      ['error', 'update of acme/web/none failed'],
      ['error', 'pulumi update of acme/web/prod failed'],
    ]);
  });

  test.each(['failed', 'skipped'] as const)(
    'leaves the end of a single deployment, %s elsewhere, to the end of the run',
    async (outcome) => {
      const run = await newRun();
      const own = ownDeployment('dev', { ranHere: false, outcome, message: 'Pulumi Cloud said so.' });
      run.event({ type: 'own-deployment', ...own, state: 'waiting' });
      run.event({ type: 'own-deployment', ...own });
      run.result();
      const { lines, annotations } = await shown(run);
      expect(annotations).toEqual([]);
      expect(lines).toContain(
        `The update of acme/web/dev ${outcome === 'failed' ? outcome : 'was skipped'}.`,
      );
    },
  );

  test('names a deployment that only the job’s variables name, and says so', async () => {
    const run = await newRun();
    run.claim();
    const identity = {
      organization: 'acme',
      project: 'web',
      stack: 'dev',
      operation: 'preview',
      proven: false,
    };
    run.event({ type: 'identified', identity });
    run.step(0, 'Setup')('pulled\n');
    run.finishStep(0, 'Setup');
    run.result();
    const { lines, groups } = await shown(run);
    expect(lines).toContain('It is acme/web/dev · preview, as its own variables say.');
    expect(groups.map(({ title }) => title)).toEqual(['Step 0: Setup']);
  });

  test('annotates a failed step with its program’s own error, which can’t forge a command', async () => {
    const error = 'it exists ::error::forged\n##[error]forged\u001b[31m';
    const run = await runOf('x\n', { status: 'failed', exitCode: 255, error }, 'pulumi update');
    const { annotations, commands } = await shown(run);
    expect(commands.map(({ command }) => command)).toEqual(['group', 'endgroup', 'error']);
    const [sentence] = annotations[0]?.message.split('\n') ?? [];
    expect(sentence).toMatch(
      /^Step 1: pulumi update failed with exit code 255 \(2 s, 3 lines\), in the step's own words: "it exists ::error::forged ##.?\[error\]forged"$/u,
    );
  });

  test('annotates a failed step with its last 20 lines', async () => {
    const log = `${numbered(200, (n) => `line ${n} 100%0A\u001b[31m`)}::error::forged\n##[error]forged\n`;
    const run = await runOf(log, FAILED, 'pulumi, update: ::error::');
    const { annotations, commands } = await shown(run);
    expect(commands.map(({ command }) => command)).toEqual(['group', 'endgroup', 'error']);
    const [sentence, ...tail] = annotations[0]?.message.split('\n') ?? [];
    expect(sentence).toBe(
      'Step 1: pulumi, update: ::error:: failed with exit code 255 (2 s, 3 lines): it broke ::warning::x',
    );
    expect(annotations[0]?.properties['title']).toBe('pulumi, update: ::error:: failed');
    expect(tail.length).toBe(20);
    // The indent tells them from lines of ours.
    expect(tail[0]).toBe('  line 183 100%0A');
    expect(tail.slice(-2)).toEqual(['  : :error::forged', '  ## [error]forged']);
  });

  test('annotates an interrupted step with what ended it, not with the lines above', async () => {
    const run = await newRun();
    run.step(1, 'update')('creating the bucket\n^C received\n');
    run.event({ type: 'stopping', by: 'cloud', reason: 'the deployment was cancelled in Pulumi Cloud' });
    const position: FollowPosition = { events: 0 };
    const stdout = captureStdout();
    await show(run, { position });
    // Post continues from the position that main saved.
    run.finishStep(1, 'update', { status: 'failed', exitCode: 130 });
    run.close();
    await show(run, { position: JSON.parse(JSON.stringify(position)) });
    const { annotations, lines } = stdout.read();
    const reason = 'the deployment was cancelled in Pulumi Cloud';
    expect(annotations.map(({ message, properties }) => [properties['title'], message])).toEqual([
      [
        'update was interrupted',
        `Step 1: update was interrupted with exit code 130 (2 s, 3 lines): ${reason}`,
      ],
    ]);
    expect(lines.filter((line) => line.includes('^C received'))).toHaveLength(1);
  });

  test('annotates an interrupted step with its last lines if the console stopped before them', async () => {
    const run = await newRun();
    run.step(1, 'update')(`${'x'.repeat(99)}\nthe lock stays\n`);
    run.event({ type: 'stopping', by: 'cloud', reason: 'cancelled in Pulumi Cloud' });
    run.finishStep(1, 'update', { status: 'failed', exitCode: 130 });
    const { annotations } = await shown(run, { limits: { stepBytes: 50 } });
    expect(annotations.map(({ message }) => message.split('\n').at(-1))).toEqual(['  the lock stays']);
  });

  test('keeps an annotation within what GitHub shows, with the latest lines', async () => {
    const { annotations } = await shown(
      await runOf(`${numbered(30, (n) => `${n} ${'y'.repeat(2_000)}`)}the end\n`, FAILED),
    );
    const message = annotations[0]?.message ?? '';
    expect(message.length).toBeLessThan(4_096);
    expect(message.endsWith('\n  the end')).toBe(true);
  });

  test('shows no more of a run, or of a step, than its share', async () => {
    const run = await newRun();
    for (const index of [0, 1, 2]) {
      run.step(index, `step ${index}`)(numbered(60, () => 'x'.repeat(99)));
      run.finishStep(index, `step ${index}`);
    }
    const { lines } = await shown(run, { limits: { stepBytes: 4_000, runBytes: 10_000 } });
    const count = (of: readonly string[]) => of.filter((line) => line.startsWith('xxx')).length;
    expect(count(lines.slice(0, lines.indexOf('Step 0: step 0 succeeded (2 s, 3 lines).')))).toBe(40);
    expect(count(lines)).toBe(98);
    expect(lines.filter((line) => line.startsWith('…'))).toEqual(
      [0, 1, 2].map(
        (n) =>
          `… The console shows no more of this step. Its complete log is steps/0${n}-step-${n}.log in the run directory.`,
      ),
    );
    expect(lines).toContain('Step 2: step 2 succeeded (2 s, 3 lines).');
  });

  test('cuts a long line and says where the rest of it is', async () => {
    const { lines, longestLine } = await shown(await runOf(`${'z'.repeat(100_000)}\nnext\n`));
    expect(longestLine).toBeLessThan(8_400);
    expect(lines.find((line) => line.startsWith('zzz'))).toMatch(
      /z … \(91808 more bytes: see steps\/01-x\.log of the run\)$/,
    );
    expect(lines).toContain('next');
  });

  test('shows the error behind a progress bar that no line end interrupts', async () => {
    const bar = Array.from({ length: 1_000 }, (_, n) => `\u001b[32m[${'='.repeat(n % 70)}] ${n} of 1000\r`);
    const log = `Downloading\r${bar.join('')}error: the disk is full\u001b[0m\r\u001b[K\r\nnext\n`;
    const { lines, longestLine } = await shown(await runOf(log, FAILED));
    expect(longestLine).toBeLessThan(16_500);
    const line = lines.find((each) => each.includes('the disk is full')) ?? '';
    expect(stripControl(line)).toMatch(
      /^Downloading␍error: the disk is full … \(\d+ more bytes: see steps\/01-x\.log of the run\)$/,
    );
    expect(lines).toContain('next');
  });

  test('annotates a failed step with the error behind a long progress bar', async () => {
    const log = `${'#'.repeat(600)}\r${'#'.repeat(700)}\rerror: the disk is full\n`;
    const { annotations } = await shown(await runOf(log, FAILED));
    expect(annotations[0]?.message.split('\n').at(-1)).toMatch(/^ {2}#+␍error: the disk is full$/);
  });

  test('gives a sign of life of a quiet step, with the end of its line, which is no command', async () => {
    const run = await newRun();
    run.step(1, 'pulumi update')('@ updating');
    run.close();
    const stdout = captureStdout();
    const { directory } = run;
    const { signal } = new AbortController();
    const listener = new Console(
      githubHost(stepIn(directory, {}, { steady: () => 12.9 * 60_000 })),
      directory,
      signal,
    );
    const step = { index: 1, name: 'pulumi\nupdate', log: 'x', offset: 0, muted: false, began: 0 };
    await listener.quiet(step, `${'x'.repeat(300)}\n::error::a ##[error]@ updating\u001b[31m....`);
    await listener.quiet(step, '');
    const { lines, annotations } = stdout.read();
    expect(lines).toEqual([
      `Step 1: pulumi update: still running, 12 min. Its unfinished line: …${'x'.repeat(165)} ::error::a ## [error]@ updating....`,
      'Step 1: pulumi update: still running, 12 min.',
    ]);
    expect(annotations).toEqual([]);
  });

  test('says every minute, and later every five, that it is waiting, and shows warnings as annotations', async () => {
    const run = await newRun();
    for (let n = 1; n <= 80; n++) run.event({ type: 'waiting', polls: n, nextPollSeconds: 10 });
    run.event({ type: 'notice', level: 'warning', message: 'careful\n::error::x' });
    run.event({ type: 'notice', level: 'info', message: '::error::y' });
    run.event({ type: 'stopping', by: 'cloud', reason: 'cancelled in Pulumi Cloud' });
    run.close();
    let now = 0;
    const stdout = captureStdout();
    await show(run, {
      steady: () => {
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
});
