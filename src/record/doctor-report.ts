import { z } from 'zod';
import { code, outcome } from './outcome.ts';

/** How a check ended: `unknown` is what could not be told, `skipped` what made no sense or needs a check that failed. */
export const CHECK_STATUSES = ['passed', 'warning', 'failed', 'unknown', 'skipped'] as const;
export type CheckStatus = (typeof CHECK_STATUSES)[number];

/** One check of `doctor`. */
export const doctorCheckSchema = z.object({
  /** Stays the same from version to version: `dns`, `token-exchange`, `container` … */
  id: z.string(),
  title: z.string(),
  status: z.enum(CHECK_STATUSES),
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

/** The sign of each status in a table. */
export const CHECK_SIGNS: Readonly<Record<CheckStatus, string>> = {
  passed: '✔',
  warning: '!',
  failed: '✘',
  unknown: '?',
  skipped: '–',
};

/** How the checks went, in one sentence: `14 checks: 11 passed, 1 failed, 2 skipped.` */
export function countChecks(checks: readonly DoctorCheck[]): string {
  const words: Readonly<Record<CheckStatus, string>> = {
    passed: 'passed',
    warning: 'with a warning',
    failed: 'failed',
    unknown: 'could not be told',
    skipped: 'skipped',
  };
  const counts = CHECK_STATUSES.map((status) => [checks.filter((check) => check.status === status).length, status]);
  const said = counts
    .filter(([count]) => count !== 0)
    .map(([count, status]) => `${count} ${words[status as CheckStatus]}`);
  return `${checks.length} checks: ${said.join(', ')}.`;
}
