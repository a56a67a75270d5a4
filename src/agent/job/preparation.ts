import type { Clock } from '../../base/clock.ts';
import type { RunLog } from '../../base/log/level.ts';
import { clause } from '../../base/outcome.ts';
import { retry } from '../../base/retry.ts';
import {
  type ContainerSpec,
  type Executor,
  type JobContainer,
  TargetError,
} from '../../executor/executor.ts';

/** Times to prepare a container at most. */
const TRIES = 3;

/** Milliseconds from the first try's beginning after which none begins. */
const WITHIN_MS = 3 * 60_000;

/** Milliseconds before another try, and between looks whether the executor answers again. */
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
