import { type Elapsed, elapsedSince, type Moment, momentOf, type TimeSource } from '../base/clock.ts';
import { span } from '../base/quantity.ts';

/** After its last heartbeat, until Pulumi Cloud fails a deployment (protocol section 2). */
export const LEASE_MS = 10 * 60_000;

/** After the last accepted heartbeat, until a job is stopped: before Pulumi Cloud gives its stack to others. */
export const FENCE_MS = LEASE_MS - 2 * 60_000;

/**
 * The part of the fence that heartbeats get however far the wall clock jumps: enough for a hung one
 * and a retry, or for the next one of Pulumi's agent, which sends one every 30 s.
 */
const DOUBT = 1 / 8;

/**
 * Returns a function for the milliseconds until a job must stop because no heartbeat is accepted; ask it
 * every few seconds. If only the wall clock says that time is up, because the machine was suspended or the
 * clock set, the next heartbeat decides: it gets a minute.
 */
export function fence(clock: TimeSource): (lastAccepted: Moment) => number {
  let doubted: Moment | undefined;
  return (lastAccepted) => {
    const elapsed = elapsedSince(lastAccepted, clock);
    doubted = elapsed.atMost < FENCE_MS * (1 - DOUBT) ? undefined : (doubted ?? momentOf(clock));
    const answer = doubted === undefined ? FENCE_MS : FENCE_MS * DOUBT - elapsedSince(doubted, clock).atLeast;
    return Math.min(FENCE_MS - elapsed.atLeast, answer);
  };
}

/** The reason to stop a job once the fence has fallen, `passed` after the last accepted heartbeat. */
export function lossOf({ atLeast, atMost }: Elapsed): string {
  const minutes = Math.round((atMost - atLeast) / 60_000);
  if (minutes === 0)
    return `no heartbeat was accepted for ${span(FENCE_MS)}, and Pulumi Cloud gives up on a run after ${span(LEASE_MS)}`;
  return `this machine was suspended, or its clock set forward, by about ${minutes} min, and no heartbeat has been accepted since; Pulumi Cloud gives up on a run after ${span(LEASE_MS)} without one`;
}
