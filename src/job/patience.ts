import type { Clock } from '../clock.ts';

/** Milliseconds that undelivered lines, and then a status, are waited for at most (protocol section 5). */
const PATIENCE_MS = 5 * 60_000;
/** The same from the moment on that the run is being stopped: a CI job waits for us. */
const STOPPING_PATIENCE_MS = 45_000;
/** The same once it has ended in vain, until something arrives again: many reports may be waiting. */
const LOST_PATIENCE_MS = 2_000;
/** What a call in flight gets when patience ends. */
const LAST_TRY_MS = 3_000;

export interface PatienceOptions {
  readonly clock: Clock;
  /** Aborts when the run is being stopped. */
  readonly stopping: AbortSignal;
  /** It has ended in vain before. */
  readonly isLost: boolean;
}

/** How long a report is tried. Whoever makes one clears it. */
export class Patience {
  readonly #options: PatienceOptions;
  readonly #over = new AbortController();
  readonly #late = new AbortController();
  readonly #cleared = new AbortController();
  readonly #renewed = new AbortController();
  readonly #hurry = () => this.#endIn(STOPPING_PATIENCE_MS, this.#cleared.signal);

  constructor(options: PatienceOptions) {
    this.#options = options;
    const { isLost, stopping } = options;
    if (isLost) this.#endIn(LOST_PATIENCE_MS, AbortSignal.any([this.#cleared.signal, this.#renewed.signal]));
    else this.#endIn(PATIENCE_MS, this.#cleared.signal);
    if (stopping.aborted) this.#hurry();
    stopping.addEventListener('abort', this.#hurry, { once: true });
  }

  /** Aborts when no other try is begun: earlier when the run is stopped meanwhile. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Aborts when not even the try in flight is waited for any longer. */
  get late(): AbortSignal {
    return this.#late.signal;
  }

  /** Something has arrived: what it was short for has passed. */
  renew(): void {
    if (!this.#options.isLost || this.#renewed.signal.aborted || this.#over.signal.aborted) return;
    this.#renewed.abort();
    this.#endIn(PATIENCE_MS, this.#cleared.signal);
  }

  clear(): void {
    this.#cleared.abort();
    this.#options.stopping.removeEventListener('abort', this.#hurry);
  }

  #endIn(ms: number, signal: AbortSignal): void {
    const { clock } = this.#options;
    const end = async () => {
      await clock.sleep(ms, signal);
      this.#over.abort();
      await clock.sleep(LAST_TRY_MS, this.#cleared.signal);
      this.#late.abort();
    };
    // It was cleared or renewed.
    end().catch(() => undefined);
  }
}
