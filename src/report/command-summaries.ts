import { CHECK_SIGNS, countChecks, type DoctorReport } from '../record/doctor-report.ts';
import type { PlanReport } from '../record/plan-report.ts';
import { code, entryLink, escapeHtml, link, titledTable } from './markup.ts';
import { plainText } from './text.ts';

/** What doctor makes is a tenth of it; GitHub drops a summary over 1 MiB whole. */
const MAX_CHECKS = 50;
const MAX_DETAIL = 3_000;
const MAX_STACKS = 300;
const MAX_TEXT = 1_000;

/** What doctor found, as GitHub-flavoured Markdown. Text from outside is HTML-escaped. */
export function doctorSummary({ checks, outcome }: DoctorReport): string {
  const rows = checks.map(({ status, title, detail, code: errorCode }) => [
    `${CHECK_SIGNS[status]}&nbsp;${status}`,
    escapeHtml(plainText(title)),
    `${escapeHtml(plainText(detail, MAX_DETAIL))}${entryLink(errorCode)}`,
  ]);
  const failed = checks.some(({ status }) => status === 'failed');
  const end = failed ? ` A run would end as <code>${escapeHtml(outcome)}</code>.` : '';
  return `## ${failed ? 'Something is in the way of a run' : 'A run has all that it needs'}

<p>${escapeHtml(countChecks(checks))}${end} Nothing was claimed.</p>

${titledTable(['', 'Check', 'Finding'], rows, { maxRows: MAX_CHECKS, what: 'checks' })}
`;
}

/** What was planned, as GitHub-flavoured Markdown. Text from outside is HTML-escaped. */
export function planSummary({ message, code: errorCode, notices, started, failed }: PlanReport): string {
  const shown = (text: string) => escapeHtml(plainText(text, MAX_TEXT));
  const rows = [
    ...failed.map((each) => [shown(each.stack), `✘ ${shown(each.message)}${entryLink(each.code)}`]),
    ...started.map(({ stack, operation, deploymentId, consoleUrl, assumed }) => [
      shown(stack),
      `${shown(operation)}: ${link(code(deploymentId), consoleUrl)}${assumed === true ? ' (found; the answer was lost)' : ''}`,
    ]),
  ];
  const table = titledTable(['Stack', 'Started'], rows, { maxRows: MAX_STACKS, what: 'stacks' });
  const lines = [`${shown(message)}${entryLink(errorCode)}`, ...notices.map(shown)].map((line) => `<p>${line}</p>\n`);
  return `## Planned jobs\n\n${lines.join('\n')}${table === '' ? '' : `\n${table}\n`}`;
}
