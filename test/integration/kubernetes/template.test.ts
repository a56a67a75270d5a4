import type { V1Pod } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Cluster } from '../../../src/executor/kubernetes/cluster.ts';
import { podFor } from '../../../src/executor/kubernetes/pod/pod.ts';
import { mergeOver, TemplateFile } from '../../../src/executor/kubernetes/template.ts';
import { clusterBench, NEVER } from '../../support/kubernetes/cluster.ts';

const bench = clusterBench();
let cluster: Cluster;
beforeAll(() => {
  cluster = new Cluster({ kubeconfig: bench.kubeconfig, namespace: bench.namespace });
});
afterAll(() => cluster.close());

let pods = 0;
function pod(): V1Pod {
  pods += 1;
  const settings = { cancelGracePeriodMs: 120_000, podStartTimeoutMs: 60_000, memoryBytes: 64 * 1024 ** 2 };
  return podFor(
    { image: 'pulumi/pulumi:latest', labels: bench.labels },
    { name: `merged-${pods}`, settings },
  );
}

/** Has the API server merge a template over a job's pod. */
const merge = async (text: string, over = pod()) =>
  mergeOver(over, new TemplateFile({ text, name: 'pod.yaml' }), cluster, NEVER);

/** A template with these lines in the pod's spec or, for `job`, in the job's container. */
const spec = (...lines: string[]) => ['spec:', ...lines.map((line) => `  ${line}`), ''].join('\n');
const job = (...lines: string[]) =>
  spec('containers:', '- name: pulumi-workflow', ...lines.map((line) => `  ${line}`));

it.each([
  [
    job('securityContext: {privilegd: false}'),
    /unknown field "template\.spec\.containers\[0\]\.\w+\.privilegd"/,
  ],
  ['containers: []', /unknown field "template\.containers"/],
  ['metadata: {labels: {c: d e}}', /template\.labels: Invalid value: "d e"/],
  [spec('containers: hello'), /cannot restore slice from string/],
  [spec('containers: [a]'), /list element types are not identical\. /],
  [spec('containers:', '- image: x'), /an element lacks its key: name/],
  [spec('containers:', '- {name: a, $patch: remove}'), /unknown patch type: remove/],
])('a template that the cluster refuses fails with the cluster’s reason: %j', async (text, why) => {
  const error = await merge(text).then(String, String);
  expect(error).toMatch(
    /^PodTemplateError: Failed to use the pod template for jobs: pod\.yaml is refused by the cluster: /,
  );
  expect(error).toMatch(why);
  expect(error).not.toContain('while read');
});

it('a pod that the cluster refuses by itself is not blamed on the template', async () => {
  const broken = { ...pod(), spec: { ...pod().spec, serviceAccountName: 'No_Name', containers: [] } };
  await expect(merge(spec('dnsPolicy: Default'), broken)).rejects.toThrow(
    /^Failed to merge the pod template for the job: the cluster calls it invalid: /,
  );
});

it.each([
  [spec('restartPolicy: Always'), /changes spec\.restartPolicy/],
  [
    spec('containers:', '- {name: a, image: x}', '- {name: pulumi-workflow, command: [sh]}'),
    /changes the command of/,
  ],
  [spec('containers:', '- {name: a, image: x}', '- $patch: replace'), /removes the container/],
  [spec('volumes:', '- {name: pulumi, emptyDir: null, hostPath: {path: /}}'), /changes the volume pulumi,/],
  [job('volumeMounts: [{name: pulumi, mountPath: /mnt/pulumi, readOnly: true}]'), /changes the mount at/],
  ['metadata: {labels: {app.kubernetes.io/name: mine}}', /changes the label app\.kubernetes\.io\/name/],
  ['metadata: {annotations: {pulumi-runner.job: "7"}}', /changes the annotation pulumi-runner\.job/],
  [spec('terminationGracePeriodSeconds: null'), /GracePeriodSeconds to 30, .* needs 135 /],
  [job('terminationMessagePath: /tmp/end'), /changes the terminationMessagePath of/],
  [job('livenessProbe: {exec: {command: [x]}}'), /sets the livenessProbe of/],
  [job('lifecycle: {preStop: {sleep: {seconds: 9}}}'), /sets the preStop hook/],
])('a template can’t change what the agent depends on: %j', async (text, why) => {
  const error = await merge(text).then(String, String);
  expect(error).toMatch(/^PodTemplateError: Failed to use the pod template for jobs: pod\.yaml /);
  expect(error).toMatch(why);
});

it('a template may add hooks and probes that end nothing, and more time to end', async () => {
  const hooks = ['readinessProbe: {exec: {command: [x]}}', 'lifecycle: {postStart: {exec: {command: [x]}}}'];
  const { spec: merged } = await merge(`${job(...hooks)}  terminationGracePeriodSeconds: 600`);
  expect(merged?.terminationGracePeriodSeconds).toBe(600);
  expect(merged?.containers).toMatchObject([{ lifecycle: { postStart: {} }, readinessProbe: {} }]);
});

it('a template that sets a label of the run’s pods is refused before any claim', async () => {
  const template = 'metadata:\n  labels:\n    acme.example/run: mine\n';
  const check = (options: object) => bench.target({ podTemplate: template, ...options }).check(NEVER);
  expect(await check({})).toContain(bench.namespace);
  await expect(check({ labels: { 'acme.example/run': '7' } })).rejects.toMatchObject({
    outcome: 'config-error',
    code: 'PRA-K8S-14',
    message: expect.stringContaining('pod_template changes the label acme.example/run, '),
  });
});
