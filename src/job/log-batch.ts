import type { LogLine } from '../cloud/jobs.ts';
import type { StepFile } from '../log/step-file.ts';

/** How much one call may carry: lines, and bytes of JSON for all of them. A line alone may be longer. */
export interface CallLimits {
  readonly lines: number;
  readonly bytes: number;
}

/** The most that is ever sent in one call (protocol section 5). */
export const LARGEST_CALL: CallLimits = { lines: 1_000, bytes: 256 * 1024 };

/** Bytes of a longer line that are sent as one: in JSON they may take six times as many. */
const LONGEST_PIECE = 40 * 1024;
/** `{"offset":…,"lines":[]}` with a large number. */
const ENVELOPE_BYTES = 48;
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

/** The complete lines at `position` that the limits allow, one at least; undefined for none. Throws what reading the file throws. */
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
    // No database takes U+0000 as text; the file keeps it.
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
  // A line that has no end yet is no backlog.
  const isFull = pieceEnd(bytes, taken, isEnd) !== undefined || position + bytes.length < file.size;
  return { lines, bytes: taken, ended, size, isFull };
}

/** Where the piece ends that begins at `start`. What has no line end yet is none, unless it is too long for one, or the log's last. */
function pieceEnd(bytes: Buffer, start: number, isEnd: boolean): number | undefined {
  if (start === bytes.length) return undefined;
  const lineFeed = bytes.indexOf(LINE_FEED, start);
  const end = lineFeed === -1 ? bytes.length : lineFeed;
  if (end - start > LONGEST_PIECE) return characterStart(bytes, start + LONGEST_PIECE);
  if (lineFeed !== -1) return lineFeed + 1;
  return isEnd ? end : undefined;
}

/** The last position up to `at` where a character of the text begins, if it is UTF-8. */
function characterStart(bytes: Buffer, at: number): number {
  let start = at;
  while (start > at - 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}
