import { addAbortListener } from 'node:events';
import { type Clock, settledBefore } from '../../base/clock.ts';
import { withEntry } from '../../base/error-codes.ts';
import { codeOf, messageOf } from '../../base/outcome.ts';
import { retry } from '../../base/retry.ts';
import { ContainerError } from '../../executor/executor.ts';

/** Milliseconds before each retry of a failed removal. */
const RETRY_MS: readonly number[] = [1_000, 5_000];

/** Milliseconds for a container once the agent must end: it may be killed 8 s after the signal. */
const LAST_MS = 3_000;

/**
 * Removes a job's container, with retries. `skipGrace` aborts when the agent must end. Returns a
 * message if the removal fails. Never throws.
 */
export async function removeContainer(
  container: { readonly id: string; remove(): Promise<void> },
  clock: Clock,
  skipGrace: AbortSignal,
) {
  // An abort ends the pause alone.
  const sleep: Clock['sleep'] = (ms, signal) => clock.sleep(ms, signal).catch(() => undefined);
  const removing = retry(
    () => container.remove(),
    (_, failures) => RETRY_MS[failures - 1],
    { clock: { sleep }, signal: skipGrace },
  );

  try {
    await beforeAgentEnds(removing, `remove container ${container.id} for the job`, clock, skipGrace);
    return undefined;
  } catch (error) {
    return withEntry(messageOf(error), codeOf(error));
  }
}

/**
 * Settles with `work`, which makes or removes a container; throws ContainerError if the agent must
 * end before, as it does soon after `skipGrace` aborts.
 */
export async function beforeAgentEnds<T>(
  work: Promise<T>,
  purpose: string,
  clock: Clock,
  skipGrace: AbortSignal,
): Promise<T> {
  const over = new AbortController();
  const message = `Failed to ${purpose}: the agent had to end first. The container ends by itself within 5 minutes; the next agent on this machine removes what it leaves.`;
  using _ = addAbortListener(skipGrace, () => {
    const late = () =>
      over.abort(new ContainerError(message, { code: 'PRA-CONTAINER-07', fault: 'deployment' }));
    clock.sleep(LAST_MS, over.signal).then(late, () => undefined);
  });
  return await settledBefore(work, over.signal).finally(() => over.abort());
}
