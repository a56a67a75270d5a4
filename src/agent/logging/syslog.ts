import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { stripControl } from '../../log/terminal-text.ts';
import { messageOf, OutcomeError } from '../../outcome.ts';
import { type Level, type LogEntry, onOneLine } from './log-line.ts';

/** RFC 5424, section 6.2.1. */
const SEVERITIES: Readonly<Record<Level, string>> = { error: 'err', warning: 'warning', info: 'info', debug: 'debug' };
/** Of a message without its header, which is at most 256: a receiver should be able to take 2,048 (RFC 5424, section 6.1). */
const MESSAGE_BYTES = 1_792;
/** Milliseconds that a message may take. */
const SEND_MS = 5_000;

export interface SyslogOptions {
  /** The daemon's socket. */
  readonly socket: string;
  /** RFC 5424, or the C library's form: `<30>Jun 18 10:00:00 pulumi-runner-agent[123]: text`. By the socket when absent. */
  readonly format?: 'rfc5424' | 'local' | undefined;
  /** PATH, to find `logger` on. */
  readonly path: string | undefined;
}

export interface Syslog {
  /** Sends an entry. Returns why the daemon didn't take it, a clause. Never rejects. */
  send(entry: LogEntry): Promise<string | undefined>;
  /** Gives up what isn't sent. */
  close(): void;
}

/** The local syslog daemon by util-linux's `logger`, as Node has no Unix datagrams. Throws OutcomeError `config-error` when either can't be had. */
export async function openSyslog(options: SyslogOptions): Promise<Syslog> {
  const closing = new AbortController();
  // It connects before it reads; with nothing to read it sends nothing.
  const failure = await send(options, 'info', '', closing.signal);
  if (failure !== undefined)
    throw new OutcomeError(
      'config-error',
      `Failed to open syslog for the agent: ${failure}. Start the syslog daemon, set syslog_socket to its socket, see that util-linux's logger is installed, or set syslog to false.`,
      { code: 'PRA-CONFIG-05' },
    );
  return {
    send: ({ level, message }) => send(options, level, `${stripControl(onOneLine(message))}\n`, closing.signal),
    close: () => closing.abort(),
  };
}

/** Has `logger` send one line, in several messages if it is long. Returns why it couldn't. */
async function send(
  { socket, path, format = formatFor(socket) }: SyslogOptions,
  level: Level,
  line: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  // Node would start it all the same, and end it.
  if (signal.aborted) return 'the agent ends';
  const form = format === 'rfc5424' ? ['--rfc5424'] : [];
  const options = [...form, `--priority=daemon.${SEVERITIES[level]}`, '--socket-errors=on', `--size=${MESSAGE_BYTES}`];
  const logger = spawn(
    'logger',
    [...options, `--id=${process.pid}`, '--tag=pulumi-runner-agent', `--socket=${socket}`],
    {
      stdio: ['pipe', 'ignore', 'pipe'],
      env: { LC_ALL: 'C', ...(path !== undefined && { PATH: path }) },
      // Out of the reach of a Ctrl-C, which is for the agent alone.
      detached: true,
      signal: AbortSignal.any([signal, AbortSignal.timeout(SEND_MS)]),
      killSignal: 'SIGKILL',
    },
  );
  // A logger that ended before it read says so by its exit code.
  logger.stdin.on('error', () => undefined).end(line);
  const ended = new Promise<number | null>((resolve, reject) => logger.once('error', reject).once('close', resolve));
  try {
    const [code, said] = await Promise.all([ended, text(logger.stderr)]);
    if (code === 0) return undefined;
    const [first = ''] = stripControl(said).split('\n');
    return first === '' ? 'logger has ended' : first.replace(/^logger: (socket )?/, '').slice(0, 300);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return 'there is no program logger on PATH';
    return error instanceof Error && error.name === 'AbortError'
      ? `logger has not ended after ${SEND_MS / 1000} s`
      : messageOf(error);
  }
}

/** journald takes what it reads for the C library's form: a header of RFC 5424 would be a part of the text. */
function formatFor(socket: string): 'rfc5424' | 'local' {
  try {
    return /^\/run\/systemd\/journal[./]/.test(realpathSync(socket)) ? 'local' : 'rfc5424';
  } catch {
    return 'rfc5424'; // It isn't there, which logger says better.
  }
}
