import type { Timepiece } from '../clock.ts';
import { withEntry } from '../error-codes.ts';
import { codeOf, messageOf } from '../outcome.ts';
import { counted } from '../quantity.ts';

export interface OutageOptions {
  /** The subject of the sentence that tells the end, as in "Polling". */
  readonly what: string;
  readonly say: (level: 'info' | 'warning' | 'debug', message: string) => void;
  readonly clock: Timepiece;
}

/** A failure that may last: the first is a warning, those that follow it are for debugging, and its end is said once. */
export class Outage {
  readonly #options: OutageOptions;
  #failures = 0;
  #since = 0;

  constructor(options: OutageOptions) {
    this.#options = options;
  }

  /** It failed, perhaps again. */
  failed(error: unknown): void {
    const { say, clock } = this.#options;
    if (this.#failures === 0) this.#since = clock.steady();
    this.#failures += 1;
    if (this.#failures === 1) say('warning', withEntry(messageOf(error), codeOf(error)));
    else say('debug', messageOf(error));
  }

  /** It worked. Call it each time: only the first success after a failure is said. */
  over(): void {
    if (this.#failures === 0) return;
    const { what, say, clock } = this.#options;
    const failures = counted(this.#failures, 'failure');
    const seconds = Math.round((clock.steady() - this.#since) / 1000);
    this.#failures = 0;
    say('info', `${what} works again after ${failures} in ${seconds} s.`);
  }
}
