import { Outage, type OutageOptions } from '../cloud/outage.ts';
import type { Executor, ImagePolicy } from '../executor/executor.ts';
import { messageOf } from '../outcome.ts';

/** Milliseconds after which the images are pulled again: a tag may have moved on. */
const REFRESH_MS = 60 * 60_000;
/** Milliseconds after which an image that could not be pulled is tried again. */
const RETRY_MS = 60_000;

/** It says what is there, and once a failure that lasts. Nothing fails for it: a job pulls what it needs. */
export interface PrepullerOptions extends Pick<OutageOptions, 'clock' | 'say'> {
  readonly images: readonly string[];
  readonly policy: ImagePolicy | undefined;
  readonly executor: Pick<Executor, 'prepull'>;
  /** Ends every pull that no job waits for. */
  readonly drain: AbortSignal;
}

/** Pulls images while the agent waits, one after the other. */
export class Prepuller {
  readonly #options: PrepullerOptions;
  readonly #outages: ReadonlyMap<string, Outage>;
  #dueAt = Number.NEGATIVE_INFINITY;
  #isBusy = false;
  #isResting = false;

  constructor(options: PrepullerOptions) {
    this.#options = options;
    const outage = (image: string) => new Outage({ ...options, what: `Pulling ${image} ahead` });
    this.#outages = new Map(options.images.map((image) => [image, outage(image)]));
  }

  /** Pulls what is due: the agent waits. Call it again and again. */
  begin(): void {
    this.#isResting = false;
    const { images, clock, drain } = this.#options;
    if (images.length === 0 || this.#isBusy || drain.aborted || clock.steady() < this.#dueAt) return;
    this.#isBusy = true;
    void this.#round().finally(() => {
      this.#isBusy = false;
    });
  }

  /** Begins no pull until the agent waits again: a job is there. One in flight goes on, for the job may want it. */
  rest(): void {
    this.#isResting = true;
  }

  /** Never rejects. */
  async #round(): Promise<void> {
    const { images, policy, executor, clock, drain, say } = this.#options;
    let pause = REFRESH_MS;
    for (const image of images) {
      if (drain.aborted || this.#isResting) return;
      try {
        const line = await executor.prepull?.(image, policy, drain);
        this.#outages.get(image)?.over();
        if (line !== undefined) say('info', `Image ${line} is there for the next job.`);
      } catch (error) {
        if (drain.aborted || this.#isResting) return;
        pause = RETRY_MS;
        const advice = 'An image could not be pulled ahead; a job that wants it tries again.';
        this.#outages.get(image)?.failed(new Error(`${advice} ${messageOf(error)}`, { cause: error }));
      }
    }
    this.#dueAt = clock.steady() + pause;
  }
}
