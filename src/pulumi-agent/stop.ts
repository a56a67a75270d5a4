import { type Clock, elapsedSince, type Moment, momentOf } from '../base/clock.ts';
import { messageOf } from '../base/outcome.ts';
import { fence, lossOf } from '../cloud/fence.ts';

/** Between checks of the run. */
const CHECK_MS = 250;

/** For the agent to ask for work. */
const START_MS = 2 * 60_000;

/** For the agent to exit, beyond a step's grace period, once it has nothing left to do. */
const LINGER_MS = 2 * 60_000;

/** Why the agent was stopped before it exited by itself. */
export interface AgentStop {
  /**
   * `wait`: no work in time; `start`: it never asked; `drain`: stopped while waiting; `linger`:
   * nothing left to do.
   */
  readonly by: 'wait' | 'start' | 'drain' | 'linger' | 'signal' | 'lease';
  readonly reason: string;
}

/** A snapshot of a run. */
export interface RunState {
  /** True once work was claimed, or may have been. */
  readonly hasWork: boolean;
  /** True once the agent has asked for work and got an answer. */
  readonly hasPolled: boolean;
  /** The time of the last accepted heartbeat, if heartbeats are visible. */
  readonly lastHeartbeat: Moment | undefined;
  /** True once everything is reported, or the job was cancelled. */
  readonly isOver: boolean;
}

export interface StopConditions {
  readonly clock: Clock;
  /** Aborts when nothing more may be claimed. */
  readonly drain: AbortSignal;
  /** Aborts when the run should stop; its reason says why. */
  readonly interrupted: AbortSignal;
  readonly state: () => RunState;
  /** Stops giving out work; resolves when no claim can be under way. */
  readonly giveNoWork: () => Promise<void>;
  /** For work to come; unlimited when absent. */
  readonly maxWaitMs: number | undefined;
  /** For a step to end. */
  readonly graceMs: number;
  /** Aborts when the agent has exited. */
  readonly exited: AbortSignal;
}

/**
 * Watches a run until there is a reason to stop its agent; undefined if the agent exits by itself.
 * Never rejects.
 */
export async function reasonToStop(conditions: StopConditions): Promise<AgentStop | undefined> {
  const { state, clock, graceMs, interrupted, giveNoWork, exited } = conditions;
  const startedMs = clock.steady();
  const leaseLeftMs = fence(clock);
  let overSince: Moment | undefined;
  let isClosed = false;
  const wake = AbortSignal.any([exited, interrupted]);

  while (!exited.aborted) {
    const { hasWork, hasPolled, lastHeartbeat, isOver } = state();
    if (interrupted.aborted) {
      if (!hasWork) await giveNoWork();
      return { by: 'signal', reason: messageOf(interrupted.reason) };
    }

    if (!hasWork && !isClosed) {
      const stop = stopWithoutWork(clock.steady() - startedMs, hasPolled, conditions);
      if (stop !== undefined) {
        isClosed = true;
        await giveNoWork();
        // If a claim was on its way, the run goes on.
        if (!state().hasWork) return stop;
      }
    }

    if (lastHeartbeat !== undefined && leaseLeftMs(lastHeartbeat) <= 0 && !isOver)
      return { by: 'lease', reason: lossOf(elapsedSince(lastHeartbeat, clock)) };

    overSince = isOver ? (overSince ?? momentOf(clock)) : undefined;
    if (overSince && elapsedSince(overSince, clock).atLeast >= graceMs + LINGER_MS)
      return { by: 'linger', reason: 'it had nothing left to do' };

    await clock.sleep(CHECK_MS, wake).catch(() => undefined);
  }

  return undefined;
}

/** Why an agent that has waited without work should stop. */
function stopWithoutWork(
  waitedMs: number,
  hasPolled: boolean,
  { drain, maxWaitMs = Number.POSITIVE_INFINITY }: Pick<StopConditions, 'drain' | 'maxWaitMs'>,
): AgentStop | undefined {
  if (drain.aborted) return { by: 'drain', reason: 'the agent was asked to stop while it waited' };
  if (hasPolled && waitedMs >= maxWaitMs) return { by: 'wait', reason: 'no work came in time' };
  if (hasPolled || waitedMs < START_MS) return undefined;
  return { by: 'start', reason: `it did not ask for work within ${START_MS / 60_000} minutes` };
}
