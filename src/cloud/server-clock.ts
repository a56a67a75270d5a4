import type { TimeSource } from '../base/clock.ts';

/** Pulumi Cloud's clock as its answers tell it, beside this machine's, which may be set wrong. */
export class ServerClock {
  readonly #clock: TimeSource;
  /** Its time, in milliseconds since the epoch, at one of the steady clock's. */
  #last: { readonly time: number; readonly steady: number } | undefined;

  constructor(clock: TimeSource) {
    this.#clock = clock;
  }

  /** Notes the `Date` of an answer that has just arrived, in milliseconds since the epoch, if it has one. */
  told(time: number | undefined): void {
    if (time !== undefined && !Number.isNaN(time)) this.#last = { time, steady: this.#clock.steady() };
  }

  /**
   * The time that both clocks have reached, in milliseconds since the epoch: what is too old by it
   * is so by either. Undefined as long as no answer had a date.
   */
  get reached(): number | undefined {
    if (this.#last === undefined) return undefined;
    const { time, steady } = this.#last;
    return Math.min(time + this.#clock.steady() - steady, this.#clock.now());
  }
}
