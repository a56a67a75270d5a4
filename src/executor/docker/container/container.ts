import type { ContainerLostError, JobContainer, OutputSink, StepSpec } from '../../executor.ts';
import { untilDone } from '../../removals.ts';
import { refusedWith } from '../engine/errors.ts';
import { startStep } from '../step/start-step.ts';
import type { DockerStep, DockerStepContext, StepSurroundings } from '../step/step.ts';
import { endOf, lost, UNASKED } from './ending.ts';
import { readEnvironmentFile } from './files.ts';
import { readEnvironmentFileInside } from './inside.ts';
import { removeWithNetwork, untilEnded } from './removal.ts';

/** Milliseconds that the engine takes at most to end a container after its main process. */
const ENDING_MS = 2_000;

export interface DockerContainerOptions extends StepSurroundings {
  readonly imageDigest: string;
  readonly confinement: JobContainer['confinement'];
  readonly warnings: JobContainer['warnings'];
  /** True if its runtime hides its files from the engine. */
  readonly isOpaque: boolean;
  /** The network that was created for it. */
  readonly ownNetwork: string | undefined;
  /** Milliseconds for the removal. */
  readonly stopMs: number;
  /** Seconds from the interrupt of an orphaned step to the container's end. */
  readonly orphanGraceSeconds: number;
}

/**
 * A running job container. Owns the network made for it and the main process's stream, on which its
 * life depends.
 */
export class DockerContainer implements JobContainer {
  readonly id: string;
  readonly imageDigest: string;
  readonly confinement: JobContainer['confinement'];
  readonly warnings: JobContainer['warnings'];
  readonly remove = untilDone(() => this.#remove());
  readonly #options: DockerContainerOptions;
  readonly #context: DockerStepContext;
  readonly #steps = new Set<DockerStep>();
  /**
   * Aborts when the removal begins: an unread stream would make the engine hang for the container.
   */
  readonly #removing = new AbortController();

  constructor(options: DockerContainerOptions) {
    this.id = options.id;
    this.imageDigest = options.imageDigest;
    this.confinement = options.confinement;
    this.warnings = options.warnings;
    this.#options = options;
    const ends = { ending: () => this.#ending(), loss: () => this.#loss() };
    this.#context = { ...options, oomKills: 0, environmentChanged: true, mayHaveBegun: false, ...ends };
  }

  get environmentFile(): string {
    return this.#options.environmentFile;
  }

  async start(step: StepSpec, output: OutputSink, signal: AbortSignal): Promise<DockerStep> {
    const either = AbortSignal.any([signal, this.#removing.signal]);
    either.throwIfAborted();
    this.#context.environmentChanged = true;
    const started = await startStep(this.#context, step, output, either);
    this.#steps.add(started);
    return started;
  }

  async readEnvironmentFile(signal: AbortSignal): Promise<string> {
    if (!this.#context.environmentChanged) return '';
    const { engine, environmentFile, isOpaque } = this.#options;
    try {
      return await (isOpaque ? readEnvironmentFileInside : readEnvironmentFile)(
        engine,
        this.id,
        environmentFile,
        signal,
      );
    } catch (error) {
      throw refusedWith(error, 404, 409) ? await this.#loss() : error;
    }
  }

  memory(signal: AbortSignal): Promise<number | undefined> {
    return this.#options.mainProcess.memory(signal);
  }

  async #remove(): Promise<void> {
    const { engine, mainProcess, ownNetwork, stopMs, orphanGraceSeconds } = this.#options;
    this.#removing.abort(this.#removedByUs());

    // A step that we lost sight of gets its time all the same.
    const mayRun = this.#context.mayHaveBegun || [...this.#steps].some((step) => step.needsInterrupt);
    if (mayRun) {
      mainProcess.close();
      await untilEnded(engine, this.id, orphanGraceSeconds * 1000 + ENDING_MS);
    }

    try {
      await removeWithNetwork(engine, this.id, ownNetwork, stopMs);
    } finally {
      // After the removal: the main process takes the end of its stdin for the agent's death. If
      // the removal failed, that still ends the container.
      mainProcess.close();
    }
  }

  async #loss(): Promise<ContainerLostError> {
    if (this.#removing.signal.aborted) return this.#removedByUs();
    const { engine, mainProcess } = this.#options;
    return (await endOf(engine, this.id, mainProcess)) ?? lost(this.id, UNASKED);
  }

  async #ending(): Promise<ContainerLostError | undefined> {
    const { engine, mainProcess } = this.#options;
    if (mainProcess.hasEnded) return this.#loss();
    return mainProcess.isStopping ? endOf(engine, this.id, mainProcess) : undefined;
  }

  #removedByUs(): ContainerLostError {
    return lost(this.id, ['the agent removed the container', 'The job was being stopped.']);
  }
}
