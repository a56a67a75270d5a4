import { isAscii } from 'node:buffer';
import type { RedactionStream, Redactor } from './redactor.ts';

/**
 * A step's output on its way through the redactor: bytes in, split anywhere, well-formed UTF-8 out. Invalid UTF-8 becomes U+FFFD.
 * Most of it is ASCII without secrets, which goes through as it is.
 */
export class RedactedText {
  readonly #stream: RedactionStream;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** The decoder may hold the beginning of a character. */
  #torn = false;

  constructor(redactor: Redactor) {
    this.#stream = redactor.stream();
  }

  /** Takes the next piece and returns what is settled by it: perhaps `chunk` itself. */
  push(chunk: Buffer): Buffer {
    if (!this.#torn && isAscii(chunk)) {
      const out = this.#stream.pushAscii(chunk);
      return typeof out === 'string' ? Buffer.from(out) : out;
    }
    this.#torn = (chunk.at(-1) ?? (this.#torn ? 0x80 : 0)) >= 0x80;
    return Buffer.from(this.#stream.push(this.#decoder.decode(chunk, { stream: true })));
  }

  /** Returns the rest. */
  end(): Buffer {
    return Buffer.from(this.#stream.push(this.#decoder.decode()) + this.#stream.end());
  }
}
