import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { messageOf } from '../outcome.ts';
import { parseEvent, readResult } from '../record/reader.ts';
import { type RecordEvent, RUN_FILES, type RunResult } from '../record/schema.ts';
import { GrowingLines, type Line, MAX_LINE_BYTES } from '../report/growing-lines.ts';
import { MAX_EVENT_BYTES, STEP_LOG } from '../report/report.ts';

const offsetSchema = z.number().int().nonnegative();

const stepSchema = z.object({
  index: z.number().int(),
  name: z.string(),
  /** Path inside the run directory. */
  log: z.string(),
  /** Of the step's log: everything before it was delivered. */
  offset: offsetSchema,
  /** The listener wants no more of this step's lines. */
  muted: z.boolean(),
  /** Why it was interrupted; a step that went past a limit has failed instead. */
  interruption: z.string().optional(),
});

export type FollowedStep = z.infer<typeof stepSchema>;

/** Where following stands, in bytes of files: enough for another process to go on at the same line. */
export const positionSchema = z.object({
  /** Of events.ndjson: everything before it was delivered. */
  events: offsetSchema,
  /** The step that runs. */
  step: stepSchema.optional(),
});

export type FollowPosition = z.infer<typeof positionSchema>;

/** Gets what is followed. Following waits for each answer, so a slow listener slows the reading and nothing piles up. */
export interface RunListener {
  /** Following goes on in the middle of this step. */
  resumed(step: FollowedStep): Promise<void>;
  /** `step` is the running one; at `step-finished` the one that finished. */
  event(event: RecordEvent, step: FollowedStep | undefined): Promise<void>;
  /** Lines of a running step, in order. Answers false when it wants no more of this step. */
  lines(step: FollowedStep, lines: readonly Line[]): Promise<boolean>;
  /** Something in the run directory can't be understood; following goes on behind it. */
  unreadable(message: string): Promise<void>;
}

/** Why following ended: the result was written, the engine is gone without one, or the caller's signal. */
export type FollowEnd =
  | { readonly kind: 'finished'; readonly result: RunResult }
  | { readonly kind: 'died' }
  | { readonly kind: 'stopped' };

export interface FollowOptions {
  readonly directory: string;
  /** Moves on as lines are delivered; it may be saved at any moment. */
  readonly position: FollowPosition;
  readonly listener: RunListener;
  /** True while the engine's process runs. */
  readonly isAlive: () => boolean;
  readonly signal: AbortSignal;
  /** Gets each event as it is read, before the listener, which may be slow. */
  readonly onEvent?: (event: RecordEvent) => void;
}

/** Milliseconds between two looks at the record. */
const POLL_MS = 200;

/**
 * Delivers a run as it happens, to its end. The order is the engine's own: it writes all of a step's lines before the event
 * that finishes the step, so before any event the running step's log is delivered up to its size at that moment;
 * behind `step-finished` that is the whole log. A last line without a line end comes when its step ends.
 * Throws OutcomeError `failed` when run.json can't be understood, and what node:fs throws.
 */
export async function follow(options: FollowOptions): Promise<FollowEnd> {
  const { directory, position, listener, isAlive, signal } = options;
  await using reader = new RunReader(options);
  if (position.step !== undefined) await listener.resumed(position.step);
  while (!signal.aborted) {
    // Both are asked before reading: what a dead process or a finished run had to say is then all there.
    const alive = isAlive();
    const result = await readResult(directory);
    await reader.deliver();
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
  readonly #events: GrowingLines;
  #log: GrowingLines | undefined;

  constructor(options: FollowOptions) {
    this.#options = options;
    const { directory, position } = options;
    this.#events = new GrowingLines(join(directory, RUN_FILES.events), position.events, MAX_EVENT_BYTES);
    this.#openLog();
  }

  /** Delivers everything that is there now. */
  async deliver(): Promise<void> {
    for (let lines = await this.#events.next(); lines !== undefined; lines = await this.#events.next()) {
      for (const line of lines) {
        await this.#deliverEvent(line);
        if (this.#options.signal.aborted) return;
      }
    }
    await this.#deliverLog();
  }

  /** Delivers what is left of the running step: an unended last line. */
  async endStep(): Promise<void> {
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
    const { position, listener, signal, onEvent } = this.#options;
    const event = await this.#parse(line);
    if (event !== undefined) onEvent?.(event);
    await this.#deliverLog();
    if (signal.aborted) return;
    if (event?.type === 'step-finished') await this.endStep();
    if (event?.type === 'stopping' && event.by !== 'timeout' && event.by !== 'memory' && position.step !== undefined)
      position.step.interruption = event.reason;
    if (event !== undefined) await listener.event(event, position.step);
    // From here to the next await: a position saved at any moment is a whole one.
    position.events = line.end;
    if (event?.type !== 'step-started' && event?.type !== 'step-finished') return;
    if (event.type === 'step-finished') delete position.step;
    else position.step = { index: event.index, name: event.step, log: event.log, offset: 0, muted: false };
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

  /** Up to the log's size at the call, so that a log that grows as fast as it is read can't hide the events. */
  async #deliverLog(): Promise<void> {
    const { position, listener, signal } = this.#options;
    const { step } = position;
    if (step === undefined || this.#log === undefined || step.muted) return;
    const size = await this.#log.size();
    while (!signal.aborted && !step.muted) {
      const lines = await this.#log.next(size);
      if (lines === undefined) return;
      if (lines.length === 0) continue;
      step.muted = !(await listener.lines(step, lines));
      step.offset = this.#log.offset;
    }
  }

  #openLog(): void {
    const { position, directory } = this.#options;
    const { step } = position;
    this.#log =
      step !== undefined && STEP_LOG.test(step.log)
        ? new GrowingLines(join(directory, step.log), step.offset, MAX_LINE_BYTES)
        : undefined;
  }
}
