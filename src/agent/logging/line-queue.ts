import { appendFile, fstatSync } from 'node:fs';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { AppendedFile } from '../../record/appended-file.ts';
import type { LogEntry } from './log-line.ts';

/** Writes an entry; calls `done` once it is written, or with the error. */
export type Outlet = (entry: LogEntry, done: (error?: Error | null) => void) => void;

/** The most entries queued for a slow reader; further ones are dropped and counted. */
const MAX_ENTRIES = 1_000;

/** An entry, and the number of lines lost if it can't be written. */
interface QueuedEntry {
  readonly entry: LogEntry;
  readonly lines: number;
}

/**
 * A bounded queue for an outlet that may be slow: callers never wait, nothing throws, an entry
 * counts lost lines.
 */
export class LineQueue {
  readonly #waiting: Writable;
  readonly #now: () => number;
  #lost = 0;

  /** `now` returns milliseconds since the epoch. */
  constructor(outlet: Outlet, now: () => number) {
    this.#now = now;

    this.#waiting = new Writable({
      objectMode: true,
      highWaterMark: MAX_ENTRIES,
      write: ({ entry, lines }: QueuedEntry, _encoding, done) =>
        outlet(entry, (error) => {
          if (error) this.#lost += lines;
          done();
        }),
      final: (done) => (this.#lost === 0 ? done() : outlet(this.#lossEntry(), () => done())),
    });

    this.#waiting.on('drain', () => this.#reportLoss());
  }

  /** Queues one entry. Ignored once the queue is closed. */
  write(entry: LogEntry): void {
    if (this.#waiting.writableEnded) return;

    // Once full, accept nothing until the queue has drained, so that one line reports the whole
    // loss.
    if (this.#waiting.writableNeedDrain) {
      this.#lost += 1;
      return;
    }

    this.#reportLoss();
    this.#waiting.write({ entry, lines: 1 });
  }

  /** Resolves when everything is out, or after `ms` milliseconds. */
  async close(ms: number): Promise<void> {
    this.#waiting.end();
    await finished(this.#waiting, { signal: AbortSignal.timeout(ms) }).catch(() => undefined);
  }

  #reportLoss(): void {
    if (this.#lost > 0) this.#waiting.write({ lines: this.#lost, entry: this.#lossEntry() });
  }

  #lossEntry(): LogEntry {
    const lines = this.#lost === 1 ? '1 line' : `${this.#lost} lines`;
    this.#lost = 0;
    const message = `Lost ${lines} of this log: its reader was too slow, or the disk was full.`;
    return { at: this.#now(), level: 'warning', message };
  }
}

export const STDERR = 2;

/**
 * An outlet to an open file descriptor of any kind, whose reader never blocks the caller; `line`
 * formats an entry.
 */
export function outletOf(descriptor: number, line: (entry: LogEntry) => string): Outlet {
  const kind = fstatSync(descriptor);
  if (kind.isFile()) {
    // Written synchronously, so that a killed agent's last lines are in the file.
    const file = new AppendedFile(descriptor);
    return (entry, done) => {
      let failure: Error | undefined;
      try {
        file.append(line(entry));
      } catch (error) {
        failure = error as Error;
      }
      done(failure);
    };
  }

  // A terminal may be stopped: only a thread of Node's pool blocks on it.
  if (descriptor !== STDERR || !(kind.isFIFO() || kind.isSocket()))
    return (entry, done) => appendFile(descriptor, line(entry), done);

  // A vanished reader must not end a deployment; each write's callback still gets the error. Stays
  // as long as stderr.
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => undefined);

  return (entry, done) => {
    // Data that fits into the pipe is written at once too; only the rest waits.
    const hasRoom = process.stderr.write(line(entry), (error) => {
      if (!hasRoom) done(error);
    });
    if (hasRoom) done();
  };
}
