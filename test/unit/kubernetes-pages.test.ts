import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { KEYS } from '../../src/config/schema.ts';
import { podFor } from '../../src/executor/kubernetes/pod/pod.ts';
import { codesOf, ROOT, read, tableOf, yamlOf } from '../support/documents/pages.ts';

const FOLDER = join(ROOT, 'docs/kubernetes');
const pages = readdirSync(FOLDER).map((name) => readFileSync(join(FOLDER, name), 'utf8'));

it("the page on the pod template shows a job's pod as it is made", () => {
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
  const shown = parse(yamlOf(read('docs/kubernetes/pod-template.md'))[0] ?? '');
  expect(pod).toMatchObject(shown);
  const [container] = pod.spec?.containers ?? [];
  expect(Object.keys(shown.spec).toSorted()).toEqual(Object.keys(pod.spec ?? {}).toSorted());
  expect([...Object.keys(shown.spec.containers[0]), 'command', 'args'].toSorted()).toEqual(
    Object.keys(container ?? {}).toSorted(),
  );
});

it('the pages on Kubernetes set values that the chart has', () => {
  const values = parse(read('deploy/helm/values.yaml'));
  const set = pages.flatMap((page) => [...page.matchAll(/--set ([\w.]+)=/g)].map(([, path = '']) => path));
  const named = pages
    .flatMap(codesOf)
    .filter((code) => /^(?:jobs|oidc|scaledJob|serviceMonitor|serviceAccount)\.\w/.test(code));
  const paths = [...set, ...named.map((code) => code.replace(/=.*/, ''))];
  expect(paths.length).toBeGreaterThan(10);
  const missing = paths.filter((path) => {
    const [first = '', second = ''] = path.split('.');
    return first === 'settings'
      ? !(second in KEYS)
      : path.split('.').reduce((at, key) => at?.[key], values) === undefined;
  });
  expect(missing).toEqual([]);
});

it('the page on operating it quotes sentences that the code says', () => {
  const folder = join(ROOT, 'src/executor/kubernetes');
  const source = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
  const quoted = tableOf(read('docs/kubernetes/operations.md'), 'sentences').flatMap(([said = '']) => codesOf(said));
  expect(quoted.length).toBeGreaterThan(8);
  expect(quoted.filter((sentence) => !source.includes(sentence))).toEqual([]);
});
