import { appendFile, fstatSync } from 'node:fs';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { AppendedFile } from '../../record/appended-file.ts';
import type { LogEntry } from './log-line.ts';

/** Writes an entry; calls `done` when it is out, with an error when it can't be. */
export type Outlet = (entry: LogEntry, done: (error?: Error | null) => void) => void;

/** Entries that wait for a slow reader; further ones are dropped and counted. */
const MOST_ENTRIES = 1_000;

/** An entry, and how many lines are lost with it. */
interface Waiting {
  readonly entry: LogEntry;
  readonly lines: number;
}

/** Entries on their way to an outlet that may be late. Nothing waits for it, nothing throws: a bounded number is held, and an entry counts what is lost. */
export class LineQueue {
  readonly #waiting: Writable;
  readonly #now: () => number;
  #lost = 0;

  /** `now` is milliseconds since the epoch. */
  constructor(outlet: Outlet, now: () => number) {
    this.#now = now;
    this.#waiting = new Writable({
      objectMode: true,
      highWaterMark: MOST_ENTRIES,
      write: ({ entry, lines }: Waiting, _encoding, done) =>
        outlet(entry, (error) => {
          if (error) this.#lost += lines;
          done();
        }),
      final: (done) => (this.#lost === 0 ? done() : outlet(this.#lossEntry(), () => done())),
    });
    this.#waiting.on('drain', () => this.#tellLoss());
  }

  /** Takes one entry. Ignored once the queue is closed. */
  write(entry: LogEntry): void {
    if (this.#waiting.writableEnded) return;
    // Once full it stays closed until all of it is out, so that one line tells what was lost.
    if (this.#waiting.writableNeedDrain) {
      this.#lost += 1;
      return;
    }
    this.#tellLoss();
    this.#waiting.write({ entry, lines: 1 });
  }

  /** Resolves when everything is out, or after `ms` milliseconds. */
  async close(ms: number): Promise<void> {
    this.#waiting.end();
    await finished(this.#waiting, { signal: AbortSignal.timeout(ms) }).catch(() => undefined);
  }

  #tellLoss(): void {
    if (this.#lost > 0) this.#waiting.write({ lines: this.#lost, entry: this.#lossEntry() });
  }

  #lossEntry(): LogEntry {
    const lines = this.#lost === 1 ? '1 line' : `${this.#lost} lines`;
    this.#lost = 0;
    const message = `Lost ${lines} of this log: nobody read it for a while, or the disk was full.`;
    return { at: this.#now(), level: 'warning', message };
  }
}

export const STDERR = 2;

/** An open file descriptor as an outlet that never holds up the caller, whatever it leads to; `line` makes the text of an entry. */
export function outletOf(descriptor: number, line: (entry: LogEntry) => string): Outlet {
  const kind = fstatSync(descriptor);
  if (kind.isFile()) {
    // A regular file takes each line at once: the last lines of a killed agent are there.
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
  // A terminal may be stopped: only a thread of Node's pool waits for it.
  if (descriptor !== STDERR || !(kind.isFIFO() || kind.isSocket()))
    return (entry, done) => appendFile(descriptor, line(entry), done);
  // A reader that is gone must not end a deployment; each write's callback gets the error all the same. Stays as long as stderr does.
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => undefined);
  return (entry, done) => {
    // What a pipe has room for is out at once too; only the rest waits.
    const more = process.stderr.write(line(entry), (error) => {
      if (!more) done(error);
    });
    if (more) done();
  };
}
