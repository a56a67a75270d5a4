import { mkdir, open, rm, rmdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OutcomeError } from '../../outcome.ts';
import { byteCount } from '../../quantity.ts';
import { type Finding, reasonOf } from './examination.ts';

/** Bytes that a disk should have left for logs; below it, a warning. */
const ROOM = 512 * 1024 ** 2;
/** Bytes that are written to see whether there is room at all. */
const PROBE = 1024 ** 2;

/**
 * Writes a little into the directory, which is removed again where it wasn't there. Throws OutcomeError `config-error` when that
 * can't be done.
 */
export async function writable(directory: string): Promise<Finding<undefined>> {
  let made: string | undefined;
  try {
    made = await mkdir(directory, { recursive: true, mode: 0o700 });
    const probe = join(directory, `.doctor-${process.pid}`);
    try {
      await using file = await open(probe, 'wx', 0o600);
      // Not zeros alone: some file systems store none of those.
      await file.writeFile(Buffer.alloc(PROBE, 'doctor'));
      await file.sync();
    } finally {
      await rm(probe, { force: true });
    }
    const { bavail, bsize } = await statfs(directory);
    const free = `${directory}, ${byteCount(bavail * bsize)} free`;
    if (bavail * bsize >= ROOM) return { status: 'passed', detail: free, value: undefined };
    return { status: 'warning', detail: `${free}. Free some space: the logs of a run go there.`, value: undefined };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const full = code === 'ENOSPC' || code === 'EDQUOT';
    const reason = full ? `the disk of ${directory} is full` : reasonOf(error);
    const advice = full
      ? 'Free some space, or set run_directory to a folder on another disk.'
      : 'Set run_directory to a folder that the agent can write to.';
    throw new OutcomeError('config-error', `Failed to write to the run directory: ${reason}. ${advice}`, {
      cause: error,
    });
  } finally {
    if (made !== undefined) await removeEmpty(directory, made);
  }
}

/** Removes `folder` and those above it up to `top`, as far as nobody has put anything in. */
async function removeEmpty(folder: string, top: string): Promise<void> {
  const removed = await rmdir(folder).then(
    () => true,
    () => false,
  );
  if (removed && folder !== top) await removeEmpty(dirname(folder), top);
}
