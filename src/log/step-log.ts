import { isAscii } from 'node:buffer';
import type { RedactionStream, Redactor } from './redactor.ts';
import type { StepFile } from './step-file.ts';

const LINE_FEED = 0x0a;

export interface StepLogOptions {
  readonly redactor: Redactor;
  /** Takes the text. The log ends it, and does not close it. */
  readonly file: Pick<StepFile, 'write' | 'end'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called with the bytes of each piece that went to the file. */
  readonly onBytes?: (bytes: number) => void;
}

/** One step's log: bytes → redacted text → file. Invalid UTF-8 becomes U+FFFD, everything else is kept. */
export class StepLog {
  readonly #options: StepLogOptions;
  readonly #text: RedactedText;
  #ending: Promise<void> | undefined;
  #latest = 0;
  #isLineOpen = false;

  constructor(options: StepLogOptions) {
    this.#options = options;
    this.#text = new RedactedText(options.redactor);
  }

  /**
   * Takes a piece of the step's output, split anywhere. Returns a promise, which never rejects, when the disk can't keep up: write
   * no more until it resolves. Ignored once the log has ended.
   */
  write(chunk: Buffer): Promise<void> | undefined {
    return this.#ending === undefined ? this.#put(this.#text.push(chunk)) : undefined;
  }

  /**
   * Takes a line of the agent's own, without its `\n`. It never stands inside a line of the step: an unfinished one is ended
   * first. What may be a secret's beginning stays behind it, so that a secret is not torn apart. Otherwise as `write`.
   */
  line(text: string): Promise<void> | undefined {
    if (this.#ending !== undefined) return undefined;
    return this.#put(Buffer.from(`${this.#isLineOpen ? '\n' : ''}${this.#options.redactor.text(text)}\n`));
  }

  /** Hands on what was held and ends the file. Rejects with OutcomeError. A second call waits for the first. */
  end(): Promise<void> {
    this.#ending ??= this.#finish();
    return this.#ending;
  }

  async #finish(): Promise<void> {
    await this.#put(this.#text.end());
    await this.#options.file.end(this.#now());
  }

  #put(bytes: Buffer): Promise<void> | undefined {
    if (bytes.length === 0) return undefined;
    this.#isLineOpen = bytes.at(-1) !== LINE_FEED;
    this.#options.onBytes?.(bytes.length);
    return this.#options.file.write(bytes, this.#now());
  }

  /** Never runs backwards. */
  #now(): number {
    this.#latest = Math.max(this.#latest, this.#options.now());
    return this.#latest;
  }
}

/**
 * A step's output on its way through the redactor: bytes in, split anywhere, well-formed UTF-8 out. Invalid UTF-8 becomes U+FFFD.
 * Most of it is ASCII without secrets, which goes through as it is.
 */
export class RedactedText {
  readonly #stream: RedactionStream;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** The decoder may hold the beginning of a character. */
  #isTorn = false;

  constructor(redactor: Redactor) {
    this.#stream = redactor.stream();
  }

  /** Takes the next piece and returns what is settled by it: perhaps `chunk` itself. */
  push(chunk: Buffer): Buffer {
    if (!this.#isTorn && isAscii(chunk)) return this.#stream.push(chunk);
    this.#isTorn = (chunk.at(-1) ?? (this.#isTorn ? 0x80 : 0)) >= 0x80;
    return this.#stream.push(Buffer.from(this.#decoder.decode(chunk, { stream: true })));
  }

  /** Returns the rest. */
  end(): Buffer {
    return Buffer.concat([this.#stream.push(Buffer.from(this.#decoder.decode())), this.#stream.end()]);
  }
}
