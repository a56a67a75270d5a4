import { z } from 'zod';
import type { LogLine, StepRecord } from './deployment.ts';
import { ProtocolViolation } from './violations.ts';

/** The most lines the protocol allows in a log call. */
export const MAX_LINES = 1_000;
/** The most bytes in a log call: 256 KiB, and as much again as 1,000 lines' time stamps, quotes and braces take. */
export const MAX_BYTES = 256 * 1024 + 64 * 1024;
/** A line is given up when it was refused this often alone. */
const REFUSALS_ALONE = 3;
/** Answers that say nothing of what a call holds, though they are refusals. */
const NOT_FOR_ITS_LINES: ReadonlySet<number> = new Set([401, 404, 408, 429]);

/** The body of a log call: `t` is RFC 3339 with exactly three digits of milliseconds. */
export const logCallSchema = z.strictObject({
  offset: z.int().nonnegative(),
  lines: z.array(z.strictObject({ t: z.iso.datetime({ precision: 3, offset: true }), l: z.string() })).min(1),
});

export type LogBody = z.infer<typeof logCallSchema>;

/** What log calls change of a step. */
type Written = Pick<StepRecord, 'index' | 'lines' | 'logCalls' | 'duplicates'>;

/**
 * A step's log as its calls build it. `offset` is the number of lines accepted before. A client that doesn't know what became of a
 * call repeats it: the same offset and the same lines or fewer, whatever was stored of it. Text in a place changes only where the
 * line was refused alone: as too large, or three times.
 */
export class LogCalls {
  readonly #step: Written;
  /** Every line by its place as it was sent last, stored or not. */
  readonly #sent: LogLine[] = [];
  /** The last call's offset: its client knows of so many lines. */
  #offset = 0;
  /** The most lines of a call with this offset. */
  #most = 0;
  /** How often the line in this place was refused alone, for what it holds. */
  #refusals = 0;
  #isTooLarge = false;
  /** Where the call ended that was stored last; a part of it may be missing. */
  #end = 0;

  constructor(step: Written) {
    this.#step = step;
  }

  /** Checks a call of `bytes`, and remembers its lines as sent. @throws ProtocolViolation (409, 413 or 400). */
  check(call: LogBody, bytes: number): void {
    const { offset, lines } = call;
    const { index, lines: stored } = this.#step;
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
      throw new ProtocolViolation(409, `step ${index}: the call at ${offset} has more lines than the one it repeats`);
    }
    assertWellFormed(this.#step, call);
    if (offset > this.#offset) {
      this.#refusals = 0;
      this.#isTooLarge = false;
    }
    this.#most = offset > this.#offset || replaced ? lines.length : Math.max(this.#most, lines.length);
    this.#offset = offset;
    if (replaced) this.#sent.length = offset;
    for (const [at, line] of lines.entries()) this.#sent[offset + at] = line;
  }

  /** Stores a checked call's first `count` lines, or counts it as a duplicate where they are stored already. */
  store({ offset, lines }: LogBody, count = lines.length): void {
    const stored = this.#step.lines;
    const fresh = lines.slice(stored.length - offset, count);
    if (fresh.length === 0) {
      if (count > 0) this.#step.duplicates += 1;
      return;
    }
    stored.push(...fresh);
    this.#step.logCalls.push({ offset, count: fresh.length });
    this.#end = offset + lines.length;
  }

  /** Says what the client got: an answer's status, 0 for none. */
  answered({ offset, lines }: LogBody, status: number): void {
    if (offset !== this.#offset || lines.length > 1) return;
    if (status === 400 || status === 413) this.#isTooLarge = true;
    if (status >= 400 && status <= 500 && !NOT_FOR_ITS_LINES.has(status)) this.#refusals += 1;
  }

  /** Whether another text comes in place of a line that was refused alone. @throws ProtocolViolation (409) where it wasn't. */
  #assertSame({ offset, lines }: LogBody): boolean {
    const { index, lines: stored } = this.#step;
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

function assertWellFormed({ index, lines: stored }: Written, { offset, lines }: LogBody): void {
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
