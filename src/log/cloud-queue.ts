import type { LogLine } from './sink.ts';
import { cutPosition } from './text-cut.ts';

/** A line as Pulumi Cloud takes it (protocol section 5): `t` is its time, `l` its text. */
export interface CloudLine {
  readonly t: string;
  readonly l: string;
}

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
/** Characters of a piece of a line that no call could carry whole: escaped, 6 bytes each at most. */
const PIECE_LENGTH = 16 * 1024;

const SMALLEST_BUFFER = 64 * 1024;
/** Before each line in the buffer, 4 bytes each: length of its time, of its text, of both as JSON. */
const HEADER_BYTES = 12;
/** `{"t":"","l":""},` */
const LINE_FRAME_BYTES = 16;

/**
 * Lines on their way to Pulumi Cloud, in order. They wait as bytes in one buffer outside of JavaScript's heap: as objects, every
 * line that ever waited would pile up in the heap's old generation and triple the process's memory.
 */
export class CloudQueue {
  #buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;
  #length = 0;
  #jsonBytes = 0;
  /** Stands for the first line. */
  #replacement: CloudLine | undefined;

  get length(): number {
    return this.#length;
  }

  /** Bytes of JSON of all waiting lines. */
  get bytes(): number {
    return this.#jsonBytes;
  }

  /** Adds a line; a part of one gets a line end of its own, and one that no call could carry is split into several. */
  add({ t, text, partial = false }: LogLine): void {
    let rest = partial ? `${text}\n` : text;
    let size = jsonSize({ t, l: rest });
    while (size > LARGEST_CALL.bytes - ENVELOPE_BYTES && rest.length > PIECE_LENGTH) {
      const at = cutPosition(rest, PIECE_LENGTH);
      const piece = { t, l: `${rest.slice(0, at)}\n` };
      this.#append(piece, jsonSize(piece));
      rest = rest.slice(at);
      size = jsonSize({ t, l: rest });
    }
    this.#append({ t, l: rest }, size);
  }

  /** The first lines that fit a call, at least one unless the queue is empty, and the call's bytes. They stay in the queue. */
  first(limits: CallLimits): { lines: readonly CloudLine[]; bytes: number } {
    const lines: CloudLine[] = [];
    let bytes = ENVELOPE_BYTES;
    let at = this.#start;
    while (lines.length < Math.min(limits.lines, this.#length)) {
      const replaced = lines.length === 0 ? this.#replacement : undefined;
      const size = replaced === undefined ? this.#buffer.readUInt32LE(at + 8) : jsonSize(replaced);
      if (lines.length > 0 && bytes + size > limits.bytes) break;
      lines.push(replaced ?? this.#lineAt(at));
      bytes += size;
      at = this.#after(at);
    }
    return { lines, bytes };
  }

  /** Takes the first `count` lines away. */
  drop(count: number): void {
    for (let dropped = 0; dropped < count; dropped++) {
      this.#jsonBytes -= this.#buffer.readUInt32LE(this.#start + 8);
      this.#start = this.#after(this.#start);
    }
    this.#length -= count;
    this.#replacement = undefined;
    if (this.#length === 0) this.#start = this.#end = 0;
  }

  /** Puts another line in the first one's place. */
  replaceFirst(line: CloudLine): void {
    this.#replacement = line;
  }

  #lineAt(at: number): CloudLine {
    const text = at + HEADER_BYTES + this.#buffer.readUInt32LE(at);
    return new QueuedLine(
      this.#buffer.toString('utf8', at + HEADER_BYTES, text),
      this.#buffer.toString('utf8', text, this.#after(at)),
    );
  }

  #after(at: number): number {
    return at + HEADER_BYTES + this.#buffer.readUInt32LE(at) + this.#buffer.readUInt32LE(at + 4);
  }

  #append({ t, l }: CloudLine, size: number): void {
    // A UTF-16 unit takes 3 bytes at most; a little space is cheaper than to count.
    this.#reserve(HEADER_BYTES + (t.length + l.length) * 3);
    const timeBytes = this.#buffer.write(t, this.#end + HEADER_BYTES, 'utf8');
    const textBytes = this.#buffer.write(l, this.#end + HEADER_BYTES + timeBytes, 'utf8');
    this.#buffer.writeUInt32LE(timeBytes, this.#end);
    this.#buffer.writeUInt32LE(textBytes, this.#end + 4);
    this.#buffer.writeUInt32LE(size, this.#end + 8);
    this.#end += HEADER_BYTES + timeBytes + textBytes;
    this.#length++;
    this.#jsonBytes += size;
  }

  /** Makes space for `size` bytes at the end: by moving everything to the front where that frees a quarter of the buffer, else by a larger one. */
  #reserve(size: number): void {
    if (this.#end + size <= this.#buffer.length) return;
    const used = this.#end - this.#start;
    const old = this.#buffer;
    if (used + size > (old.length * 3) / 4) {
      this.#buffer = Buffer.allocUnsafeSlow(Math.max(SMALLEST_BUFFER, (used + size) * 2));
    }
    old.copy(this.#buffer, 0, this.#start, this.#end);
    this.#end = used;
    this.#start = 0;
  }
}

/**
 * A class and not an object literal: V8 learns how long a literal's objects live (allocation-site pretenuring), and from the one
 * batch that lives through a collection it may learn wrong and make all of them in the old generation, for 110 MB more.
 */
class QueuedLine implements CloudLine {
  readonly t: string;
  readonly l: string;

  constructor(t: string, l: string) {
    this.t = t;
    this.l = l;
  }
}

/** Bytes of a line in a call's JSON, its comma included. */
function jsonSize({ t, l }: CloudLine): number {
  return LINE_FRAME_BYTES + jsonTextSize(t) + jsonTextSize(l);
}

/** Bytes of a text inside JSON's quotes, as JSON.stringify escapes it. */
function jsonTextSize(text: string): number {
  let size = Buffer.byteLength(text, 'utf8');
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22 || code === 0x5c || (code >= 0x08 && code <= 0x0d && code !== 0x0b)) size += 1;
    else if (code < 0x20) size += 5;
  }
  return size;
}
