import type { V1Pod } from '@kubernetes/client-node';
import { oneLine } from '../one-line.ts';
import { ContainerLostError } from '../target.ts';
import type { Cluster } from './cluster.ts';
import { refusedWith } from './errors.ts';
import { eventsOf, eventText, jobStatus, readPod } from './look.ts';
import { LEASE_OVER } from './pod-scripts.ts';

/** Milliseconds for the API server to tell what became of the pod. */
const LOOK_MS = 30_000;

/** Says why a pod went away under a step, by its status and its last events. */
export async function lossOf(cluster: Cluster, name: string): Promise<ContainerLostError> {
  const subject = `Failed to finish the step in pod ${name}`;
  const signal = AbortSignal.timeout(LOOK_MS);
  try {
    const [pod, events] = await Promise.all([
      readPod(cluster, name, signal).catch((error: unknown) => {
        if (refusedWith(error, 404)) return undefined;
        throw error;
      }),
      eventsOf(cluster, name, signal).then(eventText),
    ]);
    const [why, advice] = explain(pod);
    return new ContainerLostError(`${subject}: ${why}${events}. ${advice}`);
  } catch (cause) {
    return new ContainerLostError(
      `${subject}: the pod can't be reached, and the API server does not tell why. Check the cluster.`,
      { cause },
    );
  }
}

function explain(pod: V1Pod | undefined): readonly [cause: string, advice: string] {
  if (pod === undefined) {
    return ['the pod was deleted by somebody', 'Look for a clean-up job, a drained node, or kubectl delete.'];
  }
  const { reason = '', message = '' } = pod.status ?? {};
  const terminated = jobStatus(pod)?.state?.terminated;
  if (terminated?.reason === 'OOMKilled') {
    return ['the container ran out of memory (OOMKilled)', 'Give jobs more memory, or let the job use less.'];
  }
  if (hasSilentNode(pod)) {
    return [
      `its node ${pod.spec?.nodeName ?? ''} does not answer any more`,
      'See kubectl get nodes. If the node still runs, the pod interrupts its step by itself: look what became of it before you cancel the deployment or unlock the stack.',
    ];
  }
  if (
    reason === 'Evicted' ||
    pod.status?.conditions?.some(({ type, status }) => type === 'DisruptionTarget' && status === 'True')
  ) {
    return [
      `the pod was evicted: ${oneLine(message) || 'its node was drained or short of something'}`,
      'Ask for as much memory and disk as the job uses, or keep its node from being drained.',
    ];
  }
  if (reason === 'NodeLost' || reason === 'NodeShutdown' || reason === 'Terminated') {
    return [
      `its node is gone (${reason})`,
      'See kubectl get nodes; the stack may be locked until the deployment is cancelled.',
    ];
  }
  if (pod.metadata?.deletionTimestamp !== undefined) {
    return ['the pod is being deleted by somebody', 'Look for a clean-up job, a drained node, or kubectl delete.'];
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
