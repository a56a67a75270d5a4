import { setTimeout as sleep } from 'node:timers/promises';
import type { CoreV1Event, V1Pod } from '@kubernetes/client-node';
import { defined } from '../../../defined.ts';
import { ContainerLostError } from '../../executor.ts';
import { oneLine } from '../../one-line.ts';
import type { Cluster } from '../cluster.ts';
import { LEASE_OVER } from './pod-scripts.ts';
import { eventsOf, eventText, findPod, isBeingKilled, isCancelled, jobStatus } from './status.ts';

/** Milliseconds for the API server to tell what became of the pod. */
const LOOK_MS = 30_000;
/** Milliseconds for a kubelet that ends the pod to say why: it does once the containers are over. */
const SETTLE_MS = 10_000;
const AGAIN_MS = 250;

/** What became of a pod, and what to do: the parts of a sentence. */
export type Ending = readonly [why: string, advice: string];

const SEE_NODES =
  'See kubectl get nodes. If the machine still runs, the pod interrupts its step by itself: look what became of it before you cancel the deployment or unlock the stack.';
const NODE_SILENT: Ending = ['NODE does not answer any more', SEE_NODES];
const OWN_NODES = 'Leave room for such pods on the nodes of jobs, or give jobs nodes of their own.';
const PRIORITY =
  'Give jobs a priorityClassName in the pod template that is not below that of other pods, or nodes of their own.';
const TAINTS = 'See kubectl describe node: keep such taints off while jobs run, or tolerate them in the pod template.';
const DRAINS =
  'Look for kubectl drain, an autoscaler or an upgrade of the nodes: a PodDisruptionBudget over the pods of jobs lets them wait.';
const USE_LESS =
  'Ask for as much memory and disk as the job uses, or give jobs nodes of their own. See kubectl describe node.';
const KEEP_UP =
  'Keep nodes from being shut down while jobs run. Look what became of the step: the stack may be locked.';
const NO_LIMIT = 'Look for what sets that on the pods of jobs, as an admission webhook may, and take it off them.';

/** By the reasons that controllers, the scheduler, the API server and kubelets give (Kubernetes 1.33); NODE stands for the pod's node. */
const ENDINGS: readonly (readonly [reason: RegExp, ...Ending])[] = [
  [/^Preempt(ed|ionByScheduler)$/, 'the pod was preempted', PRIORITY],
  [/^Preempting$/, 'NODE made room for a pod of the system', OWN_NODES],
  [/^(DeletionByTaintManager|TaintManagerEviction)$/, 'NODE got a taint that the pod does not tolerate', TAINTS],
  [/^EvictionByEvictionAPI$/, 'the pod was evicted', DRAINS],
  [/^Evicted$/, 'the pod was evicted by NODE', USE_LESS],
  [/^TerminationByKubelet$/, 'the pod was ended by NODE', USE_LESS],
  [/^(DeletionByPodGC|NodeLost)$/, 'NODE is gone', SEE_NODES],
  [/^(Terminated|(Node)?Shutdown)$/, 'NODE was shut down', KEEP_UP],
  [/^DeadlineExceeded$/, 'the pod has run for longer than its activeDeadlineSeconds', NO_LIMIT],
];

/** Says why a pod on `node` went away under a step, by its status, its last events and its node. */
export async function lossOf(cluster: Cluster, name: string, node?: string): Promise<ContainerLostError> {
  let cause: unknown;
  const [[why, advice], events] = await endingOf(cluster, name, node).catch((error: unknown) => {
    cause = error;
    return [["the pod can't be reached, and the API server does not tell why", 'Check the cluster.'], ''] as const;
  });
  const message = `Failed to finish the step in pod ${name}: ${why}${events}. ${advice}`;
  return new ContainerLostError(message, { code: 'PRA-K8S-22', cause });
}

/** What became of a pod whose container had been started, and its last events as the end of a sentence. Throws what the cluster says. */
export async function endingOf(
  cluster: Cluster,
  name: string,
  node: string | undefined,
): Promise<readonly [Ending, string]> {
  const signal = AbortSignal.timeout(LOOK_MS);
  const [pod, events] = await settled(cluster, name, signal);
  return [endingFrom(pod, events, node), eventText(events)];
}

/** What became of a pod, as the cluster has it: undefined when there is none any more. `node`: where it was, if its spec doesn't say. */
export function endingFrom(pod: V1Pod | undefined, events: readonly CoreV1Event[], node: string | undefined): Ending {
  return pod === undefined ? whyGone(events, node) : whyEnded(pod, node);
}

/** What the cluster itself did to the pod, by its DisruptionTarget condition or its reason; undefined when it says nothing of that kind. */
export function endedByCluster({ spec, status }: V1Pod, node = spec?.nodeName): Ending | undefined {
  const target = status?.conditions?.find(({ type, status: is }) => type === 'DisruptionTarget' && is === 'True');
  // A kubelet has one reason for the condition, whatever it does: the pod's own reason says what it was.
  const isKubelets = target === undefined || target.reason === 'TerminationByKubelet';
  const reason = (isKubelets ? status?.reason : undefined) ?? target?.reason;
  if (reason === undefined) return undefined;
  const [, ...known] = ENDINGS.find(([pattern]) => pattern.test(reason)) ?? [];
  if (known.length === 0 && target === undefined) return undefined;
  const [why = `the cluster ended the pod (${reason})`, advice = 'See the events of its namespace and its node.'] =
    known;
  const message = oneLine((isKubelets ? status?.message : undefined) ?? target?.message ?? '');
  return onNode([message === '' ? why : `${why}: ${message}`, advice], node);
}

/** Of a pod that something deletes that is no part of the cluster itself. */
export function deletedFromOutside(is: 'is being' | 'was'): Ending {
  return [`the pod ${is} deleted from outside`, 'Look for a clean-up job, a drained node, or kubectl delete.'];
}

function onNode([why, advice]: Ending, node: string | undefined): Ending {
  return [why.replace('NODE', node === undefined ? 'its node' : `its node ${node}`), advice];
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

function whyEnded(pod: V1Pod, node = pod.spec?.nodeName): Ending {
  const terminated = jobStatus(pod)?.state?.terminated;
  // The runtime keeps that reason for a container which lost another process before, and then ended by itself.
  if (terminated?.reason === 'OOMKilled' && terminated.exitCode === 137)
    return ['the container ran out of memory (OOMKilled)', 'Give jobs more memory, or let the job use less.'];
  const ending = endedByCluster(pod, node);
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
  return onNode(NODE_SILENT, node);
}

/** Why there is no pod any more: most that is ended by the cluster is deleted too. */
function whyGone(events: readonly CoreV1Event[], node: string | undefined): Ending {
  const last = (pattern: RegExp) =>
    events.findLastIndex((event) => pattern.test(event.reason ?? '') && !isCancelled(event));
  // A kubelet that ends the pod's containers is there again.
  if (last(/^NodeNotReady$/) > last(/^Killing$/)) {
    const [why, advice] = onNode(NODE_SILENT, node);
    return [`${why}, and the pod was deleted`, advice];
  }
  const decisive = events[Math.max(...ENDINGS.map(([pattern]) => last(pattern)))];
  if (decisive !== undefined) {
    const ending = endedByCluster({ status: defined({ reason: decisive.reason, message: decisive.message }) }, node);
    if (ending !== undefined) return ending;
  }
  const [why, advice] = deletedFromOutside('was');
  return [why, `${advice} See kubectl get nodes whether its node ${node ?? ''} is still there.`];
}
