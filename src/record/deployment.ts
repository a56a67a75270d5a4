import { z } from 'zod';
import { code, outcome } from './outcome.ts';

/** A deployment that was started. */
export const startedDeploymentSchema = z.object({
  /** `org/project/stack`. */
  stack: z.string(),
  operation: z.string(),
  deploymentId: z.string(),
  /** Counted for each stack. */
  version: z.number().optional(),
  consoleUrl: z.string().optional(),
  /** The answer was lost; a deployment like it was found, and is taken for it. */
  assumed: z.literal(true).optional(),
});
export type StartedDeployment = z.infer<typeof startedDeploymentSchema>;

/** A deployment that a run started and answers for, runs it here or elsewhere. */
export const ownDeploymentSchema = startedDeploymentSchema.omit({ assumed: true }).extend({
  /** Absent where it could not be started. */
  deploymentId: z.string().optional(),
  state: z.enum(['waiting', 'running', 'ended']),
  /** Since it has ended. */
  outcome: outcome.optional(),
  code,
  /** The one sentence on how it ended. */
  message: z.string().optional(),
  /** This run's agent claimed it. */
  ranHere: z.boolean(),
  /** From its first step to its end. */
  seconds: z.number().optional(),
  /** Resources by what was done to them (`create`, `update`, `same`, …), where Pulumi Cloud tells. */
  changes: z.record(z.string(), z.number()).optional(),
  /** Resources differ from the stack's state, where Pulumi Cloud tells. */
  drift: z.boolean().optional(),
  /** Its own run directory, as a path inside the run's. */
  directory: z.string().optional(),
});
export type OwnDeployment = z.infer<typeof ownDeploymentSchema>;
