import type { DeploymentIds } from '../../cloud/wire.ts';
import type { Level } from '../../log/level.ts';

/** The work that a line is about: its IDs and, once known, its name. */
export interface RunIds extends DeploymentIds {
  /** `org/project/stack`. */
  readonly stack?: string | undefined;
  readonly operation?: string | undefined;
  /** Numbered per stack. */
  readonly version?: number | undefined;
}

/** One line of the agent's own log; `message` is redacted. */
export interface LogEntry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly level: Level;
  readonly message: string;
  readonly ids?: RunIds | undefined;
}

export function onOneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' | ');
}

/** `<RFC 3339> <level> <message>`, with a line break. */
export function textLine({ at, level, message }: LogEntry): string {
  return `${new Date(at).toISOString()} ${level.padEnd(7)} ${onOneLine(message)}\n`;
}

/**
 * `{"time","level","message"}` and the known IDs, with a line break. Line breaks in the message are
 * escaped.
 */
export function jsonLine({ at, level, message, ids }: LogEntry): string {
  return `${JSON.stringify({ time: new Date(at).toISOString(), level, message, ...ids })}\n`;
}
