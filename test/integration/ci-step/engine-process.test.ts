import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { NEVER } from '../../../src/base/clock.ts';
import { signalOwner } from '../../../src/base/owner.ts';
import { readReport, startEngine, waitForEnd } from '../../../src/ci-step/engine-process.ts';
import { scriptEngine } from '../../support/run/script-engine.ts';

const OUT_OF_FILES = join(import.meta.dirname, 'out-of-files.ts');

/** How long a new Node may take on a busy machine, in milliseconds. */
const LONG = { timeout: 20_000 };

async function start(source: string, nodePath?: string) {
  const { engine, runDirectory } = await scriptEngine(source, nodePath);
  const started = await startEngine(engine, runDirectory);
  onTestFinished(() => void signalOwner(started.owner, 'SIGKILL'));
  return { ...started, log: () => readFile(join(runDirectory, 'agent.log'), 'utf8') };
}

test('an engine runs in a session of its own, with its output in agent.log', async () => {
  const { owner, exit, log } = await start(`
    import { readFileSync } from 'node:fs';
    const session = readFileSync('/proc/self/stat', 'utf8').replace(/^.*\\) /s, '').split(' ')[3];
    console.log(process.argv[2], process.env.MARK, session === String(process.pid));
    console.error('to stderr');
  `);
  expect(await waitForEnd(owner, LONG.timeout)).toBe(true);
  expect(await log()).toBe('run marked true\nto stderr\n');
  expect(await exit(LONG.timeout, NEVER)).toEqual({ code: 0, signal: null });
});

test('an engine’s parent knows its process, asks it to stop, and sees how it ended', async () => {
  const { owner, exit, log } = await start(`
    process.on('SIGINT', () => { console.log('asked'); process.exit(7); });
    console.log('ready');
    setInterval(() => {}, 1000);
  `);
  await expect.poll(log, LONG).toBe('ready\n');
  expect(await exit(0, NEVER)).toBeUndefined();
  expect(await waitForEnd(owner, 100)).toBe(false);
  expect(signalOwner(owner, 'SIGINT')).toBe(true);
  expect(await waitForEnd(owner, LONG.timeout)).toBe(true);
  expect(await log()).toBe('ready\nasked\n');
  expect(await exit(LONG.timeout, NEVER)).toEqual({ code: 7, signal: null });
});

test('an engine that cannot be started is an error that names its program', async () => {
  await expect(start('', '/no/such/node')).rejects.toMatchObject({
    outcome: 'failed',
    code: 'PRA-CONFIG-10',
    message: expect.stringContaining('Failed to start the agent with /no/such/node'),
  });
});

test('an engine whose command line is too long is an error that names its program', async () => {
  const { engine, runDirectory } = await scriptEngine('');
  const run = (directory: string) => {
    const command = engine.run(directory);
    return { ...command, args: [...command.args, 'x'.repeat(200_000)] };
  };
  await expect(startEngine({ ...engine, run }, runDirectory)).rejects.toMatchObject({
    code: 'PRA-CONFIG-10',
    message: expect.stringContaining('E2BIG'),
  });
});

test('a command that finds no file left is an error in one sentence', async () => {
  const script = 'ulimit -n 60; exec "$0" "$1"';
  const { stdout } = await promisify(execFile)('sh', ['-c', script, process.execPath, OUT_OF_FILES]);
  expect(stdout).toMatch(/^Failed to run the plan for this job: it could not be started: .*EMFILE/);
}, 20_000);

/** Runs a program that prints a report. */
async function reported(source: string, { deadlineMs = 60_000, signal = new AbortController().signal } = {}) {
  const { engine, runDirectory } = await scriptEngine(source);
  const lines: string[] = [];
  const report = readReport(engine.plan(), 'the plan', z.object({ count: z.number() }), {
    deadlineMs,
    signal,
    onLogLine: (line) => lines.push(line),
  });
  return { report, lines, runDirectory };
}

test('a report is read, and each line of the log is passed on, even a last one without an end', async () => {
  const { report, lines } =
    await reported(`process.stderr.write('one\\ntw'); process.stderr.write('o\\nthree');
    console.log('{"count":3}'); process.exitCode = 3;`);
  expect(await report).toEqual({ count: 3 });
  expect(lines).toEqual(['one', 'two', 'three']);
});

test('a program that ends without a report is quoted with the last thing it said', async () => {
  // In one write: many small ones would fill a slow reader's socket, and the crash would lose the error.
  const { report } = await reported(`process.stderr.write('chatter\\n'.repeat(500));
    console.log('no report'); throw new Error('the cause');`);
  await expect(report).rejects.toMatchObject({
    outcome: 'failed',
    code: 'PRA-CONFIG-12',
    message: expect.stringMatching(
      /^Failed to run the plan for this job: it ended with 1 and said: .*Error: the cause/s,
    ),
  });
});

test('a cancelled CI job interrupts the program, and does not wait for one that does not react', async () => {
  const cancel = new AbortController();
  const { report, lines, runDirectory } = await reported(
    `import { writeFileSync } from 'node:fs';
    process.on('SIGINT', () => { writeFileSync('asked', ''); setTimeout(() => process.exit(), 5000); });
    setInterval(() => {}, 1000); console.error('ready');`,
    { signal: cancel.signal },
  );
  await expect.poll(() => lines, { timeout: 20_000 }).toEqual(['ready']);
  cancel.abort();
  expect(await report).toBeUndefined();
  await expect.poll(() => existsSync(join(runDirectory, 'asked')), { timeout: 20_000 }).toBe(true);
});
