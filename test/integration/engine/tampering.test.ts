import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type EngineScene, engineScene } from '../../support/engine/engine-scene.ts';
import {
  archiveName,
  archiveOf,
  checksumsOf,
  type Entry,
  FOLDER,
  flipped,
  programs,
  signatureOf,
  signedRelease,
  testKey,
} from '../../support/engine/release.ts';

const ARCHIVE = archiveName('2.2.0');
type Change = (scene: EngineScene) => Promise<unknown> | unknown;

/** A signed release with further entries in its archive. */
const signedWith =
  (...entries: Entry[]): Change =>
  async ({ files, key, canary }) => {
    for (const [name, file] of await signedRelease('2.2.0', [...programs('2.2.0', canary), ...entries], key))
      files.set(name, file);
  };
const change =
  (name: string, of: (file: Buffer) => Buffer): Change =>
  ({ files }) =>
    files.set(name, of(files.get(name)!));

const CASES: readonly [title: string, change: Change, code: string, message: RegExp][] = [
  [
    'a flipped byte in the archive',
    change(ARCHIVE, flipped),
    '03',
    /\.tar\.gz from http.* has the SHA-256 [0-9a-f]{64}, expected [0-9a-f]{64}\./,
  ],
  ['a truncated archive', change(ARCHIVE, (file) => file.subarray(0, -9)), '03', /has the SHA-256/],
  [
    'a flipped byte in the checksums',
    change('checksums.txt', flipped),
    '03',
    /checksums\.txt from http.* is not signed by the key of engine_public_key/,
  ],
  [
    'a flipped byte in the signature',
    change('checksums.txt.sig', flipped),
    '03',
    /not signed by|not a cosign signature/,
  ],
  [
    'something else for a signature',
    change('checksums.txt.sig', () => Buffer.from('<html>')),
    '03',
    /checksums\.txt\.sig from http.* is not a cosign signature/,
  ],
  [
    'another key',
    ({ files }) => files.set('checksums.txt.sig', signatureOf(files.get('checksums.txt')!, testKey())),
    '03',
    /is not signed by the key of engine_public_key/,
  ],
  [
    'an older release in its place',
    async ({ files, key, canary }) => {
      const older = await signedRelease('2.1.0', programs('2.1.0', canary), key);
      files.set(ARCHIVE, older.get(archiveName('2.1.0'))!);
      for (const name of ['checksums.txt', 'checksums.txt.sig']) files.set(name, older.get(name)!);
    },
    '03',
    /is signed, but for another release: expected .*-v2\.2\.0-.*, it names .*-v2\.1\.0-/,
  ],
  [
    'an older archive under the new name',
    async ({ files, canary }) => files.set(ARCHIVE, await archiveOf(programs('2.1.0', canary))),
    '03',
    /has the SHA-256/,
  ],
  [
    'a symbolic link in the archive',
    signedWith({ name: `${FOLDER}/bin`, type: 'symlink', linkname: '/usr/bin' }),
    '04',
    /bin" in the archive is a symbolic link/,
  ],
  [
    'a hard link in the archive',
    signedWith({ name: `${FOLDER}/passwd`, type: 'link', linkname: '/etc/passwd' }),
    '04',
    /passwd" in the archive is a hard link/,
  ],
  [
    'a path that climbs',
    signedWith({ name: `${FOLDER}/../../../../planted`, content: 'x' }),
    '04',
    /planted" in the archive has a path that leads elsewhere/,
  ],
  [
    'an absolute path',
    signedWith({ name: '/tmp/planted-by-an-archive', content: 'x' }),
    '04',
    /in the archive has a path that leads elsewhere/,
  ],
  [
    'a program that runs as another user',
    signedWith({ name: `${FOLDER}/su`, mode: 0o4755, content: 'x' }),
    '04',
    /su" in the archive has the mode 4755/,
  ],
  [
    'a program named twice',
    signedWith({ name: `${FOLDER}/workflow-runner`, mode: 0o755, content: 'x' }),
    '04',
    /EEXIST/,
  ],
  [
    'an archive that is none',
    ({ files, key }) => {
      files.set(ARCHIVE, Buffer.from('no archive'));
      files.set('checksums.txt', checksumsOf(new Map([[ARCHIVE, files.get(ARCHIVE)!]])));
      files.set('checksums.txt.sig', signatureOf(files.get('checksums.txt')!, key));
    },
    '04',
    /incorrect header check/,
  ],
];

describe('a release that was tampered with', () => {
  it.each(CASES)('by %s is refused, and nothing of it runs', async (_, tamper, code, message) => {
    const scene = await engineScene();
    await tamper(scene);
    const mirror = await scene.mirror();
    await expect(scene.get(mirror.url)).rejects.toMatchObject({
      outcome: 'target-error',
      code: `PRA-ENGINE-${code}`,
      message: expect.stringMatching(message),
    });
    expect(scene.hasRun()).toBe(false);
    expect(existsSync(join(scene.home, 'planted'))).toBe(false);
    // What isn't proven is not kept either.
    if (code === '03') expect(existsSync(scene.kept)).toBe(false);
  });

  it('is loaded no further than its checksums, where they are not signed', async () => {
    const scene = await engineScene();
    scene.files.set('checksums.txt', flipped(scene.files.get('checksums.txt')!));
    const mirror = await scene.mirror();
    await expect(scene.get(mirror.url)).rejects.toThrow('is not signed');
    expect(mirror.received.map(({ path }) => path)).toEqual(['/v2.2.0/checksums.txt', '/v2.2.0/checksums.txt.sig']);
  });
});

describe('a store that was poisoned', () => {
  const POISONS: readonly [title: string, poison: (scene: EngineScene) => Promise<void> | void][] = [
    [
      'an archive that was changed',
      ({ kept }) => writeFileSync(join(kept, ARCHIVE), flipped(readFileSync(join(kept, ARCHIVE)))),
    ],
    [
      'a whole release of another key',
      async ({ kept, canary }) => {
        for (const [name, file] of await signedRelease('2.2.0', programs('2.2.0', canary), testKey()))
          writeFileSync(join(kept, name), file);
      },
    ],
    [
      'a link in place of the archive',
      ({ kept, home }) => {
        rmSync(join(kept, ARCHIVE));
        symlinkSync(join(home, 'elsewhere'), join(kept, ARCHIVE));
      },
    ],
    ['a folder that others may write to', ({ kept }) => chmodSync(kept, 0o777)],
  ];

  it.each(POISONS)('by %s is refused, said, and filled anew', async (_, poison) => {
    const scene = await engineScene();
    const mirror = await scene.mirror();
    await (await scene.get(mirror.url))[Symbol.asyncDispose]();
    await poison(scene);
    await using program = await scene.get(mirror.url);
    expect(scene.warnings).toEqual([
      expect.stringMatching(/^Failed to (verify|keep) Pulumi's agent .* Removing it and downloading it again\.$/s),
    ]);
    expect(mirror.received).toHaveLength(6);
    expect(readFileSync(join(scene.kept, ARCHIVE))).toEqual(scene.files.get(ARCHIVE));
    expect(existsSync(program.agent)).toBe(true);
    expect(scene.hasRun()).toBe(false);
  });

  it('can’t be used without a network', async () => {
    const scene = await engineScene();
    const mirror = await scene.mirror();
    await (await scene.get(mirror.url))[Symbol.asyncDispose]();
    writeFileSync(join(scene.kept, ARCHIVE), 'planted');
    await expect(scene.get('http://127.0.0.1:1/x', {}, AbortSignal.timeout(1_500))).rejects.toThrow();
    expect(scene.warnings[0]).toContain('has the SHA-256');
    expect(scene.hasRun()).toBe(false);
  });

  it.each([
    ['that is a link', (store: string, home: string) => symlinkSync(home, store), /engines is not a folder/],
    [
      'that others may write to',
      async (store: string) => {
        await mkdir(store);
        chmodSync(store, 0o777);
      },
      /is writable by other users \(mode 777\)/,
    ],
  ])('is not used at all %s', async (_, poison, message) => {
    const scene = await engineScene();
    const store = join(scene.kept, '../..');
    await mkdir(dirname(store), { recursive: true });
    await poison(store, scene.home);
    await expect(scene.get('http://127.0.0.1:1')).rejects.toMatchObject({
      code: 'PRA-ENGINE-05',
      message: expect.stringMatching(message),
    });
  });
});
