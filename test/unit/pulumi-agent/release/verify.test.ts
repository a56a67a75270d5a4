import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { definitionOf } from '../../../../src/base/config/schema.ts';
import { foreignEmbeddable } from '../../../../src/pulumi-agent/release/program.ts';
import { releaseKey } from '../../../../src/pulumi-agent/release/public-key.ts';
import { releaseFor } from '../../../../src/pulumi-agent/release/release.ts';
import { refusalOf } from '../../../../src/pulumi-agent/release/unpack.ts';
import { checkDigest, provenDigest, readChecksums } from '../../../../src/pulumi-agent/release/verify.ts';
import { flipped, signatureOf, testKey } from '../../../support/engine/release.ts';

const downloadUrl = definitionOf('engine_download_url').default ?? '';
const release = releaseFor('2.2.0', downloadUrl, 'linux-x64');

describe('a release', () => {
  it("is named as in Pulumi's .goreleaser.yaml and install.sh", () => {
    expect(release).toEqual({
      version: '2.2.0',
      platform: 'linux-x64',
      archive: 'customer-managed-workflow-agent-v2.2.0-linux-x64.tar.gz',
      url: 'https://github.com/pulumi/customer-managed-workflow-agent/releases/download/v2.2.0',
    });
    const mac = releaseFor('2.3.0', 'http://m/a', 'darwin-arm64');
    expect(`${mac.url}/${mac.archive}`).toBe(
      'http://m/a/v2.3.0/customer-managed-workflow-agent-v2.3.0-darwin-arm64.tar.gz',
    );
  });

  it.each([
    ['win32', 'x64'],
    ['linux', 'arm'],
  ])('does not exist for %s-%s', (platform, arch) => {
    const named = () => releaseFor('2.2.0', downloadUrl, `${platform}-${arch}`);
    expect(named).toThrow(`Failed to find Pulumi's agent for the run: there is none for ${platform}-${arch}`);
  });

  it('has a native job-container runner only for linux-x64', () => {
    expect(foreignEmbeddable('linux', 'x64')).toBeUndefined();
    expect(foreignEmbeddable('linux', 'arm64')).toContain('on linux-arm64 needs emulation');
  });
});

describe('checksums', () => {
  const [one, two] = ['a'.repeat(64), 'b'.repeat(64)];

  it('are read as goreleaser and sha256sum write them', () => {
    const expected = new Map([
      ['x.tar.gz', one],
      ['y.zip', two],
    ]);
    expect(readChecksums(`${one}  x.tar.gz\n${two}  y.zip\n`)).toEqual(expected);
    expect(readChecksums(`${one} *x.tar.gz\r\n${two}  y.zip`)).toEqual(expected);
  });

  it.each([
    ['nothing', ''],
    ['other text', '<html>'],
    ['a short digest', `${one.slice(1)}  x\n`],
    ['a repeated name', `${one}  x\n${two}  x\n`],
    ['a path', `${one}  ../x\n`],
    ['an extra line', `${one}  x\nmore\n`],
  ])('are not read from %s', (_, text) => {
    expect(readChecksums(text)).toBeUndefined();
  });
});

describe('the proof of a release', () => {
  const key = testKey();
  const digest = createHash('sha256').update('archive').digest('hex');
  const checksums = Buffer.from(`${digest}  ${release.archive}\n`);
  const proof = { checksums, signature: signatureOf(checksums, key), from: 'https://x' };

  it('is a signature that cosign itself made over its checksums', () => {
    const made = join(import.meta.dirname, '../../../support/engine/cosign');
    const [file, signature] = ['checksums.txt', 'checksums.txt.sig'].map((name) =>
      readFileSync(join(made, name)),
    );
    const signed = {
      checksums: file ?? Buffer.alloc(0),
      signature: signature ?? Buffer.alloc(0),
      from: made,
    };
    expect(provenDigest(release, signed, releaseKey(join(made, 'cosign.pub')))).toBe(digest);
  });

  it("needs Pulumi's key, unless another is named", () => {
    expect(provenDigest(release, proof, releaseKey(key.publicKey))).toBe(digest);
    expect(() => provenDigest(release, proof, releaseKey())).toThrow(
      "checksums.txt from https://x is not signed by Pulumi's key: expected a signature of it over exactly this file",
    );
  });

  it('is invalidated by any changed bit', () => {
    const trusted = releaseKey(key.publicKey);
    const bytes = (file: Buffer) => fc.nat(file.length - 1).map((at) => flipped(file, at));
    fc.assert(
      fc.property(bytes(checksums), (changed) => {
        expect(() => provenDigest(release, { ...proof, checksums: changed }, trusted)).toThrow(
          'is not signed by',
        );
      }),
    );
    const other = digest.split('').reverse().join('');
    expect(() => checkDigest(release, { digest: other, expected: digest, from: 'x' })).toThrow(
      `from x has the SHA-256 ${other}, expected ${digest}.`,
    );
  });

  it('needs an elliptic-curve key', () => {
    expect(() => releaseKey('-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----')).toThrow(
      'Failed to read engine_public_key for the agent',
    );
    expect(() => releaseKey('/none/cosign.pub')).toThrow(
      'Failed to read engine_public_key /none/cosign.pub for the agent: ENOENT',
    );
    const ed25519 =
      '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n';
    expect(() => releaseKey(ed25519)).toThrow('its type is ed25519, not ec');
  });
});

describe('an entry of an archive', () => {
  const folder = 'customer-managed-workflow-agent';

  it('is unpacked if it is a file or folder within the one folder', () => {
    expect(refusalOf({ name: `${folder}/`, type: 'directory', mode: 0o755 })).toBeUndefined();
    expect(refusalOf({ name: `${folder}/workflow-runner`, type: 'file', mode: 0o775 })).toBeUndefined();
  });

  it('never leads out of that folder', () => {
    const part = fc.constantFrom('..', '.', '', folder, 'a', '...', 'a\\b', '\0', ' ');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        const name = parts.join('/');
        if (refusalOf({ name, type: 'file', mode: 0o755 }) !== undefined) return;
        expect(join('/run', name)).toBe(`/run/${name}`);
        expect(name).toMatch(new RegExp(`^${folder}/.`));
      }),
    );
  });

  it.each([
    [{ type: 'symlink' }, 'is a symbolic link'],
    [{ type: 'link' }, 'is a hard link'],
    [{ type: 'fifo' }, 'is a fifo, not a file'],
    [{ type: 'character-device' }, 'is a character-device, not a file'],
    [{ name: 'elsewhere/x' }, 'is outside customer-managed-workflow-agent/'],
    [{ name: folder }, 'is where a folder is expected'],
    [{ mode: 0o4755 }, 'has the mode 4755, which no program of a release needs'],
    [{ mode: 0o2755 }, 'has the mode 2755, which no program of a release needs'],
  ] as const)('with %j is refused', (entry, reason) => {
    expect(refusalOf({ name: `${folder}/x`, type: 'file', mode: 0o755, ...entry })).toBe(reason);
  });
});
