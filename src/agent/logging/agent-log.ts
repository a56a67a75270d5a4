import { fstatSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { OutcomeError } from '../../outcome.ts';
import { LineQueue } from './line-queue.ts';
import { jsonLine, type Level, type LogEntry, matters, onOneLine, type RunIds, textLine } from './log-line.ts';
import { outletOf, STDERR } from './outlets.ts';

export type { Level } from './log-line.ts';

/** Takes one line of the agent's own log. */
export type Log = (level: Level, message: string) => void;

/** The agent's own log, and its end. */
export interface AgentLog {
  readonly log: Log;
  /** Hands on what still waits, for as long as a reader may be late. Never throws; what is said later is ignored. */
  close(): Promise<void>;
}

/** Milliseconds at the end for a slow reader of stderr. */
const CLOSE_MS = 5_000;

interface AgentLogOptions {
  /** The run directory's agent.log; stderr alone when absent. */
  readonly file?: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly redact: (text: string) => string;
  /** The least that is said; `info` unless given. */
  readonly level?: Level;
  /** Of stderr; agent.log is text, for whoever reads it. */
  readonly format?: 'text' | 'json';
  /** The run that JSON lines name. */
  readonly ids?: () => RunIds | undefined;
  /** Takes the place of stderr: one redacted line, without its end. */
  readonly syslog?: (level: Level, text: string) => void;
}

/**
 * The agent's own log, one line each, redacted, to stderr (or to syslog in its place) and to agent.log. It never holds up the
 * agent, and never ends it. Throws OutcomeError `config-error` when the file can't be opened.
 */
export function openAgentLog(options: AgentLogOptions): AgentLog {
  const { file, now, redact, level: least = 'info', format = 'text', ids, syslog } = options;
  const said = (entry: LogEntry): string => (format === 'json' ? jsonLine(entry, ids?.()) : textLine(entry));
  const queue = (descriptor: number, line: (entry: LogEntry) => string) =>
    new LineQueue(outletOf(descriptor), (count) => line(lost(count, now())));
  const opened = file === undefined ? undefined : queue(openedFor(file), textLine);
  // Whoever starts the agent may have made agent.log its stderr: then one copy is enough, and it is the file's.
  const isElsewhere = syslog !== undefined || (file !== undefined && sameFile(file));
  const stderr = isElsewhere ? undefined : queue(STDERR, said);
  const log: Log = (level, message) => {
    if (!matters(level, least)) return;
    const entry: LogEntry = { at: now(), level, message: redact(message) };
    stderr?.write(said(entry));
    opened?.write(textLine(entry));
    syslog?.(level, onOneLine(entry.message));
  };
  return { log, close: async () => void (await Promise.all([stderr?.close(CLOSE_MS), opened?.close(CLOSE_MS)])) };
}

function lost(count: number, at: number): LogEntry {
  const lines = count === 1 ? '1 line' : `${count} lines`;
  const message = `Lost ${lines} of this log: nobody read it for a while, or the disk was full.`;
  return { at, level: 'warning', message };
}

function openedFor(file: string): number {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return openSync(file, 'a', 0o600);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const advice = 'Set run_directory to a folder that the agent can write to.';
    throw new OutcomeError('config-error', `Failed to open the log for the agent: ${reason}. ${advice}`, { cause });
  }
}

function sameFile(file: string): boolean {
  try {
    const [stderr, log] = [fstatSync(STDERR), statSync(file)];
    return stderr.dev === log.dev && stderr.ino === log.ino;
  } catch {
    return false;
  }
}
