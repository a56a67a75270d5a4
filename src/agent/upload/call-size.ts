import { type CallLimits, LARGEST_CALL, type LogBatch } from './log-batch.ts';
import { isForContent } from './refusal.ts';

/** The most lines of a call while there is no backlog. */
const USUAL_LINES = 100;

/**
 * Accepted calls at the limits until these double: less than one call in a hundred then meets a
 * proxy's own limit.
 */
const CALLS_TO_GROW = 200;

/** How much goes into the next call: more while there is a backlog, less after a refusal. */
export class CallSize {
  /** The most lines of the next call; grows while there is a backlog. */
  #lines = USUAL_LINES;
  #limits = LARGEST_CALL;
  /** Calls accepted at these limits. */
  #atLimits = 0;

  /** The limits of the next call. */
  get next(): CallLimits {
    return this.#within(this.#lines);
  }

  /** The limits of the call after the next, if that is full. */
  get afterFull(): CallLimits {
    return this.#within(grown(this.#lines));
  }

  /** Notes an accepted call. */
  accepted(isFull: boolean): void {
    if (isFull) this.#atLimits += 1;
    if (this.#atLimits === CALLS_TO_GROW) this.#limit(doubled(this.#limits));
  }

  /** Notes that the next batch follows, after a full one or not. */
  moveOn(isFull: boolean): void {
    this.#lines = isFull ? grown(this.#lines) : USUAL_LINES;
  }

  /**
   * Halves the limits; after a lasting refusal lines go alone at once, since each new suspicion
   * takes a minute.
   */
  narrow({ count, size }: LogBatch, error: unknown): void {
    if (isForContent(error)) this.#limit({ lines: Math.floor(count / 2), bytes: Math.floor(size / 2) });
    else this.#limit({ ...this.#limits, lines: 1 });
  }

  /** Lifts the limits. */
  widen(): void {
    this.#limit(LARGEST_CALL);
  }

  #within(lines: number): CallLimits {
    return { ...this.#limits, lines: Math.min(lines, this.#limits.lines) };
  }

  #limit(limits: CallLimits): void {
    this.#limits = limits;
    this.#atLimits = 0;
  }
}

function grown(lines: number): number {
  return Math.min(lines * 2, LARGEST_CALL.lines);
}

function doubled({ lines, bytes }: CallLimits): CallLimits {
  return { lines: Math.min(lines * 2, LARGEST_CALL.lines), bytes: Math.min(bytes * 2, LARGEST_CALL.bytes) };
}
