import { setImmediate } from 'node:timers/promises';
import type { Exchange } from '../proxy/exchange.ts';
import type { ObservedRun } from './observed-run.ts';
import { logCallOf, sentIn } from './shapes.ts';

/** Bytes of log calls that may be queued before the agent has to wait. */
const MAX_QUEUED = 4 * 1024 * 1024;

/** Keeps the lines of log calls, in call order, without delaying the calls' answers. */
export class LogCopy {
  readonly #run: ObservedRun;
  readonly #note: (subject: string, problem: string) => void;
  #keeping: Promise<void> = Promise.resolve();
  /** Bytes. */
  #queued = 0;

  /** `note` reports what could not be kept, and why. */
  constructor(run: ObservedRun, note: (subject: string, problem: string) => void) {
    this.#run = run;
    this.#note = note;
  }

  /** Resolves when everything taken so far is kept. Never rejects. */
  settled(): Promise<void> {
    return this.#keeping;
  }

  /**
   * Takes a log call of a step. Resolves at once, or once the queue is kept if it grew too long.
   * Never rejects.
   */
  async take(exchange: Exchange, step: number): Promise<void> {
    const { bytes } = exchange.request;
    this.#queued += bytes;

    this.#keeping = this.#keeping
      .then(() => setImmediate())
      .then(() => this.#keep(exchange, step))
      .finally(() => {
        this.#queued -= bytes;
      });

    if (this.#queued > MAX_QUEUED) await this.#keeping;
  }

  /** Never rejects. */
  async #keep(exchange: Exchange, step: number): Promise<void> {
    if (!this.#run.hidesSecrets)
      return this.#note(`the log of step ${step}`, "is not kept: the job's secrets are unknown or too many");

    const sent = logCallOf(sentIn(exchange));
    if (sent === undefined)
      return this.#note(`a log call of step ${step}`, `(${exchange.request.bytes} bytes) could not be read`);

    await this.#run.lines(step, sent);
  }
}
