import { ProtocolViolation } from './violations.ts';

export type StepStatus = 'not-started' | 'running' | 'failed' | 'succeeded';
/** A step status that the agent reports. */
export type ReportedStatus = Exclude<StepStatus, 'not-started'>;

/** One line of a step's log as the agent sent it: `t` RFC 3339 with milliseconds, `l` ending in a line feed. */
export interface LogLine {
  readonly t: string;
  readonly l: string;
}

/** One stored log call. */
export interface LogCall {
  readonly offset: number;
  /** Lines that the call added. */
  readonly count: number;
}

/** The body of a log call. */
export interface LogBody {
  readonly offset: number;
  readonly lines: readonly LogLine[];
}

/** The most lines the protocol allows in a log call. */
const MAX_LINES = 1_000;
/** The most bytes in a log call: 256 KiB, plus what the timestamps, quotes and braces of 1,000 lines take. */
const MAX_BYTES = 256 * 1024 + 64 * 1024;
/** A client may give up a line once it was refused on its own this often. */
const REFUSALS_ALONE = 3;
/** Refusals that say nothing about a call's content. */
const NOT_FOR_ITS_LINES: ReadonlySet<number> = new Set([401, 404, 408, 429]);

/**
 * One step as the service knows it, and the log that its calls build. `offset` is the number of lines accepted before.
 * A client that doesn't know a call's fate repeats it: the same offset and the same lines or fewer, however many of
 * them were stored. A line's text may change only after it was refused on its own: as too large, or three times.
 */
export class StepRecord {
  readonly index: number;
  readonly name: string;
  status: StepStatus = 'not-started';
  /** Every change, with the time in milliseconds since the epoch; repeated reports are left out. */
  readonly statusHistory: { readonly status: StepStatus; readonly at: number }[] = [];
  readonly lines: LogLine[] = [];
  readonly logCalls: LogCall[] = [];
  /** Log calls whose lines were all stored already, as in a retry after a lost answer. */
  duplicates = 0;
  /** Status reports that repeated the current status. */
  statusDuplicates = 0;
  /** When each status was first reported and not accepted. */
  readonly refusedSince = new Map<ReportedStatus, number>();
  /** Every line by position, as last sent, stored or not. */
  readonly #sent: LogLine[] = [];
  /** The last call's offset: as many lines as its client knows to be stored. */
  #offset = 0;
  /** The most lines in any call at this offset. */
  #most = 0;
  /** How often the line at this offset was refused on its own, for its content. */
  #refusals = 0;
  #isTooLarge = false;
  /** Where the last stored call ended; part of it may be missing. */
  #end = 0;

  constructor(name: string, index: number) {
    this.name = name;
    this.index = index;
  }

  /** Checks a log call of `bytes`, and remembers its lines as sent. @throws ProtocolViolation (409, 413 or 400). */
  checkLog(call: LogBody, bytes: number): void {
    const { offset, lines } = call;
    const { index, lines: stored } = this;
    if (lines.length > MAX_LINES) throw new ProtocolViolation(413, `a log call of ${lines.length} lines`);
    if (bytes > MAX_BYTES) throw new ProtocolViolation(413, `a log call of ${bytes} bytes`);
    if (offset > stored.length || offset < this.#offset) {
      throw new ProtocolViolation(
        409,
        `step ${index} has ${stored.length} lines, the call's offset is ${offset}, and was ${this.#offset} before`,
      );
    }
    const replaced = this.#assertSame(call);
    const isMore = offset === this.#offset && !replaced && this.#most > 0 && lines.length > this.#most;
    if (isMore || (offset < stored.length && offset + lines.length > this.#end)) {
      throw new ProtocolViolation(
        409,
        `step ${index}: the call at ${offset} has more lines than the one it repeats`,
      );
    }
    assertWellFormed(this, call);
    if (offset > this.#offset) {
      this.#refusals = 0;
      this.#isTooLarge = false;
    }
    this.#most = offset > this.#offset || replaced ? lines.length : Math.max(this.#most, lines.length);
    this.#offset = offset;
    if (replaced) this.#sent.length = offset;
    for (const [at, line] of lines.entries()) this.#sent[offset + at] = line;
  }

  /** Stores a checked call's first `count` lines, or counts a duplicate if they are stored already. */
  storeLog({ offset, lines }: LogBody, count = lines.length): void {
    const fresh = lines.slice(this.lines.length - offset, count);
    if (fresh.length === 0) {
      if (count > 0) this.duplicates += 1;
      return;
    }
    this.lines.push(...fresh);
    this.logCalls.push({ offset, count: fresh.length });
    this.#end = offset + lines.length;
  }

  /** Called with the status that the client got, 0 for no answer. */
  logAnswered({ offset, lines }: LogBody, status: number): void {
    if (offset !== this.#offset || lines.length > 1) return;
    if (status === 400 || status === 413) this.#isTooLarge = true;
    if (status >= 400 && status <= 500 && !NOT_FOR_ITS_LINES.has(status)) this.#refusals += 1;
  }

  /** Whether the call replaces a line refused on its own. @throws ProtocolViolation (409) for any other change. */
  #assertSame({ offset, lines }: LogBody): boolean {
    const { index, lines: stored } = this;
    for (const [at, line] of lines.entries()) {
      const place = offset + at;
      const before = stored[place] ?? this.#sent[place];
      if (before === undefined) return false;
      if (before.l === line.l && before.t === line.t) continue;
      const mayReplace = this.#isTooLarge || this.#refusals >= REFUSALS_ALONE;
      if (place === this.#offset && place >= stored.length && mayReplace) return true;
      throw new ProtocolViolation(409, `step ${index}: line ${place} is not what it was in a call before`);
    }
    return false;
  }
}

/** A step as a test sees it. */
export type Step = Readonly<
  Pick<
    StepRecord,
    'index' | 'name' | 'status' | 'statusHistory' | 'lines' | 'logCalls' | 'duplicates' | 'statusDuplicates'
  >
>;

function assertWellFormed({ index, lines: stored }: StepRecord, { offset, lines }: LogBody): void {
  let previous = stored[offset - 1];
  for (const [at, line] of lines.entries()) {
    const number = offset + at;
    if (previous !== undefined && !previous.l.endsWith('\n')) {
      throw new ProtocolViolation(
        400,
        `line ${number - 1} of step ${index} does not end in a line feed and is not the last`,
      );
    }
    if (line.l.slice(0, -1).includes('\n')) {
      throw new ProtocolViolation(400, `line ${number} of step ${index} holds more than one line`);
    }
    if (previous !== undefined && Date.parse(line.t) < Date.parse(previous.t)) {
      throw new ProtocolViolation(400, `line ${number} of step ${index} is older than the line before`);
    }
    previous = line;
  }
}
