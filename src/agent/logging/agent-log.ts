import { fstatSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { OutcomeError } from '../../outcome.ts';
import { jsonLine, type Level, type LogEntry, matters, onOneLine, type RunIds, textLine } from './log-line.ts';

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
  const opened = file === undefined ? undefined : openedFor(file);
  // Whoever starts the agent may have made agent.log its stderr: then one copy is enough, and it is the file's.
  const stderr = syslog !== undefined || (file !== undefined && sameFile(file)) ? undefined : STDERR;
  return (level, message) => {
    if (!matters(level, least)) return;
    const entry: LogEntry = { at: now(), level, message: redact(message) };
    if (stderr !== undefined) put(stderr, format === 'json' ? jsonLine(entry, ids?.()) : textLine(entry));
    if (opened !== undefined) put(opened, textLine(entry));
    syslog?.(level, onOneLine(entry.message));
  };
}

/** Writes a line on stderr that syslog didn't take; it was redacted before. */
export function sayOnStderr(level: Level, text: string): void {
  put(STDERR, textLine({ at: Date.now(), level, message: text }));
}

function put(target: number, line: string): void {
  try {
    writeSync(target, line);
  } catch {
    // A closed stderr or a full disk must not end a deployment.
  }
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
