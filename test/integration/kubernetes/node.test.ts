import { afterEach, expect, it } from 'vitest';
import { begin, run } from '../../support/docker/workbench.ts';
import { clusterBench, kubernetes } from '../../support/kubernetes/cluster.ts';

const bench = clusterBench();
let isFrozen = false;
const freeze = async () => {
  isFrozen = true;
  await kubernetes('freeze-node');
};
const thaw = async () => {
  if (isFrozen) await kubernetes('thaw-node');
  isFrozen = false;
};
afterEach(thaw);

it('a node that stops answering for a while costs no line, although it cuts no stream', async () => {
  const container = await bench.prepare({}, bench.target({ leaseSeconds: 60 }));
  const step = await begin(
    container,
    'echo started >>/tmp/starts; for i in $(seq 100); do echo "line $i"; sleep 0.1; done; exit 4',
  );
  await step.shows('line 5\n');
  await freeze();
  // The cut comes after a third of the lease, which leaves enough of it to reconnect.
  await expect.poll(() => bench.logged.join('\n'), { timeout: 50_000 }).toMatch(/step's stream was cut/);
  expect(step.output()).not.toContain('line 100\n');
  await thaw();
  expect(await step.exit).toEqual({ code: 4, outOfMemory: false });
  expect(step.output()).toBe(Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`).join(''));
  expect(await run(container, 'cat /tmp/starts')).toMatchObject({ output: 'started\n' });
  await container.remove();
});

it('a step whose node is gone is given up once it has ended by itself, and the error names the node', async () => {
  const container = await bench.prepare(
    {},
    bench.target({ leaseSeconds: 12, orphanGraceSeconds: 15, stopTimeoutMs: 2_000 }),
  );
  const step = await begin(
    container,
    'trap "date +%s >/proc/1/fd/1; exit 0" INT; echo ready; while :; do sleep 0.1; done',
  );
  await step.shows('ready\n');
  // The node must have reported the pod ready, which the cluster then takes back.
  await bench.kubectl('wait', `pod/${container.id}`, '--for=condition=Ready', '--timeout=30s');
  await freeze();
  await expect(step.exit).rejects.toThrow(
    /^Failed to finish the step in pod \S+ on node localhost: its node no longer answers \((?:.*; )?NodeNotReady: .*\)\. See kubectl get nodes\./,
  );
  const givenUpAt = Date.now() / 1000;
  await expect(container.remove()).rejects.toThrow(
    /^Failed to remove pod \S+ for the job: it does not end\. Remove/,
  );
  // Reads it before the kubelet is back, which removes the pod and its log.
  const said = await kubernetes('log', bench.namespace, container.id);
  const interruptedAt = Number(/ (\d{10})$/m.exec(said)?.[1]);
  expect(interruptedAt, said).toBeGreaterThan(0);
  expect(interruptedAt).toBeLessThan(givenUpAt);
});
