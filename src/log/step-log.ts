import { LineSplitter, type LineTaker } from './lines.ts';
import { RedactedText } from './redacted-text.ts';
import type { Redactor } from './redactor.ts';
import type { LineSink, LogBlock } from './sink.ts';

export interface StepLogOptions {
  readonly redactor: Redactor;
  /** Each gets every line, until it fails; the log owns them and ends them. */
  readonly sinks: readonly LineSink[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Told at once when a sink fails; the other sinks go on. */
  readonly onSinkError?: (error: unknown, sink: LineSink) => void;
}

/** What a step's log came to, redacted: lines (a long line in parts is one) and UTF-8 bytes. */
export interface StepLogTotals {
  readonly lines: number;
  readonly bytes: number;
}

interface Outlet {
  readonly sink: LineSink;
  broken: boolean;
}

/**
 * One step's log: bytes → redacted text → lines → sinks. Invalid UTF-8 becomes U+FFFD, everything else is kept. What has
 * no line end yet (a prompt, a progress bar) is held until it gets one, 64 KiB have come together, or the log ends.
 */
export class StepLog {
  readonly #redactor: Redactor;
  readonly #text: RedactedText;
  readonly #splitter = new LineSplitter();
  readonly #now: () => number;
  readonly #onSinkError: StepLogOptions['onSinkError'];
  readonly #outlets: readonly Outlet[];
  #error: { readonly first: unknown } | undefined;
  #ending: Promise<StepLogTotals> | undefined;
  #clock = Number.NEGATIVE_INFINITY;
  #time = '';
  #lines = 0;
  #bytes = 0;

  constructor({ redactor, sinks, now, onSinkError }: StepLogOptions) {
    this.#redactor = redactor;
    this.#text = new RedactedText(redactor);
    this.#outlets = sinks.map((sink) => ({ sink, broken: false }));
    this.#now = now;
    this.#onSinkError = onSinkError;
  }

  /** What has gone to the sinks so far; whole once `end()` has settled. */
  get totals(): StepLogTotals {
    return { lines: this.#lines, bytes: this.#bytes };
  }

  /**
   * Takes a piece of the step's output, split anywhere. Returns a promise, which never rejects, when a sink can't keep up: write
   * no more until it resolves. Ignored once the log has ended.
   */
  write(chunk: Buffer): Promise<void> | void {
    if (this.#ending !== undefined) return undefined;
    return this.#hand((take) => this.#split(this.#text.push(chunk), take));
  }

  /**
   * Takes a line of the agent's own, without its `\n`. It never stands inside a line of the step: an unfinished one is ended
   * first. What may be a secret's beginning stays behind it, so that a secret is not torn apart. Otherwise as `write`.
   */
  line(text: string): Promise<void> | void {
    if (this.#ending !== undefined) return undefined;
    const before = this.#splitter.unfinished ? '\n' : '';
    const bytes = Buffer.from(`${before}${this.#redactor.text(text)}\n`);
    return this.#hand((take) => this.#split(bytes, take));
  }

  /** The step is to end, and must be able to say so: no sink holds it up any longer. */
  release(): void {
    for (const { sink } of this.#outlets) sink.release?.();
  }

  /**
   * Hands on what was held and ends all sinks. Rejects with the first error of any sink, but only after every sink has ended.
   * `signal` reaches the sinks. A second call waits for the first.
   */
  end(signal?: AbortSignal): Promise<StepLogTotals> {
    this.#ending ??= this.#finish(signal);
    return this.#ending;
  }

  async #finish(signal: AbortSignal | undefined): Promise<StepLogTotals> {
    await this.#hand((take) => {
      this.#split(this.#text.end(), take);
      this.#splitter.end(take);
    });
    await Promise.all(
      this.#outlets.map(async (outlet) => {
        try {
          await outlet.sink.end(signal);
        } catch (error) {
          this.#fail(outlet, error);
        }
      }),
    );
    if (this.#error !== undefined) throw this.#error.first;
    return this.totals;
  }

  #split(bytes: Buffer, take: LineTaker): void {
    this.#bytes += bytes.length;
    this.#splitter.push(bytes, take);
  }

  /** Lines that come together share their time. */
  #timestamp(): string {
    const now = this.#now();
    if (now > this.#clock) {
      this.#clock = now;
      this.#time = new Date(now).toISOString();
    }
    return this.#time;
  }

  /** Hands on every block that `make` makes, each at once: its bytes are only lent. */
  #hand(make: (take: LineTaker) => void): Promise<void> | void {
    let time: string | undefined;
    const waits = new Set<Promise<void>>();
    make((bytes, count, partial) => {
      time ??= this.#timestamp();
      if (!partial) this.#lines += count;
      const block: LogBlock = partial ? { t: time, bytes, partial } : { t: time, bytes };
      for (const outlet of this.#outlets) this.#write(outlet, block, waits);
    });
    return waits.size === 0 ? undefined : Promise.all(waits).then(() => undefined);
  }

  #write(outlet: Outlet, block: LogBlock, waits: Set<Promise<void>>): void {
    if (outlet.broken) return;
    try {
      const wait = outlet.sink.write([block]);
      if (wait !== undefined) waits.add(wait.catch((error: unknown) => this.#fail(outlet, error)));
    } catch (error) {
      this.#fail(outlet, error);
    }
  }

  #fail(outlet: Outlet, error: unknown): void {
    const known = outlet.broken;
    outlet.broken = true;
    this.#error ??= { first: error };
    if (!known) this.#onSinkError?.(error, outlet.sink);
  }
}
