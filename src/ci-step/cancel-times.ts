import type { CancelWindow, Host } from './host.ts';
import { readRunState } from './state.ts';

/** How post divides up a cancelled CI job's last minutes. */
export const POST_TIMES = {
  /** Reserved for summary and artifact, whatever the engine does. */
  publishMs: 25_000,
  /** Reserved for ending the engine by force: SIGTERM, SIGKILL, then the sweep. */
  forceMs: 25_000,
  /** Until a main that still runs is killed. */
  leaveMs: 5_000,
  /** From SIGTERM to SIGKILL. */
  terminateMs: 8_000,
};

export type PostTimes = Readonly<typeof POST_TIMES>;

/** The times for a window of `jobMs`: a short one is divided alike. */
export function timesFor({ jobMs }: CancelWindow): PostTimes {
  const { publishMs, forceMs, leaveMs, terminateMs } = POST_TIMES;
  return {
    publishMs: Math.min(publishMs, Math.floor(jobMs / 6)),
    forceMs: Math.min(forceMs, Math.floor(jobMs / 6)),
    leaveMs,
    terminateMs: Math.min(terminateMs, Math.floor(jobMs / 12)),
  };
}

/**
 * The longest grace period that an interrupted step of a cancelled CI job gets in full: as long again
 * as ending the engine by force is left for killing the step.
 */
export function longestGraceMs(window: CancelWindow): number {
  const { publishMs, forceMs } = timesFor(window);
  return Math.floor((window.jobMs - publishMs - 2 * forceMs) / 100) * 100;
}

/** Returns a function for the time in ms until the CI system ends a cancelled job. */
export function remainingTime(host: Host): () => number {
  const { jobMs, mainMs } = host.cancelWindow;
  const began = performance.now();
  const { cancelledAt = host.steady() - mainMs } = readRunState(host) ?? {};
  const elapsedMs = Math.max(0, host.steady() - cancelledAt);

  // Longer than a cancelled job lasts: only the step was cancelled, by its own timeout, and the job
  // went on.
  const sinceCancelMs = elapsedMs < jobMs ? elapsedMs : 0;

  return () => Math.ceil(jobMs - sinceCancelMs - (performance.now() - began));
}
