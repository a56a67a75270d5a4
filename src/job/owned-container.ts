import type { Clock } from '../clock.ts';
import { withEntry } from '../error-codes.ts';
import type { ContainerSettings, ContainerSpec, Executor, JobContainer } from '../executor/executor.ts';
import { codeOf, messageOf } from '../outcome.ts';

/** Milliseconds before a removal that failed is tried again, each time. */
const AGAIN_MS: readonly number[] = [1_000, 5_000];

export interface OwnedContainerOptions {
  readonly target: Executor;
  /** What the agent's settings say of the container. */
  readonly container?: ContainerSettings;
  readonly pullImage: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

/** A job's one container, from its preparation to its removal: whatever becomes of the job, it is removed once. */
export class OwnedContainer {
  readonly #options: OwnedContainerOptions;
  #container: JobContainer | undefined;
  #removal: Promise<string | undefined> | undefined;

  constructor(options: OwnedContainerOptions) {
    this.#options = options;
  }

  /** What really runs; undefined before it is prepared. */
  get imageDigest(): string | undefined {
    return this.#container?.imageDigest;
  }

  /** The container that steps are started in. Throws before it is prepared. */
  get running(): JobContainer {
    if (this.#container === undefined) throw new Error('a step was started without a container');
    return this.#container;
  }

  /** Makes and starts it as the job wants it; `progress` takes each line. Throws what the executor throws, and then leaves nothing. */
  async prepare(
    wanted: Omit<ContainerSpec, 'pull' | 'labels' | keyof ContainerSettings>,
    progress: (line: string) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const { target, container, pullImage: pull, labels } = this.#options;
    this.#container = await target.prepare({ ...container, ...wanted, pull, labels }, progress, signal);
  }

  /** Removes it, once however often it is called, and again where that fails. Returns what to tell when something is left. Never throws. */
  remove(): Promise<string | undefined> {
    this.#removal ??= this.#remove();
    return this.#removal;
  }

  async #remove(): Promise<string | undefined> {
    const { clock } = this.#options;
    for (let tries = 0; ; tries += 1) {
      try {
        await this.#container?.remove();
        return undefined;
      } catch (error) {
        const wait = AGAIN_MS[tries];
        if (wait === undefined) return withEntry(messageOf(error), codeOf(error));
        await clock.sleep(wait, new AbortController().signal);
      }
    }
  }
}
