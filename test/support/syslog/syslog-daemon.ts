import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';

const RSYSLOGD = join(import.meta.dirname, '../../../scripts/rsyslogd');
/** The first start may have to download the program. */
const START_MS = 60_000;

/** What rsyslogd keeps of a message: rsyslog's property for each of our names. */
const PROPERTIES = {
  raw: 'rawmsg',
  version: 'protocol-version',
  facility: 'syslogfacility',
  severity: 'syslogseverity',
  time: 'timereported',
  app: 'app-name',
  procid: 'procid',
  msgid: 'msgid',
  text: 'msg',
};
type Message = Readonly<Record<keyof typeof PROPERTIES, string>>;

/** A real rsyslogd with its own socket. */
export class SyslogDaemon implements AsyncDisposable {
  readonly socket: string;
  readonly #folder: string;
  #process: ChildProcess | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
    this.socket = join(folder, 'log.sock');
  }

  static async start(): Promise<SyslogDaemon> {
    const daemon = new SyslogDaemon(await mkdtemp(join(tmpdir(), 'rsyslog-')));
    const properties = Object.entries(PROPERTIES).map(
      ([key, name]) =>
        `property(outname="${key}" name="${name}" format="jsonf" date.inUTC="on" dateFormat="rfc3339")`,
    );
    await writeFile(
      join(daemon.#folder, 'conf'),
      `module(load="imuxsock" SysSock.Use="off")
input(type="imuxsock" Socket="${daemon.socket}" UseSpecialParser="off" ParseHostname="on" RateLimit.Interval="0")
global(workDirectory="${daemon.#folder}")
template(name="whole" type="list" option.jsonf="on") { ${properties.join(' ')} }
action(type="omfile" file="${daemon.#folder}/messages" template="whole" asyncWriting="off")
`,
    );
    await daemon.start();
    return daemon;
  }

  async start(): Promise<void> {
    const options = ['-n', '-f', join(this.#folder, 'conf'), '-i', join(this.#folder, 'pid')];
    const child = spawn(RSYSLOGD, options, { stdio: ['ignore', 'inherit', 'inherit'] });
    this.#process = child;
    await vi.waitFor(
      () => {
        if (child.exitCode !== null) throw new Error(`rsyslogd ended with ${child.exitCode}`);
        if (!existsSync(this.socket) || !existsSync(join(this.#folder, 'pid')))
          throw new Error('rsyslogd is not up');
      },
      { timeout: START_MS, interval: 20 },
    );
  }

  /** Ends it and, on SIGTERM, removes its socket; another signal leaves the socket. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    // A paused process would not handle SIGTERM.
    child.kill('SIGCONT');
    child.kill(signal);
    await ended;
    await rm(join(this.#folder, 'pid'), { force: true });
    if (signal === 'SIGTERM') await rm(this.socket, { force: true });
  }

  /** Keeps it from reading, its socket still open, until `stop`. */
  pause(): void {
    this.#process?.kill('SIGSTOP');
  }

  /** Every message so far, as received. */
  async raw(): Promise<string[]> {
    return (await this.#read()).map(({ raw }) => raw);
  }

  /** Waits for this many messages. Throws if any of them is not RFC 5424. */
  async arrived(count: number): Promise<Message[]> {
    return vi.waitFor(
      async () => {
        const messages = await this.#read();
        const other = messages.find(({ version }) => version !== '1');
        if (other !== undefined) throw new Error(`rsyslogd did not read it as RFC 5424: ${other.raw}`);
        if (messages.length < count) throw new Error(`${messages.length} of ${count} messages have arrived`);
        return messages;
      },
      { timeout: 30_000, interval: 20 },
    );
  }

  /** The IDs of the `logger` processes that write to it. */
  async loggers(): Promise<number[]> {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
    const lines = await Promise.all(
      pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
    );
    const mine = `--socket=${this.socket}`;
    return pids.filter((_, index) => lines[index]?.startsWith('logger\0') && lines[index]?.includes(mine));
  }

  async #read(): Promise<Message[]> {
    const text = await readFile(join(this.#folder, 'messages'), 'utf8').catch(() => '');
    const lines = text.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop('SIGKILL');
    await rm(this.#folder, { recursive: true, force: true });
  }
}
