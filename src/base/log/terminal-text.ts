import { withoutInvisible } from './invisible.ts';

const ESC = 0x1b;
const BRACKET = 0x5b;
const M = 0x6d;

/** Zero-width characters that decide how their neighbours look: joiners and variation selectors. */
const SHAPING = /^(?:\u200c|\u200d|[\ufe00-\ufe0f])$/u;

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
