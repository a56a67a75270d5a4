import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { ContainerSpec, Executor } from '../../../src/executor/executor.ts';
import type { KubernetesExecutorOptions } from '../../../src/executor/kubernetes/kubernetes-executor.ts';
import { ownership } from '../../../src/executor/kubernetes/objects.ts';
import { clusterBench, NEVER } from './cluster.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const FILE = join(import.meta.dirname, '../../../deploy/kubernetes/base/role.yaml');
const [role] = parseAllDocuments(readFileSync(FILE, 'utf8')).map((document) => document.toJS());
const RULES: readonly Rule[] = role.rules;
const TEMPLATE = 'metadata: {labels: {team: platform}}';
/** A pod that never runs, which is said as soon as the kubelet knows. */
const ABSENT = { image: 'example.test/nothing:1' };
const NEVER_PULLED = { imagePullPolicy: 'Never', stopTimeoutMs: 2_000 } as const;
/** A pod that no node takes: the scheduler's event says why. */
const TOO_LARGE = { memory: '900Gi', startTimeoutMs: 2_000 };
const CREDENTIALS = { username: 'reader', password: 'ca-na-ry' };

const bench = clusterBench();
/** Kubeconfigs by what the account of each may not do, as in `pods list`; empty: nothing. */
const accounts = new Map<string, string>();

/** What stops working without a verb: every verb of the Role is here, or it has no business there. */
const WITHOUT: Readonly<
  Record<string, (target: (options?: Partial<KubernetesExecutorOptions>) => Executor) => Promise<void>>
> = {
  'pods create': (target) => expect(target().check(NEVER)).rejects.toThrow(/may not create pods/),
  'pods get': (target) => expect(bench.prepare({}, target())).rejects.toThrow(/may not get pods/),
  'pods list': (target) => expect(target().sweep(bench.labels, NEVER)).rejects.toThrow(/may not list pods/),
  'pods delete': async (target) => {
    await expect(bench.prepare(ABSENT, target(NEVER_PULLED))).rejects.toThrow(/it is not on the node/);
    expect(await bench.objects()).toHaveLength(1);
  },
  'pods/exec get': (target) => expect(bench.prepare({}, target())).rejects.toThrow(/may not \w+ pods\/exec/),
  'events list': async (target) => {
    expect(await refusal({}, target(TOO_LARGE))).not.toMatch(/FailedScheduling/);
  },
  'secrets create': (target) =>
    expect(bench.prepare({ credentials: CREDENTIALS }, target())).rejects.toThrow(/may not create secrets/),
  'secrets patch': async (target) => {
    await expect(bench.prepare({ ...ABSENT, credentials: CREDENTIALS }, target(NEVER_PULLED))).rejects.toThrow(
      /it is not on the node/,
    );
    expect(bench.logged.join()).toMatch(/The pull secret stays until the job is over.*cannot patch resource "secrets"/);
  },
  'secrets list': (target) => expect(target().sweep(bench.labels, NEVER)).rejects.toThrow(/may not list secrets/),
  'secrets delete': async (target) => {
    await expect(bench.prepare({ ...ABSENT, credentials: CREDENTIALS }, target(NEVER_PULLED))).rejects.toThrow(
      /it is not on the node/,
    );
    expect(bench.logged.join()).toMatch(/cannot delete resource "secrets"/);
  },
  'podtemplates create': (target) =>
    expect(target({ template: TEMPLATE }).check(NEVER)).rejects.toThrow(/may not create podtemplates/),
  'podtemplates patch': (target) =>
    expect(target({ template: TEMPLATE }).check(NEVER)).rejects.toThrow(/may not patch podtemplates/),
  'podtemplates list': async (target) => {
    const name = 'left-by-a-dead-agent';
    const template = { metadata: {}, spec: { containers: [{ name: 'any', image: 'any' }] } };
    await bench.apply({
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { name, ...ownership(bench.labels) },
      template,
    });
    expect(await target().sweep(bench.labels, NEVER)).toEqual([]);
    expect(await bench.target().sweep(bench.labels, NEVER)).toEqual([`Removed podtemplate ${name}.`]);
  },
  'podtemplates delete': (target) =>
    expect(target({ template: TEMPLATE }).check(NEVER)).rejects.toThrow(/may not delete podtemplates/),
};
/** A WebSocket is asked for with GET: that `create` is checked too comes with Kubernetes 1.35. */
const OF_LATER_VERSIONS = ['pods/exec create'];

const all = RULES.flatMap(({ resources, verbs }) =>
  resources.flatMap((resource) => verbs.map((verb) => `${resource} ${verb}`)),
);

beforeAll(async () => {
  const subjects = ['', ...Object.keys(WITHOUT)];
  const items = subjects.flatMap((missing, index) => objectsFor(`account-${index}`, missing));
  await bench.apply({ apiVersion: 'v1', kind: 'List', items });
  const made = subjects.map(async (missing, index) => {
    const token = (await bench.kubectl('create', 'token', `account-${index}`)).trim();
    const kubeconfig = await bench.kubeconfigWith((text) => text.replace(/token: "\w+"/, `token: "${token}"`));
    accounts.set(missing, kubeconfig);
  });
  await Promise.all(made);
}, 120_000);

it('has no verb but those whose lack is seen', () => {
  expect(all.toSorted()).toEqual([...Object.keys(WITHOUT), ...OF_LATER_VERSIONS].toSorted());
});

it('is enough for a pull secret, a template, the events of a failure and a sweep', async () => {
  const target = bench.target({ kubeconfig: accounts.get('') ?? '', template: TEMPLATE, ...TOO_LARGE });
  await target.check(NEVER);
  await refusal({ credentials: CREDENTIALS }, target, /no node took it.*FailedScheduling/);
  expect(await target.sweep(bench.labels, NEVER)).toEqual([]);
  expect(bench.logged).toEqual([]);
  expect(await bench.objects()).toEqual([]);
});

it.each(Object.entries(WITHOUT))('without "%s" something is missing', async (missing, look) => {
  await look((options = {}) => bench.target({ kubeconfig: accounts.get(missing) ?? '', ...options }));
});

/** What is said of a pod that no node takes, once the scheduler has got to it in time. */
async function refusal(
  overrides: Partial<ContainerSpec>,
  target: Executor,
  expected = /no node took it/,
): Promise<string> {
  let said = '';
  const ask = async () => {
    said = await bench.prepare(overrides, target).then(String, String);
    return said;
  };
  await expect.poll(ask, { timeout: 60_000 }).toMatch(expected);
  return said;
}

/** A service account with the Role, but for one verb. */
function objectsFor(name: string, missing: string): object[] {
  const rules = RULES.map((rule) => ({
    ...rule,
    verbs: rule.verbs.filter((verb) => `${rule.resources[0]} ${verb}` !== missing),
  })).filter(({ verbs }) => verbs.length > 0);
  const { namespace } = bench;
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name }, rules },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  ];
}
