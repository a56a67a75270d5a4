/** Severity levels, the least severe first. */
const LEVELS = ['debug', 'info', 'warning', 'error'] as const;
export type Level = (typeof LEVELS)[number];

/** Writes one line to the agent's own log. */
export type Log = (level: Level, message: string) => void;

/** Writes one line to the agent's own log and, above debug level, to the run's record. */
export type RunLog = (level: 'debug' | 'info' | 'warning', message: string) => void;

/** True if `level` is at least as severe as `least`. */
export function matters(level: Level, least: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(least);
}
