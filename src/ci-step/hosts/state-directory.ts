import { hash } from 'node:crypto';
import { lstat, mkdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { parsedJson } from '../../base/json.ts';
import { plainText } from '../../base/log/plain-text.ts';
import { messageOf, OutcomeError } from '../../base/outcome.ts';
import { livenessOf } from '../../base/owner.ts';
import { whenGone } from '../../record/reader.ts';
import { replaceRecord } from '../../record/run-directory.ts';
import { ownerSchema } from '../../record/schema.ts';
import type { RunFolder } from '../state.ts';
import type { CiJob } from './ci-system.ts';

/** The record's folder in the checkout. */
const RECORD = 'pulumi-runner';

/**
 * The directory for a job's state and secrets. Its name, which `finish`, another process, finds again, is
 * of the CI system, the job and, in a plain shell, the working directory.
 */
export function stateDirectoryOf(
  systemName: string,
  { id, temporaryDirectory }: CiJob,
  checkoutDirectory: string,
  environment: Environment,
): string {
  const identity = JSON.stringify([systemName, id, checkoutDirectory, process.geteuid?.()]);
  const name = `pulumi-runner-${hash('sha256', identity).slice(0, 16)}`;
  return join(temporaryDirectory || environment['TMPDIR'] || tmpdir(), name);
}

/**
 * Makes the folders of a new run. Throws OutcomeError `config-error` if something of another's is in
 * their place.
 */
export async function createJobFolders({
  checkoutDirectory,
  stateDirectory,
}: {
  readonly checkoutDirectory: string;
  readonly stateDirectory: string;
}): Promise<RunFolder> {
  const runDirectory = join(checkoutDirectory, RECORD);

  try {
    const exists = await isOwnDirectory(stateDirectory);
    if (exists) await refuseBeside(stateDirectory);
    // While its agent lives, an earlier run needs its state.
    await replaceRecord(runDirectory);
    if (exists) await rm(stateDirectory, { recursive: true });
    await mkdir(stateDirectory, { mode: 0o700 });
    const privateDirectory = join(stateDirectory, 'private');
    await mkdir(privateDirectory, { mode: 0o700 });
    return { privateDirectory, idTokenFile: join(privateDirectory, 'id-token'), runDirectory };
  } catch (cause) {
    if (cause instanceof OutcomeError) throw cause;
    const sentence = `Failed to make the private folder ${stateDirectory} for this job: ${plainText(messageOf(cause))}. Set TMPDIR to a folder that this user can write to.`;
    throw new OutcomeError('config-error', sentence, { code: 'PRA-CONFIG-07', cause });
  }
}

/** Throws OutcomeError `config-error` while the main of another run in this directory lives. */
async function refuseBeside(stateDirectory: string): Promise<void> {
  const text = await readFile(join(stateDirectory, 'main'), 'utf8').catch(() => 'null');
  const { data: main } = ownerSchema.safeParse(parsedJson(text));
  if (main === undefined || livenessOf(main) !== 'alive') return;
  const sentence = `Failed to make the private folder ${stateDirectory} for this job: another ci command of this job (process ${main.pid}) is still running. Wait until it ends.`;
  throw new OutcomeError('config-error', sentence, { code: 'PRA-CONFIG-07' });
}

/**
 * True if the directory is there and this user's alone. Throws OutcomeError `config-error` if another
 * user or a link has taken its place, or others can read it.
 */
export async function isOwnDirectory(directory: string): Promise<boolean> {
  const stats = await lstat(directory).catch(whenGone(undefined));
  if (stats === undefined) return false;
  if (stats.isDirectory() && stats.uid === process.geteuid?.() && (stats.mode & 0o077) === 0) return true;
  const sentence = `Failed to use the private folder ${directory} for this job: it is a link, belongs to another user, or is open to others. Remove it.`;
  throw new OutcomeError('config-error', sentence, { code: 'PRA-CONFIG-07' });
}
