import type { ActionCommand } from './action-command.ts';

export type AnnotationLevel = 'error' | 'warning' | 'notice';

export interface Annotation {
  readonly level: AnnotationLevel;
  /** Masked, and cut at 4,096 characters. */
  readonly message: string;
  /** `title`, `file`, `line`, `col`, `endLine`, `endColumn`, as far as they were given. */
  readonly properties: Readonly<Record<string, string>>;
}

export interface ConsoleGroup {
  readonly title: string;
  /** Indexes into the rendered lines: the `##[group]` line and the first line after the group. */
  readonly from: number;
  readonly to: number;
}

/** What GitHub makes of a step's console. */
export interface ConsoleReading {
  /** The rendered console, masked, a line each. */
  readonly lines: readonly string[];
  readonly commands: readonly ActionCommand[];
  /** The ten first of each level: GitHub keeps no more of a step. */
  readonly annotations: readonly Annotation[];
  /** Every value that was masked while this console was read. */
  readonly masks: readonly string[];
  readonly groups: readonly ConsoleGroup[];
  /** `set-output` and `save-state` still take effect, `set-env` and `add-path` are refused: none has an honest user left. */
  readonly forged: readonly ActionCommand[];
  readonly outputs: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
  /** Whether a command failed, which fails the step whatever its exit code. */
  readonly failed: boolean;
  /** Length of the longest raw line, in UTF-16 code units. */
  readonly longestLine: number;
}
