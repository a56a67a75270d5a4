import type { ConfigProblem } from './problem.ts';

/** Which source a value was taken from. */
export type Origin = 'override' | 'environment' | 'file' | 'default';

/** One element of a list in a file, and where it stands. */
export interface Item {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

/** What was written for a setting: text, a list (in a file only), or something no setting can be. */
export type Content =
  | { readonly text: string }
  | { readonly items: readonly Item[] }
  | { readonly shape: 'nested list' }
  | {
      readonly shape: 'mapping';
      /** This mapping as JSON. Throws for one that can't be read. */
      readonly source: () => string;
    };

/** A setting as it was written, and where. */
export interface Setting {
  readonly content: Content;
  readonly origin: Origin;
  /** What the user called it: the key, the environment variable or the flag. */
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** A problem with `setting`, or with the one element `item` of it. `clause` follows the name. */
export function problemWith(
  key: string,
  { name, file, line, column }: Setting,
  clause: string,
  item?: Item,
): ConfigProblem {
  return {
    message: `${name} ${clause}`,
    key,
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line: item?.line ?? line }),
    ...(column !== undefined && { column: item?.column ?? column }),
  };
}

/** The setting's name and place in the middle of a sentence: `token (/etc/agent.yaml:3)`, `PULUMI_AGENT_TOKEN`. */
export function describeSetting({ name, file, line }: Setting): string {
  return file === undefined ? name : `${name} (${file}:${line ?? 1})`;
}
