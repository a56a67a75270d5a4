import { entryOf } from '../error-codes.ts';
import type { Outcome } from '../outcome.ts';
import type { RunReport, StepReport } from './report.ts';
import type { ResourceChanges } from './resource-changes.ts';
import { duration, plainText } from './text.ts';

const MAX_MESSAGE_LINES = 50;
const MAX_NAMES = 100;
const MAX_TEXT = 300;
/** Characters of a link's address: a hundred of them must fit into a summary. */
const MAX_ADDRESS = 400;

/** How a run ended, at a glance. */
export function outcomeSign(outcome: Outcome): string {
  if (outcome === 'succeeded') return '✅';
  if (outcome === 'no-work') return '💤';
  return outcome === 'cancelled' || outcome === 'interrupted' ? '⏹️' : '❌';
}

/** How a step ended, in words; one that runs in a report was running when the agent went. */
export const STEP_STATUS: Readonly<Record<StepReport['status'], string>> = {
  'not-started': '⏸ not started',
  running: '▶ was running',
  succeeded: '✅ succeeded',
  failed: '❌ failed',
};

/** `text` as HTML: one line, nothing in it is markup, for a browser or for Markdown. */
export function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.toWellFormed().replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** Text from outside, cut to `maxLength` characters, where GitHub reads neither Markdown nor mentions. */
export function code(value: string, maxLength = 200): string {
  return `<code>${escapeHtml(plainText(value, maxLength))}</code>`;
}

/** A link for an address that is https or http, else the text alone. `label` is markup. */
export function link(label: string, address: string | undefined): string {
  if (address === undefined || address.length > MAX_ADDRESS || !/^https?:\/\/[^\s\p{Cc}]+$/u.test(address))
    return label;
  return `<a href="${escapeHtml(address)}">${label}</a>`;
}

/** The code of an error, to go behind it, with a link to its entry where `page` is known; nothing for one without a code. */
export function entryLink(errorCode: string | undefined, page: string | undefined): string {
  if (errorCode === undefined) return '';
  return ` ${link(`See ${escapeHtml(errorCode)}`, page && entryOf(errorCode, page))}`;
}

/** The deployment of a run and where to look at it: its own page, or the nearest, which lists those of the organization. */
export function deploymentText({ deploymentId = '', deploymentUrl, consoleUrl }: RunReport): string {
  const name = code(deploymentId);
  const linked = link(name, deploymentUrl);
  if (linked !== name) return `Deployment ${linked} in Pulumi Cloud`;
  const page = 'the organization’s deployments in Pulumi Cloud';
  const among = link(page, consoleUrl);
  return `Deployment ${name}${among === page ? '' : `, among ${among}`}`;
}

/** The one sentence of a run, with its line breaks and the entry of an error on `page`. */
export function messageText({ message, code: errorCode }: RunReport, page: string | undefined): string {
  const lines = message.split('\n').slice(0, MAX_MESSAGE_LINES);
  return `<p>${lines.map((line) => escapeHtml(plainText(line))).join('<br>')}${entryLink(errorCode, page)}</p>`;
}

/** Names of variables. */
export function namesText(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  const shown = names.slice(0, MAX_NAMES).map((name) => code(name));
  return `${shown.join(' ')}${more}`;
}

/** Sentences, of which at most `max` are shown; nothing for none. */
export function list(sentences: readonly string[], max: number): string {
  if (sentences.length === 0) return '';
  const items = sentences.slice(0, max).map((sentence) => `<li>${escapeHtml(plainText(sentence))}</li>`);
  return `<ul>${items.join('')}</ul>`;
}

/** Rows of markup as a table on one line, so that no blank line can end the HTML block; nothing for no rows. */
export function table(rows: readonly (readonly string[])[], head = ''): string {
  if (rows.length === 0) return '';
  const cells = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  return `<table>${head}${cells.join('')}</table>`;
}

/** `rows` of markup under a line of titles, of which at most `maxRows` are shown; nothing for no rows. */
export function titledTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  { maxRows, what }: { readonly maxRows: number; readonly what: string },
): string {
  if (rows.length === 0) return '';
  const more = rows.length > maxRows ? [[`… and ${rows.length - maxRows} more ${what}`]] : [];
  const head = `<tr>${titles.map((title) => `<th>${title}</th>`).join('')}</tr>`;
  return table([...rows.slice(0, maxRows), ...more], head);
}

export interface TableOptions {
  readonly maxRows: number;
  /** Rows lead to their steps on the same page, or to the reports of their jobs. */
  readonly linked?: boolean;
}

/** What became of each step; columns without anything in them are left out, and so is a table without steps. */
export function stepTable(
  steps: readonly StepReport[],
  changes: readonly ResourceChanges[],
  { maxRows, linked = false }: TableOptions,
): string {
  const changed = new Map(changes.map((change) => [change.index, change.changes]));
  const resources = changed.size > 0 ? ['Resources, as its output says'] : [];
  const reasons = steps.some(({ reason }) => reason !== undefined) ? ['Reason'] : [];
  const titles = ['Step', 'Status', 'Duration', 'Lines', 'Exit code', ...resources, ...reasons];
  const rows = steps.map((step) => {
    const name = `${step.index} ${code(step.name)}`;
    return [
      linked && step.log !== undefined ? `<a href="#step-${step.index}">${name}</a>` : name,
      STEP_STATUS[step.status],
      step.seconds === undefined ? '' : duration(step.seconds),
      step.lines === undefined ? '' : String(step.lines),
      step.exitCode === undefined ? '' : String(step.exitCode),
      ...resources.map(() => escapeHtml(plainText(changed.get(step.index) ?? '', MAX_TEXT))),
      ...reasons.map(() => escapeHtml(plainText(step.reason ?? '', MAX_TEXT))),
    ];
  });
  return titledTable(titles, rows, { maxRows, what: 'steps' });
}
