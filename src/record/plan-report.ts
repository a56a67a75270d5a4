import { z } from 'zod';
import { codeSchema, outcomeSchema, startedDeploymentSchema } from './deployment.ts';

const failedStartSchema = z.object({
  stack: z.string(),
  outcome: outcomeSchema,
  code: codeSchema,
  message: z.string(),
});
export type FailedStart = z.infer<typeof failedStartSchema>;

/** The output of `trigger --json`. Contains no secrets. */
export const triggerReportSchema = z.object({
  schema: z.literal(1),
  version: z.string(),
  outcome: outcomeSchema,
  code: codeSchema,
  exitCode: z.number().int(),
  /** The sentence for the user. */
  message: z.string(),
  started: z.array(startedDeploymentSchema),
  failed: z.array(failedStartSchema),
});

export type TriggerReport = z.infer<typeof triggerReportSchema>;

/** The output of `plan`: the same, plus the number of jobs that there is work for. */
export const planReportSchema = triggerReportSchema.extend({
  /** Deployments waiting for the pool. */
  queued: z.number().int(),
  /** CI jobs to start for them. */
  count: z.number().int(),
  /** For GitHub's `strategy.matrix`: an entry for each job. */
  matrix: z.object({ include: z.array(z.object({ index: z.number().int() })) }),
  /** Sentences that explain the numbers. */
  notices: z.array(z.string()),
});

export type PlanReport = z.infer<typeof planReportSchema>;
