import { type FileHandle, open } from 'node:fs/promises';
import { withoutPartialSequence } from '../base/log/invisible-text.ts';
import { stripControl, withoutTrailing } from '../base/log/plain-text.ts';
import { whenGone } from './reader.ts';

/** One line, without its line ending. */
export interface Line {
  /**
   * A line longer than the limit is cut. Of one that carriage returns rewrote, such as a progress bar,
   * its first and last states remain: an error can be the last.
   */
  readonly text: string;
  /** Bytes left out of `text` because the line was longer than the limit. */
  readonly cutBytes: number;
  /** Byte offset at which the next line begins. */
  readonly end: number;
}

/** The longest line that is shown: GitHub's runner takes minutes for one of 100,000 characters. */
export const MAX_LINE_BYTES = 8 * 1024;
const CHUNK_BYTES = 64 * 1024;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

/** States of a text, from its end, that are looked at for a visible one: an error and what clears its line. */
const MOST_STATES = 16;

/** Bytes of a state that decide whether it can be seen. */
const LOOKED_AT = 8 * 1024;

/**
 * Reads a growing file's lines from a byte offset. Memory is bounded by one chunk and one line of
 * `maxLineBytes`.
 */
export class GrowingLines implements AsyncDisposable {
  readonly #path: string;
  readonly #maxLineBytes: number;
  readonly #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  #file: FileHandle | undefined;
  #read: number;
  #done: number;
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  /** Of a line longer than the limit. */
  #states: RewrittenStates | undefined;

  constructor(path: string, offset: number, maxLineBytes: number) {
    this.#path = path;
    this.#read = offset;
    this.#done = offset;
    this.#maxLineBytes = maxLineBytes;
  }

  /** Byte offset of the first line not yet returned. */
  get offset(): number {
    return this.#done;
  }

  /** The file's current size in bytes; 0 while there is no such file. */
  async size(): Promise<number> {
    const file = await this.#opened();
    return file === undefined ? 0 : (await file.stat()).size;
  }

  /**
   * The lines that the next chunk completes, possibly none; undefined at the file's end or at byte
   * offset `until`.
   */
  async next(until = Number.POSITIVE_INFINITY): Promise<Line[] | undefined> {
    const file = await this.#opened();
    const wanted = Math.min(CHUNK_BYTES, until - this.#read);
    if (file === undefined || wanted <= 0) return undefined;
    const { bytesRead } = await file.read(this.#chunk, 0, wanted, this.#read);
    if (bytesRead === 0) return undefined;
    return this.#split(this.#chunk.subarray(0, bytesRead));
  }

  /** Returns the last line if it has no line ending. For a file that is complete. */
  flush(): Line | undefined {
    return this.#read === this.#done ? undefined : this.#take(this.#read);
  }

  /**
   * The end of a line that has no line ending yet: up to `most` bytes of its last state, or nothing
   * where these could begin inside an escape sequence.
   */
  async unfinished(most: number): Promise<string> {
    const file = await this.#opened();
    const start = Math.max(this.#done, this.#read - most);
    if (file === undefined || start === this.#read) return '';

    const { buffer, bytesRead } = await file.read(Buffer.alloc(this.#read - start), 0, null, start);
    const text = withoutTrailing(buffer.toString('utf8', 0, bytesRead).replace(/^\ufffd+/, ''), '\ufffd');
    const states = text.split('\r');
    // An escape sequence ends at a carriage return.
    const whole = start === this.#done ? states : states.slice(1);
    const state = whole.findLast(isVisible);
    if (state !== undefined) return state;
    return states.length === 1 && stripControl(text) === text ? text : '';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  async #opened(): Promise<FileHandle | undefined> {
    this.#file ??= await open(this.#path, 'r').catch(whenGone(undefined));
    return this.#file;
  }

  #split(bytes: Buffer): Line[] {
    const lines: Line[] = [];
    let start = 0;

    for (let lf = bytes.indexOf(LF); lf >= 0; lf = bytes.indexOf(LF, start)) {
      this.#add(bytes.subarray(start, lf), false);
      start = lf + 1;
      lines.push(this.#take(this.#read + start, 1));
    }

    this.#add(bytes.subarray(start), true);
    this.#read += bytes.length;

    return lines;
  }

  #add(bytes: Buffer, copy: boolean): void {
    const room = bytes.subarray(0, this.#maxLineBytes - this.#pieceBytes);
    if (room.length > 0) {
      this.#pieces.push(copy ? Buffer.from(room) : room);
      this.#pieceBytes += room.length;
    }

    if (room.length === bytes.length) return;
    this.#states ??= new RewrittenStates(Buffer.concat(this.#pieces));
    this.#states.add(bytes.subarray(room.length));
  }

  #take(end: number, lineEndBytes = 0): Line {
    const size = end - this.#done - lineEndBytes;
    const all = Buffer.concat(this.#pieces);
    const line =
      this.#states === undefined
        ? { text: all.toString('utf8'), cutBytes: 0, end }
        : { ...cutLine(all, size, this.#states.last), end };

    this.#states = undefined;
    this.#pieces = [];
    this.#pieceBytes = 0;
    this.#done = end;

    return line;
  }
}

/** A line of `size` bytes by its beginning and, if it was rewritten, the last state of it. */
function cutLine(begun: Buffer, size: number, last: Buffer | undefined) {
  if (last === undefined) {
    const whole = withoutPartialSequence(begun);
    return { text: wholeText(whole), cutBytes: size - whole.length };
  }

  const [first = ''] = begun.toString('latin1').split('\r', 1);
  const head = withoutPartialSequence(begun.subarray(0, first.length));
  return { text: `${wholeText(head)}\r${wholeText(last)}`, cutBytes: size - head.length - 1 - last.length };
}

/** The text of bytes that can end in the middle of a character. */
function wholeText(bytes: Buffer): string {
  return withoutTrailing(bytes.toString('utf8'), '\ufffd');
}

/**
 * Finds the last visible state, but for the first, of a line longer than the limit: carriage returns
 * rewrite a line, as for a progress bar.
 */
class RewrittenStates {
  readonly #most: number;
  /** The last visible one that a carriage return ended. */
  #last: Buffer | undefined;
  /** The one after it, up to the limit; undefined in the first. */
  #open: Buffer | undefined;

  /** @param begun the line up to the limit, which bounds a state too */
  constructor(begun: Buffer) {
    this.#most = begun.length;
    this.add(begun);
  }

  add(bytes: Buffer): void {
    const end = bytes.lastIndexOf(CR);
    if (end < 0) {
      this.#open = this.#open && this.#joined(this.#open, bytes);
      return;
    }

    this.#last = this.#lastOf(bytes.subarray(0, end)) ?? this.#last;
    this.#open = this.#joined(bytes.subarray(end + 1));
  }

  get last(): Buffer | undefined {
    const state = this.#open !== undefined && isVisible(textOf(this.#open)) ? this.#open : this.#last;
    return state && withoutPartialSequence(state);
  }

  /** Of states that are complete, the last visible one; the open one goes on with the first bytes. */
  #lastOf(bytes: Buffer): Buffer | undefined {
    let to = bytes.length;

    for (let looked = 0; looked < MOST_STATES; looked++) {
      while (to > 0 && (bytes[to - 1] as number) <= SPACE) to--;
      const from = to === 0 ? -1 : bytes.lastIndexOf(CR, to - 1);
      const end = bytes.indexOf(CR, to);
      const piece = bytes.subarray(from + 1, end < 0 ? bytes.length : end);
      const state = from >= 0 ? this.#joined(piece) : this.#open && this.#joined(this.#open, piece);
      if (state !== undefined && isVisible(textOf(state))) return state;
      if (from < 0) return undefined;
      to = from;
    }

    return undefined;
  }

  /** A copy of the pieces, up to the limit. */
  #joined(...pieces: readonly Buffer[]): Buffer {
    return Buffer.concat(pieces.map((piece) => piece.subarray(0, this.#most))).subarray(0, this.#most);
  }
}

/** True if something of a line's state can be seen. */
function isVisible(state: string): boolean {
  return stripControl(state).trim() !== '';
}

function textOf(state: Buffer): string {
  return state.toString('utf8', 0, LOOKED_AT);
}

/**
 * The last `count` whole lines within the last `maxBytes` of a file; none if there is no such file.
 */
export async function lastLines(path: string, count: number, maxBytes = CHUNK_BYTES): Promise<string[]> {
  await using file = await open(path, 'r').catch(whenGone(undefined));
  if (file === undefined) return [];

  const { size } = await file.stat();
  const start = Math.max(0, size - maxBytes);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
  const lines = buffer.subarray(0, bytesRead).toString('utf8').split('\n');

  if (lines.at(-1) === '') lines.pop();

  // The first line may begin before the window, in an escape sequence, which would end at a
  // carriage return.
  const [first = ''] = start > 0 ? lines.splice(0, 1) : [];
  if (first.includes('\r') && lines.length === 0) lines.push(first.replace(/^[^\r]*\r/, ''));

  return lines.slice(-count);
}
