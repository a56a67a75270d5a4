import type { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import { startTimer } from '../../base/clock.ts';
import type { Log } from '../../base/log/level.ts';
import { messageOf } from '../../base/outcome.ts';
import { type ShutdownSignals, StopRequested } from '../job/stop.ts';

const DRAINS = 'the agent finishes a running job and claims nothing more';
const INTERRUPTS = 'the agent interrupts a running step and claims nothing more';
const ABANDONS = 'reports that Pulumi Cloud does not have yet are dropped';

/** How long after a SIGINT a busy process can read the SIGTERM that was sent before it. */
const OVERTAKEN_MS = 2_000;

/**
 * After an uncaught error, milliseconds beyond the grace period until reports are dropped and the
 * result written.
 */
const REPORTS_MS = 90_000;

/**
 * After an uncaught error, milliseconds beyond the job's grace period until the process is ended as
 * it is.
 */
const END_MS = 120_000;

export interface ShutdownOptions {
  /** Emits signals, and `uncaughtException`, also for unhandled rejections. */
  readonly process: EventEmitter;
  readonly log: Log;
  /** Monotonic milliseconds. */
  readonly steady: () => number;
  /** How long an interrupted step has to end. */
  readonly graceMs: number;
  /**
   * The CI system sends SIGTERM to every process, the agent too: the first one interrupts, and drops no report even if
   * a SIGINT has just overtaken it. A later one is main's, whose time is over.
   */
  readonly interruptedBySigterm?: boolean;
  /** Ends the process, and with it the job's container. */
  readonly exit: (code: number) => void;
}

/**
 * Turns requests to end into a drain, and a stop of the job. SIGINT interrupts: a running step is
 * ended gracefully. The first SIGTERM or SIGHUP drains: a running job is finished, and no other is
 * claimed; the second interrupts. One after an interrupt, whatever caused it, drops the reports not
 * sent yet. The end of a watched stream drains. An uncaught error interrupts, and ends the process
 * if the agent does not end.
 */
export class Shutdown implements ShutdownSignals {
  readonly #options: ShutdownOptions;
  readonly #drain = new AbortController();
  readonly #interrupt = new AbortController();
  readonly #abandon = new AbortController();
  /** Aborts when nothing more may be claimed. */
  readonly drain = this.#drain.signal;
  readonly interrupted = this.#interrupt.signal;
  readonly reportsAbandoned = this.#abandon.signal;
  #isTerminated = false;
  #interruptedAt = Number.NEGATIVE_INFINITY;
  #error: Error | undefined;
  #deadlines: readonly { clear(): void }[] = [];

  constructor(options: ShutdownOptions) {
    this.#options = options;
    for (const [event, listener] of this.#listeners) options.process.on(event, listener);
  }

  /** The first uncaught error, which is ending the agent. */
  get error(): Error | undefined {
    return this.#error;
  }

  /**
   * Drains when `stream` ends or breaks, as the process at its other end is then gone. Its data is
   * discarded.
   */
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
    const { interruptedBySigterm = false, steady } = this.#options;
    const isFirst = signal === 'SIGTERM' && !this.#isTerminated;
    this.#isTerminated ||= isFirst;
    const isOvertaken = interruptedBySigterm && isFirst && steady() - this.#interruptedAt < OVERTAKEN_MS;

    if (!interruptedBySigterm && !this.#drain.signal.aborted) this.#drainFor(signal);
    else if (!this.interrupted.aborted || isOvertaken) this.#onInterrupt(signal);
    else {
      this.#options.log('warning', `${signal}: ${ABANDONS}.`);
      this.#abandon.abort();
    }
  };

  readonly #onUncaught = (error: unknown) => {
    // Later errors may result from the first, and never stop coming.
    if (this.#error !== undefined) return;

    const { log, graceMs, exit } = this.#options;
    this.#error = new Error(messageOf(error), { cause: error });

    this.#deadlines = [
      startTimer(graceMs + REPORTS_MS, () => this.#abandon.abort()),
      startTimer(graceMs + END_MS, () => exit(1)),
    ];

    this.#interruptFor('the agent failed, as its log says');
    log('error', `Uncaught error: ${messageOf(error)}. A running step is interrupted, and the agent ends.`);
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
    if (!this.interrupted.aborted) this.#interruptedAt = this.#options.steady();
    this.#interrupt.abort(new StopRequested({ by: 'signal', reason }));
    this.#drain.abort();
  }
}
