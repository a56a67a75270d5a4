import type { CoreV1Event } from '@kubernetes/client-node';
import { expect, it } from 'vitest';
import { endingFrom } from '../../../../src/executor/kubernetes/pod/loss.ts';
import { eventText } from '../../../../src/executor/kubernetes/pod/status.ts';

const NODE = 'gone.example';
const target = (reason: string, message: string) => ({
  conditions: [{ type: 'DisruptionTarget', status: 'True', reason, message }],
});
const ended = (terminated: { exitCode: number; reason?: string; message?: string }) => {
  const container = { name: 'pulumi-workflow', image: '', imageID: '', ready: false, restartCount: 0 };
  return { phase: 'Failed', containerStatuses: [{ ...container, state: { terminated } }] };
};
const byKubelet = (reason: string, message: string) => ({
  ...target('TerminationByKubelet', message),
  ...ended({ exitCode: 137 }),
  reason,
  message,
});

it.each([
  [target('PreemptionByScheduler', 'preempting'), 'the pod was preempted: preempting. Give jobs a priorityClassName'],
  [
    target('DeletionByTaintManager', 'deleting'),
    'its node gone.example got a taint that the pod does not tolerate: deleting. See',
  ],
  [target('EvictionByEvictionAPI', 'evicting'), 'the pod was evicted: evicting. Look for kubectl drain'],
  [target('DeletionByPodGC', 'no such node'), 'its node gone.example is gone: no such node. See kubectl get nodes'],
  [target('DeletionBySomething', 'so it is'), 'the cluster ended the pod (DeletionBySomething): so it is. See'],
  [byKubelet('Evicted', 'low on memory. '), 'the pod was evicted by its node gone.example: low on memory. Ask for'],
  [byKubelet('Terminated', 'node shutdown.'), 'its node gone.example was shut down: node shutdown. Keep nodes'],
  [byKubelet('Preempting', 'critical pod'), 'its node gone.example made room for a pod of the system: critical pod.'],
  [ended({ exitCode: 137, reason: 'OOMKilled' }), 'the container ran out of memory (OOMKilled). Give jobs more'],
  [ended({ exitCode: 1, reason: 'OOMKilled' }), 'the container ended (OOMKilled, exit code 1). Look'],
  [{ phase: 'Running' }, 'its node gone.example does not answer any more. See kubectl get nodes'],
])('says why a pod ended, by what the cluster says of it: %j', (status, expected) => {
  expect(endingFrom({ status }, [], NODE).join('. ')).toContain(expected);
});

it('says why a pod is gone by its events, the last one that decides', () => {
  const events: CoreV1Event[] = [];
  const after = (reason?: string, message = '') => {
    if (reason !== undefined) events.push({ reason, message, involvedObject: {}, metadata: {} });
    return endingFrom(undefined, events, NODE).join('. ');
  };
  after('TaintManagerEviction', 'Cancelling deletion of Pod x');
  expect(after()).toMatch(/^the pod was deleted from outside\. .* whether its node gone\.example is still there\.$/);
  after('NodeNotReady');
  expect(after('TaintManagerEviction', 'Marking for deletion Pod x')).toMatch(
    /^its node gone\.example does not answer any more, and the pod was deleted\. See kubectl get nodes\. If/,
  );
  after('Killing');
  expect(after('Preempted', 'Preempted by pod y')).toMatch(/^the pod was preempted: Preempted by pod y\. Give/);
});

it('names no deletion that the cluster took back among the last events', () => {
  const event = (message: string) => ({
    type: 'Normal',
    reason: 'TaintManagerEviction',
    message,
    involvedObject: {},
    metadata: {},
  });
  expect(eventText([event('Cancelling deletion of Pod x')])).toBe('');
  expect(eventText([event('Marking for deletion Pod x')])).toBe(' (TaintManagerEviction: Marking for deletion Pod x)');
});
