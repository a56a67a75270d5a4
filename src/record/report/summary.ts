import { plainText } from '../../base/log/plain-text.ts';
import { NAMED_RESOURCES } from '../changed-resources.ts';
import { CHECK_SIGNS, countChecks, type DoctorReport } from '../doctor-report.ts';
import type { PlanReport } from '../plan-report.ts';
import {
  deploymentTable,
  detailTable,
  headlineBlock,
  lockBlocks,
  messageBlock,
  resourceBlocks,
  stepTable,
  tailBlock,
  workText,
} from './blocks.ts';
import { type Details, factsOf, type StepTail, tailsOf } from './facts.ts';
import { ganttOf } from './gantt.ts';
import { code, entryLink, escapeHtml, link, list, titledTable } from './markup.ts';
import { MARKDOWN } from './medium.ts';
import { receiptBlock, receiptOf } from './receipt.ts';
import type { RunReport } from './report.ts';
import { timelineOf } from './timeline.ts';

const MAX_ROWS = 100;
const MAX_NOTICES = 20;

/** GitHub drops a summary over 1 MiB; the doctor's needs a tenth of that. */
const MAX_CHECKS = 50;
const MAX_DETAIL = 3_000;
const MAX_STACKS = 300;
const MAX_TEXT = 1_000;

/** A run as its summary and the comment on it show it. */
export interface ShownRun {
  readonly report: RunReport;
  readonly artifact?: { readonly name: string; readonly url: string } | undefined;
  /** Address of TROUBLESHOOTING.md, if known. */
  readonly troubleshooting?: string | undefined;
  /** False where Mermaid's charts would show as text. A comment has none. */
  readonly mermaid?: boolean | undefined;
}

/**
 * The summary of a run, with the last lines of failed steps from its directory. Throws what node:fs
 * throws.
 */
export async function runSummary(source: ShownRun & { readonly runDirectory: string }): Promise<string> {
  return renderSummary({ ...source, tails: await tailsOf(source.report, source.runDirectory) });
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
  troubleshooting,
  mermaid = true,
}: ShownRun & { readonly tails: readonly StepTail[] }): string {
  const facts = factsOf(report);
  const timeline = mermaid ? timelineOf(report) : undefined;
  // A single bar says no more than the headline.
  const isTelling = timeline !== undefined && timeline.bars.length > 1;
  const parts = [
    `<h2>${headlineBlock(facts.headline)}</h2>`,
    messageBlock(report, troubleshooting),
    ...lockBlocks(facts.locks, MAX_ROWS, MARKDOWN),
    deploymentTable(facts.deployments, MAX_ROWS, MARKDOWN),
    ...resourceBlocks(facts.resources, NAMED_RESOURCES, MARKDOWN),
    ...tails.map(tailBlock),
    stepTable(facts.steps, facts.statements, MAX_ROWS),
    list(report.notices, MAX_NOTICES),
    artifactLine(artifact),
    report.traceId === undefined ? '' : `<p>Trace: ${code(report.traceId)}</p>`,
    ...(isTelling ? ['<details><summary>Timeline</summary>', ganttOf(timeline), '</details>'] : []),
    receiptBlock(receiptOf(report), MARKDOWN),
    detailsBlock(facts.details),
  ];

  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** A link to the run's artifact; empty without one. */
export function artifactLine(artifact: ShownRun['artifact']): string {
  return artifact === undefined ? '' : `<p>Logs and report: ${link(code(artifact.name), artifact.url)}</p>`;
}

function detailsBlock(details: Details): string {
  // With several jobs, each job's report has its own.
  if (details.isOfSeveral) return '';

  const work = details.deployment === undefined ? '' : `<p>${workText(details.deployment)}</p>`;
  const figures = detailTable(details);
  if (work === '' && figures === '') return '';

  return `<details><summary>Deployment, image and IDs</summary>${work}${figures}</details>`;
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

${titledTable(['', 'Check', 'Finding'], rows, { maxRows: MAX_CHECKS, noun: 'checks' })}
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

  const stacks = titledTable(['Stack', 'Started'], rows, { maxRows: MAX_STACKS, noun: 'stacks' });
  const sentences = [`${shown(message)}${entryLink(errorCode, troubleshooting)}`, ...notices.map(shown)];
  const lines = sentences.map((sentence) => `<p>${sentence}</p>\n`);

  return `## Planned jobs\n\n${lines.join('\n')}${stacks === '' ? '' : `\n${stacks}\n`}`;
}
