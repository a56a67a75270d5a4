import { createHash } from 'node:crypto';
import { closeSync, openSync, read, write } from 'node:fs';
import { promisify } from 'node:util';
import type { Clock } from '../clock.ts';
import { messageOf, OutcomeError } from '../outcome.ts';
import { counted } from '../quantity.ts';

/**
 * Bytes that may wait for the disk, including those being written, before the writer has to wait.
 */
const HIGH_WATER = 128 * 1024;

/** Bytes to buffer while the disk fails; anything more is lost, counted and reported. */
const MAX_WAITING = 4 * 1024 * 1024;

/** From a failed write to its retry. */
const RETRY_MS = 1_000;

const LINE_FEED = 0x0a;

/**
 * The most times of lines; further lines share the last one's time until older ones are discarded.
 */
const MAX_LINE_TIMES = 65_536;

const readSome = promisify(read);
const writeSome = promisify(write);

/**
 * A step's log on disk, which is also the queue it is reported from. A step waits for nothing but
 * the disk, and not even for that while the disk fails: its lines then pass through a bounded
 * buffer. The file stays open until `close()`, so it can be read even after it was deleted.
 */
export class StepFile {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #onTrouble: (error: OutcomeError) => void;
  #descriptor: number | undefined;
  readonly #hash = createHash('sha256');
  readonly #lines = new LineTimes();
  /** Bytes from `#written` to `#bytes`: waiting for the disk or being written. */
  #waiting: Buffer[] = [];
  /** Bytes in the file; without a file, bytes read and released. */
  #written = 0;
  #bytes = 0;
  #lost = 0;
  #lostHere = 0;
  #trouble: OutcomeError | undefined;
  #flushing: Promise<void> | undefined;
  #room: PromiseWithResolvers<void> | undefined;
  #change = Promise.withResolvers<void>();
  readonly #ended = new AbortController();
  /** Aborts when no more text will come; remaining text is still written. */
  readonly ended = this.#ended.signal;
  #isWhole = false;
  #sha256: string | undefined;

  /**
   * Creates the file with mode 0600; it must not exist, not even as a link. `onTrouble` is
   * called, here too, each time the disk starts to fail.
   */
  constructor(path: string, clock: Clock, onTrouble: (error: OutcomeError) => void) {
    this.#path = path;
    this.#clock = clock;
    this.#onTrouble = onTrouble;
    try {
      // Synchronous, like the record's writes: a step doesn't begin before its file exists.
      this.#descriptor = openSync(path, 'ax+', 0o600);
    } catch (error) {
      this.#fail(this.#failed('create', error));
    }
  }

  /** Lines and bytes accepted, and lines lost because neither disk nor buffer could hold them. */
  get totals(): { readonly lines: number; readonly bytes: number; readonly lost: number } {
    return { lines: this.#lines.count, bytes: this.#bytes, lost: this.#lost + this.#lostHere };
  }

  /**
   * The file's hash in hexadecimal, once `end()` has settled; undefined if the file is incomplete.
   */
  get sha256(): string | undefined {
    return this.#sha256;
  }

  /** Bytes that can be read. */
  get size(): number {
    return this.#bytes;
  }

  /** Resolves when more can be read or the log is complete. */
  get changed(): Promise<void> {
    return this.#change.promise;
  }

  /** True when no more text will come and all of it can be read. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /**
   * Appends a copy of text of `time`, milliseconds since the epoch. Await the promise, if any,
   * before writing more.
   */
  write(bytes: Buffer, time: number): Promise<void> | undefined {
    const waiting = this.#bytes - this.#written + bytes.length;
    if (this.#trouble !== undefined && waiting > MAX_WAITING) {
      this.#lostHere += Math.max(1, lineEnds(bytes));
      return undefined;
    }

    this.#noteLoss(time);
    this.#append(Buffer.from(bytes), time);
    this.#flush();
    if (this.#trouble !== undefined || waiting <= HIGH_WATER) return undefined;

    this.#room ??= Promise.withResolvers();

    return this.#room.promise;
  }

  /**
   * Writes the rest; call it once. `time` as in `write`. Rejects with OutcomeError if the file is
   * incomplete.
   */
  async end(time: number): Promise<void> {
    this.#noteLoss(time);
    this.#ended.abort();
    await this.#flushing;

    // The try in progress when the log ended doesn't count as the last.
    this.#flush();
    await this.#flushing;

    const isComplete = this.#descriptor !== undefined && this.#written === this.#bytes;
    if (isComplete) this.#sha256 = this.#hash.digest('hex');
    this.#isWhole = true;
    this.#notifyChange();
    if (!isComplete && this.#bytes > 0 && this.#trouble !== undefined) throw this.#trouble;
  }

  /**
   * Reads up to `most` bytes; fewer while others are being written. Throws OutcomeError and what
   * node:fs throws.
   */
  async read(position: number, most: number): Promise<Buffer> {
    if (this.#descriptor === undefined || position >= this.#written) return this.#readWaiting(position, most);

    const length = Math.min(most, this.#written - position);

    // A line may be partly unwritten. Take that part before reading, since it may be written by
    // then.
    const rest = this.#readWaiting(this.#written, most - length);

    const { bytesRead, buffer } = await readSome(
      this.#descriptor,
      Buffer.allocUnsafe(length),
      0,
      length,
      position,
    );

    if (bytesRead === 0) throw this.#failed('read', 'the file has become shorter');

    const text = buffer.subarray(0, bytesRead);
    return rest.length === 0 || bytesRead < length ? text : Buffer.concat([text, rest]);
  }

  /** When the line at `position` began, in milliseconds since the epoch. */
  timeAt(position: number): number {
    return this.#lines.at(position);
  }

  /** Releases everything before `position`, which must not be read again. */
  release(position: number): void {
    this.#lines.forget(position);
    if (this.#descriptor === undefined) this.#drop(position - this.#written);
  }

  /**
   * Closes the file. Call it after `end()`, when nothing is read any more. Failure is reported, not
   * thrown.
   */
  close(): void {
    try {
      if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    } catch (error) {
      this.#onTrouble(this.#failed('close', error));
    }
    this.#descriptor = undefined;
  }

  #readWaiting(position: number, most: number): Buffer {
    const start = position - this.#written;
    return start < 0 ? Buffer.alloc(0) : this.#joined().subarray(start, start + most);
  }

  /** All waiting bytes in one buffer. */
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
    this.#notifyChange();
  }

  #notifyChange(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }

  /** Marks the place of lost lines in the log. */
  #noteLoss(time: number): void {
    if (this.#lostHere === 0) return;
    const reason = messageOf(this.#trouble?.cause ?? 'the disk accepted no data');
    const are = this.#lostHere === 1 ? 'is' : 'are';
    const sentence = `[agent] ${counted(this.#lostHere, 'line')} ${are} missing here: ${reason}.\n`;
    this.#lost += this.#lostHere;
    this.#lostHere = 0;
    this.#append(Buffer.from(this.#lines.isOpen ? `\n${sentence}` : sentence), time);
  }

  #flush(): void {
    if (this.#descriptor !== undefined) this.#flushing ??= this.#run(this.#descriptor);
  }

  /**
   * Writes until nothing waits, retrying while the disk fails, until the log ends. Never rejects.
   */
  async #run(descriptor: number): Promise<void> {
    while (this.#written < this.#bytes) {
      const isLastTry = this.#ended.signal.aborted;
      try {
        await this.#writeAll(descriptor, this.#joined());
      } catch (error) {
        this.#fail(this.#failed('write', error));
        if (isLastTry) break;
        await this.#clock.sleep(RETRY_MS, this.#ended.signal).catch(() => undefined);
      }
    }

    this.#flushing = undefined;
  }

  /** Throws what writing throws; unwritten bytes then still wait. */
  async #writeAll(descriptor: number, bytes: Buffer): Promise<void> {
    let count = 0;
    try {
      while (count < bytes.length) {
        const { bytesWritten } = await writeSome(descriptor, bytes, count, bytes.length - count, null);
        this.#hash.update(bytes.subarray(count, count + bytesWritten));
        count += bytesWritten;
      }
      this.#trouble = undefined;
      this.#makeRoom();
    } finally {
      this.#drop(count);
    }
  }

  #failed(action: string, cause: unknown): OutcomeError {
    const advice = "Check the disk's free space and the folder's permissions.";
    const message = `Failed to ${action} the step log ${this.#path}: ${messageOf(cause)}. ${advice}`;
    return new OutcomeError('failed', message, { cause, code: 'PRA-RECORD-10' });
  }

  #fail(error: OutcomeError): void {
    const isNew = this.#trouble === undefined;
    this.#trouble = error;
    this.#makeRoom();
    if (isNew) this.#onTrouble(error);
  }

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}

/**
 * Counts a log's lines and records when each began. Bounded: with a slow reader times lose
 * precision but not order.
 */
export class LineTimes {
  #entries: { readonly position: number; readonly time: number }[] = [];
  #bytes = 0;
  #ends = 0;
  #isOpen = false;

  /** Lines so far, including an unfinished one. */
  get count(): number {
    return this.#isOpen ? this.#ends + 1 : this.#ends;
  }

  /** True if the last line is unfinished. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Appends `bytes`; their `time`, in milliseconds since the epoch, must never decrease. */
  add(bytes: Buffer, time: number): void {
    // The rest of a line keeps the line's time.
    const first = this.#isOpen ? bytes.indexOf(LINE_FEED) : -1;
    const isNew = this.#entries.at(-1)?.time !== time && this.#entries.length < MAX_LINE_TIMES;

    if (isNew && (first !== -1 || !this.#isOpen))
      this.#entries.push({ position: this.#bytes + first + 1, time });
    this.#bytes += bytes.length;
    this.#ends += lineEnds(bytes);
    this.#isOpen = bytes.at(-1) !== LINE_FEED;
  }

  /** When the line at `position` began, in milliseconds since the epoch. */
  at(position: number): number {
    return this.#entries[this.#entry(position)]?.time ?? 0;
  }

  /** Discards the times of lines before `position`. */
  forget(position: number): void {
    this.#entries.splice(0, this.#entry(position));
  }

  /**
   * The last entry at or before `position`. Reads are near the first entry, since older ones are
   * discarded.
   */
  #entry(position: number): number {
    const next = this.#entries.findIndex((each) => each.position > position);
    return Math.max(0, (next === -1 ? this.#entries.length : next) - 1);
  }
}

/** Line ends in `bytes`. */
function lineEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) count += 1;
  return count;
}
