import type { TimeSource } from '../clock.ts';
import { withEntry } from '../error-codes.ts';
import { codeOf, messageOf } from '../outcome.ts';
import { counted } from '../quantity.ts';
import type { RunLog } from './level.ts';

export interface OutageContext {
  readonly say: RunLog;
  readonly clock: TimeSource;
}

/** Logs a lasting failure: the first as a warning, repeats at debug level unless they are news, and its end once. */
export class Outage {
  readonly #subject: string;
  readonly #context: OutageContext;
  #failures = 0;
  #since = 0;

  /** `subject` begins the closing sentence, such as "Polling". */
  constructor(subject: string, context: OutageContext) {
    this.#subject = subject;
    this.#context = context;
  }

  failed(error: unknown, { isNews = false } = {}): void {
    const { say, clock } = this.#context;
    if (this.#failures === 0) this.#since = clock.steady();
    this.#failures += 1;
    if (this.#failures === 1 || isNews) say('warning', withEntry(messageOf(error), codeOf(error)));
    else say('debug', messageOf(error));
  }

  /** Notes a success. Call it each time: only the first after a failure is logged. */
  over(): void {
    if (this.#failures === 0) return;
    const { say, clock } = this.#context;
    const failures = counted(this.#failures, 'failure');
    const seconds = Math.round((clock.steady() - this.#since) / 1000);
    this.#failures = 0;
    say('info', `${this.#subject} works again after ${failures} in ${seconds} s.`);
  }
}
