import type { JobDefinition } from '../cloud/wire.ts';
import { messageOf } from '../outcome.ts';
import type { ContainerSettings, ContainerSpec, JobContainer, Target } from '../target/target.ts';
import type { JobEnvironment } from './environment.ts';

export interface OwnedContainerOptions {
  readonly target: Target;
  /** What the agent's settings say of the container. */
  readonly container?: ContainerSettings;
  readonly pullImage: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** Told what the user should know. */
  readonly notice: (message: string) => void;
}

/** What a job says of its container. */
interface WantedContainer {
  readonly image: string;
  readonly definition: Pick<JobDefinition, 'image' | 'os' | 'architecture'>;
  readonly environment: Pick<JobEnvironment, 'files' | 'environmentFile'>;
}

interface PreparationWatch {
  /** Takes each line of progress. */
  readonly progress: (line: string) => Promise<void>;
  /** Called while the container is being started, for work that would make the first output wait. */
  readonly whileStarting: () => void;
  /** Ends the preparation. */
  readonly signal: AbortSignal;
}

/** A job's one container, from its preparation to its removal: whatever becomes of the job, it is removed once. */
export class OwnedContainer {
  readonly #options: OwnedContainerOptions;
  #container: JobContainer | undefined;
  #removal: Promise<void> | undefined;

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

  /** Makes and starts it as the job wants it. Throws what the target throws, and then leaves nothing. */
  async prepare({ image, definition, environment }: WantedContainer, how: PreparationWatch): Promise<void> {
    const { target, container, pullImage: pull, labels } = this.#options;
    const { os, architecture } = definition;
    const { credentials } = definition.image;
    const { files, environmentFile } = environment;
    const spec: ContainerSpec = {
      ...container,
      image,
      ...(credentials === undefined ? {} : { credentials }),
      ...(os === undefined || architecture === undefined ? {} : { platform: `${os}/${architecture}` }),
      pull,
      labels,
      files,
      environmentFile,
      whileStarting: how.whileStarting,
    };
    this.#container = await target.prepare(spec, how.progress, how.signal);
  }

  /** What the steps left in the environment file; nothing when it can't be read, which is told unless `signal` aborted. */
  async environmentFile(signal: AbortSignal): Promise<string> {
    try {
      return (await this.#container?.readEnvironmentFile(signal)) ?? '';
    } catch (error) {
      if (!signal.aborted) this.#options.notice(messageOf(error));
      return '';
    }
  }

  /** Removes it, once however often it is called. Returns what to tell when something is left. Never throws. */
  async remove(): Promise<string | undefined> {
    if (this.#container === undefined) return undefined;
    this.#removal ??= this.#container.remove();
    try {
      await this.#removal;
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }
}
