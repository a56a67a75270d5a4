/** What stands for a byte inside JSON's quotes, behind a backslash and as JSON.stringify writes it; 0 for a byte that stands for itself. */
const LETTERS = new Uint8Array(256);
const LETTER_U = 0x75;
for (let code = 0; code < 0x20; code++) LETTERS[code] = LETTER_U;
for (const pair of ['\bb', '\tt', '\nn', '\ff', '\rr', '""', '\\\\']) LETTERS[pair.charCodeAt(0)] = pair.charCodeAt(1);

const LINE_FEED = 0x0a;
/** The bytes that make a line special; its line end doesn't. */
const ESCAPED = [...LETTERS.keys()].filter((code) => LETTERS[code] !== 0 && code !== LINE_FEED);

const HEX = Buffer.from('0123456789abcdef');
const BACKSLASH = 0x5c;
const ZERO = 0x30;

/**
 * UTF-8 text as it stands inside JSON's quotes, line by line. Most lines have nothing to escape: those are found by searches for
 * single bytes and copied, both of which the platform does many times faster than JavaScript can look at a byte.
 */
export class JsonLines {
  readonly #text: Buffer;
  /** The bytes that occur in the rest of the text, and where each does next. */
  readonly #codes: number[] = [];
  readonly #nexts: number[] = [];

  constructor(text: Buffer) {
    this.#text = text;
    for (const code of ESCAPED) {
      const next = text.indexOf(code);
      if (next === -1) continue;
      this.#codes.push(code);
      this.#nexts.push(next);
    }
  }

  /** Writes the line `[start, end)`, with its `\n` if it has one, to `to` at `at`: 6 bytes for each at most. Returns the position behind it. */
  write(start: number, end: number, to: Buffer, at: number): number {
    if (this.#isSpecial(start, end)) return writeEscaped(this.#text, start, end, to, at);
    const isEnded = this.#text[end - 1] === LINE_FEED;
    const out = at + this.#text.copy(to, at, start, isEnded ? end - 1 : end);
    if (!isEnded) return out;
    to[out] = BACKSLASH;
    to[out + 1] = 0x6e;
    return out + 2;
  }

  #isSpecial(start: number, end: number): boolean {
    for (let index = 0; index < this.#codes.length; index++) {
      let next = this.#nexts[index] as number;
      if (next < start) {
        const found = this.#text.indexOf(this.#codes[index] as number, start);
        next = found === -1 ? this.#text.length : found;
        this.#nexts[index] = next;
      }
      if (next < end) return true;
    }
    return false;
  }
}

function writeEscaped(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  let out = at;
  for (let index = start; index < end; index++) {
    const code = from[index] as number;
    const letter = LETTERS[code] as number;
    if (letter === 0) {
      to[out++] = code;
      continue;
    }
    to[out++] = BACKSLASH;
    to[out++] = letter;
    if (letter !== LETTER_U) continue;
    to[out++] = ZERO;
    to[out++] = ZERO;
    to[out++] = HEX[code >> 4] as number;
    to[out++] = HEX[code & 0x0f] as number;
  }
  return out;
}
