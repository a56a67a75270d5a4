import { verify } from 'node:crypto';
import { OutcomeError } from '../../base/outcome.ts';
import type { ReleaseKey } from './public-key.ts';
import { CHECKSUMS, type Release, SIGNATURE } from './release.ts';

/** A release's checksums and the signature over them, as received. */
export interface Proof {
  readonly checksums: Buffer;
  readonly signature: Buffer;
  /** Where they came from: a URL or a folder. */
  readonly from: string;
}

/**
 * The archive's SHA-256 in hexadecimal, from checksums that the key signed, and as engine_digest
 * pins it. Throws OutcomeError `target-error`.
 */
export function provenDigest(
  release: Release,
  { checksums, signature, from }: Proof,
  { key, name }: ReleaseKey,
): string {
  const refused = (what: string, reason: string, advice: string) =>
    refusal(release, `${what} from ${from} ${reason}. ${advice}`);
  const base64 = signature.toString('latin1').trim();
  if (!/^[A-Za-z0-9+/]{80,200}={0,2}$/.test(base64))
    throw refused(SIGNATURE, 'is not a cosign signature (about 70 bytes in base64)', MIRROR);

  if (!isSigned(checksums, Buffer.from(base64, 'base64'), key))
    throw refused(
      CHECKSUMS,
      `is not signed by ${name}: expected a signature of it over exactly this file`,
      CHANGED,
    );

  const digests = readChecksums(checksums.toString('utf8'));
  const digest = digests?.get(release.archive);
  if (digests === undefined)
    throw refused(CHECKSUMS, 'is signed, but is not a list of SHA-256 digests', MIRROR);

  if (digest === undefined) {
    const named = [...digests.keys()].find((other) => other.endsWith('.tar.gz')) ?? 'no archive';
    const reason = `is signed, but for another release: expected ${release.archive}, it names ${named}`;
    throw refused(CHECKSUMS, reason, `An older release may have been put in its place. ${MIRROR}`);
  }

  if (release.pinnedDigest !== undefined && release.pinnedDigest !== digest) {
    const reason = `is signed, but gives ${release.archive} the SHA-256 ${digest}, expected ${release.pinnedDigest}, as engine_digest says`;
    throw refused(
      CHECKSUMS,
      reason,
      `Nothing of it was run. Correct engine_digest if it belongs to another version. ${ELSE}`,
    );
  }

  return digest;
}

/** Throws OutcomeError `target-error` if the archive's digest differs from the proven one. */
export function checkDigest(release: Release, { digest, expected, from }: ReceivedDigest): void {
  if (digest !== expected)
    throw refusal(
      release,
      `${release.archive} from ${from} has the SHA-256 ${digest}, expected ${expected}. ${CHANGED}`,
    );
}

interface ReceivedDigest {
  /** In hexadecimal, like `expected`. */
  readonly digest: string;
  readonly expected: string;
  /** Where it came from: a URL or a folder. */
  readonly from: string;
}

/**
 * The SHA-256 digests of a `checksums.txt` by file name; undefined if it has other lines, or names
 * a file twice.
 */
export function readChecksums(text: string): ReadonlyMap<string, string> | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  const entries = lines.map((line) => /^([0-9a-f]{64}) [ *]([^\s/\\]+)$/.exec(line)?.slice(1) ?? []);
  const digests = new Map(entries.map(([digest = '', name = '']) => [name, digest]));
  return digests.size === lines.length && !digests.has('') && digests.size > 0 ? digests : undefined;
}

const CHANGED =
  'Nothing of it was run. It was changed in transit or in storage; if this is your own mirror, compare it with the release on GitHub.';
const ELSE = 'Otherwise the release was changed by someone who can sign it.';
const MIRROR = 'Nothing of it was run. Correct engine_download_url, or the files there.';

function refusal(release: Release, reason: string): OutcomeError {
  const message = `Failed to verify Pulumi's agent ${release.version} for the run: ${reason}`;
  return new OutcomeError('target-error', message, { code: 'PRA-ENGINE-03' });
}

function isSigned(file: Buffer, signature: Buffer, key: ReleaseKey['key']): boolean {
  try {
    return verify('sha256', file, { key, dsaEncoding: 'der' }, signature);
  } catch {
    // The signature isn't DER.
    return false;
  }
}
