import { expect, it } from 'vitest';
import type { Fault } from '../../../../src/base/outcome.ts';
import { executorError, refusal, unreachable } from '../../../../src/executor/kubernetes/errors.ts';

const STREAM = { verb: 'get', resource: 'pods/exec', namespace: 'jobs' } as const;

it.each([
  'pods "x" is forbidden: User "a" cannot create resource "pods/exec" in API group ""',
  // Kubernetes 1.37.2.
  'pods "x" is forbidden: ',
])('a refusal names the verb that the API server checked, whatever the request was: %s', (message) => {
  const refused = refusal(403, JSON.stringify({ kind: 'Status', reason: 'Forbidden', message }), STREAM);
  expect(String(executorError(refused, 'try an exec request'))).toContain(
    `can't create pods/exec in namespace jobs. Add the rule {apiGroups: [""], resources: ["pods/exec"], verbs: ["create"]}`,
  );
});

it('an error says why each address of a server could not be reached', () => {
  const cause = new AggregateError([
    new Error('connect ECONNREFUSED ::1:6443'),
    new Error('connect ETIMEDOUT'),
  ]);
  expect(unreachable('https://api.test:6443', cause).message).toContain(
    'at https://api.test:6443: connect ECONNREFUSED ::1:6443; connect ETIMEDOUT. Check the address',
  );
});

it.each([
  [403, 'Forbidden', 'violates PodSecurity "restricted:latest": runAsNonRoot != true'],
  [
    422,
    'Invalid',
    "ValidatingAdmissionPolicy 'limits' with binding 'limits' denied request: a container needs limits",
  ],
  [400, '', 'admission webhook "pods.acme.example" denied the request: no tag latest'],
])('an error names the admission rule that refuses the pod: %s %s %s', (status, reason, message) => {
  const subject = { verb: 'create', resource: 'pods', namespace: 'jobs' };
  const refused = refusal(
    status,
    JSON.stringify({ kind: 'Status', reason, message: `pods "x": ${message}` }),
    subject,
  );
  expect(executorError(refused, 'try a pod')).toMatchObject({
    code: 'PRA-K8S-09',
    message: expect.stringContaining(
      `an admission rule of the cluster refused it: pods "x": ${message}. Change the pod`,
    ),
  });
});

// The words of Kubernetes 1.33.13.
it.each<[Fault, string]>([
  ['executor', 'error looking up service account jobs/deploy: serviceaccount "deploy" not found'],
  ['executor', 'pod rejected: RuntimeClass "gvisor" not found'],
  ['executor', 'violates PodSecurity "restricted:latest": runAsNonRoot != true'],
  ['executor', 'maximum memory usage per Container is 1Gi, but limit is 2Gi'],
  ['executor', 'no PriorityClass with name urgent was found'],
  ['executor', 'conflict: runtimeClass.scheduling.nodeSelector[pool] = a; pod.spec.nodeSelector[pool] = b'],
  ['executor', 'unable to create new content in namespace jobs because it is being terminated'],
  ['deployment', 'admission webhook "images.acme.example" denied the request: no tag latest'],
  ['deployment', 'image policy webhook backend denied one or more images: unsigned'],
  ['deployment', 'one or more images rejected by webhook backend'],
  ['deployment', "ValidatingAdmissionPolicy 'images' with binding 'images' denied request: no tag latest"],
  [
    'deployment',
    'conflict: runtimeClass.scheduling.nodeSelector[kubernetes.io/arch] = amd64; pod.spec.nodeSelector[kubernetes.io/arch] = arm64',
  ],
  ['executor', 'pod node label selector conflicts with its namespace node label selector'],
])('a refusal of the pod is the fault of the %s: %s', (fault, why) => {
  const subject = { verb: 'create', resource: 'pods', namespace: 'jobs' };
  const message = `pods "x" is forbidden: ${why}`;
  const refused = refusal(403, JSON.stringify({ kind: 'Status', reason: 'Forbidden', message }), subject);
  expect(executorError(refused, 'create the pod')).toMatchObject({ code: 'PRA-K8S-09', fault });
});

it.each([400, 403, 414, 426, 431])('an error says what blocks a stream answered with %s', (status) => {
  const refused = refusal(status, '<html>\n<h1>nginx</h1>', STREAM);
  expect(String(executorError(refused, 'start the pod'))).toContain(
    `Failed to start the pod for the job: a proxy or an ingress in front of the API server answered ${status} (<html> <h1>nginx</h1>). Have it let WebSockets`,
  );
});

it.each([
  ['credentials', 401, 'Unauthorized', 'Unauthorized', 'PRA-K8S-05', false],
  ['a missing right', 403, 'Forbidden', 'User "a" cannot create resource "pods"', 'PRA-K8S-06', false],
  ['a proxy that refuses', 403, '', 'no', 'PRA-K8S-11', false],
  ['a server in trouble', 500, 'InternalError', 'etcd', 'PRA-K8S-12', true],
])('an error about %s says whether it may pass', (_, status, reason, message, code, mayPass) => {
  const refused = refusal(status, JSON.stringify({ kind: 'Status', reason, message }), STREAM);
  expect(executorError(refused, 'start the pod')).toMatchObject({ code, mayPass });
});
