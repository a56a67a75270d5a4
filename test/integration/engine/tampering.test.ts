import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type EngineScene, engineScene, OFFLINE } from '../../support/engine/engine-scene.ts';
import {
  archiveName,
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

/** A signed release with an extra entry in its archive. */
const signedWith =
  (entry: Entry): Change =>
  ({ sign, canary }) =>
    sign([...programs('2.2.0', canary), entry]);

const change =
  (name: string, of: (file: Buffer) => Buffer): Change =>
  ({ files }) =>
    files.set(name, of(files.get(name)!));

/** An older version, signed as such. */
const older: Change = async ({ files, key, canary }) => {
  const release = await signedRelease('2.1.0', programs('2.1.0', canary), key);
  for (const name of ['checksums.txt', 'checksums.txt.sig']) files.set(name, release.get(name)!);
};

const noArchive: Change = ({ files, key }) => {
  files.set(ARCHIVE, Buffer.from('no archive'));
  files.set('checksums.txt', checksumsOf(new Map([[ARCHIVE, files.get(ARCHIVE)!]])));
  files.set('checksums.txt.sig', signatureOf(files.get('checksums.txt')!, key));
};

// test/unit/pulumi-agent/release/verify.test.ts covers which bits, paths and modes are refused.
const UNPROVEN: readonly [title: string, change: Change, message: RegExp][] = [
  [
    'another archive',
    change(ARCHIVE, flipped),
    /\.tar\.gz from http.* has the SHA-256 [0-9a-f]{64}, expected [0-9a-f]{64}\./,
  ],
  [
    'other checksums',
    change('checksums.txt', flipped),
    /checksums\.txt from http.* is not signed by the key of /,
  ],
  [
    'a web page in place of the signature',
    change('checksums.txt.sig', () => Buffer.from('<html>')),
    /\.sig from .* is not a cosign sig/,
  ],
  [
    'an older release',
    older,
    /signed, but for another release: expected .*-v2\.2\.0-.*, it names .*-v2\.1\.0-/,
  ],
];
const UNSAFE: readonly [title: string, change: Change, message: RegExp][] = [
  [
    'a path that climbs',
    signedWith({ name: `${FOLDER}/../../../../planted` }),
    /planted" in the archive has a path that /,
  ],
  ['a program named twice', signedWith({ name: `${FOLDER}/workflow-runner`, mode: 0o755 }), /EEXIST/],
  ['an archive that is not one', noArchive, /incorrect header check/],
];

describe('a release that was tampered with', () => {
  /** Expects a refusal, and that nothing of the release runs. */
  async function refused(tamper: Change, code: string, message: RegExp): Promise<EngineScene> {
    const scene = await engineScene();
    await tamper(scene);
    const error = { outcome: 'target-error', code, message: expect.stringMatching(message) };
    await expect(scene.get()).rejects.toMatchObject(error);
    expect(scene.hasRun()).toBe(false);
    expect(existsSync(join(scene.home, 'planted'))).toBe(false);
    return scene;
  }

  it.each(UNPROVEN)(
    'through %s is refused, nothing of it runs, and nothing is kept',
    async (_, tamper, message) => {
      const { kept } = await refused(tamper, 'PRA-ENGINE-03', message);
      expect(existsSync(kept)).toBe(false);
    },
  );

  it.each(UNSAFE)('through %s is refused, and nothing of it runs', (_, tamper, message) =>
    refused(tamper, 'PRA-ENGINE-04', message).then(() => undefined),
  );

  it('is downloaded no further than its checksums when they are not signed', async () => {
    const { mirror } = await refused(change('checksums.txt', flipped), 'PRA-ENGINE-03', /is not signed/);
    expect(mirror.received.map(({ path }) => path)).toEqual([
      '/v2.2.0/checksums.txt',
      '/v2.2.0/checksums.txt.sig',
    ]);
  });
});

describe('a release with an engine_digest', () => {
  const [MACHINE, OTHER] = [`${process.platform}-${process.arch}`, 'darwin-arm64'];
  const anything = `${OTHER}=${'0'.repeat(64)}`;

  it('runs when the digest of this platform is the archive’s, however many others are named', async () => {
    const scene = await engineScene();
    const digest = scene.digest();
    for (const pinned of [digest, digest.replace('=', '=sha256:')]) {
      await using program = await scene.get({ engineDigest: [anything, pinned] });
      expect(existsSync(program.agent)).toBe(true);
    }
  });

  it('that someone signed anew is refused with both digests named, its archive not even downloaded', async () => {
    const scene = await engineScene();
    const [, pinned = ''] = scene.digest().split('=');
    const engineDigest = [scene.digest()];
    await scene.sign([
      ...programs('2.2.0', scene.canary),
      { name: `${FOLDER}/more`, mode: 0o644, content: 'x' },
    ]);
    const [, found = ''] = scene.digest().split('=');
    const sentence = `checksums.txt from ${scene.mirror.url}/v2.2.0 is signed, but gives ${ARCHIVE} the SHA-256 ${found}, expected ${pinned}, as engine_digest says.`;
    await expect(scene.get({ engineDigest })).rejects.toMatchObject({
      outcome: 'target-error',
      code: 'PRA-ENGINE-03',
      message: expect.stringContaining(sentence),
    });
    expect(scene.mirror.received.map(({ path }) => path)).not.toContain(`/v2.2.0/${ARCHIVE}`);
    expect({ hasRun: scene.hasRun(), existsSync: existsSync(scene.kept) }).toEqual({
      hasRun: false,
      existsSync: false,
    });
  });

  it('whose archive differs from its signed checksums is refused all the same', async () => {
    const scene = await engineScene();
    const engineDigest = [scene.digest()];
    scene.files.set(ARCHIVE, flipped(scene.files.get(ARCHIVE)!));
    await expect(scene.get({ engineDigest })).rejects.toMatchObject({ code: 'PRA-ENGINE-03' });
    expect(scene.hasRun()).toBe(false);
  });

  it.each([
    ['no digest', [anything]],
    ['more than one digest', [`${MACHINE}=${'1'.repeat(64)}`, `${MACHINE}=${'2'.repeat(64)}`]],
  ])('that names %s for this platform is a configuration error', async (number, engineDigest) => {
    const scene = await engineScene();
    await expect(scene.get({ engineDigest })).rejects.toMatchObject({
      outcome: 'config-error',
      message: `Failed to find Pulumi's agent for the run: engine_digest names ${number} for ${MACHINE}. Name one, or omit engine_digest.`,
    });
    expect(scene.mirror.received).toEqual([]);
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

  it.each(POISONS)('by %s is refused with a warning, and filled again', async (_, poison) => {
    const scene = await engineScene();
    await (await scene.get())[Symbol.asyncDispose]();
    await poison(scene);
    await using program = await scene.get();
    expect(scene.warnings).toEqual([
      expect.stringMatching(/^Failed to (verify|keep) Pulumi's agent .* Downloading it again\.$/s),
    ]);
    expect(scene.mirror.received).toHaveLength(6);
    expect(readFileSync(join(scene.kept, ARCHIVE))).toEqual(scene.files.get(ARCHIVE));
    expect(existsSync(program.agent)).toBe(true);
    expect(scene.hasRun()).toBe(false);
  });

  it('by a release that someone signed with the right key is refused by engine_digest, and filled again', async () => {
    const scene = await engineScene();
    await (await scene.get())[Symbol.asyncDispose]();
    for (const [name, file] of await signedRelease('2.2.0', programs('2.2.0', 'elsewhere'), scene.key))
      writeFileSync(join(scene.kept, name), file);
    await using program = await scene.get({ engineDigest: [scene.digest()] });
    expect(scene.warnings).toEqual([
      expect.stringMatching(/as engine_digest says.* Downloading it again\.$/s),
    ]);
    expect(readFileSync(join(scene.kept, ARCHIVE))).toEqual(scene.files.get(ARCHIVE));
    expect(existsSync(program.agent)).toBe(true);
  });

  it('only by a mistyped engine_digest keeps its release, for machines without a network', async () => {
    const scene = await engineScene();
    await (await scene.get())[Symbol.asyncDispose]();
    const mistyped = { ...OFFLINE, engineDigest: [`${process.platform}-${process.arch}=${'0'.repeat(64)}`] };
    await expect(scene.get(mistyped, AbortSignal.timeout(1_500))).rejects.toThrow();
    await using program = await scene.get({ ...OFFLINE, engineDigest: [scene.digest()] });
    expect(existsSync(program.agent)).toBe(true);
  });

  it('can’t be used without a network', async () => {
    const scene = await engineScene();
    await (await scene.get())[Symbol.asyncDispose]();
    writeFileSync(join(scene.kept, ARCHIVE), 'planted');
    await expect(scene.get(OFFLINE, AbortSignal.timeout(1_500))).rejects.toThrow();
    expect(scene.warnings[0]).toContain('has the SHA-256');
    expect(scene.hasRun()).toBe(false);
  });

  it.each([
    ['is a link', (store: string, home: string) => symlinkSync(home, store), /engines is not a folder/],
    [
      'is writable by other users',
      async (store: string) => {
        await mkdir(store);
        chmodSync(store, 0o777);
      },
      /is writable by other users \(mode 777\)/,
    ],
  ])('is not used at all when it %s', async (_, poison, message) => {
    const scene = await engineScene();
    const store = join(scene.kept, '../..');
    await mkdir(dirname(store), { recursive: true });
    await poison(store, scene.home);
    await expect(scene.get(OFFLINE)).rejects.toMatchObject({
      code: 'PRA-ENGINE-05',
      message: expect.stringMatching(message),
    });
  });
});
