import { writeSync } from 'node:fs';

/** Milliseconds that a line waits for a reader who takes his time, before what comes after it is given up. */
const WAIT_MS = 10_000;
const RETRY_MS = 10;

/**
 * Whole lines on a file descriptor, each written before the next statement runs. A pipe that is full blocks; one that does not
 * block, as whoever holds its other ends may have asked for, is waited for here. Never throws: a closed stderr or a full
 * disk must not end a deployment.
 */
export class WholeLines {
  readonly #target: number;
  readonly #lost: (count: number) => string;
  /** What the descriptor has yet to take: one line at the most, and what is said before it. */
  #waiting = Buffer.alloc(0);
  #count = 0;

  /** `lost` is the line that stands for `count` others which nobody read in time. */
  constructor(target: number, lost: (count: number) => string) {
    this.#target = target;
    this.#lost = lost;
  }

  /** `line` with its end. */
  write(line: string): void {
    if (!this.#push(0)) {
      this.#count += 1;
      return;
    }
    this.#waiting = Buffer.from(this.#count === 0 ? line : this.#lost(this.#count) + line);
    this.#count = 0;
    this.#push(WAIT_MS);
  }

  /** False when something still waits after `ms` milliseconds. */
  #push(ms: number): boolean {
    const end = performance.now() + ms;
    while (this.#waiting.length > 0) {
      try {
        this.#waiting = this.#waiting.subarray(writeSync(this.#target, this.#waiting));
      } catch (error) {
        if (!isFull(error)) this.#waiting = Buffer.alloc(0);
        else if (performance.now() >= end) return false;
        else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
      }
    }
    return true;
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}
