import { entryOf } from '../../error-codes.ts';
import { plainText } from '../console-text.ts';

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
  if (address === undefined || address.length > 2_000 || !/^https?:\/\/[^\s\p{Cc}]+$/u.test(address)) return label;
  return `<a href="${escapeHtml(address)}">${label}</a>`;
}

/** A link to the entry for an error, to go behind it; nothing for one without a code. */
export function entryLink(errorCode: string | undefined): string {
  return errorCode === undefined ? '' : ` ${link(`${escapeHtml(errorCode)}: causes and remedies`, entryOf(errorCode))}`;
}

/** A deployment and where to look at it: its own page, or the nearest, which lists those of the organization. */
export function deploymentText({ deploymentId, deploymentUrl, consoleUrl }: DeploymentPlace): string {
  const name = code(deploymentId);
  const linked = link(name, deploymentUrl);
  if (linked !== name) return `Deployment ${linked} in Pulumi Cloud`;
  const page = 'the organization’s deployments in Pulumi Cloud';
  const among = link(page, consoleUrl);
  return `Deployment ${name}${among === page ? '' : `, among ${among}`}`;
}

interface DeploymentPlace {
  readonly deploymentId: string;
  /** The deployment's own page: a claim alone doesn't name it. */
  readonly deploymentUrl?: string | undefined;
  /** The page of the organization's deployments. */
  readonly consoleUrl?: string | undefined;
}

/** Rows of markup as a table on one line, so that no blank line can end the HTML block; nothing for no rows. */
export function table(rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const cells = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  return `<table>${cells.join('')}</table>`;
}

/** `rows` of markup under a line of bold titles, of which at most `maxRows` are shown; nothing for no rows. */
export function titledTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  { maxRows, what }: { readonly maxRows: number; readonly what: string },
): string {
  if (rows.length === 0) return '';
  const more = rows.length > maxRows ? [[`… and ${rows.length - maxRows} more ${what}`]] : [];
  return table([titles.map((title) => `<b>${title}</b>`), ...rows.slice(0, maxRows), ...more]);
}
