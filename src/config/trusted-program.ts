import { accessSync, constants, lstatSync, realpathSync, type Stats } from 'node:fs';
import { dirname, join, sep } from 'node:path';

/**
 * A clause on why a program is unfit to be run for every job: it is missing or not executable, or
 * another user than root and `owner` could change it or put another in its place. Undefined if it
 * is fit. A link is fine where each folder on its way is, as in a mounted ConfigMap; so is a folder
 * that all can write to with its sticky bit, as /tmp, and one that is mounted read-only.
 */
export function unfitProgram(path: string, owner: number): string | undefined {
  try {
    const file = realpathSync(path);
    if (!lstatSync(file).isFile()) return `${path} is not a file`;

    for (const [place, stats] of [...waysTo(path), ...waysTo(file)]) {
      const objection = objectionTo(stats, owner);
      if (objection !== undefined && !isReadOnly(place, stats)) return `${place} ${objection}`;
    }

    accessSync(file, constants.X_OK);

    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return `${path} does not exist`;
    return code === 'EACCES'
      ? `${path} can't be run by this user`
      : `${path} can't be checked: ${String(error)}`;
  }
}

function objectionTo(stats: Stats, owner: number): string | undefined {
  if (stats.uid !== 0 && stats.uid !== owner) return `belongs to the user ${stats.uid}`;
  // A link has no permissions: those of its folder apply.
  if (stats.isSymbolicLink() || (stats.mode & 0o022) === 0) return undefined;
  // Only its owner, who is checked too, can replace an entry of a sticky folder.
  if (stats.isDirectory() && (stats.mode & 0o1000) !== 0) return undefined;
  return `can be written by others (mode ${(stats.mode & 0o7777).toString(8)})`;
}

/**
 * Kubernetes makes the folder of a mounted ConfigMap, which root owns, writable to all, and mounts
 * it read-only.
 */
function isReadOnly(place: string, { uid }: Stats): boolean {
  try {
    accessSync(place, constants.W_OK);
    return false;
  } catch (error) {
    return uid === 0 && error instanceof Error && 'code' in error && error.code === 'EROFS';
  }
}

/** The file and each folder above it, as they are named, not where links lead. */
function waysTo(path: string): [string, Stats][] {
  const found: [string, Stats][] = [];
  for (let place = join(sep, path); ; place = dirname(place)) {
    found.push([place, lstatSync(place)]);
    if (place === sep) return found;
  }
}
