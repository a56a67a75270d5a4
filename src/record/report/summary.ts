import { join } from 'node:path';
import { plainText, shortLine } from '../../base/log/plain-text.ts';
import { counted, duration } from '../../base/quantity.ts';
import { NAMED_RESOURCES } from '../changed-resources.ts';
import { CHECK_SIGNS, countChecks, type DoctorReport } from '../doctor-report.ts';
import { lastLines } from '../growing-lines.ts';
import type { PlanReport } from '../plan-report.ts';
import { ganttOf } from './gantt.ts';
import { deploymentTable, glanceMarkup, glanceOf, isForeign } from './glance.ts';
import {
  code,
  deploymentText,
  entryLink,
  escapeHtml,
  link,
  list,
  messageText,
  namesText,
  stepTable,
  table,
  titledTable,
} from './markup.ts';
import { receiptBlock } from './receipt.ts';
import type { JobReport, RunReport } from './report.ts';
import { type ResourceChanges, resourceChanges } from './resource-changes.ts';
import { lockLines, resourceBlocks, statedBeside } from './resource-list.ts';
import { timelineOf } from './timeline.ts';

/** Last lines of a failed step that are shown. */
const TAIL_LINES = 20;
const MAX_TAIL_LINE = 500;

/** Failed steps whose last lines are shown. */
const MAX_TAILS = 3;
const MAX_ROWS = 100;
const MAX_NOTICES = 20;

/** GitHub drops a summary over 1 MiB; the doctor's needs a tenth of that. */
const MAX_CHECKS = 50;
const MAX_DETAIL = 3_000;
const MAX_STACKS = 300;
const MAX_TEXT = 1_000;

export interface StepTail {
  /** The step's name, with its stack if there are several: plain text. */
  readonly step: string;
  readonly lines: readonly string[];
}

/** A run as its summary and the comment on it show it. */
export interface ShownRun {
  readonly report: RunReport;
  readonly artifact?: { readonly name: string; readonly url: string } | undefined;
  /** Address of TROUBLESHOOTING.md, if known. */
  readonly troubleshooting?: string | undefined;
  /** False where Mermaid's charts would show as text. A comment has none. */
  readonly mermaid?: boolean;
}

/**
 * The summary of a run, with the last lines and resource changes from its directory. Throws what
 * node:fs throws.
 */
export async function runSummary(source: ShownRun & { readonly runDirectory: string }): Promise<string> {
  const { report, runDirectory } = source;
  const tails = await tailsOf(report, runDirectory);

  return renderSummary({ ...source, tails, changes: await resourceChanges(runDirectory, report.steps) });
}

/** The last lines of the first steps that failed in jobs of the run's own. Throws what node:fs throws. */
export async function tailsOf(report: RunReport, runDirectory: string): Promise<StepTail[]> {
  const jobs: readonly JobReport[] = report.jobs?.filter((job) => !isForeign(job)) ?? [
    { directory: '', report },
  ];
  const tails: StepTail[] = [];

  for (const job of jobs) {
    const { name, log, reason } = job.report.steps.find(({ status }) => status === 'failed') ?? {};
    if (log === undefined || tails.length === MAX_TAILS) continue;
    const stack = report.jobs === undefined ? '' : ` of ${job.report.deployments?.[0]?.stack}`;
    const lines = await lastLines(join(runDirectory, job.directory, log), TAIL_LINES);
    // The message above has it already.
    if (lines.length === 1 && lines[0] === reason) continue;
    tails.push({ step: `${name}${stack}`, lines });
  }

  return tails;
}

/**
 * The summary as GitHub-flavoured Markdown: what a reader wants first is open, the rest folded.
 * Untrusted text is HTML-escaped on one line of an HTML block, where Markdown isn't parsed, or is a
 * chart label of harmless characters. Never over 1 MiB.
 */
export function renderSummary({
  report,
  artifact,
  tails,
  changes = [],
  troubleshooting,
  mermaid = true,
}: ShownRun & {
  readonly tails: readonly StepTail[];
  readonly changes?: readonly ResourceChanges[];
}): string {
  const timeline = mermaid ? timelineOf(report) : undefined;
  const parts = [
    `<h2>${glanceMarkup(glanceOf(report, changes))}</h2>`,
    messageText(report, troubleshooting),
    ...lockLines(report, MAX_ROWS),
    deploymentTable(report, MAX_ROWS),
    ...resourceBlocks(report, NAMED_RESOURCES),
    ...tails.map(tailBlock),
    stepTable(report.steps, statedBeside(report, changes), MAX_ROWS),
    list(report.notices, MAX_NOTICES),
    artifact === undefined ? '' : `<p>Logs and report: ${link(code(artifact.name), artifact.url)}</p>`,
    report.traceId === undefined ? '' : `<p>Trace: ${code(report.traceId)}</p>`,
    ...(timeline === undefined
      ? []
      : ['<details><summary>Timeline</summary>', ganttOf(timeline), '</details>']),
    receiptBlock(report),
    facts(report),
  ];

  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function facts(report: RunReport): string {
  // With several jobs, each job's report has its own.
  if (report.jobs !== undefined) return '';

  const { deploymentId, runId, jobId } = report;
  const images = [report.image, report.imageDigest].filter((name) => name !== undefined);
  const rows: [string, string][] = [];

  if (report.waitSeconds !== undefined) rows.push(['Waited', duration(report.waitSeconds)]);
  if (report.runSeconds !== undefined && deploymentId !== undefined)
    rows.push(['Ran', duration(report.runSeconds)]);
  if (images.length > 0) rows.push(['Image', images.map((name) => code(name, 500)).join('<br>')]);

  const { runtime, engine = [] } = report.confinement ?? {};
  const confined = [...(runtime === undefined ? [] : [runtime]), ...engine];

  if (confined.length > 0) rows.push(['Confined by', namesText(confined)]);
  if (report.forwarded.length > 0)
    rows.push(['Forwarded variables (names only)', namesText(report.forwarded)]);
  if (runId !== undefined) rows.push(['Workflow run', code(runId)]);
  if (report.reported === false) rows.push(['Reported to Pulumi Cloud', 'no']);
  if (jobId !== undefined) rows.push(['Job', code(jobId)]);

  const deployment = deploymentId === undefined ? '' : `<p>${deploymentText(report)}</p>`;
  const figures = table(rows.map(([name, value]) => [`<b>${name}</b>`, value]));
  if (deployment === '' && figures === '') return '';

  return `<details><summary>Deployment, image and IDs</summary>${deployment}${figures}</details>`;
}

/** The last lines of a failed step as HTML on one line, the first block unfolded; empty without lines. */
export function tailBlock({ step, lines: tail }: StepTail, index: number): string {
  if (tail.length === 0) return '';
  const lines = tail.slice(-TAIL_LINES).map((line) => escapeHtml(shortLine(line, MAX_TAIL_LINE)));
  const title = `The end of ${code(step)}: ${counted(lines.length, 'line')}`;
  return `<details${index === 0 ? ' open' : ''}><summary>${title}</summary><pre>${lines.join('&#10;')}</pre></details>`;
}

/** The doctor's findings as GitHub-flavoured Markdown. Untrusted text is HTML-escaped. */
export function doctorSummary(
  { checks, outcome }: DoctorReport,
  troubleshooting: string | undefined,
): string {
  const rows = checks.map(({ status, title, detail, code: errorCode }) => [
    `${CHECK_SIGNS[status]}&nbsp;${status}`,
    escapeHtml(plainText(title)),
    `${escapeHtml(plainText(detail, MAX_DETAIL))}${entryLink(errorCode, troubleshooting)}`,
  ]);

  const failed = checks.some(({ status }) => status === 'failed');
  const end = failed ? ` A run would end as <code>${escapeHtml(outcome)}</code>.` : '';

  return `## ${failed ? 'A run would fail' : 'A run has everything that it needs'}

<p>${escapeHtml(countChecks(checks))}${end} Nothing was claimed.</p>

${titledTable(['', 'Check', 'Finding'], rows, { maxRows: MAX_CHECKS, what: 'checks' })}
`;
}

/** The plan as GitHub-flavoured Markdown. Untrusted text is HTML-escaped. */
export function planSummary(report: PlanReport, troubleshooting: string | undefined): string {
  const { message, code: errorCode, notices, started, failed } = report;
  const shown = (text: string) => escapeHtml(plainText(text, MAX_TEXT));

  const rows = [
    ...failed.map((each) => [
      shown(each.stack),
      `✘ ${shown(each.message)}${entryLink(each.code, troubleshooting)}`,
    ]),
    ...started.map(({ stack, operation, deploymentId, consoleUrl, assumed }) => [
      shown(stack),
      `${shown(operation)}: ${link(code(deploymentId), consoleUrl)}${assumed === true ? ' (found; the answer was lost)' : ''}`,
    ]),
  ];

  const stacks = titledTable(['Stack', 'Started'], rows, { maxRows: MAX_STACKS, what: 'stacks' });
  const sentences = [`${shown(message)}${entryLink(errorCode, troubleshooting)}`, ...notices.map(shown)];
  const lines = sentences.map((sentence) => `<p>${sentence}</p>\n`);

  return `## Planned jobs\n\n${lines.join('\n')}${stacks === '' ? '' : `\n${stacks}\n`}`;
}
