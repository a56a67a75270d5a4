import type { V1Pod } from '@kubernetes/client-node';
import { oneLine } from '../one-line.ts';

/** What became of a pod, and what to do: the parts of a sentence. */
export type Ending = readonly [why: string, advice: string];

/** Of a node that may run on, only not as a part of the cluster. */
const NODE_ADVICE =
  'See kubectl get nodes. If the machine still runs, the pod interrupts its step by itself: look what became of it before you cancel the deployment or unlock the stack.';
const EVICTED_ADVICE =
  'Ask for as much memory and disk as the job uses, or give jobs nodes of their own. See kubectl describe node.';

/**
 * What the cluster itself did to the pod, by its DisruptionTarget condition (from Kubernetes 1.26 on) or its reason; undefined when it
 * says nothing of that kind. `node`: where the pod was, if its spec doesn't say.
 */
export function endedByCluster({ spec, status }: V1Pod, node = spec?.nodeName): Ending | undefined {
  const target = status?.conditions?.find(({ type, status: is }) => type === 'DisruptionTarget' && is === 'True');
  // A kubelet has one reason for the condition, whatever it does: the pod's own reason says what it was.
  const isKubelets = target === undefined || target.reason === 'TerminationByKubelet';
  const reason = (isKubelets ? status?.reason : undefined) ?? target?.reason;
  const known = reason === undefined ? undefined : ENDINGS[reason];
  if (reason === undefined || (known === undefined && target === undefined)) return undefined;
  const message = oneLine((isKubelets ? status?.message : undefined) ?? target?.message ?? '');
  const [why, advice] = (known ?? otherEnding(reason))(node === undefined ? 'its node' : `its node ${node}`);
  return [message === '' ? why : `${why}: ${message}`, advice];
}

/** The same of one thing that happened to a pod which isn't there any more. */
export function endingOf(reason: string, message: string, node: string | undefined): Ending | undefined {
  return endedByCluster({ status: { reason, message } }, node);
}

/** By the reasons that controllers, the scheduler, the API server and kubelets give (Kubernetes 1.33). */
const ENDINGS: Readonly<Record<string, (node: string) => Ending>> = {
  PreemptionByScheduler: preempted,
  Preempted: preempted,
  Preempting: (node) => [
    `${node} made room for a pod of the system`,
    'Leave room for such pods on the nodes of jobs, or give jobs nodes of their own.',
  ],
  DeletionByTaintManager: tainted,
  TaintManagerEviction: tainted,
  EvictionByEvictionAPI: () => [
    'the pod was evicted',
    'Look for kubectl drain, an autoscaler or an upgrade of the nodes: a PodDisruptionBudget over the pods of jobs lets them wait.',
  ],
  Evicted: (node) => [`the pod was evicted by ${node}`, EVICTED_ADVICE],
  TerminationByKubelet: (node) => [`the pod was ended by ${node}`, EVICTED_ADVICE],
  DeletionByPodGC: goneNode,
  NodeLost: goneNode,
  Terminated: shutDown,
  NodeShutdown: shutDown,
  Shutdown: shutDown,
  DeadlineExceeded: () => [
    'the pod has run for longer than its activeDeadlineSeconds',
    'Look for what sets that on the pods of jobs, as an admission webhook may, and take it off them.',
  ],
};

function preempted(): Ending {
  return [
    'the pod was preempted',
    'Give jobs a priorityClassName in the pod template that is not below that of other pods, or nodes of their own.',
  ];
}

function tainted(node: string): Ending {
  return [
    `${node} got a taint that the pod does not tolerate`,
    'See kubectl describe node: keep such taints off while jobs run, or tolerate them in the pod template.',
  ];
}

function shutDown(node: string): Ending {
  return [
    `${node} was shut down`,
    'Keep nodes from being shut down while jobs run. Look what became of the step: the stack may be locked.',
  ];
}

/** Of a pod that a user, or something that acts as one, deletes. */
export function deletedBySomebody(is: 'is being' | 'was'): Ending {
  return [`the pod ${is} deleted by somebody`, 'Look for a clean-up job, a drained node, or kubectl delete.'];
}

/** Of a node that is no part of the cluster any more. */
export function goneNode(node: string): Ending {
  return [`${node} is gone`, NODE_ADVICE];
}

/** Of a node that is a part of the cluster, and not heard of. */
export function silentNode(node: string): Ending {
  return [`${node} does not answer any more`, NODE_ADVICE];
}

function otherEnding(reason: string): (node: string) => Ending {
  return () => [`the cluster ended the pod (${reason})`, 'See the events of its namespace and its node.'];
}
