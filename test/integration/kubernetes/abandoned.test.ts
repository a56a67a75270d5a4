import { afterEach, expect, it, vi } from 'vitest';
import { Cluster } from '../../../src/executor/kubernetes/cluster.ts';
import { createPullSecret } from '../../../src/executor/kubernetes/objects.ts';
import { podFor } from '../../../src/executor/kubernetes/pod/pod.ts';
import { sweepAbandoned } from '../../../src/executor/kubernetes/removal.ts';
import { begin, run } from '../../support/docker/workbench.ts';
import { chartRules } from '../../support/kubernetes/chart.ts';
import { BUSYBOX_IMAGE, clusterBench, JOB_IMAGE, NEVER } from '../../support/kubernetes/cluster.ts';

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
    {
      name: 'waiting',
      settings: { cancelGracePeriodMs: 1_000, podStartTimeoutMs: 20 * MINUTES, memoryBytes: 900 * 1024 ** 3 },
    },
  );

/** Sweeps as the next agent would, `minutes` from now. */
async function sweepIn(minutes: number): Promise<string[]> {
  cluster ??= new Cluster({ kubeconfig: bench.kubeconfig, namespace: bench.namespace });
  return sweepAbandoned(cluster, { ms: 30_000, signal: NEVER, now: Date.now() + minutes * MINUTES });
}

it('a pod that ended by itself a while ago is removed, but not one that runs', async () => {
  const container = await bench.prepare({}, bench.target({ leaseSeconds: 8, orphanGraceSeconds: 1 }));
  const alive = await bench.prepare();
  // To the pod, its agent is gone: a folder in place of `beat` keeps it from writing there.
  await expect(
    run(
      container,
      'until mkdir /mnt/pulumi-runner/beat 2>/dev/null; do rm -f /mnt/pulumi-runner/beat; done; trap "" INT; sleep 60',
    ),
  ).rejects.toThrow(
    /^Failed to finish the step in pod \S+ on node \S+: the pod ended, and reports that it had heard nothing from its agent for longer than it runs without one/,
  );
  await bench.kubectl(
    'wait',
    `pod/${container.id}`,
    '--for=jsonpath={.status.phase}=Succeeded',
    '--timeout=60s',
  );
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

/** Starts a pod as an agent's own, and returns its mark. */
async function agentPod(name: string, ...command: string[]): Promise<string> {
  const containers = [{ name: 'agent', image: BUSYBOX_IMAGE, command }];
  const spec = { restartPolicy: 'Never', terminationGracePeriodSeconds: 0, containers };
  await bench.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
  await bench.kubectl('wait', `pod/${name}`, '--for=condition=PodScheduled', '--timeout=60s');
  return `${bench.namespace}/${name}/${await bench.kubectl('get', 'pod', name, '--output=jsonpath={.metadata.uid}')}`;
}

it('a job that forges its agent’s heartbeats lasts until another agent sees that the agent’s pod is gone', async () => {
  await agentPod('agent', 'sleep', '600');
  const bound = ['--bound-object-kind=Pod', '--bound-object-name=agent'];
  const agentToken = await bench.file(await bench.kubectl('create', 'token', 'default', ...bound));
  const { way, kubeconfig } = await bench.breakable();
  const container = await bench.prepare(
    {},
    bench.target({ kubeconfig, agentToken, leaseSeconds: 6, cancelGracePeriodMs: 1_000 }),
  );
  const forge =
    'trap "" HUP INT TERM; echo on; while :; do echo "$((n += 1))" >/mnt/pulumi-runner/beat; sleep 1; done';
  const step = await begin(container, forge);
  step.exit.catch(() => undefined);
  await step.shows('on');
  way.refuse();
  // Far longer than the pod runs without a heartbeat.
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  expect(await sweepIn(0)).toEqual([]);
  expect(await bench.objects()).toContain(`pod/${container.id}`);
  await bench.kubectl('delete', 'pod', 'agent');
  expect(await sweepIn(0)).toEqual([`Pod ${container.id} was asked to end, and has 16 s for it.`]);
  expect(await sweepIn(0)).toEqual([]);
  await bench.kubectl('wait', `pod/${container.id}`, '--for=delete', '--timeout=60s');
});

it('a pod whose agent may live is left alone: only the API server’s own word counts', async () => {
  const alive = await agentPod('alive', 'sleep', '600');
  const ended = await agentPod('ended', 'false');
  await bench.kubectl('wait', 'pod/ended', '--for=jsonpath={.status.phase}=Failed', '--timeout=60s');
  const marks: Readonly<Record<string, string | undefined>> = {
    'job-alive': alive,
    'job-of-ended': ended,
    'job-of-earlier': `${bench.namespace}/alive/00000000-0000-0000-0000-000000000000`,
    'job-of-gone': `${bench.namespace}/gone/00000000-0000-0000-0000-000000000000`,
    // The Role says nothing about another namespace.
    'job-elsewhere': 'kube-system/gone/00000000-0000-0000-0000-000000000000',
    'job-outside': undefined,
    'job-malformed': '../../../nodes',
  };
  for (const [name, mark] of Object.entries(marks)) {
    const agent = mark === undefined ? {} : { agentPod: mark };
    const settings = { cancelGracePeriodMs: 1_000, podStartTimeoutMs: 60_000 };
    await bench.apply(podFor({ image: JOB_IMAGE, labels: bench.labels }, { name, ...agent, settings }));
  }
  const kept = { cancelGracePeriodMs: 1_000, podStartTimeoutMs: 60_000, debugPod: true };
  const gone = { agentPod: String(marks['job-of-gone']), settings: kept };
  await bench.apply(podFor({ image: JOB_IMAGE, labels: bench.labels }, { name: 'job-kept', ...gone }));
  cluster = new Cluster({
    kubeconfig: await bench.accountWith(await chartRules()),
    namespace: bench.namespace,
  });
  const lines = (await sweepIn(0)).map((line) => /job-[a-z-]+/.exec(line)?.[0]);
  expect(lines.toSorted()).toEqual(['job-of-earlier', 'job-of-ended', 'job-of-gone']);
});

it('an agent marks no pod with an own one that the jobs’ cluster does not show', async () => {
  const claims = {
    namespace: bench.namespace,
    pod: { name: 'agent', uid: '00000000-0000-0000-0000-000000000000' },
  };
  const payload = Buffer.from(JSON.stringify({ 'kubernetes.io': claims })).toString('base64url');
  const annotations = async (agentToken: string) => {
    const container = await bench.prepare({}, bench.target({ agentToken }));
    const read = await bench.kubectl('get', 'pod', container.id, '--output=jsonpath={.metadata.annotations}');
    await container.remove();
    return read;
  };
  expect(await annotations(await bench.file(`e30.${payload}.x`))).not.toContain('agent-pod');
  expect(bench.logged.join('\n')).toMatch(
    /does not show the agent's own pod \S+\/agent\/0{8}\S*: pods "agent" not found/,
  );
});
