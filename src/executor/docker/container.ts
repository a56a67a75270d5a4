import { NEVER } from '../deadline.ts';
import {
  ContainerLostError,
  type JobContainer,
  type OutputSink,
  type StepProcess,
  type StepSpec,
} from '../executor.ts';
import type { Engine } from './engine.ts';
import { EnvironmentFile } from './environment-file.ts';
import type { JobNetwork } from './job-network.ts';
import { type Keeper, KeeperGoneError } from './keeper.ts';
import { lossOf, lost, STOPPED } from './loss.ts';
import { removeContainer } from './removal.ts';
import { startStep } from './step.ts';
import type { Logger, SilenceLimits, StepContext } from './step-context.ts';

export interface DockerContainerOptions {
  readonly engine: Engine;
  readonly id: string;
  readonly imageDigest: string;
  readonly keeper: Keeper;
  readonly network: JobNetwork;
  readonly environmentFile: string;
  readonly silence: SilenceLimits;
  /** Milliseconds that the removal may take. */
  readonly stopMs: number;
  readonly logger: Logger;
}

/** A job's running container. Owns the keeper's stream, and through it the container's life, and the network made for it. */
export class DockerContainer implements JobContainer {
  readonly id: string;
  readonly imageDigest: string;
  readonly #options: DockerContainerOptions;
  readonly #environmentFile: EnvironmentFile;
  readonly #context: StepContext;
  /** Aborts when the removal begins: a stream that nobody reads would make the engine hang for the container. */
  readonly #removing = new AbortController();
  #removal: Promise<void> | undefined;

  constructor(options: DockerContainerOptions) {
    const { engine, id, imageDigest, keeper, environmentFile, silence, logger } = options;
    this.id = id;
    this.imageDigest = imageDigest;
    this.#options = options;
    this.#environmentFile = new EnvironmentFile(engine, id, environmentFile);
    this.#context = {
      engine,
      container: id,
      environmentFile,
      keeper,
      silence,
      logger,
      oomKills: 0,
      state: undefined,
      loss: () => this.#loss(),
    };
  }

  async start(step: StepSpec, output: OutputSink, signal: AbortSignal): Promise<StepProcess> {
    const either = AbortSignal.any([signal, this.#removing.signal]);
    either.throwIfAborted();
    this.#context.state = undefined;
    return startStep(this.#context, step, output, either);
  }

  async readEnvironmentFile(signal: AbortSignal): Promise<string> {
    const known = this.#context.state;
    this.#context.state = undefined;
    try {
      if (known?.environmentChanged === false) return '';
      return await this.#environmentFile.read(this.#options.keeper, signal);
    } catch (error) {
      throw error instanceof KeeperGoneError ? await this.#loss() : error;
    }
  }

  remove(): Promise<void> {
    this.#removal ??= this.#remove().catch((error: unknown) => {
      // The next call tries again.
      this.#removal = undefined;
      throw error;
    });
    return this.#removal;
  }

  async #remove(): Promise<void> {
    const { engine, keeper, network, stopMs } = this.#options;
    this.#removing.abort(this.#removedByUs());
    try {
      await removeContainer(engine, this.id, { ms: stopMs, signal: NEVER });
    } finally {
      // After the removal, else the main process would take the end of its stdin for the agent's death. Where the removal failed,
      // that is the second way to end it.
      keeper.close();
    }
    await network.remove(stopMs);
  }

  async #loss(): Promise<ContainerLostError> {
    if (this.#removing.signal.aborted) return this.#removedByUs();
    const { engine, keeper } = this.#options;
    return keeper.isStopping ? lost(this.id, STOPPED) : lossOf(engine, this.id);
  }

  #removedByUs(): ContainerLostError {
    const message = `Failed to finish the step in container ${this.id.slice(0, 12)}: the agent removed the container. The job was being stopped.`;
    return new ContainerLostError(message);
  }
}
