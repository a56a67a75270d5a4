import type { Timepiece } from '../clock.ts';
import { Outage, type OutageOptions } from '../cloud/outage.ts';
import type { Executor, ImagePolicy } from '../executor/executor.ts';
import { messageOf } from '../outcome.ts';

/** Milliseconds after which the images are looked at again: a tag may have moved on. */
const REFRESH_MS = 60 * 60_000;
/** Milliseconds after which an image that could not be pulled is tried again. */
const RETRY_MS = 60_000;

export interface PrepullerOptions {
  readonly images: readonly string[];
  readonly policy: ImagePolicy | undefined;
  readonly target: Executor;
  readonly clock: Timepiece;
  /** Ends every pull that no job waits for. */
  readonly drain: AbortSignal;
  /** Told what is there, and of a trouble that lasts once. Nothing fails for it: a job pulls what it needs. */
  readonly say: OutageOptions['say'];
}

/** Pulls images while the agent waits, one after the other. */
export class Prepuller {
  readonly #options: PrepullerOptions;
  readonly #outages: ReadonlyMap<string, Outage>;
  #dueAt = Number.NEGATIVE_INFINITY;
  #busy = false;
  #resting = false;

  constructor(options: PrepullerOptions) {
    this.#options = options;
    const outage = (image: string) => new Outage({ ...options, what: `Pulling ${image} ahead` });
    this.#outages = new Map(options.images.map((image) => [image, outage(image)]));
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
    const { images, policy, target, clock, drain, say } = this.#options;
    let pause = REFRESH_MS;
    for (const image of images) {
      if (drain.aborted) return;
      // What is left is begun when the agent waits again.
      if (this.#resting) return;
      try {
        const line = await target.prepull?.(image, policy, drain);
        this.#outages.get(image)?.over();
        if (line !== undefined) say('info', `Image ${line} is there for the next job.`);
      } catch (error) {
        if (drain.aborted || this.#resting) return;
        pause = RETRY_MS;
        const advice = 'An image could not be pulled ahead; a job that wants it tries again.';
        this.#outages.get(image)?.failed(new Error(`${advice} ${messageOf(error)}`, { cause: error }));
      }
    }
    this.#dueAt = clock.steady() + pause;
  }
}
