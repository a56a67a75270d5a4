import { untilDone } from '../../clean-up.ts';
import { LastReport } from '../../container/step-report.ts';
import type { ContainerLostError, JobContainer, Logger, OutputSink, StepSpec } from '../../executor.ts';
import type { DockerEngine } from '../engine/engine.ts';
import { refusedWith } from '../engine/errors.ts';
import { repeated } from '../engine/repeat.ts';
import { startStep } from '../step/start-step.ts';
import { AWAY, type DockerStep, type StepContainer } from '../step/step.ts';
import { endOf, lost, UNASKED } from './ending.ts';
import { readEnvironmentFile, readEnvironmentFileInside } from './files.ts';
import type { MainProcess } from './main-process.ts';
import { removeWithNetwork, untilEnded } from './removal.ts';

/** The time that the engine takes at most to end a container after its main process. */
const ENDING_MS = 2_000;

/** The times of a container's life that tests set. */
export interface ContainerTimes {
  /** For the removal of the container, and as long for that of its network. */
  readonly stopMs: number;
  /** As in StepContainer. */
  readonly silenceMs: number;
  readonly keepAliveMs: number;
  /** From the interrupt of an orphaned step to the container's end. */
  readonly orphanGraceSeconds: number;
}

export interface DockerContainerOptions {
  readonly engine: DockerEngine;
  readonly id: string;
  readonly mainProcess: MainProcess;
  readonly imageDigest: string;
  readonly environmentFile: string;
  readonly confinement: JobContainer['confinement'];
  readonly warnings: JobContainer['warnings'];
  /** True if its runtime hides its files from the engine. */
  readonly isOpaque: boolean;
  /** The network that was created for it. */
  readonly ownNetwork: string | undefined;
  readonly times: ContainerTimes;
  readonly logger: Logger;
}

/**
 * A running job container. Owns the network made for it and the main process's stream, on which its
 * life depends.
 */
export class DockerContainer implements JobContainer {
  readonly id: string;
  readonly imageDigest: string;
  readonly environmentFile: string;
  readonly confinement: JobContainer['confinement'];
  readonly warnings: JobContainer['warnings'];
  readonly remove = untilDone(() => this.#remove());
  readonly #options: DockerContainerOptions;
  readonly #steps = new Set<DockerStep>();
  readonly #lastReport = new LastReport();
  /** True if a step can have begun that was given up, as its start was not answered. */
  #hasLostStep = false;
  /**
   * Aborts when the removal begins: an unread stream would make the engine hang for the container.
   */
  readonly #removing = new AbortController();

  constructor(options: DockerContainerOptions) {
    this.id = options.id;
    this.imageDigest = options.imageDigest;
    this.environmentFile = options.environmentFile;
    this.confinement = options.confinement;
    this.warnings = options.warnings;
    this.#options = options;
  }

  async start(step: StepSpec, output: OutputSink, signal: AbortSignal): Promise<DockerStep> {
    const either = AbortSignal.any([signal, this.#removing.signal]);
    either.throwIfAborted();
    this.#lastReport.forget();
    const started = await startStep(this.#forSteps(), step, output, either);
    this.#steps.add(started);
    return started;
  }

  async readEnvironmentFile(signal: AbortSignal): Promise<string> {
    if (!this.#lastReport.environmentChanged) return '';
    const { engine, mainProcess, isOpaque, times } = this.#options;
    const read = isOpaque ? readEnvironmentFileInside : readEnvironmentFile;
    try {
      return await repeated(() => read(engine, this.id, this.environmentFile, signal), {
        ms: AWAY * times.silenceMs,
        isOver: () => mainProcess.hasEnded,
        signal,
      });
    } catch (error) {
      throw refusedWith(error, 404, 409) ? await this.#loss() : error;
    }
  }

  memory(signal: AbortSignal): Promise<number | undefined> {
    return this.#options.mainProcess.memory(signal);
  }

  #forSteps(): StepContainer {
    const { engine, mainProcess, logger, times } = this.#options;
    return {
      engine,
      id: this.id,
      environmentFile: this.environmentFile,
      mainProcess,
      silenceMs: times.silenceMs,
      keepAliveMs: times.keepAliveMs,
      logger,
      lastReport: this.#lastReport,
      noteUnansweredStart: () => {
        this.#hasLostStep = true;
      },
      ending: () => this.#ending(),
      loss: () => this.#loss(),
    };
  }

  async #remove(): Promise<void> {
    const { engine, mainProcess, ownNetwork, times } = this.#options;
    this.#removing.abort(this.#removedByUs());

    // A step that we lost sight of gets its time all the same.
    const mayRun = this.#hasLostStep || [...this.#steps].some((step) => step.needsInterrupt);
    if (mayRun) {
      mainProcess.close();
      await untilEnded(engine, this.id, times.orphanGraceSeconds * 1000 + ENDING_MS);
    }

    try {
      await removeWithNetwork(engine, this.id, ownNetwork, times.stopMs);
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
