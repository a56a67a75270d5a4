import type { CoreV1Event, CoreV1EventList, V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import { defined } from '../../../defined.ts';
import { oneLine } from '../../one-line.ts';
import type { Cluster } from '../cluster.ts';
import { refusedWith } from '../errors.ts';
import { JOB_CONTAINER } from './pod.ts';

/** Milliseconds to look whether a pod still runs. */
const LOOK_MS = 10_000;
/** Events that are put into words for a failure. */
const LAST_EVENTS = 3;
/** Normal events that an end has: the scheduler's, the taint manager's and the kubelet's. */
const ENDS = ['Preempted', 'TaintManagerEviction', 'DeadlineExceeded'];

/** Reads a pod, again while the API server is away if there is a `retry`. Throws ApiRefusedError 404 when there is none. */
export function readPod(cluster: Cluster, name: string, signal: AbortSignal, retry?: AbortSignal): Promise<V1Pod> {
  return cluster.call({ verb: 'get', resource: 'pods', name, signal, ...defined({ retry }) });
}

/** Reads a pod; undefined when there is none. */
export async function findPod(cluster: Cluster, name: string, signal: AbortSignal): Promise<V1Pod | undefined> {
  try {
    return await readPod(cluster, name, signal);
  } catch (error) {
    if (refusedWith(error, 404)) return undefined;
    throw error;
  }
}

/** The pod's events, oldest first. Empty where they can't be had: they explain, and nothing depends on them. */
export async function eventsOf(cluster: Cluster, pod: string, signal: AbortSignal): Promise<CoreV1Event[]> {
  const query = { fieldSelector: `involvedObject.kind=Pod,involvedObject.name=${pod}` };
  try {
    const { items } = await cluster.call<CoreV1EventList>({ verb: 'list', resource: 'events', query, signal });
    const time = ({ lastTimestamp, eventTime }: CoreV1Event) => String(lastTimestamp ?? eventTime ?? '');
    return items.toSorted((a, b) => time(a).localeCompare(time(b)));
  } catch {
    signal.throwIfAborted();
    return [];
  }
}

/** The last notable events as the end of a sentence: ` (FailedScheduling: 0/1 nodes are available …)`; empty without any. */
export function eventText(events: readonly CoreV1Event[]): string {
  const notable = events.filter(({ type, reason = '' }) => type !== 'Normal' || ENDS.includes(reason));
  const texts = new Set(
    notable.slice(-LAST_EVENTS).map(({ reason = '', message = '' }) => `${reason}: ${oneLine(message)}`),
  );
  return texts.size === 0 ? '' : ` (${[...texts].join('; ')})`;
}

/** True when a kubelet has set about ending the job's container. */
export function isBeingKilled(events: readonly CoreV1Event[]): boolean {
  const path = `spec.containers{${JOB_CONTAINER}}`;
  return events.some(({ reason, involvedObject }) => reason === 'Killing' && involvedObject.fieldPath === path);
}

/** The status of the container that runs the job. */
export function jobStatus(pod: V1Pod): V1ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find(({ name }) => name === JOB_CONTAINER);
}

/** True when the job's container has ended, and nothing of the job can run any more. A container that runs may not be stated yet. */
export function isOver(pod: V1Pod): boolean {
  return jobStatus(pod)?.state?.terminated !== undefined || /^(Failed|Succeeded)$/.test(pod.status?.phase ?? '');
}

/** True while the pod is there and its container runs, as the API server knows it: a node that is gone leaves its pods as they were last seen. */
export async function isAlive(cluster: Cluster, name: string): Promise<boolean> {
  const pod = await findPod(cluster, name, AbortSignal.timeout(LOOK_MS));
  return pod !== undefined && !isOver(pod);
}

/** True when the pod is gone, over, or about to be. Of a kubelet that ends it an event tells before the status does. */
export async function isEnding(cluster: Cluster, name: string): Promise<boolean> {
  const signal = AbortSignal.timeout(LOOK_MS);
  const pod = await findPod(cluster, name, signal);
  if (pod === undefined || isOver(pod) || pod.metadata?.deletionTimestamp !== undefined) return true;
  return isBeingKilled(await eventsOf(cluster, name, signal));
}
