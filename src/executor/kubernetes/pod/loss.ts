import { setTimeout as sleep } from 'node:timers/promises';
import type { CoreV1Event, V1Pod } from '@kubernetes/client-node';
import { defined } from '../../../base/defined.ts';
import { ContainerLostError } from '../../executor.ts';
import { oneLine } from '../../foreign-text.ts';
import type { Cluster } from '../cluster.ts';
import { LEASE_OVER } from './pod-scripts.ts';
import { eventsOf, eventText, findPod, isBeingKilled, jobStatus } from './status.ts';

/** For asking the API server about the pod's end. */
const READ_MS = 30_000;

/** For a kubelet that is ending the pod to report why, which it does after the containers have ended. */
const SETTLE_MS = 10_000;
const RETRY_MS = 250;

/** The cause of a pod's end, and the remedy: the parts of a sentence. */
export type PodEnding = readonly [why: string, advice: string];

const SEE_NODES =
  'See kubectl get nodes. If the machine still runs, the pod interrupts its step by itself: find out how the step ended before you cancel the deployment or unlock the stack.';
const NODE_SILENT: PodEnding = ['its node no longer answers', SEE_NODES];

const POD_SILENT: PodEnding = [
  'the pod no longer answers, although the cluster considers its node ready',
  'Look for a step that stops or kills other processes, and check the network from the API server to the kubelet.',
];

const PRIORITY =
  'Give jobs a priorityClassName in the pod template that is no lower than that of other pods, or dedicated nodes.';
const TAINTS =
  'See kubectl describe node: keep such taints off while jobs run, or tolerate them in the pod template.';
const DRAINS =
  'Look for kubectl drain, an autoscaler or a node upgrade: a PodDisruptionBudget for the pods of jobs makes them wait.';
const USE_LESS =
  'Request as much memory and disk as the job uses, or run jobs on dedicated nodes. See kubectl describe node.';
const DEADLINE =
  'If the pod template sets that, raise it. Otherwise look for a clock that was set on the node: the agent sets it 15 minutes beyond the timeout and the grace periods of its job.';
const KEEP_UP =
  'Keep nodes from being shut down while jobs run. Find out how the step ended: the stack may be locked.';

/** Endings by reasons of controllers, scheduler, API server and kubelets (Kubernetes 1.33). */
const ENDINGS: readonly (readonly [reason: RegExp, ...PodEnding])[] = [
  [/^Preempt(ed|ionByScheduler)$/, 'the pod was preempted', PRIORITY],
  [
    /^(DeletionByTaintManager|TaintManagerEviction)$/,
    'its node got a taint that the pod does not tolerate',
    TAINTS,
  ],
  [/^EvictionByEvictionAPI$/, 'the pod was evicted', DRAINS],
  [/^Evicted$/, 'the pod was evicted by its node', USE_LESS],
  [/^TerminationByKubelet$/, 'the pod was ended by its node', USE_LESS],
  [/^(DeletionByPodGC|NodeLost)$/, 'its node is gone', SEE_NODES],
  [/^DeadlineExceeded$/, 'the pod was active for longer than its activeDeadlineSeconds', DEADLINE],
  [/^(Terminated|(Node)?Shutdown)$/, 'its node was shut down', KEEP_UP],
];

/** The error for a step whose pod went away, from the pod's status, last events and node. */
export async function lossOf(cluster: Cluster, name: string, node?: string): Promise<ContainerLostError> {
  let cause: unknown;
  const [[why, advice], events] = await endingOf(cluster, name).catch((error: unknown) => {
    cause = error;
    return [
      ["the pod can't be reached, and the API server does not say why", 'Check the cluster.'],
      '',
    ] as const;
  });

  const where = node === undefined ? name : `${name} on node ${node}`;
  const message = `Failed to finish the step in pod ${where}: ${why}${events}. ${advice}`;

  const fault = cause === undefined ? 'deployment' : 'executor';
  return new ContainerLostError(message, { code: 'PRA-K8S-22', cause, fault });
}

/**
 * The cause of a started pod's end, and its last events, as the end of a sentence. Throws as
 * `Cluster.call` does.
 */
export async function endingOf(cluster: Cluster, name: string): Promise<readonly [PodEnding, string]> {
  const signal = AbortSignal.timeout(READ_MS);
  const [pod, events] = await settled(cluster, name, signal);
  return [endingFrom(pod, events), eventText(events)];
}

/** The cause of a pod's end; `pod` is undefined if it is gone. */
export function endingFrom(pod: V1Pod | undefined, events: readonly CoreV1Event[]): PodEnding {
  return pod === undefined ? whyGone(events) : whyEnded(pod);
}

/**
 * The cluster's action on the pod, from its DisruptionTarget condition or its reason; undefined if
 * it has neither.
 */
export function endedByCluster({ status }: V1Pod): PodEnding | undefined {
  const target = status?.conditions?.find(
    ({ type, status: is }) => type === 'DisruptionTarget' && is === 'True',
  );

  // A kubelet always sets the same reason in the condition; the pod's own reason is more exact.
  const isKubelets = target === undefined || target.reason === 'TerminationByKubelet';
  const reason = (isKubelets ? status?.reason : undefined) ?? target?.reason;
  if (reason === undefined) return undefined;

  const [, ...ending] = ENDINGS.find(([pattern]) => pattern.test(reason)) ?? [];
  const [
    why = `the cluster ended the pod (${reason})`,
    advice = 'See the events of its namespace and its node.',
  ] = ending;

  const message = oneLine((isKubelets ? status?.message : undefined) ?? target?.message ?? '');

  return [message === '' ? why : `${why}: ${message}`, advice];
}

/** The ending of a pod deleted by something outside the cluster's own components. */
export function deletedFromOutside(is: 'is being' | 'was'): PodEnding {
  return [
    `the pod ${is} deleted from outside`,
    'Look for a clean-up job, a drained or lost node, or kubectl delete.',
  ];
}

/**
 * The pod and its events, once a kubelet that is ending it has reported why; the pod is undefined
 * if it is gone.
 */
async function settled(
  cluster: Cluster,
  name: string,
  signal: AbortSignal,
): Promise<readonly [V1Pod | undefined, readonly CoreV1Event[]]> {
  for (const begun = performance.now(); ; await sleep(RETRY_MS, undefined, { signal })) {
    const [pod, events] = await Promise.all([
      findPod(cluster, name, signal),
      eventsOf(cluster, name, signal),
    ]);
    const isSettled =
      pod === undefined || pod.metadata?.deletionTimestamp !== undefined || jobStatus(pod)?.state?.terminated;
    if (isSettled || !isBeingKilled(events) || performance.now() - begun > SETTLE_MS) return [pod, events];
  }
}

function whyEnded(pod: V1Pod): PodEnding {
  const terminated = jobStatus(pod)?.state?.terminated;
  // The runtime also sets OOMKilled if another process was killed earlier and the container then
  // ended by itself.
  if (terminated?.reason === 'OOMKilled' && terminated.exitCode === 137)
    return [
      'the container ran out of memory (OOMKilled)',
      'Give jobs more memory, or reduce their memory use.',
    ];

  const ending = endedByCluster(pod);
  if (ending !== undefined) return ending;
  if (pod.metadata?.deletionTimestamp !== undefined) return deletedFromOutside('is being');

  if (terminated?.message?.trim() === LEASE_OVER) {
    return [
      'the pod ended, and reports that it had heard nothing from its agent for longer than it runs without one',
      'Check the network, the API server and the kubelet, and that no step changes files in /mnt/pulumi-runner.',
    ];
  }

  if (terminated !== undefined) {
    return [
      `the container ended (${terminated.reason ?? 'without a reason'}, exit code ${terminated.exitCode})`,
      'Look for a step that kills processes other than its own.',
    ];
  }

  // The node controller takes back the node's own last report: the containers are ready.
  const isTrue = (of: string) => pod.status?.conditions?.find(({ type }) => type === of)?.status === 'True';
  return isTrue('ContainersReady') && !isTrue('Ready') ? NODE_SILENT : POD_SILENT;
}

/** Why the pod is gone: most pods that the cluster ends are deleted too. */
function whyGone(events: readonly CoreV1Event[]): PodEnding {
  // The taint manager spares a pod whose node was only away for a moment, and records that too.
  const standing = events.filter(({ message = '' }) => !/^Cancelling deletion/.test(message));
  const last = (pattern: RegExp) => standing.findLastIndex(({ reason = '' }) => pattern.test(reason));

  // A kubelet that ends the pod's containers is back.
  if (last(/^NodeNotReady$/) > last(/^Killing$/)) return NODE_SILENT;

  const decisive = standing[Math.max(...ENDINGS.map(([pattern]) => last(pattern)))];
  const { reason, message } = decisive ?? {};

  return endedByCluster({ status: defined({ reason, message }) }) ?? deletedFromOutside('was');
}
