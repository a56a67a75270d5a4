/** Why a run stops before its work is done. */
export interface Stop {
  readonly by: 'cloud' | 'signal' | 'lease' | 'timeout' | 'memory';
  /** One sentence for the user. */
  readonly reason: string;
  /** The moment by the steady clock, in milliseconds, after which nothing of the job may run any more. A lost lease names one. */
  readonly endBy?: number;
}

/** True where the job went past what it may take: whatever it says of itself when it is interrupted, it has failed. */
export function isLimit(stop: Stop): boolean {
  return stop.by === 'timeout' || stop.by === 'memory';
}

/** The one place that a run's end is asked for. The first reason stays; a stop can only become harsher: the earliest `endBy` counts. */
export class StopSource {
  readonly #controller = new AbortController();
  readonly #abandoned = new AbortController();
  /** Aborts when the run should stop. */
  readonly signal = this.#controller.signal;
  /** Aborts when reports that aren't sent yet should be dropped. */
  readonly reportsAbandoned = this.#abandoned.signal;
  #stop: Stop | undefined;
  #endBy = Number.POSITIVE_INFINITY;

  /** The first reason given. */
  get stop(): Stop | undefined {
    return this.#stop;
  }

  /** The moment by the steady clock, in milliseconds, after which nothing of the job may run any more; infinite until a stop names one. */
  get endBy(): number {
    return this.#endBy;
  }

  request(stop: Stop): void {
    this.#endBy = Math.min(this.#endBy, stop.endBy ?? Number.POSITIVE_INFINITY);
    if (this.#stop !== undefined) return;
    this.#stop = stop;
    this.#controller.abort(new StopRequested(stop));
  }

  /** Nobody waits for the run's reports any more. What runs keeps its grace. */
  abandonReports(): void {
    this.#abandoned.abort();
  }
}

/** What an await rejects with when the run was asked to stop. */
export class StopRequested extends Error {
  override readonly name = 'StopRequested';
  readonly stop: Stop;
  constructor(stop: Stop) {
    super(stop.reason);
    this.stop = stop;
  }
}
