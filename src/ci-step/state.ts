import { closeSync, constants, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Owner } from '../base/owner.ts';
import { ownerSchema } from '../record/schema.ts';
import { positionSchema } from './follow.ts';
import type { Host } from './host.ts';
import { tokenFileSchema } from './token-file.ts';

/** Bytes that the state's file takes from the start, beside its request for ID tokens: a block of most disks. */
const STATE_BYTES = 4096;

/** The folders of one run, readable by this user alone. */
export interface RunFolder {
  /** Holds secrets; removed with the step. */
  readonly privateDirectory: string;
  readonly idTokenFile: string;
  /** Holds no secrets; stays for later steps of the CI job. */
  readonly runDirectory: string;
}

const stateSchema = z.object({
  runDirectory: z.string(),
  /** The engine's process; absent if none was started. */
  owner: ownerSchema.optional(),
  /** The file of the CI job's ID token; absent if the engine needs none. */
  tokenFile: tokenFileSchema.optional(),
  /** How far the console has shown the run. */
  position: positionSchema,
  /** The engine wrote its result, or died and was swept up after. */
  ended: z.boolean(),
  /** The engine ended without a result. */
  died: z.boolean(),
  /** The trace that main sent, or could not send. */
  traceId: z.string().optional(),
  artifact: z.object({ id: z.string(), url: z.string(), name: z.string() }).optional(),
  /** When main was cancelled, in milliseconds of the host's steady clock. */
  cancelledAt: z.number().optional(),
});

/** The state that main leaves for post. */
export type RunState = z.infer<typeof stateSchema>;

/** Makes new folders under `parent`. Throws what node:fs throws. */
export async function createRunFolder(parent: string): Promise<RunFolder> {
  const base = await mkdtemp(join(parent, 'pulumi-runner-'));
  const privateDirectory = join(base, 'private');
  const runDirectory = join(base, 'run');
  for (const directory of [privateDirectory, runDirectory]) await mkdir(directory, { mode: 0o700 });
  return { privateDirectory, idTokenFile: join(privateDirectory, 'id-token'), runDirectory };
}

/** Removes the secrets. Idempotent. Throws what node:fs throws. */
export async function removePrivate(privateDirectory: string): Promise<void> {
  await rm(privateDirectory, { recursive: true, force: true, maxRetries: 2 });
}

/**
 * Saves main's process and its secrets' folder for post, before anything else happens. Throws what
 * the host throws.
 */
export function saveStart(host: Host, privateDirectory: string): void {
  host.saveText('main', JSON.stringify(host.owner));
  host.saveText('private-directory', privateDirectory);
}

/**
 * Saves that outputs, artifact and summary are published; a host that ignored those after the step
 * ignores it too. Never throws: without it, post adds the summary once more.
 */
export function savePublished(host: Host): void {
  try {
    host.saveText('published', 'true');
  } catch {
    // As on a full disk.
  }
}

/** True if main published the run, so that post need not. */
export function isPublished(host: Host): boolean {
  return host.savedText('published') === 'true';
}

/** Main's process, which can still run; undefined if it saved nothing. */
export function readMain(host: Host): Owner | undefined {
  return parse(ownerSchema, () => host.savedText('main'));
}

/** The folder of main's secrets; undefined if main did not get that far. */
export function readPrivateDirectory(host: Host): string | undefined {
  return host.savedText('private-directory') || undefined;
}

/**
 * Saves `state` for post in a file beside the private directory, where a main that outlives its step
 * can still write. In place: on a full disk there is no room for another file. Throws what node:fs
 * throws.
 */
export function saveRunState(state: RunState, privateDirectory: string): void {
  const file = openSync(fileBeside(privateDirectory), constants.O_WRONLY | constants.O_CREAT, 0o600);
  const bytes = STATE_BYTES + JSON.stringify(state.tokenFile ?? {}).length;
  try {
    ftruncateSync(file, writeSync(file, JSON.stringify(state).padEnd(bytes), 0));
  } finally {
    closeSync(file);
  }
}

/** The state that main saved; undefined if there is none or it can't be parsed. */
export function readRunState(host: Host): RunState | undefined {
  const privateDirectory = readPrivateDirectory(host);
  // An empty path would resolve to the workspace, whose files a pull request chooses.
  if (privateDirectory === undefined) return undefined;
  return parse(stateSchema, () => readFileSync(fileBeside(privateDirectory), 'utf8'));
}

/** Removes the file that `saveRunState` made. Throws what node:fs throws. */
export function removeRunState(privateDirectory: string): void {
  rmSync(fileBeside(privateDirectory), { force: true });
}

function fileBeside(directory: string): string {
  return join(dirname(directory), 'state.json');
}

function parse<T>(schema: z.ZodType<T>, text: () => string): T | undefined {
  try {
    return schema.parse(JSON.parse(text()));
  } catch {
    return undefined;
  }
}
