import type { Clock } from '../clock.ts';
import { messageOf } from '../outcome.ts';
import type { ImagePolicy, Target } from '../target/target.ts';

/** Milliseconds after which the images are looked at again: a tag may have moved on. */
const REFRESH_MS = 60 * 60_000;
/** Milliseconds after which an image that could not be pulled is tried again. */
const RETRY_MS = 60_000;

export interface PrepullerOptions {
  readonly images: readonly string[];
  readonly policy: ImagePolicy | undefined;
  readonly target: Target;
  readonly clock: Pick<Clock, 'steady'>;
  /** Ends every pull that no job waits for. */
  readonly drain: AbortSignal;
  /** Told what is there, and of each trouble once. Nothing fails for it: a job pulls what it needs. */
  readonly notice: (level: 'info' | 'warning', message: string) => void;
}

/** Pulls images while the agent waits, one after the other. */
export class Prepuller {
  readonly #options: PrepullerOptions;
  readonly #told = new Set<string>();
  #dueAt = Number.NEGATIVE_INFINITY;
  #busy = false;
  #resting = false;

  constructor(options: PrepullerOptions) {
    this.#options = options;
  }

  /** Says that the agent waits, which is when pulls may begin. Call it again and again: it does what is due. */
  waiting(): void {
    this.#resting = false;
    const { images, clock, drain } = this.#options;
    if (images.length === 0 || this.#busy || drain.aborted || clock.steady() < this.#dueAt) return;
    this.#busy = true;
    void this.#round().finally(() => {
      this.#busy = false;
    });
  }

  /** Says that a job is there: nothing more is begun. What is in flight stays, for the job may want it; else the target ends it. */
  rest(): void {
    this.#resting = true;
  }

  /** Never rejects. */
  async #round(): Promise<void> {
    const { images, policy, target, clock, drain, notice } = this.#options;
    let pause = REFRESH_MS;
    for (const image of images) {
      if (drain.aborted) return;
      // What is left is begun when the agent waits again.
      if (this.#resting) return;
      try {
        const line = await target.prepull?.(image, policy, drain);
        if (line !== undefined) notice('info', `Image ${line} is there for the next job.`);
      } catch (error) {
        if (drain.aborted || this.#resting) return;
        pause = RETRY_MS;
        this.#trouble(messageOf(error));
      }
    }
    this.#dueAt = clock.steady() + pause;
  }

  #trouble(message: string): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.#options.notice('warning', `An image could not be pulled ahead; a job that wants it tries again. ${message}`);
  }
}
