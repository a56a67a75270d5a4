import type { CoreV1Event } from '@kubernetes/client-node';
import { expect, it } from 'vitest';
import type { ContainerSpec } from '../../../../src/executor/executor.ts';
import type { Cluster } from '../../../../src/executor/kubernetes/cluster.ts';
import { refusal } from '../../../../src/executor/kubernetes/errors.ts';
import { endingFrom } from '../../../../src/executor/kubernetes/pod/loss.ts';
import { podFor } from '../../../../src/executor/kubernetes/pod/pod.ts';
import { eventsOf } from '../../../../src/executor/kubernetes/pod/status.ts';

it('a pod contains no secret of its job', () => {
  const value = 'canary-8f2c61d07b';
  const spec: ContainerSpec = {
    image: 'acme/app:1',
    pull: true,
    labels: { 'pulumi-runner.run': 'run-1' },
    credentials: { username: 'reader', password: value },
    files: [{ path: '/mnt/pulumi/pulumi.oidc', mode: 0o600, content: value }],
    environmentFile: '/PULUMI_ENV',
  };
  const settings = { cancelGracePeriodMs: 1_000, podStartTimeoutMs: 1_000 };
  const pod = podFor(spec, { name: 'pulumi-runner-1', pullSecret: 'pulumi-runner-1', settings });
  expect(pod.spec?.imagePullSecrets).toEqual([{ name: 'pulumi-runner-1' }]);
  expect(JSON.stringify(pod)).not.toContain(value);
});

it.each([
  ['a job’s timeout', { timeoutMs: 3_600_000 }, {}, 3_600 + 2 * 90 + 900],
  ['none without a timeout', {}, {}, undefined],
  ['none for a kept pod', { timeoutMs: 3_600_000 }, { debugPod: true }, undefined],
  ['the longest that Kubernetes takes', { timeoutMs: 1e15 }, {}, 2_147_483_647],
])('a pod’s deadline, which its job can’t write, comes after every grace: %s', (_, job, more, seconds) => {
  const settings = { cancelGracePeriodMs: 90_000, podStartTimeoutMs: 1_000, ...more };
  expect(
    podFor({ image: 'acme/app:1', labels: {}, ...job }, { name: 'p', settings }).spec?.activeDeadlineSeconds,
  ).toBe(seconds);
});

it('an account that may not list events sees none, but still obeys a stop', async () => {
  const subject = { verb: 'list', resource: 'events', namespace: 'jobs' };
  const call = () => Promise.reject(refusal(403, '{"kind":"Status","reason":"Forbidden"}', subject));
  const cluster = { call } as unknown as Cluster;
  expect(await eventsOf(cluster, 'p', new AbortController().signal)).toEqual([]);
  await expect(eventsOf(cluster, 'p', AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
});

const target = (reason: string, message: string) => ({
  conditions: [{ type: 'DisruptionTarget', status: 'True', reason, message }],
});
const ended = (terminated: { exitCode: number; reason?: string; message?: string }) => {
  const container = { name: 'pulumi-workflow', image: '', imageID: '', ready: false, restartCount: 0 };
  return { phase: 'Failed', containerStatuses: [{ ...container, state: { terminated } }] };
};
const ready = (pod: string, containers: string) => ({
  phase: 'Running',
  conditions: [
    { type: 'Ready', status: pod },
    { type: 'ContainersReady', status: containers },
  ],
});
const byKubelet = (reason: string, message: string) => ({
  ...target('TerminationByKubelet', message),
  ...ended({ exitCode: 137 }),
  reason,
  message,
});

it.each([
  [
    target('PreemptionByScheduler', 'preempting'),
    'the pod was preempted: preempting. Give jobs a priorityClassName',
  ],
  [
    target('DeletionByTaintManager', 'deleting'),
    'its node got a taint that the pod does not tolerate: deleting. See',
  ],
  [target('EvictionByEvictionAPI', 'evicting'), 'the pod was evicted: evicting. Look for kubectl drain'],
  [target('DeletionByPodGC', 'no such node'), 'its node is gone: no such node. See kubectl get nodes'],
  [
    target('DeletionBySomething', 'so it is'),
    'the cluster ended the pod (DeletionBySomething): so it is. See',
  ],
  [byKubelet('Evicted', 'low on memory. '), 'the pod was evicted by its node: low on memory. Request'],
  [byKubelet('Terminated', 'node shutdown.'), 'its node was shut down: node shutdown. Keep nodes'],
  [
    { reason: 'OutOfcpu', message: 'Pod was rejected.' },
    'the cluster ended the pod (OutOfcpu): Pod was rejected. See',
  ],
  [
    ended({ exitCode: 137, reason: 'OOMKilled' }),
    'the container ran out of memory (OOMKilled). Give jobs more',
  ],
  [ended({ exitCode: 1, reason: 'OOMKilled' }), 'the container ended (OOMKilled, exit code 1). Look'],
  [ready('False', 'True'), 'its node no longer answers. See kubectl get nodes'],
  [
    ready('True', 'True'),
    'the pod no longer answers, although the cluster considers its node ready. Look for a step',
  ],
  [
    ready('False', 'False'),
    'the pod no longer answers, although the cluster considers its node ready. Look for a step',
  ],
])('a pod’s end is explained by its status: %j', (status, expected) => {
  expect(endingFrom({ status }, []).join('. ')).toContain(expected);
});

it('a deleted pod’s end is explained by its last decisive event', () => {
  const events: CoreV1Event[] = [];
  const after = (reason?: string, message = '') => {
    if (reason !== undefined) events.push({ reason, message, involvedObject: {}, metadata: {} });
    return endingFrom(undefined, events).join('. ');
  };
  after('TaintManagerEviction', 'Cancelling deletion of Pod x');
  expect(after()).toMatch(/^the pod was deleted from outside\. Look for/);
  after('NodeNotReady');
  expect(after('TaintManagerEviction', 'Marking for deletion Pod x')).toMatch(
    /^its node no longer answers\. See kubectl get nodes\. If/,
  );
  after('Killing');
  expect(after('Preempted', 'Preempted by pod y')).toMatch(
    /^the pod was preempted: Preempted by pod y\. Give/,
  );
});
