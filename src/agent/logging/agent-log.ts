import { fstatSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AgentConfig } from '../../base/config/agent-config.ts';
import { withEntry } from '../../base/error-codes.ts';
import { type Level, type Log, matters } from '../../base/log/level.ts';
import { messageOf, OutcomeError } from '../../base/outcome.ts';
import { LineQueue, type Outlet, outletOf, STDERR } from './line-queue.ts';
import { jsonLine, type LogEntry, type RunIds, textLine } from './log-line.ts';
import { openSyslog, type Syslog } from './syslog.ts';

export interface AgentLog {
  readonly log: Log;
  /**
   * Flushes queued lines, with a deadline for a slow reader. Never throws; later lines are ignored.
   */
  close(): Promise<void>;
}

/** Time to wait for a slow reader on close. */
const CLOSE_MS = 5_000;

interface LogOptions {
  /** The run directory's agent.log, if there is one yet. */
  readonly file?: string | undefined;
  readonly redact: (text: string) => string;
  /** The run that JSON lines name. */
  readonly ids?: (() => RunIds | undefined) | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The least severe level to log; `info` when absent. */
  readonly level?: Level | undefined;
  /** The format of stderr; agent.log is always text. */
  readonly format?: 'text' | 'json' | undefined;
  /** Replaces stderr, which then gets only the lines that the syslog daemon doesn't accept. */
  readonly syslog?: Syslog | undefined;
}

/**
 * Opens the agent's own log: redacted, to stderr or syslog, and to agent.log. Callers never wait.
 * Throws OutcomeError `config-error` if the file can't be opened.
 */
export function openAgentLog(options: LogOptions): AgentLog {
  const { file, now, redact, level: least = 'info', format = 'text', ids, syslog } = options;
  const queue = (outlet: Outlet) => new LineQueue(outlet, now);
  const descriptor = file === undefined ? undefined : openedFor(file);
  const agentLog = descriptor === undefined ? undefined : queue(outletOf(descriptor, textLine));

  // If stderr is agent.log itself, write only the file's copy.
  const isShared = descriptor !== undefined && isStderr(descriptor);
  const stderr = isShared ? undefined : queue(outletOf(STDERR, format === 'json' ? jsonLine : textLine));
  let isAway = false;

  const deliver = async (daemon: Syslog, entry: LogEntry): Promise<void> => {
    const reason = await daemon.send(entry);
    if (reason !== undefined) stderr?.write(entry);

    if (reason !== undefined && !isAway && matters('warning', least)) {
      const message = `Failed to write to syslog for the agent: ${reason}. Lines go to stderr until it is back; check that the syslog daemon is running.`;
      const warning: LogEntry = {
        at: now(),
        level: 'warning',
        message: redact(withEntry(message, 'PRA-RECORD-11')),
      };

      agentLog?.write(warning);
      stderr?.write(warning);
    }

    isAway = reason !== undefined;
  };

  const daemon = syslog && queue((entry, done) => void deliver(syslog, entry).then(() => done()));

  const log: Log = (level, message) => {
    if (!matters(level, least)) return;
    const entry: LogEntry = { at: now(), level, message: redact(message), ids: ids?.() };
    agentLog?.write(entry);
    (daemon ?? stderr)?.write(entry);
  };

  return {
    log,
    close: async () => {
      await daemon?.close(CLOSE_MS);
      // The rest goes to stderr without another warning.
      isAway = true;
      syslog?.close();
      await daemon?.close(CLOSE_MS);
      await Promise.all([agentLog?.close(CLOSE_MS), stderr?.close(CLOSE_MS)]);
    },
  };
}

/**
 * Opens the log as configured; `path` is PATH. Throws OutcomeError `config-error` if its file or
 * syslog won't open.
 */
export async function configuredLog(
  { syslog: isWanted, syslogSocket: socket, syslogFormat: format, logLevel: level, logFormat }: AgentConfig,
  {
    path,
    file,
    redact,
    ids,
    now,
  }: Pick<LogOptions, 'file' | 'redact' | 'ids' | 'now'> & { readonly path: string | undefined },
): Promise<AgentLog> {
  const syslog = isWanted ? await openSyslog({ socket, format, path }) : undefined;
  return openAgentLog({ file, redact, ids, now, level, format: logFormat, syslog });
}

function openedFor(file: string): number {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return openSync(file, 'a', 0o600);
  } catch (cause) {
    const message = `Failed to open the log for the agent: ${messageOf(cause)}. Set run_directory to a folder that the agent can write to.`;
    throw new OutcomeError('config-error', message, { code: 'PRA-CONFIG-04', cause });
  }
}

function isStderr(descriptor: number): boolean {
  const [stderr, log] = [fstatSync(STDERR), fstatSync(descriptor)];
  return stderr.dev === log.dev && stderr.ino === log.ino;
}
