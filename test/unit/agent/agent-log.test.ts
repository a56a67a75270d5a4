import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { folder } from './claimed-run.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A process of its own, because its stderr is what is tested. */
const program = (file: string | undefined, body: string, more = '') => `
  import { openAgentLog } from './src/agent/logging/agent-log.ts';
  const redact = (text) => text.replaceAll('hunter2', '***');
  const log = openAgentLog({ ${file === undefined ? '' : `file: ${JSON.stringify(file)},`} now: () => 0, redact, ${more} });
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
  it('says each line on stderr, redacted and on one line', async () => {
    expect(await run()).toEqual({ stdout: '', stderr: SAID });
  });

  it('says it in the file too, which nobody else can read and whose folder is made', async () => {
    const file = join(await folder(), 'deep', 'agent.log');
    expect((await run(file)).stderr).toBe(SAID);
    expect(readFileSync(file, 'utf8')).toBe(SAID);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('goes on behind what the file holds', async () => {
    const file = join(await folder(), 'agent.log');
    writeFileSync(file, 'before\n');
    await run(file);
    expect(readFileSync(file, 'utf8')).toBe(`before\n${SAID}`);
  });

  it('is there once when stderr is the same file', async () => {
    const file = join(await folder(), 'agent.log');
    const stderr = openSync(file, 'a');
    try {
      const child = spawn(process.execPath, argv(file), { cwd: root, stdio: ['ignore', 'ignore', stderr] });
      expect(await once(child, 'exit')).toEqual([0, null]);
    } finally {
      closeSync(stderr);
    }
    expect(readFileSync(file, 'utf8')).toBe(SAID);
  });

  it('goes on without a stderr, and on a full disk', async () => {
    const file = join(await folder(), 'agent.log');
    await run(file, `(await import('node:fs')).closeSync(2);${TALK}`);
    expect(readFileSync(file, 'utf8')).toBe(SAID);
    expect((await run('/dev/full')).stderr).toBe(SAID);
  });

  it('that can’t have its file is an error of the configuration', async () => {
    const said = await run('/dev/null/agent.log').catch((error: { stderr: string }) => error);
    expect(said.stderr).toMatch(/Failed to open the log for the agent: EEXIST.*Set run_directory/);
    expect(said.stderr).toContain("outcome: 'config-error'");
  });

  it.each([
    ['debug', ['hello', 'a ***', 'not said', 'ü']],
    ['info', ['hello', 'a ***', 'ü']],
    ['warning', ['a ***', 'ü']],
    ['error', ['ü']],
  ])('says nothing below its level: %s', async (level, said) => {
    const file = join(await folder(), 'agent.log');
    const { stderr } = await run(file, TALK, `level: '${level}'`);
    const lines = stderr.split('\n').slice(0, -1);
    expect(lines.map((line) => line.slice(33, 33 + said[lines.indexOf(line)]!.length))).toEqual(said);
    expect(readFileSync(file, 'utf8')).toBe(stderr);
  });

  it('is JSON on stderr when asked to, with the IDs that are known; the file stays text', async () => {
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

  it('is text in a file that is stderr too, whatever is asked for', async () => {
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

  it('goes to syslog instead of stderr, redacted and on one line; the file stays', async () => {
    const file = join(await folder(), 'agent.log');
    const { stdout, stderr } = await run(file, TALK, `syslog: (level, text) => console.log(level + ': ' + text)`);
    expect(stderr).toBe('');
    expect(stdout).toBe('info: hello\nwarning: a *** line | ::error::second | third\nerror: ü\n');
    expect(readFileSync(file, 'utf8')).toBe(SAID);
  });

  it('is written before the process can die', async () => {
    const file = join(await folder(), 'agent.log');
    await run(file, `log('error', 'last words'); process.kill(process.pid, 'SIGKILL');`).catch(() => undefined);
    expect(readFileSync(file, 'utf8')).toContain('last words\n');
  });
});
