import { expect, test } from 'vitest';
import { read } from '../../support/documents/pages.ts';
import { LOG, pageCommand, reader } from '../../support/receipt/reader.ts';

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

test('each command of the pages that verifies a signature demands a whole identity, with its ref', () => {
  const commands = ['docs/receipt.md', 'docs/security.md'].flatMap(
    (page) =>
      read(page)
        .replaceAll(/\\\n\s*/g, '')
        .match(/gh attestation verify .*/g) ?? [],
  );
  expect(commands).toHaveLength(2);
  for (const command of commands) {
    // A beginning or a pattern fits the same file of any branch, a ref alone any file.
    expect(command).not.toMatch(/--(?:signer-workflow|signer-repo|cert-identity-regex|source-ref)/);
    expect(command).toMatch(
      / --cert-identity https:\/\/github\.com\/[\w-]+\/[\w-]+\/\.github\/workflows\/\w+\.yml@refs\/(?:heads\/main|tags\/v1\.0\.0)$/,
    );
  }
});

test('the command verify needs one directory', async () => {
  const { sh } = await reader();
  for (const command of ['pulumi-runner-agent verify', 'pulumi-runner-agent verify run run'])
    expect(await sh(command)).toMatchObject({
      code: 2,
      text: expect.stringContaining('verify needs RUN_DIRECTORY'),
    });
});
