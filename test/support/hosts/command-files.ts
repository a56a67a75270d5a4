import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { parseKeyValueFile } from '../../emulators/github/command-files.ts';

/** Creates GitHub's command files in `directory`, where @actions/core finds them, and an empty temporary folder. */
export async function commandFiles(directory: string) {
  await mkdir(join(directory, 'temp'));
  for (const name of ['OUTPUT', 'STATE', 'STEP_SUMMARY']) {
    await writeFile(join(directory, name), '');
    vi.stubEnv(`GITHUB_${name}`, join(directory, name));
  }
  onTestFinished(() => {
    vi.unstubAllEnvs();
    process.exitCode = undefined;
  });
  const read = (name: string) => readFile(join(directory, name), 'utf8');
  const entries = async (name: string) => Object.fromEntries(parseKeyValueFile(await read(name)));
  return {
    outputs: () => entries('OUTPUT'),
    summary: () => read('STEP_SUMMARY'),
    /** Hands main's state to post, as the runner does; the summary starts anew. */
    keepState: async () => {
      for (const [name, value] of Object.entries(await entries('STATE'))) vi.stubEnv(`STATE_${name}`, value);
      await writeFile(join(directory, 'STEP_SUMMARY'), '');
    },
  };
}
