import { z } from 'zod';
import type { DeploymentRecord, StepRecord } from './deployment.ts';
import { Refusal } from './violations.ts';

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
