import { CloudBatch, type CloudLine } from './cloud-batch.ts';
import { JsonLines } from './json-text.ts';
import { characterStart, LONGEST_LINE, lineEnd } from './lines.ts';
import type { LogBlock } from './sink.ts';

/** How much one call may carry. */
export interface CallLimits {
  readonly lines: number;
  /** Bytes of JSON, the envelope included. */
  readonly bytes: number;
}

/** The most that is ever sent in one call. The server's own limits are unknown. */
export const LARGEST_CALL: CallLimits = { lines: 1_000, bytes: 256 * 1024 };

/** `{"offset":…,"lines":[]}` with the largest number. */
const ENVELOPE_BYTES = 48;
/** Bytes of a piece of a line that no call could carry whole: escaped, 6 bytes each at most. */
const PIECE_BYTES = 16 * 1024;
const MOST_ESCAPED = 6;

const SMALLEST_BUFFER = 64 * 1024;
const END = Buffer.from(']}');
const NOTHING = Buffer.alloc(0);

/**
 * Lines on their way to Pulumi Cloud, in order. They wait as the JSON that is sent, in one buffer outside of JavaScript's heap: as
 * objects, every line that ever waited would pile up in the heap's old generation and triple the process's memory.
 */
export class CloudQueue {
  /** The lines' JSON, a comma behind each. */
  #buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;
  /** Bytes of each line in the buffer, its comma included. */
  #sizes = new Uint32Array(0);
  #first = 0;
  #next = 0;
  /** What stands before each text of that time. */
  #head = { t: '', bytes: Buffer.alloc(0) };
  /** Stands for the first line. */
  #replacement: Buffer | undefined;

  get length(): number {
    return this.#next - this.#first;
  }

  /** Bytes of JSON of all waiting lines. */
  get bytes(): number {
    return this.#end - this.#start;
  }

  /** Adds lines; a part of one gets a line end of its own, and one that no call could carry is split into several. */
  add({ t, bytes, partial = false }: LogBlock): void {
    if (t !== this.#head.t) this.#head = { t, bytes: Buffer.from(`{"t":${JSON.stringify(t)},"l":"`) };
    const json = new JsonLines(bytes);
    for (let from = 0; from < bytes.length; ) {
      const to = lineEnd(bytes, from);
      const size = this.#append(json, from, to, partial);
      if (size > LARGEST_CALL.bytes - ENVELOPE_BYTES && to - from > PIECE_BYTES) {
        this.#end -= size;
        this.#next--;
        this.#appendPieces(bytes, from, to, partial);
      }
      from = to;
    }
  }

  #appendPieces(bytes: Buffer, from: number, to: number, partial: boolean): void {
    for (let start = from; start < to; ) {
      const end = to - start <= PIECE_BYTES ? to : characterStart(bytes, start + PIECE_BYTES);
      this.#append(new JsonLines(bytes), start, end, partial || end < to);
      start = end;
    }
  }

  /**
   * A call with the first lines that fit it, at least one unless the queue is empty. They stay in the queue, which may go on
   * meanwhile: the call holds a copy.
   */
  first(limits: CallLimits, offset: number): CloudBatch {
    const replaced = this.#replacement ?? NOTHING;
    let end = this.#start;
    let count = 0;
    let bytes = ENVELOPE_BYTES;
    while (count < Math.min(limits.lines, this.length)) {
      const size = this.#sizes[this.#first + count] as number;
      bytes += count === 0 && replaced !== NOTHING ? replaced.length : size;
      if (count > 0 && bytes > limits.bytes) break;
      end += size;
      count++;
    }
    const start = this.#start + (replaced === NOTHING ? 0 : (this.#sizes[this.#first] as number));
    const head = Buffer.from(`{"offset":${offset},"lines":[`);
    const json = Buffer.concat([head, replaced, this.#buffer.subarray(start, end), END]);
    // The last line's comma goes.
    if (count > 0) json.set(END, json.length - END.length - 1);
    return new CloudBatch(offset, count, count > 0 ? json.subarray(0, -1) : json);
  }

  /** Takes the first `count` lines away. */
  drop(count: number): void {
    for (let dropped = 0; dropped < count; dropped++) this.#start += this.#sizes[this.#first++] as number;
    if (count > 0) this.#replacement = undefined;
    if (this.length === 0) this.#start = this.#end = this.#first = this.#next = 0;
  }

  /** Puts another line in the first one's place. */
  replaceFirst(line: CloudLine): void {
    this.#replacement = Buffer.from(`${JSON.stringify(line)},`);
  }

  /** Returns the bytes that the line takes. */
  #append(json: JsonLines, from: number, to: number, partial: boolean): number {
    const head = this.#head.bytes;
    this.#reserve(head.length + (to - from) * MOST_ESCAPED + 8);
    const began = this.#end;
    head.copy(this.#buffer, began);
    let end = json.write(from, to, this.#buffer, began + head.length);
    if (partial) end += this.#buffer.write('\\n', end, 'latin1');
    // `"},`
    this.#buffer[end] = 0x22;
    this.#buffer[end + 1] = 0x7d;
    this.#buffer[end + 2] = 0x2c;
    this.#end = end + 3;
    this.#sizes[this.#next++] = this.#end - began;
    return this.#end - began;
  }

  /** Makes space for a line of `size` bytes: by moving everything to the front where that frees a quarter of the buffer, else by larger ones. */
  #reserve(size: number): void {
    if (this.#end + size > this.#buffer.length) {
      const used = this.#end - this.#start;
      const old = this.#buffer;
      if (used + size > (old.length * 3) / 4) {
        const spare = Math.min(used, 4 * 1024 ** 2) + size;
        this.#buffer = Buffer.allocUnsafeSlow(Math.max(SMALLEST_BUFFER, used + spare + LONGEST_LINE));
      }
      old.copy(this.#buffer, 0, this.#start, this.#end);
      this.#end = used;
      this.#start = 0;
    }
    if (this.#next < this.#sizes.length) return;
    const waiting = this.#sizes.subarray(this.#first, this.#next);
    if (waiting.length >= (this.#sizes.length * 3) / 4)
      this.#sizes = new Uint32Array(Math.max(256, waiting.length * 2));
    this.#sizes.set(waiting);
    this.#next = waiting.length;
    this.#first = 0;
  }
}
