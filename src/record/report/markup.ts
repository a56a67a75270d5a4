import { entryOf } from '../../base/error-codes.ts';
import { plainText } from '../../base/log/plain-text.ts';
import type { Outcome } from '../../base/outcome.ts';
import { duration } from '../../base/quantity.ts';
import { kindText } from '../../base/stack.ts';
import type { RunReport, StepReport } from './report.ts';
import type { ResourceChanges } from './resource-changes.ts';

const MAX_MESSAGE_LINES = 50;
const MAX_NAMES = 100;
const MAX_TEXT = 300;

/** Steps that are named in the line of those that succeeded. */
const MAX_QUIET = 50;

/** Characters of a link's address: a summary must have room for a hundred links. */
const MAX_ADDRESS = 400;

/** The outcome as an emoji. */
export function outcomeSign(outcome: Outcome): string {
  if (outcome === 'succeeded') return '✅';
  if (outcome === 'no-work') return '💤';
  if (outcome === 'skipped') return '⏭️';
  if (outcome === 'refused') return '⛔';
  return outcome === 'cancelled' || outcome === 'interrupted' ? '⏹️' : '❌';
}

/**
 * How a step ended, in words. One that a report shows as running was running when the agent died.
 */
export const STEP_STATUS: Readonly<Record<StepReport['status'], string>> = {
  'not-started': '⏸ not started',
  running: '▶ was running',
  succeeded: '✅ succeeded',
  failed: '❌ failed',
};

/** `text` escaped for HTML, in a page or in Markdown. */
export function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };

  return text.toWellFormed().replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/**
 * Untrusted text, cut to `maxLength` characters, as code: GitHub looks for neither Markdown nor
 * mentions in it.
 */
export function code(value: string, maxLength = 200): string {
  return `<code>${escapeHtml(plainText(value, maxLength))}</code>`;
}

/** A link if the address is http or https, else the label alone. `label` is markup. */
export function link(label: string, address: string | undefined): string {
  if (address === undefined || address.length > MAX_ADDRESS || !/^https?:\/\/[^\s\p{Cc}]+$/u.test(address))
    return label;
  return `<a href="${escapeHtml(address)}">${label}</a>`;
}

/**
 * An error's code, to follow its message, linked to its entry on `page` if that is known; empty
 * without a code.
 */
export function entryLink(errorCode: string | undefined, page: string | undefined): string {
  if (errorCode === undefined) return '';
  return ` ${link(`See ${escapeHtml(errorCode)}`, page && entryOf(errorCode, page))}`;
}

/**
 * A run's deployment and its page in Pulumi Cloud or, if that is not known, the page that lists the
 * organization's.
 */
export function deploymentText({
  deploymentId = '',
  kind,
  identity,
  deploymentUrl,
  consoleUrl,
}: RunReport): string {
  const name = code(deploymentId);
  if (kind !== undefined) return `Work ${name} ${escapeHtml(kindText(kind))}, which isn’t a deployment`;
  const named = identity?.proven === false ? ', named by its own variables' : '';
  const linked = link(name, deploymentUrl);
  if (linked !== name) return `Deployment ${linked} in Pulumi Cloud${named}`;
  const page = 'the organization’s deployments in Pulumi Cloud';
  const among = link(page, consoleUrl);
  return `Deployment ${name}${among === page ? '' : `, among ${among}`}${named}`;
}

/** A run's message with its line breaks, linked to the error's entry on `page`. */
export function messageText({ message, code: errorCode }: RunReport, page: string | undefined): string {
  const lines = message.split('\n').slice(0, MAX_MESSAGE_LINES);
  return `<p>${lines.map((line) => escapeHtml(plainText(line))).join('<br>')}${entryLink(errorCode, page)}</p>`;
}

/** The names of variables, cut to a hundred. */
export function namesText(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  const shown = names.slice(0, MAX_NAMES).map((name) => code(name));
  return `${shown.join(' ')}${more}`;
}

/** A list of at most `max` sentences; empty for none. */
export function list(sentences: readonly string[], max: number): string {
  if (sentences.length === 0) return '';
  const items = sentences.slice(0, max).map((sentence) => `<li>${escapeHtml(plainText(sentence))}</li>`);
  return `<ul>${items.join('')}</ul>`;
}

/**
 * Rows of markup as a table on one line, so that no blank line can end the HTML block; empty for no
 * rows.
 */
export function table(rows: readonly (readonly string[])[], head = ''): string {
  if (rows.length === 0) return '';
  const cells = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  return `<table>${head}${cells.join('')}</table>`;
}

/** At most `maxRows` rows of markup below a row of titles; empty for no rows. */
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

/**
 * How each step ended, without empty columns; empty if there are no steps. Those that succeeded are one line, but for one
 * that states changes. If `linked`, names link to their steps on the same page.
 */
export function stepTable(
  steps: readonly StepReport[],
  changes: readonly ResourceChanges[],
  maxRows: number,
  linked = false,
) {
  const changed = new Map(changes.map((change) => [change.index, change.changes]));
  const resources = changed.size > 0 ? ['Resources, according to its output'] : [];
  const codes = steps.some(failedWithCode) ? ['Exit code'] : [];
  const reasons = steps.some(({ reason }) => reason !== undefined) ? ['Reason'] : [];
  const titles = ['Step', 'Status', 'Duration', ...codes, ...resources, ...reasons];

  const nameOf = (step: StepReport): string => {
    const name = `${step.index} ${code(step.name)}`;
    return linked && step.log !== undefined ? `<a href="#step-${step.index}">${name}</a>` : name;
  };

  const isQuiet = ({ status, index, reason }: StepReport): boolean =>
    status === 'succeeded' && reason === undefined && !changed.has(index);
  const quiet = steps.filter(isQuiet);

  const rowOf = (step: StepReport): string[] => [
    nameOf(step),
    STEP_STATUS[step.status],
    step.seconds === undefined ? '' : duration(step.seconds),
    ...codes.map(() => (failedWithCode(step) ? String(step.exitCode) : '')),
    ...resources.map(() => escapeHtml(plainText(changed.get(step.index) ?? '', MAX_TEXT))),
    ...reasons.map(() => escapeHtml(plainText(step.reason ?? '', MAX_TEXT))),
  ];

  const quietRow = (): string[] => {
    const named = quiet.slice(0, MAX_QUIET).map(nameOf);
    const more = quiet.length > MAX_QUIET ? [`… and ${quiet.length - MAX_QUIET} more`] : [];
    const seconds = quiet.reduce((sum, step) => sum + (step.seconds ?? 0), 0);
    const rest = [...codes, ...resources, ...reasons].map(() => '');
    return [[...named, ...more].join(', '), STEP_STATUS.succeeded, duration(seconds), ...rest];
  };

  const rows = steps.filter((step) => !isQuiet(step)).map(rowOf);
  const all = quiet.length > 0 ? [quietRow(), ...rows] : rows;
  return titledTable(titles, all, { maxRows, what: 'steps' });
}

/** Zero says nothing that the status doesn't. */
function failedWithCode({ exitCode = 0 }: StepReport): boolean {
  return exitCode !== 0;
}
