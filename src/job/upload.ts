import { type Clock, type Moment, momentOf, passedSince, sleepUntil } from '../clock.ts';
import { CloudRefusedError, refusedStatus } from '../cloud/errors.ts';
import type { JobApi, LogLine } from '../cloud/jobs.ts';
import type { StepFile } from '../log/step-file.ts';
import { batchAt, type CallLimits, LARGEST_CALL, type LogBatch, SMALLEST_PIECE } from './log-batch.ts';
import { pauseAfter } from './pause.ts';

/** Milliseconds from one call to the next while there is no backlog, and the lines of such a call. */
const INTERVAL_MS = 1_000;
const USUAL_LINES = 100;
/** Milliseconds for which a call is refused, while heartbeats are accepted, until what it holds is suspected. */
const SUSPICION_MS = 30_000;
/** Refusals of a line alone, after which a sentence is tried in its place. */
const TRIES_ALONE = 3;
const TOO_LARGE =
  'Failed to send log lines of the step: Pulumi Cloud refuses one of them alone. A sentence takes its place.';

/** What Pulumi Cloud took of a step's lines. */
export interface Delivery {
  /** Pieces of a long line count as lines here. */
  readonly sent: number;
  readonly undelivered: number;
  /** Calls that were taken, those that repeated a failed one, and those that failed. */
  readonly batches: number;
  readonly retries: number;
  readonly failures: number;
}
export const NOTHING_SENT: Delivery = { sent: 0, undelivered: 0, batches: 0, retries: 0, failures: 0 };

export interface UploadOptions {
  readonly index: number;
  readonly file: StepFile;
  readonly api: Pick<JobApi, 'logs'>;
  readonly clock: Clock;
  /** Ends the upload: what is not taken by then is undelivered. */
  readonly signal: AbortSignal;
  /** True when a heartbeat was accepted that was sent after then. */
  readonly heartbeatSince: (moment: Moment) => boolean;
  /** Called with the number of lines of each call that was taken. */
  readonly onTaken: (lines: number) => void;
  readonly onFailure: (error: unknown) => void;
}

interface Suspicion {
  readonly limits: CallLimits;
  /** Position in the file. */
  readonly until: number;
}

type Answer = 'taken' | 'too-large' | 'refused' | 'not-yet';

/**
 * Reads a step's file behind the step and sends its lines to Pulumi Cloud (protocol section 5): in order, one call at a time, each
 * repeated until it is taken. A repeat carries the same lines or fewer, never more.
 */
export class Upload {
  readonly #options: UploadOptions;
  #position = 0;
  /** Lines that Pulumi Cloud has counted, and lines of the file that they end. */
  #offset = 0;
  #ended = 0;
  readonly #counts = { sent: 0, undelivered: 0, batches: 0, retries: 0, failures: 0 };
  #size = USUAL_LINES;
  #limits = LARGEST_CALL;
  /** While something that a call held is suspected. */
  #suspected: Suspicion | undefined;
  #refusedSince: Moment | undefined;
  #lastCall = Number.NEGATIVE_INFINITY;
  #isFull = false;

  constructor(options: UploadOptions) {
    this.#options = options;
  }

  /** Sends everything until the file is whole and taken, or the signal aborts. Throws what reading the file throws. */
  async run(): Promise<void> {
    const { file, signal } = this.#options;
    while (await this.#due()) {
      const { version } = file.change;
      const batch = await batchAt(file, this.#position, this.#callLimits);
      if (batch === undefined) await file.change.after(version, signal);
      else await this.#deliver(batch);
    }
  }

  /** What became of the lines so far. Pieces of a long line count as lines sent. */
  get delivery(): Delivery {
    const undelivered = this.#options.file.totals.lines - this.#ended + this.#counts.undelivered;
    return { ...this.#counts, undelivered };
  }

  get #callLimits(): CallLimits {
    const limits = this.#suspected?.limits ?? this.#limits;
    return { ...limits, lines: Math.min(this.#size, limits.lines) };
  }

  /** Waits until there is something to send and its time has come. False when there never will be. */
  async #due(): Promise<boolean> {
    const { file, clock, signal } = this.#options;
    while (!signal.aborted) {
      const wait = this.#isFull ? 0 : this.#lastCall + INTERVAL_MS - clock.steady();
      if (file.size === this.#position) {
        if (file.isWhole) return false;
        await file.change.after(file.change.version, signal);
      } else if (file.ended.aborted || wait <= 0) {
        return true;
      } else {
        await sleepUntil(wait, clock, [signal, file.ended]);
      }
    }
    return false;
  }

  /** Sends one batch until it is taken, or must be made smaller. */
  async #deliver(batch: LogBatch): Promise<void> {
    const { clock, signal } = this.#options;
    for (let failures = 1, alone = 0; !signal.aborted; failures += 1) {
      const [answer, error] = await this.#call(batch.lines);
      if (answer === 'taken') return this.#taken(batch, batch.lines.length);
      if (answer === 'not-yet') this.#refusedSince = undefined;
      else if (this.#isSuspect(answer)) {
        if (this.#narrow(batch, answer)) return;
        if (answer === 'too-large') this.#options.onFailure(error);
        alone += 1;
        if (alone % TRIES_ALONE === 0 && (await this.#replace(batch, error))) return;
      }
      await pauseAfter(failures, error, clock, signal);
      if (!signal.aborted) this.#counts.retries += 1;
    }
  }

  /** Makes one call. `lines` go behind those that were taken. */
  async #call(lines: readonly LogLine[]): Promise<[Answer, unknown]> {
    const { api, index, clock, signal, onFailure } = this.#options;
    this.#lastCall = clock.steady();
    try {
      const answer = await api.logs(index, { offset: this.#offset, lines }, signal);
      if (answer === 'too-large') return [answer, new CloudRefusedError(413, TOO_LARGE)];
      return ['taken', undefined];
    } catch (error) {
      if (signal.aborted) return ['not-yet', error];
      this.#counts.failures += 1;
      onFailure(error);
      return [isForContent(error) ? 'refused' : 'not-yet', error];
    }
  }

  #taken(batch: LogBatch, sent: number): void {
    const { file, onTaken } = this.#options;
    this.#position += batch.bytes;
    this.#offset += batch.lines.length;
    this.#ended += batch.ended;
    this.#counts.sent += sent;
    this.#counts.batches += 1;
    this.#refusedSince = undefined;
    this.#suspected = this.#position >= (this.#suspected?.until ?? 0) ? undefined : widened(this.#suspected);
    this.#isFull = batch.isFull;
    this.#size = batch.isFull ? Math.min(this.#size * 2, LARGEST_CALL.lines) : USUAL_LINES;
    file.release(this.#position);
    onTaken(sent);
  }

  /** A call that is too large is one at once; another refusal may be for what the call holds once it has lasted. */
  #isSuspect(answer: 'too-large' | 'refused'): boolean {
    const { clock, heartbeatSince } = this.#options;
    if (answer === 'too-large' || this.#suspected !== undefined) return true;
    this.#refusedSince ??= momentOf(clock);
    return passedSince(this.#refusedSince, clock).surely >= SUSPICION_MS && heartbeatSince(this.#refusedSince);
  }

  /**
   * Halves what a call may carry: for good when it was too large, else until the lines of `batch` are through. A line that was sent
   * comes in pieces only when it was too large alone. False when there is nothing left to make smaller.
   */
  #narrow(batch: LogBatch, answer: 'too-large' | 'refused'): boolean {
    const { lines, bytes, size } = batch;
    const until = this.#suspected?.until ?? this.#position + bytes;
    const limits = this.#suspected?.limits ?? this.#limits;
    if (lines.length === 1 && (answer === 'refused' || bytes <= SMALLEST_PIECE)) {
      // What is refused alone and so small was refused for what it holds: how small it got says nothing of calls to come.
      if (answer === 'too-large') this.#limits = LARGEST_CALL;
      this.#suspected ??= { limits: { ...limits, lines: 1 }, until };
      return false;
    }
    const half: CallLimits =
      lines.length > 1
        ? { ...limits, lines: Math.floor(lines.length / 2), bytes: Math.max(SMALLEST_PIECE, Math.floor(size / 2)) }
        : { ...limits, bytes: Math.floor(bytes / 2), alone: Math.floor(bytes / 2) };
    if (this.#suspected !== undefined || answer === 'refused') this.#suspected = { limits: half, until };
    else this.#limits = half;
    return true;
  }

  /** Gives a line up if Pulumi Cloud takes a sentence in its place: then it was the line that it refused. */
  async #replace(batch: LogBatch, refusal: unknown): Promise<boolean> {
    const [line] = batch.lines;
    const l = `[agent] A line of ${batch.bytes} bytes is missing here: Pulumi Cloud refused it with HTTP ${refusedStatus(refusal)}.\n`;
    const [answer] = await this.#call([{ t: line?.t ?? '', l }]);
    if (answer !== 'taken') return false;
    this.#counts.undelivered += 1;
    this.#taken(batch, 0);
    return true;
  }
}

/** What was taken was not what is refused: the next call may carry twice as much. */
function widened(suspicion: Suspicion | undefined): Suspicion | undefined {
  if (suspicion === undefined) return undefined;
  const { limits, until } = suspicion;
  const lines = Math.min(limits.lines * 2, LARGEST_CALL.lines);
  const bytes = Math.min(limits.bytes * 2, LARGEST_CALL.bytes);
  return { limits: { lines, bytes, alone: Math.min(limits.alone * 2, LARGEST_CALL.alone) }, until };
}

/** Refused perhaps for what the call holds: another status says that the service is away, or the token not good, for now. */
function isForContent(error: unknown): boolean {
  const status = refusedStatus(error);
  if (status === undefined) return false;
  return status === 500 || (status >= 400 && status < 500 && ![401, 404, 408, 429].includes(status));
}
