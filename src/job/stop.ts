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

/**
 * The one place to request a run's stop. The first reason stays; of several deadlines the earliest
 * counts.
 */
export class StopSource {
  readonly #controller = new AbortController();
  readonly #abandoned = new AbortController();
  /** Aborts when the run should stop. */
  readonly signal = this.#controller.signal;
  /**
   * Aborts when unsent reports should be dropped, and the container left to end by itself if it
   * doesn't go soon.
   */
  readonly reportsAbandoned = this.#abandoned.signal;
  #stop: Stop | undefined;
  #endBy = Number.POSITIVE_INFINITY;

  get stop(): Stop | undefined {
    return this.#stop;
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
    if (this.#stop !== undefined) return;
    this.#stop = stop;
    this.#controller.abort(new StopRequested(stop));
  }

  /**
   * Drops unsent reports, and soon the container: nothing waits for them. A running step keeps its
   * grace period.
   */
  abandonReports(): void {
    this.#abandoned.abort();
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
