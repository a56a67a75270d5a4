import { NEVER } from '../../base/clock.ts';
import { formatDuration } from '../../base/config/duration.ts';

/** Why a run stops before its work is done. */
export interface Stop {
  readonly by: 'cloud' | 'signal' | 'lease' | 'timeout' | 'memory';
  /** One sentence for the user. */
  readonly reason: string;

  /**
   * Deadline by the steady clock, in milliseconds, after which nothing of the job may run. Set by a
   * lost lease.
   */
  readonly endBy?: number;
}

/** True if the job exceeded a limit: it has failed, however it exits when interrupted. */
export function isLimit(stop: Stop): boolean {
  return stop.by === 'timeout' || stop.by === 'memory';
}

/** The shorter of the agent's and the job's limit, in milliseconds, and the stop at its end. */
export function timeLimit(
  { softTimeoutMs = Number.POSITIVE_INFINITY }: { readonly softTimeoutMs?: number | undefined },
  { timeoutMs = Number.POSITIVE_INFINITY }: { readonly timeoutMs?: number | undefined },
): { readonly ms: number | undefined; readonly stop: Stop } {
  const ms = Math.min(softTimeoutMs, timeoutMs);
  const reason =
    softTimeoutMs < timeoutMs
      ? `the job ran for longer than soft_timeout (${formatDuration(ms)})`
      : `the job timed out after ${formatDuration(ms)}`;
  return { ms: Number.isFinite(ms) ? ms : undefined, stop: { by: 'timeout', reason } };
}

/** The agent's own end, which stops the job that it serves. */
export interface ShutdownSignals {
  /** Aborts when the job should stop, with a StopRequested as its reason. */
  readonly interrupted: AbortSignal;

  /**
   * Aborts when unsent reports should be dropped, and the container left to end by itself if it
   * doesn't go soon. A running step keeps its grace period.
   */
  readonly reportsAbandoned: AbortSignal;
}

/**
 * The one place to request a run's stop. The first reason stays; of several deadlines the earliest
 * counts.
 */
export class StopSource {
  readonly #controller = new AbortController();
  /** Aborts when the run should stop, with a StopRequested as its reason. */
  readonly signal: AbortSignal;
  /** Aborts when nothing waits for reports any more. */
  readonly reportsAbandoned: AbortSignal;
  #endBy = Number.POSITIVE_INFINITY;

  /** Without `shutdown`, only `request` stops the job. */
  constructor(shutdown?: ShutdownSignals) {
    const { interrupted = NEVER, reportsAbandoned = NEVER } = shutdown ?? {};
    this.signal = AbortSignal.any([this.#controller.signal, interrupted]);
    this.reportsAbandoned = reportsAbandoned;
  }

  get stop(): Stop | undefined {
    const reason: unknown = this.signal.reason;
    return reason instanceof StopRequested ? reason.stop : undefined;
  }

  /**
   * Deadline by the steady clock, in milliseconds, after which nothing of the job may run; infinite
   * unless set.
   */
  get endBy(): number {
    return this.#endBy;
  }

  request(stop: Stop): void {
    this.#endBy = Math.min(this.#endBy, stop.endBy ?? Number.POSITIVE_INFINITY);
    // Node.js settles a combined signal that nothing listens to only when it is read: an earlier interrupt
    // would lose to this one.
    if (!this.signal.aborted) this.#controller.abort(new StopRequested(stop));
  }
}

/** The rejection reason of awaits once a stop was requested. */
export class StopRequested extends Error {
  override readonly name = 'StopRequested';
  readonly stop: Stop;

  constructor(stop: Stop) {
    super(stop.reason);
    this.stop = stop;
  }
}
