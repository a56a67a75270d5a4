import { CloudRefusedError } from '../cloud/errors.ts';
import { messageOf, type Outcome, OutcomeError } from '../outcome.ts';

/** What a run that could not be gone on with ends as. */
export function runFailure(error: unknown): { outcome: Outcome; message: string } {
  if (error instanceof OutcomeError) return { outcome: error.outcome, message: error.message };
  // What answers isn't Pulumi Cloud, or has no use for us.
  if (error instanceof CloudRefusedError) return { outcome: 'cloud-unreachable', message: error.message };
  const reason = messageOf(error);
  return {
    outcome: 'failed',
    message: `Failed to run the agent for the pool: ${reason}. Report this with the run's artifact.`,
  };
}
