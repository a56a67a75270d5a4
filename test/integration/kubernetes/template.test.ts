import type { V1Pod } from '@kubernetes/client-node';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cluster } from '../../../src/target/kubernetes/cluster.ts';
import { podFor } from '../../../src/target/kubernetes/pod.ts';
import { PodTemplate } from '../../../src/target/kubernetes/template.ts';
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

/** Has the API server merge a template; a `▶` in it stands before what is wrong. Returns the sentence, and the place of the mark. */
async function refusal(marked: string): Promise<{ said: string; place: string }> {
  const before = (marked.split('▶')[0] ?? '').replace('\uFEFF', '').split('\n');
  const text = marked.replace('▶', '');
  const merge = async () => new PodTemplate({ text, name: 'pod.yaml' }).mergeOver(pod(), cluster, NEVER);
  const said = await merge().then(
    ({ spec }) => `taken: ${JSON.stringify(spec)}`,
    (error: Error) => `${error.name} ${error.message}`,
  );
  return { said, place: `pod.yaml:${before.length}:${(before.at(-1) ?? '').length + 1} ` };
}

/** Lines of a pod's spec. */
const spec = (...lines: string[]) => ['spec:', ...lines.map((line) => `  ${line}`), ''].join('\n');
const JOB = '- name: pulumi-workflow';

type Case = [what: string, text: string, why: RegExp];

describe('a field that no pod has is named by its line', () => {
  it.each<Case>([
    [
      'in the second container',
      spec('containers:', JOB, '  env: []', '- name: sidecar', '  image: x', '  ▶foo: 1'),
      /"template\.spec\.containers\[1\]\.foo"/,
    ],
    [
      'in the job’s, behind another',
      spec('containers:', '- name: sidecar', '  image: x', JOB, '  ▶comand: [a]'),
      /\.comand"/,
    ],
    [
      'in the only one of the file, which is not the pod’s first',
      spec('volumes:', '- name: pulumi-runner', '- name: a', '  ▶emptydir: {}'),
      /"template\.spec\.volumes\[2\]\.emptydir"/,
    ],
    [
      'behind one that is deleted',
      spec('volumes:', '- {name: gone, $patch: delete}', '- name: a', '  ▶hostpath: /'),
      /./,
    ],
    [
      'in the second of two of one name',
      spec('containers:', '- name: a', '  image: x', '- name: a', '  ▶imagee: y'),
      /containers\[0\]\.imagee/,
    ],
    ['in an init container', spec('initContainers:', '- name: a', '  image: x', '- name: b', '  ▶comand: [a]'), /./],
    [
      'in a port',
      spec('containers:', JOB, '  ports:', '  - containerPort: 80', '  - containerPort: 81', '    ▶prot: TCP'),
      /./,
    ],
    ['in a variable', spec('containers:', JOB, '  env: [{name: A, value: a}, {name: B, ▶valu: b}]'), /env\[1\]\.valu/],
    [
      'in a mount',
      spec('containers:', JOB, '  volumeMounts:', '  - mountPath: /a', '    name: pulumi', '    ▶readonly: true'),
      /./,
    ],
    [
      'in a toleration',
      spec('tolerations:', '- key: a', '- key: b', '  ▶opertor: Exists'),
      /tolerations\[1\]\.opertor/,
    ],
    ['with a mapping below it', spec('containers:', JOB, '  ▶resource:', '    limits: {cpu: 1}'), /./],
    ['with dots in its name', spec('▶dns.policy: Default'), /template\.spec\.dns\.policy/],
    ['in metadata', 'metadata:\n  labels: {a: b}\n  ▶lables: {a: b}\n', /template\.metadata\.lables/],
    [
      'under an order of its own',
      spec(
        '$setElementOrder/containers: [{name: b}, {name: a}, {name: pulumi-workflow}]',
        'containers:',
        '- {name: b, image: x}',
        '- {name: a, image: x, ▶foo: 1}',
      ),
      /containers\[1\]\.foo/,
    ],
    ['in what an alias repeats', spec('containers:', '- &a', '  name: a', '  ▶foo: 1', '- *a'), /./],
    [
      'in what is merged in',
      spec('initContainers:', '- &a', '  name: a', '  image: x', '  ▶foo: 1', 'containers:', '- <<: *a', '  name: b'),
      /./,
    ],
    [
      'in JSON, indented by tabs',
      '{\n\t"spec": {\n\t\t"tolerations": [\n\t\t\t{"key": "a", ▶"kee": "b"}\n\t\t]\n\t}\n}\n',
      /./,
    ],
    [
      'with the line breaks of Windows',
      spec('dnsPolicy: Default', '▶dnspolicy: Default').replaceAll('\n', '\r\n'),
      /./,
    ],
    ['behind a byte order mark', '\uFEFFspec: {▶dnspolicy: Default}\n', /./],
    ['behind a separator and a comment', `# ours\n---\n${spec('▶dnspolicy: Default')}---\n# the end\n`, /./],
  ])('%s', async (_, text, why) => {
    const { said, place } = await refusal(text);
    expect(said).toContain(`${place}is refused by the cluster: strict decoding error: unknown field`);
    expect(said).toMatch(why);
  });
});

describe('a value that no pod may have is named by its line', () => {
  it.each<Case>([
    [
      'missing in the third container',
      spec('containers:', JOB, '- {name: a, image: x}', '- ▶name: b'),
      /containers\[2\]\.image: Required value/,
    ],
    [
      'where the file does not name the job’s',
      spec('containers:', '- {name: a, image: x}', '- ▶name: b'),
      /\[1\]\.image: Req/,
    ],
    [
      'in a volume before the pod’s own',
      spec('volumes:', '- name: a', '- name: ▶B', '- name: pulumi-runner'),
      /volumes\[1\]\.name: Invalid value: "B"/,
    ],
    [
      'in a volume behind the pod’s own, that the file leaves out',
      spec('volumes:', '- name: pulumi-runner', '- name: ▶B'),
      /volumes\[2\]\.name: Invalid value: "B"/,
    ],
    [
      'behind one that is deleted',
      spec('volumes:', '- {name: gone, $patch: delete}', '- name: a', '- name: ▶B'),
      /volumes\[1\]\.name/,
    ],
    [
      'in a mount of nothing',
      spec('containers:', JOB, '  volumeMounts:', '  - {name: ▶nope, mountPath: /a}'),
      /Not found: "nope"/,
    ],
    [
      'in the second variable, of the second container',
      spec('containers:', JOB, '- name: a', '  image: x', '  env:', '  - {name: A}', '  - {name: ▶B=C}'),
      /containers\[1\]\.env\[1\]\.name/,
    ],
    [
      'twice, where the pod has nothing to merge with',
      spec('initContainers:', '- {name: a, image: x}', '- {name: b, $patch: delete}', '- {name: ▶a, image: x}'),
      /initContainers\[1\]\.name: Duplicate value/,
    ],
    [
      'in a toleration',
      spec('tolerations:', '- key: a', '  operator: Exists', '- {key: b, operator: ▶Bad}'),
      /\[1\]\.operator/,
    ],
    [
      'in a port',
      spec('containers:', JOB, '  ports: [{containerPort: 80}, {containerPort: ▶90000}]'),
      /ports\[1\]\.containerPort/,
    ],
    ['in a label', 'metadata:\n  labels:\n    a: b\n    c: ▶d e\n', /template\.labels: Invalid value: "d e"/],
    ['in a label’s name', 'metadata:\n  labels:\n    a: b\n    "c d": ▶e\n', /template\.labels: Invalid value: "c d"/],
    [
      'in an annotation’s name',
      'metadata:\n  annotations:\n    a b: ▶e\n',
      /template\.annotations: Invalid value: "a b"/,
    ],
    [
      'in an order of its own',
      spec(
        '$setElementOrder/volumes: [{name: pulumi}, {name: a}, {name: pulumi-runner}, {name: B}]',
        'volumes:',
        '- name: a',
        '- name: ▶B',
      ),
      /volumes\[3\]\.name/,
    ],
    [
      'of a resource with dots and a slash in its name',
      spec('containers:', JOB, '  resources:', '    limits:', '      acme.example/gpu: ▶1500m'),
      /limits\[acme\.example\/gpu\]/,
    ],
  ])('%s', async (_, text, why) => {
    const { said, place } = await refusal(text);
    expect(said).toContain(`${place}is refused by the cluster: `);
    expect(said).toMatch(why);
  });

  it('wherever the lists of pod and file put it', async () => {
    const names = fc.uniqueArray(fc.constantFrom('pulumi', 'pulumi-runner', 'a', 'b', 'c', 'd'), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(names, fc.nat(5), fc.boolean(), async (volumes, place, deletes) => {
        const lines = volumes.map((name) => `- name: ${name}`);
        lines.splice(Math.min(place, lines.length), 0, '- name: ▶Bad');
        if (deletes) lines.splice(place % 2, 0, '- {name: gone, $patch: delete}');
        const { said, place: expected } = await refusal(spec('volumes:', ...lines));
        expect(said).toContain(`${expected}is refused by the cluster: `);
      }),
      { numRuns: 25, seed: 8 },
    );
  });
});

describe('what the cluster refuses without a name is found', () => {
  it.each<Case>([
    [
      'a number for a text',
      spec('containers:', '- name: a', '  image: x', '- name: b', '  image: ▶5'),
      /cannot convert int64/,
    ],
    ['a switch for a text', spec('containers:', JOB, '  env: [{name: A, value: a}, {name: B, value: ▶true}]'), /./],
    ['a text for a list', spec('dnsPolicy: Default', 'containers: ▶hello'), /cannot restore slice from string/],
    ['a list for a mapping', spec('securityContext: [▶a]'), /./],
    ['a number for a label', 'metadata:\n  labels:\n    a: b\n    c: ▶5\n', /cannot convert int64/],
    ['a quantity', spec('containers:', JOB, '  resources: {limits: {cpu: 1, memory: ▶4GB}}'), /quantities must match/],
    ['texts in a list of mappings', spec('containers: [▶a]'), /list element types are not identical\. /],
    [
      'an element without its key',
      spec('containers:', '- {name: a, image: x}', '- image: ▶x'),
      /an element lacks its key: name/,
    ],
    ['an unknown directive', spec('containers:', '- name: a', '  $patch: ▶remove'), /unknown patch type: remove/],
    [
      'an order that leaves something out',
      spec('$setElementOrder/volumes: ▶[{name: a}]', 'volumes:', '- name: b'),
      /doesn't match/,
    ],
    ['keys to keep, and others', spec('dnsPolicy: Default', '$retainKeys: ▶[containers]'), /retainKeys/],
  ])('%s', async (_, text, why) => {
    const { said, place } = await refusal(text);
    expect(said).toContain(`${place}is refused by the cluster: `);
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

describe('what the agent lives by is named by its line', () => {
  it.each<Case>([
    ['the restart policy', spec('dnsPolicy: Default', 'restartPolicy: ▶Always'), /changes spec\.restartPolicy/],
    [
      'the command, in a container behind another',
      spec('containers:', '- {name: a, image: x}', JOB, '  command: ▶[sh]'),
      /changes the command of container/,
    ],
    [
      'the container, taken away',
      spec('containers:', '- {name: a, image: x}', '- {▶name: pulumi-workflow, $patch: delete}').replace('{▶', '▶{'),
      /takes away the container/,
    ],
    [
      'the container, replaced with the list',
      spec('▶containers:', '- {name: a, image: x}', '- $patch: replace'),
      /takes away/,
    ],
    [
      'the container, replaced by itself',
      spec('containers:', '- {name: a, image: x}', '- ▶name: pulumi-workflow', '  image: x', '  $patch: replace'),
      /takes away the container|changes/,
    ],
    [
      'a volume',
      spec('volumes:', '- name: a', '- ▶name: pulumi', '  emptyDir: null', '  hostPath: {path: /}'),
      /changes the volume pulumi,/,
    ],
    [
      'a mount',
      spec(
        'containers:',
        JOB,
        '  volumeMounts:',
        '  - {name: pulumi, mountPath: /a}',
        '  - ▶{name: pulumi, mountPath: /mnt/pulumi, readOnly: true}',
      ),
      /changes what is mounted at \/mnt\/pulumi,/,
    ],
    [
      'a label',
      'metadata:\n  labels:\n    a: b\n    app.kubernetes.io/name: ▶mine\n',
      /changes the label app\.kubernetes\.io\/name/,
    ],
    [
      'no time to end in order',
      spec('terminationGracePeriodSeconds: ▶0'),
      /terminationGracePeriodSeconds to 0, .* needs 135 /,
    ],
    ['Kubernetes’ own time', spec('terminationGracePeriodSeconds: ▶null'), /GracePeriodSeconds to 30, .* needs 135 /],
    [
      'where the pod says why it ended',
      spec('containers:', JOB, '  terminationMessagePath: ▶/tmp/end'),
      /changes the terminationMessagePath of/,
    ],
    ['a deadline for the pod', spec('activeDeadlineSeconds: ▶3600'), /sets spec\.activeDeadlineSeconds, /],
    [
      'a probe that ends the container',
      spec('containers:', JOB, '  ▶livenessProbe:', '    exec: {command: [x]}'),
      /sets the livenessProbe of/,
    ],
    [
      'a probe at its start',
      spec('containers:', JOB, '  startupProbe: ▶{exec: {command: [x]}}'),
      /sets the startupProbe of/,
    ],
    [
      'a hook that the interrupt waits for',
      spec('containers:', JOB, '  lifecycle:', '    preStop: ▶{sleep: {seconds: 9}}'),
      /sets the preStop hook/,
    ],
    [
      'a command by an alias',
      spec('containers:', '- &a', '  name: pulumi-workflow', '  command: ▶[sh]', '- *a'),
      /changes the command/,
    ],
  ])('%s', async (_, text, why) => {
    const { said, place } = await refusal(text);
    expect(said).toContain(`PodTemplateError Failed to use the pod template for jobs: ${place}`);
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
    message: expect.stringContaining('pod_template:3:23 changes the label acme.example/run, '),
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

it('merges the lists that are counted as merged, and no others', async () => {
  const spread = { maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' };
  const lists = (one: string, ip: string, port: number) => ({
    initContainers: [{ name: one, image: 'x' }],
    imagePullSecrets: [{ name: one }],
    schedulingGates: [{ name: `acme.example/${one}` }],
    hostAliases: [{ ip, hostnames: ['a'] }],
    topologySpreadConstraints: [{ topologyKey: one, ...spread }],
    tolerations: [{ key: one, operator: 'Exists' }],
    readinessGates: [{ conditionType: `acme.example/${one}` }],
    volumes: [{ name: one, emptyDir: {} }],
    containers: [
      {
        name: 'pulumi-workflow',
        image: 'x',
        env: [{ name: one, value: 'a' }],
        envFrom: [{ configMapRef: { name: one } }],
        ports: [{ containerPort: port }],
        volumeMounts: [{ name: one, mountPath: `/${one}` }],
      },
    ],
  });
  const lengths = (of: object | undefined) =>
    Object.fromEntries(
      Object.entries(of ?? {}).flatMap(([key, value]) => (Array.isArray(value) ? [[key, value.length]] : [])),
    );
  const base = { ...pod(), spec: { ...pod().spec, ...lists('one', '10.0.0.1', 81) } } as V1Pod;
  const text = JSON.stringify({ spec: lists('two', '10.0.0.2', 82) });
  const { spec: merged } = await new PodTemplate({ text, name: 'pod.yaml' }).mergeOver(base, cluster, NEVER);
  expect(lengths(merged)).toMatchObject({
    ...{ initContainers: 2, imagePullSecrets: 2, schedulingGates: 2, hostAliases: 2, topologySpreadConstraints: 2 },
    ...{ volumes: 2, containers: 1, tolerations: 1, readinessGates: 1 },
  });
  const merges = { env: 2, ports: 2, volumeMounts: 2, envFrom: 1 };
  expect(lengths(merged?.containers[0])).toMatchObject(merges);
});
