import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Outlet } from './outlets.ts';

/** Lines that wait for a slow reader; further ones are dropped and counted. */
const MOST_LINES = 1_000;

/** A text, and how many lines are lost with it. */
interface Entry {
  readonly text: string;
  readonly lines: number;
}

/**
 * Lines on their way to an outlet that may take them late or never. Nothing waits for it and nothing throws: a bounded number of
 * lines is held, and a line says how many others are lost, once the outlet takes something again.
 */
export class LineQueue {
  readonly #waiting: Writable;
  readonly #lostLine: (count: number) => string;
  #lost = 0;

  /** `lostLine` is the line that stands for `count` others. */
  constructor(outlet: Outlet, lostLine: (count: number) => string) {
    this.#lostLine = lostLine;
    this.#waiting = new Writable({
      objectMode: true,
      highWaterMark: MOST_LINES,
      write: ({ text, lines }: Entry, _encoding, done) =>
        outlet(text, (error) => {
          if (error) this.#lost += lines;
          done();
        }),
      final: (done) => (this.#lost === 0 ? done() : outlet(lostLine(this.#lost), () => done())),
    });
    this.#waiting.on('drain', () => this.#tellLost());
  }

  /** Takes one line with its end. Ignored once the queue is closed. */
  write(line: string): void {
    if (this.#waiting.writableEnded) return;
    // Once full it stays closed until all of it is out, so that one line tells what was lost.
    if (this.#waiting.writableNeedDrain) {
      this.#lost += 1;
      return;
    }
    this.#tellLost();
    this.#waiting.write({ text: line, lines: 1 });
  }

  /** Resolves when everything is out, or after `ms` milliseconds. */
  async close(ms: number): Promise<void> {
    this.#waiting.end();
    await finished(this.#waiting, { signal: AbortSignal.timeout(ms) }).catch(() => undefined);
  }

  #tellLost(): void {
    if (this.#lost === 0) return;
    const lines = this.#lost;
    this.#lost = 0;
    this.#waiting.write({ text: this.#lostLine(lines), lines });
  }
}
