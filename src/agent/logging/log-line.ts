import type { Level } from '../../base/log/level.ts';
import { plainLine } from '../../base/log/plain-text.ts';
import { withoutServiceMessages } from '../../base/log/service-messages.ts';
import type { DeploymentIds } from '../../cloud/job-wire.ts';

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

/** A message as one line that moves no cursor and commands no CI system: it can quote a server, a hook or a job. */
export function onOneLine(text: string): string {
  // Line by line: an escape sequence ends with its line.
  const lines = text.split(/[\r\n]+/).map((line) => plainLine(line));
  return withoutServiceMessages(lines.join(' | '));
}

/** `<RFC 3339> <level> <message>`, with a line break. */
export function textLine({ at, level, message }: LogEntry): string {
  return `${new Date(at).toISOString()} ${level.padEnd(7)} ${onOneLine(message)}\n`;
}

/**
 * `{"time","level","message"}` and the known IDs, with a line break. Control characters in the
 * message are escaped.
 */
export function jsonLine({ at, level, message, ids }: LogEntry): string {
  const time = new Date(at).toISOString();
  const json = JSON.stringify({ time, level, message: withoutServiceMessages(message), ...ids });
  // JSON leaves these as they are, and a terminal can take one for the start of a sequence.
  return `${json.replace(/[\u007f-\u009f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)}\n`;
}
