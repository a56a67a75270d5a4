import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { messageOf } from '../base/outcome.ts';
import { GrowingLines, type Line, MAX_LINE_BYTES } from '../record/growing-lines.ts';
import { parseEvent, readResult } from '../record/reader.ts';
import { isStepLog, type RecordEvent, RUN_FILES, type RunResult } from '../record/schema.ts';

const offsetSchema = z.number().int().nonnegative();

const stepSchema = z.object({
  index: z.number().int(),
  name: z.string(),
  /** Path inside the run directory. */
  log: z.string(),
  /** Bytes of the step's log that were delivered. */
  offset: offsetSchema,
  /** The listener has declined further lines of this step. */
  muted: z.boolean(),
  /** When it began to be followed, in milliseconds of `steady`. */
  began: z.number(),
  /** Why it was interrupted. Absent for a step that exceeded a limit: that one failed. */
  interruption: z.string().optional(),
});

export type FollowedStep = z.infer<typeof stepSchema>;

/**
 * How far a run was followed, in bytes of its files: another process can resume at the same line.
 */
export const positionSchema = z.object({
  /** Bytes of events.ndjson that were delivered. */
  events: offsetSchema,
  step: stepSchema.optional(),
});

export type FollowPosition = z.infer<typeof positionSchema>;

/**
 * Called as a run is followed. `follow` awaits each call: a slow listener slows the reading and
 * nothing piles up.
 */
export interface RunListener {
  /** Following resumes in the middle of this step. */
  resumed(step: FollowedStep): Promise<void>;
  /** `step` is the running step; at `step-finished`, the one that finished. */
  event(event: RecordEvent, step: FollowedStep | undefined): Promise<void>;
  /** Lines of the running step, in order. Resolves to false to decline the rest of the step. */
  lines(step: FollowedStep, lines: readonly Line[]): Promise<boolean>;
  /**
   * Nothing of the running step was delivered for `QUIET_MS`; again after as long. `unfinished` is the
   * end of its line without a line ending, as its log has it.
   */
  quiet(step: FollowedStep, unfinished: string): Promise<void>;
  /** An event can't be parsed; following goes on after it. */
  unreadable(message: string): Promise<void>;
}

/**
 * Why following ended: the engine wrote its result, died without one, or the caller's signal
 * aborted.
 */
export type FollowEnd =
  | { readonly kind: 'finished'; readonly result: RunResult }
  | { readonly kind: 'died' }
  | { readonly kind: 'stopped' };

export interface FollowOptions {
  readonly directory: string;
  /** Updated in place as lines are delivered; it can be saved at any moment. */
  readonly position: FollowPosition;
  readonly listener: RunListener;
  /** True while the engine's process runs. */
  readonly isAlive: () => boolean;
  /** Monotonic milliseconds that every process which follows the run counts alike. */
  readonly steady: () => number;
  readonly signal: AbortSignal;
  /** Called with each event as it is read, before the listener, which can be slow. */
  readonly onEvent?: (event: RecordEvent) => void;
  /** Called each time `position` has caught up with the run, and when following stops. */
  readonly onDelivered?: () => void;
}

/**
 * An event of a job with thousands of steps is long; the agent writes none that is longer than
 * this.
 */
const MAX_EVENT_BYTES = 4 * 1024 * 1024;

/** Between two reads of the run directory. */
const POLL_MS = 200;

/** Without a line until the step gives a sign of life: CircleCI ends a job that is silent for 10 minutes. */
const QUIET_MS = 300_000;

/** Bytes of an unfinished line that are read for it. */
const UNFINISHED_BYTES = 1024;

/**
 * Delivers a run as it happens, until it ends, in the order in which the engine wrote it: all lines
 * of a step come before the event that finishes it. So before each event, the running step's log is
 * delivered up to its current size; before `step-finished` that is the whole log. A last line
 * without a line ending is delivered when its step ends. Throws OutcomeError `failed` when run.json
 * can't be understood, and what node:fs throws.
 */
export async function follow(options: FollowOptions): Promise<FollowEnd> {
  await using follower = new RunFollower(options);
  return await follower.follow();
}

class RunFollower implements AsyncDisposable {
  readonly #options: FollowOptions;
  readonly #events: GrowingLines;
  #log: GrowingLines | undefined;
  /** When something of the running step was last delivered. */
  #lastDelivery: number;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#lastDelivery = options.steady();
    const { directory, position } = options;
    this.#events = new GrowingLines(join(directory, RUN_FILES.events), position.events, MAX_EVENT_BYTES);
    this.#openLog();
  }

  async follow(): Promise<FollowEnd> {
    const { directory, position, listener, isAlive, signal, onDelivered } = this.#options;
    if (position.step !== undefined) await listener.resumed(position.step);

    while (!signal.aborted) {
      // Both are checked before reading: everything that a dead process or a finished run wrote is
      // then there.
      const alive = isAlive();
      const result = await readResult(directory);

      await this.#deliver();
      if (signal.aborted) break;

      await this.#deliverQuiet();
      onDelivered?.();
      if (result !== undefined || !alive) await this.#endStep();
      if (result !== undefined) return { kind: 'finished', result };
      if (!alive) return { kind: 'died' };

      await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
    }

    // The listener has got the lines that were on their way.
    onDelivered?.();
    return { kind: 'stopped' };
  }

  /** Delivers all that is there now. */
  async #deliver(): Promise<void> {
    for (let lines = await this.#events.next(); lines !== undefined; lines = await this.#events.next()) {
      for (const line of lines) {
        await this.#deliverEvent(line);
        if (this.#options.signal.aborted) return;
      }
    }
    await this.#deliverLog();
  }

  /** Calls the listener for a running step that has been quiet for long. */
  async #deliverQuiet(): Promise<void> {
    const { position, listener, steady } = this.#options;
    const { step } = position;
    if (step === undefined || steady() - this.#lastDelivery < QUIET_MS) return;

    this.#lastDelivery = steady();
    // The log of a muted step isn't read.
    await listener.quiet(step, step.muted ? '' : ((await this.#log?.unfinished(UNFINISHED_BYTES)) ?? ''));
  }

  /** Delivers the rest of the running step: a last line without a line ending. */
  async #endStep(): Promise<void> {
    const { position, listener } = this.#options;
    const last = position.step?.muted ? undefined : this.#log?.flush();
    if (position.step === undefined || last === undefined) return;
    await listener.lines(position.step, [last]);
    position.step.offset = last.end;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#events[Symbol.asyncDispose]();
    await this.#log?.[Symbol.asyncDispose]();
  }

  async #deliverEvent(line: Line): Promise<void> {
    const { position, listener, signal, onEvent, steady } = this.#options;
    const event = await this.#parse(line);

    if (event !== undefined) onEvent?.(event);
    await this.#deliverLog();
    if (signal.aborted) return;

    if (event?.type === 'step-finished') await this.#endStep();

    if (
      event?.type === 'stopping' &&
      event.by !== 'timeout' &&
      event.by !== 'memory' &&
      position.step !== undefined
    )
      position.step.interruption = event.reason;

    if (event !== undefined) await listener.event(event, position.step);

    // No await until the position is complete: it can be saved at any moment.
    position.events = line.end;
    if (event?.type !== 'step-started' && event?.type !== 'step-finished') return;

    if (event.type === 'step-finished') delete position.step;
    else {
      const began = steady();
      const { index, step: name, log } = event;
      position.step = { index, name, log, began, offset: 0, muted: false };
      this.#lastDelivery = began;
    }
    await this.#log?.[Symbol.asyncDispose]();
    this.#openLog();
  }

  async #parse({ text }: Line): Promise<RecordEvent | undefined> {
    try {
      return parseEvent(text);
    } catch (error) {
      await this.#options.listener.unreadable(messageOf(error));
      return undefined;
    }
  }

  /**
   * Delivers the log up to its size at the call: one that grows as fast as it is read can't hold up
   * the events.
   */
  async #deliverLog(): Promise<void> {
    const { position, listener, signal, steady } = this.#options;
    const { step } = position;
    if (step === undefined || this.#log === undefined || step.muted) return;

    const size = await this.#log.size();
    while (!signal.aborted && !step.muted) {
      const lines = await this.#log.next(size);
      if (lines === undefined) return;
      if (lines.length === 0) continue;
      this.#lastDelivery = steady();
      step.muted = !(await listener.lines(step, lines));
      step.offset = this.#log.offset;
    }
  }

  #openLog(): void {
    const { position, directory } = this.#options;
    const { step } = position;
    this.#log =
      step !== undefined && isStepLog(step.log)
        ? new GrowingLines(join(directory, step.log), step.offset, MAX_LINE_BYTES)
        : undefined;
  }
}
