import { OutcomeError } from '../outcome.ts';

export interface ConfigProblem {
  /**
   * The problem; for a setting, the clause after the key, environment variable or flag that sets
   * it.
   */
  readonly message: string;
  readonly key?: string | undefined;
  readonly file?: string | undefined;
  /** From 1, as `column`. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** The place where a setting is written. */
export interface SettingSource {
  /** The user's name for the setting: the key, the environment variable or the flag. */
  readonly name: string;
  readonly file?: string | undefined;
  /** From 1, as `column`. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** A setting as it was written, and where. */
export interface Setting extends SettingSource {
  /** Text; from a file also a list, a mapping, or the JSON of a template. */
  readonly written: unknown;
  readonly isDefault?: boolean | undefined;
}

/** A problem with the setting `key`. `clause` follows the name. */
export function problemWith(
  key: string,
  { name, file, line, column }: SettingSource,
  clause: string,
): ConfigProblem {
  return { message: `${name} ${clause}`, key, file, line, column };
}

/**
 * The setting's name and place in the middle of a sentence: `token (/etc/agent.yaml:3)`,
 * `PULUMI_AGENT_TOKEN`.
 */
export function describeSetting({ name, file, line }: SettingSource): string {
  return file === undefined ? name : `${name} (${file}:${line ?? 1})`;
}

/** The problem on one line, with its place: `/etc/agent.yaml:3:1: token …`. */
export function describeProblem({ message, file, line, column }: ConfigProblem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return place === '' ? message : `${place}: ${message}`;
}

/**
 * An unusable configuration: every problem, in the file's order, and what was ignored, maybe a
 * misspelt setting.
 */
export class ConfigError extends OutcomeError {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly string[];

  constructor(problems: readonly ConfigProblem[], warnings: readonly string[]) {
    // Problems outside a file come last: no file has 1e9 lines.
    const rank = ({ file, line }: ConfigProblem): number => line ?? (file === undefined ? 1e9 : 0);
    const ordered = problems.toSorted((a, b) => rank(a) - rank(b));
    const count = ordered.length === 1 ? '1 problem' : `${ordered.length} problems`;
    const lines = [...ordered.map(describeProblem), ...warnings.map((warning) => `ignored: ${warning}`)];
    const summary = `Failed to load the agent's configuration: ${count}. Correct what is listed:`;

    super('config-error', [summary, ...lines].join('\n  '), { code: 'PRA-CONFIG-01' });
    this.problems = ordered;
    this.warnings = warnings;
  }
}

const LONGEST_SHOWN = 60;
const LONGEST_SEARCHED = 400; // the search is quadratic

/**
 * Looks like a Pulumi token, a JWT, or any long random word: possibly a secret in the wrong
 * place.
 */
const SECRET_LIKE = /pul-[\w-]+|eyJ[\w.-]+|(?=[A-Za-z_-]*\d)[\w-]{20,}/g;

/**
 * The first 400 characters of `text` on one line, with control characters escaped and likely
 * secrets masked.
 */
export function maskSecretLike(text: string): string {
  return text
    .slice(0, LONGEST_SEARCHED)
    .replace(SECRET_LIKE, '***')
    .replace(/[\p{C}\u2028\u2029]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}

/**
 * A value from outside, safe to show in a message: masked, escaped, at most 60 characters, in
 * double quotes.
 */
export function quoteValue(value: string): string {
  const masked = maskSecretLike(value);
  return `"${masked.length > LONGEST_SHOWN ? `${masked.slice(0, LONGEST_SHOWN - 1)}…` : masked}"`;
}

const LONGEST_COMPARED = 60;

/**
 * The candidate most like `text`, ignoring case and treating `-`, `.` and spaces as `_`; undefined
 * if none is near.
 */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  if (text.length > LONGEST_COMPARED) return undefined;

  const plain = (name: string): string => name.toLowerCase().replace(/[-. ]/g, '_');
  let best: { candidate: string; distance: number } | undefined;

  for (const candidate of candidates) {
    const distance = editDistance(plain(text), plain(candidate));
    const near = distance <= Math.max(2, Math.floor(candidate.length / 4));
    if (near && (best === undefined || distance < best.distance)) best = { candidate, distance };
  }

  return best?.candidate;
}

/** The number of single-character insertions, deletions and substitutions between two texts. */
function editDistance(a: string, b: string): number {
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (const [i, letter] of [...a].entries()) {
    const row = [i + 1];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (last[j - 1] ?? 0) + (letter === b[j - 1] ? 0 : 1);
      row.push(Math.min(substituted, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    last = row;
  }

  return last[b.length] ?? 0;
}
