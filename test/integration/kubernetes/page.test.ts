import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { podFor } from '../../../src/executor/kubernetes/pod/pod.ts';

import { clusterBench, NEVER } from '../../support/kubernetes/cluster.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PAGE = readFileSync(join(ROOT, 'docs/kubernetes.md'), 'utf8');
/** Of kinds that this cluster doesn't know: nobody here can say whether they are right. */
const FOREIGN = ['keda.sh/v1alpha1', 'kyverno.io/v1', 'policies.kyverno.io/v1'];
const bench = clusterBench();

interface Block {
  readonly mark: string;
  readonly text: string;
}

/** The page's YAML blocks with an HTML comment before them that says what they are. */
const blocks = [...PAGE.matchAll(/^( *)<!-- (.+) -->\n *```yaml\n([\s\S]*?)^ *```$/gm)].map(
  ({ 1: indent = '', 2: mark = '', 3: text = '' }): Block => ({
    mark,
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }),
);
const marked = (mark: string) => blocks.filter((block) => block.mark.split(':')[0] === mark);

it("shows a job's pod as it is made", () => {
  const pod = podFor(
    { image: 'pulumi/pulumi:latest', platform: 'linux/amd64', labels: {} },
    {
      name: 'pulumi-workflow-3f9a1c20b7d4',
      settings: {
        serviceAccount: 'pulumi-workflow',
        cpus: '2',
        memory: String(4 * 1024 ** 3),
        graceMs: 120_000,
        startTimeoutMs: 600_000,
      },
    },
  );
  const shown = parse(marked('pod')[0]?.text ?? '');
  expect(pod).toMatchObject(shown);
  const [container] = pod.spec?.containers ?? [];
  expect(Object.keys(shown.spec).toSorted()).toEqual(Object.keys(pod.spec ?? {}).toSorted());
  expect([...Object.keys(shown.spec.containers[0]), 'command', 'args'].toSorted()).toEqual(
    Object.keys(container ?? {}).toSorted(),
  );
});

it('shows pod templates that are merged and taken, and such as are refused in its words', async () => {
  for (const { text } of marked('template'))
    expect(await bench.target({ template: text }).check(NEVER), text).toContain(bench.namespace);
  for (const { mark, text } of marked('refused')) {
    const sentence = mark.slice(mark.indexOf(':') + 1).trim();
    await expect(bench.target({ template: text }).check(NEVER)).rejects.toMatchObject({
      outcome: 'config-error',
      message: expect.stringContaining(sentence),
    });
  }
});

it('shows a template that passes restricted Pod Security', async () => {
  const label = 'pod-security.kubernetes.io/enforce';
  await bench.kubectl('label', 'namespace', bench.namespace, `${label}=restricted`);
  try {
    const refused = bench.target().check(NEVER);
    await expect(refused).rejects.toThrow(/an admission rule of the cluster refused it: .*violates PodSecurity/);
    const [{ text } = { text: '' }] = marked('restricted');
    expect(await bench.target({ template: text }).check(NEVER)).toContain(bench.namespace);
  } finally {
    await bench.kubectl('label', 'namespace', bench.namespace, `${label}-`);
  }
});

it('shows manifests that the cluster takes', async () => {
  for (const { text } of marked('manifest')) {
    const objects = parseAllDocuments(text).map((document) => document.toJS() as { apiVersion: string; kind: string });
    for (const object of objects.filter(({ apiVersion }) => !FOREIGN.includes(apiVersion))) {
      if (JSON.stringify(object).includes('"serviceAccountName":"pulumi-workflow"'))
        await bench.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'pulumi-workflow' } });
      expect(await dryRun(JSON.stringify(object))).toMatch(/server dry run/);
    }
  }
});

it('shows a policy that refuses jobs by default, and takes them with limits', async () => {
  // Of the whole cluster, so with names of this test's own.
  const text = inNamespace(marked('policy')[0]?.text ?? '');
  const file = await bench.file(text.replaceAll(/(name|policyName): pulumi-workflow$/gm, `$1: ${bench.namespace}`));
  await bench.kubectl('apply', '--filename', file);
  try {
    const refused = () => bench.target().check(NEVER).then(String, String);
    await expect
      .poll(refused, { timeout: 60_000, interval: 500 })
      .toMatch(/an admission rule of the cluster refused it: .*a container needs limits of processors and memory/);
    expect(await bench.target({ memory: '64Mi', cpus: '0.2' }).check(NEVER)).toContain(bench.namespace);
  } finally {
    await bench.kubectl('delete', '--filename', file);
  }
});

const inNamespace = (text: string) =>
  text
    .replaceAll(/\bnamespace: pulumi-(?:runner|jobs)$/gm, `namespace: ${bench.namespace}`)
    .replaceAll('name: pulumi-runner }', `name: ${bench.namespace} }`);

/** Has the API server check objects as it would when they were made. */
async function dryRun(text: string): Promise<string> {
  return bench.kubectl('apply', '--dry-run=server', '--validate=strict', '--filename', await bench.file(text));
}
