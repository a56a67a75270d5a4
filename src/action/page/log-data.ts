import { pageLine } from '../console-text.ts';
import { MAX_LINE_BYTES } from '../follow.ts';
import { GrowingLines, type Line } from '../growing-lines.ts';
import { byteCount } from '../quantity-text.ts';

export interface LogSource {
  readonly path: string;
  /** What readers call it. */
  readonly shownPath: string;
  /** Lines in the file, where that is known. */
  readonly lines: number | undefined;
  /** Bytes of the file that the page holds at most: half of them from its beginning, half from its end. */
  readonly maxBytes: number;
}

/**
 * A step's log as JSON for a script element, piece by piece: an array of `{first, lines}` (the first one's number, or null
 * when it is not known) and `{gap}` (what was left out). No piece can end the element. Holds a chunk of the file at a time.
 * Throws what node:fs throws.
 */
export async function* logData({ path, shownPath, lines, maxBytes }: LogSource): AsyncGenerator<string> {
  await using head = new GrowingLines(path, 0, MAX_LINE_BYTES);
  const size = await head.size();
  const half = Math.floor(maxBytes / 2);
  const whole = size <= maxBytes;
  yield `[{"first":1,"lines":[`;
  let separator = '';
  let count = 0;
  for await (const line of linesUpTo(head, whole ? size : half)) {
    yield `${separator}${json(shown(line, shownPath))}`;
    separator = ',';
    count += 1;
  }
  if (whole) return yield ']}]';
  const begin = size - half;
  await using tail = new GrowingLines(path, begin, MAX_LINE_BYTES);
  const texts: string[] = [];
  for await (const line of linesUpTo(tail, size)) texts.push(shown(line, shownPath));
  // The first one may have begun before.
  if (texts.length > 1) texts.shift();
  const first = lines === undefined ? null : lines - texts.length + 1;
  const gap = `${byteCount(begin - head.offset)} in the middle are left out here: see ${shownPath}`;
  yield `]},{"gap":${json(gap)}},{"first":${first !== null && first > count ? first : null},"lines":[`;
  for (const [at, text] of texts.entries()) yield `${at === 0 ? '' : ','}${json(text)}`;
  yield ']}]';
}

async function* linesUpTo(file: GrowingLines, until: number): AsyncGenerator<Line> {
  for (let lines = await file.next(until); lines !== undefined; lines = await file.next(until)) yield* lines;
  const last = file.flush();
  if (last !== undefined) yield last;
}

function shown({ text, cutBytes }: Line, shownPath: string): string {
  return `${pageLine(text)}${cutBytes === 0 ? '' : ` … (${cutBytes} more bytes: see ${shownPath})`}`;
}

/** JSON that holds no character that HTML reads. */
export function json(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
