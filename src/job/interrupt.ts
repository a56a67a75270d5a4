import type { Clock } from '../clock.ts';
import type { StepExit, StepProcess, StopSignal } from '../target/target.ts';

/** Milliseconds from SIGTERM to SIGKILL, and from SIGKILL to giving the process up. */
const TERM_MS = 10_000;
const KILL_MS = 10_000;
/** Milliseconds until a signal counts as not to be delivered: longer than it takes to give up a pod that nothing is heard of. */
const DELIVERY_MS = 360_000;

export interface InterruptOptions {
  readonly clock: Clock;
  /** Milliseconds from SIGINT to SIGTERM: what an engine gets to write its state and free its lock. */
  readonly graceMs: number;
  readonly onSignal: (signal: StopSignal) => void;
}

/**
 * Ends a step in order: SIGINT, the grace period, SIGTERM, SIGKILL, each only when the one before it was delivered and its time is
 * over: an engine that gets them at once, behind an outage, leaves its stack locked. Resolves with the step's exit; undefined when
 * even SIGKILL didn't end it, when a signal can't be delivered, or when its container went away meanwhile.
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
  try {
    for (const [signal, ms] of waits) {
      onSignal(signal);
      // An engine that refuses it must not keep the next one back.
      const sent = step
        .signal(signal)
        .catch(() => undefined)
        .then(() => 'sent' as const);
      const first = await before<StepExit | 'sent'>(clock, DELIVERY_MS, [step.exit, sent]);
      if (first !== 'sent') return first;
      const exit = await before(clock, ms, [step.exit]);
      if (exit !== undefined) return exit;
    }
  } catch {
    // The container went away: there is no process left to end.
  }
  return undefined;
}

/** What comes first of `promises`; undefined when none does within `ms` milliseconds. */
async function before<T>(clock: Clock, ms: number, promises: readonly Promise<T>[]): Promise<T | undefined> {
  const settled = new AbortController();
  const timeUp = clock.sleep(ms, settled.signal).then(() => undefined);
  try {
    return await Promise.race([...promises, timeUp]);
  } finally {
    settled.abort();
  }
}
