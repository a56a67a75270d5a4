import { plainText } from '../../base/log/plain-text.ts';
import { counted } from '../../base/quantity.ts';
import { stackText } from '../../base/stack.ts';
import type { ChangedResource, ChangedResources } from '../changed-resources.ts';
import { isLocked, lockText } from '../stack-lock.ts';
import { code, escapeHtml, titledTable } from './markup.ts';
import type { RunReport } from './report.ts';
import { changeText, type ResourceChanges } from './resource-changes.ts';

const MAX_NAME = 200;

/** Characters of what is said of a lock. */
const MAX_LOCK = 1_000;

/** Bytes of all rows: a summary must have room for the rest. */
const MAX_BYTES = 128 * 1024;

const SIGNS: Readonly<Record<ChangedResource['operation'], string>> = {
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

/** `1 replaced, 4 created, 1 failed, according to its output`: with no source, it is Pulumi Cloud. */
export function resourcesText(resources: ChangedResources): string {
  const { counts, failed = 0, unfinished = 0, preview, source } = resources;
  const done = changeText(counts, { planned: preview });
  const bad = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(unfinished > 0 ? [`${unfinished} unfinished`] : []),
  ];
  const told = [...(done === undefined ? [] : [done]), ...bad];
  const text = told.length === 0 ? 'no changes' : told.join(', ');
  return source === 'output' ? `${text}, according to its output` : text;
}

/**
 * The resources of a run's jobs by name, each job's in a block, as HTML on one line: at most `maxRows`
 * in all. Empty without any.
 */
export function resourceBlocks(report: RunReport, maxRows: number): string[] {
  const budget = { rows: maxRows, bytes: MAX_BYTES };
  return jobsOf(report).flatMap((job) => {
    const { resources } = job;
    if (resources === undefined || resources.resources.length === 0 || budget.rows <= 0) return [];
    const stack = report.jobs === undefined ? '' : ` of ${code(nameOf(job) ?? '')}`;
    return [resourceBlock(resources, stack, budget)];
  });
}

function resourceBlock(
  resources: ChangedResources,
  stack: string,
  budget: { rows: number; bytes: number },
): string {
  const { resources: named, counts, failed = 0, unfinished = 0, preview, source } = resources;
  const all = Object.values(counts).reduce((sum, count) => sum + count, failed + unfinished);
  const rows: string[][] = [];

  for (const each of named) {
    const row = [actionOf(each), code(each.name, MAX_NAME), code(each.resourceType, MAX_NAME)];
    budget.bytes -= Buffer.byteLength(row.join(''));
    if (budget.rows <= 0 || budget.bytes < 0) break;
    budget.rows -= 1;
    rows.push(row);
  }

  const more = all > rows.length ? [[`… and ${all - rows.length} more`, '', '']] : [];
  const limits = { maxRows: rows.length + 1, what: 'resources' };
  const table = titledTable(['Operation', 'Resource', 'Type'], [...rows, ...more], limits);
  const from = source === 'output' ? 'according to its output' : "by Pulumi Cloud's record";
  const title = `Resources${stack}, ${from}`;
  // What a reader decides by: a plan, a loss, a failure.
  const open = preview || failed + unfinished > 0 || (counts.replace ?? 0) + (counts.delete ?? 0) > 0;
  return `<details${open ? ' open' : ''}><summary>${title}</summary>${table}</details>`;
}

/** `− to delete`, `± replaced`, `❌ create failed`. */
function actionOf({ operation, state }: ChangedResource): string {
  if (state === 'failed') return `❌&nbsp;${operation} failed`;
  if (state === 'unfinished') return `⚠️&nbsp;${operation} unfinished`;
  return `${SIGNS[operation]}&nbsp;${state === 'planned' ? `to ${operation}` : DONE[operation]}`;
}

/**
 * What is known about the locks of the run's stacks, a paragraph each, those that are locked first and at most `most`;
 * none that the message names. A comment wants it as code.
 */
export function lockLines(report: RunReport, most: number, markup = textMarkup): string[] {
  const told = jobsOf(report).flatMap((job) => {
    if (job.lock === undefined) return [];
    const text = lockText(job.lock, provenNameOf(job));
    return report.message.includes(text) ? [] : [{ text, locked: isLocked(job.lock) }];
  });
  const shown = told.toSorted((one, other) => Number(other.locked) - Number(one.locked)).slice(0, most);
  const lines = shown.map(({ text, locked }) => `<p>${locked ? '🔒' : '🔓'} ${markup(text, MAX_LOCK)}</p>`);
  const more = told.length - shown.length;
  return more > 0 ? [...lines, `<p>… and ${counted(more, 'more stack')}</p>`] : lines;
}

/** A command stands between backquotes in our sentences. */
function textMarkup(text: string, maxLength: number): string {
  return escapeHtml(plainText(text, maxLength)).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function jobsOf(report: RunReport): readonly RunReport[] {
  return report.jobs?.map((job) => job.report) ?? [report];
}

/** The stack of a report's job, if Pulumi Cloud named it: a job must not choose the stack of a command to run. */
export function provenNameOf(report: RunReport): string | undefined {
  const { deployments, identity } = report;
  return deployments === undefined && identity?.proven !== true ? undefined : nameOf(report);
}

/** The stack of a report's job, if known. */
export function nameOf({ deployments, identity }: RunReport): string | undefined {
  return deployments?.[0]?.stack ?? (identity && stackText(identity));
}

/** The steps' own statements; none where the resources are listed. */
export function statedBeside(
  { resources }: RunReport,
  changes: readonly ResourceChanges[],
): readonly ResourceChanges[] {
  return resources === undefined || resources.resources.length === 0 ? changes : [];
}
