import type { V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import { ContainerError, ImageError } from '../executor.ts';
import { oneLine } from '../one-line.ts';
import type { Cluster } from './cluster.ts';
import { deletedBySomebody, endedByCluster } from './ending.ts';
import { eventsOf, eventText, jobStatus, logEnd } from './look.ts';
import { JOB_CONTAINER } from './pod.ts';
import { formatSeconds, lookAt, lookInto } from './words.ts';

/** Milliseconds for which a container may be refused before the job fails: kubelets try again, as a registry may recover. */
const PATIENCE_MS = 20_000;

export interface FailureOptions {
  readonly cluster: Cluster;
  readonly pod: string;
  /** The pod stays when it fails. */
  readonly kept: boolean;
  readonly signal: AbortSignal;
}

/** What kubelets say of a container that they can't start, in its `waiting.reason` (Kubernetes 1.33). */
const REFUSED = [
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
  'CreateContainerConfigError',
  'CreateContainerError',
  'PreCreateHookError',
  'PreStartHookError',
  'RunContainerError',
  'CrashLoopBackOff',
];
/** Those of them that are about its image. */
const IMAGE = /Image|^Registry|^Signature/;

/** A container that its kubelet can't start: the first in the order of their start, the job's own before its neighbours. */
export function refusedContainer(pod: V1Pod): V1ContainerStatus | undefined {
  const { initContainerStatuses: first = [], containerStatuses: rest = [] } = pod.status ?? {};
  const isJobs = ({ name }: V1ContainerStatus) => name === JOB_CONTAINER;
  const inOrder = [...first, ...rest.filter(isJobs), ...rest.filter((each) => !isJobs(each))];
  return inOrder.find(({ state }) => REFUSED.includes(state?.waiting?.reason ?? ''));
}

/** Why the pod will never run; undefined while it may. `refusedMs`: for how long its refused container has been that. */
export async function hopeless(
  options: FailureOptions,
  pod: V1Pod,
  { refused, refusedMs }: { refused: V1ContainerStatus | undefined; refusedMs: number },
): Promise<Error | undefined> {
  if (pod.metadata?.deletionTimestamp !== undefined) return deleted(options, pod);
  if (pod.status?.phase === 'Failed' || jobStatus(pod)?.state?.terminated !== undefined) return ended(options, pod);
  if (refused === undefined) return undefined;
  const reason = refused.state?.waiting?.reason ?? '';
  if (reason === 'InvalidImageName' || reason === 'ErrImageNeverPull' || refusedMs >= PATIENCE_MS) {
    return IMAGE.test(reason) ? unusableImage(options, pod, refused) : unstartable(options, pod, refused);
  }
  return undefined;
}

async function deleted(options: FailureOptions, pod: V1Pod): Promise<ContainerError> {
  const [why, advice] = endedByCluster(pod) ?? deletedBySomebody('is being');
  return failed(options, `${why}${await eventsFor(options)}. ${advice}`);
}

/** Of a pod that has not run in its time. */
export async function notInTime(options: FailureOptions, pod: V1Pod, timeoutMs: number): Promise<ContainerError> {
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const events = await eventsFor(options);
  const after = formatSeconds(timeoutMs);
  if (scheduled?.status === 'False') {
    return new ContainerError(
      `Failed to schedule pod ${options.pod} for the job: no node took it within ${after}: ${oneLine(scheduled.message ?? scheduled.reason ?? '')}${events}. Add nodes, let the job ask for less, or correct node selector and tolerations in the pod template.`,
    );
  }
  const place = await placeOf(options);
  const init = unfinished(pod);
  const [why, look] =
    init === undefined ? ['', lookAt(place)] : [`: init container ${init} has not ended`, lookInto(init, place)];
  return failed(
    options,
    `it did not run within ${after}${why}${events}. Raise pod-start-timeout if it takes so long. ${look}`,
  );
}

/** The init container that keeps the others waiting. One that is always restarted is meant to run on. */
function unfinished({ spec, status }: V1Pod): string | undefined {
  const isMeantTo = (init: string) =>
    spec?.initContainers?.some(({ name, restartPolicy }) => name === init && restartPolicy === 'Always') ?? false;
  return status?.initContainerStatuses?.find(({ name, state }) => state?.running !== undefined && !isMeantTo(name))
    ?.name;
}

async function ended(options: FailureOptions, pod: V1Pod): Promise<ContainerError> {
  const { reason, message } = pod.status ?? {};
  const events = await eventsFor(options);
  const place = await placeOf(options);
  const init = pod.status?.initContainerStatuses?.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
  const byCluster = endedByCluster(pod);
  if (byCluster !== undefined) return failed(options, `${byCluster[0]}${events}. ${byCluster[1]}`);
  if (init !== undefined) {
    const how = await exitOf(options, init, init.state?.terminated);
    return failed(
      options,
      `init container ${init.name} ended with ${how}${events}. Correct it in the pod template. ${lookInto(init.name, place)}`,
    );
  }
  const job = jobStatus(pod);
  if (job?.state?.terminated !== undefined) {
    const how = await exitOf(options, job, job.state.terminated);
    return failed(options, `it ended at once: ${how}${events}. Use an image with a POSIX shell. ${lookAt(place)}`);
  }
  return failed(
    options,
    `it ended at once: ${oneLine(`${reason ?? 'Failed'}: ${message ?? ''}`)}${events}. ${lookAt(place)}`,
  );
}

async function unstartable(options: FailureOptions, pod: V1Pod, status: V1ContainerStatus): Promise<ContainerError> {
  const { reason = '', message = '' } = status.state?.waiting ?? {};
  const label = labelOf(pod, status);
  const events = await eventsFor(options);
  const place = await placeOf(options);
  const last = status.lastState?.terminated;
  if (reason === 'CrashLoopBackOff' && last !== undefined) {
    const how = await exitOf(options, status, last);
    return failed(
      options,
      `${label} ends again and again, the last time with ${how}${events}. Correct it in the pod template. ${lookInto(status.name, place)}`,
    );
  }
  return failed(options, `${label}: ${reason}: ${oneLine(message)}${events}. ${lookAt(place)}`);
}

async function unusableImage(options: FailureOptions, pod: V1Pod, status: V1ContainerStatus): Promise<ImageError> {
  const { image } = status;
  const { reason = '', message = '' } = status.state?.waiting ?? {};
  const isJobs = status.name === JOB_CONTAINER;
  const of = isJobs ? '' : ` of ${labelOf(pod, status)}`;
  if (reason === 'InvalidImageName') {
    return new ImageError(
      `Failed to pull image ${image}${of} for the job: "${image}" is not a valid image name. Correct it in the ${isJobs ? 'deployment settings' : 'pod template'}.`,
    );
  }
  if (reason === 'ErrImageNeverPull') {
    return new ImageError(
      `Failed to find image ${image}${of} for the job: it is not on the node, and the pull policy is Never. Load it there, or set ${isJobs ? 'image-pull-policy' : 'imagePullPolicy in the pod template'} to IfNotPresent.`,
    );
  }
  const where = isJobs ? 'in the deployment settings or as' : 'as';
  return new ImageError(
    `Failed to pull image ${image}${of} for the job: ${oneLine(message) || reason}${await eventsFor(options)}. Check the image's name, and its registry's credentials ${where} imagePullSecrets of the service account.`,
  );
}

/** `exit code 3: what the container, or the end of its log, says`. */
async function exitOf(
  { cluster, pod, signal }: FailureOptions,
  { name }: V1ContainerStatus,
  terminated: NonNullable<V1ContainerStatus['state']>['terminated'],
): Promise<string> {
  const { exitCode, reason = '', message = '' } = terminated ?? {};
  const how = `exit code ${exitCode}${/^(Error|Completed)?$/.test(reason) ? '' : ` (${reason})`}`;
  const said = message.trim() === '' ? await logEnd(cluster, { pod, container: name, signal }) : message;
  return said === undefined ? how : `${how}: ${oneLine(said)}`;
}

function labelOf(pod: V1Pod, { name }: V1ContainerStatus): string {
  const isInit = pod.status?.initContainerStatuses?.some((each) => each.name === name) ?? false;
  return `${isInit ? 'init container' : 'container'} ${name}`;
}

function failed({ pod }: FailureOptions, why: string): ContainerError {
  return new ContainerError(`Failed to start pod ${pod} for the job: ${why}`);
}

async function eventsFor({ cluster, pod, signal }: FailureOptions): Promise<string> {
  return eventText(await eventsOf(cluster, pod, signal));
}

async function placeOf({ cluster, pod, kept }: FailureOptions) {
  return { pod, namespace: await cluster.namespace(), kept };
}
