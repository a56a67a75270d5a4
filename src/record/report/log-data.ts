import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { withoutPartialSequence } from '../../base/log/invisible-text.ts';
import { plainLine } from '../../base/log/plain-text.ts';
import { byteCount } from '../../base/quantity.ts';
import { lastLines, MAX_LINE_BYTES } from '../growing-lines.ts';
import { whenGone } from '../reader.ts';
import { colouredLine, type Piece } from './coloured-line.ts';

export interface LogSource {
  readonly path: string;
  /** The path that readers see. */
  readonly shownPath: string;
  /** Lines in the file, if known. */
  readonly lines?: number | undefined;
  /** The most of it that the page holds: half from the file's beginning, half from its end. */
  readonly maxBytes: number;
}

/** A line without colours is its text. */
type Line = string | readonly Piece[];

/**
 * A step's log as JSON for a script element: an array of `{first, lines}` (`first` is the number of the first line, or null
 * if unknown) and `{gap}` (a sentence about the lines left out). Nothing in it can end the element. Empty if there is no
 * file. Throws what node:fs throws.
 */
export async function logData(source: LogSource): Promise<string> {
  const { shownPath, lines = 0 } = source;
  const { head, tail, size } = await endsOf(source);

  const part = (first: number | null, texts: string[]) => ({
    first,
    lines: texts.map((line) => shown(line, shownPath)),
  });

  if (tail === undefined) return json([part(1, head)]);

  const omitted = byteCount(Math.max(0, size - Buffer.byteLength([...head, ...tail, ''].join('\n'))));
  const number = lines - tail.length + 1;
  const gap = `${omitted} in the middle are omitted here: see ${shownPath}`;

  return json([part(1, head), { gap }, part(number > head.length ? number : null, tail)]);
}

/**
 * A file's lines, all in `head` or those at both ends; a line the cut splits is dropped unless it
 * is the only one.
 */
async function endsOf({
  path,
  maxBytes,
}: LogSource): Promise<{ head: string[]; tail?: string[]; size: number }> {
  const size = (await stat(path).catch(whenGone(undefined)))?.size ?? 0;
  if (size <= maxBytes) return { head: await lastLines(path, Number.POSITIVE_INFINITY, maxBytes), size };
  const half = Math.floor(maxBytes / 2);
  const head = String(withoutPartialSequence(await buffer(createReadStream(path, { end: half - 1 })))).split(
    '\n',
  );
  if (head.length > 1) head.pop();
  return { head, tail: await lastLines(path, Number.POSITIVE_INFINITY, half), size };
}

function shown(line: string, shownPath: string): Line {
  const pieces: Piece[] = [];
  let room = MAX_LINE_BYTES;
  let omitted = 0;

  for (const piece of colouredLine(plainLine(line, { colours: true }))) {
    const [text, look] = typeof piece === 'string' ? [piece] : piece;
    const visible = text.slice(0, room);
    room -= visible.length;
    omitted += Buffer.byteLength(text.slice(visible.length));
    if (visible !== '') pieces.push(look === undefined ? visible : [visible, look]);
  }

  if (omitted > 0) pieces.push(` … (${omitted} more bytes: see ${shownPath})`);
  return pieces.every((piece) => typeof piece === 'string') ? pieces.join('') : pieces;
}

/** JSON without characters that are special in HTML. */
export function json(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
