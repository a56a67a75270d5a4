import { randomBytes } from 'node:crypto';
import type { V1Pod } from '@kubernetes/client-node';
import { defined } from '../../../base/defined.ts';
import {
  ContainerError,
  type ContainerFile,
  type ContainerSpec,
  type JobContainer,
  type Logger,
} from '../../executor.ts';
import { ownPod } from '../agent-pod.ts';
import type { Cluster } from '../cluster.ts';
import { during, executorError, refusedWith } from '../errors.ts';
import { ControlChannel, PodLostError } from '../exec/control-channel.ts';
import { createObject, createPullSecret, removeSecret } from '../objects.ts';
import { type PodStepContext, runCode } from '../step/step.ts';
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
  const { settings, template, progress, signal, stopMs, logger } = options;

  // Named here, so that a pod can be removed even if its creation was never answered.
  const name = `pulumi-workflow-${randomBytes(6).toString('hex')}`;

  // Checked before any registry is asked. The full name, as a short one may mean something else to
  // a node.
  const spec = { ...options.spec, image: options.spec.policy?.(options.spec.image) ?? options.spec.image };
  const { credentials } = spec;
  const secret = credentials === undefined ? undefined : name;
  const keep = settings.debugPod === true;
  let control: ControlChannel | undefined;
  let isMade = false;

  try {
    if (credentials !== undefined) {
      await during(
        'create the pull secret',
        createPullSecret(cluster, name, { ...spec, credentials }, signal),
      );
    }

    const agentPod = await ownPod(cluster, settings.agentToken, logger, signal);
    const wanted = podFor(spec, { name, settings, ...defined({ pullSecret: secret, agentPod }) });
    const body = await template(wanted, signal);

    await during('create the pod', createObject(cluster, { kind: 'pods', body, signal }));
    isMade = true;
    await progress(`Created pod ${name} in namespace ${await cluster.namespace()}.`);

    const pod = await untilRunning(cluster, name, settings.podStartTimeoutMs, progress, signal);
    const confinement = confinementOf(pod, body);

    control = new ControlChannel({
      cluster,
      pod: name,
      leaseSeconds: settings.leaseSeconds ?? LEASE_SECONDS,
      orphanGraceSeconds: settings.orphanGraceSeconds ?? ORPHAN_GRACE_SECONDS,
      logger,
    });

    await control.open(signal);

    const node = pod.spec?.nodeName;
    await progress(`Runs on node ${node ?? '?'}.`);

    const context: PodStepContext = {
      cluster,
      pod: name,
      control,
      environmentFile: spec.environmentFile,
      variables: {},
      logger,
      oomKills: 0,
      state: undefined,
      loss: async () => new PodLostError('the pod is gone'),
    };

    await putFiles(context, spec.files, signal);

    const imageDigest = jobStatus(pod)?.imageID.replace(/^docker-pullable:\/\//, '') || spec.image;
    const loss = () => lossOf(cluster, name, node);

    return new PodContainer({ context, imageDigest, confinement, stopMs, keep, secret, loss });
  } catch (error) {
    // Asked before the pod is removed.
    const why = signal.aborted ? error : await whyLost(cluster, error, name);

    // The first error wins; a failed removal is only logged.
    const warn = (left: unknown) => logger('warning', String(left));

    if (keep && isMade && !refusedWith(error, 404)) {
      const namespace = await cluster.namespace();
      const command = (verb: string) => `kubectl ${verb} pod ${name} -n ${namespace}`;

      logger(
        'warning',
        `Pod ${name}, which failed to start, is kept for inspection: ${command('describe')}. Then remove it: ${command('delete')}.`,
      );

      // Its credentials are removed: the kubelet has had them.
      if (secret !== undefined) await removeSecret(cluster, secret).catch(warn);
    } else await removePodAndSecret(cluster, { pod: name, secret, ms: stopMs, graceSeconds: 0 }).catch(warn);

    control?.close();
    signal.throwIfAborted();
    throw executorError(why, 'start the pod');
  }
}

/** The confinement of the pod. Throws ContainerError if the RuntimeClass is another than wanted. */
function confinementOf({ spec: made }: V1Pod, { spec: wanted }: V1Pod): JobContainer['confinement'] {
  const runtime = made?.runtimeClassName;
  if (wanted?.runtimeClassName === undefined || wanted.runtimeClassName === runtime)
    return defined({ runtime });
  const message = `Failed to confine the job: its pod has the RuntimeClass ${runtime ?? 'of the cluster'}, not ${wanted.runtimeClassName}. Look for an admission webhook that changes pods, or correct container_runtime.`;
  throw new ContainerError(message, { code: 'PRA-CONTAINER-09' });
}

/** The error for a pod that went away before its first step; returns other errors unchanged. */
async function whyLost(cluster: Cluster, error: unknown, pod: string): Promise<unknown> {
  const isGone =
    error instanceof PodLostError || (refusedWith(error, 404) && /^pods\b/.test(error.subject.resource));
  const ending = isGone ? await endingOf(cluster, pod).catch(() => undefined) : undefined;
  if (ending === undefined) return error;
  const [[why, advice], events] = ending;
  const message = `Failed to start pod ${pod} for the job: ${why}${events}. ${advice}`;
  return new ContainerError(message, { code: 'PRA-K8S-15', cause: error });
}

/**
 * Puts files into the pod. The environment file moves to JOB_FOLDER if the image's user can't write
 * to its path.
 */
async function putFiles(
  context: PodStepContext,
  files: readonly ContainerFile[],
  signal: AbortSignal,
): Promise<void> {
  const put = async (name: string, some: readonly ContainerFile[]) => {
    const { code, output } = await runCode(context, { name, settings: fileSettings(some), signal });
    return code === 0 ? String(output).split('\n').slice(0, -1) : some.map(({ path }) => path);
  };

  const other = `${JOB_FOLDER}/environment`;
  let missing = await put('files', files);
  const environment = files.find(({ path }) => path === context.environmentFile);

  if (environment !== undefined && missing.includes(environment.path)) {
    const also = await put('environment', [{ ...environment, path: other }]);
    missing = [...missing.filter((path) => path !== environment.path), ...also];
    context.environmentFile = other;
    context.variables = { PULUMI_ENV_FILE: other };
  }

  if (missing.length > 0) {
    throw new ContainerError(
      `Failed to put file ${missing.join(', ')} into the pod for the job: it already exists, or its folder is not writable. Use an image whose user can write below ${JOB_FOLDER}.`,
      { code: 'PRA-K8S-20', fault: 'deployment' },
    );
  }
}
