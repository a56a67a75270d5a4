import { z } from 'zod';
import { code, outcome } from './outcome.ts';

/** The sign of each way a check ends: `unknown` is what could not be told, `skipped` what made no sense or needs a check that failed. */
export const CHECK_SIGNS = { passed: '✔', warning: '!', failed: '✘', unknown: '?', skipped: '–' } as const;
export type CheckStatus = keyof typeof CHECK_SIGNS;

/** One check of `doctor`. */
export const doctorCheckSchema = z.object({
  /** Stays the same from version to version: `dns`, `token-exchange`, `container` … */
  id: z.string(),
  title: z.string(),
  status: z.enum(Object.keys(CHECK_SIGNS) as [CheckStatus, ...CheckStatus[]]),
  /** One line: what was seen; of a failure the cause and what to do. */
  detail: z.string(),
  seconds: z.number(),
  /** Of a failure: the outcome that a run would have had. */
  outcome: outcome.optional(),
  /** Of a failure: names its entry in TROUBLESHOOTING.md. */
  code,
});
export type DoctorCheck = z.infer<typeof doctorCheckSchema>;

/** What `doctor --json` prints. Nothing in it is secret. */
export const doctorReportSchema = z.object({
  schema: z.literal(1),
  version: z.string(),
  /** `succeeded` when nothing failed, else that of the first failed check. */
  outcome,
  exitCode: z.number().int(),
  checks: z.array(doctorCheckSchema),
});
export type DoctorReport = z.infer<typeof doctorReportSchema>;

/** How the checks went, in one sentence: `14 checks: 11 passed, 1 failed, 2 skipped.` */
export function countChecks(checks: readonly DoctorCheck[]): string {
  const words: Readonly<Record<CheckStatus, string>> = {
    passed: 'passed',
    warning: 'with a warning',
    failed: 'failed',
    unknown: 'could not be told',
    skipped: 'skipped',
  };
  const said = Object.entries(words).flatMap(([status, word]) => {
    const count = checks.filter((check) => check.status === status).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  return `${checks.length} checks: ${said.join(', ')}.`;
}
