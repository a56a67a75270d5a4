import type { LogLine } from '../cloud/jobs.ts';
import type { StepFile } from '../log/step-file.ts';

/** The most lines, and bytes of JSON, in one call. A single line may be longer. */
export interface CallLimits {
  readonly lines: number;
  readonly bytes: number;
}

/** The upper bound for any call (protocol section 5). */
export const LARGEST_CALL: CallLimits = { lines: 1_000, bytes: 256 * 1024 };

/** Longer lines are sent in pieces of this many bytes, which JSON may inflate sixfold. */
const LONGEST_PIECE = 40 * 1024;
/** `{"offset":…,"lines":[]}` with a large number. */
const ENVELOPE_BYTES = 48;
const LINE_FEED = 0x0a;

/** Lines of a step's file for one call. */
export interface LogBatch {
  readonly lines: readonly LogLine[];
  /** Bytes that they occupy in the file. */
  readonly bytes: number;
  /** How many of them end a line: a long line is sent in several pieces. */
  readonly ended: number;
  /** Approximate size of the call's JSON in bytes. */
  readonly size: number;
  /** More lines are available than the limits allow. */
  readonly isFull: boolean;
}

/** The complete lines at `position` within the limits, at least one; undefined if there are none. Throws as `read`. */
export async function batchAt(file: StepFile, position: number, limits: CallLimits): Promise<LogBatch | undefined> {
  const { isWhole } = file;
  const bytes = await file.read(position, Math.max(limits.bytes, LONGEST_PIECE + 1));
  const isEnd = isWhole && position + bytes.length === file.size;
  const lines: LogLine[] = [];
  let [taken, ended, size] = [0, 0, ENVELOPE_BYTES];
  while (lines.length < limits.lines) {
    const end = pieceEnd(bytes, taken, isEnd);
    if (end === undefined) break;
    const isEnded = bytes[end - 1] === LINE_FEED || (isEnd && end === bytes.length);
    // Databases reject U+0000 in text; the file keeps it.
    const text = bytes.toString('utf8', taken, end).replaceAll('\0', '\ufffd');
    const line = { t: new Date(file.timeAt(position + taken)).toISOString(), l: isEnded ? text : `${text}\n` };
    const lineSize = Buffer.byteLength(JSON.stringify(line)) + 1;
    if (size + lineSize > limits.bytes && lines.length > 0) break;
    lines.push(line);
    size += lineSize;
    taken = end;
    if (isEnded) ended += 1;
  }
  if (lines.length === 0) return undefined;
  // An unfinished line is not a backlog.
  const isFull = pieceEnd(bytes, taken, isEnd) !== undefined || position + bytes.length < file.size;
  return { lines, bytes: taken, ended, size, isFull };
}

/** The end of the piece at `start`; undefined for an unfinished line, unless it is too long or ends the log. */
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
