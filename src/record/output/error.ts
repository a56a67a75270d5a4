import { plainText, stripControl } from '../../base/log/plain-text.ts';
import type { StepEnd } from '../schema.ts';

/** Characters of a program's error that are kept. */
const MAX_ERROR = 1_000;
/** Bytes from the end of a log to look at: Pulumi's CLI prints its diagnostics last. */
export const ERROR_WINDOW = 256 * 1024;
/** Characters of a line that count. */
const MAX_LINE = 4_000;
/** Lines that an error which ends in a colon is continued by. */
const MAX_CONTINUED = 3;

/** Errors that only say that the operation failed: another one beside them says why. */
const GENERAL = /^(?:update|preview|refresh|destroy|import) (?:failed|canceled|cancelled)$/;

/**
 * The first error that a step's program printed near the end of its output, in its own words: `error: …` of the
 * CLI's last diagnostics, else at the beginning of a line. A job can print any, so it is a claim. One line of at most
 * 1,000 characters; undefined if there is none.
 */
export function errorIn(output: string): string | undefined {
  const lines = output
    .split('\n')
    .map((line) => stripControl(line.slice(0, MAX_LINE)).trimEnd())
    .filter((line) => line !== '');
  return chosen(diagnostics(lines)) ?? chosen(errorsAt(lines, /^error: (.+)$/s));
}

/** The first error that says more than that the operation failed, else the first. */
function chosen(errors: readonly string[]): string | undefined {
  const first = errors.find((error) => !GENERAL.test(error)) ?? errors[0];
  return first === undefined ? undefined : plainText(first, MAX_ERROR);
}

/**
 * The errors of the last block `Diagnostics:` that has some: each below its resource, by four columns. A language
 * host writes `Error:`.
 */
function diagnostics(lines: readonly string[]): string[] {
  let end = lines.length;
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    if (lines[at] !== 'Diagnostics:') continue;
    const block = lines.slice(at + 1, end);
    const after = block.findIndex((line) => /^\S/.test(line));
    const errors = errorsAt(after < 0 ? block : block.slice(0, after), /^ {4}error: (.+)$/is);
    if (errors.length > 0) return errors;
    end = at;
  }
  return [];
}

function errorsAt(lines: readonly string[], form: RegExp): string[] {
  return lines.flatMap((line, at) => {
    const [, error] = form.exec(line) ?? [];
    return error === undefined ? [] : [continued(error, lines.slice(at + 1, at + 1 + MAX_CONTINUED))];
  });
}

/** `1 error occurred:` and its like say nothing without what follows. */
function continued(error: string, below: readonly string[]): string {
  const parts = [error];
  for (const line of below) {
    if (!parts.at(-1)?.endsWith(':')) break;
    parts.push(line.trim().replace(/^\* /, ''));
  }
  return parts.join(' ');
}

/** Characters of a job's words in our sentences. */
const MAX_WORDS = 500;

/**
 * A clause that quotes a job's own error, to follow what failed; empty without one. Its quotation marks become single: what
 * comes behind one would look like our words.
 */
export function quotedError(error: string | undefined): string {
  if (error === undefined) return '';
  return `, in the step's own words: "${plainText(error, MAX_WORDS).replaceAll('"', "'")}"`;
}

/** The sentence about a step that failed: with its program's own error, unless `end` has a reason of ours. */
export function failedStepSentence(
  name: string,
  how: string,
  { reason, error }: Pick<StepEnd, 'reason' | 'error'>,
): string {
  const failure = `Failed to run ${name} of the deployment`;
  return reason === undefined && error !== undefined
    ? `${failure}${quotedError(error)}.`
    : `${failure}: ${how}. Its log says more.`;
}
