import { accessSync, constants, lstatSync, readlinkSync, type Stats } from 'node:fs';
import { join, sep } from 'node:path';

/** The most links on the way to a file, as for Linux. */
const MOST_LINKS = 40;

/**
 * A clause on why a program is unfit to be run for every job: it is missing or not executable, or
 * another user than root and `owner` could change it or put another in its place. Undefined if it
 * is fit. Links are fine where each of them and each folder that they lead through is, as in a
 * mounted ConfigMap; so is a folder that all can write to with its sticky bit, as /tmp, and one that
 * is mounted read-only, although others can write to its source.
 */
export function unfitProgram(path: string, owner: number): string | undefined {
  try {
    const way = wayTo(path);

    for (const [place, stats] of way) {
      const objection = objectionTo(stats, owner);
      if (objection !== undefined && !isReadOnly(place, stats)) return `${place} ${objection}`;
    }

    const [file, stats] = way.at(-1) ?? [];
    if (file === undefined || stats?.isFile() !== true) return `${path} is not a file`;
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

/**
 * All that leads to a file, from the root on: each folder and each link, with those that the links
 * lead through; the file itself is last.
 */
function wayTo(path: string): [place: string, stats: Stats][] {
  const way: [string, Stats][] = [[sep, lstatSync(sep)]];
  let rest = path.split(sep);
  let links = 0;

  // Holds no link.
  let folder: string = sep;

  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === '' || name === '.') continue;
    const place = join(folder, name);
    const stats = lstatSync(place);
    way.push([place, stats]);

    if (!stats.isSymbolicLink()) {
      folder = place;
      continue;
    }

    links += 1;
    if (links > MOST_LINKS) throw new Error(`too many links, the last one at ${place}`);
    const target = readlinkSync(place);
    if (target.startsWith(sep)) folder = sep;
    rest = [...target.split(sep), ...rest];
  }

  return way;
}
