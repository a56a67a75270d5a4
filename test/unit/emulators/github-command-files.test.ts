import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readActionManifest, resolveInputs } from '../../emulators/github/action-manifest.ts';
import {
  CommandFileError,
  createCommandFiles,
  parseKeyValueFile,
  readPathFile,
  readSummary,
  SUMMARY_LIMIT_BYTES,
} from '../../emulators/github/command-files.ts';
import { SecretMasker } from '../../emulators/github/secret-masker.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'github-command-files-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('parseKeyValueFile', () => {
  it('reads both forms, keeps \\r, the last of a name and everything after the first equals sign', () => {
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
  ])('refuses %j', (text, sentence) => {
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

describe('command files', () => {
  it('are new, empty and named for each phase', async () => {
    const first = await createCommandFiles(directory);
    const second = await createCommandFiles(directory);
    expect(first.output).not.toBe(second.output);
    expect(basename(first.summary)).toMatch(/^step_summary_[0-9a-f-]{36}$/u);
    expect((await stat(first.output)).size).toBe(0);
    expect(first.environment).toEqual({
      GITHUB_OUTPUT: first.output,
      GITHUB_STATE: first.state,
      GITHUB_ENV: first.env,
      GITHUB_PATH: first.path,
      GITHUB_STEP_SUMMARY: first.summary,
    });
  });

  it('holds paths a line each, and a removed file holds none', async () => {
    await writeFile(join(directory, 'p'), '/a\n\n/b b\n');
    expect(await readPathFile(join(directory, 'p'))).toEqual(['/a', '/b b']);
    expect(await readPathFile(join(directory, 'gone'))).toEqual([]);
  });

  it('keeps a summary of 1 MiB, masked, and drops a larger one whole', async () => {
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
});

describe('action manifest', () => {
  it('gives defaults as text, the post condition, and fills github expressions', async () => {
    await writeFile(
      join(directory, 'action.yml'),
      `name: x
inputs:
  max-wait: { default: 5m }
  port: { default: 0 }
  flag: { default: true }
  token: { default: "\${{ github.token }}" }
  bare:
runs: { using: node24, main: dist/index.js, post: dist/index.js }
`,
    );
    const action = await readActionManifest(directory);
    expect(action).toMatchObject({ main: 'dist/index.js', post: 'dist/index.js', postIf: 'always()' });
    const { values, unexpected } = resolveInputs(action, { 'MAX-WAIT': '1s', other: 'x' }, { token: 'ghs_1' });
    expect(Object.fromEntries(values)).toEqual({
      'max-wait': '1s',
      other: 'x',
      port: '0',
      flag: 'true',
      token: 'ghs_1',
      bare: '',
    });
    expect(unexpected).toEqual(['other']);
  });

  it('refuses an action that is not for Node 24', async () => {
    await writeFile(join(directory, 'action.yaml'), 'name: x\nruns: { using: node20, main: a.js }\n');
    await expect(readActionManifest(directory)).rejects.toThrow('node24');
  });
});
