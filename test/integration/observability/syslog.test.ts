import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openAgentLog } from '../../../src/agent/logging/agent-log.ts';
import { Syslog, type SyslogOptions } from '../../../src/agent/logging/syslog.ts';
import { Redactor } from '../../../src/log/redactor.ts';
import { OutcomeError } from '../../../src/outcome.ts';
import { Journal } from './journal.ts';
import { SyslogDaemon } from './syslog-daemon.ts';

async function daemonOf(): Promise<SyslogDaemon> {
  const daemon = await SyslogDaemon.start();
  onTestFinished(() => daemon[Symbol.asyncDispose]());
  return daemon;
}

async function open(socket: string, more: Partial<SyslogOptions> = {}) {
  const troubles: string[] = [];
  const undelivered: string[] = [];
  const syslog = await Syslog.open({
    socket,
    pid: process.pid,
    path: process.env['PATH'],
    onTrouble: (message) => troubles.push(message),
    onUndelivered: (_level, text) => undelivered.push(text),
    ...more,
  });
  onTestFinished(() => syslog.close());
  return { syslog, troubles, undelivered };
}

async function emptyFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'syslog-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

describe('a line in syslog', () => {
  it('is RFC 5424, with the severity of its level, the name and the process', async () => {
    const daemon = await daemonOf();
    const { syslog, undelivered } = await open(daemon.socket);
    for (const level of ['debug', 'info', 'warning', 'error'] as const) syslog.write(level, `at ${level}`);
    const messages = await daemon.arrived(4);
    const own = { facility: 3, app: 'pulumi-runner-agent', procid: String(process.pid), msgid: '-' };
    expect(messages).toEqual([
      expect.objectContaining({ ...own, severity: 7, text: 'at debug' }),
      expect.objectContaining({ ...own, severity: 6, text: 'at info' }),
      expect.objectContaining({ ...own, severity: 4, text: 'at warning' }),
      expect.objectContaining({ ...own, severity: 3, text: 'at error' }),
    ]);
    const age = Date.now() - Date.parse(messages[0]!.time);
    expect(age).toBeGreaterThanOrEqual(0);
    expect(age).toBeLessThan(60_000);
    await syslog.close();
    expect(undelivered).toEqual([]);
  });

  it('is redacted, on one line and without control characters, and cannot take another severity', async () => {
    const daemon = await daemonOf();
    const { syslog } = await open(daemon.socket);
    const redactor = new Redactor();
    redactor.add(['hunter2-hunter2']);
    const { log } = openAgentLog({
      now: Date.now,
      redact: (text) => redactor.text(text),
      syslog: (level, text) => syslog.write(level, text),
    });
    log('info', 'grüße aus 東京 🚀');
    log('warning', 'the token is hunter2-hunter2\nand the second line\r\n<0>third');
    log('error', '<0>panic\u0000hidden \u001b[31mred\u001b[0m');
    log('debug', 'not said');
    const messages = await daemon.arrived(3);
    expect(messages.map(({ severity, text }) => [severity, text])).toEqual([
      [6, 'grüße aus 東京 🚀'],
      [4, 'the token is *** | and the second line | <0>third'],
      [3, '<0>panichidden red'],
    ]);
  });

  it('comes in parts when it is long, none over 2048 bytes, and no character is torn', async () => {
    const daemon = await daemonOf();
    const { syslog } = await open(daemon.socket);
    const long = `${'<1>'.repeat(500)}${'ä東🚀x'.repeat(700)}`;
    syslog.write('error', long);
    syslog.write('info', 'the end');
    const messages = await daemon.arrived(6);
    expect(messages.map(({ severity }) => severity)).toEqual([3, 3, 3, 3, 3, 6]);
    const parts = messages.slice(0, -1).map(({ text }) => text);
    for (const part of parts) expect(Buffer.byteLength(part)).toBeLessThanOrEqual(1792);
    expect(parts.map((part, index) => (index === 0 ? part : part.replace(/^… /, ''))).join('')).toBe(long);
  });
});

describe('a line in journald', () => {
  it('has its severity, the name and the process, found by the socket alone', async () => {
    const journal = await Journal.start();
    onTestFinished(() => journal[Symbol.asyncDispose]());
    // /dev/log is such a link where systemd runs.
    const link = join(await emptyFolder(), 'log');
    await symlink(journal.socket, link);
    const { syslog, undelivered } = await open(link);
    syslog.write('info', 'grüße: aus 東京');
    syslog.write('error', 'failed[1]: <0>text');
    const own = { SYSLOG_FACILITY: '3', SYSLOG_IDENTIFIER: 'pulumi-runner-agent', SYSLOG_PID: String(process.pid) };
    expect(await journal.arrived(2)).toEqual([
      expect.objectContaining({ ...own, PRIORITY: '6', MESSAGE: 'grüße: aus 東京' }),
      expect.objectContaining({ ...own, PRIORITY: '3', MESSAGE: 'failed[1]: <0>text' }),
    ]);
    await syslog.close();
    expect(undelivered).toEqual([]);
  });

  it('is RFC 5424 all the same when asked to', async () => {
    const journal = await Journal.start();
    onTestFinished(() => journal[Symbol.asyncDispose]());
    const { syslog } = await open(journal.socket, { format: 'rfc5424' });
    syslog.write('info', 'hello');
    const [entry] = await journal.arrived(1);
    expect(entry!.MESSAGE).toMatch(/^1 \d{4}-.* pulumi-runner-agent \d+ - .*hello$/);
  });
});

it('has the C library’s form when asked to, which rsyslog’s /dev/log reads by its defaults', async () => {
  const daemon = await daemonOf();
  const { syslog } = await open(daemon.socket, { format: 'local' });
  syslog.write('warning', 'hello');
  await expect.poll(() => daemon.raw(), { timeout: 10_000 }).toHaveLength(1);
  expect((await daemon.raw())[0]).toMatch(
    new RegExp(`^<28>[A-Z][a-z]{2} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d pulumi-runner-agent\\[${process.pid}\\]: hello$`),
  );
});

describe('a daemon that goes away', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'by %s loses no line once it is back, and each comes once',
    async (signal) => {
      const daemon = await daemonOf();
      const { syslog, troubles, undelivered } = await open(daemon.socket);
      syslog.write('info', 'before');
      await daemon.arrived(1);
      await daemon.stop(signal);
      const lines = Array.from({ length: 50 }, (_, index) => `meanwhile ${index}`);
      for (const line of lines) syslog.write('info', line);
      await expect.poll(() => troubles, { timeout: 10_000 }).toHaveLength(1);
      expect(troubles[0]).toMatch(
        /^Failed to write to syslog for the agent: .*log\.sock: (No such file or directory|Connection refused)\. Lines/,
      );
      await rm(daemon.socket, { force: true });
      await daemon.start();
      const messages = await daemon.arrived(51);
      expect(messages.map(({ text }) => text)).toEqual(['before', ...lines]);
      syslog.write('info', 'after');
      expect((await daemon.arrived(52)).at(-1)!.text).toBe('after');
      await syslog.close();
      expect([troubles.length, undelivered]).toEqual([1, []]);
    },
  );

  it('and comes back between two lines is not even noticed', async () => {
    const daemon = await daemonOf();
    const { syslog, troubles } = await open(daemon.socket);
    syslog.write('info', 'before');
    await daemon.arrived(1);
    await daemon.stop();
    await daemon.start();
    syslog.write('info', 'after');
    expect((await daemon.arrived(2)).map(({ text }) => text)).toEqual(['before', 'after']);
    expect(troubles).toEqual([]);
  });

  it('for good: what it did not get is given back at the end', async () => {
    const daemon = await daemonOf();
    const { syslog, undelivered } = await open(daemon.socket);
    syslog.write('info', 'before');
    await daemon.arrived(1);
    await daemon.stop();
    syslog.write('warning', 'one');
    syslog.write('error', 'two');
    await syslog.close();
    expect(undelivered).toEqual(['one', 'two']);
    syslog.write('info', 'too late');
    expect(undelivered).toEqual(['one', 'two', 'too late']);
  });
});

describe('a daemon that takes nothing', () => {
  it('delays nobody: a bounded number of lines waits, the others are given back at once', async () => {
    const daemon = await daemonOf();
    const { syslog, undelivered } = await open(daemon.socket);
    daemon.pause();
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index} ${'x'.repeat(500)}`);
    for (const line of lines) syslog.write('info', line);
    const late = undelivered.length;
    expect(late).toBeGreaterThanOrEqual(4_000);
    daemon.resume();
    const messages = await daemon.arrived(lines.length - late);
    expect([...messages.map(({ text }) => text), ...undelivered].toSorted()).toEqual(lines.toSorted());
    await syslog.close();
    expect(undelivered).toHaveLength(late);
  });

  it('does not keep the agent from its end', async () => {
    const daemon = await daemonOf();
    const { syslog, undelivered } = await open(daemon.socket);
    daemon.pause();
    const lines = Array.from({ length: 900 }, (_, index) => `line ${index}`);
    for (const line of lines) syslog.write('info', line);
    const began = performance.now();
    await syslog.close();
    expect(performance.now() - began).toBeLessThan(15_000);
    // What the socket itself holds may count as sent: its daemon can still read it.
    expect(undelivered.length).toBeGreaterThan(0);
    expect(undelivered).toEqual(lines.slice(-undelivered.length));
  });
});

it('goes on when logger is killed: what was not sent is sent by the next one', async () => {
  const daemon = await daemonOf();
  const { syslog } = await open(daemon.socket);
  syslog.write('info', 'before');
  await daemon.arrived(1);
  const loggers = await daemon.loggers();
  expect(loggers).toHaveLength(1);
  for (const pid of loggers) process.kill(pid, 'SIGTERM');
  await expect.poll(() => daemon.loggers(), { timeout: 10_000 }).toEqual([]);
  syslog.write('info', 'after');
  expect((await daemon.arrived(2)).map(({ text }) => text)).toEqual(['before', 'after']);
});

describe('syslog that can’t be had is an error of the configuration', () => {
  const refusal = async (socket: string, path?: string) => {
    const error = await open(socket, path === undefined ? {} : { path }).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(OutcomeError);
    expect(error).toMatchObject({ outcome: 'config-error' });
    return (error as Error).message;
  };

  it('without a socket', async () => {
    const socket = join(await emptyFolder(), 'none.sock');
    expect(await refusal(socket)).toBe(
      `Failed to open syslog for the agent: ${socket}: No such file or directory. Start the syslog daemon, set syslog_socket to its socket, see that util-linux's logger is installed, or set syslog to false.`,
    );
  });

  it('with a socket that nobody reads', async () => {
    const daemon = await daemonOf();
    await daemon.stop('SIGKILL');
    expect(await refusal(daemon.socket)).toContain('log.sock: Connection refused. Start the syslog daemon');
  });

  it('without logger, and with one that can’t do it', async () => {
    const [folder, daemon] = [await emptyFolder(), await daemonOf()];
    expect(await refusal(daemon.socket, folder)).toContain('there is no program logger on PATH');
    await writeFile(
      join(folder, 'logger'),
      '#!/bin/sh\necho "logger: unrecognized option \'--rfc5424\'" >&2\nexit 1\n',
    );
    await chmod(join(folder, 'logger'), 0o755);
    expect(await refusal(daemon.socket, folder)).toContain("unrecognized option '--rfc5424'. Start");
  });
});
