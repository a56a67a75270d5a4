import { OutcomeError } from '../outcome.ts';

/** One thing wrong with the configuration. */
export interface ConfigProblem {
  /** A sentence that begins with what is wrong: the key in a file, the environment variable or the flag. */
  readonly message: string;
  readonly key?: string;
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
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

  constructor(
    problems: readonly ConfigProblem[],
    { warnings = [], ...options }: ErrorOptions & { readonly warnings?: readonly string[] } = {},
  ) {
    const rank = ({ file, line }: ConfigProblem): number => line ?? (file === undefined ? Number.POSITIVE_INFINITY : 0);
    const ordered = [...problems].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
    const count = ordered.length === 1 ? '1 problem' : `${ordered.length} problems`;
    const passedOver = warnings.map((warning) => `passed over: ${warning}`);
    const lines = [...ordered.map(describeProblem), ...passedOver].map((line) => `\n  ${line}`).join('');
    super(
      'config-error',
      `Failed to load the agent's configuration: ${count}. Correct what is listed:${lines}`,
      options,
    );
    this.problems = ordered;
    this.warnings = warnings;
  }
}
