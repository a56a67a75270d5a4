import { messageOf } from '../outcome.ts';
import type { Log } from './logging/agent-log.ts';
import { pruneRuns } from './run-pruning.ts';

/** Milliseconds at the agent's own end for a removal that has not ended by then. */
const END_MS = 5_000;

export interface KeptRunsOptions {
  /** The folder that run directories lie in, this agent's and perhaps its neighbours'. */
  readonly folder: string;
  /** How many ended runs keep theirs. */
  readonly kept: number;
  readonly log: Log;
}

/** Removes the directories of the oldest runs, after a job rather than beside one. Nothing waits for it, and it never throws. */
export class KeptRuns {
  readonly #options: KeptRunsOptions;
  /** Directories that are known to be of ended runs, so that they are not read again for each job. */
  readonly #known = new Set<string>();
  #round: Promise<void> = Promise.resolve();
  #current: string | undefined;
  #stopped = false;
  #told = false;

  constructor(options: KeptRunsOptions) {
    this.#options = options;
  }

  /** A job has begun in `directory`: this one stays, and what is under way makes room, once it has removed one. */
  began(directory: string): void {
    this.#current = directory;
  }

  /** The job that had begun, if one had, has ended, and its record is closed. */
  ended(): void {
    if (this.#current === undefined) return;
    this.#current = undefined;
    this.#round = this.#round.then(() => this.#prune());
  }

  /** The agent ends: a removal gets a few seconds to end, then it is left as it is. */
  async end(): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#stopped = true;
      late.resolve();
    }, END_MS);
    await Promise.race([this.#round, late.promise]);
    clearTimeout(timer);
  }

  async #prune(): Promise<void> {
    const { folder, kept, log } = this.#options;
    const onFailure = (reason: string) => {
      if (!this.#told) log('warning', reason);
      this.#told = true;
    };
    try {
      const removed = await pruneRuns({
        folder,
        kept,
        known: this.#known,
        current: () => this.#current,
        // One for each job keeps the number, however little time there is between them.
        goesOn: (count) => !this.#stopped && (count === 0 || this.#current === undefined),
        onFailure,
      });
      if (removed > 0)
        log('info', `Removed the oldest run directories below ${folder}: ${removed}, as kept_runs is ${kept}.`);
    } catch (error) {
      onFailure(
        `Failed to look for old run directories below ${folder}: ${messageOf(error)}. Remove them yourself, or correct the folder's permissions.`,
      );
    }
  }
}
