import { type Moment, momentOf, passedSince, settledBefore } from '../clock.ts';
import { pauseAfter } from '../cloud/backoff.ts';
import { isRefusal, refusedStatus } from '../cloud/errors.ts';
import type { JobApi, LogLine } from '../cloud/jobs.ts';
import type { StepFile } from '../log/step-file.ts';
import type { StepResult } from '../record/schema.ts';
import type { HeartbeatTimes } from './lease.ts';
import { batchAt, type CallLimits, LARGEST_CALL, type LogBatch } from './log-batch.ts';

/** Milliseconds between calls while there is no backlog, and the most lines of such a call. */
const INTERVAL_MS = 1_000;
const USUAL_LINES = 100;
/** Milliseconds of refusals, while heartbeats are accepted, until a call's content is suspected. */
const LASTING_MS = 60_000;
/** Refusals of a single line until a placeholder is tried instead. */
const TRIES_ALONE = 3;

/** How many of a step's lines Pulumi Cloud accepted. */
export type Delivery = StepResult['cloud'];

/** Tells a report refused for its content from an unavailable service or a token that is temporarily refused. */
export class LastingRefusal {
  readonly #sources: HeartbeatTimes;
  #since: Moment | undefined;

  constructor(sources: HeartbeatTimes) {
    this.#sources = sources;
  }

  /** Notes a failure. True after a minute of nothing but refusals, if heartbeats were accepted meanwhile. 401 isn't one. */
  lasts(error: unknown): boolean {
    const { clock, heartbeatSince } = this.#sources;
    const counts = isRefusal(error) && refusedStatus(error) !== 401;
    this.#since = counts ? (this.#since ?? momentOf(clock)) : undefined;
    if (this.#since === undefined || passedSince(this.#since, clock).surely < LASTING_MS) return false;
    return heartbeatSince(this.#since);
  }

  /** Notes that the report was accepted. */
  over(): void {
    this.#since = undefined;
  }
}

export interface UploadOptions extends HeartbeatTimes {
  readonly index: number;
  readonly file: StepFile;
  readonly api: Pick<JobApi, 'logs'>;
  /** Ends the upload; lines not yet accepted count as undelivered. */
  readonly signal: AbortSignal;
  /** Called with the number of lines of each accepted call. */
  readonly onTaken: (lines: number) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Sends a step's lines in order, one call at a time, each repeated, perhaps with fewer lines (protocol section 5). */
export class Upload {
  readonly #options: UploadOptions;
  readonly #refusal: LastingRefusal;
  #position = 0;
  /** Lines by Pulumi Cloud's count, and the lines of the file that these complete. */
  #offset = 0;
  #ended = 0;
  readonly #counts = { sent: 0, undelivered: 0, batches: 0, retries: 0, failures: 0 };
  /** The most lines of the next call; grows while there is a backlog. */
  #lines = USUAL_LINES;
  /** The largest calls the service accepts, and the present limits. */
  #most = LARGEST_CALL;
  #limits = LARGEST_CALL;
  /** Up to this position of the file, some content is suspected to be refused. */
  #suspectedUntil = 0;
  #lastCall = Number.NEGATIVE_INFINITY;
  #isFull = false;

  constructor(options: UploadOptions) {
    this.#options = options;
    this.#refusal = new LastingRefusal(options);
  }

  /** Sends the whole file, until it has ended or the signal aborts. Throws what reading the file throws. */
  async run(): Promise<void> {
    const { file, signal } = this.#options;
    while (await this.#due()) {
      const { changed } = file;
      const lines = Math.min(this.#lines, this.#limits.lines);
      const batch = await batchAt(file, this.#position, { ...this.#limits, lines });
      if (batch === undefined) await settledBefore(changed, signal).catch(() => undefined);
      else await this.#deliver(batch);
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

  /** Repeats one batch until it is accepted or must shrink. */
  async #deliver(batch: LogBatch): Promise<void> {
    const { clock, signal } = this.#options;
    for (let failures = 1, alone = 0; !signal.aborted; failures += 1) {
      const error = await this.#call(batch.lines);
      if (error === undefined) return this.#taken(batch, batch.lines.length);
      if (this.#isSuspect(error)) {
        if (batch.lines.length > 1) return this.#narrow(batch, error);
        this.#suspect(batch);
        alone += 1;
        if (alone % TRIES_ALONE === 0 && (await this.#replace(batch, error))) return;
      }
      await pauseAfter(failures, error, clock, signal);
      if (!signal.aborted) this.#counts.retries += 1;
    }
  }

  /** Sends `lines` after those already accepted. Returns the error, if any. */
  async #call(lines: readonly LogLine[]): Promise<unknown> {
    const { api, index, clock, signal, onFailure } = this.#options;
    this.#lastCall = clock.steady();
    try {
      await api.logs(index, { offset: this.#offset, lines }, signal);
      return undefined;
    } catch (error) {
      if (signal.aborted || (isTooLarge(error) && lines.length > 1)) return error;
      this.#counts.failures += 1;
      onFailure(error);
      return error;
    }
  }

  #taken(batch: LogBatch, sent: number): void {
    const { file, onTaken } = this.#options;
    this.#position += batch.bytes;
    this.#offset += batch.lines.length;
    this.#ended += batch.ended;
    this.#counts.sent += sent;
    this.#counts.batches += 1;
    this.#refusal.over();
    this.#limits = this.#position >= this.#suspectedUntil ? this.#most : doubled(this.#limits);
    this.#isFull = batch.isFull;
    this.#lines = batch.isFull ? Math.min(this.#lines * 2, LARGEST_CALL.lines) : USUAL_LINES;
    file.release(this.#position);
    onTaken(sent);
  }

  /** Whether to suspect the call's content: at once if too large or already suspected, else once refusals last. */
  #isSuspect(error: unknown): boolean {
    const lasts = this.#refusal.lasts(error);
    return lasts || isTooLarge(error) || (isRefusal(error) && this.#position < this.#suspectedUntil);
  }

  /** Halves the limits: for good if the call was too large, else until the lines of `batch` are accepted. */
  #narrow(batch: LogBatch, error: unknown): void {
    this.#limits = { lines: Math.floor(batch.lines.length / 2), bytes: Math.floor(batch.size / 2) };
    if (isTooLarge(error) && this.#position >= this.#suspectedUntil) this.#most = this.#limits;
    else this.#suspectedUntil = Math.max(this.#suspectedUntil, this.#position + batch.bytes);
  }

  /** A line refused on its own is refused for its content, so earlier narrowing says nothing about later calls. */
  #suspect(line: LogBatch): void {
    this.#most = LARGEST_CALL;
    this.#suspectedUntil = Math.max(this.#suspectedUntil, this.#position + line.bytes);
  }

  /** Gives up a line if Pulumi Cloud accepts a placeholder for it, which proves that the line was at fault. */
  async #replace(batch: LogBatch, refusal: unknown): Promise<boolean> {
    const [line] = batch.lines;
    const l = `[agent] A line of ${batch.bytes} bytes is missing here: Pulumi Cloud refused it with HTTP ${refusedStatus(refusal)}.\n`;
    if ((await this.#call([{ t: line?.t ?? '', l }])) !== undefined) return false;
    this.#counts.undelivered += 1;
    this.#taken(batch, 0);
    return true;
  }
}

/** The accepted part was not at fault: the next call may carry twice as much. */
function doubled({ lines, bytes }: CallLimits): CallLimits {
  return { lines: Math.min(lines * 2, LARGEST_CALL.lines), bytes: Math.min(bytes * 2, LARGEST_CALL.bytes) };
}

/** Pulumi Cloud wants a smaller call. */
function isTooLarge(error: unknown): boolean {
  const status = refusedStatus(error);
  return status === 413 || status === 400;
}
