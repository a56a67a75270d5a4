import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as core from '@actions/core';
import { z } from 'zod';
import { type Owner, ownerSchema } from '../record/schema.ts';

/** Names under which main leaves things; GitHub hands them to post as STATE_<name>. */
const [MAIN_NAME, PRIVATE_NAME, STATE_NAME] = ['main', 'private-directory', 'run'] as const;

const stepSchema = z.object({
  index: z.number().int(),
  name: z.string(),
  log: z.string(),
  offset: z.number().int().nonnegative(),
  muted: z.boolean(),
});

const stateSchema = z.object({
  runDirectory: z.string(),
  /** The agent's process; absent when main was ended while it started one. */
  owner: ownerSchema.optional(),
  /** Where the console stands. */
  position: z.object({ events: z.number().int().nonnegative(), step: stepSchema.optional() }),
  /** The agent wrote its result, or was found dead and swept up after. */
  ended: z.boolean(),
  /** The agent ended without a result. */
  died: z.boolean(),
  /** What was uploaded. */
  artifact: z.object({ id: z.string(), url: z.string(), name: z.string() }).optional(),
  /** Outputs, artifact and summary are out. */
  published: z.boolean(),
  /** When main heard that the CI job was cancelled: milliseconds since the epoch. */
  cancelledAt: z.number().optional(),
});

/** What main tells post. */
export type RunState = z.infer<typeof stateSchema>;

/** Tells post, before anything is done, which process main is, and the folder of its secrets. Throws when GitHub's state file is missing. */
export function saveStart(main: Owner, privateDirectory: string): void {
  core.saveState(MAIN_NAME, JSON.stringify(main));
  core.saveState(PRIVATE_NAME, privateDirectory);
}

/** Main's process, which may still run; undefined when it left nothing. */
export function readMain(): Owner | undefined {
  return parse(ownerSchema, () => core.getState(MAIN_NAME));
}

/** The folder of main's secrets; undefined when it didn't come that far. */
export function readPrivateDirectory(): string | undefined {
  const directory = core.getState(PRIVATE_NAME);
  return directory === '' ? undefined : directory;
}

/**
 * Leaves `state` for post; the last one left counts. It goes to a file beside the run directory too: GitHub reads its own when the
 * step is over, and a main that goes on behind that has more to say. Throws when GitHub's state file is missing.
 */
export function saveRunState(state: RunState): void {
  const text = JSON.stringify(state);
  core.saveState(STATE_NAME, text);
  const path = fileBeside(state.runDirectory);
  try {
    writeFileSync(`${path}.part`, text, { mode: 0o600 });
    renameSync(`${path}.part`, path);
  } catch {
    // Something emptied the job's temporary folder: GitHub's file has it.
  }
}

/** What main left; undefined when it left nothing, or nothing that can be understood. */
export function readRunState(): RunState | undefined {
  const privateDirectory = readPrivateDirectory();
  // Beside no folder would be in the workspace, whose files a pull request chooses.
  const beside =
    privateDirectory === undefined
      ? undefined
      : parse(stateSchema, () => readFileSync(fileBeside(privateDirectory), 'utf8'));
  const atStepEnd = parse(stateSchema, () => core.getState(STATE_NAME));
  if (beside === undefined) return atStepEnd;
  // GitHub took the summary when the step was over: nobody has what main wrote behind that.
  return { ...beside, published: beside.published && atStepEnd?.published === true };
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
