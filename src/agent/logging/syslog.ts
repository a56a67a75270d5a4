import { type ChildProcess, spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { stripControl } from '../../log/terminal-text.ts';
import { OutcomeError } from '../../outcome.ts';
import type { Level } from './log-line.ts';
import { syslogParts } from './syslog-parts.ts';

/** RFC 5424, section 6.2.1: facility daemon (3) times 8, and the severity. */
const PRIORITIES: Readonly<Record<Level, number>> = { error: 27, warning: 28, info: 30, debug: 31 };
/** Of a message, header included: what a receiver should be able to take (RFC 5424, section 6.1). */
const MESSAGE_BYTES = 2048;
/** A header's most: the fields' own limits, a host name of 64 characters, the element timeQuality. */
const HEADER_BYTES = 256;
/** Lines that wait for a daemon that is away, or slow. */
const LONGEST_QUEUE = 1_000;
const START_MS = 5_000;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;
/** From the end of the log to the end of the patience with a daemon that takes none of it. */
const CLOSE_MS = 2_000;

export interface SyslogOptions {
  /** The daemon's socket. */
  readonly socket: string;
  /** RFC 5424, or the C library's form: `<30>Jun 18 10:00:00 pulumi-runner-agent[123]: text`. By the socket when absent. */
  readonly format?: 'rfc5424' | 'local';
  /** What the lines say as their process. */
  readonly pid: number;
  /** PATH, to find `logger` on. */
  readonly path: string | undefined;
  /** Told once when the daemon goes away. */
  readonly onTrouble: (message: string) => void;
  /** Takes each line that the daemon will not get. */
  readonly onUndelivered: (level: Level, text: string) => void;
}

interface Entry {
  readonly level: Level;
  readonly text: string;
}

/**
 * The local syslog daemon, by way of util-linux's `logger`, which is kept running: Node has no datagram sockets of the Unix kind.
 * `logger --stderr` repeats each message once it is sent. What isn't repeated is kept, and sent again when the daemon is back.
 * Nothing waits for it, and `close()` ends it.
 */
export class Syslog {
  readonly #options: SyslogOptions;
  /** What hasn't been repeated yet, in order. */
  readonly #queue: Entry[] = [];
  /** How many of the queue the child has got. */
  #handed = 0;
  #child: ChildProcess | undefined;
  #childEnded: Promise<void> = Promise.resolve();
  #retry: NodeJS.Timeout | undefined;
  #retryMs = FIRST_RETRY_MS;
  #away = false;
  #closing = false;

  private constructor(options: SyslogOptions) {
    this.#options = options;
  }

  /** Throws OutcomeError `config-error` when there is no daemon at the socket, or no `logger` that can reach it. */
  static async open(options: SyslogOptions): Promise<Syslog> {
    // It connects before it reads; with nothing to read it sends nothing.
    const child = startLogger(options, 'ignore');
    const said: string[] = [];
    child.stderr?.on('data', (chunk: Buffer) => said.push(chunk.toString()));
    const failure = await new Promise<string | undefined>((resolve) => {
      const late = setTimeout(() => {
        child.kill('SIGKILL');
        resolve(`logger has not ended after ${START_MS / 1000} s`);
      }, START_MS);
      child.once('error', (error) => {
        clearTimeout(late);
        resolve('code' in error && error.code === 'ENOENT' ? 'there is no program logger on PATH' : error.message);
      });
      child.once('close', (code) => {
        clearTimeout(late);
        resolve(code === 0 ? undefined : complaint(said.join('')));
      });
    });
    if (failure === undefined) return new Syslog(options);
    throw new OutcomeError(
      'config-error',
      `Failed to open syslog for the agent: ${failure}. Start the syslog daemon, set syslog_socket to its socket, see that util-linux's logger is installed, or set syslog to false.`,
    );
  }

  /** Takes one line. */
  write(level: Level, text: string): void {
    for (const part of syslogParts(stripControl(text), MESSAGE_BYTES - HEADER_BYTES)) {
      if (this.#queue.length >= LONGEST_QUEUE || this.#closing) this.#options.onUndelivered(level, part);
      else this.#queue.push({ level, text: part });
    }
    if (this.#child === undefined && this.#retry === undefined) this.#start();
    else this.#hand();
  }

  /** Sends what is left. Never throws; what isn't sent in two seconds goes to `onUndelivered`. */
  async close(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#retry);
    if (this.#child === undefined && this.#queue.length > 0) this.#start();
    const child = this.#child;
    if (child !== undefined) {
      const late = new AbortController();
      this.#hand();
      await Promise.race([
        this.#childEnded,
        delay(CLOSE_MS, undefined, { signal: late.signal }).then(() => child.kill('SIGKILL')),
      ]);
      late.abort();
      await this.#childEnded;
    }
    for (const { level, text } of this.#queue.splice(0)) this.#options.onUndelivered(level, text);
  }

  #start(): void {
    const child = startLogger(this.#options, 'pipe');
    this.#child = child;
    this.#handed = 0;
    let said = '';
    let rest = '';
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line.startsWith('<')) {
          this.#sent(said);
          said = '';
        } else {
          said = line;
        }
      }
    });
    child.stdin?.on('drain', () => this.#hand());
    // A logger that has ended says so by its end.
    child.stdin?.on('error', () => undefined);
    this.#childEnded = new Promise((resolve) => {
      const ended = (reason: string) => {
        if (this.#child === child) this.#lost(reason);
        resolve();
      };
      child.once('error', (error) => ended(error.message));
      child.once('close', () => ended(complaint(said)));
    });
    this.#hand();
  }

  #hand(): void {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) return;
    while (this.#handed < this.#queue.length && (!stdin.writableNeedDrain || this.#closing)) {
      const { level, text } = this.#queue[this.#handed] as Entry;
      stdin.write(`<${PRIORITIES[level]}>${text}\n`);
      this.#handed += 1;
    }
    if (this.#closing) stdin.end();
  }

  /** `logger` has repeated the first line: it is sent, unless it has just complained of it. */
  #sent(said: string): void {
    const entry = this.#queue.shift();
    this.#handed -= 1;
    this.#retryMs = FIRST_RETRY_MS;
    if (said === '') this.#away = false;
    else if (entry !== undefined) this.#options.onUndelivered(entry.level, entry.text);
  }

  #lost(reason: string): void {
    this.#child = undefined;
    if (this.#closing) return;
    if (this.#queue.length > 0) {
      this.#retry = setTimeout(() => {
        this.#retry = undefined;
        this.#start();
      }, this.#retryMs);
      this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
    }
    if (this.#away || this.#queue.length === 0) return;
    this.#away = true;
    const advice = 'Lines are kept until it is back; see that the syslog daemon runs.';
    this.#options.onTrouble(`Failed to write to syslog for the agent: ${reason}. ${advice}`);
  }
}

/** journald takes what it reads for the C library's form: a header of RFC 5424 would be a part of the text. */
function formatFor(socket: string): 'rfc5424' | 'local' {
  try {
    return /^\/run\/systemd\/journal[./]/.test(realpathSync(socket)) ? 'local' : 'rfc5424';
  } catch {
    // It can't be had, which logger says better.
    return 'rfc5424';
  }
}

function startLogger(
  { socket, pid, path, format = formatFor(socket) }: SyslogOptions,
  stdin: 'ignore' | 'pipe',
): ChildProcess {
  const form = format === 'rfc5424' ? ['--rfc5424'] : [];
  const options = [...form, '--prio-prefix', '--stderr', '--socket-errors=on', `--size=${MESSAGE_BYTES}`];
  return spawn('logger', [...options, `--id=${pid}`, '--tag=pulumi-runner-agent', `--socket=${socket}`], {
    stdio: [stdin, 'ignore', 'pipe'],
    env: { LC_ALL: 'C', ...(path === undefined ? {} : { PATH: path }) },
    // Out of the reach of a Ctrl-C, which is for the agent alone.
    detached: true,
  });
}

/** What logger said on its stderr, in short. */
function complaint(said: string): string {
  const [first = ''] = said.split('\n');
  return first === ''
    ? 'logger has ended'
    : stripControl(first)
        .replace(/^logger: (socket )?/, '')
        .slice(0, 300);
}
