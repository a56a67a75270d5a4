import { addAbortListener } from 'node:events';
import { type Clock, settledBefore } from '../../base/clock.ts';
import { withEntry } from '../../base/error-codes.ts';
import type { RunLog } from '../../base/log/level.ts';
import { clause, codeOf, messageOf } from '../../base/outcome.ts';
import { retry } from '../../base/retry.ts';
import {
  ContainerError,
  type ContainerSpec,
  type Executor,
  type JobContainer,
  TargetError,
} from '../../executor/executor.ts';

/** Times to prepare a container at most. */
const TRIES = 3;

/** Time from the first try's beginning after which none begins. */
const WITHIN_MS = 3 * 60_000;

/** Time before another try, and between looks whether the executor answers again. */
const PAUSE_MS = 1_000;

export interface PreparationOptions {
  readonly executor: Executor;
  readonly spec: ContainerSpec;
  readonly progress: (line: string) => Promise<void>;
  readonly clock: Clock;
  readonly say: RunLog;
  readonly signal: AbortSignal;
}

/**
 * Prepares a job's container, again after a failure that may pass: no step has begun. What a failed
 * try left is removed first. A pull isn't repeated here: the executor repeats it itself. Throws what
 * the last try threw, and the signal's reason.
 */
export async function prepareWithRetries(options: PreparationOptions): Promise<JobContainer> {
  const { executor, spec, progress, clock, say, signal } = options;
  // From the first failure: a pull before it may take longer than that.
  let end = Number.POSITIVE_INFINITY;
  let isFirst = true;

  const attempt = async () => {
    // The executor removes what it made, but not what an unanswered call made later.
    if (!isFirst) await executor.sweep(spec.labels, signal);
    isFirst = false;
    return executor.prepare(spec, progress, signal);
  };

  const untilItAnswers = async (): Promise<boolean> => {
    for (; clock.steady() < end; await clock.sleep(PAUSE_MS, signal)) {
      const answer = await executor.probe(signal).then(
        () => true,
        () => false,
      );
      if (answer) return true;
      signal.throwIfAborted();
    }
    return false;
  };

  const pauseMs = async (error: unknown, failures: number) => {
    if (failures === TRIES || !(error instanceof TargetError && error.mayPass)) return undefined;
    if (failures === 1) end = clock.steady() + WITHIN_MS;
    if (clock.steady() >= end || !(await untilItAnswers())) return undefined;
    const again = `${clause(error.message)}. No step has begun: preparing the container again.`;
    say('warning', again);
    await progress(again);
    return PAUSE_MS;
  };

  return retry(attempt, pauseMs, { clock, signal });
}

/** Time before each retry of a failed removal. */
const REMOVAL_RETRY_MS: readonly number[] = [1_000, 5_000];

/** Time for a container once the agent must end: it may be killed 8 s after the signal. */
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
    (_, failures) => REMOVAL_RETRY_MS[failures - 1],
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
