import { fstatSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { OutcomeError } from '../../outcome.ts';
import { jsonLine, type Level, type LogEntry, matters, onOneLine, type RunIds, textLine } from './log-line.ts';
import { WholeLines } from './whole-lines.ts';

export type { Level } from './log-line.ts';

/** Takes one line of the agent's own log. */
export type Log = (level: Level, message: string) => void;

const STDERR = 2;

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
 * The agent's own log, one line each, redacted, to stderr (or to syslog in its place) and to agent.log. Written at once, so
 * that a killed agent's last words are there. Throws OutcomeError `config-error` when the file can't be opened.
 */
export function openAgentLog(options: AgentLogOptions): Log {
  const { file, now, redact, level: least = 'info', format = 'text', ids, syslog } = options;
  const said = (entry: LogEntry): string => (format === 'json' ? jsonLine(entry, ids?.()) : textLine(entry));
  const opened =
    file === undefined ? undefined : new WholeLines(openedFor(file), (count) => textLine(lost(count, now())));
  // Whoever starts the agent may have made agent.log its stderr: then one copy is enough, and it is the file's.
  const isElsewhere = syslog !== undefined || (file !== undefined && sameFile(file));
  const stderr = isElsewhere ? undefined : new WholeLines(STDERR, (count) => said(lost(count, now())));
  return (level, message) => {
    if (!matters(level, least)) return;
    const entry: LogEntry = { at: now(), level, message: redact(message) };
    stderr?.write(said(entry));
    opened?.write(textLine(entry));
    syslog?.(level, onOneLine(entry.message));
  };
}

/** Says on stderr what syslog didn't take; it was redacted before. */
export function openStderrLog(): Log {
  const lines = new WholeLines(STDERR, (count) => textLine(lost(count, Date.now())));
  return (level, message) => lines.write(textLine({ at: Date.now(), level, message }));
}

function lost(count: number, at: number): LogEntry {
  const lines = count === 1 ? '1 line of this log is' : `${count} lines of this log are`;
  return { at, level: 'warning', message: `${lines} lost: nobody read it for a while.` };
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
