import type { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import type { StopSource } from '../job/stop.ts';

const DRAINS = 'a running job is finished, nothing more is claimed';

/**
 * What the agent was asked by signals. SIGINT interrupts: a running step is ended in order. The first SIGTERM or SIGHUP drains:
 * a running job is finished, no other is claimed; the second interrupts. The end of a watched stream drains too.
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

  /** Drains when `stream` ends or breaks: whoever held its other end is gone. What it says is dropped. */
  watch(stream: Readable): void {
    const onEnd = () => this.#drainAt('The end of standard input');
    for (const event of ['end', 'close', 'error']) stream.once(event, onEnd);
    stream.resume();
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
    this.#drainAt(signal);
  };

  #drainAt(cause: string): void {
    if (this.#drain.signal.aborted) return;
    this.#onSignal(cause, DRAINS);
    this.#drain.abort();
  }

  #pass(): void {
    if (this.#interrupt !== undefined) {
      this.#job?.request({ by: 'signal', reason: `the agent was interrupted by ${this.#interrupt}` });
    }
  }
}
