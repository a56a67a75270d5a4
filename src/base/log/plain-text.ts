import { withoutInvisible, withoutPartialSequence } from './invisible-text.ts';

const ESC = 0x1b;
const BRACKET = 0x5b;
const M = 0x6d;

/** Zero-width characters that decide how their neighbours look: joiners and variation selectors. */
const SHAPING = /^(?:\u200c|\u200d|[\ufe00-\ufe0f])$/u;

/** States of one line, separated by carriage returns. */
const MAX_STATES = 3;

/**
 * An untrusted name or sentence as part of one of our lines: white space folded, at most
 * `maxLength` characters.
 */
export function plainText(text: string, maxLength = 500): string {
  const cut = maxLength * 4;
  const begin = text.length <= cut ? text : String(withoutPartialSequence(Buffer.from(text.slice(0, cut))));

  // Line by line, because an escape sequence ends with its line, and a line break separates words.
  const plain = begin
    .split(/[\r\n]/)
    .map((line) => stripControl(line))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();

  return plain.length > maxLength ? `${plain.slice(0, maxLength - 1)}…` : plain;
}

/** Without the characters of `ends` at the end, in linear time: a regular expression tries each run of them anew. */
export function withoutTrailing(text: string, ends: string): string {
  let { length } = text;
  while (length > 0 && ends.includes(text.charAt(length - 1))) length -= 1;
  return text.slice(0, length);
}

/** A line of program output without what is invisible; an inner carriage return shows as ␍. */
export function plainLine(text: string, options?: { readonly colours?: boolean }): string {
  const states = withoutTrailing(text, '\r').split('\r');
  return states
    .map((state) => stripControl(state, options))
    .join('␍')
    .replace(/[\u2028\u2029]/g, '␤');
}

/**
 * Like `plainLine`, but of a line that was rewritten many times (a progress bar) only the first and
 * last state.
 */
export function outputLine(text: string, options?: { readonly colours?: boolean }): string {
  return plainLine(fewStates(text), options);
}

/**
 * Like `outputLine`, at most `most` characters: of a line that was rewritten the end, where an error
 * can be, else the beginning.
 */
export function shortLine(text: string, most: number): string {
  const line = outputLine(text);
  return text.includes('\r') ? line.slice(-most) : line.slice(0, most);
}

/**
 * A terminal shows only the last state of a line that carriage returns rewrite; the first says what
 * it is about.
 */
function fewStates(text: string): string {
  if (!text.includes('\r')) return text;
  const states = text.split('\r').filter((state) => stripControl(state).trim() !== '');
  if (states.length <= MAX_STATES) return states.join('\r');
  return [states[0], ` … ${states.length - 2} states … `, states.at(-1)].join('\r');
}

/**
 * Makes text safe for a terminal or log: takes out what is invisible, and line feeds, but for tabs
 * and for the characters that shape emoji and scripts. With `colours` it keeps SGR sequences.
 * Linear time.
 */
export function stripControl(text: string, { colours = false } = {}): string {
  const isKept = (piece: Buffer) =>
    piece[0] === ESC ? colours && isColour(piece) : piece.length === 3 && SHAPING.test(piece.toString());
  return withoutInvisible(text, isKept).replaceAll('\n', '');
}

/** True for SGR, colours and weights: digits, colons and semicolons between introducer and `m`. */
function isColour(sequence: Buffer): boolean {
  const [, bracket] = sequence;
  if (bracket !== BRACKET || sequence.at(-1) !== M) return false;
  return sequence.subarray(2, -1).every((byte) => byte >= 0x30 && byte <= 0x3b);
}
