import { fstatSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AgentConfig } from '../../config/agent-config.ts';
import { defined } from '../../defined.ts';
import { withEntry } from '../../error-codes.ts';
import { messageOf, OutcomeError } from '../../outcome.ts';
import { LineQueue, type Outlet, outletOf, STDERR } from './line-queue.ts';
import { jsonLine, type Level, type Log, type LogEntry, matters, type RunIds, textLine } from './log-line.ts';
import { openSyslog, type Syslog } from './syslog.ts';

/** The agent's own log, and its end. */
export interface AgentLog {
  readonly log: Log;
  /** Hands on what still waits, for as long as a reader may be late. Never throws; what is said later is ignored. */
  close(): Promise<void>;
}

/** Milliseconds at the end for a slow reader. */
const CLOSE_MS = 5_000;

interface LogOptions {
  /** The run directory's agent.log, if there is one yet. */
  readonly file?: string | undefined;
  readonly redact: (text: string) => string;
  /** The run that JSON lines name. */
  readonly ids?: () => RunIds | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The least that is said; `info` unless given. */
  readonly level?: Level;
  /** Of stderr; agent.log is text, for those who read it. */
  readonly format?: 'text' | 'json';
  /** Takes the place of stderr, which gets the lines that its daemon doesn't take. */
  readonly syslog?: Syslog;
}

/** The agent's own log, redacted, to stderr or syslog and to agent.log; nothing waits for it. Throws OutcomeError `config-error` when the file can't be opened. */
export function openAgentLog(options: LogOptions): AgentLog {
  const { file, now, redact, level: least = 'info', format = 'text', ids, syslog } = options;
  const queue = (outlet: Outlet) => new LineQueue(outlet, now);
  const descriptor = file === undefined ? undefined : openedFor(file);
  const agentLog = descriptor === undefined ? undefined : queue(outletOf(descriptor, textLine));
  // agent.log may be stderr: then one copy is enough, and it is the file's.
  const isShared = descriptor !== undefined && isStderr(descriptor);
  const stderr = isShared ? undefined : queue(outletOf(STDERR, format === 'json' ? jsonLine : textLine));
  let isAway = false;
  const deliver = async (daemon: Syslog, entry: LogEntry): Promise<void> => {
    const reason = await daemon.send(entry);
    if (reason !== undefined) stderr?.write(entry);
    if (reason !== undefined && !isAway && matters('warning', least)) {
      const message = `Failed to write to syslog for the agent: ${reason}. Lines go to stderr until it is back; see that the syslog daemon runs.`;
      const warning: LogEntry = { at: now(), level: 'warning', message: redact(withEntry(message, 'PRA-RECORD-11')) };
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
      // What is left goes to stderr, without another word.
      isAway = true;
      syslog?.close();
      await daemon?.close(CLOSE_MS);
      await Promise.all([agentLog?.close(CLOSE_MS), stderr?.close(CLOSE_MS)]);
    },
  };
}

/** The agent's own log as configured; `path` is PATH. Throws OutcomeError `config-error` when its file or syslog can't be had. */
export async function configuredLog(
  { syslog: isWanted, syslogSocket: socket, syslogFormat: format, logLevel: level, logFormat }: AgentConfig,
  { path, ...options }: Pick<LogOptions, 'file' | 'redact' | 'ids' | 'now'> & { readonly path: string | undefined },
): Promise<AgentLog> {
  const syslog = isWanted ? await openSyslog({ socket, format, path }) : undefined;
  return openAgentLog({ ...options, level, format: logFormat, ...defined({ syslog }) });
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
