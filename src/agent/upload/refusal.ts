import { elapsedSince, type Moment, momentOf } from '../../base/clock.ts';
import { isRefusal, refusedStatus } from '../../cloud/errors.ts';
import type { HeartbeatTimes } from '../job/lease.ts';

/** How long calls are refused, while heartbeats are accepted, until a call's content is suspected. */
const LASTING_MS = 60_000;

/** Refusals of a call's content. */
const FOR_CONTENT: ReadonlySet<number> = new Set([400, 413, 422]);

/** Refusals of a token or a path; others may come from a proxy that inspects the content. */
const NOT_FOR_CONTENT: ReadonlySet<number> = new Set([401, 404, 405, 410, 501]);

/**
 * Tells a report refused for its content from an unavailable service or a token that is temporarily
 * refused. Call the result with each failure, and with undefined once a report is accepted: it
 * returns true after a minute of nothing but refusals, if heartbeats were accepted meanwhile. 401
 * isn't one.
 */
export function lastingRefusal({ clock, heartbeatSince }: HeartbeatTimes): (error: unknown) => boolean {
  let since: Moment | undefined;
  return (error) => {
    const counts = isRefusal(error) && refusedStatus(error) !== 401;
    since = counts ? (since ?? momentOf(clock)) : undefined;
    return since !== undefined && elapsedSince(since, clock).atLeast >= LASTING_MS && heartbeatSince(since);
  };
}

/** The call's content was refused. */
export function isForContent(error: unknown): boolean {
  return FOR_CONTENT.has(refusedStatus(error) ?? 0);
}

/** The token or the path was refused, whatever the content. */
export function isForTokenOrPath(error: unknown): boolean {
  return NOT_FOR_CONTENT.has(refusedStatus(error) ?? 0);
}
