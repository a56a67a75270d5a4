import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pageCommand, reader } from '../support/receipt/reader.ts';
import { programPath } from '../support/script.ts';

test('the commands of docs/receipt.md for cosign sign offline, and refuse a flipped byte and another type', async () => {
  const { folder, sh, flip } = await reader();
  await symlink(await programPath('cosign'), join(folder, 'cosign'));
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
