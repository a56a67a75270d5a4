/** How much a line matters, the least first. */
const LEVELS = ['debug', 'info', 'warning', 'error'] as const;
export type Level = (typeof LEVELS)[number];
/** Takes one line of the agent's own log. */
export type Log = (level: Level, message: string) => void;
/** Tells what the run's record should have, too. */
export type Notice = (level: 'info' | 'warning', message: string) => void;

/** What names the work that a line is about. */
export interface RunIds {
  readonly runId: string;
  readonly jobId: string;
  readonly deploymentId: string;
}

/** What one line of the agent's own log says; `message` has passed the redactor. */
export interface LogEntry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly level: Level;
  readonly message: string;
  readonly ids?: RunIds | undefined;
}

/** True when `level` matters as much as `least`, or more. */
export function matters(level: Level, least: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(least);
}

/** A text without line ends. */
export function onOneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' | ');
}

/** `<RFC 3339> <level> <message>`, with its line end. */
export function textLine({ at, level, message }: LogEntry): string {
  return `${new Date(at).toISOString()} ${level.padEnd(7)} ${onOneLine(message)}\n`;
}

/** `{"time","level","message"}` and the IDs that are known, with its line end. A line break in the message stays one, escaped. */
export function jsonLine({ at, level, message, ids }: LogEntry): string {
  return `${JSON.stringify({ time: new Date(at).toISOString(), level, message, ...ids })}\n`;
}
