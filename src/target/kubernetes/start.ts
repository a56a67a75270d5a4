import { setTimeout as sleep } from 'node:timers/promises';
import type { CoreV1Event, CoreV1EventList, V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import { oneLine } from '../one-line.ts';
import { ContainerError, ImageError } from '../target.ts';
import type { Cluster } from './cluster.ts';
import { refusedWith } from './errors.ts';
import { JOB_CONTAINER } from './pod.ts';
import { formatSeconds } from './words.ts';

/** Milliseconds between two looks at the pod: at first, and once it takes long. */
const LOOK_MS = 100;
const LONG_LOOK_MS = 1_000;
const LONG_MS = 10_000;
/** Milliseconds for which an image may be refused before the job fails: kubelets try again, as a registry may recover. */
const IMAGE_PATIENCE_MS = 20_000;
/** Events that are put into words for a failure. */
const LAST_EVENTS = 3;

export interface StartOptions {
  readonly cluster: Cluster;
  readonly pod: string;
  readonly progress: (line: string) => Promise<void>;
  readonly signal: AbortSignal;
  /** Milliseconds until the pod must run. */
  readonly timeoutMs: number;
}

/** Reads a pod. Throws ApiRefusedError 404 when there is none. */
export async function readPod(cluster: Cluster, name: string, signal: AbortSignal): Promise<V1Pod> {
  const namespace = await cluster.namespace();
  const subject = { verb: 'get', resource: 'pods', namespace, name } as const;
  return cluster.call({ subject, method: 'GET', path: `/api/v1/namespaces/${namespace}/pods/${name}`, signal });
}

/** The pod's events, oldest first. Empty where this account may not read them: they explain, and nothing depends on them. */
export async function eventsOf(cluster: Cluster, pod: string, signal: AbortSignal): Promise<CoreV1Event[]> {
  const namespace = await cluster.namespace();
  const subject = { verb: 'list', resource: 'events', namespace } as const;
  const query = { fieldSelector: `involvedObject.kind=Pod,involvedObject.name=${pod}` };
  try {
    const path = `/api/v1/namespaces/${namespace}/events`;
    const { items } = await cluster.call<CoreV1EventList>({ subject, method: 'GET', path, query, signal });
    const time = ({ lastTimestamp, eventTime }: CoreV1Event) => String(lastTimestamp ?? eventTime ?? '');
    return items.toSorted((a, b) => time(a).localeCompare(time(b)));
  } catch (error) {
    if (refusedWith(error, 403, 404)) return [];
    throw error;
  }
}

/** The last events as the end of a sentence: ` (FailedScheduling: 0/1 nodes are available …)`; empty without any. */
export function eventText(events: readonly CoreV1Event[]): string {
  const notable = events.filter(({ type }) => type !== 'Normal');
  const told = new Set(
    notable.slice(-LAST_EVENTS).map(({ reason = '', message = '' }) => `${reason}: ${oneLine(message)}`),
  );
  return told.size === 0 ? '' : ` (${[...told].join('; ')})`;
}

/** The status of the container that runs the job. */
export function jobStatus(pod: V1Pod): V1ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find(({ name }) => name === JOB_CONTAINER);
}

/** Milliseconds beyond a deletion's grace period for the kubelet to tell of the end. */
const OVERDUE_MS = 15_000;

/** True for a pod whose deletion should be over: its node doesn't answer. The API counts the grace period into the timestamp. */
export function isOverdue(pod: V1Pod, now = Date.now()): boolean {
  const deleted = pod.metadata?.deletionTimestamp;
  return deleted !== undefined && now > new Date(deleted).getTime() + OVERDUE_MS;
}

/**
 * Waits until the job's container runs; each thing that happens to the pod goes to `progress`. Throws ImageError or
 * ContainerError with the pod's last events when it can't, or not within the time.
 */
export async function untilRunning(options: StartOptions): Promise<V1Pod> {
  const { cluster, pod: name, signal, timeoutMs } = options;
  const begun = performance.now();
  const told = new Set<string>();
  let refusedSince: number | undefined;
  for (;;) {
    const pod = await readPod(cluster, name, signal);
    const status = jobStatus(pod);
    if (status?.state?.running !== undefined) {
      await tell(options, told);
      return pod;
    }
    const passed = performance.now() - begun;
    const waiting = pod.status?.containerStatuses?.find((each) => isRefused(each))?.state?.waiting;
    refusedSince = waiting === undefined ? undefined : (refusedSince ?? passed);
    const over = await hopeless(options, pod, {
      refusedMs: refusedSince === undefined ? 0 : passed - refusedSince,
      passed,
    });
    if (over !== undefined) throw over;
    if (passed >= timeoutMs) throw await notInTime(options, pod);
    if (passed > LOOK_MS * 5) await tell(options, told);
    await sleep(passed > LONG_MS ? LONG_LOOK_MS : LOOK_MS, undefined, { signal });
  }
}

async function tell({ cluster, pod, progress, signal }: StartOptions, told: Set<string>): Promise<void> {
  for (const { reason = '', message = '' } of await eventsOf(cluster, pod, signal)) {
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
  { refusedMs }: { refusedMs: number; passed: number },
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
