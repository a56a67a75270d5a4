import { type Clock, elapsedSince, type Moment, momentOf } from '../base/clock.ts';
import { messageOf } from '../base/outcome.ts';
import { fence, lossOf } from '../cloud/fence.ts';
import type { AgentStop } from './verdict.ts';

/** Milliseconds between checks of the run. */
const CHECK_MS = 250;

/** Milliseconds for the agent to ask for work. */
const START_MS = 2 * 60_000;

/** Milliseconds that it may stay, beyond a step's grace period, once it has nothing left to do. */
const LINGER_MS = 2 * 60_000;

/** A snapshot of a run. */
export interface Observation {
  /** True once work was claimed, or may have been. */
  readonly hasWork: boolean;
  /** True once the agent has asked for work and got an answer. */
  readonly hasAsked: boolean;
  /** The time of the last accepted heartbeat, if heartbeats are visible. */
  readonly lastHeartbeat: Moment | undefined;
  /** True once everything is reported, or the job was cancelled. */
  readonly isOver: boolean;
}

export interface WatchOptions {
  readonly clock: Clock;
  /** Aborts when nothing more may be claimed. */
  readonly drain: AbortSignal;
  /** Aborts when the run should stop; its reason says why. */
  readonly interrupted: AbortSignal;
  readonly see: () => Observation;
  /** Stops giving out work; resolves when no claim can be under way. */
  readonly giveNoWork: () => Promise<void>;
  /** Milliseconds to wait for work; unlimited when absent. */
  readonly maxWaitMs: number | undefined;
  readonly graceMs: number;
  /** Aborts when the agent has exited by itself. */
  readonly over: AbortSignal;
}

/**
 * Watches a run until there is a reason to stop its agent; undefined if the agent exits by itself.
 * Never rejects.
 */
export async function reasonToEnd(options: WatchOptions): Promise<AgentStop | undefined> {
  const { see, clock, graceMs, interrupted, giveNoWork, over } = options;
  const started = clock.steady();
  const leaseLeftMs = fence(clock);
  let overSince: Moment | undefined;
  let isClosed = false;
  const ends = AbortSignal.any([over, interrupted]);

  while (!over.aborted) {
    const { hasWork, hasAsked, lastHeartbeat, isOver } = see();
    if (interrupted.aborted) {
      if (!hasWork) await giveNoWork();
      return { by: 'signal', reason: messageOf(interrupted.reason) };
    }

    if (!hasWork && !isClosed) {
      const why = withoutWork(clock.steady() - started, hasAsked, options);
      if (why !== undefined) {
        isClosed = true;
        await giveNoWork();
        // If a claim was on its way, the run goes on.
        if (!see().hasWork) return why;
      }
    }

    if (lastHeartbeat !== undefined && leaseLeftMs(lastHeartbeat) <= 0 && !isOver)
      return { by: 'lease', reason: lossOf(elapsedSince(lastHeartbeat, clock)) };

    overSince = isOver ? (overSince ?? momentOf(clock)) : undefined;
    if (overSince && elapsedSince(overSince, clock).atLeast >= graceMs + LINGER_MS)
      return { by: 'linger', reason: 'it had nothing left to do' };

    await clock.sleep(CHECK_MS, ends).catch(() => undefined);
  }

  return undefined;
}

/** Why an agent without work should stop after that many milliseconds. */
function withoutWork(
  waitedMs: number,
  hasAsked: boolean,
  { drain, maxWaitMs = Number.POSITIVE_INFINITY }: WatchOptions,
): AgentStop | undefined {
  if (drain.aborted) return { by: 'drain', reason: 'the agent was asked to stop while it waited' };
  if (hasAsked && waitedMs >= maxWaitMs) return { by: 'wait', reason: 'no work came in time' };
  if (hasAsked || waitedMs < START_MS) return undefined;
  return { by: 'start', reason: `it did not ask for work within ${START_MS / 60_000} minutes` };
}
