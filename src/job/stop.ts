/** Why a run stops before its work is done. */
export interface Stop {
  readonly by: 'cloud' | 'signal' | 'lease' | 'timeout';
  /** One sentence for the user. */
  readonly reason: string;
}

/** The one place that a run's end is asked for. The first reason stays. */
export class StopSource {
  readonly #controller = new AbortController();
  #stop: Stop | undefined;

  /** Aborts when the run should stop. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The first reason given. */
  get stop(): Stop | undefined {
    return this.#stop;
  }

  request(stop: Stop): void {
    if (this.#stop !== undefined) return;
    this.#stop = stop;
    this.#controller.abort(new StopRequested(stop));
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
