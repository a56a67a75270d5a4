import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { folder } from '../../support/agent/claimed-run.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A process of its own, because its stderr is under test. */
const program = (file: string | undefined, body: string, more = '') => `
  import { openAgentLog } from './src/agent/logging/agent-log.ts';
  const redact = (text) => text.replaceAll('hunter2', '***');
  const { log, close } = openAgentLog({ ${file === undefined ? '' : `file: ${JSON.stringify(file)},`} now: () => 0, redact, ${more} });
  ${body}`;
const TALK = `
  log('info', 'hello');
  log('warning', 'a hunter2 line\\r\\n::error::second\\nthird');
  log('debug', 'not said');
  log('error', 'ü');`;
const SAID = [
  '1970-01-01T00:00:00.000Z info    hello',
  '1970-01-01T00:00:00.000Z warning a *** line | ::error::second | third',
  '1970-01-01T00:00:00.000Z error   ü',
  '',
].join('\n');

const argv = (file: string | undefined, body = TALK, more?: string) => [
  '--input-type=module',
  '--eval',
  program(file, body, more),
];
const run = (file?: string, body?: string, more?: string) =>
  promisify(execFile)(process.execPath, argv(file, body, more), { cwd: root });

describe('the agent’s log', () => {
  it('has each entry on stderr and in the file, redacted and on one line, and nobody else can read the file', async () => {
    const file = join(await folder(), 'deep', 'agent.log');
    expect((await run(file)).stderr).toBe(SAID);
    expect(readFileSync(file, 'utf8')).toBe(SAID);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('appends to what the file holds', async () => {
    const file = join(await folder(), 'agent.log');
    writeFileSync(file, 'before\n');
    await run(file);
    expect(readFileSync(file, 'utf8')).toBe(`before\n${SAID}`);
  });

  it('goes on without a stderr, and on a full disk', async () => {
    const file = join(await folder(), 'agent.log');
    await run(file, `(await import('node:fs')).closeSync(2);${TALK}`);
    expect(readFileSync(file, 'utf8')).toBe(SAID);
    expect((await run('/dev/full')).stderr).toBe(SAID);
  });

  it('causes a configuration error when its file can’t be opened', async () => {
    const said = await run('/dev/null/agent.log').catch((error: { stderr: string }) => error);
    expect(said.stderr).toMatch(/Failed to open the log for the agent: EEXIST.*Set run_directory/);
    expect(said.stderr).toContain("outcome: 'config-error'");
  });

  it('says nothing below its level', async () => {
    expect((await run(undefined, TALK, `level: 'error'`)).stderr).toBe(
      '1970-01-01T00:00:00.000Z error   ü\n',
    );
    expect((await run(undefined, TALK, `level: 'debug'`)).stderr).toContain('debug   not said\n');
  });

  it('is JSON on stderr when asked for, with the IDs that are known, while the file stays text', async () => {
    const file = join(await folder(), 'agent.log');
    const body = `${TALK} globalThis.ids = { runId: 'r', jobId: 'j', deploymentId: 'd' }; log('info', 'at work');`;
    const { stderr } = await run(file, body, `format: 'json', ids: () => globalThis.ids`);
    const time = '1970-01-01T00:00:00.000Z';
    expect(stderr.split('\n').map((line) => (line === '' ? '' : JSON.parse(line)))).toEqual([
      { time, level: 'info', message: 'hello' },
      { time, level: 'warning', message: 'a *** line\r\n::error::second\nthird' },
      { time, level: 'error', message: 'ü' },
      { time, level: 'info', message: 'at work', runId: 'r', jobId: 'j', deploymentId: 'd' },
      '',
    ]);
    expect(readFileSync(file, 'utf8')).toBe(`${SAID}${time} info    at work\n`);
  });

  it('is written only once, as text, when its file is stderr too', async () => {
    const file = join(await folder(), 'agent.log');
    const stderr = openSync(file, 'a');
    try {
      const arguments_ = argv(file, TALK, `format: 'json'`);
      const child = spawn(process.execPath, arguments_, { cwd: root, stdio: ['ignore', 'ignore', stderr] });
      expect(await once(child, 'exit')).toEqual([0, null]);
    } finally {
      closeSync(stderr);
    }
    expect(readFileSync(file, 'utf8')).toBe(SAID);
  });

  it('has the last lines of a killed process, in the file and on stderr', async () => {
    const file = join(await folder(), 'agent.log');
    const body = `${TALK}process.kill(process.pid, 'SIGKILL');`;
    const killed = await run(file, body).catch((error: { stderr: string }) => error);
    expect(readFileSync(file, 'utf8')).toBe(SAID);
    expect(killed.stderr).toBe(SAID);
  });
});

describe('a stderr that nobody reads', () => {
  it('blocks nothing, and once it is read again, a line says how many lines are missing there', async () => {
    const flood = `
      for (let count = 0; count < 20_000; count += 1) log('info', String(count));
      process.once('SIGUSR2', async () => { log('info', 'again'); await close(); process.exit(); });
      setTimeout(() => console.log('still here'), 10);
      setInterval(() => undefined, 1_000);`;
    const child = spawn(process.execPath, argv(undefined, flood), {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [hello] = await once(child.stdout, 'data');
    expect(String(hello)).toBe('still here\n');
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
    await vi.waitFor(() => expect(said).toContain('Lost'), { timeout: 20_000 });
    child.kill('SIGUSR2');
    await once(child, 'close');
    const messages = said.split('\n').map((line) => line.slice(33));
    const count = messages.indexOf(messages.find((message) => message.startsWith('Lost'))!);
    expect(messages).toEqual([
      ...Array.from({ length: count }, (_, index) => `${index}`),
      `Lost ${20_000 - count} lines of this log: its reader was too slow, or the disk was full.`,
      'again',
      '',
    ]);
  });

  it('delays the end of a process by a few seconds at most', async () => {
    const body = `for (let count = 0; count < 20_000; count += 1) log('info', 'x'.repeat(1_000)); await close(); process.exit(3);`;
    const child = spawn(process.execPath, argv(undefined, body), {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    expect(await once(child, 'exit')).toEqual([3, null]);
  });

  it('may be a stopped terminal', async () => {
    // script(1) gives the program a terminal, and reads nothing from it while script itself is stopped.
    const file = join(await folder(), 'agent.log');
    const body = `for (let count = 0; count < 20_000; count += 1) log('info', 'x'.repeat(80)); log('info', 'through');`;
    const program_ = `${join(await folder(), 'program')}.mjs`;
    writeFileSync(
      program_,
      program(file, `process.kill(process.ppid, 'SIGSTOP');${body}`).replaceAll('./src', `${root}src`),
    );
    const child = spawn('script', ['-qc', `exec ${process.execPath} ${program_}`, '/dev/null'], {
      stdio: 'ignore',
    });
    const ended = once(child, 'close');
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toContain('through'), { timeout: 20_000 });
  });
});

it('a log on a disk that is full for a while loses only whole lines, and says how many', async () => {
  const file = join(await folder(), 'agent.log');
  const body = `
    const { execFileSync } = await import('node:child_process');
    const limit = (bytes) => execFileSync('prlimit', ['--pid', process.pid, '--fsize=' + bytes + ':']);
    limit(${SAID.length + 20});
    ${TALK}
    log('info', 'torn and mended'); log('info', 'lost'); log('info', 'lost');
    limit('unlimited');
    log('info', 'again');`;
  const { stderr } = await run(file, body);
  const lost = 'Lost 2 lines of this log: its reader was too slow, or the disk was full.';
  expect(readFileSync(file, 'utf8')).toBe(
    stderr
      .replaceAll(/.*info {4}lost\n/g, '')
      .replace(/.*again/, (again) => `${SAID.slice(0, 25)}warning ${lost}\n${again}`),
  );
});
