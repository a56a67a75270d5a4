import { createHash } from 'node:crypto';
import { closeSync, openSync, read, write } from 'node:fs';
import { promisify } from 'node:util';
import type { Clock } from '../clock.ts';
import { messageOf, OutcomeError } from '../outcome.ts';
import { counted } from '../quantity.ts';
import { LineTimes, lineEnds } from './line-times.ts';

/** Bytes that may wait for the disk, those on their way included, before the writer is asked to wait too. */
const HIGH_WATER = 128 * 1024;
/** Bytes that wait while there is no disk to take them: what comes beyond is lost, counted and said. */
const MOST_WAITING = 4 * 1024 * 1024;
/** Milliseconds from a failed write to the next try. */
const AGAIN_MS = 1_000;

const readSome = promisify(read);
const writeSome = promisify(write);

interface StepFileOptions {
  readonly path: string;
  readonly clock: Clock;
  /** Called once when the disk takes nothing. */
  readonly onTrouble: (error: OutcomeError) => void;
}

/**
 * A step's log on disk, and the queue from which it is reported: text is written at its end and read behind. A step waits for
 * the disk alone, and not even for that while the disk takes nothing: then its lines pass through a bounded buffer. The file stays
 * open until it is closed, so it can be read when its folder was emptied.
 */
export class StepFile {
  readonly #options: StepFileOptions;
  #descriptor: number | undefined;
  readonly #hash = createHash('sha256');
  readonly #lines = new LineTimes();
  /** What waits for the disk, or is on its way there: the bytes from `#written` to `#bytes`. */
  #waiting: Buffer[] = [];
  /** Bytes that the file holds, or without a file those that were read and let go. */
  #written = 0;
  #bytes = 0;
  #lost = 0;
  #lostHere = 0;
  #trouble: OutcomeError | undefined;
  #flushing: Promise<void> | undefined;
  #room: PromiseWithResolvers<void> | undefined;
  #change = Promise.withResolvers<void>();
  readonly #ended = new AbortController();
  /** Aborts when no more text comes; what is left is still written then. */
  readonly ended = this.#ended.signal;
  #ending: Promise<void> | undefined;
  #isWhole = false;
  #sha256: string | undefined;

  /** Makes the file, mode 0600; it must not exist, nor be a link. A file that can't be made is trouble, not an error. */
  constructor(options: StepFileOptions) {
    this.#options = options;
    try {
      // Synchronous, as the record's writes are: a step is not begun before its file is there.
      this.#descriptor = openSync(options.path, 'ax+', 0o600);
    } catch (error) {
      this.#fail(this.#failed('create', error));
    }
  }

  /** Lines and bytes that were taken, and lines that were lost because neither disk nor buffer could hold them. */
  get totals(): { readonly lines: number; readonly bytes: number; readonly lost: number } {
    return { lines: this.#lines.count, bytes: this.#bytes, lost: this.#lost + this.#lostHere };
  }

  /** Of the file's bytes, in hexadecimal digits, once `end()` has settled; undefined when the file doesn't hold all of them. */
  get sha256(): string | undefined {
    return this.#sha256;
  }

  /** Bytes that can be read. */
  get size(): number {
    return this.#bytes;
  }

  /** Resolves when more can be read, or the log is whole. */
  get changed(): Promise<void> {
    return this.#change.promise;
  }

  /** True when no more text comes, and all can be read. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Appends a copy of text that came at `time` (milliseconds since the epoch). Write no more until the promise, if any, resolves. */
  write(bytes: Buffer, time: number): Promise<void> | undefined {
    const waiting = this.#bytes - this.#written + bytes.length;
    if (this.#trouble !== undefined && waiting > MOST_WAITING) {
      this.#lostHere += Math.max(1, lineEnds(bytes));
      return undefined;
    }
    this.#sayLoss(time);
    this.#append(Buffer.from(bytes), time);
    this.#flush();
    if (this.#trouble !== undefined || waiting <= HIGH_WATER) return undefined;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /** Writes what is left. Resolves when everything is in the file; rejects with OutcomeError when it can't be. `time` as in `write`. */
  end(time: number): Promise<void> {
    this.#ending ??= this.#finish(time);
    return this.#ending;
  }

  /** Up to `most` bytes from `position` on; fewer while others get to the disk. Throws OutcomeError, and what reading a file throws. */
  async read(position: number, most: number): Promise<Buffer> {
    if (this.#descriptor === undefined || position >= this.#written) return this.#readWaiting(position, most);
    const length = Math.min(most, this.#written - position);
    // A line may be partly on the disk and partly on its way there: taken before the disk answers, as it may have arrived by then.
    const rest = this.#readWaiting(this.#written, most - length);
    const { bytesRead, buffer } = await readSome(this.#descriptor, Buffer.allocUnsafe(length), 0, length, position);
    if (bytesRead === 0) throw this.#failed('read', 'it has become shorter');
    const text = buffer.subarray(0, bytesRead);
    return rest.length === 0 || bytesRead < length ? text : Buffer.concat([text, rest]);
  }

  /** When the line at `position` came: milliseconds since the epoch. */
  timeAt(position: number): number {
    return this.#lines.at(position);
  }

  /** What stands before `position` is not read again. */
  release(position: number): void {
    this.#lines.forget(position);
    if (this.#descriptor === undefined) this.#drop(position - this.#written);
  }

  /** Nothing is read any more. Call it after `end()`. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #readWaiting(position: number, most: number): Buffer {
    const start = position - this.#written;
    return start < 0 ? Buffer.alloc(0) : this.#joined().subarray(start, start + most);
  }

  /** All that waits, as one piece. */
  #joined(): Buffer {
    const [first, ...others] = this.#waiting;
    const all = first !== undefined && others.length === 0 ? first : Buffer.concat(this.#waiting);
    this.#waiting = [all];
    return all;
  }

  #drop(count: number): void {
    this.#waiting = [this.#joined().subarray(count)];
    this.#written += count;
  }

  #append(bytes: Buffer, time: number): void {
    this.#lines.add(bytes, time);
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    this.#tellChange();
  }

  #tellChange(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }

  /** Where lines are missing, the log says so. */
  #sayLoss(time: number): void {
    if (this.#lostHere === 0) return;
    const reason = messageOf(this.#trouble?.cause ?? 'the disk took nothing');
    const are = this.#lostHere === 1 ? 'is' : 'are';
    const sentence = `[agent] ${counted(this.#lostHere, 'line')} ${are} missing here: ${reason}.\n`;
    this.#lost += this.#lostHere;
    this.#lostHere = 0;
    this.#append(Buffer.from(this.#lines.isOpen ? `\n${sentence}` : sentence), time);
  }

  #flush(): void {
    if (this.#descriptor !== undefined) this.#flushing ??= this.#run(this.#descriptor);
  }

  /** Writes until nothing waits; tries again and again while the disk takes nothing, until the log ends. Never rejects. */
  async #run(descriptor: number): Promise<void> {
    while (this.#written < this.#bytes) {
      const isLastTry = this.#ended.signal.aborted;
      try {
        await this.#writeAll(descriptor, this.#joined());
      } catch (error) {
        this.#fail(this.#failed('write', error));
        if (isLastTry) break;
        await this.#options.clock.sleep(AGAIN_MS, this.#ended.signal).catch(() => undefined);
      }
    }
    this.#flushing = undefined;
  }

  /** Throws what writing throws; what was not written then still waits. */
  async #writeAll(descriptor: number, bytes: Buffer): Promise<void> {
    let done = 0;
    try {
      while (done < bytes.length) {
        const { bytesWritten } = await writeSome(descriptor, bytes, done, bytes.length - done, null);
        this.#hash.update(bytes.subarray(done, done + bytesWritten));
        done += bytesWritten;
      }
      this.#trouble = undefined;
      this.#makeRoom();
    } finally {
      this.#drop(done);
    }
  }

  #failed(action: string, cause: unknown): OutcomeError {
    const advice = "Check the disk's free space and the folder's permissions.";
    const message = `Failed to ${action} the step log ${this.#options.path}: ${messageOf(cause)}. ${advice}`;
    return new OutcomeError('failed', message, { cause, code: 'PRA-RECORD-10' });
  }

  #fail(error: OutcomeError): void {
    const isNew = this.#trouble === undefined;
    this.#trouble = error;
    this.#makeRoom();
    if (isNew) this.#options.onTrouble(error);
  }

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  async #finish(time: number): Promise<void> {
    this.#sayLoss(time);
    this.#ended.abort();
    await this.#flushing;
    // A try that was under way when the log ended may not have been the last.
    this.#flush();
    await this.#flushing;
    const isAll = this.#descriptor !== undefined && this.#written === this.#bytes;
    if (isAll) this.#sha256 = this.#hash.digest('hex');
    this.#isWhole = true;
    this.#tellChange();
    if (!isAll && this.#bytes > 0 && this.#trouble !== undefined) throw this.#trouble;
  }
}
