import { open } from 'node:fs/promises';
import { byteCount } from '../quantity.ts';
import { GrowingLines, type Line, MAX_LINE_BYTES } from './growing-lines.ts';
import { plainLine } from './text.ts';

const LF = 0x0a;

export interface LogSource {
  readonly path: string;
  /** What readers call it. */
  readonly shownPath: string;
  /** Lines in the file, where that is known. */
  readonly lines: number | undefined;
  /** What the page holds of it at most: half of it from the file's beginning, half from its end. */
  readonly maxBytes: number;
  readonly maxLines: number;
}

/**
 * A step's log as JSON for a script element, piece by piece: an array of `{first, lines}` (the first one's number, or null
 * when it is not known) and `{gap}` (what was left out). No piece can end the element. Holds a chunk of the file at a time,
 * and for a while half of `maxBytes`. Throws what node:fs throws.
 */
export async function* logData({ path, shownPath, lines, maxBytes, maxLines }: LogSource): AsyncGenerator<string> {
  await using head = new GrowingLines(path, 0, MAX_LINE_BYTES);
  const size = await head.size();
  const halfBytes = Math.floor(maxBytes / 2);
  const halfLines = Math.max(1, Math.floor(maxLines / 2));
  const written = { lines: 0, end: 0 };
  yield '[{"first":1,"lines":[';
  for await (const chunk of chunksUpTo(head, size <= maxBytes ? size : halfBytes)) {
    const taken = chunk.slice(0, halfLines - written.lines);
    yield listOf(taken, shownPath, written.lines === 0);
    written.lines += taken.length;
    written.end = taken.at(-1)?.end ?? written.end;
    if (written.lines === halfLines) break;
  }
  if (written.end < size) {
    const begin = await lineStart(path, { from: Math.max(written.end, size - halfBytes), size, maxLines: halfLines });
    await using tail = new GrowingLines(path, begin, MAX_LINE_BYTES);
    const texts: string[] = [];
    for await (const chunk of chunksUpTo(tail, size)) for (const line of chunk) texts.push(shown(line, shownPath));
    const gap = `${byteCount(begin - written.end)} in the middle are left out here: see ${shownPath}`;
    const isNext = begin === written.end;
    const first = isNext ? written.lines + 1 : (lines ?? 0) - texts.length + 1;
    yield `]}${isNext ? '' : `,{"gap":${json(gap)}}`},{"first":${first > written.lines ? first : null},"lines":[`;
    yield texts.map(json).join(',');
  }
  yield ']}]';
}

/** The lines up to a byte offset, in chunks; the one that ends there without a line end is the last. */
async function* chunksUpTo(file: GrowingLines, until: number): AsyncGenerator<Line[]> {
  for (let lines = await file.next(until); lines !== undefined; lines = await file.next(until)) {
    if (lines.length > 0) yield lines;
  }
  const last = file.flush();
  if (last !== undefined) yield [last];
}

/**
 * Where the last lines of a file begin: at most `maxLines` of them, the first of those that begin at `from` or later; `from`
 * itself when none does.
 */
async function lineStart(
  path: string,
  { from, size, maxLines }: { readonly from: number; readonly size: number; readonly maxLines: number },
): Promise<number> {
  if (from === 0) return 0;
  const file = await open(path, 'r');
  try {
    // One byte more: a line that begins at `from` is whole.
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from + 1), 0, size - from + 1, from - 1);
    let start = bytesRead;
    let at = bytesRead - 1;
    for (let count = 0; count < maxLines && at > 0; count++) {
      // The byte before a line; the file's last byte may end its last line.
      at = buffer.lastIndexOf(LF, at - 1);
      if (at < 0) break;
      start = at + 1;
    }
    return start === bytesRead ? from : from - 1 + start;
  } finally {
    await file.close();
  }
}

function listOf(lines: readonly Line[], shownPath: string, isFirst: boolean): string {
  return `${isFirst || lines.length === 0 ? '' : ','}${lines.map((line) => json(shown(line, shownPath))).join(',')}`;
}

function shown({ text, cutBytes }: Line, shownPath: string): string {
  return `${plainLine(text)}${cutBytes === 0 ? '' : ` … (${cutBytes} more bytes: see ${shownPath})`}`;
}

/** JSON that holds no character that HTML reads. */
export function json(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
