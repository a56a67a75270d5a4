import type { Clock } from '../clock.ts';
import type { StepExit, StepProcess, StopSignal } from '../executor/executor.ts';
import type { StopSource } from './stop.ts';

/** Milliseconds from SIGTERM to SIGKILL, and from SIGKILL to giving the process up. */
const TERM_MS = 10_000;
const KILL_MS = 10_000;
/** Milliseconds until a signal counts as not to be delivered: longer than it takes to give up a pod that nothing is heard of. */
const DELIVERY_MS = 360_000;
/** Milliseconds for the container's removal, which ends what is left. */
const REMOVAL_MS = 10_000;
/** The same where no signal has arrived: a pod then interrupts its step itself, in the grace period of its own. */
const GRACEFUL_REMOVAL_MS = 90_000;
/** Milliseconds from one look at the stop's moment to the next. */
const LOOK_MS = 1_000;

export interface InterruptOptions {
  readonly clock: Clock;
  /** Milliseconds from SIGINT to SIGTERM: what an engine gets to write its state and free its lock. */
  readonly graceMs: number;
  /** Says by when the process must have ended, whatever the grace; that may move while the process is waited for. */
  readonly stop: Pick<StopSource, 'endBy'>;
  readonly onSignal: (signal: StopSignal) => void;
}

/**
 * Ends a step gracefully: SIGINT, the grace period, SIGTERM, SIGKILL, each only when the one before it was delivered and its time is
 * over: an engine that gets them at once, behind an outage, leaves its stack locked. Where the run must have ended by some moment, all
 * of it, the removal of the container included, fits into what is left. Resolves with the step's exit; undefined when even SIGKILL
 * didn't end it, when a signal can't be delivered in time, or when its container went away meanwhile.
 */
export async function interrupt(step: StepProcess, options: InterruptOptions): Promise<StepExit | undefined> {
  const { graceMs, onSignal } = options;
  // For each signal: its time, and what must be left behind it for all that follows.
  const waits: readonly [StopSignal, ms: number, rest: number][] = [
    ['SIGINT', graceMs, TERM_MS + KILL_MS + REMOVAL_MS],
    ['SIGTERM', TERM_MS, KILL_MS + REMOVAL_MS],
    ['SIGKILL', KILL_MS, REMOVAL_MS],
  ];
  try {
    for (const [signal, ms, rest] of waits) {
      onSignal(signal);
      // An engine that refuses it must not keep the next one back.
      const sent = step
        .signal(signal)
        .catch(() => undefined)
        .then(() => 'sent' as const);
      const delivery = signal === 'SIGINT' ? GRACEFUL_REMOVAL_MS : rest;
      const first = await firstBefore<StepExit | 'sent'>(options, DELIVERY_MS, delivery, [step.exit, sent]);
      if (first !== 'sent') return first;
      const exit = await firstBefore(options, ms, rest, [step.exit]);
      if (exit !== undefined) return exit;
    }
  } catch {
    // The container went away: there is no process left to end.
  }
  return undefined;
}

/** What comes first of `promises`; undefined when none does within `ms`, or `rest` milliseconds before the stop's own moment. */
async function firstBefore<T>(
  { clock, stop }: Pick<InterruptOptions, 'clock' | 'stop'>,
  ms: number,
  rest: number,
  promises: readonly Promise<T>[],
): Promise<T | undefined> {
  const at = clock.steady() + ms;
  const left = () => Math.max(0, Math.min(at, stop.endBy - rest) - clock.steady());
  const settled = new AbortController();
  const first = Promise.race(promises).finally(() => settled.abort());
  first.catch(() => undefined);
  do await clock.sleep(Math.min(left(), LOOK_MS), settled.signal).catch(() => undefined);
  while (!settled.signal.aborted && left() > 0);
  return settled.signal.aborted ? first : undefined;
}
