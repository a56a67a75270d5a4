import { LineSplitter } from './lines.ts';
import type { RedactionStream, Redactor } from './redactor.ts';
import type { LineSink, LogLine } from './sink.ts';

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
 * One step's log: bytes → text → redacted text → lines → sinks. Invalid UTF-8 becomes U+FFFD, everything else is kept. What has
 * no line end yet (a prompt, a progress bar) is held until it gets one, 64 Ki characters have come together, or the log ends.
 */
export class StepLog {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #redactor: Redactor;
  readonly #stream: RedactionStream;
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
    this.#stream = redactor.stream();
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
    return this.#hand(this.#split(this.#stream.push(this.#decoder.decode(chunk, { stream: true }))));
  }

  /**
   * Takes a line of the agent's own, without its `\n`. It never stands inside a line of the step: an unfinished one is ended
   * first. What may be a secret's beginning stays behind it, so that a secret is not torn apart. Otherwise as `write`.
   */
  line(text: string): Promise<void> | void {
    if (this.#ending !== undefined) return undefined;
    const before = this.#splitter.unfinished ? '\n' : '';
    return this.#hand(this.#split(`${before}${this.#redactor.text(text)}\n`));
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
    const lines = this.#split(this.#stream.push(this.#decoder.decode()) + this.#stream.end());
    this.#splitter.end((text) => this.#add(lines, text, false));
    await this.#hand(lines);
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

  #split(text: string): LogLine[] {
    const lines: LogLine[] = [];
    this.#bytes += Buffer.byteLength(text);
    this.#splitter.push(text, (line, partial) => this.#add(lines, line, partial));
    return lines;
  }

  #add(lines: LogLine[], text: string, partial: boolean): void {
    const t = this.#timestamp(lines.length === 0);
    if (partial) {
      lines.push({ t, text, partial });
    } else {
      lines.push({ t, text });
      this.#lines++;
    }
  }

  /** Lines that come together share their time. */
  #timestamp(ask: boolean): string {
    if (!ask) return this.#time;
    const now = this.#now();
    if (now > this.#clock) {
      this.#clock = now;
      this.#time = new Date(now).toISOString();
    }
    return this.#time;
  }

  #hand(lines: readonly LogLine[]): Promise<void> | void {
    if (lines.length === 0) return undefined;
    const waits: Promise<void>[] = [];
    for (const outlet of this.#outlets) {
      if (outlet.broken) continue;
      try {
        const wait = outlet.sink.write(lines);
        if (wait !== undefined) waits.push(wait.catch((error: unknown) => this.#fail(outlet, error)));
      } catch (error) {
        this.#fail(outlet, error);
      }
    }
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
  }

  #fail(outlet: Outlet, error: unknown): void {
    const known = outlet.broken;
    outlet.broken = true;
    this.#error ??= { first: error };
    if (!known) this.#onSinkError?.(error, outlet.sink);
  }
}
