import { OutcomeError } from '../outcome.ts';

/** Where something stands in a file; both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One thing wrong with the configuration. */
export interface ConfigProblem extends Partial<Position> {
  /** A sentence that begins with what is wrong: the key in a file, the environment variable or the flag. */
  readonly message: string;
  readonly key?: string;
  readonly file?: string;
}

/** A setting as it was written, and where. */
export interface Setting extends Partial<Position> {
  /** Text; from a file also a list, a mapping, or the JSON of a template. */
  readonly written: unknown;
  readonly isDefault?: true;
  /** What the user called it: the key, the environment variable or the flag. */
  readonly name: string;
  readonly file?: string;
  /** Of the elements of a list in a file. */
  readonly items?: readonly Position[];
}

/** A problem with `setting`, or with its element number `item`. `clause` follows the name. */
export function problemWith(key: string, setting: Omit<Setting, 'written'>, clause: string, item = -1): ConfigProblem {
  const { name, file, line, column } = setting;
  const place = setting.items?.[item] ?? (line !== undefined && column !== undefined ? { line, column } : {});
  return { message: `${name} ${clause}`, key, ...(file !== undefined && { file }), ...place };
}

/** The setting's name and place in the middle of a sentence: `token (/etc/agent.yaml:3)`, `PULUMI_AGENT_TOKEN`. */
export function describeSetting({ name, file, line }: Setting): string {
  return file === undefined ? name : `${name} (${file}:${line ?? 1})`;
}

/** The problem on one line, with its place: `/etc/agent.yaml:3:1: token …`. */
export function describeProblem({ message, file, line, column }: ConfigProblem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return place === '' ? message : `${place}: ${message}`;
}

/**
 * The configuration cannot be used. Carries every problem found, those in a file first and in its order, and what was
 * passed over: a setting that is missing may be there under a name with a slip in it.
 */
export class ConfigError extends OutcomeError {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly string[];

  constructor(problems: readonly ConfigProblem[], { warnings = [] }: { readonly warnings?: readonly string[] } = {}) {
    // Of equal rank are those outside a file; 1e9 lines has none.
    const rank = ({ file, line }: ConfigProblem): number => line ?? (file === undefined ? 1e9 : 0);
    const ordered = problems.toSorted((a, b) => rank(a) - rank(b));
    const count = ordered.length === 1 ? '1 problem' : `${ordered.length} problems`;
    const lines = [...ordered.map(describeProblem), ...warnings.map((warning) => `passed over: ${warning}`)];
    super(
      'config-error',
      `Failed to load the agent's configuration: ${count}. Correct what is listed:\n  ${lines.join('\n  ')}`,
    );
    this.problems = ordered;
    this.warnings = warnings;
  }
}
