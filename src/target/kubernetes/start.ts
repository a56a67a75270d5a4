import { setTimeout as sleep } from 'node:timers/promises';
import type { CoreV1Event, V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import { oneLine } from '../one-line.ts';
import { ContainerError, ImageError } from '../target.ts';
import { type Cluster, patienceOf } from './cluster.ts';
import { eventsOf, eventText, jobStatus, readPod } from './look.ts';
import { JOB_CONTAINER } from './pod.ts';
import { formatSeconds } from './words.ts';

/** Milliseconds between two looks at the pod: at first, and once it takes long. */
const LOOK_MS = 100;
const LONG_LOOK_MS = 1_000;
const LONG_MS = 10_000;
/** Milliseconds for which an image may be refused before the job fails: kubelets try again, as a registry may recover. */
const IMAGE_PATIENCE_MS = 20_000;

export interface StartOptions {
  readonly cluster: Cluster;
  readonly pod: string;
  readonly progress: (line: string) => Promise<void>;
  readonly signal: AbortSignal;
  /** Milliseconds until the pod must run. */
  readonly timeoutMs: number;
  /** The lines that `progress` has had of the pod's events. */
  readonly told: Set<string>;
}

export interface StartedPod {
  readonly pod: V1Pod;
  /** The pod's status says it; else its events do, which a kubelet sends up to a second earlier. */
  readonly isStated: boolean;
}

/**
 * Waits until the job's container runs, by its status or, when `early`, by its events; each thing that happens to the pod goes to
 * `progress`. Throws ImageError or ContainerError with the pod's last events when it can't, or not within the time.
 */
export async function untilRunning(options: StartOptions, { early }: { early: boolean }): Promise<StartedPod> {
  const { cluster, pod: name, signal, timeoutMs } = options;
  const begun = performance.now();
  let refusedSince: number | undefined;
  for (;;) {
    const [pod, events] = await Promise.all([
      readPod(cluster, name, signal, patienceOf(signal)),
      eventsOf(cluster, name, signal),
    ]);
    await tell(options, events);
    const isStated = jobStatus(pod)?.state?.running !== undefined;
    if (isStated || (early && hasStarted(pod, events))) return { pod, isStated };
    const passed = performance.now() - begun;
    const waiting = pod.status?.containerStatuses?.find((each) => isRefused(each))?.state?.waiting;
    refusedSince = waiting === undefined ? undefined : (refusedSince ?? passed);
    const refusedMs = refusedSince === undefined ? 0 : passed - refusedSince;
    const over = await hopeless(options, pod, refusedMs);
    if (over !== undefined) throw over;
    if (passed >= timeoutMs) throw await notInTime(options, pod);
    await sleep(passed > LONG_MS ? LONG_LOOK_MS : LOOK_MS, undefined, { signal });
  }
}

/** A hook after the start belongs to the start, and is over only when the status says that the container runs. */
function hasStarted({ spec }: V1Pod, events: readonly CoreV1Event[]): boolean {
  const container = spec?.containers.find(({ name }) => name === JOB_CONTAINER);
  if (container?.lifecycle?.postStart !== undefined) return false;
  const path = `spec.containers{${JOB_CONTAINER}}`;
  return events.some(({ reason, involvedObject }) => reason === 'Started' && involvedObject.fieldPath === path);
}

async function tell({ progress, told }: StartOptions, events: readonly CoreV1Event[]): Promise<void> {
  for (const { reason = '', message = '' } of events) {
    const line = `${reason}: ${oneLine(message)}.`;
    if (told.has(line)) continue;
    told.add(line);
    await progress(line);
  }
}

const REFUSED = [
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
];

function isRefused({ state }: V1ContainerStatus): boolean {
  return REFUSED.includes(state?.waiting?.reason ?? '');
}

/** Why the pod will never run; undefined while it may. */
async function hopeless(
  { cluster, pod: name, signal }: StartOptions,
  pod: V1Pod,
  refusedMs: number,
): Promise<Error | undefined> {
  const events = () => eventsOf(cluster, name, signal).then(eventText);
  if (pod.metadata?.deletionTimestamp !== undefined) {
    return new ContainerError(
      `Failed to start pod ${name} for the job: somebody deleted it${await events()}. Look for a clean-up job, a drained node or an eviction.`,
    );
  }
  const terminated = jobStatus(pod)?.state?.terminated;
  if (terminated !== undefined || pod.status?.phase === 'Failed') {
    const { reason = pod.status?.reason ?? '', exitCode, message = pod.status?.message ?? '' } = terminated ?? {};
    return new ContainerError(
      `Failed to start pod ${name} for the job: it ended at once: ${oneLine(`${reason} ${exitCode === undefined ? '' : `(exit code ${exitCode})`} ${message}`)}${await events()}. Use an image with a POSIX shell; see kubectl describe pod.`,
    );
  }
  const waiting = pod.status?.containerStatuses?.find(isRefused)?.state?.waiting;
  const { reason = '', message = '' } = waiting ?? {};
  const image = jobStatus(pod)?.image ?? '';
  if (reason === 'InvalidImageName') {
    return new ImageError(
      `Failed to pull image ${image} for the job: "${image}" is not a valid image name. Correct it in the deployment settings.`,
    );
  }
  if (reason === 'ErrImageNeverPull') {
    return new ImageError(
      `Failed to find image ${image} for the job: it is not on the node, and the pull policy is Never. Load it there, or set image-pull-policy to IfNotPresent.`,
    );
  }
  if (!/Image/.test(reason)) {
    if (waiting === undefined || refusedMs < IMAGE_PATIENCE_MS) return undefined;
    return new ContainerError(
      `Failed to start pod ${name} for the job: ${reason}: ${oneLine(message)}${await events()}. See kubectl describe pod.`,
    );
  }
  if (refusedMs < IMAGE_PATIENCE_MS) return undefined;
  return new ImageError(
    `Failed to pull image ${image} for the job: ${oneLine(message) || reason}${await events()}. Check the image's name, and its registry's credentials in the deployment settings or as imagePullSecrets of the service account.`,
  );
}

async function notInTime({ cluster, pod: name, signal, timeoutMs }: StartOptions, pod: V1Pod): Promise<Error> {
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const events = eventText(await eventsOf(cluster, name, signal));
  const after = formatSeconds(timeoutMs);
  if (scheduled?.status === 'False') {
    return new ContainerError(
      `Failed to schedule pod ${name} for the job: no node took it within ${after}: ${oneLine(scheduled.message ?? scheduled.reason ?? '')}${events}. Add nodes, let the job ask for less, or correct node selector and tolerations in the pod template.`,
    );
  }
  return new ContainerError(
    `Failed to start pod ${name} for the job: it did not run within ${after}${events}. See kubectl describe pod, or raise pod-start-timeout.`,
  );
}
