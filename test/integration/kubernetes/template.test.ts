import type { V1Pod } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cluster } from '../../../src/executor/kubernetes/cluster.ts';
import { podFor } from '../../../src/executor/kubernetes/pod/pod.ts';
import { PodTemplate } from '../../../src/executor/kubernetes/template.ts';
import { clusterBench, NEVER } from './cluster.ts';

const bench = clusterBench();
let cluster: Cluster;
beforeAll(() => {
  cluster = new Cluster({ kubeconfig: bench.kubeconfig, namespace: bench.namespace });
});
afterAll(() => cluster.close());

let pods = 0;
function pod(): V1Pod {
  pods += 1;
  const settings = { graceMs: 120_000, startTimeoutMs: 60_000, memory: '64Mi' };
  return podFor(
    { image: 'pulumi/pulumi:latest', labels: bench.labels },
    { name: `merged-${pods}`, pullSecret: 'registry', settings },
  );
}

/** Has the API server merge a template; returns what is said of it. */
async function refusal(text: string): Promise<string> {
  const merge = async () => new PodTemplate({ text, name: 'pod.yaml' }).mergeOver(pod(), cluster, NEVER);
  return merge().then(
    ({ spec }) => `taken: ${JSON.stringify(spec)}`,
    (error: Error) => `${error.name} ${error.message}`,
  );
}

/** Lines of a pod's spec. */
const spec = (...lines: string[]) => ['spec:', ...lines.map((line) => `  ${line}`), ''].join('\n');
const JOB = '- name: pulumi-workflow';

type Case = [what: string, text: string, why: RegExp];

describe('what the cluster refuses is told in its own words', () => {
  it.each<Case>([
    [
      'a field that no container has',
      spec('containers:', JOB, '  securityContext: {privilegd: false}'),
      /strict decoding error: unknown field "template\.spec\.containers\[0\]\.securityContext\.privilegd"/,
    ],
    ['a field that no pod has', spec('dns.policy: Default'), /unknown field "template\.spec\.dns\.policy"/],
    ['a field that no metadata has', 'metadata: {lables: {a: b}}', /unknown field "template\.metadata\.lables"/],
    ['a value that is missing', spec('containers:', '- name: b'), /containers\[0\]\.image: Required value/],
    ['a value that may not be', spec('volumes:', '- name: B'), /volumes\[0\]\.name: Invalid value: "B"/],
    ['a label', 'metadata: {labels: {c: d e}}', /template\.labels: Invalid value: "d e"/],
    ['a number for a text', spec('containers:', '- {name: b, image: 5}'), /cannot convert int64/],
    ['a text for a list', spec('containers: hello'), /cannot restore slice from string/],
    ['a list for a mapping', spec('securityContext: [a]'), /./],
    ['a quantity', spec('containers:', JOB, '  resources: {limits: {memory: 4GB}}'), /quantities must match/],
    ['texts in a list of mappings', spec('containers: [a]'), /list element types are not identical\. /],
    ['an element without its key', spec('containers:', '- image: x'), /an element lacks its key: name/],
    ['an unknown directive', spec('containers:', '- {name: a, $patch: remove}'), /unknown patch type: remove/],
    ['keys to keep, and others', spec('dnsPolicy: Default', '$retainKeys: [containers]'), /retainKeys/],
  ])('%s', async (_, text, why) => {
    const said = await refusal(text);
    expect(said).toMatch(
      /^PodTemplateError Failed to use the pod template for jobs: pod\.yaml is refused by the cluster: /,
    );
    expect(said).toMatch(why);
    expect(said).not.toContain('while read');
  });

  it('unless it is the pod itself that the cluster refuses', async () => {
    const broken = { ...pod(), spec: { ...pod().spec, serviceAccountName: 'No_Name', containers: [] } };
    const merged = new PodTemplate({ text: spec('dnsPolicy: Default'), name: 'pod.yaml' }).mergeOver(
      broken,
      cluster,
      NEVER,
    );
    await expect(merged).rejects.toThrow(
      /^Failed to merge the pod template for the job: the cluster calls it invalid: /,
    );
  });
});

describe('what the agent lives by is named', () => {
  it.each<Case>([
    ['the restart policy', spec('dnsPolicy: Default', 'restartPolicy: Always'), /changes spec\.restartPolicy/],
    [
      'the command, in a container behind another',
      spec('containers:', '- {name: a, image: x}', JOB, '  command: [sh]'),
      /changes the command of container/,
    ],
    [
      'the container, taken away',
      spec('containers:', '- {name: a, image: x}', '- {name: pulumi-workflow, $patch: delete}'),
      /takes away the container/,
    ],
    [
      'the container, replaced with the list',
      spec('containers:', '- {name: a, image: x}', '- $patch: replace'),
      /takes away/,
    ],
    [
      'the container, replaced by itself',
      spec('containers:', '- {name: a, image: x}', '- name: pulumi-workflow', '  image: x', '  $patch: replace'),
      /takes away the container|changes/,
    ],
    [
      'a volume',
      spec('volumes:', '- name: a', '- name: pulumi', '  emptyDir: null', '  hostPath: {path: /}'),
      /changes the volume pulumi,/,
    ],
    [
      'a mount',
      spec(
        'containers:',
        JOB,
        '  volumeMounts:',
        '  - {name: pulumi, mountPath: /a}',
        '  - {name: pulumi, mountPath: /mnt/pulumi, readOnly: true}',
      ),
      /changes what is mounted at \/mnt\/pulumi,/,
    ],
    [
      'a label',
      'metadata:\n  labels:\n    a: b\n    app.kubernetes.io/name: mine\n',
      /changes the label app\.kubernetes\.io\/name/,
    ],
    [
      'no time to end in order',
      spec('terminationGracePeriodSeconds: 0'),
      /terminationGracePeriodSeconds to 0, .* needs 135 /,
    ],
    ['Kubernetes’ own time', spec('terminationGracePeriodSeconds: null'), /GracePeriodSeconds to 30, .* needs 135 /],
    [
      'where the pod says why it ended',
      spec('containers:', JOB, '  terminationMessagePath: /tmp/end'),
      /changes the terminationMessagePath of/,
    ],
    ['a deadline for the pod', spec('activeDeadlineSeconds: 3600'), /sets spec\.activeDeadlineSeconds, /],
    [
      'a probe that ends the container',
      spec('containers:', JOB, '  livenessProbe:', '    exec: {command: [x]}'),
      /sets the livenessProbe of/,
    ],
    [
      'a probe at its start',
      spec('containers:', JOB, '  startupProbe: {exec: {command: [x]}}'),
      /sets the startupProbe of/,
    ],
    [
      'a hook that the interrupt waits for',
      spec('containers:', JOB, '  lifecycle:', '    preStop: {sleep: {seconds: 9}}'),
      /sets the preStop hook/,
    ],
    [
      'a command by an alias',
      spec('containers:', '- &a', '  name: pulumi-workflow', '  command: [sh]', '- *a'),
      /changes the command/,
    ],
  ])('%s', async (_, text, why) => {
    const said = await refusal(text);
    expect(said).toContain('PodTemplateError Failed to use the pod template for jobs: pod.yaml ');
    expect(said).toMatch(why);
  });
});

it('gives a pod more time to end than it needs, and hooks and probes that end nothing', async () => {
  const text = spec(
    'terminationGracePeriodSeconds: 600',
    'containers:',
    JOB,
    '  readinessProbe: {exec: {command: [x]}}',
    '  lifecycle: {postStart: {exec: {command: [x]}}}',
    '- {name: sidecar, image: x, livenessProbe: {exec: {command: [x]}}}',
  );
  const { spec: merged } = await new PodTemplate({ text, name: 'pod.yaml' }).mergeOver(pod(), cluster, NEVER);
  expect(merged?.terminationGracePeriodSeconds).toBe(600);
  expect(merged?.containers.map(({ lifecycle, livenessProbe }) => [lifecycle, livenessProbe] as const)).toMatchObject([
    [{ postStart: { exec: {} } }, undefined],
    [undefined, { exec: {} }],
  ]);
});

it('is refused before any claim where it sets what the run marks its pods with', async () => {
  const labels = { 'acme.example/run': '7' };
  const template = 'metadata:\n  labels:\n    acme.example/run: mine\n';
  const check = (options: object) => bench.target({ template, ...options }).check(NEVER);
  expect(await check({})).toContain(bench.namespace);
  await expect(check({ labels })).rejects.toMatchObject({
    outcome: 'config-error',
    message: expect.stringContaining('pod_template changes the label acme.example/run, '),
  });
});

it('takes what YAML can say in several ways', async () => {
  const text = [
    '---',
    'kind: Pod',
    'spec:',
    '  initContainers:',
    '  - &tool',
    '    name: tool',
    '    image: x',
    '    env: &variables [{name: A, value: "1"}]',
    '  - <<: *tool',
    '    name: other',
    '  containers:',
    '  - name: pulumi-workflow',
    '    env: *variables',
    '...',
    '',
  ].join('\r\n');
  const { spec: merged } = await new PodTemplate({ text, name: 'pod.yaml' }).mergeOver(pod(), cluster, NEVER);
  const env = [{ name: 'A', value: '1' }];
  expect(merged?.initContainers).toMatchObject([
    { name: 'tool', image: 'x', env },
    { name: 'other', image: 'x', env },
  ]);
  expect(merged?.containers).toMatchObject([{ name: 'pulumi-workflow', env }]);
});
