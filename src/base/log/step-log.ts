import type { RedactionStream, Redactor } from './redactor.ts';
import type { StepFile } from './step-file.ts';

const LINE_FEED = 0x0a;

export interface StepLogOptions {
  readonly redactor: Redactor;
  /** Receives the text. The log ends it but does not close it. */
  readonly file: { write: StepFile['write']; end: StepFile['end'] };
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called with the number of bytes of each write to the file. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

/** One step's log: redacts output and writes it to the file. Invalid UTF-8 is kept as is. */
export class StepLog {
  readonly #options: StepLogOptions;
  readonly #redaction: RedactionStream;
  #ending: Promise<void> | undefined;
  #latest = 0;
  #isLineOpen = false;

  constructor(options: StepLogOptions) {
    this.#options = options;
    this.#redaction = options.redactor.stream();
  }

  /**
   * Writes a chunk of output, split anywhere; no-op after the end. Await the promise, if any,
   * before writing more.
   */
  write(chunk: Buffer): Promise<void> | undefined {
    return this.#ending === undefined ? this.#put(this.#redaction.push(chunk)) : undefined;
  }

  /**
   * Writes the agent's own text as a line, ahead of output held back by redaction. Otherwise like
   * `write`.
   */
  line(text: string): Promise<void> | undefined {
    if (this.#ending !== undefined) return undefined;
    return this.#put(Buffer.from(`${this.#isLineOpen ? '\n' : ''}${this.#options.redactor.text(text)}\n`));
  }

  /**
   * Writes output held back and ends the file. Rejects with OutcomeError. A second call waits for
   * the first.
   */
  end(): Promise<void> {
    this.#ending ??= this.#finish();
    return this.#ending;
  }

  async #finish(): Promise<void> {
    await this.#put(this.#redaction.end());
    await this.#options.file.end(this.#now());
  }

  #put(bytes: Buffer): Promise<void> | undefined {
    if (bytes.length === 0) return undefined;
    this.#isLineOpen = bytes.at(-1) !== LINE_FEED;
    this.#options.onBytes?.(bytes.length);
    return this.#options.file.write(bytes, this.#now());
  }

  /** Never decreases. */
  #now(): number {
    this.#latest = Math.max(this.#latest, this.#options.now());
    return this.#latest;
  }
}
