import { appendFile } from 'node:fs/promises';
import * as core from '@actions/core';
import { messageOf } from '../../outcome.ts';
import type { PlanReport } from '../../record/plan-report.ts';
import { plainText } from '../console-text.ts';
import { code, entryLink, escapeHtml, link, titledTable } from '../publish/markup.ts';

/** GitHub drops a summary over 1 MiB whole; these are far below. */
const MAX_ROWS = 300;
const MAX_TEXT = 1_000;

/** What was planned, as GitHub-flavoured Markdown. Whatever comes from outside is HTML-escaped. */
export function renderPlanSummary({ message, code: errorCode, notices, started, failed }: PlanReport): string {
  const shown = (text: string) => escapeHtml(plainText(text, MAX_TEXT));
  const rows = [
    ...failed.map((each) => [shown(each.stack), `✘ ${shown(each.message)}${entryLink(each.code)}`]),
    ...started.map(({ stack, operation, deploymentId, consoleUrl, assumed }) => [
      shown(stack),
      `${shown(operation)}: ${link(code(deploymentId), consoleUrl)}${assumed === true ? ' (found; the answer was lost)' : ''}`,
    ]),
  ];
  const table =
    rows.length === 0 ? '' : `\n${titledTable(['Stack', 'Started'], rows, { maxRows: MAX_ROWS, what: 'stacks' })}\n`;
  const lines = [`${shown(message)}${entryLink(errorCode)}`, ...notices.map(shown)].map((line) => `<p>${line}</p>\n`);
  return `## Planned jobs\n\n${lines.join('\n')}${table}`;
}

/** Writes the summary. Never throws: what stands in the way is a warning. */
export async function publishPlanSummary(
  { GITHUB_STEP_SUMMARY: file }: Readonly<Record<string, string | undefined>>,
  report: PlanReport,
): Promise<void> {
  try {
    if (!file) throw new Error('the runner offers no file for it');
    await appendFile(file, renderPlanSummary(report));
  } catch (error) {
    const cause = plainText(messageOf(error));
    core.warning(`Failed to write the summary for this step: ${cause}. The console has the same facts.`);
  }
}
