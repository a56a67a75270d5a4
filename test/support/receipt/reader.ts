import { execFile } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { digestOf } from '../../../src/record/digests.ts';
import { withoutFences } from '../documents/markdown.ts';
import { codesOf, read, snippetsOf } from '../documents/pages.ts';
import { SampleRun, sampleStep } from '../run/sample-run.ts';
import { temporaryDirectory } from '../run/temporary-directory.ts';

const AGENT = join(import.meta.dirname, '../../../src/cli/index.ts');
export const LOG = 'steps/01-pulumi-update.log';

const PAGE = read('docs/receipt.md');

/** The commands of the page, in snippets and sentences, each on one line. */
const COMMANDS = [
  ...snippetsOf(PAGE, 'sh').flatMap((snippet) => snippet.replaceAll(/\\\n\s*/g, '').split('\n')),
  ...codesOf(withoutFences(PAGE)),
];

/** The one command of docs/receipt.md that begins so. */
export function pageCommand(beginning: string): string {
  const found = COMMANDS.filter((command) => command.startsWith(beginning));
  expect(found).toHaveLength(1);
  return found[0] ?? '';
}

/** Sends every call to a proxy that isn't there. */
const OFFLINE = { HTTPS_PROXY: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9', COSIGN_PASSWORD: '' };

/** A folder as a reader of a receipt has it: an artifact unpacked into `run`. Commands of docs/receipt.md run in it. */
export async function reader() {
  const folder = await temporaryDirectory();
  const [text, agent] = ['one\ntwo\n', join(folder, 'pulumi-runner-agent')];
  const run = new SampleRun(join(folder, 'run'));
  run.step(1, 'pulumi update')(text);
  run.result({ steps: [sampleStep({ sha256: digestOf(text) })] });
  run.close();
  await writeFile(agent, `#!/bin/sh\nexec '${process.execPath}' '${AGENT}' "$@"\n`);
  await chmod(agent, 0o755);

  return {
    folder,
    /** Runs a command; resolves to its exit code and all that it printed. */
    sh: (command: string) =>
      new Promise<{ code: number; text: string }>((resolve) => {
        const env = { ...process.env, ...OFFLINE, HOME: folder, PATH: `${folder}:${process.env['PATH']}` };
        execFile('/bin/sh', ['-c', command], { cwd: folder, env }, (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : Number(error.code), text: `${stdout}${stderr}` }),
        );
      }),
    flip: async (file: string, at: (text: string) => number) => {
      const path = join(folder, 'run', file);
      const bytes = await readFile(path);
      const index = at(bytes.toString());
      bytes[index] = (bytes[index] ?? 0) ^ 1;
      await writeFile(path, bytes);
    },
  };
}
