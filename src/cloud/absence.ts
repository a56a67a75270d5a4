import type { Timepiece } from '../clock.ts';

/** Milliseconds for which every call about a job must find it absent: an ingress without a backend answers 404 too. */
const PROOF_MS = 60_000;

/** What the calls about one job say of its being there (protocol section 5): it is gone when all of them have denied it for a minute. */
export class Absence {
  readonly #clock: Timepiece;
  readonly #onProven: () => void;
  /** By the steady clock. */
  #since: number | undefined;
  #isProven = false;

  /** `onProven` is called once. */
  constructor(clock: Timepiece, onProven: () => void) {
    this.#clock = clock;
    this.#onProven = onProven;
  }

  /** Notes the HTTP status of a call about the job; undefined where no answer came. */
  note(status: number | undefined): void {
    if (status !== 404 && status !== 410) {
      this.#since = undefined;
      return;
    }
    this.#since ??= this.#clock.steady();
    if (this.#isProven || this.#clock.steady() - this.#since < PROOF_MS) return;
    this.#isProven = true;
    this.#onProven();
  }
}
