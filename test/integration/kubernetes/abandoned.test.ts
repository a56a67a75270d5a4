import { afterEach, expect, it, vi } from 'vitest';
import { Cluster } from '../../../src/executor/kubernetes/cluster.ts';
import { createPullSecret } from '../../../src/executor/kubernetes/objects.ts';
import { podFor } from '../../../src/executor/kubernetes/pod/pod.ts';
import { sweepAbandoned } from '../../../src/executor/kubernetes/removal.ts';
import { run } from '../../support/docker/workbench.ts';
import { clusterBench, JOB_IMAGE, NEVER } from '../../support/kubernetes/cluster.ts';

const MINUTES = 60_000;
const bench = clusterBench();
let cluster: Cluster | undefined;
afterEach(() => {
  vi.useRealTimers();
  cluster?.close();
});

/** A pod that no node takes; its agent waits 20 minutes for it. */
const waiting = () =>
  podFor(
    { image: JOB_IMAGE, labels: bench.labels },
    { name: 'waiting', settings: { graceMs: 1_000, startTimeoutMs: 20 * MINUTES, memory: '900Gi' } },
  );

/** Sweeps as the next agent would, `minutes` from now. */
async function sweepIn(minutes: number): Promise<string[]> {
  cluster ??= new Cluster({ kubeconfig: bench.kubeconfig, namespace: bench.namespace });
  return sweepAbandoned(cluster, { ms: 30_000, signal: NEVER, now: Date.now() + minutes * MINUTES });
}

it('a pod that ended by itself a while ago is removed, but not one that runs', async () => {
  const container = await bench.prepare({}, bench.target({ leaseSeconds: 2, orphanGraceSeconds: 1 }));
  const alive = await bench.prepare();
  // To the pod, its agent is gone: a folder in place of `beat` keeps it from writing there.
  await expect(
    run(
      container,
      'until mkdir /mnt/pulumi-runner/beat 2>/dev/null; do rm -f /mnt/pulumi-runner/beat; done; trap "" INT; sleep 60',
    ),
  ).rejects.toThrow(
    /^Failed to finish the step in pod \S+ on node \S+: the pod had not heard from its agent for longer than it runs without one, and ended the step/,
  );
  await bench.kubectl('wait', `pod/${container.id}`, '--for=jsonpath={.status.phase}=Succeeded', '--timeout=60s');
  expect(await sweepIn(0)).toEqual([]);
  expect(await sweepIn(11)).toEqual([`Removed pod ${container.id}.`]);
  expect(await bench.objects()).toEqual([`pod/${alive.id}`]);
  await alive.remove();
});

it('a pod that no node took in time is removed, and so is an old pull secret without a pod', async () => {
  await bench.apply(waiting());
  const api = new Cluster({ kubeconfig: bench.kubeconfig, namespace: bench.namespace });
  const credentials = { username: 'reader', password: 'ca-na-ry' };
  for (const name of ['waiting', 'alone'])
    await createPullSecret(api, name, { image: JOB_IMAGE, credentials, labels: bench.labels }, NEVER);
  // A live agent elsewhere may still need all of these, though this machine's clock is an hour fast.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60 * MINUTES });
  expect(await sweepAbandoned(api, { ms: 30_000, signal: NEVER })).toEqual([]);
  vi.useRealTimers();
  api.close();
  expect(await sweepIn(11)).toEqual(['Removed secret alone.']);
  expect(await sweepIn(25)).toEqual([]);
  expect(await sweepIn(31)).toEqual(['Removed pod waiting.', 'Removed secret waiting.']);
});
