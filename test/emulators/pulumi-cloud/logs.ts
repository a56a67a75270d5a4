import { z } from 'zod';
import type { DeploymentRecord, LogLine, StepRecord } from './deployment.ts';
import { ProtocolViolation, Refusal } from './violations.ts';

/** The most lines the protocol allows in a log call. */
export const MAX_LINES = 1_000;
/** The most bytes in a log call: 256 KiB, and as much again as 1,000 lines' time stamps, quotes and braces take. */
export const MAX_BYTES = 256 * 1024 + 64 * 1024;

/** A service whose own limits are lower than the protocol's; what exceeds them is answered 413 and is no violation. */
export interface LogLimit {
  readonly lines?: number;
  readonly bytes?: number;
}

/** The body of a log call: `t` is RFC 3339 with exactly three digits of milliseconds. */
export const logCallSchema = z.strictObject({
  offset: z.int().nonnegative(),
  lines: z.array(z.strictObject({ t: z.iso.datetime({ precision: 3, offset: true }), l: z.string() })).min(1),
});

/**
 * Stores a log call's lines, or counts it as a duplicate where they are stored already.
 * @param bytes size of the call's body.
 * @throws Refusal (413) beyond `limit`; ProtocolViolation (409, 413 or 400) for anything the protocol rules out. Nothing is stored then.
 */
export function appendLogs(
  step: StepRecord,
  call: z.infer<typeof logCallSchema>,
  bytes: number,
  limit: LogLimit,
  now: number,
): void {
  const { offset, lines } = call;
  if (step.status !== 'running') throw new ProtocolViolation(409, `step ${step.index} has a log while ${step.status}`);
  if (lines.length > MAX_LINES) throw new ProtocolViolation(413, `a log call of ${lines.length} lines`);
  if (bytes > MAX_BYTES) throw new ProtocolViolation(413, `a log call of ${bytes} bytes`);
  if (lines.length > (limit.lines ?? Number.POSITIVE_INFINITY) || bytes > (limit.bytes ?? Number.POSITIVE_INFINITY)) {
    throw new Refusal(413, 'the log call is too large');
  }
  if (offset < step.lines.length && isStored(step, offset, lines)) {
    step.duplicates += 1;
    return;
  }
  if (offset !== step.lines.length) {
    throw new ProtocolViolation(
      409,
      `step ${step.index} has ${step.lines.length} lines, the call's offset is ${offset}`,
    );
  }
  assertWellFormed(step, lines);
  for (const line of lines) step.lines.push(line);
  step.logCalls.push({ offset, count: lines.length, bytes, at: now });
}

function isStored(step: StepRecord, offset: number, lines: readonly LogLine[]): boolean {
  return lines.every((line, index) => {
    const stored = step.lines[offset + index];
    return stored !== undefined && stored.l === line.l && stored.t === line.t;
  });
}

function assertWellFormed(step: StepRecord, lines: readonly LogLine[]): void {
  let previous = step.lines.at(-1);
  for (const [index, line] of lines.entries()) {
    const number = step.lines.length + index;
    if (previous !== undefined && !previous.l.endsWith('\n')) {
      throw new ProtocolViolation(
        400,
        `line ${number - 1} of step ${step.index} does not end in a line feed and is not the last`,
      );
    }
    if (line.l.slice(0, -1).includes('\n')) {
      throw new ProtocolViolation(400, `line ${number} of step ${step.index} holds more than one line`);
    }
    if (previous !== undefined && Date.parse(line.t) < Date.parse(previous.t)) {
      throw new ProtocolViolation(400, `line ${number} of step ${step.index} is older than the line before`);
    }
    previous = line;
  }
}

/** A line as the reading side shows it: a step's header, or its time and text. */
export type ReadLine = { header: string } | { timestamp: string; line: string };

const positionSchema = z.tuple([z.int().nonnegative(), z.int().nonnegative()]);

/**
 * A page of a deployment's log from the beginning on, steps in order, each opened by its header.
 * @param continuationToken the previous page's `nextToken`.
 * @param pageSize the most entries of a page, headers counted.
 * @returns the lines, and a `nextToken` until the deployment is at its end and everything has been read.
 * @throws Refusal (400) for a token that is not one of ours.
 */
export function readLogs(
  deployment: DeploymentRecord,
  continuationToken: string | undefined,
  pageSize: number,
): { lines: ReadLine[]; nextToken?: string } {
  // Within a step, entry 0 is its header and entry n its line n - 1.
  let [index, entry] = continuationToken === undefined ? [0, 0] : decodePosition(continuationToken);
  const lines: ReadLine[] = [];
  for (let step = deployment.steps[index]; step !== undefined && step.status !== 'not-started'; ) {
    if (lines.length === pageSize) break;
    if (entry === 0) {
      lines.push({ header: step.name });
      entry = 1;
    }
    const page = step.lines.slice(entry - 1, entry - 1 + pageSize - lines.length);
    for (const { t, l } of page) lines.push({ timestamp: t, line: l });
    entry += page.length;
    if (entry <= step.lines.length || (step.status === 'running' && !deployment.ended)) break;
    index += 1;
    entry = 0;
    step = deployment.steps[index];
  }
  const next = deployment.steps[index];
  const complete = deployment.ended && (next === undefined || next.status === 'not-started');
  return complete ? { lines } : { lines, nextToken: encodePosition(index, entry) };
}

/** A page of one step's log. @returns the lines, and the `nextOffset` to go on from, absent at the end. */
export function readStepLogs(
  step: StepRecord,
  offset: number,
  count: number,
): { lines: ReadLine[]; nextOffset?: number } {
  const lines = step.lines.slice(offset, offset + count).map(({ t, l }) => ({ timestamp: t, line: l }));
  const next = offset + lines.length;
  return next < step.lines.length ? { lines, nextOffset: next } : { lines };
}

function encodePosition(index: number, entry: number): string {
  return Buffer.from(JSON.stringify([index, entry])).toString('base64url');
}

function decodePosition(token: string): [number, number] {
  try {
    return positionSchema.parse(JSON.parse(Buffer.from(token, 'base64url').toString('utf8')));
  } catch {
    throw new Refusal(400, 'invalid continuationToken');
  }
}
