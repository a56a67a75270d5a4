import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { createJobFolders, isOwnDirectory } from '../../../../src/ci-step/hosts/state-directory.ts';
import { replaceRecord } from '../../../../src/record/run-directory.ts';
import { temporaryDirectory } from '../../../support/run/temporary-directory.ts';

afterEach(() => vi.restoreAllMocks());

const REFUSAL = expect.objectContaining({
  outcome: 'config-error',
  code: 'PRA-CONFIG-07',
  message: expect.stringMatching(
    / it is a link, belongs to another user, or is open to others\. Remove it\.$/,
  ),
});

it.each<[title: string, put: (folder: string, other: string) => Promise<void>]>([
  ['a link to a folder', (folder, other) => symlink(other, folder)],
  ['a file', (folder) => writeFile(folder, '', { mode: 0o600 })],
  ['open to its group', (folder) => mkdir(folder).then(() => chmod(folder, 0o750))],
  ['open to everyone', (folder) => mkdir(folder).then(() => chmod(folder, 0o701))],
])('a private folder that is %s is refused, and nothing in it is touched', async (_, put) => {
  const directory = await temporaryDirectory();
  const [folder, other] = [join(directory, 'pulumi-runner-1'), join(directory, 'other')];
  await mkdir(other, { mode: 0o700 });
  await writeFile(join(other, 'state'), 'theirs');
  await put(folder, other);
  await expect(isOwnDirectory(folder)).rejects.toEqual(REFUSAL);
  await expect(createJobFolders({ stateDirectory: folder, checkoutDirectory: directory })).rejects.toEqual(
    REFUSAL,
  );
  expect(existsSync(join(other, 'state'))).toBe(true);
  expect(existsSync(join(folder, 'private'))).toBe(false);
});

it('a private folder of another user is refused', async () => {
  // Only root can give a folder away; any other user takes one of root's.
  const isRoot = process.geteuid?.() === 0;
  const folder = isRoot ? join(await temporaryDirectory(), 'pulumi-runner-1') : '/usr';
  if (isRoot) {
    await mkdir(folder, { mode: 0o700 });
    await chown(folder, 65_534, 65_534);
  }
  await expect(isOwnDirectory(folder)).rejects.toEqual(REFUSAL);
});

it('a record of another user is refused, and one that others could read is made anew', async () => {
  const directory = await temporaryDirectory();
  const record = join(directory, 'pulumi-runner');
  const folders = { stateDirectory: join(directory, 'pulumi-runner-1'), checkoutDirectory: directory };
  await mkdir(record, { mode: 0o777 });
  await createJobFolders(folders);
  expect((await stat(record)).mode & 0o777).toBe(0o700);
  // Only root can give a folder away.
  if (process.geteuid?.() === 0) await chown(record, 65_534, 65_534);
  else vi.spyOn(process, 'geteuid').mockReturnValue(65_534);
  await expect(replaceRecord(record)).rejects.toThrow('it belongs to another user');
});
