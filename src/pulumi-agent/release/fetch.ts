import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { messageOf, OutcomeError } from '../../base/outcome.ts';
import { byteCount } from '../../base/quantity.ts';
import { type DownloadOptions, download } from './download.ts';
import type { ReleaseKey } from './public-key.ts';
import { CHECKSUMS, LARGEST_BYTES, type Release, SIGNATURE } from './release.ts';
import { forget, keep, removeFiles, takeKept } from './store.ts';
import { checkDigest, provenDigest } from './verify.ts';

export interface FetchOptions extends DownloadOptions {
  readonly release: Release;
  readonly key: ReleaseKey;
  /** The folder of the store. */
  readonly store: string;
  /** This run's own folder, which receives the archive. */
  readonly folder: string;
}

/**
 * Puts the archive of a release into the run's own folder and verifies it there. It comes from the
 * store, or else is downloaded and kept. A kept archive that fails verification is reported,
 * downloaded again and replaced. Returns the archive's source in words. Throws OutcomeError, and the
 * signal's reason.
 */
export async function fetchRelease(options: FetchOptions): Promise<string> {
  const { release, store, folder, log } = options;
  let kept: string | undefined;
  let spoilt = false;

  try {
    kept = await takeKept(store, release, folder);
    if (kept !== undefined) {
      await verifyFiles(options, kept);
      return `kept in ${kept}, verified`;
    }
  } catch (error) {
    if (!(error instanceof OutcomeError) || isPassing(error.cause)) throw error;
    log('warning', `${messageOf(error)} Downloading it again.`);
    await removeFiles(release, folder);
    spoilt = true;
  }

  const bytes = await downloadFiles(options);

  // Only now: a mistyped engine_digest must not cost a machine without a network its release.
  if (spoilt) await forget(store, release);
  await keep(store, release, folder);

  return `${byteCount(bytes)} from ${release.url}, verified`;
}

/**
 * True for a temporary shortage on this machine: the kept archive may be sound, and hard to
 * replace.
 */
function isPassing(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EIO'].includes(String(code));
}

/**
 * Checksums and signature come first: nothing is downloaded that they don't name. Returns the
 * archive's bytes.
 */
async function downloadFiles(options: FetchOptions): Promise<number> {
  const { release, folder, key } = options;
  const { archive, url: from } = release;

  await download(`${from}/${CHECKSUMS}`, join(folder, CHECKSUMS), LARGEST_BYTES.checksums, options);
  await download(`${from}/${SIGNATURE}`, join(folder, SIGNATURE), LARGEST_BYTES.signature, options);

  const expected = provenDigest(release, await proofIn(folder, from), key);

  const { sha256, bytes } = await download(
    `${from}/${archive}`,
    join(folder, archive),
    LARGEST_BYTES.archive,
    options,
  );

  checkDigest(release, { expected, found: sha256, from });

  return bytes;
}

async function verifyFiles({ release, folder, key, signal }: FetchOptions, from: string): Promise<void> {
  const expected = provenDigest(release, await proofIn(folder, from), key);
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(folder, release.archive)), hash, { signal });
  checkDigest(release, { expected, found: hash.digest('hex'), from });
}

async function proofIn(folder: string, from: string) {
  const [checksums, signature] = await Promise.all(
    [CHECKSUMS, SIGNATURE].map((name) => smallFile(join(folder, name))),
  );
  return { checksums: checksums ?? Buffer.alloc(0), signature: signature ?? Buffer.alloc(0), from };
}

/** A file, or nothing if it is too large: one in the store may have grown to any size. */
async function smallFile(path: string): Promise<Buffer> {
  return (await stat(path)).size > LARGEST_BYTES.checksums ? Buffer.alloc(0) : readFile(path);
}
