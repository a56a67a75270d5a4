import { expect, it } from 'vitest';
import type { ApiCall, Cluster } from '../../../../src/executor/kubernetes/cluster.ts';
import { ApiRefusedError } from '../../../../src/executor/kubernetes/errors.ts';
import { sweepAbandoned } from '../../../../src/executor/kubernetes/removal.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const { signal } = new AbortController();

/** A pod evicted `minutes` ago whose kubelet had no time to report when its container ended. */
function evicted(minutes: number): object {
  const lastTransitionTime = new Date(NOW - minutes * 60_000).toISOString();
  const terminated = { exitCode: 137, reason: 'ContainerStatusUnknown', startedAt: null, finishedAt: null };
  return {
    metadata: { name: `evicted-${minutes}`, creationTimestamp: '2026-01-01T10:00:00Z' },
    status: {
      phase: 'Failed',
      conditions: [
        { type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T10:00:00Z' },
        { type: 'DisruptionTarget', status: 'True', lastTransitionTime },
      ],
      containerStatuses: [{ name: 'pulumi-workflow', state: { terminated } }],
    },
  };
}

it('a sweep leaves a recently evicted pod to its agent, however long it ran', async () => {
  const call = async ({ verb, resource, name }: ApiCall) => {
    if (verb === 'list') return { items: resource === 'pods' ? [evicted(1), evicted(11)] : [] };
    const subject = { verb, resource, namespace: 'jobs' };
    if (verb === 'get')
      throw new ApiRefusedError(404, { reason: 'NotFound', message: `${name} not found`, subject });
    return {};
  };
  const cluster = { call } as unknown as Cluster;
  expect(await sweepAbandoned(cluster, { ms: 1_000, signal, now: NOW })).toEqual(['Removed pod evicted-11.']);
});

it('a sweep looks up the agents of 50 pods at most, others the next time', async () => {
  const mark = (index: number) => `jobs/agent-${index}/00000000-0000-0000-0000-000000000000`;
  const items = Array.from({ length: 120 }, (_, index) => ({
    metadata: { name: `job-${index}`, annotations: { 'pulumi-runner.agent-pod': mark(index) } },
    status: { phase: 'Running' },
  }));
  const looked = new Set<string>();
  const call = async ({ verb, resource, path = '' }: ApiCall) => {
    if (verb === 'list') return { items: resource === 'pods' ? items : [] };
    looked.add(path);
    return { metadata: { uid: '00000000-0000-0000-0000-000000000000' }, status: { phase: 'Running' } };
  };
  const sweepAt = (now: number) => sweepAbandoned({ call } as unknown as Cluster, { ms: 1_000, signal, now });
  expect(await sweepAt(NOW)).toEqual([]);
  expect(looked.size).toBe(50);
  for (let seconds = 1; seconds < 120; seconds += 40) await sweepAt(NOW + seconds * 1_000);
  expect(looked.size).toBe(120);
});
