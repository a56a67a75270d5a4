import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const manifest = z.object({
  name: z.string(),
  inputs: z
    .record(
      z.string(),
      z
        .object({
          description: z.string().optional(),
          required: z.boolean().optional(),
          default: scalar.nullish(),
          deprecationMessage: z.string().optional(),
        })
        .nullable(),
    )
    .optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
  runs: z.object({
    using: z.literal('node24'),
    main: z.string().min(1),
    post: z.string().min(1).optional(),
    'post-if': z.string().optional(),
  }),
});

/** What a runner needs of a JavaScript action's `action.yml`. */
export interface ActionManifest {
  /** Declared inputs by name, with their defaults; without one the default is the empty string. */
  readonly inputs: ReadonlyMap<string, { readonly default: string; readonly deprecation: string | undefined }>;
  readonly outputs: readonly string[];
  readonly main: string;
  readonly post: string | undefined;
  readonly postIf: string;
}

/**
 * Reads `action.yml` (else `action.yaml`) of an action's directory.
 * @throws when there is none, or when it is no Node 24 action
 */
export async function readActionManifest(directory: string): Promise<ActionManifest> {
  const text = await readFile(join(directory, 'action.yml'), 'utf8').catch(() =>
    readFile(join(directory, 'action.yaml'), 'utf8'),
  );
  const { inputs = {}, outputs = {}, runs } = manifest.parse(parse(text));
  return {
    inputs: new Map(
      Object.entries(inputs).map(([name, input]) => [
        name,
        { default: input?.default ?? '', deprecation: input?.deprecationMessage },
      ]),
    ),
    outputs: Object.keys(outputs),
    main: runs.main,
    post: runs.post,
    postIf: runs['post-if'] ?? 'always()',
  };
}

/**
 * The step's inputs with the defaults of those not given. Names are compared without regard to case, as the runner does;
 * `${{ github.x }}` in a default is filled from `github`.
 * @returns the values by declared name, and the given names the action does not declare
 * @throws when a default holds another expression
 */
export function resolveInputs(
  action: ActionManifest,
  given: Readonly<Record<string, string>>,
  github: Readonly<Record<string, string>>,
): { values: Map<string, string>; unexpected: string[] } {
  const declared = new Map([...action.inputs.keys()].map((name) => [name.toLowerCase(), name]));
  const values = new Map(
    Object.entries(given).map(([name, value]) => [declared.get(name.toLowerCase()) ?? name, value]),
  );
  for (const [name, input] of action.inputs) {
    if (!values.has(name)) values.set(name, fillExpressions(input.default, github));
  }
  return { values, unexpected: Object.keys(given).filter((name) => !declared.has(name.toLowerCase())) };
}

function fillExpressions(text: string, github: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{\{\s*(.*?)\s*\}\}/gu, (_, expression: string) => {
    const key = /^github\.([a-z_]+)$/u.exec(expression)?.[1];
    if (key === undefined) throw new Error(`Failed to evaluate the default "${text}": only github.<name> is emulated.`);
    return github[key] ?? '';
  });
}

/** The variable an input becomes: blanks turn into underscores, dashes stay (actions/runner, `AddInputsToEnvironment`). */
export function inputVariable(name: string): string {
  return `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`;
}
