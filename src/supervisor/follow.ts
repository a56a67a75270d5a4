import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseEvent, RecordError, readResult } from '../record/reader.ts';
import { type RecordEvent, RUN_FILES, type RunResult } from '../record/schema.ts';
import { GrowingLines, type Line, MAX_LINE_BYTES } from '../report/growing-lines.ts';
import { STEP_LOG } from '../report/report.ts';

/** Where following stands, in bytes of files: enough for another process to go on at the same line. */
export interface FollowPosition {
  /** Of events.ndjson: everything before it was told. */
  events: number;
  /** The step that runs. */
  step?: FollowedStep | undefined;
}

export interface FollowedStep {
  readonly index: number;
  readonly name: string;
  /** Path inside the run directory. */
  readonly log: string;
  /** Of the step's log: everything before it was told. */
  offset: number;
  /** The listener wants no more of this step's lines. */
  muted: boolean;
}

/** Who is told. Following waits for each answer, so a slow listener slows the reading and nothing piles up. */
export interface RunListener {
  /** Following goes on in the middle of this step. */
  resumed(step: FollowedStep): Promise<void>;
  /** `step` is the running one; at `step-finished` the one that finished. */
  event(event: RecordEvent, step: FollowedStep | undefined): Promise<void>;
  /** Lines of a running step, in order. Answers false when it wants no more of this step. */
  lines(step: FollowedStep, lines: readonly Line[]): Promise<boolean>;
  /** Something in the run directory can't be understood; following goes on behind it. */
  trouble(message: string): Promise<void>;
}

/** Why following ended: the result was written, the agent is gone without one, or the caller's signal. */
export type FollowEnd =
  | { readonly kind: 'finished'; readonly result: RunResult }
  | { readonly kind: 'died' }
  | { readonly kind: 'stopped' };

export interface FollowOptions {
  readonly directory: string;
  /** Moved on as lines are told; whoever holds it may save it at any moment. */
  readonly position: FollowPosition;
  readonly listener: RunListener;
  /** True while the agent's process runs. */
  readonly isAlive: () => boolean;
  readonly signal: AbortSignal;
  /** Told each event as it is read, before the listener, which may be slow. */
  readonly onEvent?: (event: RecordEvent) => void;
}

/** An event of a job with thousands of steps is long; more than this is none of ours. */
const MAX_EVENT_BYTES = 4 * 1024 * 1024;
/** Milliseconds between two looks at the record. */
const POLL_MS = 200;

/**
 * Tells a run as it happens, to its end. The order is the agent's own: it writes all of a step's lines before the event
 * that finishes the step, so before any event is told the running step's log is told up to its size at that moment;
 * behind `step-finished` that is the whole log. A last line without a line end is told when its step ends.
 * Throws RecordError when run.json can't be understood, and what node:fs throws.
 */
export async function follow(options: FollowOptions): Promise<FollowEnd> {
  const { directory, isAlive, signal } = options;
  await using reader = new RunReader(options);
  if (options.position.step !== undefined) await options.listener.resumed(options.position.step);
  while (!signal.aborted) {
    // Both are asked before reading: what a dead process or a finished run had to say is then all there.
    const alive = isAlive();
    const result = await readResult(directory);
    await reader.tell();
    if (signal.aborted) break;
    if (result !== undefined || !alive) await reader.endStep();
    if (result !== undefined) return { kind: 'finished', result };
    if (!alive) return { kind: 'died' };
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
  return { kind: 'stopped' };
}

class RunReader implements AsyncDisposable {
  readonly #options: FollowOptions;
  readonly #position: FollowPosition;
  readonly #listener: RunListener;
  readonly #events: GrowingLines;
  #log: GrowingLines | undefined;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#position = options.position;
    this.#listener = options.listener;
    const events = join(options.directory, RUN_FILES.events);
    this.#events = new GrowingLines(events, this.#position.events, MAX_EVENT_BYTES);
    this.#openLog();
  }

  /** Tells everything that is there now. */
  async tell(): Promise<void> {
    for (;;) {
      const lines = await this.#events.next();
      if (lines === undefined) break;
      for (const line of lines) {
        await this.#tellEvent(line);
        if (this.#options.signal.aborted) return;
      }
    }
    await this.#tellStep();
  }

  /** Tells what is left of the running step: an unended last line. */
  async endStep(): Promise<void> {
    const { step } = this.#position;
    const last = step?.muted ? undefined : this.#log?.flush();
    if (step !== undefined && last !== undefined) {
      await this.#listener.lines(step, [last]);
      step.offset = last.end;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#events[Symbol.asyncDispose]();
    await this.#log?.[Symbol.asyncDispose]();
  }

  async #tellEvent(line: Line): Promise<void> {
    const event = await this.#parse(line);
    if (event !== undefined) this.#options.onEvent?.(event);
    await this.#tellStep();
    if (this.#options.signal.aborted) return;
    if (event?.type === 'step-finished') await this.endStep();
    if (event !== undefined) await this.#listener.event(event, this.#position.step);
    // From here to the next await: a position saved at any moment is a whole one.
    this.#position.events = line.end;
    if (event?.type === 'step-started') {
      this.#position.step = { index: event.index, name: event.step, log: event.log, offset: 0, muted: false };
    } else if (event?.type === 'step-finished') {
      delete this.#position.step;
    } else {
      return;
    }
    await this.#log?.[Symbol.asyncDispose]();
    this.#log = undefined;
    this.#openLog();
  }

  async #parse(line: Line): Promise<RecordEvent | undefined> {
    try {
      return parseEvent(line.text);
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      await this.#listener.trouble(error.message);
      return undefined;
    }
  }

  /** Up to the log's size at the call, so that a log that grows as fast as it is read can't hide the events. */
  async #tellStep(): Promise<void> {
    const { step } = this.#position;
    if (step === undefined || this.#log === undefined || step.muted) return;
    const size = await this.#log.size();
    while (!this.#options.signal.aborted) {
      const lines = await this.#log.next(size);
      if (lines === undefined) return;
      if (lines.length === 0) continue;
      step.muted = !(await this.#listener.lines(step, lines));
      step.offset = this.#log.offset;
      if (step.muted) return;
    }
  }

  #openLog(): void {
    const { step } = this.#position;
    // The name comes from a file: it must not lead out of the run directory.
    if (step === undefined || !STEP_LOG.test(step.log)) return;
    this.#log = new GrowingLines(join(this.#options.directory, step.log), step.offset, MAX_LINE_BYTES);
  }
}
