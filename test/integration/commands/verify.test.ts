import { execFile } from 'node:child_process';
import { chmod, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { digestOf } from '../../../src/record/digests.ts';
import { withoutFences } from '../../support/documents/markdown.ts';
import { codesOf, read, snippetsOf } from '../../support/documents/pages.ts';
import { SampleRun, sampleStep } from '../../support/run/sample-run.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';
import { scriptOutput } from '../../support/script.ts';

const AGENT = join(import.meta.dirname, '../../../src/cli/index.ts');
const LOG = 'steps/01-pulumi-update.log';

const PAGE = read('docs/receipt.md');

/** The commands of the page, in snippets and sentences, each on one line. */
const COMMANDS = [
  ...snippetsOf(PAGE, 'sh').flatMap((snippet) => snippet.replaceAll(/\\\n\s*/g, '').split('\n')),
  ...codesOf(withoutFences(PAGE)),
];

/** The one command of the page that begins so. */
function pageCommand(beginning: string): string {
  const found = COMMANDS.filter((command) => command.startsWith(beginning));
  expect(found).toHaveLength(1);
  return found[0] ?? '';
}

/** Sends every call to a proxy that isn't there. */
const OFFLINE = { HTTPS_PROXY: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9', COSIGN_PASSWORD: '' };

/** A folder as a reader has it, with an artifact unpacked into `run`, in which commands of the page run. */
async function reader() {
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

test('the command verify of docs/receipt.md refuses a log with a flipped byte, by name', async () => {
  const { sh, flip } = await reader();
  const command = pageCommand('pulumi-runner-agent verify ');
  expect(await sh(command)).toMatchObject({ code: 0, text: expect.stringContaining(`✔ ${LOG}`) });
  await flip(LOG, () => 5);
  expect(await sh(command)).toMatchObject({ code: 1, text: expect.stringContaining(`✘ ${LOG} is not`) });
});

test('the digest that docs/receipt.md keeps refuses a run.json with a flipped byte, by name', async () => {
  const { sh, flip } = await reader();
  const compare = pageCommand('sha256sum --check');
  expect(await sh(pageCommand('sha256sum run/run.json'))).toMatchObject({ code: 0, text: '' });
  expect(await sh(compare)).toMatchObject({ code: 0, text: 'run/run.json: OK\n' });
  await flip('run.json', (text) => text.indexOf('succeeded'));
  expect(await sh(compare)).toMatchObject({ code: 1, text: expect.stringContaining('run/run.json: FAILED') });
});

test('the command verify prints the command of docs/receipt.md that verifies the signature', async () => {
  const { sh } = await reader();
  const { text } = await sh('pulumi-runner-agent verify run');
  const printed = text.replaceAll(/\\\n\s*/g, '').split('\n');
  expect(printed.map((line) => line.trim())).toContain(pageCommand('gh attestation verify '));
});

test('the command verify needs one directory', async () => {
  const { sh } = await reader();
  for (const command of ['pulumi-runner-agent verify', 'pulumi-runner-agent verify run run'])
    expect(await sh(command)).toMatchObject({
      code: 2,
      text: expect.stringContaining('verify needs RUN_DIRECTORY'),
    });
});

test('the commands of docs/receipt.md for cosign sign offline, and refuse a flipped byte and another type', async () => {
  const { folder, sh, flip } = await reader();
  await symlink((await scriptOutput('cosign', [])).trim(), join(folder, 'cosign'));
  expect(await sh('cosign generate-key-pair')).toMatchObject({ code: 0 });
  expect(await sh(pageCommand('cosign attest-blob '))).toMatchObject({ code: 0 });

  const command = pageCommand('cosign verify-blob-attestation ');
  expect(await sh(command)).toMatchObject({ code: 0, text: expect.stringContaining('Verified OK') });
  const other = await sh(command.replace('/run/v1', '/run/v2'));
  expect(other).toMatchObject({ code: 1, text: expect.stringContaining('invalid predicate type') });

  await flip('run.json', (text) => text.indexOf('succeeded'));
  const flipped = expect.stringContaining('digest does not match');
  expect(await sh(command)).toMatchObject({ code: 1, text: flipped });
});
