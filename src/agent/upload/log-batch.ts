import { isUtf8 } from 'node:buffer';
import type { StepFile } from '../../base/log/step-file.ts';
import type { JsonLines } from './json-lines.ts';

/** The most lines, and bytes of JSON, in one call. A single line may be longer. */
export interface CallLimits {
  readonly lines: number;
  readonly bytes: number;
}

/** The upper bound for any call (protocol section 5). */
export const LARGEST_CALL: CallLimits = { lines: 1_000, bytes: 256 * 1024 };

/** Longer lines are sent in pieces of this many bytes, which JSON can inflate sixfold. */
export const LONGEST_PIECE = 40 * 1024;

/** `{"offset":…,"lines":[]}` with a large number. */
const ENVELOPE_BYTES = 48;
const LINE_FEED = 0x0a;

/** Lines of a step's file for one call. */
export interface LogBatch {
  /** How many lines. */
  readonly count: number;
  readonly json: Buffer;
  /** Bytes that they occupy in the file. */
  readonly bytes: number;
  /** How many of them end a line: a long line is sent in several pieces. */
  readonly ended: number;
  /** Approximate size of the call in bytes. */
  readonly size: number;
  /** More lines are available than the limits allow. */
  readonly isFull: boolean;
}

/**
 * Fills `lines` with the complete lines at `position` within the limits, at least one. Undefined if
 * there are none. Throws as `read`.
 */
export async function batchAt(
  file: StepFile,
  position: number,
  limits: CallLimits,
  lines: JsonLines,
): Promise<LogBatch | undefined> {
  const { isWhole } = file;
  const bytes = await file.read(position, Math.max(limits.bytes, LONGEST_PIECE + 1));
  const isEnd = isWhole && position + bytes.length === file.size;

  // Checked at once for all lines but the last, whose end can be missing.
  const isText = isUtf8(bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1));

  lines.clear();

  let [taken, ended] = [0, 0];
  while (lines.count < limits.lines) {
    const end = pieceEnd(bytes, taken, isEnd);
    if (end === undefined) break;

    const isEnded = bytes[end - 1] === LINE_FEED || (isEnd && end === bytes.length);
    const before = lines.length;
    const time = file.timeAt(position + taken);

    if (isText && bytes[end - 1] === LINE_FEED) lines.add(time, bytes, { start: taken, end });
    // Bytes that are no UTF-8 become U+FFFD.
    else lines.add(time, Buffer.from(bytes.toString('utf8', taken, end)), { more: isEnded ? '' : '\n' });

    if (ENVELOPE_BYTES + lines.length > limits.bytes && lines.count > 1) {
      lines.undo(before);
      break;
    }

    taken = end;
    if (isEnded) ended += 1;
  }

  if (taken === 0) return undefined;

  const size = ENVELOPE_BYTES + lines.length;

  // An unfinished line is not a backlog.
  const isFull = pieceEnd(bytes, taken, isEnd) !== undefined || position + bytes.length < file.size;

  return { count: lines.count, json: lines.json, bytes: taken, ended, size, isFull };
}

/**
 * The end of the piece at `start`; undefined for an unfinished line, unless it is too long or ends
 * the log.
 */
function pieceEnd(bytes: Buffer, start: number, isEnd: boolean): number | undefined {
  if (start === bytes.length) return undefined;
  const lineFeed = bytes.indexOf(LINE_FEED, start);
  const end = lineFeed === -1 ? bytes.length : lineFeed;
  if (end - start > LONGEST_PIECE) return characterStart(bytes, start + LONGEST_PIECE);
  if (lineFeed !== -1) return lineFeed + 1;
  return isEnd ? end : undefined;
}

/** The last position up to `at` where a UTF-8 character begins. */
function characterStart(bytes: Buffer, at: number): number {
  let start = at;
  while (start > at - 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}
