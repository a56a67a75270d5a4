import { constants } from 'node:fs';
import { lstat, open, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../outcome.ts';
import { fateOf, processSpace } from '../record/fate.ts';
import { RUN_FILES } from '../record/files.ts';
import { ownOwner } from '../record/owner.ts';
import { parseEvent, readResult } from '../record/reader.ts';
import type { Owner, RecordEvent } from '../record/schema.ts';
import { isRunDirectoryName } from './run-directories.ts';

export interface PruneOptions {
  readonly folder: string;
  /** How many ended runs keep their directories. */
  readonly kept: number;
  /** Names of directories whose runs are known to have ended; added to, and cleared of those that are gone. */
  readonly known: Set<string>;
  /** Path of the directory that this agent writes at the moment. */
  readonly current: () => string | undefined;
  /** Asked before each removal, with the number of those before. */
  readonly goesOn: (removed: number) => boolean;
  /** Told what could not be removed; the rest is gone on with. */
  readonly onFailure: (reason: string) => void;
}

/**
 * Removes the directories of all but the newest `kept` ended runs, oldest first. Only what a lasting agent made is looked at, and
 * a run that may still go on is neither removed nor counted. Returns how many were removed. Throws what node:fs throws when
 * the folder can't be read.
 */
export async function pruneRuns({ folder, kept, known, current, goesOn, onFailure }: PruneOptions): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(whenGone([]));
  const names = entries
    .filter((entry) => entry.isDirectory() && isRunDirectoryName(entry.name))
    .map(({ name }) => name);
  for (const name of known) if (!names.includes(name)) known.delete(name);
  if (names.length <= kept) return 0;
  const self = { owner: ownOwner(), space: processSpace() };
  const own = (name: string) => join(folder, name) === current();
  for (const name of names)
    if (!known.has(name) && !own(name) && (await hasEnded(join(folder, name), self))) known.add(name);
  // The names are times, so that their order is that of the runs.
  const oldest = [...known].sort().slice(0, Math.max(0, known.size - kept));
  let removed = 0;
  for (const name of oldest) {
    if (!goesOn(removed)) break;
    const directory = join(folder, name);
    try {
      // Looked at again: it may have been read hours ago.
      if (!(await hasEnded(directory, self)) || own(name)) continue;
      await remove(directory);
      known.delete(name);
      removed += 1;
    } catch (error) {
      onFailure(
        `Failed to remove the run directory ${directory} for kept_runs: ${messageOf(error)}. Remove it yourself, or correct its permissions.`,
      );
    }
  }
  return removed;
}

/**
 * True when it is proved that nobody writes the run in `directory` any more: its result is there or its agent is dead, the same
 * for every other agent that began there, and the directory is this user's. False too for what can't be read.
 */
async function hasEnded(directory: string, self: Pick<Begun, 'owner' | 'space'>): Promise<boolean> {
  try {
    const stats = await lstat(directory);
    // In somebody else's folder, a root agent could be led out of it while it removes.
    if (!stats.isDirectory() || stats.uid !== process.geteuid?.()) return false;
    const result = await readResultFile(directory);
    const begun = await whoBegan(directory);
    const isOver = ({ owner, space }: Begun) =>
      (result !== undefined && isSame(owner, result.owner)) ||
      // This agent's own, whose result a full disk took: it has one job at a time, and that one's directory isn't asked for.
      (space !== undefined && space === self.space && isSame(owner, self.owner)) ||
      fateOf(owner, space, self.space) === 'dead';
    return (result !== undefined || begun.length > 0) && begun.every(isOver);
  } catch {
    return false;
  }
}

type Begun = Extract<RecordEvent, { type: 'agent-started' }>;

/** Who began a run in the directory: one, unless two agents did in the same millisecond. Throws when a line of that can't be read. */
async function whoBegan(directory: string): Promise<Begun[]> {
  // Without O_NONBLOCK, to open a pipe of this name would never end.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(join(directory, RUN_FILES.events), flags).catch(whenGone(undefined));
  if (file === undefined) return [];
  const begun: Begun[] = [];
  try {
    if (!(await file.stat()).isFile()) throw new Error('not a file');
    for await (const line of file.readLines({ autoClose: false })) {
      if (!line.includes('"type":"agent-started"')) continue;
      const event = parseEvent(line);
      if (event?.type !== 'agent-started') throw new Error('not told as this version does');
      begun.push(event);
    }
  } finally {
    await file.close();
  }
  return begun;
}

async function readResultFile(directory: string) {
  const stats = await lstat(join(directory, RUN_FILES.result)).catch(whenGone(undefined));
  if (stats === undefined) return undefined;
  if (!stats.isFile()) throw new Error('not a file');
  return readResult(directory);
}

function isSame(one: Owner, other: Owner): boolean {
  return one.host === other.host && one.pid === other.pid && one.started === other.started;
}

/** What proves that the run has ended goes last: a removal that was cut short can then be made again. */
async function remove(directory: string): Promise<void> {
  const proofs: readonly string[] = [RUN_FILES.events, RUN_FILES.result];
  const names = await readdir(directory).catch(whenGone([]));
  for (const name of [...names.filter((each) => !proofs.includes(each)), ...proofs])
    await rm(join(directory, name), { recursive: true, force: true });
  await rmdir(directory).catch(whenGone(undefined));
}

/** A neighbour may remove the same. */
function whenGone<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return value;
    throw error;
  };
}
