import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TAIL_LINES } from '../console.ts';
import { plainText, uncolouredLine } from '../console-text.ts';
import { lastLines } from '../growing-lines.ts';
import { duration, lineCount } from '../quantity-text.ts';
import type { RunReport, StepReport } from '../report.ts';
import { timelineOf } from '../timeline.ts';
import type { UploadedArtifact } from './artifact.ts';
import { ganttOf } from './gantt.ts';
import { code, deploymentText, entryLink, escapeHtml, link, table } from './markup.ts';
import { receiptBlock } from './receipt.ts';
import { type ResourceChanges, resourceChanges } from './resource-changes.ts';
import { stepTable } from './step-table.ts';
import { TITLES } from './titles.ts';

/** GitHub drops a summary over 1 MiB whole; other steps of the job have their own. */
export const MAX_SUMMARY_BYTES = 1024 * 1024;
const MAX_MESSAGE_LINES = 50;
const MAX_ROWS = 100;
const MAX_NAMES = 100;
const MAX_NOTICES = 20;
const MAX_TAIL_LINE = 500;

export interface SummarySource {
  readonly report: RunReport;
  readonly artifact?: UploadedArtifact;
  /** The end of the failed step's log. */
  readonly tail: readonly string[];
  /** What the steps' output says about resources. */
  readonly changes?: readonly ResourceChanges[];
}

export interface SummaryFile {
  /** GitHub's file for this step, GITHUB_STEP_SUMMARY. */
  readonly file: string;
  readonly report: RunReport;
  readonly runDirectory: string;
  readonly artifact?: UploadedArtifact | undefined;
}

/** Writes the step's summary. Throws what node:fs throws. */
export async function writeSummary({ file, report, runDirectory, artifact }: SummaryFile): Promise<void> {
  const log = failedStep(report)?.log;
  const tail = log === undefined ? [] : await lastLines(join(runDirectory, log), TAIL_LINES);
  const changes = await resourceChanges(runDirectory, report.steps);
  await appendFile(file, renderSummary({ report, tail, changes, ...(artifact !== undefined && { artifact }) }));
}

/**
 * The summary as GitHub-flavoured Markdown. Whatever comes from outside is HTML-escaped and stands on one line of an HTML
 * block, where Markdown isn't read, or is a label of the chart, of harmless characters alone. Never over 1 MiB.
 */
export function renderSummary({ report, artifact, tail, changes = [] }: SummarySource): string {
  const timeline = timelineOf(report);
  const parts = [
    `## ${TITLES[report.outcome]}`,
    message(report),
    links(report, artifact),
    timeline === undefined ? '' : ganttOf(timeline),
    stepTable(report.steps, changes, { maxRows: MAX_ROWS }),
    tailBlock(failedStep(report), tail),
    notices(report.notices),
    receiptBlock(report),
    facts(report),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function message({ message: text, code: errorCode }: RunReport): string {
  const lines = text.split('\n').slice(0, MAX_MESSAGE_LINES);
  return `<p>${lines.map((line) => escapeHtml(plainText(line))).join('<br>')}${entryLink(errorCode)}</p>`;
}

/** Where to look further: the deployment in Pulumi Cloud, the logs. */
function links({ deploymentId, ...pages }: RunReport, artifact: UploadedArtifact | undefined): string {
  const parts: string[] = [];
  if (deploymentId !== undefined) parts.push(deploymentText({ deploymentId, ...pages }));
  if (artifact !== undefined) parts.push(`Logs and report ${link(code(artifact.name), artifact.url)}`);
  return parts.length === 0 ? '' : `<p>${parts.join('<br>')}</p>`;
}

function facts(report: RunReport): string {
  const images = [report.image, report.imageDigest].filter((name) => name !== undefined);
  const rows: [string, string][] = [];
  if (report.waitSeconds !== undefined) rows.push(['Waited', duration(report.waitSeconds)]);
  if (report.runSeconds !== undefined && report.deploymentId !== undefined)
    rows.push(['Ran', duration(report.runSeconds)]);
  if (images.length > 0) rows.push(['Image', images.map((name) => code(name, 500)).join('<br>')]);
  if (report.forwarded.length > 0) rows.push(['Forwarded variables (names only)', names(report.forwarded)]);
  if (report.runId !== undefined) rows.push(['Workflow run', code(report.runId)]);
  if (report.reported === false) rows.push(['Reported to Pulumi Cloud', 'no']);
  if (report.jobId !== undefined) rows.push(['Job', code(report.jobId)]);
  return table(rows.map(([name, value]) => [`<b>${name}</b>`, value]));
}

function names(all: readonly string[]): string {
  const more = all.length > MAX_NAMES ? ` and ${all.length - MAX_NAMES} more` : '';
  return `${all
    .slice(0, MAX_NAMES)
    .map((name) => code(name))
    .join(' ')}${more}`;
}

function failedStep(report: RunReport): StepReport | undefined {
  return report.steps.find((step) => step.status === 'failed');
}

function tailBlock(step: StepReport | undefined, tail: readonly string[]): string {
  if (step === undefined || tail.length === 0) return '';
  const lines = tail.slice(-TAIL_LINES).map((line) => escapeHtml(uncolouredLine(line).slice(0, MAX_TAIL_LINE)));
  const title = `The end of ${code(step.name)}: ${lineCount(lines.length)}`;
  return `<details open><summary>${title}</summary><pre>${lines.join('&#10;')}</pre></details>`;
}

function notices(all: readonly string[]): string {
  if (all.length === 0) return '';
  const items = all.slice(0, MAX_NOTICES).map((notice) => `<li>${escapeHtml(plainText(notice))}</li>`);
  return `<ul>${items.join('')}</ul>`;
}
