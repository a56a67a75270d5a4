import { setTimeout as sleep } from 'node:timers/promises';
import type { CoreV1Event, V1Pod } from '@kubernetes/client-node';
import { defined } from '../../../defined.ts';
import { ContainerLostError } from '../../executor.ts';
import { oneLine } from '../../one-line.ts';
import type { Cluster } from '../cluster.ts';
import { LEASE_OVER } from './pod-scripts.ts';
import { eventsOf, eventText, findPod, isBeingKilled, jobStatus } from './status.ts';

/** Milliseconds for the API server to tell what became of the pod. */
const LOOK_MS = 30_000;
/** Milliseconds for a kubelet that ends the pod to say why: it does once the containers are over. */
const SETTLE_MS = 10_000;
const AGAIN_MS = 250;

/** What became of a pod, and what to do: the parts of a sentence. */
export type Ending = readonly [why: string, advice: string];

const SEE_NODES =
  'See kubectl get nodes. If the machine still runs, the pod interrupts its step by itself: look what became of it before you cancel the deployment or unlock the stack.';
const NODE_SILENT: Ending = ['its node does not answer any more', SEE_NODES];
const PRIORITY =
  'Give jobs a priorityClassName in the pod template that is not below that of other pods, or nodes of their own.';
const TAINTS = 'See kubectl describe node: keep such taints off while jobs run, or tolerate them in the pod template.';
const DRAINS =
  'Look for kubectl drain, an autoscaler or an upgrade of the nodes: a PodDisruptionBudget over the pods of jobs lets them wait.';
const USE_LESS =
  'Ask for as much memory and disk as the job uses, or give jobs nodes of their own. See kubectl describe node.';
const KEEP_UP =
  'Keep nodes from being shut down while jobs run. Look what became of the step: the stack may be locked.';

/** By the reasons that controllers, the scheduler, the API server and kubelets give (Kubernetes 1.33). */
const ENDINGS: readonly (readonly [reason: RegExp, ...Ending])[] = [
  [/^Preempt(ed|ionByScheduler)$/, 'the pod was preempted', PRIORITY],
  [/^(DeletionByTaintManager|TaintManagerEviction)$/, 'its node got a taint that the pod does not tolerate', TAINTS],
  [/^EvictionByEvictionAPI$/, 'the pod was evicted', DRAINS],
  [/^Evicted$/, 'the pod was evicted by its node', USE_LESS],
  [/^TerminationByKubelet$/, 'the pod was ended by its node', USE_LESS],
  [/^(DeletionByPodGC|NodeLost)$/, 'its node is gone', SEE_NODES],
  [/^(Terminated|(Node)?Shutdown)$/, 'its node was shut down', KEEP_UP],
];

/** Says why a pod on `node` went away under a step, by its status, its last events and its node. */
export async function lossOf(cluster: Cluster, name: string, node?: string): Promise<ContainerLostError> {
  let cause: unknown;
  const [[why, advice], events] = await endingOf(cluster, name).catch((error: unknown) => {
    cause = error;
    return [["the pod can't be reached, and the API server does not tell why", 'Check the cluster.'], ''] as const;
  });
  const where = node === undefined ? name : `${name} on node ${node}`;
  const message = `Failed to finish the step in pod ${where}: ${why}${events}. ${advice}`;
  return new ContainerLostError(message, { code: 'PRA-K8S-22', cause });
}

/** What became of a pod whose container had been started, and its last events as the end of a sentence. Throws what the cluster says. */
export async function endingOf(cluster: Cluster, name: string): Promise<readonly [Ending, string]> {
  const signal = AbortSignal.timeout(LOOK_MS);
  const [pod, events] = await settled(cluster, name, signal);
  return [endingFrom(pod, events), eventText(events)];
}

/** What became of a pod, as the cluster has it: undefined when there is none any more. */
export function endingFrom(pod: V1Pod | undefined, events: readonly CoreV1Event[]): Ending {
  return pod === undefined ? whyGone(events) : whyEnded(pod);
}

/** What the cluster itself did to the pod, by its DisruptionTarget condition or its reason; undefined when it says nothing of that kind. */
export function endedByCluster({ status }: V1Pod): Ending | undefined {
  const target = status?.conditions?.find(({ type, status: is }) => type === 'DisruptionTarget' && is === 'True');
  // A kubelet has one reason for the condition, whatever it does: the pod's own reason says what it was.
  const isKubelets = target === undefined || target.reason === 'TerminationByKubelet';
  const reason = (isKubelets ? status?.reason : undefined) ?? target?.reason;
  if (reason === undefined) return undefined;
  const [, ...known] = ENDINGS.find(([pattern]) => pattern.test(reason)) ?? [];
  const [why = `the cluster ended the pod (${reason})`, advice = 'See the events of its namespace and its node.'] =
    known;
  const message = oneLine((isKubelets ? status?.message : undefined) ?? target?.message ?? '');
  return [message === '' ? why : `${why}: ${message}`, advice];
}

/** Of a pod that something deletes that is no part of the cluster itself. */
export function deletedFromOutside(is: 'is being' | 'was'): Ending {
  return [`the pod ${is} deleted from outside`, 'Look for a clean-up job, a drained or lost node, or kubectl delete.'];
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

function whyEnded(pod: V1Pod): Ending {
  const terminated = jobStatus(pod)?.state?.terminated;
  // The runtime keeps that reason for a container which lost another process before, and then ended by itself.
  if (terminated?.reason === 'OOMKilled' && terminated.exitCode === 137)
    return ['the container ran out of memory (OOMKilled)', 'Give jobs more memory, or let the job use less.'];
  const ending = endedByCluster(pod);
  if (ending !== undefined) return ending;
  if (pod.metadata?.deletionTimestamp !== undefined) return deletedFromOutside('is being');
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
  return NODE_SILENT;
}

/** Why there is no pod any more: most that is ended by the cluster is deleted too. */
function whyGone(events: readonly CoreV1Event[]): Ending {
  // The taint manager leaves a pod alone whose node was away for a moment, and has an event for that too.
  const standing = events.filter(({ message = '' }) => !/^Cancelling deletion/.test(message));
  const last = (pattern: RegExp) => standing.findLastIndex(({ reason = '' }) => pattern.test(reason));
  // A kubelet that ends the pod's containers is there again.
  if (last(/^NodeNotReady$/) > last(/^Killing$/)) return NODE_SILENT;
  const decisive = standing[Math.max(...ENDINGS.map(([pattern]) => last(pattern)))];
  const { reason, message } = decisive ?? {};
  return endedByCluster({ status: defined({ reason, message }) }) ?? deletedFromOutside('was');
}
