import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OUTCOMES } from '../../../src/base/outcome.ts';
import { startOf } from '../../../src/base/owner.ts';
import type { ProcessExit } from '../../../src/base/process.ts';
import { reportDead, sweep } from '../../../src/ci-step/dead-engine.ts';
import { githubHost } from '../../../src/ci-step/hosts/github/host.ts';
import { captureStdout } from '../../support/hosts/captured-stdout.ts';
import { stepIn } from '../../support/hosts/step.ts';
import { SampleRun } from '../../support/run/sample-run.ts';
import { scriptEngine } from '../../support/run/script-engine.ts';

/** Options for a sweep by a program with this source. */
async function sweepBy(source: string, { deadlineMs = 10_000, signal = new AbortController().signal } = {}) {
  return { ...(await scriptEngine(source)), deadlineMs, signal };
}

test('a sweep says which objects it removed', async () => {
  const source = `console.log(process.env.MARK, process.argv[2], process.argv[4] === import.meta.dirname);
    console.log('Second.');`;
  expect(await sweep(await sweepBy(source))).toBe('marked sweep true Second.');
  expect(await sweep(await sweepBy(''))).toBe('Nothing was left to remove.');
});

test('a sweep that fails or hangs says where to look', async () => {
  const failing = await sweepBy(`console.error('no engine.'); process.exit(5);`);
  expect(await sweep(failing)).toMatch(
    /Failed to look for the remains of the run: no engine\. A job's container or pod ends by itself/,
  );
  const { engine } = await scriptEngine('', '/no/such/node');
  expect(await sweep({ ...failing, engine })).toContain('ENOENT');
  const hanging = await sweepBy('setInterval(() => {}, 1000);', { deadlineMs: 200 });
  expect(await sweep({ ...hanging, runDirectory: failing.runDirectory })).toContain(
    'it took longer than 0.2 s',
  );
});

test('a sweep that is given up ends, even when it ignores signals and another process holds its pipes', async () => {
  const abort = new AbortController();
  const hanging = await sweepBy(
    `import { spawn } from 'node:child_process';
    import { renameSync, writeFileSync } from 'node:fs';
    process.on('SIGTERM', () => {});
    const holder = spawn('sleep', ['60'], { stdio: 'inherit' });
    writeFileSync('part', JSON.stringify([process.pid, holder.pid]));
    renameSync('part', 'pids');
    setInterval(() => {}, 1000);`,
    { signal: abort.signal, deadlineMs: 60_000 },
  );
  const swept = sweep(hanging);
  const pids = join(hanging.runDirectory, 'pids');
  await expect.poll(() => existsSync(pids), { timeout: 20_000 }).toBe(true);
  abort.abort();
  await swept;
  const [pid, holder] = JSON.parse(await readFile(pids, 'utf8'));
  expect(startOf(pid)).toBeUndefined();
  process.kill(holder, 'SIGKILL');
});

describe('the report of an engine that ended without a result', () => {
  /** Reports on such a run, whose events `record` writes. */
  async function reported(exit: ProcessExit | undefined, record: (run: SampleRun) => void = () => undefined) {
    const stdout = captureStdout();
    const swept = await sweepBy(`console.log('Removed container abc.');`);
    const run = new SampleRun(swept.runDirectory);
    await writeFile(run.path('agent.log'), 'first\n::error::the cause\n');
    record(run);
    run.close();
    const host = githubHost(stepIn(swept.runDirectory));
    const report = await reportDead(host, { ...swept, exit, stopping: exit === undefined });
    return { report, ...stdout.read() };
  }
  const code = (value: number): ProcessExit => ({ code: value, signal: null });
  const KILLED: ProcessExit = { code: null, signal: 'SIGKILL' };
  const end = { outcome: 'succeeded', exitCode: 0, message: 'All of it succeeded.', reported: true } as const;

  test('has the outcome of its exit code, and what was left', async () => {
    const { report, lines, commands } = await reported(code(9));
    expect(report).toMatchObject({
      outcome: 'unreported',
      code: 'PRA-CONFIG-15',
      message:
        `${OUTCOMES.unreported.sentence} The agent ended with exit code 9 and without a result; ` +
        'the end of its log above says why. Removed container abc.',
    });
    expect(lines).toContain(': :error::the cause');
    expect(new Set(commands.map(({ command: name }) => name))).toEqual(new Set(['group', 'endgroup']));
  });

  test('is that of a success which only its record could not hold, with a warning', async () => {
    const { report, annotations } = await reported(code(0), (run) => run.claim());
    expect(report).toMatchObject({
      outcome: 'succeeded',
      reported: true,
      message: OUTCOMES.succeeded.sentence,
    });
    expect(annotations).toMatchObject([
      {
        level: 'warning',
        message: expect.stringMatching(
          /exit code 0 and without a result.* Its exit code decides the outcome\..* See PRA-CONFIG-15$/,
        ),
      },
    ]);
    expect((await reported(code(0))).report.outcome).toBe('no-work');
    expect((await reported(code(75))).report.outcome).toBe('no-work');
  });

  test('is the verdict that it recorded before it was killed, or its record was full', async () => {
    for (const exit of [KILLED, undefined, code(0)]) {
      const { report, annotations } = await reported(exit, (run) => {
        run.claim();
        run.event({ type: 'reported', ...end });
      });
      expect(report).toMatchObject(end);
      expect(annotations).toMatchObject([
        { level: 'warning', message: expect.stringContaining('It had recorded how the run ended') },
      ]);
    }
  });

  test('says what Pulumi Cloud will do with a deployment whose agent was killed', async () => {
    const { report } = await reported(KILLED, (run) => run.claim());
    expect(report).toMatchObject({
      outcome: 'failed',
      deploymentId: 'dep-1',
      code: 'PRA-CONFIG-14',
      message: expect.stringMatching(
        /^The agent was killed by SIGKILL before .* Unless .* 10 minutes after the last heartbeat\. Removed/,
      ),
    });
    expect((await reported(undefined)).report).toMatchObject({
      outcome: 'interrupted',
      message: expect.stringMatching(/^The CI job was cancelled before the agent had claimed anything/),
    });
  });
});
