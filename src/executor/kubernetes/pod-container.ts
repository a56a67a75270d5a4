import {
  ContainerLostError,
  type JobContainer,
  type OutputSink,
  type StepProcess,
  type StepSpec,
} from '../executor.ts';
import { ControlLostError } from './control.ts';
import { readEnvironmentFile } from './environment-file.ts';
import type { PodImage } from './image.ts';
import { removeSecret } from './pull-secret.ts';
import { removePodAndSecret } from './removal.ts';
import { Step } from './step.ts';
import type { PodContext } from './step-context.ts';
import { exposureWarning } from './step-settings.ts';
import { keptForALook } from './words.ts';

/** Seconds for a pod whose steps have ended. */
const REMOVAL_GRACE_SECONDS = 1;

export interface PodContainerOptions {
  readonly context: Omit<PodContext, 'loss'>;
  readonly image: PodImage;
  /** Milliseconds that the removal may take. */
  readonly stopMs: number;
  readonly loss: () => Promise<Error>;
  /** A pull secret that doesn't go with the pod; any, where the pod stays. */
  readonly secret?: string;
  /** The pod stays when the job is over, for somebody to look into it. */
  readonly keep: boolean;
}

/** A job's running pod. Owns the stream into it, and with it the pod's life. */
export class PodContainer implements JobContainer {
  readonly id: string;
  readonly #options: PodContainerOptions;
  readonly #context: PodContext;
  readonly #removing = new AbortController();
  readonly #removed = new AbortController();
  #steps = 0;
  #step: Step | undefined;
  #removal: Promise<void> | undefined;
  /** The pod was within reach when its removal was first tried. */
  #isInReach: boolean | undefined;

  constructor(options: PodContainerOptions) {
    this.id = options.context.pod;
    this.#options = options;
    this.#context = Object.assign(options.context, { loss: () => this.#loss() });
    void options.image.learn(options.context.cluster, this.id, this.#removed.signal);
  }

  get imageDigest(): string {
    return this.#options.image.digest;
  }

  async start(spec: StepSpec, sink: OutputSink, signal: AbortSignal): Promise<StepProcess> {
    const either = AbortSignal.any([signal, this.#removing.signal]);
    either.throwIfAborted();
    this.#context.state = undefined;
    // A job's variables are the same in each of its steps, but for those that shells themselves have named.
    const exposure = this.#steps === 0 ? exposureWarning(spec) : undefined;
    if (exposure !== undefined) this.#context.logger('warning', exposure);
    this.#steps += 1;
    this.#step = new Step(this.#context, { name: String(this.#steps), spec, sink, signal: either });
    return this.#step;
  }

  async readEnvironmentFile(signal: AbortSignal): Promise<string> {
    const { control, environmentFile } = this.#context;
    const known = this.#context.state;
    this.#context.state = undefined;
    try {
      const { environmentChanged } = known ?? (await control.state(environmentFile, signal));
      return environmentChanged ? await readEnvironmentFile(this.#context, signal) : '';
    } catch (error) {
      throw error instanceof ControlLostError ? await this.#loss() : error;
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
    const { cluster, pod, control, logger } = this.#context;
    this.#removing.abort(this.#removedByUs());
    if (this.#options.keep) {
      logger('warning', keptForALook({ pod, namespace: await cluster.namespace() }));
      this.#removed.abort();
      control.close();
      // It runs: nothing is pulled any more.
      if (this.#options.secret !== undefined) await removeSecret(cluster, this.#options.secret);
      return;
    }
    control.expectEnd();
    this.#isInReach ??= !control.lost.aborted;
    // An engine that no interrupt has reached, or that is busy with one, is the pod's own to end in order.
    const grace = this.#step?.needsInterrupt ? { isPatient: this.#isInReach } : { graceSeconds: REMOVAL_GRACE_SECONDS };
    try {
      const { secret, stopMs: ms } = this.#options;
      await removePodAndSecret(cluster, { pod, secret, ms, ...grace });
    } finally {
      this.#removed.abort();
      control.close();
    }
  }

  async #loss(): Promise<Error> {
    return this.#removing.signal.aborted ? this.#removedByUs() : this.#options.loss();
  }

  #removedByUs(): ContainerLostError {
    return new ContainerLostError(
      `Failed to finish the step in pod ${this.id}: the agent removed the pod. The job was being stopped.`,
    );
  }
}
