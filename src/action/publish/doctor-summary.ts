import { appendFile } from 'node:fs/promises';
import * as core from '@actions/core';
import { messageOf } from '../../outcome.ts';
import { CHECK_SIGNS, countChecks, type DoctorReport } from '../../record/doctor-report.ts';
import { plainText } from '../console-text.ts';
import { entryLink, escapeHtml, titledTable } from './markup.ts';

/** What doctor makes is a tenth of it; GitHub drops a summary over 1 MiB whole. */
const MAX_ROWS = 50;
const MAX_DETAIL = 3_000;

/** What doctor found, as GitHub-flavoured Markdown. Whatever comes from outside is HTML-escaped. */
export function renderDoctorSummary({ checks, outcome }: DoctorReport): string {
  const rows = checks.map(({ status, title, detail, code }) => [
    `${CHECK_SIGNS[status]}&nbsp;${status}`,
    escapeHtml(plainText(title)),
    `${escapeHtml(plainText(detail, MAX_DETAIL))}${entryLink(code)}`,
  ]);
  const failed = checks.some(({ status }) => status === 'failed');
  const end = failed ? ` A run would end as <code>${escapeHtml(outcome)}</code>.` : '';
  return `## ${failed ? 'Something is in the way of a run' : 'A run has all that it needs'}

<p>${escapeHtml(countChecks(checks))}${end} Nothing was claimed.</p>

${titledTable(['', 'Check', 'Finding'], rows, { maxRows: MAX_ROWS, what: 'checks' })}
`;
}

/** Writes the summary. Never throws: what stands in the way is a warning. */
export async function publishDoctorSummary(
  { GITHUB_STEP_SUMMARY: file }: Readonly<Record<string, string | undefined>>,
  report: DoctorReport,
): Promise<void> {
  try {
    if (!file) throw new Error('the runner offers no file for it');
    await appendFile(file, renderDoctorSummary(report));
  } catch (error) {
    const cause = plainText(messageOf(error));
    core.warning(`Failed to write the summary for this step: ${cause}. The console has the same facts.`);
  }
}
