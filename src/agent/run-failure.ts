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

/** The sentence of a run that ended so, of a failed one with where to read more. Never throws. */
export async function explained({ exitCode, message }: { exitCode: number; message: string }): Promise<string> {
  if (exitCode === 0) return message;
  try {
    const { withEntry } = await import('../troubleshooting.ts');
    return withEntry(message);
  } catch {
    // The program's files were replaced while it ran.
    return message;
  }
}
