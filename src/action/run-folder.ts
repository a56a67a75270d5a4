import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ID_TOKEN_FILE } from './id-token.ts';

/** The folders of one run, readable by this user alone. */
export interface RunFolder {
  /** Holds what is secret; goes away with the step. */
  readonly privateDirectory: string;
  readonly idTokenFile: string;
  /** The run directory: holds nothing secret, and stays for later steps of the job. */
  readonly runDirectory: string;
}

/** Makes fresh folders under `parent`, the job's own temporary folder. Throws what node:fs throws. */
export async function createRunFolder(parent: string): Promise<RunFolder> {
  const base = await mkdtemp(join(parent, 'pulumi-runner-'));
  const privateDirectory = join(base, 'private');
  const runDirectory = join(base, 'run');
  await mkdir(privateDirectory, { mode: 0o700 });
  await mkdir(runDirectory, { mode: 0o700 });
  return { privateDirectory, idTokenFile: join(privateDirectory, ID_TOKEN_FILE), runDirectory };
}

/** Removes what is secret. Idempotent. Throws what node:fs throws. */
export async function removePrivate(privateDirectory: string): Promise<void> {
  await rm(privateDirectory, { recursive: true, force: true, maxRetries: 2 });
}
