const [QUOTE, BACKSLASH, SPACE] = [0x22, 0x5c, 0x20];

/** The most bytes that JSON makes of one: `\u001b`. */
const MOST_OF_ONE = 6;

/** `,{"t":"2026-06-18T10:00:00.123Z","l":"\n"}`, with room for years beyond 9999. */
const AROUND = 48;

/** Databases reject U+0000 in text; the file keeps it. */
const REPLACEMENT = Buffer.from('\ufffd');

/** JSON's escapes, up to the last byte that needs one. */
const ESCAPES: readonly string[] = Array.from({ length: BACKSLASH + 1 }, (_, byte) =>
  JSON.stringify(String.fromCharCode(byte)).slice(1, -1),
);

/**
 * Log lines as Pulumi Cloud expects them (protocol section 5), `{"t":<RFC 3339>,"l":<text>}` with
 * commas between, in a buffer that is used again and again: a string for each line would take
 * longer to collect than to send.
 */
export class JsonLines {
  readonly #buffer: Buffer;
  #length = 0;
  #count = 0;
  #time = Number.NaN;
  #head = Buffer.alloc(0);

  /** Has room for `bytes` of JSON, and for one more line of `longest` bytes. */
  constructor(bytes: number, longest: number) {
    this.#buffer = Buffer.allocUnsafe(bytes + longest * MOST_OF_ONE + AROUND);
  }

  get count(): number {
    return this.#count;
  }

  /** Bytes of JSON. */
  get length(): number {
    return this.#length;
  }

  /** The JSON, until `clear`. */
  get json(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
    this.#count = 0;
  }

  /**
   * Adds the UTF-8 from `start` to `end` of `text`, and `more`. `time`: milliseconds since the
   * epoch.
   */
  add(time: number, text: Buffer, { start = 0, end = text.length, more = '' } = {}): void {
    if (this.#count > 0) this.#put(',');
    if (time !== this.#time) this.#head = Buffer.from(`{"t":"${new Date(time).toISOString()}","l":"`);
    this.#time = time;
    this.#length += this.#head.copy(this.#buffer, this.#length);
    this.#escape(text, start, end);
    this.#put(`${JSON.stringify(more).slice(1)}}`);
    this.#count += 1;
  }

  /** Takes back the last line, before which there were `length` bytes of JSON. */
  undo(length: number): void {
    this.#length = length;
    this.#count -= 1;
  }

  #put(ascii: string): void {
    this.#length += this.#buffer.write(ascii, this.#length, 'latin1');
  }

  #escape(text: Buffer, start: number, end: number): void {
    const buffer = this.#buffer;
    let to = this.#length;

    for (let at = start; at < end; at += 1) {
      const byte = text[at] ?? 0;
      if (byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH) buffer[to++] = byte;
      else if (byte === 0) to += REPLACEMENT.copy(buffer, to);
      else to += buffer.write(ESCAPES[byte] ?? '', to, 'latin1');
    }

    this.#length = to;
  }
}
