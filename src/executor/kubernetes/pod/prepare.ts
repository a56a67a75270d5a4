import { randomBytes } from 'node:crypto';
import type { V1Pod } from '@kubernetes/client-node';
import { firstFailure } from '../../clean-up.ts';
import { LastReport } from '../../container/step-report.ts';
import {
  ContainerError,
  type ContainerFile,
  type ContainerSpec,
  type JobContainer,
  type Logger,
} from '../../executor.ts';
import { ownPod } from '../agent-pod.ts';
import type { Cluster } from '../cluster.ts';
import { during, executorError, isNotFound } from '../errors.ts';
import { ControlChannel, PodLostError } from '../exec/control-channel.ts';
import { createObject, createPullSecret, removeSecret } from '../objects.ts';
import { runCode } from '../step/step.ts';
import { fileSettings } from '../step/step-script.ts';
import { endingOf, lossOf } from './loss.ts';
import { JOB_FOLDER, type PodSettings, podFor } from './pod.ts';
import { PodContainer, removePodAndSecret } from './pod-container.ts';
import { LEASE_SECONDS, ORPHAN_GRACE_SECONDS } from './pod-scripts.ts';
import { untilRunning } from './start.ts';
import { jobStatus } from './status.ts';

export interface PodPrepareOptions {
  readonly spec: ContainerSpec;
  readonly settings: PodSettings;
  /** Merges the platform team's template over a pod. */
  readonly template: (pod: V1Pod, signal: AbortSignal) => Promise<V1Pod>;
  readonly progress: (line: string) => Promise<void>;
  readonly signal: AbortSignal;
  readonly stopMs: number;
  readonly logger: Logger;
}

/**
 * Creates a job's pod and waits until it can run steps. On failure or abort, leaves nothing but a
 * pod to keep.
 */
export async function preparePod(cluster: Cluster, options: PodPrepareOptions): Promise<JobContainer> {
  return await new Preparation(cluster, options).run();
}

/** The stages from a specification to a pod that can run steps. If one fails, the remains of those before it are removed. */
class Preparation {
  /** Also the pull secret's: we choose it, so that a pod can be removed even if its creation was never answered. */
  readonly #name = `pulumi-workflow-${randomBytes(6).toString('hex')}`;
  readonly #cluster: Cluster;
  readonly #options: PodPrepareOptions;
  readonly #spec: ContainerSpec;
  readonly #secret: string | undefined;
  readonly #undo = new AsyncDisposableStack();
  /** Closed after the pod's removal. */
  readonly #connection = this.#undo.use(new DisposableStack());
  #isCreated = false;
  #isKept = false;

  constructor(cluster: Cluster, options: PodPrepareOptions) {
    const { spec } = options;
    this.#cluster = cluster;
    this.#options = options;
    // Checked before any registry is asked. The full name, as a short one can mean something else to
    // a node.
    this.#spec = { ...spec, image: spec.policy?.(spec.image) ?? spec.image };
    this.#secret = spec.credentials === undefined ? undefined : this.#name;
    this.#undo.defer(() => this.#remove());
  }

  async run(): Promise<PodContainer> {
    const { settings, stopMs, logger } = this.#options;
    try {
      await this.#createSecret();
      const body = await this.#createPod();
      const pod = await this.#untilRunning();
      const confinement = confinementOf(pod, body);
      const control = await this.#enter();
      const node = pod.spec?.nodeName;
      await this.#options.progress(`Runs on node ${node ?? '?'}.`);

      const lastReport = new LastReport();
      const { environmentFile, variables } = await this.#putFiles(control, lastReport);

      return new PodContainer({
        cluster: this.#cluster,
        pod: this.#name,
        control,
        environmentFile,
        variables,
        lastReport,
        imageDigest: jobStatus(pod)?.imageID.replace(/^docker-pullable:\/\//, '') || this.#spec.image,
        confinement,
        stopMs,
        loss: () => lossOf(this.#cluster, this.#name, node),
        secret: this.#secret,
        keep: settings.debugPod === true,
        logger,
      });
    } catch (error) {
      throw await this.#fail(error);
    }
  }

  async #createSecret(): Promise<void> {
    const { image, labels, credentials } = this.#spec;
    if (credentials === undefined) return;
    await during(
      'create the pull secret',
      createPullSecret(this.#cluster, this.#name, { image, labels, credentials }, this.#options.signal),
    );
  }

  /** Creates the pod, and returns it as requested. */
  async #createPod(): Promise<V1Pod> {
    const { settings, template, progress, signal, logger } = this.#options;
    const cluster = this.#cluster;
    const name = this.#name;

    const agentPod = await ownPod(cluster, settings.agentToken, logger, signal);
    const pod = podFor(this.#spec, { name, settings, pullSecret: this.#secret, agentPod });
    const body = await template(pod, signal);

    await during('create the pod', createObject(cluster, { kind: 'pods', body, signal }));
    this.#isCreated = true;
    await progress(`Created pod ${name} in namespace ${await cluster.namespace()}.`);
    return body;
  }

  #untilRunning(): Promise<V1Pod> {
    const { settings, progress, signal } = this.#options;
    return untilRunning(this.#cluster, this.#name, settings.podStartTimeoutMs, progress, signal);
  }

  /** Opens the control channel. */
  async #enter(): Promise<ControlChannel> {
    const { settings, logger, signal } = this.#options;
    const control = new ControlChannel({
      cluster: this.#cluster,
      pod: this.#name,
      leaseSeconds: settings.leaseSeconds ?? LEASE_SECONDS,
      orphanGraceSeconds: settings.orphanGraceSeconds ?? ORPHAN_GRACE_SECONDS,
      logger,
    });
    this.#connection.defer(() => control.close());
    await control.open(signal);
    return control;
  }

  /**
   * Puts files into the pod. The environment file moves to JOB_FOLDER if the image's user can't write
   * to its path; returns where it is, and the variables that then tell steps.
   */
  async #putFiles(
    control: ControlChannel,
    lastReport: LastReport,
  ): Promise<{ environmentFile: string; variables: Readonly<Record<string, string>> }> {
    const { logger, signal } = this.#options;
    const { files, environmentFile } = this.#spec;
    const loss = async () => new PodLostError('the pod is gone');
    const pod = {
      cluster: this.#cluster,
      name: this.#name,
      control,
      environmentFile,
      lastReport,
      logger,
      loss,
    };

    /** Returns the paths of those that it could not put there. */
    const put = async (name: string, some: readonly ContainerFile[]) => {
      const { code, output } = await runCode(pod, { name, settings: fileSettings(some), signal });
      return code === 0 ? String(output).split('\n').slice(0, -1) : some.map(({ path }) => path);
    };

    const missing = await put('files', files);
    const environment = files.find(({ path }) => path === environmentFile);
    if (environment === undefined || !missing.includes(environmentFile)) {
      if (missing.length > 0) throw missingFiles(missing);
      return { environmentFile, variables: {} };
    }

    const other = `${JOB_FOLDER}/environment`;
    const still = await put('environment', [{ ...environment, path: other }]);
    const others = [...missing.filter((path) => path !== environmentFile), ...still];
    if (others.length > 0) throw missingFiles(others);
    return { environmentFile: other, variables: { PULUMI_ENV_FILE: other } };
  }

  /** Cleans up after `error`, which wins over a failure to. Returns the error to throw. */
  async #fail(error: unknown): Promise<unknown> {
    const { settings, signal, logger } = this.#options;
    const cluster = this.#cluster;
    const name = this.#name;

    // Asked before the pod is removed.
    const why = signal.aborted ? error : await whyLost(cluster, error, name);

    this.#isKept = settings.debugPod === true && this.#isCreated && !isNotFound(error);
    if (this.#isKept) {
      const namespace = await cluster.namespace();
      const command = (verb: string) => `kubectl ${verb} pod ${name} -n ${namespace}`;

      logger(
        'warning',
        `Pod ${name}, which failed to start, is kept for inspection: ${command('describe')}. Then remove it: ${command('delete')}.`,
      );
    }

    await this.#undo.disposeAsync().catch((failure) => logger('warning', String(firstFailure(failure))));
    return signal.aborted ? signal.reason : executorError(why, 'start the pod');
  }

  /** Removes the remains of the stages. */
  async #remove(): Promise<void> {
    const secret = this.#secret;
    if (!this.#isKept) {
      const removal = { ms: this.#options.stopMs, graceSeconds: 0 };
      await removePodAndSecret(this.#cluster, this.#name, secret, removal);
    } else if (secret !== undefined) {
      // The kubelet of the kept pod has had its credentials.
      await removeSecret(this.#cluster, secret);
    }
  }
}

/** The confinement of the pod. Throws ContainerError if the RuntimeClass is another than wanted. */
function confinementOf(pod: V1Pod, request: V1Pod): JobContainer['confinement'] {
  const runtime = pod.spec?.runtimeClassName;
  const configured = request.spec?.runtimeClassName;
  if (configured === undefined || configured === runtime) return { runtime };
  const message = `Failed to confine the job: its pod has the RuntimeClass ${runtime ?? 'of the cluster'}, not ${configured}. Look for an admission webhook that changes pods, or correct container_runtime.`;
  throw new ContainerError(message, { code: 'PRA-CONTAINER-09' });
}

/** The error for a pod that went away before its first step; returns other errors unchanged. */
async function whyLost(cluster: Cluster, error: unknown, pod: string): Promise<unknown> {
  const isGone =
    error instanceof PodLostError || (isNotFound(error) && /^pods\b/.test(error.subject.resource));
  const ending = isGone ? await endingOf(cluster, pod).catch(() => undefined) : undefined;
  if (ending === undefined) return error;
  const [[why, advice], events] = ending;
  const message = `Failed to start pod ${pod} for the job: ${why}${events}. ${advice}`;
  return new ContainerError(message, { code: 'PRA-K8S-15', cause: error });
}

function missingFiles(paths: readonly string[]): ContainerError {
  return new ContainerError(
    `Failed to put file ${paths.join(', ')} into the pod for the job: it already exists, or its folder is not writable. Use an image whose user can write below ${JOB_FOLDER}.`,
    { code: 'PRA-K8S-20', fault: 'deployment' },
  );
}
