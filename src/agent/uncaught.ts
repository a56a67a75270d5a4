import type { EventEmitter } from 'node:events';
import { deadline } from '../clock.ts';
import type { StopSource } from '../job/stop.ts';
import { messageOf } from '../outcome.ts';
import type { Log } from './logging/agent-log.ts';

/** Milliseconds beyond a job's grace period for its reports: what isn't taken by then is dropped, and the run's result written. */
const REPORTS_MS = 90_000;
/** Milliseconds beyond a job's grace period for the agent to end, before it is ended as it is. */
const END_MS = 120_000;

export interface UncaughtOptions {
  /** Emits `uncaughtException`, for rejections too. */
  readonly process: EventEmitter;
  readonly log: Log;
  /** Milliseconds that a step gets when it is interrupted. */
  readonly graceMs: number;
  /** Ends the process, and with it the job's container. */
  readonly exit: (code: number) => void;
}

/** Ends the agent gracefully after an error that nobody caught: a running step is interrupted, and nothing more is claimed. */
export class Uncaught {
  readonly #options: UncaughtOptions;
  readonly #drain = new AbortController();
  #error: Error | undefined;
  #job: StopSource | undefined;
  #deadlines: readonly { clear(): void }[] = [];

  constructor(options: UncaughtOptions) {
    this.#options = options;
    options.process.on('uncaughtException', this.#onError);
  }

  /** The first such error; the agent's end is its consequence. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** Aborts when nothing more may be claimed. */
  get drain(): AbortSignal {
    return this.#drain.signal;
  }

  /** The job that is interrupted from now on; at once when the error came before the job. */
  attach(job: StopSource): void {
    this.#job = job;
    this.#pass();
  }

  close(): void {
    for (const each of this.#deadlines) each.clear();
    this.#options.process.removeListener('uncaughtException', this.#onError);
  }

  readonly #onError = (error: unknown) => {
    // What comes behind the first one may be because of it, and come without an end.
    if (this.#error !== undefined) return;
    const { log, graceMs, exit } = this.#options;
    this.#error = new Error(messageOf(error), { cause: error });
    this.#deadlines = [
      deadline(graceMs + REPORTS_MS, () => this.#job?.abandonReports()),
      deadline(graceMs + END_MS, () => exit(1)),
    ];
    this.#drain.abort();
    this.#pass();
    log('error', `Nobody caught an error: ${messageOf(error)}. A running step is interrupted, and the agent ends.`);
    if (error instanceof Error && error.stack !== undefined) log('info', error.stack);
  };

  #pass(): void {
    if (this.#error !== undefined) this.#job?.request({ by: 'signal', reason: 'the agent failed, as its log says' });
  }
}
