import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Outcome } from '../../outcome.ts';
import { TAIL_LINES } from '../console.ts';
import { plainText, uncolouredLine } from '../console-text.ts';
import { lastLines } from '../growing-lines.ts';
import { duration, lineCount } from '../quantity-text.ts';
import type { RunReport, StepReport } from '../report.ts';
import type { UploadedArtifact } from './artifact.ts';

/** GitHub drops a summary over 1 MiB whole; other steps of the job have their own. */
export const MAX_SUMMARY_BYTES = 1024 * 1024;
const MAX_MESSAGE_LINES = 50;
const MAX_ROWS = 100;
const MAX_NAMES = 100;
const MAX_NOTICES = 20;
const MAX_TAIL_LINE = 500;

const TITLES: Readonly<Record<Outcome, string>> = {
  succeeded: 'Pulumi workflow succeeded',
  'no-work': 'No Pulumi workflow was queued',
  failed: 'Pulumi workflow failed',
  'config-error': 'The configuration cannot be used',
  'auth-error': 'Pulumi Cloud refused the credentials',
  'cloud-unreachable': 'Pulumi Cloud could not be reached',
  'target-error': 'The job could not be run here',
  cancelled: 'Pulumi workflow was cancelled in Pulumi Cloud',
  interrupted: 'Pulumi workflow was interrupted by the CI job',
  'lease-lost': 'Pulumi workflow was stopped: no heartbeat was accepted',
};

export interface SummarySource {
  readonly report: RunReport;
  readonly artifact?: UploadedArtifact;
  /** The end of the failed step's log. */
  readonly tail: readonly string[];
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
  await appendFile(file, renderSummary({ report, tail, ...(artifact !== undefined && { artifact }) }));
}

/**
 * The summary as GitHub-flavoured Markdown. Whatever comes from outside is HTML-escaped and stands on one line, in
 * `<code>` or `<pre>`, where GitHub reads neither Markdown nor mentions. Never over 1 MiB.
 */
export function renderSummary({ report, artifact, tail }: SummarySource): string {
  const parts = [
    `## ${TITLES[report.outcome]}`,
    message(report.message),
    facts(report, artifact),
    stepTable(report.steps),
    tailBlock(failedStep(report), tail),
    notices(report.notices),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** `text` as HTML: one line, nothing in it is markup, for a browser or for Markdown. */
export function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.toWellFormed().replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

function message(value: string): string {
  const lines = value.split('\n').slice(0, MAX_MESSAGE_LINES);
  return `<p>${lines.map((line) => escapeHtml(plainText(line))).join('<br>')}</p>`;
}

function code(value: string, maxLength = 200): string {
  return `<code>${escapeHtml(plainText(value, maxLength))}</code>`;
}

function facts(report: RunReport, artifact: UploadedArtifact | undefined): string {
  const images = [report.image, report.imageDigest].filter((name) => name !== undefined);
  const rows: [string, string][] = [];
  if (report.deploymentId !== undefined) rows.push(['Deployment', link(report.deploymentId, report.consoleUrl)]);
  if (report.jobId !== undefined) rows.push(['Job', code(report.jobId)]);
  if (images.length > 0) rows.push(['Image', images.map((name) => code(name, 500)).join('<br>')]);
  if (report.waitSeconds !== undefined) rows.push(['Waited', duration(report.waitSeconds)]);
  if (report.runSeconds !== undefined) rows.push(['Ran', duration(report.runSeconds)]);
  if (report.forwarded.length > 0) rows.push(['Forwarded variables', names(report.forwarded)]);
  if (artifact !== undefined) rows.push(['Logs', link(artifact.name, artifact.url)]);
  return table(rows.map(([name, value]) => [`<b>${name}</b>`, value]));
}

function names(all: readonly string[]): string {
  const more = all.length > MAX_NAMES ? ` and ${all.length - MAX_NAMES} more` : '';
  return `${all
    .slice(0, MAX_NAMES)
    .map((name) => code(name))
    .join(' ')}${more}`;
}

/** A link for an address that is https or http, else the text alone. */
function link(label: string, address: string | undefined): string {
  if (address === undefined || address.length > 2_000 || !/^https?:\/\/[^\s\p{Cc}]+$/u.test(address))
    return code(label);
  return `<a href="${escapeHtml(address)}">${code(label)}</a>`;
}

function stepTable(steps: readonly StepReport[]): string {
  if (steps.length === 0) return '';
  const reasons = steps.some(({ reason }) => reason !== undefined) ? ['Reason'] : [];
  const header = ['Step', 'Status', 'Duration', 'Lines', 'Exit code', ...reasons].map((title) => `<b>${title}</b>`);
  const rows = steps
    .slice(0, MAX_ROWS)
    .map((step) => [
      `${step.index} ${code(step.name)}`,
      step.status,
      step.seconds === undefined ? '' : duration(step.seconds),
      step.lines === undefined ? '' : String(step.lines),
      step.exitCode === undefined ? '' : String(step.exitCode),
      ...reasons.map(() => escapeHtml(plainText(step.reason ?? '', 300))),
    ]);
  const more = steps.length > MAX_ROWS ? [[`… and ${steps.length - MAX_ROWS} more steps`]] : [];
  return table([header, ...rows, ...more]);
}

/** One line, so that no blank line can end the HTML block. */
function table(rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const cells = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  return `<table>${cells.join('')}</table>`;
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
