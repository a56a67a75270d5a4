import { z } from 'zod';
import { codeSchema, outcomeSchema } from './deployment.ts';

/**
 * The sign of each check status. `unknown`: undetermined; `skipped`: not applicable, or depends on
 * a failed check.
 */
export const CHECK_SIGNS = { passed: '✔', warning: '!', failed: '✘', unknown: '?', skipped: '–' } as const;
export type CheckStatus = keyof typeof CHECK_SIGNS;

const doctorCheckSchema = z.object({
  /** Stable across versions: `dns`, `token-exchange`, `container` … */
  id: z.string(),
  title: z.string(),
  status: z.enum(Object.keys(CHECK_SIGNS) as [CheckStatus, ...CheckStatus[]]),
  /** One line: the finding; for a failure, its cause and what to do. */
  detail: z.string(),
  seconds: z.number(),
  /** For a failure: the outcome that a run would have. */
  outcome: outcomeSchema.optional(),
  /** For a failure: its entry in TROUBLESHOOTING.md. */
  code: codeSchema,
});

export type DoctorCheck = z.infer<typeof doctorCheckSchema>;

/** The output of `doctor --json`. Contains no secrets. */
export const doctorReportSchema = z.object({
  schema: z.literal(1),
  version: z.string(),
  /** The outcome of the first failed check; `succeeded` if there is none. */
  outcome: outcomeSchema,
  exitCode: z.number().int(),
  checks: z.array(doctorCheckSchema),
});

export type DoctorReport = z.infer<typeof doctorReportSchema>;

/** Summarizes the checks in one sentence: `14 checks: 11 passed, 1 failed, 2 skipped.` */
export function countChecks(checks: readonly DoctorCheck[]): string {
  const parts = Object.keys(CHECK_SIGNS).flatMap((status) => {
    const count = checks.filter((check) => check.status === status).length;
    return count === 0 ? [] : [`${count} ${status === 'warning' ? 'with a warning' : status}`];
  });
  return `${checks.length} checks: ${parts.join(', ')}.`;
}
