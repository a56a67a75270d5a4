import { entryOf } from '../../base/error-codes.ts';
import { plainText } from '../../base/log/plain-text.ts';

const MAX_NAMES = 100;

/** Characters of a link's address: a summary must have room for a hundred links. */
const MAX_ADDRESS = 400;

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

/** The names of variables, cut to a hundred. */
export function namesText(names: readonly string[]): string {
  const rest = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  const shown = names.slice(0, MAX_NAMES).map((name) => code(name));
  return `${shown.join(' ')}${rest}`;
}

/** A list of at most `max` sentences; empty for none. */
export function list(sentences: readonly string[], max: number): string {
  if (sentences.length === 0) return '';
  const items = sentences.slice(0, max).map((sentence) => `<li>${escapeHtml(plainText(sentence))}</li>`);
  return `<ul>${items.join('')}</ul>`;
}

/**
 * Pairs of a name and markup as a table on one line, so that no blank line can end the HTML block; empty for no pairs.
 */
export function pairTable(pairs: readonly (readonly [name: string, content: string])[]): string {
  if (pairs.length === 0) return '';
  const rows = pairs.map(([name, content]) => `<tr><td><b>${name}</b></td><td>${content}</td></tr>`);
  return `<table>${rows.join('')}</table>`;
}

/**
 * At most `maxRows` rows of markup below a row of titles; empty for no rows. If `labelled`, each cell has its column's
 * title, for a window too narrow for columns. Titles are plain text.
 */
export function titledTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  limits: { readonly maxRows: number; readonly noun: string; readonly labelled?: boolean },
): string {
  if (rows.length === 0) return '';
  const { maxRows, noun, labelled = false } = limits;
  const cell = (content: string, column: number): string =>
    labelled && content !== '' ? `<td data-title="${titles[column]}">${content}</td>` : `<td>${content}</td>`;

  const head = `<tr>${titles.map((title) => `<th>${title}</th>`).join('')}</tr>`;
  const body = rows.slice(0, maxRows).map((row) => `<tr>${row.map(cell).join('')}</tr>`);
  const rest = rows.length > maxRows ? `<tr><td>… and ${rows.length - maxRows} more ${noun}</td></tr>` : '';
  return `<table>${head}${body.join('')}${rest}</table>`;
}
