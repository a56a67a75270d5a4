import { type Clock, NEVER } from '../clock.ts';
import { withEntry } from '../error-codes.ts';
import type { JobContainer } from '../executor/executor.ts';
import { codeOf, messageOf } from '../outcome.ts';

/** Milliseconds before each retry of a failed removal. */
const RETRY_MS: readonly number[] = [1_000, 5_000];

/** Removes a job's container, with retries. Returns a message for the user if that fails. Never throws. */
export async function removeContainer(
  container: Pick<JobContainer, 'remove'>,
  clock: Clock,
): Promise<string | undefined> {
  for (let tries = 0; ; tries += 1) {
    try {
      await container.remove();
      return undefined;
    } catch (error) {
      const wait = RETRY_MS[tries];
      if (wait === undefined) return withEntry(messageOf(error), codeOf(error));
      await clock.sleep(wait, NEVER);
    }
  }
}
