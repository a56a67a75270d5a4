import { join } from 'node:path';
import { ganttOf } from './gantt.ts';
import { lastLines } from './growing-lines.ts';
import {
  code,
  deploymentText,
  escapeHtml,
  link,
  list,
  messageText,
  namesText,
  stepTable,
  TITLES,
  table,
} from './markup.ts';
import { receiptBlock } from './receipt.ts';
import type { RunReport, StepReport } from './report.ts';
import { type ResourceChanges, resourceChanges } from './resource-changes.ts';
import { duration, lineCount, outputLine } from './text.ts';
import { timelineOf } from './timeline.ts';

/** Lines of a failed step. */
const TAIL_LINES = 20;
const MAX_TAIL_LINE = 500;
const MAX_ROWS = 100;
const MAX_NOTICES = 20;

export interface SummarySource {
  readonly report: RunReport;
  readonly artifact?: { readonly name: string; readonly url: string } | undefined;
  /** The end of the failed step's log. */
  readonly tail: readonly string[];
  /** What the steps' output says about resources. */
  readonly changes?: readonly ResourceChanges[];
}

/** The summary of a run, with what its directory has to say. Throws what node:fs throws. */
export async function runSummary(
  source: Pick<SummarySource, 'report' | 'artifact'> & { readonly runDirectory: string },
): Promise<string> {
  const { report, artifact, runDirectory } = source;
  const log = failedStep(report)?.log;
  const tail = log === undefined ? [] : await lastLines(join(runDirectory, log), TAIL_LINES);
  return renderSummary({ report, artifact, tail, changes: await resourceChanges(runDirectory, report.steps) });
}

/**
 * The summary as GitHub-flavoured Markdown. Whatever comes from outside is HTML-escaped and stands on one line of an HTML
 * block, where Markdown isn't read, or is a label of the chart, of harmless characters alone. Never over 1 MiB.
 */
export function renderSummary({ report, artifact, tail, changes = [] }: SummarySource): string {
  const timeline = timelineOf(report);
  const parts = [
    `## ${TITLES[report.outcome]}`,
    messageText(report),
    links(report, artifact),
    timeline === undefined ? '' : ganttOf(timeline),
    stepTable(report.steps, changes, { maxRows: MAX_ROWS }),
    tailBlock(failedStep(report), tail),
    list(report.notices, MAX_NOTICES),
    receiptBlock(report),
    facts(report),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Where to look further: the deployment in Pulumi Cloud, the logs. */
function links(report: RunReport, artifact: SummarySource['artifact']): string {
  const deployment = report.deploymentId === undefined ? [] : [deploymentText(report)];
  const logs = artifact === undefined ? [] : [`Logs and report ${link(code(artifact.name), artifact.url)}`];
  const parts = [...deployment, ...logs];
  return parts.length === 0 ? '' : `<p>${parts.join('<br>')}</p>`;
}

function facts(report: RunReport): string {
  const images = [report.image, report.imageDigest].filter((name) => name !== undefined);
  const rows: [string, string][] = [];
  if (report.waitSeconds !== undefined) rows.push(['Waited', duration(report.waitSeconds)]);
  if (report.runSeconds !== undefined && report.deploymentId !== undefined)
    rows.push(['Ran', duration(report.runSeconds)]);
  if (images.length > 0) rows.push(['Image', images.map((name) => code(name, 500)).join('<br>')]);
  if (report.forwarded.length > 0) rows.push(['Forwarded variables (names only)', namesText(report.forwarded)]);
  if (report.runId !== undefined) rows.push(['Workflow run', code(report.runId)]);
  if (report.reported === false) rows.push(['Reported to Pulumi Cloud', 'no']);
  if (report.jobId !== undefined) rows.push(['Job', code(report.jobId)]);
  return table(rows.map(([name, value]) => [`<b>${name}</b>`, value]));
}

function failedStep(report: RunReport): StepReport | undefined {
  return report.steps.find((step) => step.status === 'failed');
}

function tailBlock(step: StepReport | undefined, tail: readonly string[]): string {
  if (step === undefined || tail.length === 0) return '';
  const lines = tail.slice(-TAIL_LINES).map((line) => escapeHtml(outputLine(line).slice(0, MAX_TAIL_LINE)));
  const title = `The end of ${code(step.name)}: ${lineCount(lines.length)}`;
  return `<details open><summary>${title}</summary><pre>${lines.join('&#10;')}</pre></details>`;
}
