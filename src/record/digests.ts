import { createHash, hash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { whenGone } from './reader.ts';
import { type JobRecord, RUN_FILES } from './schema.ts';

/** The most bytes of a run.json; ours have some 60 kB. */
const MAX_RESULT_BYTES = 16 * 1024 * 1024;

/** A file that can't be part of a record: a link, a path through one, or no regular file. */
class StrangeFileError extends Error {}

/** The SHA-256 of a text or of bytes, in hexadecimal. */
export function digestOf(content: string | Buffer): string {
  return hash('sha256', content);
}

/**
 * The SHA-256 of a file, in hexadecimal; `path` is relative to `directory`. Undefined if there is
 * none. Throws StrangeFileError, and what node:fs throws.
 */
export async function fileDigest(directory: string, path: string): Promise<string | undefined> {
  await using file = await openPlain(directory, path);
  if (file === undefined) return undefined;
  const digest = createHash('sha256');
  for await (const chunk of file.createReadStream({ autoClose: false })) digest.update(chunk);
  return digest.digest('hex');
}

/**
 * The bytes of a run.json, as `fileDigest` reads files. Throws StrangeFileError also if it is too
 * large for one.
 */
export async function resultBytes(directory: string, path: string): Promise<Buffer | undefined> {
  await using file = await openPlain(directory, path);
  if (file === undefined) return undefined;
  if ((await file.stat()).size > MAX_RESULT_BYTES) throw new StrangeFileError('is too large for a run.json');
  return await file.readFile();
}

/**
 * The names in a folder of a record, sorted; none without one. Throws StrangeFileError, and what
 * node:fs throws.
 */
export async function plainNames(directory: string, path: string): Promise<string[]> {
  const real = await plainPath(directory, path);
  return real === undefined ? [] : (await readdir(real)).toSorted();
}

/**
 * The records that a run keeps in `deployments/`, with the digest of each result. Never rejects: a
 * result that can't be read has no digest.
 */
export async function jobRecords(directory: string): Promise<JobRecord[]> {
  const names = await plainNames(directory, RUN_FILES.deployments).catch(() => []);
  const paths = names.map((name) => `${RUN_FILES.deployments}/${name}`);

  return await Promise.all(
    paths.map(async (path) => {
      const sha256 = await fileDigest(directory, `${path}/${RUN_FILES.result}`).catch(() => undefined);
      return { directory: path, sha256 };
    }),
  );
}

/** Opens a regular file, without waiting for a pipe's other end. Undefined if there is none. */
async function openPlain(directory: string, path: string) {
  const real = await plainPath(directory, path);
  if (real === undefined) return undefined;

  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new StrangeFileError('is no regular file');
}

/**
 * A path of a record without links: one in its middle leads out as one at its end does. Undefined
 * if nothing is there.
 */
async function plainPath(directory: string, path: string): Promise<string | undefined> {
  const root = await realpath(directory).catch(whenGone(undefined));
  if (root === undefined) return undefined;

  const whole = join(root, path);
  const real = await realpath(whole).catch(whenGone(undefined));
  if (real === whole) return real;

  // A link to nothing has no real path either.
  const isThere = await lstat(whole).then(() => true, whenGone(false));
  if (isThere) throw new StrangeFileError('is a link, or lies behind one');
  return undefined;
}
