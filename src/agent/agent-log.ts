import { fstatSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { OutcomeError } from '../outcome.ts';

export type Level = 'debug' | 'info' | 'warning' | 'error';

/** Takes one line of the agent's own log. */
export type Log = (level: Level, message: string) => void;

const STDERR = 2;

interface AgentLogOptions {
  /** The run directory's agent.log; stderr alone when absent. */
  readonly file?: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly redact: (text: string) => string;
}

/**
 * The agent's own log: `<RFC 3339> <level> <message>`, one line each, redacted, to stderr and to agent.log. Written at once,
 * so that a killed agent's last words are there. Throws OutcomeError `config-error` when the file can't be opened.
 */
export function openAgentLog({ file, now, redact }: AgentLogOptions): Log {
  const targets = [STDERR];
  if (file !== undefined) {
    const opened = openedFor(file);
    // Whoever starts the agent may have made agent.log its stderr: then one copy is enough.
    if (sameFile(file)) targets[0] = opened;
    else targets.push(opened);
  }
  return (level, message) => {
    if (level === 'debug') return;
    const text = redact(message).replace(/[\r\n]+/g, ' | ');
    const line = `${new Date(now()).toISOString()} ${level.padEnd(7)} ${text}\n`;
    for (const target of targets) {
      try {
        writeSync(target, line);
      } catch {
        // A closed stderr or a full disk must not end a deployment.
      }
    }
  };
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
