import { existsSync } from 'node:fs';
import { open, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OutcomeError } from '../../outcome.ts';
import { byteCount } from '../../quantity.ts';
import { type Finding, reasonOf } from './examination.ts';

/** Bytes that a disk should have left for logs; below it, a warning. */
const ROOM = 512 * 1024 ** 2;
/** Bytes that are written to see whether there is room at all. */
const PROBE = 1024 ** 2;

/**
 * Writes a megabyte where the run directory is, or would be made, and removes it. Throws OutcomeError `config-error` when that
 * can't be done.
 */
export async function diskCheck(directory: string): Promise<Finding> {
  let place = directory;
  while (!existsSync(place)) place = dirname(place);
  const probe = join(place, `.doctor-${process.pid}`);
  try {
    try {
      await using file = await open(probe, 'wx', 0o600);
      // Not zeros alone: some file systems store none of those.
      await file.writeFile(Buffer.alloc(PROBE, 'doctor'));
      await file.sync();
    } finally {
      await rm(probe, { force: true });
    }
    const { bavail, bsize } = await statfs(place);
    const detail = `${directory}, ${byteCount(bavail * bsize)} free`;
    if (bavail * bsize >= ROOM) return { status: 'passed', detail };
    return { status: 'warning', detail: `${detail}. Free some space: the logs of a run go there.` };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const isFull = code === 'ENOSPC' || code === 'EDQUOT';
    const reason = isFull ? `the disk of ${directory} is full` : reasonOf(error);
    const advice = isFull
      ? 'Free some space, or set run_directory to a folder on another disk.'
      : 'Set run_directory to a folder that the agent can write to.';
    const message = `Failed to write to the run directory: ${reason}. ${advice}`;
    throw new OutcomeError('config-error', message, { cause: error });
  }
}
