import { CloudRefusedError } from '../cloud/errors.ts';
import { defined } from '../defined.ts';
import { type ErrorCode, withEntry } from '../error-codes.ts';
import { ImageNotAllowedError } from '../executor/image-policy.ts';
import { codeOf, messageOf, type Outcome, OutcomeError } from '../outcome.ts';

/** What a run that could not be gone on with ends as. */
export function runFailure(error: unknown): { outcome: Outcome; message: string; code?: ErrorCode } {
  if (error instanceof OutcomeError)
    return { outcome: error.outcome, message: error.message, ...defined({ code: codeOf(error) }) };
  // What answers isn't Pulumi Cloud, or has no use for us.
  if (error instanceof CloudRefusedError)
    return { outcome: 'cloud-unreachable', message: error.message, ...defined({ code: codeOf(error) }) };
  const reason = messageOf(error);
  return {
    outcome: 'failed',
    code: 'PRA-CONFIG-11',
    message: `Failed to run the agent for the pool: ${reason}. Report this with the run's artifact.`,
  };
}

/** True for a bad configuration, which no further try mends: the one failure that ends an agent that is to last. */
export function endsLastingAgent(error: unknown): boolean {
  return error instanceof ImageNotAllowedError || (error instanceof OutcomeError && error.outcome === 'config-error');
}

/** The sentence of a run that ended so, of a failed one with where to read more. */
export function explained(end: { exitCode: number; message: string; code?: string | undefined }): string {
  return end.exitCode === 0 ? end.message : withEntry(end.message, end.code);
}
