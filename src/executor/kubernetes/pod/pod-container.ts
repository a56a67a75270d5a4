import { DeadlineError, within } from '../../../base/deadline.ts';
import { settleAll, untilDone } from '../../clean-up.ts';
import type { LastReport } from '../../container/step-report.ts';
import {
  ContainerError,
  ContainerLostError,
  type JobContainer,
  type Logger,
  type OutputSink,
  type StepProcess,
  type StepSpec,
} from '../../executor.ts';
import type { Cluster } from '../cluster.ts';
import type { ControlChannel } from '../exec/control-channel.ts';
import { removeSecret } from '../objects.ts';
import { type PodRemoval, removePod } from '../removal.ts';
import { PodStep, runCode, type StepPod } from '../step/step.ts';
import { exposureWarning, readSettings, stepSettings } from '../step/step-script.ts';
import { JOB_CONTAINER } from './pod.ts';

/** Grace period of a pod whose steps have ended. */
const REMOVAL_GRACE_SECONDS = 1;

/** The largest environment file. */
const ENVIRONMENT_BYTES = 1024 ** 2;

/** To read it: longer than a pod runs without its agent, and limited, as a step can make the file a FIFO. */
const READ_MS = 300_000;

export interface PodContainerOptions {
  readonly cluster: Cluster;
  readonly pod: string;
  readonly control: ControlChannel;
  readonly environmentFile: string;
  /** Variables that override every step's own. */
  readonly variables: Readonly<Record<string, string>>;
  readonly lastReport: LastReport;
  readonly imageDigest: string;
  readonly confinement: JobContainer['confinement'];
  /** For the removal. */
  readonly stopMs: number;
  readonly loss: () => Promise<Error>;
  /** The pull secret's name, if there is one. */
  readonly secret: string | undefined;
  /** Keeps the pod when the job is over, for inspection. */
  readonly keep: boolean;
  readonly logger: Logger;
}

/** A job's running pod. Owns the control channel, and with it the pod's life. */
export class PodContainer implements JobContainer {
  readonly id: string;
  readonly imageDigest: string;
  readonly environmentFile: string;
  readonly confinement: JobContainer['confinement'];
  /** The cluster decides how pods are confined, and doesn't report it. */
  readonly warnings = [];
  readonly remove = untilDone(() => this.#remove());
  readonly #options: PodContainerOptions;
  readonly #pod: StepPod;
  readonly #removing = new AbortController();
  #steps = 0;
  #step: PodStep | undefined;
  /** Whether the pod was reachable when its removal was first attempted. */
  #isInReach: boolean | undefined;

  constructor(options: PodContainerOptions) {
    const { cluster, pod, control, environmentFile, lastReport, logger } = options;
    this.id = pod;
    this.imageDigest = options.imageDigest;
    this.environmentFile = environmentFile;
    this.confinement = options.confinement;
    this.#options = options;
    const loss = () => this.#loss();
    this.#pod = { cluster, name: pod, control, environmentFile, lastReport, logger, loss };
  }

  async start(spec: StepSpec, sink: OutputSink, signal: AbortSignal): Promise<StepProcess> {
    const either = AbortSignal.any([signal, this.#removing.signal]);
    either.throwIfAborted();
    this.#pod.lastReport.forget();

    // Checked once: later steps have the same variables, plus some that steps add under names a
    // shell can export.
    const exposure = this.#steps === 0 ? exposureWarning(spec.environment) : undefined;
    if (exposure !== undefined) this.#options.logger('warning', exposure);
    this.#steps += 1;

    const settings = stepSettings({
      ...spec,
      environment: { ...spec.environment, ...this.#options.variables },
    });

    this.#step = new PodStep(this.#pod, { name: String(this.#steps), settings, signal: either }, sink);

    return this.#step;
  }

  async readEnvironmentFile(signal: AbortSignal): Promise<string> {
    const { lastReport, environmentFile: path } = this.#pod;
    const { environmentChanged } = lastReport;
    lastReport.forget();
    if (!environmentChanged) return '';

    const failed = (why: string) =>
      new ContainerError(`Failed to read the environment file for the next step: ${path}: ${why}`, {
        code: 'PRA-CONTAINER-06',
        fault: 'deployment',
      });

    const read = { name: `environment-${this.#steps}`, settings: readSettings(path, ENVIRONMENT_BYTES + 1) };
    const reading = within(READ_MS, signal, (inner) => runCode(this.#pod, { ...read, signal: inner }));

    const { code, output } = await reading.catch((error: unknown) => {
      throw error instanceof DeadlineError
        ? failed("it can't be read to its end. Only append lines to it.")
        : error;
    });

    lastReport.forget();
    if (code === 3) throw failed('it is not a regular file. Only append lines to it.');
    if (output.length > ENVIRONMENT_BYTES) throw failed('it has more than 1 MiB. Keep it under 1 MiB.');
    if (code !== 0) throw failed(`it can't be read (exit code ${code}). Only append lines to it.`);

    return output.toString('utf8');
  }

  memory(signal: AbortSignal): Promise<number | undefined> {
    return this.#options.control.memory(signal);
  }

  async #remove(): Promise<void> {
    const { cluster, pod, control, logger, keep, secret, stopMs: ms } = this.#options;

    this.#removing.abort(this.#removedByUs());

    if (keep) {
      const command = `kubectl exec -it ${pod} -c ${JOB_CONTAINER} -n ${await cluster.namespace()} -- sh`;
      logger('warning', `Pod ${pod} is kept for inspection: ${command}. It ends by itself.`);
      control.close();
      // The pod runs already, so nothing more is pulled.
      if (secret !== undefined) await removeSecret(cluster, secret);
      return;
    }

    this.#isInReach ??= !control.lost.aborted;
    control.close();

    // The pod itself must interrupt a step that still runs, so it gets its full grace period.
    const grace = this.#step?.needsInterrupt
      ? { isPatient: this.#isInReach }
      : { graceSeconds: REMOVAL_GRACE_SECONDS };
    await removePodAndSecret(cluster, pod, secret, { ms, ...grace });
  }

  async #loss(): Promise<Error> {
    return this.#removing.signal.aborted ? this.#removedByUs() : this.#options.loss();
  }

  #removedByUs(): ContainerLostError {
    return new ContainerLostError(
      `Failed to finish the step in pod ${this.id}: the agent removed the pod. The job was being stopped.`,
      { code: 'PRA-K8S-22' },
    );
  }
}

/**
 * Deletes a pod and its pull secret, each even if the other fails: credentials must not stay
 * because a pod does.
 */
export async function removePodAndSecret(
  cluster: Cluster,
  pod: string,
  secret: string | undefined,
  removal: PodRemoval,
): Promise<void> {
  await settleAll<unknown>([
    removePod(cluster, pod, removal),
    ...(secret === undefined ? [] : [removeSecret(cluster, secret)]),
  ]);
}
