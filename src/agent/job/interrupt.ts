import type { Clock } from '../../base/clock.ts';
import type { StepExit, StepProcess, StopSignal } from '../../executor/executor.ts';
import type { StopSource } from './stop.ts';

/** Time from SIGTERM to SIGKILL, and from SIGKILL to giving up on the process. */
const TERM_MS = 10_000;
const KILL_MS = 10_000;

/**
 * Time until a signal counts as undeliverable: longer than it takes to give up an
 * unreachable pod.
 */
const DELIVERY_MS = 360_000;

/** Time for the container's removal, which ends remaining processes. */
const REMOVAL_MS = 10_000;

/**
 * The same before any signal was delivered: a pod then interrupts its step itself, within its own
 * grace period.
 */
const GRACEFUL_REMOVAL_MS = 90_000;

/** Time between looks at the stop's deadline, which may move. */
const CHECK_MS = 1_000;

export interface InterruptOptions {
  readonly clock: Clock;
  /**
   * Time from SIGINT to SIGTERM: the engine's time to write its state and release its lock.
   */
  readonly graceMs: number;

  /**
   * Its deadline for the process, which overrides the grace period and may move during the wait.
   */
  readonly stop: StopSource;
  readonly onSignal: (signal: StopSignal) => void;
}

/**
 * Ends a step gracefully: SIGINT, the grace period, SIGTERM, SIGKILL. Each waits until the one
 * before was delivered and its time is over: an engine that gets them all at once after an outage
 * leaves its stack locked. If the stop has a deadline, everything including the container's removal
 * fits into the time left. Resolves with the step's exit, or undefined if even SIGKILL didn't end
 * it, a signal couldn't be delivered in time, or the container disappeared.
 */
export async function interrupt(step: StepProcess, options: InterruptOptions): Promise<StepExit | undefined> {
  const { graceMs, onSignal } = options;
  // For each signal: its time, and the time to reserve for everything after it.
  const waits: readonly [StopSignal, ms: number, rest: number][] = [
    ['SIGINT', graceMs, TERM_MS + KILL_MS + REMOVAL_MS],
    ['SIGTERM', TERM_MS, KILL_MS + REMOVAL_MS],
    ['SIGKILL', KILL_MS, REMOVAL_MS],
  ];

  try {
    for (const [signal, ms, rest] of waits) {
      onSignal(signal);

      // A refused signal must not hold back the next one.
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
    // The container disappeared, and the process with it.
  }

  return undefined;
}

/**
 * The first of `promises` to settle; undefined if none does within `ms` or `rest` milliseconds
 * before the deadline.
 */
async function firstBefore<T>(
  options: InterruptOptions,
  ms: number,
  rest: number,
  promises: readonly Promise<T>[],
) {
  const { clock, stop } = options;
  const at = clock.steady() + ms;
  const remainingMs = () => Math.max(0, Math.min(at, stop.endBy - rest) - clock.steady());
  const settled = new AbortController();
  const first = Promise.race(promises).finally(() => settled.abort());

  first.catch(() => undefined);
  do await clock.sleep(Math.min(remainingMs(), CHECK_MS), settled.signal).catch(() => undefined);
  while (!settled.signal.aborted && remainingMs() > 0);

  return settled.signal.aborted ? first : undefined;
}
