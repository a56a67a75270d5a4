import { OutcomeError } from '../../outcome.ts';

/** The sentence for a piece of the way to Pulumi Cloud that is missing. */
export function unreachable(what: string, reason: string, advice: string, cause?: unknown): OutcomeError {
  return new OutcomeError('cloud-unreachable', `Failed to ${what} for Pulumi Cloud: ${reason}. ${advice}`, { cause });
}
