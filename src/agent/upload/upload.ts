import { isDeepStrictEqual } from 'node:util';
import { settledBefore } from '../../base/clock.ts';
import type { StepFile } from '../../base/log/step-file.ts';
import { pauseAfter } from '../../cloud/backoff.ts';
import { isRefusal, refusedStatus } from '../../cloud/errors.ts';
import type { JobApi } from '../../cloud/job-api.ts';
import type { StepResult } from '../../record/schema.ts';
import type { HeartbeatTimes } from '../job/lease.ts';
import { CallSize } from './call-size.ts';
import { JsonLines } from './json-lines.ts';
import { batchAt, type CallLimits, LARGEST_CALL, LONGEST_PIECE, type LogBatch } from './log-batch.ts';
import { isForContent, isForTokenOrPath, lastingRefusal } from './refusal.ts';

/** Time between calls while there is no backlog. */
const INTERVAL_MS = 1_000;

/** Refusals of a single line until a sentence announces it, and again until it is given up. */
const TRIES_ALONE = 3;

/** How many of a step's lines Pulumi Cloud accepted. */
export type Delivery = StepResult['cloud'];

export interface UploadOptions extends HeartbeatTimes {
  readonly index: number;
  readonly file: StepFile;
  readonly api: { logs: JobApi['logs'] };
  /** Ends the upload; lines not yet accepted count as undelivered. */
  readonly signal: AbortSignal;
  /** Called with the number of lines of each accepted call. */
  readonly onTaken: (lines: number) => void;
  readonly onFailure: (error: unknown) => void;
}

/** What a batch is read for. */
type Wanted = CallLimits & { readonly position: number };

/**
 * Sends a step's lines in order, one call at a time, each repeated, sometimes with fewer lines
 * (protocol section 5).
 */
export class Upload {
  readonly #options: UploadOptions;
  readonly #refusalLasts: (error: unknown) => boolean;
  #position = 0;
  /** Lines by Pulumi Cloud's count, and the lines of the file that these complete. */
  #offset = 0;
  #ended = 0;
  readonly #counts = { sent: 0, undelivered: 0, batches: 0, retries: 0, failures: 0 };
  readonly #size = new CallSize();
  #lastCall = Number.NEGATIVE_INFINITY;
  #isFull = false;
  /** One buffer is filled while the other is sent. */
  #filled = newBuffer();
  #sent = newBuffer();
  #ahead: { readonly wanted: Wanted; readonly batch: Promise<LogBatch | undefined> } | undefined;

  constructor(options: UploadOptions) {
    this.#options = options;
    this.#refusalLasts = lastingRefusal(options);
  }

  /** Sends the file until its end or the signal's abort. Throws what reading the file throws. */
  async run(): Promise<void> {
    const { file, signal } = this.#options;
    try {
      while (await this.#due()) {
        const { changed } = file;
        const batch = await this.#next();
        if (batch === undefined) await settledBefore(changed, signal).catch(() => undefined);
        else await this.#deliver(batch);
      }
    } finally {
      // The file can be closed from now on.
      await this.#ahead?.batch.catch(() => undefined);
    }
  }

  /** The counts so far. Pieces of a long line count as lines sent. */
  get delivery(): Delivery {
    const undelivered = this.#options.file.totals.lines - this.#ended + this.#counts.undelivered;
    return { ...this.#counts, undelivered };
  }

  /** Waits until a call is due. False when none will be. */
  async #due(): Promise<boolean> {
    const { file, clock, signal } = this.#options;
    while (!signal.aborted) {
      const wait = this.#isFull ? 0 : this.#lastCall + INTERVAL_MS - clock.steady();
      if (file.size === this.#position) {
        if (file.isWhole) return false;
        await settledBefore(file.changed, signal).catch(() => undefined);
      } else if (file.ended.aborted || wait <= 0) {
        return true;
      } else {
        await clock.sleep(wait, AbortSignal.any([signal, file.ended])).catch(() => undefined);
      }
    }

    return false;
  }

  /**
   * The next batch: the one that was read ahead, unless a refusal or new limits made it obsolete.
   */
  async #next(): Promise<LogBatch | undefined> {
    const ahead = this.#ahead;
    this.#ahead = undefined;

    // Awaited even if obsolete: until then it writes to its buffer.
    const batch = await ahead?.batch;
    const wanted = { position: this.#position, ...this.#size.next };
    const isCurrent = ahead !== undefined && isDeepStrictEqual(ahead.wanted, wanted);

    // Where there was no complete line then, there can be one now.
    return (isCurrent ? batch : undefined) ?? (await this.#read(wanted));
  }

  /** Reads the batch after a full one while that is sent: calls then follow each other closely. */
  #readAhead({ bytes, isFull }: LogBatch): void {
    // While the step still prints, the time is better spent on taking its output.
    if (!isFull || this.#ahead !== undefined || !this.#options.file.ended.aborted) return;
    const wanted = { position: this.#position + bytes, ...this.#size.afterFull };
    const batch = this.#read(wanted);
    batch.catch(() => undefined);
    this.#ahead = { wanted, batch };
  }

  #read({ position, ...limits }: Wanted): Promise<LogBatch | undefined> {
    [this.#sent, this.#filled] = [this.#filled, this.#sent];
    return batchAt(this.#options.file, position, limits, this.#filled);
  }

  /**
   * Repeats one batch until it is accepted, must shrink, or is a line that stays refused while
   * others are accepted.
   */
  async #deliver(batch: LogBatch): Promise<void> {
    const { clock, signal } = this.#options;
    let isAnnounced = false;

    for (let failures = 1, alone = 0; !signal.aborted; failures += 1) {
      const calling = this.#call(batch.count, batch.json);
      this.#readAhead(batch);

      const error = await calling;
      if (error === undefined) return this.#taken(batch);

      if (isRefusal(error)) alone += 1;

      if (this.#isSuspect(error)) {
        if (batch.count > 1) return this.#size.narrow(batch, error);
        if (alone >= TRIES_ALONE) {
          if (isAnnounced) return this.#giveUp(batch);
          isAnnounced = await this.#announce(batch, error);
          if (isAnnounced) [failures, alone] = [0, 0];
        }
      }

      await pauseAfter(Math.max(1, failures), error, clock, signal);
      if (!signal.aborted) this.#counts.retries += 1;
    }
  }

  /** Sends `lines` after those already accepted. Returns the error, if any. */
  async #call(count: number, json: Buffer): Promise<unknown> {
    const { api, index, clock, signal, onFailure } = this.#options;
    this.#lastCall = clock.steady();

    try {
      await api.logs(index, { offset: this.#offset, count, json }, signal);
      return undefined;
    } catch (error) {
      if (signal.aborted || (isForContent(error) && count > 1)) return error;
      this.#counts.failures += 1;
      onFailure(error);
      return error;
    }
  }

  #taken(batch: LogBatch): void {
    const { count } = batch;
    this.#offset += count;
    this.#counts.sent += count;
    this.#counts.batches += 1;
    this.#size.accepted(batch.isFull);
    this.#moveOn(batch);
    this.#options.onTaken(count);
  }

  #moveOn({ bytes, ended, isFull }: LogBatch): void {
    this.#position += bytes;
    this.#ended += ended;
    this.#refusalLasts(undefined);
    this.#isFull = isFull;
    this.#size.moveOn(isFull);
    this.#options.file.release(this.#position);
  }

  /**
   * Whether to suspect the call's content: at once by the status, or once a refusal that may be for
   * it lasts.
   */
  #isSuspect(error: unknown): boolean {
    const lasts = this.#refusalLasts(error);
    return isForContent(error) || (lasts && !isForTokenOrPath(error));
  }

  /**
   * Says in the log that the line is refused. True if that is accepted: the line is then tried
   * again behind it, so that it isn't lost if an outage has just ended. Without an answer the
   * sentence may have been taken, so it is repeated.
   */
  async #announce({ bytes }: LogBatch, refusal: unknown): Promise<boolean> {
    const { file, clock, signal } = this.#options;
    const text = `[agent] Pulumi Cloud refused a line of ${bytes} bytes here with HTTP ${refusedStatus(refusal)}.\n`;
    const line = new JsonLines(0, text.length);

    line.add(file.timeAt(this.#position), Buffer.from(text));

    for (let failures = 1, isOpen = false; !signal.aborted; failures += 1) {
      const error = await this.#call(1, line.json);
      if (error === undefined) {
        this.#offset += 1;
        return true;
      }

      isOpen ||= !isRefusal(error);
      if (!isOpen) return false;

      await pauseAfter(failures, error, clock, signal);
    }

    return false;
  }

  /**
   * The line was refused right after a call was accepted. It was at fault for narrow limits, too.
   */
  #giveUp(line: LogBatch): void {
    this.#counts.undelivered += 1;
    this.#size.widen();
    this.#moveOn(line);
  }
}

function newBuffer(): JsonLines {
  return new JsonLines(LARGEST_CALL.bytes, LONGEST_PIECE + 1);
}
