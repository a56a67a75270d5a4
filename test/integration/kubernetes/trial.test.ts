import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { AgentConfig } from '../../../src/base/config/agent-config.ts';
import { executorFor } from '../../../src/executor/targets.ts';
import { trialExecutor, trialOn } from '../../../src/executor/trial.ts';
import { configOf } from '../../support/agent/config-of.ts';
import { clusterBench, JOB_IMAGE, NEVER } from '../../support/kubernetes/cluster.ts';

const bench = clusterBench();

interface Pods {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
    readonly spec: { readonly containers: readonly { readonly imagePullPolicy: string }[] };
  }[];
}

/** The trial of an agent with these settings, on its own executor as the agent's is. */
async function trialWith(settings: Readonly<Record<string, string>> = {}) {
  const config: AgentConfig = configOf({
    token: 'pul-1',
    deploy_target: 'kubernetes',
    kubeconfig: bench.kubeconfig,
    namespace: bench.namespace,
    pod_template: 'metadata: {labels: {team: platform}}',
    debug_pod: 'true',
    ...settings,
  });
  const sources = { environment: process.env, logger: () => undefined };
  const executor = await executorFor(config, sources);
  const own = await trialExecutor(executor, config, sources);
  const trial = trialOn(own, config, bench.labels);
  const close = () => Promise.all([own, executor].map((each) => each.close()));
  return { trial, close };
}

/** The pods that there are while `work` lasts, by name. */
async function podsDuring(work: Promise<unknown>) {
  const seen = new Map<string, Pods['items'][number]>();
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  for (; !isOver; await sleep(200)) {
    const { items } = JSON.parse(await bench.kubectl('get', 'pods', '--output', 'json')) as Pods;
    for (const pod of items) seen.set(pod.metadata.name, pod);
  }
  return [...seen.values()];
}

it('a trial on a cluster is one pod of the agent’s template, which pulls nothing and goes even if pods are kept', async () => {
  const { trial, close } = await trialWith();
  const making = trial(JOB_IMAGE, NEVER);
  const pods = await podsDuring(making);
  expect(await making).toBe(true);
  expect(pods).toEqual([
    expect.objectContaining({
      metadata: expect.objectContaining({
        labels: expect.objectContaining({ team: 'platform', 'pulumi-runner.run': 'trial' }),
      }),
      spec: expect.objectContaining({
        containers: [expect.objectContaining({ imagePullPolicy: 'Never' })],
      }),
    }),
  ]);
  await expect.poll(bench.objects, { timeout: 30_000 }).toEqual([]);
  await close();
}, 120_000);

it('a trial proves nothing with an image that is not on the node', async () => {
  const { trial, close } = await trialWith({ pod_start_timeout: '30s' });
  expect(await trial('docker.io/pulumi-runner-test/none:1', NEVER)).toBe(false);
  await expect.poll(bench.objects, { timeout: 30_000 }).toEqual([]);
  await close();
}, 180_000);

it('a trial in a full namespace ends with its dry run, and makes no pod', async () => {
  await bench.apply({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'full' },
    spec: { hard: { pods: '0' } },
  });
  // The API server refuses by a quota once its controller has counted what there is.
  const counted = () =>
    bench.kubectl('get', 'resourcequota', 'full', '--output', 'jsonpath={.status.hard.pods}');
  await expect.poll(counted, { timeout: 30_000 }).toBe('0');
  const { trial, close } = await trialWith();
  const making = trial(JOB_IMAGE, NEVER);
  const refused = expect(making).rejects.toMatchObject({ code: 'PRA-K8S-07', fault: 'executor' });
  expect(await podsDuring(making)).toEqual([]);
  await refused;
  await close();
}, 120_000);
