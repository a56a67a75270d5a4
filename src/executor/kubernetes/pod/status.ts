import type { CoreV1Event, CoreV1EventList, V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import { oneLine } from '../../foreign-text.ts';
import type { Cluster } from '../cluster.ts';
import { isNotFound } from '../errors.ts';
import { JOB_CONTAINER } from './pod.ts';

/** For checking whether a pod still runs. */
const READ_MS = 10_000;

/** Events that a failure message quotes. */
const LAST_EVENTS = 3;

/**
 * Reasons of Normal events that end a pod: the scheduler's, the taint manager's and the kubelet's.
 */
const ENDS = ['Preempted', 'TaintManagerEviction', 'DeadlineExceeded'];

/** Reads a pod; undefined if there is none. */
export async function findPod(
  cluster: Cluster,
  name: string,
  signal: AbortSignal,
): Promise<V1Pod | undefined> {
  try {
    return await cluster.call({ verb: 'get', resource: 'pods', name, signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The pod's events, oldest first. Empty if they can't be read: they only explain. */
export async function eventsOf(cluster: Cluster, pod: string, signal: AbortSignal): Promise<CoreV1Event[]> {
  const query = { fieldSelector: `involvedObject.kind=Pod,involvedObject.name=${pod}` };
  try {
    const { items } = await cluster.call<CoreV1EventList>({
      verb: 'list',
      resource: 'events',
      query,
      signal,
    });

    const time = ({ lastTimestamp, eventTime }: CoreV1Event) => String(lastTimestamp ?? eventTime ?? '');
    return items.toSorted((a, b) => time(a).localeCompare(time(b)));
  } catch {
    signal.throwIfAborted();
    return [];
  }
}

/**
 * The last notable events as the end of a sentence, ` (FailedScheduling: 0/1 nodes are available
 * …)`, or empty.
 */
export function eventText(events: readonly CoreV1Event[]): string {
  const notable = events.filter(({ type, reason = '' }) => type !== 'Normal' || ENDS.includes(reason));
  const texts = new Set(
    notable.slice(-LAST_EVENTS).map(({ reason = '', message = '' }) => `${reason}: ${oneLine(message)}`),
  );
  return texts.size === 0 ? '' : ` (${[...texts].join('; ')})`;
}

/** True if a kubelet has begun to kill the job's container. */
export function isBeingKilled(events: readonly CoreV1Event[]): boolean {
  const path = `spec.containers{${JOB_CONTAINER}}`;
  return events.some(
    ({ reason, involvedObject }) => reason === 'Killing' && involvedObject.fieldPath === path,
  );
}

export function jobStatus(pod: V1Pod): V1ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find(({ name }) => name === JOB_CONTAINER);
}

/**
 * True if the job's container has ended, so nothing of the job can run. The status can lag behind a
 * started one.
 */
export function isOver(pod: V1Pod): boolean {
  return (
    jobStatus(pod)?.state?.terminated !== undefined || /^(Failed|Succeeded)$/.test(pod.status?.phase ?? '')
  );
}

/**
 * True if the pod exists and hasn't ended, as far as the API server knows: a lost node's pods keep
 * their status.
 */
export async function isAlive(cluster: Cluster, name: string): Promise<boolean> {
  const pod = await findPod(cluster, name, AbortSignal.timeout(READ_MS));
  return pod !== undefined && !isOver(pod);
}

/**
 * True if the pod is gone, has ended or is about to end: a kubelet sends an event before it updates
 * the status.
 */
export async function isEnding(cluster: Cluster, name: string): Promise<boolean> {
  const signal = AbortSignal.timeout(READ_MS);
  const pod = await findPod(cluster, name, signal);
  if (pod === undefined || isOver(pod) || pod.metadata?.deletionTimestamp !== undefined) return true;
  return isBeingKilled(await eventsOf(cluster, name, signal));
}
