import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as core from '@actions/core';
import { z } from 'zod';
import { ownerSchema } from '../record/schema.ts';

/** The name under which main leaves its state; GitHub hands it to post as STATE_run. */
const STATE_NAME = 'run';

const stepSchema = z.object({
  index: z.number().int(),
  name: z.string(),
  log: z.string(),
  offset: z.number().int().nonnegative(),
  muted: z.boolean(),
});

const stateSchema = z.object({
  runDirectory: z.string(),
  /** Main's own process: in a job with `container:` it doesn't hear that its step is over. */
  main: ownerSchema,
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

/**
 * Leaves `state` for post; the last one left counts. It goes to a file beside the run directory too: GitHub reads its own when the
 * step is over, and a main that goes on behind that has more to say. Throws when GitHub's state file is missing.
 */
export function saveRunState(state: RunState): void {
  const text = JSON.stringify(state);
  core.saveState(STATE_NAME, text);
  const path = fileOf(state);
  try {
    writeFileSync(`${path}.part`, text, { mode: 0o600 });
    renameSync(`${path}.part`, path);
  } catch {
    // Something emptied the job's temporary folder: GitHub's file has it.
  }
}

/** What main left; undefined when it left nothing, or nothing that can be understood. */
export function readRunState(): RunState | undefined {
  const known = parse(() => core.getState(STATE_NAME));
  return known && (parse(() => readFileSync(fileOf(known), 'utf8')) ?? known);
}

function parse(text: () => string): RunState | undefined {
  try {
    return stateSchema.parse(JSON.parse(text()));
  } catch {
    return undefined;
  }
}

function fileOf({ runDirectory }: RunState): string {
  return join(dirname(runDirectory), 'state.json');
}
