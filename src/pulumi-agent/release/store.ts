import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { type Environment, homeOf } from '../../base/environment.ts';
import { messageOf, OutcomeError } from '../../base/outcome.ts';
import { livenessOf, ownOwner } from '../../base/owner.ts';
import { ownerSchema } from '../../record/schema.ts';
import { CHECKSUMS, LARGEST_BYTES, type Release, SIGNATURE } from './release.ts';

/** Names the owner of a private folder. */
const OWNER_FILE = 'owner.json';
const ownerFileSchema = z.object({ owner: ownerSchema });

/** The folder of the store: below `XDG_CACHE_HOME`, or below `.cache` in the home directory. */
function storeFolder(environment: Environment): string {
  return join(
    environment['XDG_CACHE_HOME'] || join(homeOf(environment), '.cache'),
    'pulumi-runner-agent',
    'engines',
  );
}

/**
 * Creates the folders in which releases are kept and unpacked. Returns the outer one, the store.
 * Throws OutcomeError `target-error` if one isn't this user's alone.
 */
export async function openStore(environment: Environment): Promise<string> {
  const store = storeFolder(environment);
  return attempt(store, async () => {
    const parent = dirname(store);
    await mkdir(dirname(parent), { recursive: true, mode: 0o700 });
    for (const folder of [parent, store, releasesFolder(store), runsFolder(store)]) {
      await mkdir(folder, { mode: 0o700 }).catch(unlessThere);
      await checkOwnership(folder);
    }
    return store;
  });
}

/** Creates a folder for one run, and removes those of dead runs on this machine. */
export async function privateFolder(store: string): Promise<string> {
  return attempt(store, async () => {
    const runs = runsFolder(store);
    for (const name of await readdir(runs))
      if (await isOrphaned(join(runs, name))) await remove(join(runs, name));
    const folder = await mkdtemp(join(runs, 'run-'));
    await writeFile(join(folder, OWNER_FILE), JSON.stringify({ owner: ownOwner() }), { flag: 'wx' });
    return folder;
  });
}

/** The names of a release's kept files. */
const filesOf = ({ archive }: Release): readonly string[] => [archive, CHECKSUMS, SIGNATURE];

/**
 * Copies a kept release into `folder`, so that the verified files are the ones unpacked. Returns
 * where it is kept, or undefined if it isn't. Throws OutcomeError `target-error`.
 */
export async function copyFromStore(
  store: string,
  release: Release,
  folder: string,
): Promise<string | undefined> {
  const stored = folderInStore(store, release);
  return attempt(stored, async () => {
    try {
      await checkOwnership(stored);

      for (const name of filesOf(release)) {
        const stats = await lstat(join(stored, name));
        if (!stats.isFile() || stats.size > LARGEST_BYTES.archive)
          throw new Error(`${join(stored, name)} is not a file of a release`);
        await copyFile(join(stored, name), join(folder, name), constants.COPYFILE_EXCL);
      }

      return stored;
    } catch (error) {
      await removeFiles(release, folder);
      // Another run may be replacing it.
      if (codeIn(error) === 'ENOENT') return undefined;
      throw error;
    }
  });
}

/**
 * Keeps a release's verified files from `folder`, all at once. A copy that another run kept
 * meanwhile stays.
 */
export async function addToStore(store: string, release: Release, folder: string): Promise<void> {
  return attempt(store, async () => {
    const whole = await mkdtemp(join(folder, 'keep-'));
    for (const name of filesOf(release))
      await copyFile(join(folder, name), join(whole, name), constants.COPYFILE_FICLONE);
    await rename(whole, folderInStore(store, release)).catch(unlessThere);
    await remove(whole);
  });
}

/** The folder of a kept release. */
export function folderInStore(store: string, { version, platform }: Release): string {
  return join(releasesFolder(store), `v${version}-${platform}`);
}

/** Removes a kept release. */
export async function removeFromStore(store: string, release: Release): Promise<void> {
  await attempt(store, () => remove(folderInStore(store, release)));
}

/** Removes the files of a release from a run's own folder. */
export async function removeFiles(release: Release, folder: string): Promise<void> {
  for (const name of filesOf(release)) await remove(join(folder, name));
}

const releasesFolder = (store: string) => join(store, 'kept');
const runsFolder = (store: string) => join(store, 'runs');

/** Throws if a folder is a link, belongs to another user, or is writable by others. */
async function checkOwnership(folder: string): Promise<void> {
  const stats = await lstat(folder);
  const { mode, uid } = stats;
  if (!stats.isDirectory()) throw new Error(`${folder} is not a folder`);
  if (uid !== process.geteuid?.()) throw new Error(`${folder} belongs to the user ${uid}, not to this one`);
  if ((mode & 0o022) !== 0)
    throw new Error(`${folder} is writable by other users (mode ${(mode & 0o777).toString(8)})`);
}

/** True for the folder of a run whose process is provably dead. */
async function isOrphaned(folder: string): Promise<boolean> {
  try {
    const { owner } = ownerFileSchema.parse(JSON.parse(await readFile(join(folder, OWNER_FILE), 'utf8')));
    return livenessOf(owner) === 'dead';
  } catch {
    return false;
  }
}

async function attempt<T>(directory: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const message = `Failed to keep Pulumi's agent in ${directory} for the run: ${messageOf(cause)}. Correct the folder, or set XDG_CACHE_HOME to one that only this user can write to.`;
    throw new OutcomeError('target-error', message, { code: 'PRA-ENGINE-05', cause });
  }
}

function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true });
}

function codeIn(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function unlessThere(error: unknown): void {
  if (!['EEXIST', 'ENOTEMPTY'].includes(String(codeIn(error)))) throw error;
}
