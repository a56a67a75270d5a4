import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const manifest = z.object({
  inputs: z.record(z.string(), z.object({ default: scalar.nullish() }).nullable()).optional(),
  runs: z.object({
    using: z.literal('node24'),
    main: z.string().min(1),
    post: z.string().min(1).optional(),
    'post-if': z.literal('always()').optional(),
  }),
});

/** What a runner needs from a JavaScript action's `action.yml`. */
export interface ActionManifest {
  /** Declared inputs by name, with their defaults: the empty string if none is given. */
  readonly inputs: ReadonlyMap<string, string>;
  readonly main: string;
  readonly post: string | undefined;
}

/** Reads `action.yml` from an action's directory. @throws if there is none or it isn't a Node 24 action */
export async function readActionManifest(directory: string): Promise<ActionManifest> {
  const { inputs = {}, runs } = manifest.parse(parse(await readFile(join(directory, 'action.yml'), 'utf8')));
  return {
    inputs: new Map(Object.entries(inputs).map(([name, input]) => [name, input?.default ?? ''])),
    main: runs.main,
    post: runs.post,
  };
}

/** The job's own token. */
const GITHUB_TOKEN = 'ghs_0123456789abcdefghijklmnopqrstuvwxyz';

/**
 * Input values or defaults by declared name, and undeclared names. Like the runner, it ignores case, and evaluates
 * defaults for each phase; `jobStatus` and the job's token are all that this emulator knows of contexts.
 */
export function resolveInputs(
  action: ActionManifest,
  given: Readonly<Record<string, string>>,
  jobStatus: string,
): { values: Map<string, string>; unexpected: string[] } {
  const declared = new Map([...action.inputs.keys()].map((name) => [name.toLowerCase(), name]));
  const named = Object.entries(given).map(([name, value]): [string, string] => [
    declared.get(name.toLowerCase()) ?? name,
    value,
  ]);
  const unexpected = Object.keys(given).filter((name) => !declared.has(name.toLowerCase()));
  const defaults = [...action.inputs].map(([name, text]): [string, string] => [
    name,
    text
      .replaceAll(/\$\{\{ *job\.status *\}\}/g, jobStatus)
      .replaceAll(/\$\{\{ *github\.token *\}\}/g, GITHUB_TOKEN),
  ]);
  return { values: new Map([...defaults, ...named]), unexpected };
}

/** The variable for an input: blanks become underscores, dashes stay (actions/runner, `AddInputsToEnvironment`). */
export function inputVariable(name: string): string {
  return `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`;
}
