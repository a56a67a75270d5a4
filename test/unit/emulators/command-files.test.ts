import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readActionManifest, resolveInputs } from '../../emulators/github/action-manifest.ts';
import {
  CommandFileError,
  parseKeyValueFile,
  readSummary,
  SUMMARY_LIMIT_BYTES,
} from '../../emulators/github/command-files.ts';
import { SecretMasker } from '../../emulators/github/secret-masker.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'github-command-files-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('a command file', () => {
  it('has both forms; \\r stays, the last of a name counts, and everything after the first equals sign', () => {
    const text = 'a=1=2\n\nb<<EOF\nx\r\n\ny<<z=\nEOF\nc<<E\nE\na=3\nd=e<<f';
    expect([...parseKeyValueFile(text)]).toEqual([
      ['a', '3'],
      ['b', 'x\r\n\ny<<z='],
      ['c', ''],
      ['d', 'e<<f'],
    ]);
  });

  it.each([
    ['no sign', "Invalid format 'no sign'"],
    ['<<E\n1\nE\n', 'Name must not be empty'],
    ['a<<\n1\n', 'delimiter must not be empty'],
    ['a<<E\n1\n2\n', "Matching delimiter not found 'E'"],
    ['a<<E\n1', 'EOF marker missing new line'],
  ])('is refused: %j', (text, sentence) => {
    expect(() => parseKeyValueFile(text)).toThrow(CommandFileError);
    expect(() => parseKeyValueFile(text)).toThrow(sentence);
  });

  it('gives any value back that was written with a delimiter it does not hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\n', '\r', '=', '<', ' ', 'é') }), (value) => {
        expect(parseKeyValueFile(`k<<ghadelimiter_1\n${value}\nghadelimiter_1\n`).get('k')).toBe(value);
      }),
    );
  });
});

it('a summary of 1 MiB is kept, masked, and a larger one dropped whole', async () => {
  const path = join(directory, 's');
  const masker = new SecretMasker();
  masker.add('s3cret');
  await writeFile(path, '# s3cret\r\nend');
  expect(await readSummary(path, masker)).toEqual({ kind: 'kept', text: '# ***\nend\n' });
  await writeFile(path, Buffer.alloc(SUMMARY_LIMIT_BYTES, 'x'));
  expect(await readSummary(path, masker)).toMatchObject({ kind: 'kept' });
  await writeFile(path, Buffer.alloc(SUMMARY_LIMIT_BYTES + 1, 'x'));
  expect(await readSummary(path, masker)).toEqual({ kind: 'dropped', bytes: SUMMARY_LIMIT_BYTES + 1 });
  await rm(path);
  expect(await readSummary(path, masker)).toEqual({ kind: 'none' });
});

it('an action.yml gives defaults as text and is for Node 24; unknown inputs are named', async () => {
  const path = join(directory, 'action.yml');
  const text = `name: x
inputs:
  max-wait: { default: 5m }
  port: { default: 0 }
  flag: { default: true }
  bare:
runs: { using: node24, main: dist/index.js, post: dist/index.js }
`;
  await writeFile(path, text);
  const action = await readActionManifest(directory);
  expect(action).toMatchObject({ main: 'dist/index.js', post: 'dist/index.js' });
  const { values, unexpected } = resolveInputs(action, { 'MAX-WAIT': '1s', other: 'x' });
  expect(Object.fromEntries(values)).toEqual({ 'max-wait': '1s', other: 'x', port: '0', flag: 'true', bare: '' });
  expect(unexpected).toEqual(['other']);
  await writeFile(path, text.replace('node24', 'node20'));
  await expect(readActionManifest(directory)).rejects.toThrow('node24');
});
