/*
 * What a cancelled CI job leaves a run, in milliseconds. GitHub's runner ends the job 285 s after the cancel, whatever it still
 * does; main's end and every `if: always()` step before post come out of that.
 */

/** From the cancel to the job's end. */
export const JOB_MS = 285_000;
/** Kept for summary and artifact, whatever the agent does. */
export const PUBLISH_MS = 25_000;
/** Kept for an agent that has to be ended: SIGTERM, SIGKILL and the sweep behind them. */
export const FORCE_MS = 25_000;
/** From the cancel to the end of a main that reacts to nothing. */
export const KILLED_MAIN_MS = 10_000;
/** The longest `cancel-grace-period` that fits: a step that outlasts it is killed 10 s later, and then told to Pulumi Cloud. */
export const LONGEST_GRACE_MS = 210_000;
