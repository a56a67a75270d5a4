import type { Clock } from '../clock.ts';
import type { StepExit, StepProcess, StopSignal } from '../target/target.ts';

/** Milliseconds from SIGTERM to SIGKILL, and from SIGKILL to giving the process up. */
const TERM_MS = 10_000;
const KILL_MS = 10_000;

export interface InterruptOptions {
  readonly clock: Clock;
  /** Milliseconds from SIGINT to SIGTERM: what an engine gets to write its state and free its lock. */
  readonly graceMs: number;
  readonly onSignal: (signal: StopSignal) => void;
}

/**
 * Ends a step in order: SIGINT, the grace period, SIGTERM, SIGKILL. Resolves with the step's exit; undefined when even SIGKILL
 * didn't end it, or its container went away meanwhile.
 */
export async function interrupt(
  step: StepProcess,
  { clock, graceMs, onSignal }: InterruptOptions,
): Promise<StepExit | undefined> {
  const waits: readonly [StopSignal, number][] = [
    ['SIGINT', graceMs],
    ['SIGTERM', TERM_MS],
    ['SIGKILL', KILL_MS],
  ];
  for (const [signal, ms] of waits) {
    onSignal(signal);
    const timeUp = new AbortController();
    try {
      // Not awaited: an engine that fails here, or never answers, must not keep the next signal back.
      step.signal(signal).catch(() => undefined);
      const exit = await Promise.race([step.exit, clock.sleep(ms, timeUp.signal)]);
      if (exit !== undefined) return exit;
    } catch {
      // The container went away: there is no process left to end.
      return undefined;
    } finally {
      timeUp.abort();
    }
  }
  return undefined;
}
