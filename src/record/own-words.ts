import { plainText } from '../base/log/plain-text.ts';
import type { StepEnd } from './schema.ts';

/** Characters of a job's words in our sentences. */
const MAX_WORDS = 500;

/**
 * A clause that quotes a job's own error, to follow what failed; empty without one. Its quotation marks become single: what
 * comes behind one would look like our words.
 */
export function ownWords(error: string | undefined): string {
  if (error === undefined) return '';
  return `, in the job's own words: "${plainText(error, MAX_WORDS).replaceAll('"', "'")}"`;
}

/** The sentence about a step that failed: with its program's own error, unless `end` has a reason of ours. */
export function failedStep(
  name: string,
  how: string,
  { reason, error }: Pick<StepEnd, 'reason' | 'error'>,
): string {
  const failure = `Failed to run ${name} of the workflow`;
  return reason === undefined && error !== undefined
    ? `${failure}${ownWords(error)}.`
    : `${failure}: ${how}. Its log says more.`;
}
