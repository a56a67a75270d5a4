import { LineSplitter, type LineTaker } from './lines.ts';
import { RedactedText } from './redacted-text.ts';
import type { Redactor } from './redactor.ts';
import type { StepFile } from './step-file.ts';

export interface StepLogOptions {
  readonly redactor: Redactor;
  /** Takes every line. The log ends it, and does not close it. */
  readonly file: Pick<StepFile, 'write' | 'end'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called with the bytes of each block that went to the file. */
  readonly onBytes?: (bytes: number) => void;
}

/**
 * One step's log: bytes → redacted text → lines → file. Invalid UTF-8 becomes U+FFFD, everything else is kept. What has no line
 * end yet (a prompt, a progress bar) is held until it gets one, 64 KiB have come together, or the log ends.
 */
export class StepLog {
  readonly #options: StepLogOptions;
  readonly #text: RedactedText;
  readonly #splitter = new LineSplitter();
  #ending: Promise<void> | undefined;
  #latest = 0;

  constructor(options: StepLogOptions) {
    this.#options = options;
    this.#text = new RedactedText(options.redactor);
  }

  /**
   * Takes a piece of the step's output, split anywhere. Returns a promise, which never rejects, when the disk can't keep up: write
   * no more until it resolves. Ignored once the log has ended.
   */
  write(chunk: Buffer): Promise<void> | undefined {
    if (this.#ending !== undefined) return undefined;
    return this.#hand((take) => this.#splitter.push(this.#text.push(chunk), take));
  }

  /**
   * Takes a line of the agent's own, without its `\n`. It never stands inside a line of the step: an unfinished one is ended
   * first. What may be a secret's beginning stays behind it, so that a secret is not torn apart. Otherwise as `write`.
   */
  line(text: string): Promise<void> | undefined {
    if (this.#ending !== undefined) return undefined;
    const before = this.#splitter.unfinished ? '\n' : '';
    const bytes = Buffer.from(`${before}${this.#options.redactor.text(text)}\n`);
    return this.#hand((take) => this.#splitter.push(bytes, take));
  }

  /** Hands on what was held and ends the file. Rejects with StepFileError. A second call waits for the first. */
  end(): Promise<void> {
    this.#ending ??= this.#finish();
    return this.#ending;
  }

  async #finish(): Promise<void> {
    await this.#hand((take) => {
      this.#splitter.push(this.#text.end(), take);
      this.#splitter.end(take);
    });
    await this.#options.file.end(this.#now());
  }

  /** Never runs backwards. */
  #now(): number {
    this.#latest = Math.max(this.#latest, this.#options.now());
    return this.#latest;
  }

  /** Hands on every block that `make` makes, each at once: its bytes are only lent. Lines that come together share their time. */
  #hand(make: (take: LineTaker) => void): Promise<void> | undefined {
    const { file, onBytes } = this.#options;
    const now = this.#now();
    let wait: Promise<void> | undefined;
    make((bytes, count, isPartial) => {
      onBytes?.(bytes.length);
      wait = file.write(bytes, isPartial ? 0 : count, now) ?? wait;
    });
    return wait;
  }
}
