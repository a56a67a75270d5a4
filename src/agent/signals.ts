import type { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import type { StopSource } from '../job/stop.ts';

const DRAINS = 'a running job is finished, nothing more is claimed';
const INTERRUPTS = 'a running step is interrupted, nothing more is claimed';
const ABANDONS = 'what Pulumi Cloud has not been told yet is dropped';

/**
 * What the agent was asked by signals. SIGINT interrupts: a running step is ended gracefully. The first SIGTERM or SIGHUP drains:
 * a running job is finished, no other is claimed; the second interrupts. One that comes behind an interrupt, whichever signal that
 * was, has the agent drop the reports that aren't sent yet. The end of a watched stream drains too.
 */
export class Signals {
  readonly #drain = new AbortController();
  readonly #process: EventEmitter;
  readonly #onSignal: (signal: string, meaning: string) => void;
  #interrupt: string | undefined;
  #isAbandoned = false;
  #job: StopSource | undefined;

  /** `process` emits the signals; `onSignal` is told each, and what it means. */
  constructor(process: EventEmitter, onSignal: (signal: string, meaning: string) => void) {
    this.#process = process;
    this.#onSignal = onSignal;
    process.on('SIGINT', this.#onInterrupt);
    process.on('SIGTERM', this.#onTerminate);
    process.on('SIGHUP', this.#onTerminate);
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
    this.#process.removeListener('SIGTERM', this.#onTerminate);
    this.#process.removeListener('SIGHUP', this.#onTerminate);
  }

  readonly #onInterrupt = (signal: string) => {
    this.#onSignal(signal, INTERRUPTS);
    this.#interrupt ??= signal;
    this.#drain.abort();
    this.#pass();
  };

  readonly #onTerminate = (signal: string) => {
    if (!this.#drain.signal.aborted) {
      this.#drainAt(signal);
    } else if (this.#interrupt === undefined) {
      this.#onInterrupt(signal);
    } else {
      this.#onSignal(signal, ABANDONS);
      this.#isAbandoned = true;
      this.#pass();
    }
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
    if (this.#isAbandoned) this.#job?.abandonReports();
  }
}
