import type { CoreV1Event, CoreV1EventList, V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import { oneLine } from '../one-line.ts';
import type { Cluster, Patience } from './cluster.ts';
import { refusedWith } from './errors.ts';
import { JOB_CONTAINER } from './pod.ts';

/** Events that are put into words for a failure. */
const LAST_EVENTS = 3;

/** Reads a pod. Throws ApiRefusedError 404 when there is none. */
export async function readPod(
  cluster: Cluster,
  name: string,
  signal: AbortSignal,
  patience?: Patience,
): Promise<V1Pod> {
  const namespace = await cluster.namespace();
  const subject = { verb: 'get', resource: 'pods', namespace, name } as const;
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  return cluster.call({ subject, method: 'GET', path, signal, ...(patience && { patience }) });
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
  const namespace = await cluster.namespace();
  const subject = { verb: 'list', resource: 'events', namespace } as const;
  const query = { fieldSelector: `involvedObject.kind=Pod,involvedObject.name=${pod}` };
  try {
    const path = `/api/v1/namespaces/${namespace}/events`;
    const { items } = await cluster.call<CoreV1EventList>({ subject, method: 'GET', path, query, signal });
    const time = ({ lastTimestamp, eventTime }: CoreV1Event) => String(lastTimestamp ?? eventTime ?? '');
    return items.toSorted((a, b) => time(a).localeCompare(time(b)));
  } catch {
    signal.throwIfAborted();
    return [];
  }
}

/** Normal events that tell of an end: the scheduler's, the taint manager's and the kubelet's. */
const ENDS = ['Preempted', 'TaintManagerEviction', 'DeadlineExceeded'];

/** The last events as the end of a sentence: ` (FailedScheduling: 0/1 nodes are available …)`; empty without any. */
export function eventText(events: readonly CoreV1Event[]): string {
  const notable = events.filter(
    (event) => event.type !== 'Normal' || (ENDS.includes(event.reason ?? '') && !isCancelled(event)),
  );
  const told = new Set(
    notable.slice(-LAST_EVENTS).map(({ reason = '', message = '' }) => `${reason}: ${oneLine(message)}`),
  );
  return told.size === 0 ? '' : ` (${[...told].join('; ')})`;
}

/** True for the taint manager's word that it deletes the pod after all not. */
export function isCancelled({ message = '' }: CoreV1Event): boolean {
  return /^Cancelling deletion/.test(message);
}

/** True when a kubelet has set about ending the job's container. */
export function isBeingKilled(events: readonly CoreV1Event[]): boolean {
  return hasHappened('Killing', events);
}

/** True when there is an event of this reason of the job's container. */
export function hasHappened(wanted: string, events: readonly CoreV1Event[]): boolean {
  const path = `spec.containers{${JOB_CONTAINER}}`;
  return events.some(({ reason, involvedObject }) => reason === wanted && involvedObject.fieldPath === path);
}

/** The status of the container that runs the job. */
export function jobStatus(pod: V1Pod): V1ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find(({ name }) => name === JOB_CONTAINER);
}

/** True when the job's container has ended, and nothing of the job can run any more. A container that runs may not be stated yet. */
export function isOver(pod: V1Pod): boolean {
  return jobStatus(pod)?.state?.terminated !== undefined || /^(Failed|Succeeded)$/.test(pod.status?.phase ?? '');
}

/** Whether the job's container runs, runs and is about to be ended, or doesn't run. */
export type Standing = 'running' | 'leaving' | 'over';

/** How a pod stands whose container was started, as the API server knows it: a node that is gone leaves its pods as they were last seen. */
export async function standingOf(cluster: Cluster, name: string, signal: AbortSignal): Promise<Standing> {
  const pod = await findPod(cluster, name, signal);
  if (pod === undefined || isOver(pod)) return 'over';
  return pod.metadata?.deletionTimestamp === undefined ? 'running' : 'leaving';
}

/**
 * True when the pod is gone, over, or about to be. Of a pod that its kubelet ends (for want of memory or disk, at its node's shutdown, past
 * its deadline) the status says nothing before its containers are over: the event does.
 */
export async function isDoomed(cluster: Cluster, name: string, signal: AbortSignal): Promise<boolean> {
  if ((await standingOf(cluster, name, signal)) !== 'running') return true;
  return isBeingKilled(await eventsOf(cluster, name, signal));
}

/** Lines of a log's end, bytes of them that are asked for, and characters that are taken. */
const LOG_LINES = 5;
const LOG_BYTES = 16_384;
const LOG_CHARACTERS = 400;

/** The end of a container's log; undefined where there is none, or this account may not read it. */
export async function logEnd(
  cluster: Cluster,
  { pod, container, signal }: { pod: string; container: string; signal: AbortSignal },
): Promise<string | undefined> {
  const namespace = await cluster.namespace();
  const subject = { verb: 'get', resource: 'pods/log', namespace, name: pod } as const;
  const path = `/api/v1/namespaces/${namespace}/pods/${pod}/log`;
  const query = { container, tailLines: String(LOG_LINES), limitBytes: String(LOG_BYTES) };
  try {
    const text = await cluster.call<string>({ subject, method: 'GET', path, query, isText: true, signal });
    return text.trim() === '' ? undefined : text.trim().slice(-LOG_CHARACTERS);
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
