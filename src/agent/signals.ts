import type { EventEmitter } from 'node:events';
import type { StopSource } from '../job/stop.ts';

/**
 * What the agent was asked by signals. SIGINT interrupts: a running step is ended in order. The first SIGTERM or SIGHUP drains:
 * a running job is finished, no other is claimed; the second interrupts.
 */
export class Signals {
  readonly #drain = new AbortController();
  readonly #process: EventEmitter;
  readonly #onSignal: (signal: string, meaning: string) => void;
  #interrupt: string | undefined;
  #job: StopSource | undefined;

  /** `process` emits the signals; `onSignal` is told each, and what it means. */
  constructor(process: EventEmitter, onSignal: (signal: string, meaning: string) => void) {
    this.#process = process;
    this.#onSignal = onSignal;
    process.on('SIGINT', this.#onInterrupt);
    process.on('SIGTERM', this.#onDrain);
    process.on('SIGHUP', this.#onDrain);
  }

  /** Aborts when nothing more may be claimed. */
  get drain(): AbortSignal {
    return this.#drain.signal;
  }

  /** The job that an interrupt goes to from now on; at once when it came before the job. */
  attach(job: StopSource): void {
    this.#job = job;
    this.#pass();
  }

  close(): void {
    this.#process.removeListener('SIGINT', this.#onInterrupt);
    this.#process.removeListener('SIGTERM', this.#onDrain);
    this.#process.removeListener('SIGHUP', this.#onDrain);
  }

  readonly #onInterrupt = (signal: string) => {
    this.#onSignal(signal, 'a running step is interrupted, nothing more is claimed');
    this.#interrupt ??= signal;
    this.#drain.abort();
    this.#pass();
  };

  readonly #onDrain = (signal: string) => {
    if (this.#drain.signal.aborted) {
      this.#onInterrupt(signal);
      return;
    }
    this.#onSignal(signal, 'a running job is finished, nothing more is claimed');
    this.#drain.abort();
  };

  #pass(): void {
    if (this.#interrupt !== undefined) {
      this.#job?.request({ by: 'signal', reason: `the agent was interrupted by ${this.#interrupt}` });
    }
  }
}
