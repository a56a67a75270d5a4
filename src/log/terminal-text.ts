import { withoutInvisible } from './invisible.ts';

const ESC = String.raw`\u001b`;
/** A colour or weight: SGR. */
const COLOUR = new RegExp(`^${ESC}\\[[0-9;:]*m$`);
/** Zero-width characters that decide how their neighbours look: joiners and variation selectors. */
const SHAPING = /^(?:\u200c|\u200d|[\ufe00-\ufe0f])$/u;

/**
 * Makes text safe for a terminal or log: takes out what is invisible, and line feeds, but for tabs and for the
 * characters that shape emoji and scripts. With `colours` it keeps SGR sequences. Linear time.
 */
export function stripControl(text: string, { colours = false } = {}): string {
  const isKept = (piece: Buffer) => SHAPING.test(`${piece}`) || (colours && COLOUR.test(`${piece}`));
  return withoutInvisible(text, isKept).replaceAll('\n', '');
}
