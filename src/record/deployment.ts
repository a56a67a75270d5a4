import { z } from 'zod';
import { OUTCOME_NAMES, type Outcome } from '../base/outcome.ts';

export const outcomeSchema = z.enum(OUTCOME_NAMES as [Outcome, ...Outcome[]]);
/** The error's entry in TROUBLESHOOTING.md. */
export const codeSchema = z.string().optional();

/** The names of a deployment. They contain only letters, digits, `-`, `_` and `.`. */
export const identitySchema = z.object({
  organization: z.string(),
  project: z.string(),
  stack: z.string(),
  operation: z.string().optional(),
  /** Numbered per stack. */
  version: z.number().optional(),
  /** Pulumi Cloud itself named it; false where only the stack's own variables did. */
  proven: z.boolean(),
});

export const startedDeploymentSchema = z.object({
  /** `org/project/stack`. */
  stack: z.string(),
  operation: z.string(),
  deploymentId: z.string(),
  /** Numbered per stack. */
  version: z.number().optional(),
  consoleUrl: z.string().optional(),
  /** The stack's version right before the start, of a preview or where one was expected. */
  stackVersion: z.number().optional(),
  /** The answer was lost; a matching deployment was found and is assumed to be this one. */
  assumed: z.literal(true).optional(),
});

export type StartedDeployment = z.infer<typeof startedDeploymentSchema>;

/** The run of Pulumi Cloud that found drift, and what differs. */
export const driftRunSchema = z.object({
  id: z.string().optional(),
  /** Resource counts by the change that would bring the state in line (`update`, `delete`, …). */
  changes: z.record(z.string(), z.number()),
});

/** A deployment that a run started and is responsible for, wherever it runs. */
export const ownDeploymentSchema = startedDeploymentSchema.omit({ assumed: true }).extend({
  /** Absent if it could not be started. */
  deploymentId: z.string().optional(),
  state: z.enum(['waiting', 'running', 'ended']),
  /** Set once it has ended. */
  outcome: outcomeSchema.optional(),
  code: codeSchema,
  /** How it ended, in one sentence. */
  message: z.string().optional(),
  /** This run's agent claimed it. */
  ranHere: z.boolean(),
  /** Seconds from its first step to its end. */
  seconds: z.number().optional(),
  /** Resource counts by kind of change (`create`, `same`, …), if Pulumi Cloud reports them. */
  changes: z.record(z.string(), z.number()).optional(),
  /** Resources differ from the stack's state, if Pulumi Cloud reports it. */
  drift: z.boolean().optional(),
  /** Where `drift` is true, if Pulumi Cloud reports it. */
  driftRun: driftRunSchema.optional(),
  /** Its own run directory, relative to the run's. */
  directory: z.string().optional(),
});

export type OwnDeployment = z.infer<typeof ownDeploymentSchema>;

/** Whether resources differ from the state of their stack, and how; empty if unknown. */
export type DriftResult = Pick<OwnDeployment, 'drift' | 'driftRun'>;
