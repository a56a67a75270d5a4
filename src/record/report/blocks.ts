import { plainText, shortLine } from '../../base/log/plain-text.ts';
import { counted, duration } from '../../base/quantity.ts';
import { kindText } from '../../base/stack.ts';
import type { ChangedResource, ChangedResources } from '../changed-resources.ts';
import type { ResourceStatement } from '../output/statement.ts';
import { driftedText } from './change-text.ts';
import {
  type DeploymentFact,
  type Details,
  type Headline,
  type LockFact,
  type ResourcesFact,
  type StepTail,
  TAIL_LINES,
  type WorkFact,
} from './facts.ts';
import { code, entryLink, escapeHtml, link, namesText, pairTable, titledTable } from './markup.ts';
import { MARKDOWN, type Medium, type Sign, signOf } from './medium.ts';
import type { RunReport, StepReport } from './report.ts';

/*
 * Facts as HTML, each on one line: GitHub's Markdown takes such blocks as the page does.
 */

const MAX_NAME = 200;
const MAX_TEXT = 300;

/** Characters of the sentences about a lock. */
const MAX_LOCK = 1_000;

/** Steps that are named in the line of those that succeeded. */
const MAX_QUIET = 50;

const MAX_TAIL_LINE = 500;

const MAX_IMAGE = 500;

/** Bytes of all rows of resources: a summary must have room for the rest. */
const MAX_BYTES = 128 * 1024;

const MARKS: Readonly<Record<ChangedResource['operation'], string>> = {
  replace: '±',
  delete: '−',
  create: '+',
  update: '~',
  import: '=',
};

const DONE: Readonly<Record<ChangedResource['operation'], string>> = {
  replace: 'replaced',
  delete: 'deleted',
  create: 'created',
  update: 'updated',
  import: 'imported',
};

const STEP_STATUS: Readonly<Record<StepReport['status'], readonly [Sign, words: string]>> = {
  'not-started': ['not-started', 'not started'],
  // Of a report: it was running when the agent died.
  running: ['running', 'was running'],
  succeeded: ['success', 'succeeded'],
  failed: ['failure', 'failed'],
};

/** The sign and the words for how a step ended. */
export function stepStatus(status: StepReport['status'], { signs }: Medium): [sign: string, words: string] {
  const [sign, words] = STEP_STATUS[status];
  return [signs[sign], words];
}

/** The headline on one line. A comment wants its texts as code. */
export function headlineBlock(
  { outcome, subject, address, facts }: Headline,
  markup = (text: string) => escapeHtml(plainText(text, MAX_NAME)),
): string {
  const first = `${MARKDOWN.signs[signOf(outcome)]} ${link(markup(subject), address)}`;
  return [first, ...facts.map((fact) => markup(fact))].join(' · ');
}

/**
 * A run's message with its line breaks, linked to the error's entry on `page`. A comment wants its lines as
 * code.
 */
export function messageBlock(
  { message, code: errorCode }: RunReport,
  page: string | undefined,
  { maxLines = 50, markup = (line: string) => sentenceMarkup(line) } = {},
): string {
  const lines = message.split('\n').slice(0, maxLines);
  return `<p>${lines.map((line) => markup(line)).join('<br>')}${entryLink(errorCode, page)}</p>`;
}

/** At most `most` locks, a paragraph each. A comment wants them as code. */
export function lockBlocks(
  locks: readonly LockFact[],
  most: number,
  { signs }: Medium,
  markup = sentenceMarkup,
): string[] {
  const lines = locks
    .slice(0, most)
    .map(({ text, locked }) => `<p>${signs[locked ? 'locked' : 'unlocked']} ${markup(text, MAX_LOCK)}</p>`);
  const rest = locks.length - lines.length;
  return rest > 0 ? [...lines, `<p>… and ${counted(rest, 'more stack')}</p>`] : lines;
}

/** The one command of our sentences stands between backquotes; what a job quotes there gets no markup. */
function sentenceMarkup(text: string, maxLength?: number): string {
  return escapeHtml(plainText(text, maxLength)).replace(
    /`(pulumi cancel(?: [\w./-]+)?)`/g,
    '<code>$1</code>',
  );
}

/** A table of deployments; the page's links to their reports. Empty without any. */
export function deploymentTable(
  deployments: readonly DeploymentFact[],
  maxRows: number,
  medium: Medium,
): string {
  const { signs, isPage } = medium;
  const hasDrift = deployments.some(({ drift }) => drift !== undefined);
  const titles = [
    ...['Stack', 'Operation', 'Version', 'Outcome', 'Resources'],
    ...(hasDrift ? ['Drift'] : []),
    ...['Duration', 'Run'],
    ...(isPage ? ['Log'] : []),
  ];

  const rows = deployments.map((each) => [
    link(code(each.name), each.address),
    escapeHtml(plainText(each.operation, MAX_NAME)),
    String(each.version ?? ''),
    each.outcome === undefined
      ? `${signs.waiting} ${each.state}`
      : `${signs[signOf(each.outcome)]} ${each.outcome}`,
    each.resources,
    ...(hasDrift ? [driftCell(each, medium)] : []),
    each.seconds === undefined ? '' : duration(each.seconds),
    each.place,
    ...(isPage ? [reportLink(each)] : []),
  ]);

  return titledTable(titles, rows, { maxRows, noun: 'deployments', labelled: isPage });
}

function driftCell({ drift, driftRun }: DeploymentFact, { signs }: Medium): string {
  if (drift !== true) return drift === undefined ? '' : 'none';
  const run = driftRun?.id === undefined ? '' : `, run ${code(driftRun.id)}`;
  return `${signs.warning} ${escapeHtml(driftedText({ driftRun }) || 'drift')}${run}`;
}

function reportLink({ directory }: DeploymentFact): string {
  return directory === undefined ? '' : `<a href="${escapeHtml(`${directory}/report.html`)}">report</a>`;
}

/** The resources of each job by name, a block each: at most `maxRows` in all. */
export function resourceBlocks(all: readonly ResourcesFact[], maxRows: number, medium: Medium): string[] {
  const budget = { rows: maxRows, bytes: MAX_BYTES };
  return all.flatMap(({ stack, resources }) =>
    budget.rows <= 0
      ? []
      : [resourceBlock(resources, stack === undefined ? '' : ` of ${code(stack)}`, budget, medium)],
  );
}

function resourceBlock(
  resources: ChangedResources,
  stack: string,
  budget: { rows: number; bytes: number },
  medium: Medium,
): string {
  const { resources: listed, counts, failed = 0, unfinished = 0, preview, source } = resources;
  const all = Object.values(counts).reduce((sum, count) => sum + count, failed + unfinished);
  const rows: string[][] = [];

  for (const each of listed) {
    const row = [actionOf(each, medium), code(each.name, MAX_NAME), code(each.resourceType, MAX_NAME)];
    budget.bytes -= Buffer.byteLength(row.join(''));
    if (budget.rows <= 0 || budget.bytes < 0) break;
    budget.rows -= 1;
    rows.push(row);
  }

  const rest = all > rows.length ? [[`… and ${all - rows.length} more`, '', '']] : [];
  const limits = { maxRows: rows.length + 1, noun: 'resources', labelled: medium.isPage };
  const table = titledTable(['Operation', 'Resource', 'Type'], [...rows, ...rest], limits);
  const from = source === 'output' ? 'according to its output' : "by Pulumi Cloud's record";
  const title = `Resources${stack}, ${from}`;
  // What a reader decides by: a plan, a loss, a failure.
  const open = preview || failed + unfinished > 0 || (counts.replace ?? 0) + (counts.delete ?? 0) > 0;
  return `<details${open ? ' open' : ''}><summary>${title}</summary>${table}</details>`;
}

/** `− to delete`, `± replaced`, `❌ create failed`. */
function actionOf({ operation, state }: ChangedResource, { signs }: Medium): string {
  if (state === 'failed') return `${signs.failure}&nbsp;${operation} failed`;
  if (state === 'unfinished') return `${signs.warning}&nbsp;${operation} unfinished`;
  return `${MARKS[operation]}&nbsp;${state === 'planned' ? `to ${operation}` : DONE[operation]}`;
}

/**
 * How each step ended, for a summary, without empty columns; empty if there are no steps. Those that succeeded are one
 * line, but for one that states changes.
 */
export function stepTable(
  steps: readonly StepReport[],
  statements: readonly ResourceStatement[],
  maxRows: number,
): string {
  const changed = new Map(statements.map(({ index, changes }) => [index, changes]));
  const resources = changed.size > 0 ? ['Resources, according to its output'] : [];
  const codes = steps.some(failedWithCode) ? ['Exit code'] : [];
  const reasons = steps.some(({ reason }) => reason !== undefined) ? ['Reason'] : [];
  const titles = ['Step', 'Status', 'Duration', ...codes, ...resources, ...reasons];

  const nameOf = ({ index, name }: StepReport): string => `${index} ${code(name)}`;
  const statusOf = (status: StepReport['status']): string => stepStatus(status, MARKDOWN).join(' ');

  const isQuiet = ({ status, index, reason }: StepReport): boolean =>
    status === 'succeeded' && reason === undefined && !changed.has(index);
  const quiet = steps.filter(isQuiet);

  const rowOf = (step: StepReport): string[] => [
    nameOf(step),
    statusOf(step.status),
    step.seconds === undefined ? '' : duration(step.seconds),
    ...codes.map(() => (failedWithCode(step) ? String(step.exitCode) : '')),
    ...resources.map(() => escapeHtml(plainText(changed.get(step.index) ?? '', MAX_TEXT))),
    ...reasons.map(() => escapeHtml(plainText(step.reason ?? '', MAX_TEXT))),
  ];

  const quietRow = (): string[] => {
    const names = quiet.slice(0, MAX_QUIET).map(nameOf);
    const others = quiet.length > MAX_QUIET ? [`… and ${quiet.length - MAX_QUIET} more`] : [];
    const seconds = quiet.reduce((sum, step) => sum + (step.seconds ?? 0), 0);
    const blanks = [...codes, ...resources, ...reasons].map(() => '');
    return [[...names, ...others].join(', '), statusOf('succeeded'), duration(seconds), ...blanks];
  };

  const rows = steps.filter((step) => !isQuiet(step)).map(rowOf);
  const all = quiet.length > 0 ? [quietRow(), ...rows] : rows;
  return titledTable(titles, all, { maxRows, noun: 'steps' });
}

/** Zero says nothing that the status doesn't. */
export function failedWithCode({ exitCode = 0 }: StepReport): boolean {
  return exitCode !== 0;
}

/** The last lines of a failed step, the first block unfolded; empty without lines. */
export function tailBlock({ step, lines: tail }: StepTail, index: number): string {
  if (tail.length === 0) return '';
  const lines = tail.slice(-TAIL_LINES).map((line) => escapeHtml(shortLine(line, MAX_TAIL_LINE)));
  const title = `The end of ${code(step)}: ${counted(lines.length, 'line')}`;
  return `<details${index === 0 ? ' open' : ''}><summary>${title}</summary><pre>${lines.join('&#10;')}</pre></details>`;
}

/** The claimed work and its page in Pulumi Cloud or, if that is not known, the page that lists the organization's. */
export function workText({ id, kind, isNamedByItself, page, listPage }: WorkFact): string {
  const name = code(id);
  if (kind !== undefined) return `Work ${name} ${escapeHtml(kindText(kind))}, which isn’t a deployment`;
  const source = isNamedByItself ? ', named by its own variables' : '';
  const linked = link(name, page);
  if (linked !== name) return `Deployment ${linked} in Pulumi Cloud${source}`;
  const list = 'the organization’s deployments in Pulumi Cloud';
  const among = link(list, listPage);
  return `Deployment ${name}${among === list ? '' : `, among ${among}`}${source}`;
}

/** Image, times and IDs of a single job as a table; empty if none is known. */
export function detailTable(details: Details): string {
  const { waitSeconds, runSeconds, confinement, forwarded, runId, jobId } = details;
  const images = [details.image, details.imageDigest].filter((name) => name !== undefined);
  const rows: [string, string][] = [];

  if (waitSeconds !== undefined) rows.push(['Waited', duration(waitSeconds)]);
  if (runSeconds !== undefined) rows.push(['Ran', duration(runSeconds)]);
  if (images.length > 0) rows.push(['Image', images.map((name) => code(name, MAX_IMAGE)).join('<br>')]);
  if (confinement.length > 0) rows.push(['Confined by', namesText(confinement)]);
  if (forwarded.length > 0) rows.push(['Forwarded variables (names only)', namesText(forwarded)]);
  if (runId !== undefined) rows.push(['Run', code(runId)]);
  if (details.isUnreported) rows.push(['Reported to Pulumi Cloud', 'no']);
  if (jobId !== undefined) rows.push(['Job', code(jobId)]);

  return pairTable(rows);
}
