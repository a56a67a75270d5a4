import { stripControl } from '../../base/log/plain-text.ts';
import { errorIn } from './error.ts';

/** Characters of a line that count. */
const MAX_LINE = 2_000;

/** What Pulumi's CLI prints when it is interrupted. */
export const INTERRUPTED = /^\^C received; cancelling\./;
/** Begins the summary of an operation. */
const SUMMARY = 'Resources:';

/**
 * True if an interrupt cut an operation of Pulumi's CLI short, according to the end of a step's output: an error
 * follows, or no summary. A CLI that can still finish its last resources succeeds.
 */
export function isCutShort(output: string): boolean {
  const lines = output.split('\n').map((line) => stripControl(line.slice(0, MAX_LINE)).trimEnd());
  const interrupt = lines.findLastIndex((line) => INTERRUPTED.test(line));
  if (interrupt < 0) return false;
  const after = lines.slice(interrupt);
  return !after.includes(SUMMARY) || errorIn(after.join('\n')) !== undefined;
}
