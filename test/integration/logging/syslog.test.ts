import { execFile } from 'node:child_process';
import { chmod, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openAgentLog } from '../../../src/agent/logging/agent-log.ts';
import { openSyslog, type SyslogOptions } from '../../../src/agent/logging/syslog.ts';
import type { Level } from '../../../src/base/log/level.ts';
import { Redactor } from '../../../src/base/log/redactor.ts';
import { temporaryDirectory as emptyFolder } from '../../support/run/temporary-directory.ts';
import { Journal } from '../../support/syslog/journal.ts';
import { SyslogDaemon } from '../../support/syslog/syslog-daemon.ts';

const run = promisify(execFile);
const OUT_OF_FILES = join(import.meta.dirname, 'out-of-files.ts');

async function daemonOf(): Promise<SyslogDaemon> {
  const daemon = await SyslogDaemon.start();
  onTestFinished(() => daemon[Symbol.asyncDispose]());
  return daemon;
}

/** The agent's log, sent to syslog instead of stderr; `said` holds the lines on stderr. */
async function open(socket: string, more: Partial<SyslogOptions> = {}, level: Level = 'debug') {
  const said: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    said.push(String(line).slice(25).trim());
    return true;
  });
  onTestFinished(() => write.mockRestore());
  const syslog = await openSyslog({ socket, path: process.env['PATH'], ...more });
  const redactor = new Redactor();
  redactor.add(['hunter2-hunter2']);
  const { log, close } = openAgentLog({
    now: Date.now,
    level,
    redact: (text) => redactor.text(text),
    syslog,
  });
  onTestFinished(close);
  return { log, close, said };
}

describe('a logger that the system can’t start', () => {
  it('at first is a bad configuration', async () => {
    const daemon = await daemonOf();
    await expect(openSyslog({ socket: daemon.socket, path: '/usr/bin\0' })).rejects.toMatchObject({
      outcome: 'config-error',
      code: 'PRA-CONFIG-05',
      message: expect.stringContaining('null bytes'),
    });
  });

  it('later, for lack of free files, loses its line and no other, and ends nothing', async () => {
    const daemon = await daemonOf();
    const script = 'ulimit -n 64; exec "$0" "$@"';
    const { stdout } = await run('sh', ['-c', script, process.execPath, OUT_OF_FILES, daemon.socket]);
    expect(JSON.parse(stdout)).toEqual([expect.stringContaining('EMFILE'), null]);
    expect((await daemon.arrived(1)).map(({ text }) => text)).toEqual(['sent']);
  }, 20_000);
});

describe('a line in syslog', () => {
  it('is RFC 5424, with the severity of its level, the name and the process', async () => {
    const daemon = await daemonOf();
    const { log } = await open(daemon.socket);
    for (const level of ['debug', 'info', 'warning', 'error'] as const) log(level, `at ${level}`);
    const messages = await daemon.arrived(4);
    const own = { facility: '3', app: 'pulumi-runner-agent', procid: String(process.pid), msgid: '-' };
    expect(messages).toMatchObject([
      { ...own, severity: '7', text: 'at debug' },
      { ...own, severity: '6', text: 'at info' },
      { ...own, severity: '4', text: 'at warning' },
      { ...own, severity: '3', text: 'at error' },
    ]);
    const age = Date.now() - Date.parse(messages[0]!.time);
    expect(age).toBeGreaterThanOrEqual(0);
    expect(age).toBeLessThan(60_000);
  });

  it('is redacted, on one line and without control characters, and cannot forge another severity', async () => {
    const daemon = await daemonOf();
    const { log } = await open(daemon.socket);
    log('info', 'grüße aus 東京 🚀');
    log('warning', 'the token is hunter2-hunter2\nand the second line\r\n<0>third');
    log('error', '<0>panic\u0000hidden \u001b[31mred\u001b[0m');
    const messages = await daemon.arrived(3);
    expect(messages.map(({ severity, text }) => [severity, text])).toEqual([
      ['6', 'grüße aus 東京 🚀'],
      ['4', 'the token is *** | and the second line | <0>third'],
      ['3', '<0>panichidden red'],
    ]);
  });

  it('is split into several messages when it is long, each with its severity and at most 2048 bytes', async () => {
    const daemon = await daemonOf();
    const { log } = await open(daemon.socket);
    const long = '<1>plain text, '.repeat(400);
    log('error', long);
    log('info', 'the end');
    const messages = await daemon.arrived(5);
    expect(messages.map(({ severity }) => severity)).toEqual(['3', '3', '3', '3', '6']);
    const [, ...texts] = messages.map(({ text }) => text).toReversed();
    expect(texts.toReversed().join('')).toBe(long);
    for (const raw of await daemon.raw()) expect(Buffer.byteLength(raw)).toBeLessThanOrEqual(2_048);
  });

  it('has the C library’s format when asked to, which rsyslog reads from /dev/log by default', async () => {
    const daemon = await daemonOf();
    const { log } = await open(daemon.socket, { format: 'local' });
    log('warning', 'hello');
    await expect.poll(() => daemon.raw(), { timeout: 10_000 }).toHaveLength(1);
    expect((await daemon.raw())[0]).toMatch(
      new RegExp(
        `^<28>[A-Z][a-z]{2} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d pulumi-runner-agent\\[${process.pid}\\]: hello$`,
      ),
    );
  });

  it('reaches journald too, which is found by its socket', async () => {
    const journal = await Journal.start();
    onTestFinished(() => journal[Symbol.asyncDispose]());
    // Where systemd runs, /dev/log is a link like this.
    const link = join(await emptyFolder(), 'log');
    await symlink(journal.socket, link);
    const { log } = await open(link);
    log('info', 'grüße: aus 東京');
    log('error', 'failed[1]: <0>text');
    const own = {
      SYSLOG_FACILITY: '3',
      SYSLOG_IDENTIFIER: 'pulumi-runner-agent',
      SYSLOG_PID: String(process.pid),
    };
    expect(await journal.arrived(2)).toEqual([
      expect.objectContaining({ ...own, PRIORITY: '6', MESSAGE: 'grüße: aus 東京' }),
      expect.objectContaining({ ...own, PRIORITY: '3', MESSAGE: 'failed[1]: <0>text' }),
    ]);
  });
});

describe('a daemon that goes away', () => {
  it('costs no line: each is on stderr until it is back, with one warning', async () => {
    const daemon = await daemonOf();
    const { log, said } = await open(daemon.socket);
    log('info', 'before');
    await daemon.arrived(1);
    await daemon.stop('SIGKILL');
    const lines = Array.from({ length: 5 }, (_, index) => `meanwhile ${index}`);
    for (const line of lines) log('info', line);
    await expect.poll(() => said, { timeout: 20_000 }).toHaveLength(6);
    const [first, warning, ...others] = said;
    expect([first, ...others]).toEqual(lines.map((line) => `info    ${line}`));
    expect(warning).toMatch(
      /Failed to write to syslog for the agent: .*log\.sock: Connection refused\. Lines go/,
    );
    await rm(daemon.socket, { force: true });
    await daemon.start();
    log('info', 'after');
    expect((await daemon.arrived(2)).map(({ text }) => text)).toEqual(['before', 'after']);
    expect(said).toHaveLength(6);
  });

  it('causes no warning when only errors are wanted', async () => {
    const daemon = await daemonOf();
    const { log, close, said } = await open(daemon.socket, {}, 'error');
    await daemon.stop('SIGKILL');
    for (const level of ['warning', 'error'] as const) log(level, 'meanwhile');
    await close();
    expect(said).toEqual(['error   meanwhile']);
  });

  it('costs no line when the agent ends: what it did not take is on stderr', async () => {
    const daemon = await daemonOf();
    const { log, close, said } = await open(daemon.socket);
    await daemon.stop('SIGKILL');
    const lines = Array.from({ length: 5 }, (_, index) => `meanwhile ${index}`);
    for (const line of lines) log('info', line);
    await close();
    expect(said.filter((line) => line.startsWith('info')).toSorted()).toEqual(
      lines.map((line) => `info    ${line}`),
    );
    expect(said).toHaveLength(6);
  });

  it('does not keep the agent from ending when it takes nothing', async () => {
    const daemon = await daemonOf();
    const { log, close } = await open(daemon.socket);
    daemon.pause();
    for (let index = 0; index < 1_500; index += 1) log('info', `line ${index}`);
    const began = performance.now();
    await close();
    expect(performance.now() - began).toBeLessThan(20_000);
    await expect.poll(() => daemon.loggers(), { timeout: 10_000 }).toEqual([]);
  });
});

describe('syslog is a configuration error', () => {
  const refusal = async (socket: string, path?: string) => {
    const error = await open(socket, path === undefined ? {} : { path }).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ outcome: 'config-error', code: 'PRA-CONFIG-05' });
    return (error as Error).message;
  };

  it('without a socket', async () => {
    const socket = join(await emptyFolder(), 'none.sock');
    expect(await refusal(socket)).toBe(
      `Failed to open syslog for the agent: ${socket}: No such file or directory. Start the syslog daemon, set syslog_socket to its socket, install util-linux's logger, or set syslog to false.`,
    );
  });

  it('without the program logger, and with one that does not support it', async () => {
    const [folder, daemon] = [await emptyFolder(), await daemonOf()];
    expect(await refusal(daemon.socket, folder)).toContain('there is no logger on PATH');
    await writeFile(join(folder, 'logger'), '#!/bin/sh\necho "logger: unrecognized option" >&2\nexit 1\n');
    await chmod(join(folder, 'logger'), 0o755);
    expect(await refusal(daemon.socket, folder)).toContain('unrecognized option. Start');
  });
});
