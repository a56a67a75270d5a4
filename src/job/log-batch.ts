import type { LogLine } from '../cloud/jobs.ts';
import { characterStart, LONGEST_LINE } from '../log/lines.ts';
import type { StepFile } from '../log/step-file.ts';

/** How much one call may carry: lines, bytes of JSON for all of them, and for a line alone before it comes in pieces. */
export interface CallLimits {
  readonly lines: number;
  readonly bytes: number;
  readonly alone: number;
}

/** The most that is ever sent in one call (protocol section 5). */
export const LARGEST_CALL: CallLimits = { lines: 1_000, bytes: 256 * 1024, alone: 256 * 1024 };
/** Bytes of a line that is not cut into smaller pieces. */
export const SMALLEST_PIECE = 1024;

/** `{"offset":…,"lines":[]}` with a large number, and `{"t":"…","l":""},` for each line. */
const ENVELOPE_BYTES = 48;
const LINE_BYTES = 44;
const LINE_FEED = 0x0a;

/** Lines from a step's file on their way to Pulumi Cloud. */
export interface LogBatch {
  readonly lines: readonly LogLine[];
  /** Bytes of the file that they take. */
  readonly bytes: number;
  /** How many of them end a line: a long line comes in several pieces. */
  readonly ended: number;
  /** Bytes of the call's JSON, about. */
  readonly size: number;
  /** More could be read already than the limits allow. */
  readonly isFull: boolean;
}

/**
 * The lines at `position` of the file, as many as are complete and the limits allow; undefined when none is. A line that is too
 * long for one call comes in pieces, each with a line end of its own. Throws what reading the file throws.
 */
export async function batchAt(file: StepFile, position: number, limits: CallLimits): Promise<LogBatch | undefined> {
  const { isWhole } = file;
  const bytes = await file.read(position, limits.alone);
  const isEnd = isWhole && position + bytes.length === file.size;
  const timeAt = timesOf(file, position);
  let longest = Math.min(LONGEST_LINE, limits.alone - ENVELOPE_BYTES - LINE_BYTES);
  for (let most = limits.lines; ; ) {
    const ends = pieceEnds(bytes, { limits: { ...limits, lines: most }, longest, isEnd });
    const taken = ends.at(-1);
    if (taken === undefined) return undefined;
    const lines = ends.map((end, index) => lineOf(bytes, { start: ends[index - 1] ?? 0, end, isEnd }, timeAt));
    const size = ENVELOPE_BYTES + Buffer.byteLength(JSON.stringify(lines));
    const fits = ends.length > 1 ? size <= limits.bytes : size <= limits.alone || taken <= SMALLEST_PIECE;
    if (fits) {
      const ended = ends.filter((end) => bytes[end - 1] === LINE_FEED || (isEnd && end === bytes.length)).length;
      return { lines, bytes: taken, ended, size, isFull: position + taken < file.size };
    }
    // Characters that JSON escapes take up to six bytes.
    if (ends.length > 1) most = Math.floor(ends.length / 2);
    else longest = Math.floor(taken / 2);
  }
}

interface PieceLimits {
  readonly limits: CallLimits;
  /** Bytes of a piece at most. */
  readonly longest: number;
  /** Nothing comes behind `bytes`. */
  readonly isEnd: boolean;
}

/** Where each piece ends. What has no line end yet is none, unless it is too long for one, or the log's last. */
function pieceEnds(bytes: Buffer, { limits, longest, isEnd }: PieceLimits): number[] {
  const ends: number[] = [];
  let size = ENVELOPE_BYTES;
  for (let start = 0; start < bytes.length && ends.length < limits.lines; ) {
    let end = bytes.indexOf(LINE_FEED, start) + 1;
    if (end === 0 ? bytes.length - start > longest : end - start > longest + 1) {
      end = characterStart(bytes, start + longest);
    } else if (end === 0) {
      if (!isEnd) break;
      end = bytes.length;
    }
    size += LINE_BYTES + end - start;
    if (size > limits.bytes && ends.length > 0) break;
    ends.push(end);
    start = end;
  }
  return ends;
}

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly isEnd: boolean;
}

/** A piece as it is sent. No database takes U+0000 as text; the file keeps it. */
function lineOf(bytes: Buffer, { start, end, isEnd }: Piece, timeAt: (start: number) => string): LogLine {
  const text = bytes.toString('utf8', start, end).replaceAll('\0', '\ufffd');
  const isCut = bytes[end - 1] !== LINE_FEED && !(isEnd && end === bytes.length);
  return { t: timeAt(start), l: isCut ? `${text}\n` : text };
}

/** RFC 3339 of the line that starts so many bytes behind `position`. Lines that came together share the text. */
function timesOf(file: StepFile, position: number): (start: number) => string {
  let [latest, text] = [Number.NaN, ''];
  return (start) => {
    const time = file.timeAt(position + start);
    if (time !== latest) [latest, text] = [time, new Date(time).toISOString()];
    return text;
  };
}
