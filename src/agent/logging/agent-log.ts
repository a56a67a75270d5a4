import { fstatSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AgentConfig } from '../../config/agent-config.ts';
import { defined } from '../../defined.ts';
import { messageOf, OutcomeError } from '../../outcome.ts';
import { LineQueue, type Outlet, outletOf, STDERR } from './line-queue.ts';
import { jsonLine, type Level, type LogEntry, matters, type RunIds, textLine } from './log-line.ts';
import { openSyslog, type Syslog } from './syslog.ts';

export type { Level } from './log-line.ts';

/** Takes one line of the agent's own log. */
export type Log = (level: Level, message: string) => void;

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
}

interface AgentLogOptions extends LogOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The least that is said; `info` unless given. */
  readonly level?: Level;
  /** Of stderr; agent.log is text, for those who read it. */
  readonly format?: 'text' | 'json';
  /** Takes the place of stderr, as long as its daemon is there. */
  readonly syslog?: Syslog;
}

/**
 * The agent's own log, one line each, redacted, to stderr (or to syslog in its place) and to agent.log. It never holds up the
 * agent, and never ends it. Throws OutcomeError `config-error` when the file can't be opened.
 */
export function openAgentLog(options: AgentLogOptions): AgentLog {
  const { file, now, redact, level: least = 'info', format = 'text', ids, syslog } = options;
  const queue = (outlet: Outlet) => new LineQueue(outlet, now);
  const descriptor = file === undefined ? undefined : openedFor(file);
  const agentLog = descriptor === undefined ? undefined : queue(outletOf(descriptor, textLine));
  const daemon = syslog === undefined ? undefined : queue(syslog.outlet);
  // agent.log may be stderr: then one copy is enough, and it is the file's.
  const stderr =
    descriptor !== undefined && isStderr(descriptor)
      ? undefined
      : queue(outletOf(STDERR, format === 'json' ? jsonLine : textLine));
  return {
    log: (level, message) => {
      if (!matters(level, least)) return;
      const entry: LogEntry = { at: now(), level, message: redact(message), ids: ids?.() };
      agentLog?.write(entry);
      daemon?.write(entry);
      if (syslog === undefined || syslog.isAway()) stderr?.write(entry);
    },
    close: async () => {
      await Promise.all([agentLog, daemon, stderr].map((each) => each?.close(CLOSE_MS)));
      syslog?.close();
    },
  };
}

interface ConfiguredLogOptions extends LogOptions {
  readonly pid: number;
  /** PATH. */
  readonly path: string | undefined;
}

/** The agent's own log as configured. Throws OutcomeError `config-error` when its file or syslog can't be had. */
export async function configuredLog(
  config: AgentConfig,
  { pid, path, ...options }: ConfiguredLogOptions,
): Promise<AgentLog> {
  const syslog = config.syslog
    ? await openSyslog({
        socket: config.syslogSocket,
        format: config.syslogFormat,
        pid,
        path,
        onTrouble: (message) => own.log('warning', message),
      })
    : undefined;
  const own = openAgentLog({
    ...options,
    now: () => Date.now(),
    level: config.logLevel,
    format: config.logFormat,
    ...defined({ syslog }),
  });
  return own;
}

function openedFor(file: string): number {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return openSync(file, 'a', 0o600);
  } catch (cause) {
    throw new OutcomeError(
      'config-error',
      `Failed to open the log for the agent: ${messageOf(cause)}. Set run_directory to a folder that the agent can write to.`,
      { code: 'PRA-CONFIG-04', cause },
    );
  }
}

function isStderr(descriptor: number): boolean {
  const [stderr, log] = [fstatSync(STDERR), fstatSync(descriptor)];
  return stderr.dev === log.dev && stderr.ino === log.ino;
}
