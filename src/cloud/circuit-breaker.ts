import type { TimeSource } from '../base/clock.ts';

export interface CircuitBreakerOptions {
  /** Consecutive failed calls that begin a pause. */
  readonly failures: number;
  /** The length of a pause. */
  readonly pauseMs: number;
  readonly clock: TimeSource;
  /** Tells a failure from an error that says nothing about the service, such as an abort. */
  readonly isFailure: (error: unknown) => boolean;
  /** Called as a pause begins. */
  readonly onPause: () => void;
}

/**
 * Pauses calls after too many failed in a row. After the pause one call is tried: its failure
 * begins the next pause.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #failures = 0;
  /** By the steady clock: a wall clock that is set back would prolong the pause. */
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #isTrying = false;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
  }

  /** The rest of a pause, rounded up, since a timer can fire up to 1 ms early. */
  get restMs(): number {
    const ms = this.#pausedUntil - this.#options.clock.steady();
    return ms > 0 ? Math.ceil(ms) + 1 : 0;
  }

  /**
   * True during a pause, and while the call after it is being tried: no other call should be made.
   */
  get isOpen(): boolean {
    return this.#isTrying || this.restMs > 0;
  }

  /** Makes a call and counts its end. */
  async watch<T>(call: () => Promise<T>): Promise<T> {
    const { failures, isFailure } = this.#options;
    const isTrial = this.#failures >= failures;

    if (isTrial) this.#isTrying = true;

    try {
      const result = await call();
      this.#failures = 0;
      this.#pausedUntil = Number.NEGATIVE_INFINITY;
      return result;
    } catch (error) {
      if (isFailure(error)) this.#failed();
      throw error;
    } finally {
      if (isTrial) this.#isTrying = false;
    }
  }

  /** A call that began before the pause doesn't prolong it. */
  #failed(): void {
    const { failures, pauseMs, clock, onPause } = this.#options;
    this.#failures += 1;
    if (this.#failures < failures || this.restMs > 0) return;
    this.#pausedUntil = clock.steady() + pauseMs;
    onPause();
  }
}
