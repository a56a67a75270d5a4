import { expect, it } from 'vitest';
import { begin } from '../../support/docker/workbench.ts';
import { BUSYBOX_IMAGE, clusterBench } from '../../support/kubernetes/cluster.ts';

const bench = clusterBench();

it('a step that its pod’s eviction, deletion or preemption interrupts names that as the reason', async () => {
  const name = bench.namespace;
  await bench.apply({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value: 1000,
  });
  // Two pods can't have the same port of a node.
  const ports = [{ containerPort: 1, hostPort: 41_999 }];
  const preempt = async () => {
    const above = { name: 'above', image: BUSYBOX_IMAGE, command: ['true'], ports };
    const spec = { priorityClassName: name, restartPolicy: 'Never', containers: [above] };
    await bench.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'above' }, spec });
  };
  const remove = (pod: string) => bench.kubectl('delete', 'pod', pod, '--wait=false');
  try {
    await Promise.all([
      interrupted({}, bench.evict, /: the pod was evicted: Eviction API: evicting.* Look for kubectl drain/),
      interrupted({}, remove, /: the pod (is being|was) deleted from outside/),
      interrupted({ ports }, preempt, /: the pod was preempted: .* Give jobs a priorityClassName/),
    ]);
  } finally {
    await bench.kubectl('delete', 'priorityclass', name);
  }
});

async function interrupted(
  more: object,
  how: (pod: string) => Promise<unknown>,
  said: RegExp,
): Promise<void> {
  const template = JSON.stringify({ spec: { containers: [{ name: 'pulumi-workflow', ...more }] } });
  const container = await bench.prepare({}, bench.target({ podTemplate: template }));
  const script = 'trap "echo in order; sleep 2; exit 3" INT; echo ready; while :; do sleep 0.1; done';
  const step = await begin(container, script);
  await step.shows('ready');
  await how(container.id);
  const message = expect.stringMatching(said);
  await expect(step.exit).rejects.toMatchObject({ outcome: 'failed', message });
  expect(step.output()).toBe('ready\nin order\n');
  await container.remove();
}
