import { afterAll, expect, it } from 'vitest';
import { Cluster } from '../../../src/executor/kubernetes/cluster.ts';
import { lossOf } from '../../../src/executor/kubernetes/loss.ts';
import { begin } from '../../support/docker/workbench.ts';
import { BUSYBOX_IMAGE, clusterBench } from './cluster.ts';

const bench = clusterBench();
const clusters: Cluster[] = [];
afterAll(() => {
  for (const cluster of clusters) cluster.close();
});
/** There is no such node. */
const NODE = 'gone.example';
const POD = 'pulumi-workflow-lost';

interface Looked {
  /** Of an account that may not do more than a job's pod takes. */
  readonly kubeconfig?: string;
  readonly node?: string;
}

async function loss({
  kubeconfig = bench.kubeconfig,
  node = NODE,
}: Looked = {}): Promise<{ outcome: string; message: string }> {
  const cluster = new Cluster({ kubeconfig, namespace: bench.namespace });
  clusters.push(cluster);
  const { outcome, message } = await lossOf(cluster, POD, node);
  return { outcome, message };
}

/** Says of the pod what a cluster would. */
function say(status: object): Promise<string> {
  const patch = JSON.stringify({ status });
  return bench.kubectl('patch', 'pod', POD, '--subresource=status', '--type=merge', '--patch', patch);
}

// One without a time is taken back as stale.
const lastTransitionTime = new Date().toISOString();
const target = (reason: string, message: string) => ({
  conditions: [{ type: 'DisruptionTarget', status: 'True', reason, message, lastTransitionTime }],
});
const ended = (terminated: object) => {
  const container = { name: 'pulumi-workflow', image: BUSYBOX_IMAGE, imageID: '', ready: false, restartCount: 0 };
  return { phase: 'Failed', containerStatuses: [{ ...container, state: { terminated } }] };
};
const byKubelet = (reason: string, message: string) => ({
  ...target('TerminationByKubelet', message),
  ...ended({ exitCode: 137 }),
  reason,
  message,
});

it('each end has its sentence, by the reason that the cluster gives', async () => {
  // A pod that no node gets: no kubelet has its own word on its status.
  const container = { name: 'pulumi-workflow', image: BUSYBOX_IMAGE };
  const spec = { schedulingGates: [{ name: 'example.test/never' }], restartPolicy: 'Never', containers: [container] };
  await bench.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: POD }, spec });
  const cases = [
    [
      target('PreemptionByScheduler', 'default-scheduler: preempting'),
      'the pod was preempted: default-scheduler: preempting. Give jobs a priorityClassName',
    ],
    [
      target('DeletionByTaintManager', 'Taint manager: deleting'),
      'its node gone.example got a taint that the pod does not tolerate: Taint manager: deleting. See kubectl describe node',
    ],
    [
      target('EvictionByEvictionAPI', 'Eviction API: evicting'),
      'the pod was evicted: Eviction API: evicting. Look for kubectl drain',
    ],
    [
      target('DeletionByPodGC', 'PodGC: node no longer exists'),
      'its node gone.example is gone: PodGC: node no longer exists. See kubectl get nodes. If the machine still runs',
    ],
    [target('DeletionBySomething', 'so it is'), 'the cluster ended the pod (DeletionBySomething): so it is. See'],
    [
      byKubelet('Evicted', 'The node was low on resource: memory. '),
      'the pod was evicted by its node gone.example: The node was low on resource: memory. Ask for as much',
    ],
    [
      byKubelet('Terminated', 'Pod was terminated in response to imminent node shutdown.'),
      'its node gone.example was shut down: Pod was terminated in response to imminent node shutdown. Keep nodes',
    ],
    [
      byKubelet('Preempting', 'Preempted in order to admit critical pod'),
      'its node gone.example made room for a pod of the system: Preempted in order to admit critical pod. Leave',
    ],
    [
      { ...ended({ exitCode: 137, reason: 'OOMKilled' }), conditions: [], reason: null, message: null },
      'the container ran out of memory (OOMKilled). Give jobs more',
    ],
    [ended({ exitCode: 1, reason: 'OOMKilled' }), 'the container ended (OOMKilled, exit code 1). Look'],
  ] as const;
  for (const [status, expected] of cases) {
    await say(status);
    const message = expect.stringContaining(`Failed to finish the step in pod ${POD}: ${expected}`);
    expect(await loss()).toEqual({ outcome: 'failed', message });
  }
});

it('of a pod that is there no more, its node or its events tell', async () => {
  const kubeconfig = await bench.accountWith([
    { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
    { apiGroups: [''], resources: ['events'], verbs: ['list'] },
  ]);
  const told = async (looked?: Looked) => (await loss(looked)).message;
  expect(await told()).toMatch(/: its node gone\.example is gone\. See kubectl get nodes\./);
  expect(await told({ node: 'localhost' })).toMatch(
    /: the pod was deleted by somebody\. Look for a clean-up job, a drained node, or kubectl delete\.$/,
  );
  expect(await told({ kubeconfig })).toMatch(
    /: the pod was deleted by somebody\. .* See kubectl get nodes whether its node gone\.example is still there\.$/,
  );
  let seconds = 0;
  const event = async (reason: string, message: string, type = 'Normal') => {
    seconds += 1;
    const at = new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString().replace('.000', '');
    const involvedObject = { kind: 'Pod', namespace: bench.namespace, name: POD };
    await bench.apply({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${POD}.${seconds}` },
      involvedObject,
      reason,
      message,
      type,
      firstTimestamp: at,
      lastTimestamp: at,
    });
  };
  await event('NodeNotReady', 'Node is not ready', 'Warning');
  await event('TaintManagerEviction', 'Marking for deletion Pod x');
  expect(await told({ kubeconfig })).toMatch(
    /: its node gone\.example does not answer any more, and the pod was deleted \(NodeNotReady: Node is not ready; TaintManagerEviction: Marking for deletion Pod x\)\. See kubectl get nodes\. If/,
  );
  await event('TaintManagerEviction', 'Cancelling deletion of Pod x');
  await event('Killing', 'Stopping container pulumi-workflow');
  await event('Preempted', 'Preempted by pod y on node z');
  expect(await told({ kubeconfig })).toMatch(
    /: the pod was preempted: Preempted by pod y on node z \(.*Preempted: Preempted by pod y/,
  );
});

it('a pod that makes room for one of higher priority, and one past its deadline: a step that either interrupts has not failed by itself', async () => {
  const name = bench.namespace;
  await bench.apply({ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value: 1000 });
  // Two can't have the same port of a node.
  const ports = [{ containerPort: 1, hostPort: 41_999 }];
  const preempt = async () => {
    const above = { name: 'above', image: BUSYBOX_IMAGE, command: ['true'], ports };
    const spec = { priorityClassName: name, restartPolicy: 'Never', containers: [above] };
    await bench.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'above' }, spec });
  };
  const limit = (pod: string) =>
    bench.kubectl('patch', 'pod', pod, '--type=merge', '--patch', '{"spec":{"activeDeadlineSeconds":1}}');
  try {
    await Promise.all([
      interrupted({ ports }, preempt, /: the pod was preempted: .* Give jobs a priorityClassName/),
      interrupted(
        {},
        limit,
        /: the pod has run for longer than its activeDeadlineSeconds: Pod was active .* Look for what sets that/,
      ),
    ]);
  } finally {
    await bench.kubectl('delete', 'priorityclass', name);
  }
});

async function interrupted(more: object, how: (pod: string) => Promise<unknown>, said: RegExp): Promise<void> {
  const template = JSON.stringify({ spec: { containers: [{ name: 'pulumi-workflow', ...more }] } });
  const container = await bench.prepare({}, bench.target({ template }));
  const script = 'trap "echo in order; sleep 2; exit 3" INT; echo ready; while :; do sleep 0.1; done';
  const step = await begin(container, script);
  await step.shows('ready');
  await how(container.id);
  const message = expect.stringMatching(said);
  await expect(step.exit).rejects.toMatchObject({ outcome: 'failed', message });
  expect(step.output()).toBe('ready\nin order\n');
  await container.remove();
}
