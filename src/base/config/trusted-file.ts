import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';

/**
 * The text of a file. Throws what node:fs throws, and if every user of the machine can write to it.
 */
export function readText(file: string): string {
  return readChecked(file, constants.O_RDONLY, (stats) => {
    // Others can't replace the content of a device or a pipe, such as the shell's <(…).
    if (stats.isFile() && (stats.mode & 0o002) !== 0)
      throw new Error(
        `every user can write to it (mode ${octal(stats.mode)}); take that right away: chmod o-w ${file}`,
      );
  });
}

/** The only user who can write to the file and to the folders from its own up to `top`. */
const ROOT = { owner: 0, top: '/' };

/**
 * The text of a file that root alone can have written; undefined if there is none. Throws what
 * node:fs throws, and if this user can't read the file, or another can change it or put another in
 * its place. An ACL that lets others write shows in the mode.
 */
export function readOfRoot(file: string, { owner, top } = ROOT): string | undefined {
  const fileStats = lstatSync(file, { throwIfNoEntry: false });

  // Docker makes a folder where a file to mount is missing.
  if (fileStats === undefined || fileStats.isDirectory()) return undefined;

  const check = (path: string, stats: Stats): void => {
    const ownership = stats.uid === owner ? undefined : `belongs to the user ${stats.uid}`;
    const rights =
      (stats.mode & 0o022) === 0 ? ownership : `can be written by others (mode ${octal(stats.mode)})`;
    const objection = stats.isSymbolicLink() ? 'is a link' : rights;
    if (objection === undefined) return;
    throw new Error(
      `${path} ${objection}, but root alone must be able to change it, as its lists count for each configuration; let root correct it`,
    );
  };

  for (let folder = dirname(file); ; folder = dirname(folder)) {
    check(folder, lstatSync(folder));
    if (folder === top) break;
  }

  check(file, fileStats);

  try {
    return readChecked(file, constants.O_RDONLY | constants.O_NOFOLLOW, (stats) => check(file, stats));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EACCES')) throw error;
    throw new Error(unreadable(file, fileStats), { cause: error });
  }
}

/** Doesn't advise to open this file, which can hold a token. */
function unreadable(file: string, { uid, gid, ...stats }: Stats): string {
  return (
    `this user can't read ${file} (mode ${octal(stats.mode)}, user ${uid}, group ${gid}), whose lists count for each configuration; ` +
    'let root keep them there in a file without secrets that this user can read, and the secrets in another that config-file names'
  );
}

/** Checks and reads one open file, even if its path leads elsewhere meanwhile. */
function readChecked(file: string, flags: number, check: (stats: Stats) => void): string {
  const descriptor = openSync(file, flags);
  try {
    check(fstatSync(descriptor));
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

const octal = (mode: number): string => (mode & 0o7777).toString(8);
