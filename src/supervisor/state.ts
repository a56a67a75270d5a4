import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { type Owner, ownerSchema } from '../record/schema.ts';
import { positionSchema } from './follow.ts';
import type { Host } from './host.ts';

/** The folders of one run, readable by this user alone. */
export interface RunFolder {
  /** Holds what is secret; goes away with the step. */
  readonly privateDirectory: string;
  readonly idTokenFile: string;
  /** Holds nothing secret, and stays for later steps of the CI job. */
  readonly runDirectory: string;
}

const stateSchema = z.object({
  runDirectory: z.string(),
  /** The engine's process; absent when none was started. */
  owner: ownerSchema.optional(),
  /** Where the console stands. */
  position: positionSchema,
  /** The engine wrote its result, or was found dead and swept up after. */
  ended: z.boolean(),
  /** The engine ended without a result. */
  died: z.boolean(),
  /** What was uploaded. */
  artifact: z.object({ id: z.string(), url: z.string(), name: z.string() }).optional(),
  /** When main heard that the CI job was cancelled: milliseconds since the epoch. */
  cancelledAt: z.number().optional(),
});

/** What main leaves to post of its run. */
export type RunState = z.infer<typeof stateSchema>;

/** Makes fresh folders under `parent`. Throws what node:fs throws. */
export async function createRunFolder(parent: string): Promise<RunFolder> {
  const base = await mkdtemp(join(parent, 'pulumi-runner-'));
  const privateDirectory = join(base, 'private');
  const runDirectory = join(base, 'run');
  for (const directory of [privateDirectory, runDirectory]) await mkdir(directory, { mode: 0o700 });
  return { privateDirectory, idTokenFile: join(privateDirectory, 'id-token'), runDirectory };
}

/** Removes what is secret. Idempotent. Throws what node:fs throws. */
export async function removePrivate(privateDirectory: string): Promise<void> {
  await rm(privateDirectory, { recursive: true, force: true, maxRetries: 2 });
}

/** Keeps for post, before anything is done, which process main is, and the folder of its secrets. Throws what the host throws. */
export function saveStart(host: Host, privateDirectory: string): void {
  host.keep('main', JSON.stringify(host.owner));
  host.keep('private-directory', privateDirectory);
}

/** Keeps that outputs, artifact and summary are out. A host that took these when the step was over doesn't take this either. */
export function savePublished(host: Host): void {
  host.keep('published', 'true');
}

/** What main published needs nothing of post. */
export function isPublished(host: Host): boolean {
  return host.kept('published') === 'true';
}

/** Main's process, which may still run; undefined when it left nothing. */
export function readMain(host: Host): Owner | undefined {
  return parse(ownerSchema, () => host.kept('main'));
}

/** The folder of main's secrets; undefined when it didn't come that far. */
export function readPrivateDirectory(host: Host): string | undefined {
  return host.kept('private-directory') || undefined;
}

/** Leaves `state` for post in a file beside the run directory, where a main that outlives its step can still write. */
export function saveRunState(state: RunState): void {
  const path = fileBeside(state.runDirectory);
  writeFileSync(`${path}.part`, JSON.stringify(state), { mode: 0o600 });
  renameSync(`${path}.part`, path);
}

/** What main left; undefined when it left nothing, or nothing that can be understood. */
export function readRunState(host: Host): RunState | undefined {
  const privateDirectory = readPrivateDirectory(host);
  // Beside no folder would be in the workspace, whose files a pull request chooses.
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
