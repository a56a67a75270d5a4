import { setTimeout as sleep } from 'node:timers/promises';
import type { CoreV1Event, V1Node, V1Pod } from '@kubernetes/client-node';
import { ContainerLostError } from '../executor.ts';
import type { Cluster } from './cluster.ts';
import { deletedBySomebody, type Ending, endedByCluster, endingOf, goneNode, silentNode } from './ending.ts';
import { refusedWith } from './errors.ts';
import { eventsOf, eventText, findPod, isBeingKilled, isCancelled, jobStatus } from './look.ts';
import { LEASE_OVER } from './pod-scripts.ts';

/** Milliseconds for the API server to tell what became of the pod. */
const LOOK_MS = 30_000;
/** Milliseconds for a kubelet that ends the pod to say why: it does once the containers are over. */
const SETTLE_MS = 10_000;
const AGAIN_MS = 250;

/** Says why a pod on `node` went away under a step, by its status, its last events and its node. */
export async function lossOf(cluster: Cluster, name: string, node?: string): Promise<ContainerLostError> {
  const subject = `Failed to finish the step in pod ${name}`;
  try {
    const [[why, advice], events] = await becameOf(cluster, name, node);
    return new ContainerLostError(`${subject}: ${why}${events}. ${advice}`);
  } catch (cause) {
    return new ContainerLostError(
      `${subject}: the pod can't be reached, and the API server does not tell why. Check the cluster.`,
      { cause },
    );
  }
}

/** What became of a pod whose container had been started, and its last events as the end of a sentence. Throws what the cluster says. */
export async function becameOf(
  cluster: Cluster,
  name: string,
  node: string | undefined,
): Promise<readonly [Ending, string]> {
  const signal = AbortSignal.timeout(LOOK_MS);
  const [pod, events] = await settled(cluster, name, signal);
  const ending = pod === undefined ? await whyGone(cluster, { node, events, signal }) : explain(pod, node);
  return [ending, eventText(events)];
}

/** The pod as it is once a kubelet that is ending it has said why; undefined when there is none any more. */
async function settled(
  cluster: Cluster,
  name: string,
  signal: AbortSignal,
): Promise<readonly [V1Pod | undefined, readonly CoreV1Event[]]> {
  for (const begun = performance.now(); ; await sleep(AGAIN_MS, undefined, { signal })) {
    const [pod, events] = await Promise.all([findPod(cluster, name, signal), eventsOf(cluster, name, signal)]);
    const isSaid =
      pod === undefined || pod.metadata?.deletionTimestamp !== undefined || jobStatus(pod)?.state?.terminated;
    if (isSaid || !isBeingKilled(events) || performance.now() - begun > SETTLE_MS) return [pod, events];
  }
}

function explain(pod: V1Pod, node = pod.spec?.nodeName): Ending {
  const terminated = jobStatus(pod)?.state?.terminated;
  // The runtime keeps that reason for a container which lost another process before, and then ended in order.
  if (terminated?.reason === 'OOMKilled' && terminated.exitCode === 137) {
    return ['the container ran out of memory (OOMKilled)', 'Give jobs more memory, or let the job use less.'];
  }
  if (hasSilentNode(pod)) return silentNode(`its node ${node ?? ''}`);
  const ending = endedByCluster(pod, node);
  if (ending !== undefined) return ending;
  if (pod.metadata?.deletionTimestamp !== undefined) {
    return deletedBySomebody('is being');
  }
  if (terminated?.message?.trim() === LEASE_OVER) {
    return [
      'the pod had not heard of its agent for longer than it runs without it, and has ended the step by itself',
      'Check the network, the API server and the kubelet, and that no step changes what lies in /mnt/pulumi-runner.',
    ];
  }
  if (terminated !== undefined) {
    return [
      `the container ended (${terminated.reason ?? 'without a reason'}, exit code ${terminated.exitCode})`,
      'Look for a step that kills processes which are not its own.',
    ];
  }
  return [
    'it has not been heard of for longer than it runs without its agent, and has ended the step by itself',
    'Check the node, its kubelet and the API server.',
  ];
}

/**
 * True when the cluster has not heard of the pod's node: the node controller takes back that the pod is ready, without a reason,
 * while its containers stay as the kubelet saw them last.
 */
function hasSilentNode({ status }: V1Pod): boolean {
  const condition = (name: string) => status?.conditions?.find(({ type }) => type === name);
  const ready = condition('Ready');
  const isTakenBack = ready !== undefined && ready.status !== 'True' && (ready.reason ?? '') === '';
  return isTakenBack && condition('ContainersReady')?.status === 'True';
}

/** Events that say why a pod isn't there any more. */
const DECISIVE = ['Preempted', 'Preempting', 'Evicted', 'DeadlineExceeded', 'TaintManagerEviction'];

/** Why there is no pod any more: a node that is gone takes its pods along, and most that is ended by the cluster is deleted too. */
async function whyGone(
  cluster: Cluster,
  { node, events, signal }: { node: string | undefined; events: readonly CoreV1Event[]; signal: AbortSignal },
): Promise<Ending> {
  const standing = node === undefined ? 'unknown' : await nodeStanding(cluster, node, signal);
  const named = node === undefined ? 'its node' : `its node ${node}`;
  if (standing === 'gone') return goneNode(named);
  const last = (...reasons: string[]) =>
    events.findLastIndex((event) => reasons.includes(event.reason ?? '') && !isCancelled(event));
  // A kubelet that ends the pod's containers is there again.
  const isNotHeardOf = last('NodeNotReady') > last('Killing');
  if (standing === 'silent' || (standing === 'unknown' && isNotHeardOf)) {
    const [why, advice] = silentNode(named);
    return [`${why}, and the pod was deleted`, advice];
  }
  const { reason = '', message = '' } = events[last(...DECISIVE)] ?? {};
  const ending = endingOf(reason, message, node);
  if (ending !== undefined) return ending;
  const [why, advice] = deletedBySomebody('was');
  const isOpen = node !== undefined && standing === 'unknown';
  return [why, isOpen ? `${advice} See kubectl get nodes whether ${named} is still there.` : advice];
}

/** How the cluster sees a node; unknown where it doesn't tell: the least of roles has no right to read nodes. */
async function nodeStanding(
  cluster: Cluster,
  name: string,
  signal: AbortSignal,
): Promise<'ready' | 'silent' | 'gone' | 'unknown'> {
  const subject = { verb: 'get', resource: 'nodes', namespace: '', name } as const;
  try {
    const { status } = await cluster.call<V1Node>({ subject, method: 'GET', path: `/api/v1/nodes/${name}`, signal });
    return status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True' ? 'ready' : 'silent';
  } catch (error) {
    return refusedWith(error, 404) ? 'gone' : 'unknown';
  }
}
