import { expect, it } from 'vitest';
import type { Cluster } from '../../../../src/executor/kubernetes/cluster.ts';
import { refusal } from '../../../../src/executor/kubernetes/errors.ts';
import { eventsOf } from '../../../../src/executor/kubernetes/pod/status.ts';

it('an account that may not list events has none of them, unless it is asked to stop', async () => {
  const subject = { verb: 'list', resource: 'events', namespace: 'jobs' };
  const call = () => Promise.reject(refusal(403, '{"kind":"Status","reason":"Forbidden"}', subject));
  const cluster = { call } as unknown as Cluster;
  expect(await eventsOf(cluster, 'p', new AbortController().signal)).toEqual([]);
  await expect(eventsOf(cluster, 'p', AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
});
