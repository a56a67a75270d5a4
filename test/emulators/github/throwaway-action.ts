import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';

/** A JavaScript action that lives for one test; the scripts are ES modules. */
export interface ThrowawayAction {
  readonly main: string;
  readonly post?: string;
  readonly postIf?: string;
  /** Inputs and their defaults; undefined for none. */
  readonly inputs?: Readonly<Record<string, string | undefined>>;
}

const MODULES = new URL('../../../node_modules/', import.meta.url);

/**
 * Writes an action into a directory. In its scripts the specifiers `@actions/core` and `@actions/artifact` mean this
 * project's copies, wherever the directory is.
 */
export async function writeAction(directory: string, action: ThrowawayAction): Promise<string> {
  await mkdir(directory, { recursive: true });
  const manifest = {
    name: 'Throwaway',
    description: 'Lives for one test',
    inputs: Object.fromEntries(
      Object.entries(action.inputs ?? {}).map(([name, value]) => [
        name,
        { description: name, ...(value !== undefined && { default: value }) },
      ]),
    ),
    runs: {
      using: 'node24',
      main: 'main.mjs',
      ...(action.post !== undefined && { post: 'post.mjs' }),
      ...(action.postIf !== undefined && { 'post-if': action.postIf }),
    },
  };
  await writeFile(join(directory, 'action.yml'), stringify(manifest));
  await writeFile(join(directory, 'main.mjs'), withModules(action.main));
  if (action.post !== undefined) await writeFile(join(directory, 'post.mjs'), withModules(action.post));
  return directory;
}

function withModules(script: string): string {
  return script
    .replaceAll("'@actions/core'", `'${new URL('@actions/core/lib/core.js', MODULES).href}'`)
    .replaceAll("'@actions/artifact'", `'${new URL('@actions/artifact/lib/artifact.js', MODULES).href}'`);
}
