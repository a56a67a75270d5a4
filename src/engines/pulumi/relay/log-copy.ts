import { setImmediate } from 'node:timers/promises';
import type { ObservedRun } from './observed-run.ts';
import type { Exchange } from './relay.ts';
import { logCallOf, sentIn } from './shapes.ts';

/** Bytes of log calls that may wait to be kept before the agent waits too. */
const MOST_WAITING = 4 * 1024 * 1024;

export interface LogCopyOptions {
  readonly run: Pick<ObservedRun, 'isDefined' | 'lines'>;
  /** Takes what could not be kept, and why. */
  readonly note: (what: string, how: string) => void;
}

/** Keeps the lines of log calls behind the calls' answers, in the order of the calls. */
export class LogCopy {
  readonly #options: LogCopyOptions;
  #keeping: Promise<void> = Promise.resolve();
  /** Bytes. */
  #waiting = 0;

  constructor(options: LogCopyOptions) {
    this.#options = options;
  }

  /** Resolves when all that was taken is kept. Never rejects. */
  settled(): Promise<void> {
    return this.#keeping;
  }

  /** Takes a log call of a step. Resolves at once, or when what waits is kept where that is too much. Never rejects. */
  async take(exchange: Exchange, step: number): Promise<void> {
    const { bytes } = exchange.request;
    this.#waiting += bytes;
    this.#keeping = this.#keeping
      .then(() => setImmediate())
      .then(() => this.#keep(exchange, step))
      .finally(() => {
        this.#waiting -= bytes;
      });
    if (this.#waiting > MOST_WAITING) await this.#keeping;
  }

  /** Never rejects. */
  async #keep(exchange: Exchange, step: number): Promise<void> {
    const { run, note } = this.#options;
    // What is secret in it isn't known without the definition.
    if (!run.isDefined) return note(`the log of step ${step}`, "is not kept: the job's definition was not read");
    const sent = logCallOf(sentIn(exchange));
    if (sent === undefined)
      return note(`a log call of step ${step}`, `(${exchange.request.bytes} bytes) could not be read`);
    await run.lines(step, sent);
  }
}
