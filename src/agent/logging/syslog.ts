import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Level } from '../../base/log/level.ts';
import { stripControl } from '../../base/log/plain-text.ts';
import { messageOf, OutcomeError } from '../../base/outcome.ts';
import { type LogEntry, onOneLine } from './log-line.ts';

/** RFC 5424, section 6.2.1. */
const SEVERITIES: Readonly<Record<Level, string>> = {
  error: 'err',
  warning: 'warning',
  info: 'info',
  debug: 'debug',
};

/**
 * The most bytes of a message after a header of up to 256: a receiver should accept 2,048 (RFC
 * 5424, section 6.1).
 */
const MESSAGE_BYTES = 1_792;

/** Time to send one message. */
const SEND_MS = 5_000;

export interface SyslogOptions {
  readonly socket: string;
  /**
   * RFC 5424 or the C library's `<30>Jun 18 10:00:00 pulumi-runner-agent[123]: text`. The socket
   * decides if absent.
   */
  readonly format?: 'rfc5424' | 'local' | undefined;

  /** PATH, where `logger` is looked for. */
  readonly path: string | undefined;
}

export interface Syslog {
  /** Sends an entry. Returns undefined, or a clause that says why it failed. Never rejects. */
  send(entry: LogEntry): Promise<string | undefined>;
  /** Abandons entries not sent yet. */
  close(): void;
}

/**
 * Opens the local syslog daemon through util-linux's `logger`, as Node has no Unix datagrams.
 * Throws OutcomeError `config-error` if either is missing.
 */
export async function openSyslog(options: SyslogOptions): Promise<Syslog> {
  const closing = new AbortController();

  // logger connects before it reads; with nothing to read, it sends nothing.
  const failure = await send(options, 'info', '', closing.signal);

  if (failure !== undefined) {
    const message = `Failed to open syslog for the agent: ${failure}. Start the syslog daemon, set syslog_socket to its socket, install util-linux's logger, or set syslog to false.`;
    throw new OutcomeError('config-error', message, { code: 'PRA-CONFIG-05' });
  }

  return {
    send: ({ level, message }) => send(options, level, `${onOneLine(message)}\n`, closing.signal),
    close: () => closing.abort(),
  };
}

/**
 * Sends one line through `logger`, as several messages if it is long. Returns undefined, or why it
 * failed.
 */
async function send(options: SyslogOptions, level: Level, line: string, signal: AbortSignal) {
  const { socket, path, format = formatFor(socket) } = options;

  // Node would start logger anyway, and then kill it.
  if (signal.aborted) return 'the agent is ending';

  const form = format === 'rfc5424' ? ['--rfc5424'] : [];
  const flags = [
    ...form,
    `--priority=daemon.${SEVERITIES[level]}`,
    '--socket-errors=on',
    `--size=${MESSAGE_BYTES}`,
  ];

  try {
    // Throws what Node can't report later.
    const logger = spawn(
      'logger',
      [...flags, `--id=${process.pid}`, '--tag=pulumi-runner-agent', `--socket=${socket}`],
      {
        stdio: ['pipe', 'ignore', 'pipe'],
        env: { LC_ALL: 'C', ...(path !== undefined && { PATH: path }) },
        // In a new session, so that Ctrl-C reaches only the agent.
        detached: true,
        signal: AbortSignal.any([signal, AbortSignal.timeout(SEND_MS)]),
        killSignal: 'SIGKILL',
      },
    );

    const ended = new Promise<number | null>((resolve, reject) =>
      logger.once('error', reject).once('close', resolve),
    );

    // Without a free file descriptor it has no streams.
    if (logger.pid === undefined) await ended;

    // If logger exits before it reads, its exit code says so.
    logger.stdin.on('error', () => undefined).end(line);

    const [code, output] = await Promise.all([ended, text(logger.stderr)]);
    if (code === 0) return undefined;
    const [first = ''] = stripControl(output).split('\n');
    return first === ''
      ? 'logger failed without a message'
      : first.replace(/^logger: (socket )?/, '').slice(0, 300);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return 'there is no logger on PATH';
    return error instanceof Error && error.name === 'AbortError'
      ? `logger did not exit within ${SEND_MS / 1000} s`
      : messageOf(error);
  }
}

/** journald expects the C library's form: an RFC 5424 header would end up in the text. */
function formatFor(socket: string): 'rfc5424' | 'local' {
  try {
    return /^\/run\/systemd\/journal[./]/.test(realpathSync(socket)) ? 'local' : 'rfc5424';
  } catch {
    return 'rfc5424'; // It doesn't exist, which logger reports better.
  }
}
