import { stripControl } from '../log/terminal-text.ts';

/** States of one line, as carriage returns part it. */
const MAX_STATES = 3;
/** Overrides of the writing direction make a line read as something else than it is. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/gu;

/** A name or a sentence from outside as a part of a line of ours: white space folded, at most `maxLength` characters. */
export function plainText(text: string, maxLength = 500): string {
  // Before stripping, so that a line break still parts two words; and after it, for what stood around a sequence.
  const stripped = stripControl(text.slice(0, maxLength * 4).replace(/\s+/g, ' ')).replace(DIRECTION, '');
  const plain = stripped.replace(/\s+/g, ' ').trim();
  return plain.length > maxLength ? `${plain.slice(0, maxLength - 1)}…` : plain;
}

/** A line of a program's output without what a terminal would act on; a carriage return inside it shows as ␍. */
export function plainLine(text: string, { colours = false } = {}): string {
  const visible = text
    .replace(/\r+$/, '')
    .replaceAll('\r', '␍')
    .replace(/[\u2028\u2029]/g, '␤')
    .replace(DIRECTION, '');
  return stripControl(visible, { colours });
}

/** The same, of a line that was rewritten again and again (a progress bar) the first and the last state alone. */
export function outputLine(text: string, options?: { readonly colours?: boolean }): string {
  return plainLine(fewStates(text), options);
}

/** A terminal shows the last state of a line that carriage returns begin anew; the first one says what it is about. */
function fewStates(text: string): string {
  if (!text.includes('\r')) return text;
  const states = text.split('\r').filter((state) => stripControl(state).trim() !== '');
  if (states.length <= MAX_STATES) return states.join('\r');
  return [states[0], ` … ${states.length - 2} states … `, states.at(-1)].join('\r');
}

/** Seconds as a reader likes them: `0.4 s`, `12 s`, `3 min 5 s`. */
export function duration(seconds: number): string {
  if (seconds < 9.95) return `${Math.round(seconds * 10) / 10} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
