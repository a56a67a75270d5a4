import { expect, it } from 'vitest';
import type { AgentConfig } from '../../../src/base/config/agent-config.ts';
import { executorFor } from '../../../src/executor/targets.ts';
import { trialExecutor, trialOn } from '../../../src/executor/trial.ts';
import { configOf } from '../../support/agent/config-of.ts';
import { clusterBench, JOB_IMAGE, NEVER } from '../../support/kubernetes/cluster.ts';

const bench = clusterBench();

interface Pod {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly containers: readonly { readonly imagePullPolicy: string }[] };
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

/** The pods that are made while `work` lasts: the API server keeps their events. */
async function podsMadeDuring(work: () => Promise<unknown>): Promise<Pod[]> {
  const path = `/api/v1/namespaces/${bench.namespace}/pods`;
  const { metadata } = JSON.parse(await bench.kubectl('get', '--raw', path)) as {
    metadata: { resourceVersion: string };
  };
  await work();
  const since = `watch=1&timeoutSeconds=1&resourceVersion=${metadata.resourceVersion}`;
  const events = await bench.kubectl('get', '--raw', `${path}?${since}`);
  return events
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { type: string; object: Pod })
    .filter(({ type }) => type === 'ADDED')
    .map(({ object }) => object);
}

it('a trial on a cluster is one pod of the agent’s template, which pulls nothing and goes even if pods are kept', async () => {
  const { trial, close } = await trialWith();
  const pods = await podsMadeDuring(async () => expect(await trial(JOB_IMAGE, NEVER)).toBe(true));
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
  const refused = { code: 'PRA-K8S-07', fault: 'executor' };
  const pods = await podsMadeDuring(() => expect(trial(JOB_IMAGE, NEVER)).rejects.toMatchObject(refused));
  expect(pods).toEqual([]);
  await close();
}, 120_000);
