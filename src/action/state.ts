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
  /** The agent's process; absent when main was ended while it started one. */
  owner: ownerSchema.optional(),
  /** Where the console stands. */
  position: z.object({ events: z.number().int().nonnegative(), step: stepSchema.optional() }),
  /** The agent wrote its result, or was found dead and swept up after. */
  ended: z.boolean(),
  /** The agent ended without a result. */
  died: z.boolean(),
  /** Outputs, artifact and summary are out. */
  published: z.boolean(),
});

/** What main tells post. */
export type RunState = z.infer<typeof stateSchema>;

/** Leaves `state` for post; the last one left counts. Throws when GitHub's state file is missing. */
export function saveRunState(state: RunState): void {
  core.saveState(STATE_NAME, JSON.stringify(state));
}

/** What main left; undefined when it left nothing, or nothing that can be understood. */
export function readRunState(): RunState | undefined {
  try {
    return stateSchema.parse(JSON.parse(core.getState(STATE_NAME)));
  } catch {
    return undefined;
  }
}
