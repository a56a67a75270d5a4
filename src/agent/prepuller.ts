import { Outage, type OutageContext } from '../base/log/outage.ts';
import { messageOf } from '../base/outcome.ts';
import type { Executor, ImagePolicy } from '../executor/executor.ts';

/** Time after which images are pulled again: a tag may have moved. */
const REFRESH_MS = 60 * 60_000;

/** Time before a failed pull is retried. */
const RETRY_MS = 60_000;

/**
 * `say` reports each pulled image, and a lasting failure once. No failure is fatal: a job pulls
 * what it needs.
 */
export interface PrepullerOptions extends OutageContext {
  readonly images: readonly string[];
  readonly policy: ImagePolicy | undefined;
  readonly executor: { prepull?: Executor['prepull'] };
  /** Aborts every pull that no job waits for. */
  readonly drain: AbortSignal;
}

/** Pulls images one by one while the agent waits. */
export class Prepuller {
  readonly #options: PrepullerOptions;
  readonly #outages: ReadonlyMap<string, Outage>;
  /** Infinite during a round. */
  #dueAt = Number.NEGATIVE_INFINITY;
  #isResting = false;

  constructor(options: PrepullerOptions) {
    this.#options = options;
    const outage = (image: string) => new Outage(`Pulling ${image} ahead`, options);
    this.#outages = new Map(options.images.map((image) => [image, outage(image)]));
  }

  /** Pulls the images that are due. Call it often while the agent waits. */
  begin(): void {
    this.#isResting = false;
    const { images, clock, drain } = this.#options;
    if (images.length === 0 || drain.aborted || clock.steady() < this.#dueAt) return;
    this.#dueAt = Number.POSITIVE_INFINITY;
    void this.#round().then((pause) => {
      this.#dueAt = clock.steady() + pause;
    });
  }

  /**
   * Makes way for a job: begins no pull until the next `begin`. One in flight goes on, as the job
   * may need it.
   */
  rest(): void {
    this.#isResting = true;
  }

  /** Returns the milliseconds to the next round; none if it makes way for a job. Never rejects. */
  async #round(): Promise<number> {
    const { images, policy, executor, drain, say } = this.#options;
    let pause = REFRESH_MS;

    for (const image of images) {
      if (drain.aborted || this.#isResting) return 0;

      try {
        const line = await executor.prepull?.(image, policy, drain);
        this.#outages.get(image)?.over();
        if (line !== undefined) say('info', `Image ${line} is ready for the next job.`);
      } catch (error) {
        if (drain.aborted || this.#isResting) return 0;
        pause = RETRY_MS;
        const advice = 'An image could not be pulled in advance; a job that needs it will try again.';
        this.#outages.get(image)?.failed(new Error(`${advice} ${messageOf(error)}`, { cause: error }));
      }
    }

    return pause;
  }
}
