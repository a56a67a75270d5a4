import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { BlobStore } from '../emulators/github/azurite.ts';
import type { Deployment } from '../emulators/pulumi-cloud/deployment.ts';
import { bridgeAddress } from '../support/docker/bridge-address.ts';
import { PLACE } from '../support/e2e/place.ts';
import {
  byCommand,
  makeStack,
  PULUMI_IMAGE,
  pulumi,
  pulumiJob,
  REACHABLE,
  resourcesOf,
  runEveryOperation,
  SOFT_TIMEOUT,
  signalsOf,
  untilAtWork,
} from '../support/e2e/pulumi-cli.ts';
import { logOf, onStage, type Stage, startBlobStore } from '../support/e2e/stage.ts';
import { kubectl as administrate, evict, kubernetes } from '../support/kubernetes/cluster.ts';
import { scriptOutput } from '../support/script.ts';

// A pod waits 200 s for a dead agent.
vi.setConfig({ maxConcurrency: 3, testTimeout: 420_000 });

const KNOWN = ['--namespace', 'default', '--ignore-not-found'];
const kubectl = (...words: string[]) => administrate(PLACE.inputs['kubeconfig'] ?? '', ...words);

let blobs: BlobStore;
beforeAll(async () => {
  [blobs] = await Promise.all([startBlobStore(), scriptOutput('pulumi-image', [])]);
  await kubernetes('load', PULUMI_IMAGE);
}, 600_000);
afterAll(() => blobs.stop());

/** An agent's settings for jobs as pods. */
const inPods = () => ({
  PULUMI_AGENT_DEPLOY_TARGET: 'kubernetes',
  PULUMI_AGENT_KUBECONFIG: PLACE.inputs['kubeconfig'] ?? '',
  PULUMI_AGENT_NAMESPACE: 'default',
});

/** The name of the only pod that this run's agents made. */
function podOf(stage: Stage): string {
  const [name = ''] = stage.objectsLeft().flatMap((object) => /^Pod\/(.+)/.exec(object)?.[1] ?? []);
  return name;
}

/** Stops a run once `atWork` resolves, and returns once the pod has ended. */
type Cause = (stage: Stage, atWork: () => Promise<unknown>, deployment: Deployment) => Promise<void>;

const cancelledJob: Cause = async (stage, atWork) => {
  const job = await stage.job({ 'pull-image': 'false' }, REACHABLE);
  const main = await job.startMain();
  await atWork();
  await main.cancel();
  expect(await main.exited).toMatchObject({ conclusion: 'cancelled', outputs: { outcome: 'interrupted' } });
  expect(await job.post()).toMatchObject({ conclusion: 'success' });
  expect(await job.cleanUpOrphans()).toEqual([]);
};

const cancelledInCloud: Cause = (stage, atWork, { id }) =>
  byCommand(stage, inPods(), async ({ ended }) => {
    await atWork();
    stage.cloud.cancel(id);
    await ended;
  });

const softTimeout: Cause = (stage, atWork) =>
  byCommand(stage, { ...inPods(), ...SOFT_TIMEOUT }, async ({ ended }) => {
    await atWork();
    expect((await ended).code).toBe(1);
  });

const eviction: Cause = (stage, atWork) =>
  byCommand(stage, inPods(), async ({ ended }) => {
    await atWork();
    await evict(PLACE.inputs['kubeconfig'] ?? '', 'default', podOf(stage));
    expect((await ended).code).toBe(1);
  });

/** After which the pod interrupts its step itself: once its lease is over, or another agent of this machine removes it. */
const agentDies: Cause = (stage, atWork) =>
  byCommand(stage, inPods(), async ({ child, ended }) => {
    await atWork();
    const pod = podOf(stage);
    child.kill('SIGKILL');
    await ended;
    const phase = () => kubectl('get', 'pod', pod, ...KNOWN, '--output', 'jsonpath={.status.phase}');
    await expect.poll(phase, { timeout: 300_000, interval: 1_000 }).toMatch(/^$|Succeeded|Failed/);
    const left = stage.objectsLeft();
    if (left.length > 0) await kubectl('delete', ...left, ...KNOWN);
  });

describe.concurrent('Pulumi’s CLI in a pod', () => {
  it('updates, refreshes, previews and destroys', () =>
    onStage({ blobStore: blobs, host: bridgeAddress() }, async (stage) => {
      await runEveryOperation(stage, inPods());
    }));

  it.each([
    // First: agents of the others then find its pod.
    ['the agent’s death', agentDies],
    ['a cancelled CI job', cancelledJob],
    ['a cancellation in Pulumi Cloud', cancelledInCloud],
    ['soft_timeout', softTimeout],
    ['its pod’s eviction', eviction],
  ])('writes its state, frees the stack and updates it again after %s', async (_, cause) =>
    onStage({ blobStore: blobs, host: bridgeAddress() }, async (stage) => {
      const stack = makeStack(stage);
      const first = stage.enqueue(pulumiJob(stage, { 'pulumi update': pulumi('up') }, { seconds: 400 }));
      await cause(stage, () => untilAtWork(first), first);
      const [update] = stack.updates;
      expect(update, logOf(first, 1)).toMatchObject({ kind: 'update', status: 'failed' });
      expect(stack.active).toBeUndefined();
      expect(resourcesOf(stack)).toEqual(['first']);
      expect(signalsOf(update)).toEqual(['^C received; cancelling']);
      // A dead agent's deployment occupies its stack until its heartbeats are overdue.
      if (!first.endReason) stage.cloud.cancel(first.id);
      const second = stage.enqueue(pulumiJob(stage, { 'pulumi update': pulumi('up') }));
      await byCommand(stage, inPods(), async ({ ended }) => {
        const { code, stderr } = await ended;
        expect(code, stderr + logOf(second, 1)).toBe(0);
      });
      expect(resourcesOf(stack)).toEqual(['first', 'slow']);
    }),
  );
});
