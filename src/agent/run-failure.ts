import { CloudRefusedError } from '../cloud/errors.ts';
import { messageOf, type Outcome, OutcomeError } from '../outcome.ts';
import { ImageNotAllowedError } from '../target/image-policy.ts';
import { withEntry } from '../troubleshooting.ts';

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

/** True for a bad configuration, which no further try mends: the one failure that ends an agent that is to last. */
export function endsLastingAgent(error: unknown): boolean {
  return error instanceof ImageNotAllowedError || (error instanceof OutcomeError && error.outcome === 'config-error');
}

/** The sentence of a run that ended so, of a failed one with where to read more. */
export function explained({ exitCode, message }: { exitCode: number; message: string }): string {
  return exitCode === 0 ? message : withEntry(message);
}
