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
import { addToStore, copyFromStore, removeFiles, removeFromStore } from './store.ts';
import { checkDigest, provenDigest } from './verify.ts';

export interface FetchOptions {
  readonly release: Release;
  readonly key: ReleaseKey;
  /** The folder of the store. */
  readonly store: string;
  /** This run's own folder, which receives the archive. */
  readonly folder: string;
  readonly downloads: DownloadOptions;
}

/**
 * Puts the archive of a release into the run's own folder and verifies it there. It comes from the
 * store, or else is downloaded and kept. A kept archive that fails verification is reported,
 * downloaded again and replaced. Returns the archive's source in words. Throws OutcomeError, and the
 * signal's reason.
 */
export async function fetchRelease(options: FetchOptions): Promise<string> {
  const { release, store, folder } = options;
  let isSpoilt = false;

  try {
    const stored = await copyFromStore(store, release, folder);
    if (stored !== undefined) {
      await verifyFiles(options, stored);
      return `kept in ${stored}, verified`;
    }
  } catch (error) {
    if (!(error instanceof OutcomeError) || isShortage(error.cause)) throw error;
    options.downloads.log('warning', `${messageOf(error)} Downloading it again.`);
    await removeFiles(release, folder);
    isSpoilt = true;
  }

  const bytes = await downloadFiles(options);

  // Only now: a mistyped engine_digest must not cost a machine without a network its release.
  if (isSpoilt) await removeFromStore(store, release);
  await addToStore(store, release, folder);

  return `${byteCount(bytes)} from ${release.url}, verified`;
}

/**
 * True for a temporary shortage on this machine: the kept archive may be sound, and hard to
 * replace.
 */
function isShortage(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EIO'].includes(String(code));
}

/**
 * Checksums and signature come first: nothing is downloaded that they don't name. Returns the
 * archive's bytes.
 */
async function downloadFiles({ release, folder, key, downloads }: FetchOptions): Promise<number> {
  const { archive, url: from } = release;

  await download(`${from}/${CHECKSUMS}`, join(folder, CHECKSUMS), LARGEST_BYTES.checksums, downloads);
  await download(`${from}/${SIGNATURE}`, join(folder, SIGNATURE), LARGEST_BYTES.signature, downloads);

  const expected = provenDigest(release, await proofIn(folder, from), key);

  const { sha256, bytes } = await download(
    `${from}/${archive}`,
    join(folder, archive),
    LARGEST_BYTES.archive,
    downloads,
  );

  checkDigest(release, { digest: sha256, expected, from });

  return bytes;
}

async function verifyFiles({ release, folder, key, downloads }: FetchOptions, from: string): Promise<void> {
  const expected = provenDigest(release, await proofIn(folder, from), key);
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(folder, release.archive)), hash, { signal: downloads.signal });
  checkDigest(release, { digest: hash.digest('hex'), expected, from });
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
