import { type Clock, type Moment, momentOf, passedSince } from '../../clock.ts';
import type { Ending } from './verdict.ts';

/** Milliseconds from one look at the run to the next. */
const LOOK_MS = 250;
/** Milliseconds in which the agent must have asked for work. */
const START_MS = 2 * 60_000;
/** Milliseconds that it may stay, beyond a step's grace period, when it has nothing left to do. */
const LINGER_MS = 2 * 60_000;
/** Pulumi Cloud fails a deployment after 10 minutes without a heartbeat (protocol section 2): two before, we stop it ourselves. */
const FENCE_MS = 8 * 60_000;

/** What there is to see of a run. */
export interface Sight {
  /** True once work was claimed, or may have been. */
  readonly hasWork: boolean;
  /** The agent has asked for work, and had an answer. */
  readonly hasAsked: boolean;
  /** Of the last accepted heartbeat, where there is one to see. */
  readonly lastHeartbeat: Moment | undefined;
  /** All is reported, or nothing is wanted any more. */
  readonly isOver: boolean;
}

export interface WatchOptions {
  readonly see: () => Sight;
  readonly clock: Clock;
  /** Milliseconds; for ever when absent. */
  readonly maxWaitMs: number | undefined;
  readonly graceMs: number;
  /** Aborts when nothing more may be claimed, and when the run should stop, with its reason. */
  readonly drain: AbortSignal;
  readonly interrupt: AbortSignal;
  /** Has no more work given out; resolves when no claim can be under way any more. */
  readonly giveNoWork: () => Promise<void>;
  /** Aborts when the agent has ended by itself. */
  readonly over: AbortSignal;
}

/** Watches a run until there is a reason to end its agent; undefined when it ends by itself. Never rejects. */
export async function reasonToEnd(options: WatchOptions): Promise<Ending | undefined> {
  const { see, clock, maxWaitMs = Number.POSITIVE_INFINITY, graceMs, drain, interrupt, giveNoWork, over } = options;
  const started = clock.steady();
  let overSince: Moment | undefined;
  let isClosed = false;
  const ends = AbortSignal.any([over, interrupt]);
  while (!over.aborted) {
    const { hasWork, hasAsked, lastHeartbeat, isOver } = see();
    const waited = clock.steady() - started;
    if (interrupt.aborted) {
      if (!hasWork) await giveNoWork();
      return { by: 'signal', reason: reasonOf(interrupt) };
    }
    if (!hasWork && !isClosed) {
      const why = withoutWork({
        isDrained: drain.aborted,
        isLate: waited >= maxWaitMs && hasAsked,
        neverAsked: waited >= START_MS && !hasAsked,
      });
      if (why !== undefined) {
        isClosed = true;
        await giveNoWork();
        // A claim may have been on its way: then the run goes on.
        if (!see().hasWork) return why;
      }
    }
    const passed = lastHeartbeat && passedSince(lastHeartbeat, clock);
    if (passed && passed.perhaps >= FENCE_MS && !isOver)
      return { by: 'lease', reason: `no heartbeat was accepted for ${Math.round(passed.perhaps / 60_000)} minutes` };
    overSince = isOver ? (overSince ?? momentOf(clock)) : undefined;
    if (overSince && passedSince(overSince, clock).surely >= graceMs + LINGER_MS)
      return { by: 'linger', reason: 'it had nothing left to do' };
    await clock.sleep(LOOK_MS, ends).catch(() => undefined);
  }
  return undefined;
}

function withoutWork(is: {
  readonly isDrained: boolean;
  readonly isLate: boolean;
  readonly neverAsked: boolean;
}): Ending | undefined {
  if (is.isDrained) return { by: 'drain', reason: 'the agent was asked to stop while it waited' };
  if (is.isLate) return { by: 'wait', reason: 'no work came in time' };
  if (is.neverAsked) return { by: 'start', reason: `it did not ask for work within ${START_MS / 60_000} minutes` };
  return undefined;
}

function reasonOf({ reason }: AbortSignal): string {
  return reason instanceof Error ? reason.message : String(reason);
}
