import { describe, expect, it } from 'vitest';
import type { ApiCall, Cluster } from '../../../../src/executor/kubernetes/cluster.ts';
import { ApiRefusedError } from '../../../../src/executor/kubernetes/errors.ts';
import { preparePod } from '../../../../src/executor/kubernetes/pod/prepare.ts';

const { signal } = new AbortController();

/** Prepares a pod on a cluster that ends it with this runtime class, or refuses to create it. */
async function prepare(pod: { runtimeClassName?: string } | 'refused', debugPod = false) {
  const calls: string[] = [];
  const warnings: string[] = [];
  const live = new Set<string>();
  const call = async ({ verb, resource, name = '' }: ApiCall) => {
    const subject = { verb, resource, namespace: 'jobs' };
    const missing = new ApiRefusedError(404, { reason: 'NotFound', message: 'not found', subject });
    if (resource === 'events') return { items: [] };
    if (verb !== 'get') calls.push(`${verb} ${resource}`);
    if (verb === 'create' && resource === 'pods' && pod === 'refused')
      throw new ApiRefusedError(422, { reason: 'Invalid', message: 'bad', subject });
    if (verb === 'create') live.add(resource);
    else if (!live.has(resource) || name === '') throw missing;
    if (verb === 'delete') live.delete(resource);
    const containerStatuses = [{ name: 'pulumi-workflow', state: { running: {} } }];
    return { spec: pod, status: { phase: 'Running', containerStatuses } };
  };
  const cluster = { call, namespace: async () => 'jobs' };

  const error = await preparePod(cluster as unknown as Cluster, {
    spec: {
      image: 'job',
      pull: false,
      credentials: { username: 'reader', password: 'ca-na-ry' },
      labels: {},
      files: [],
      environmentFile: '/PULUMI_ENV',
    },
    settings: {
      cancelGracePeriodMs: 1_000,
      podStartTimeoutMs: 1_000,
      containerRuntime: 'gvisor',
      debugPod,
      agentToken: '/nonexistent',
    },
    template: async (body) => body,
    progress: async () => undefined,
    signal,
    stopMs: 1_000,
    logger: (_, text) => warnings.push(text),
  }).catch((reason: unknown) => reason);
  return { calls, warnings, live: [...live], error };
}

const MADE = ['create secrets', 'create pods'];

describe('a pod in preparation', () => {
  it('leaves nothing if the cluster refuses it', async () => {
    const { calls, warnings, live, error } = await prepare('refused');
    expect(calls).toEqual([...MADE, 'delete pods', 'delete secrets']);
    expect(error).toMatchObject({ code: 'PRA-K8S-10' });
    expect({ live, warnings }).toEqual({ live: [], warnings: [] });
  });

  it('leaves nothing if it runs otherwise than requested', async () => {
    const { live, warnings, error } = await prepare({ runtimeClassName: 'runc' });
    expect(error).toMatchObject({ code: 'PRA-CONTAINER-09' });
    expect({ live, warnings }).toEqual({ live: [], warnings: [] });
  });

  it('stays for inspection, without its pull secret, if the settings keep it', async () => {
    const { live, warnings, error } = await prepare({ runtimeClassName: 'runc' }, true);
    expect(error).toMatchObject({ code: 'PRA-CONTAINER-09' });
    expect(live).toEqual(['pods']);
    expect(warnings).toEqual([
      expect.stringMatching(/, which failed to start, is kept for inspection: kubectl/),
    ]);
  });
});
