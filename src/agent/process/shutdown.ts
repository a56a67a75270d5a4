import type { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import { deadline } from '../../clock.ts';
import type { StopSource } from '../../job/stop.ts';
import { messageOf } from '../../outcome.ts';
import type { Log } from '../logging/log-line.ts';

const DRAINS = 'a running job is finished, nothing more is claimed';
const INTERRUPTS = 'a running step is interrupted, nothing more is claimed';
const ABANDONS = 'what Pulumi Cloud has not been told yet is dropped';

/** Milliseconds beyond a job's grace period for its reports after an uncaught error: then they are dropped, and the result written. */
const REPORTS_MS = 90_000;
/** Milliseconds beyond a job's grace period for the agent to end after an uncaught error, before the process is ended as it is. */
const END_MS = 120_000;

export interface ShutdownOptions {
  /** Emits the signals, and `uncaughtException`, for rejections too. */
  readonly process: EventEmitter;
  readonly log: Log;
  /** Milliseconds that a step gets when it is interrupted. */
  readonly graceMs: number;
  /** Ends the process, and with it the job's container. */
  readonly exit: (code: number) => void;
}

/**
 * Turns what asks the agent to end into a drain and a stop of its job. SIGINT interrupts: a running step is ended gracefully. The first
 * SIGTERM or SIGHUP drains: a running job is finished, no other is claimed; the second interrupts. One behind an interrupt, whatever
 * caused that, drops the reports that aren't sent yet. The end of a watched stream drains; an error that nothing caught interrupts, and
 * ends the process should the agent not end.
 */
export class Shutdown {
  readonly #options: ShutdownOptions;
  readonly #drain = new AbortController();
  #interrupt: string | undefined;
  #isAbandoned = false;
  #error: Error | undefined;
  #job: StopSource | undefined;
  #deadlines: readonly { clear(): void }[] = [];

  constructor(options: ShutdownOptions) {
    this.#options = options;
    for (const [event, listener] of this.#listeners) options.process.on(event, listener);
  }

  /** Aborts when nothing more may be claimed. */
  get drain(): AbortSignal {
    return this.#drain.signal;
  }

  /** The first error that nothing caught; the agent's end is its consequence. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** The job that an interrupt goes to from now on; at once when it came before the job. */
  attach(job: StopSource): void {
    this.#job = job;
    this.#pass();
  }

  /** Drains when `stream` ends or breaks: the process at its other end is gone. What comes over it is dropped. */
  watch(stream: Readable): void {
    const onEnd = () => this.#drainFor('The end of standard input');
    for (const event of ['end', 'close', 'error']) stream.once(event, onEnd);
    stream.resume();
  }

  close(): void {
    for (const each of this.#deadlines) each.clear();
    for (const [event, listener] of this.#listeners) this.#options.process.removeListener(event, listener);
  }

  readonly #onInterrupt = (signal: string) => {
    this.#options.log('warning', `${signal}: ${INTERRUPTS}.`);
    this.#interruptFor(`the agent was interrupted by ${signal}`);
  };

  readonly #onTerminate = (signal: string) => {
    if (!this.#drain.signal.aborted) this.#drainFor(signal);
    else if (this.#interrupt === undefined) this.#onInterrupt(signal);
    else {
      this.#options.log('warning', `${signal}: ${ABANDONS}.`);
      this.#abandon();
    }
  };

  readonly #onUncaught = (error: unknown) => {
    // What comes behind the first one may be because of it, and come without an end.
    if (this.#error !== undefined) return;
    const { log, graceMs, exit } = this.#options;
    this.#error = new Error(messageOf(error), { cause: error });
    this.#deadlines = [
      deadline(graceMs + REPORTS_MS, () => this.#abandon()),
      deadline(graceMs + END_MS, () => exit(1)),
    ];
    this.#interruptFor('the agent failed, as its log says');
    log('error', `An error was not caught: ${messageOf(error)}. A running step is interrupted, and the agent ends.`);
    if (error instanceof Error && error.stack !== undefined) log('info', error.stack);
  };

  readonly #listeners: readonly (readonly [string, (cause: string) => void])[] = [
    ['SIGINT', this.#onInterrupt],
    ['SIGTERM', this.#onTerminate],
    ['SIGHUP', this.#onTerminate],
    ['uncaughtException', this.#onUncaught],
  ];

  #drainFor(cause: string): void {
    if (this.#drain.signal.aborted) return;
    this.#options.log('warning', `${cause}: ${DRAINS}.`);
    this.#drain.abort();
  }

  #interruptFor(reason: string): void {
    this.#interrupt ??= reason;
    this.#drain.abort();
    this.#pass();
  }

  #abandon(): void {
    this.#isAbandoned = true;
    this.#pass();
  }

  #pass(): void {
    if (this.#interrupt !== undefined) this.#job?.request({ by: 'signal', reason: this.#interrupt });
    if (this.#isAbandoned) this.#job?.abandonReports();
  }
}
