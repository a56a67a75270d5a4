import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { scriptOutput } from '../../images/script.ts';
import { startFront } from '../../support/e2e/front.ts';
import { definition, POOL } from '../../support/e2e/stage.ts';
import { clusterBench } from '../../support/kubernetes/cluster.ts';

import { documented, PrometheusServer } from '../observability/prometheus-server.ts';

const ROOT = join(import.meta.dirname, '../../..');
const MANIFESTS = join(ROOT, 'deploy/kubernetes');
const AGENT_IMAGE = { name: 'pulumi-runner-agent', newName: 'docker.io/pulumi-runner-test/agent', newTag: '1' };
/** A step that is at work until it is let go on. */
const WAIT = 'echo ready; until [ -e /tmp/go ]; do sleep 0.2; done; echo done';

interface Variable {
  readonly name: string;
  readonly value: string;
}

const execute = promisify(execFile);
const bench = clusterBench();
const made: string[] = [];
let cloud: PulumiCloud;
let program: string;

beforeAll(async () => {
  program = join((await scriptOutput('kubernetes-programs', ['--path'])).trim(), 'kubectl');
  await scriptOutput('agent-image', []);
  await scriptOutput('kubernetes', ['load', 'pulumi-runner-test/agent:1']);
});
beforeEach(async () => {
  cloud = await PulumiCloud.start({ organization: 'acme', pools: [POOL] });
});
afterEach(async () => {
  for (const namespace of made.splice(0)) await kubectl('delete', 'namespace', namespace, '--wait=false');
  await cloud.stop();
});

it('a Deployment serves jobs of another namespace without a stored token, and agents that are evicted or replaced finish theirs', async () => {
  const env = await onTheCluster();
  // Each with the level that the page names, so that nothing else is taken.
  const agents = await makeNamespace('agents', 'restricted');
  const workflows = await makeNamespace('jobs', 'baseline');
  await registerCluster(agents);
  const jobs = [1, 2].map((index) => enqueue(`stack-${index}`, `echo job ${index}`));
  const binding = [{ op: 'add', path: '/subjects/0/namespace', value: agents }];
  const rights = { target: { kind: 'RoleBinding' }, patch: JSON.stringify(binding) };
  await onOverlay({ resources: ['jobs-namespace'], namespace: workflows, patches: [rights] }, (folder) =>
    kubectl('apply', '--kustomize', folder),
  );
  const container = containerOf(env, { NAMESPACE: workflows, RUNNER_POOL_ID: POOL.id });
  const spec = { replicas: 2, template: { spec: { containers: [container] } } };
  const overlay = {
    resources: ['deployment'],
    components: ['jobs-elsewhere', 'oidc'],
    namespace: agents,
    patches: [{ patch: JSON.stringify({ ...named('apps/v1', 'Deployment', 'pulumi-runner-agent'), spec }) }],
  };
  await onOverlay(overlay, async (folder) => expect(await warningsOf('apply', '--kustomize', folder)).toBe(''));
  await cloud.waitFor(() => jobs.every(({ endReason }) => endReason !== undefined), 120_000);
  const within = ['--namespace', agents];
  const rolledOut = () => kubectl('rollout', 'status', 'deployment/pulumi-runner-agent', ...within, '--timeout=60s');
  await rolledOut();
  for (const job of jobs) expect(job.status, await logsOf(agents)).toBe('succeeded');

  const evicted = enqueue('evicted', WAIT);
  await begun(evicted);
  const [pod = ''] = await podsOf(workflows);
  const owner = await kubectl('get', pod, '--namespace', workflows, '--output', OWNER);
  // Its step begins before its status says that it runs, and a budget holds no pod that doesn't.
  await kubectl('wait', pod, '--namespace', workflows, '--for=jsonpath={.status.phase}=Running', '--timeout=60s');
  await expect(evict(workflows, pod)).rejects.toThrow(/violate the pod's disruption budget/);
  // Refused until the budget's controller has counted the agents.
  const evictOwner = () => evict(agents, `pod/${owner}`).then(() => 'evicted', String);
  await expect.poll(evictOwner, { timeout: 30_000 }).toBe('evicted');
  const replaced = enqueue('replaced', WAIT);
  await begun(replaced);
  const before = await podsOf(agents);
  await kubectl('rollout', 'restart', 'deployment/pulumi-runner-agent', ...within);
  await rolledOut();
  const old = async () => (await podsOf(agents)).filter((name) => before.includes(name));
  await expect.poll(old, { timeout: 60_000 }).toHaveLength(2);
  expect(await old()).toContain(`pod/${owner}`);
  const ready = await kubectl('get', 'endpoints/pulumi-runner-agent', ...within, '--output', 'yaml');
  expect(ready).not.toContain(owner);
  expect([evicted.status, replaced.status]).toEqual(['running', 'running']);
  for (const one of await podsOf(workflows))
    await kubectl('exec', one, '--namespace', workflows, '--', 'touch', '/tmp/go');
  await expect.poll(old, { timeout: 60_000 }).toEqual([]);
  for (const job of [evicted, replaced]) {
    expect(job.status).toBe('succeeded');
    expect(job.steps[1]?.lines.map(({ l }) => l)).toEqual(['ready\n', 'done\n']);
  }
  expect(await objectsOf(workflows)).toEqual([]);
}, 300_000);

it('a CronJob looks for drift in every stack that matches, and then ends', async () => {
  for (const stack of ['one', 'two'])
    cloud.defineStack({ project: 'web', stack, poolId: POOL.id, job: definition({ Look: `echo ${stack}` }) });
  const env = await onTheCluster();
  const namespace = await makeNamespace('drift', 'baseline');
  const container = containerOf(env, { TRIGGER: 'acme/web/*', MAX_WAIT: '500ms' });
  const spec = { jobTemplate: { spec: { template: { spec: { containers: [container] } } } } };
  const overlay = {
    resources: ['cronjob'],
    namespace,
    secretGenerator: tokens({ 'access-token': cloud.createOrganizationToken() }),
    patches: [{ patch: JSON.stringify({ ...named('batch/v1', 'CronJob', 'pulumi-runner-drift'), spec }) }],
  };
  await onOverlay(overlay, (folder) => kubectl('apply', '--kustomize', folder));
  await kubectl('create', 'job', 'now', '--from=cronjob/pulumi-runner-drift', '--namespace', namespace);
  await kubectl('wait', '--for=condition=complete', 'job/now', '--namespace', namespace, '--timeout=120s');
  expect(cloud.deployments.map(({ stack, operation, status }) => [stack, operation, status])).toEqual([
    ['one', 'detect-drift', 'succeeded'],
    ['two', 'detect-drift', 'succeeded'],
  ]);
}, 300_000);

it('a Job runs one deployment, and ends', async () => {
  const env = await onTheCluster();
  const namespace = await makeNamespace('once', 'baseline');
  const spec = { template: { spec: { containers: [containerOf(env, {})] } } };
  const patch = JSON.stringify({ ...named('batch/v1', 'Job', 'pulumi-runner-agent'), spec });
  const overlay = { resources: ['job'], namespace, secretGenerator: tokens(), patches: [{ patch }] };
  const [first, second] = ['one', 'two'].map((stack) => enqueue(stack, 'echo here'));
  await onOverlay(overlay, (folder) => kubectl('apply', '--kustomize', folder));
  const job = ['job/pulumi-runner-agent', '--namespace', namespace];
  await kubectl('wait', '--for=condition=complete', ...job, '--timeout=120s');
  expect([first?.status, second?.status]).toEqual(['succeeded', 'not-started']);
  const left = await objectsOf(namespace);
  expect(left).toEqual([expect.stringMatching(/^pod\/pulumi-runner-agent-/), 'secret/pulumi-runner-agent']);
}, 300_000);

const OWNER = 'jsonpath={.metadata.annotations.pulumi-runner\\.owner-host}';
const named = (apiVersion: string, kind: string, name: string) => ({ apiVersion, kind, metadata: { name } });

const enqueue = (stack: string, run: string) =>
  cloud.enqueue({ project: 'network', stack, poolId: POOL.id, job: definition({ Work: run }) });

const begun = (deployment: Deployment) => cloud.waitFor(() => (deployment.steps[1]?.lines.length ?? 0) > 0, 60_000);

/** The agent's container in a patch: variables of the machine, and settings by the end of their names. */
function containerOf(env: readonly Variable[], settings: Readonly<Record<string, string>>): object {
  const own = Object.entries(settings).map(([key, value]) => ({ name: `PULUMI_AGENT_${key}`, value }));
  return { name: 'agent', imagePullPolicy: 'Never', env: [...env, ...own] };
}

/** The secret of an agent that has no identity of the cluster's. */
function tokens(more: Readonly<Record<string, string>> = {}): object[] {
  const literals = Object.entries({ token: cloud.createStaticToken(POOL.id), ...more });
  return [
    {
      name: 'pulumi-runner-agent',
      literals: literals.map(([key, value]) => `${key}=${value}`),
      options: { disableNameSuffixHash: true },
    },
  ];
}

/** Has Pulumi Cloud where pods reach it, which is where they reach the API server; what tells an agent. */
async function onTheCluster(): Promise<Variable[]> {
  const api = new URL(/server: "([^"]+)"/.exec(await readFile(bench.kubeconfig, 'utf8'))?.[1] ?? '');
  const front = await startFront({ target: cloud.url, host: api.hostname });
  onTestFinished(() => front.stop());
  const variables = {
    PULUMI_AGENT_SERVICE_URL: `http://${api.hostname}:${front.port}`,
    PULUMI_AGENT_ALLOW_INSECURE_SERVICE_URL: 'true',
    PULUMI_AGENT_POLLING_INTERVAL: '500ms',
    PULUMI_AGENT_REQUEST_RETRY_WAIT: '100ms',
    // This cluster has no proxy for its service addresses.
    KUBERNETES_SERVICE_HOST: api.hostname,
    KUBERNETES_SERVICE_PORT: api.port,
  };
  return Object.entries(variables).map(([name, value]) => ({ name, value }));
}

/** Pulumi Cloud then takes the cluster's identity of the agents of a namespace, with the cluster's real keys. */
async function registerCluster(namespace: string): Promise<void> {
  const { issuer } = JSON.parse(await kubectl('get', '--raw', '/.well-known/openid-configuration'));
  const sub = `system:serviceaccount:${namespace}:pulumi-runner-agent`;
  cloud.registerIssuer({
    issuer,
    jwks: JSON.parse(await kubectl('get', '--raw', '/openid/v1/jwks')),
    policies: [
      { decision: 'allow', tokenType: 'runner', runnerID: POOL.id, rules: { aud: 'urn:pulumi:org:acme', sub } },
    ],
  });
}

async function makeNamespace(purpose: string, level: string): Promise<string> {
  const name = `${purpose}-${bench.namespace}`;
  await kubectl('create', 'namespace', name);
  made.push(name);
  await kubectl('label', 'namespace', name, `pod-security.kubernetes.io/enforce=${level}`);
  return name;
}

/** Writes a user's overlay of these bases and components, and has it used. */
async function onOverlay<T>(
  overlay: {
    readonly resources: readonly string[];
    readonly components?: readonly string[];
    readonly [key: string]: unknown;
  },
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'overlay-'));
  const below = (names: readonly string[] = []) => names.map((name) => relative(folder, join(MANIFESTS, name)));
  const { resources, components, ...more } = overlay;
  const text = JSON.stringify({
    resources: below(resources),
    components: below(components),
    images: [AGENT_IMAGE],
    ...more,
  });
  try {
    await writeFile(join(folder, 'kustomization.yaml'), text);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** As a drain asks for it: `pod/name`. */
async function evict(namespace: string, pod: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'eviction-'));
  const file = join(folder, 'eviction.json');
  const name = pod.replace('pod/', '');
  await writeFile(file, JSON.stringify(named('policy/v1', 'Eviction', name)));
  try {
    await kubectl('create', '--raw', `/api/v1/namespaces/${namespace}/pods/${name}/eviction`, '--filename', file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Runs beside this process: the emulators that agents talk to are in it. */
async function kubectl(...words: string[]): Promise<string> {
  return (await execute(program, ['--kubeconfig', bench.kubeconfig, ...words])).stdout;
}

/** What kubectl says of an object that it takes in spite of it. */
async function warningsOf(...words: string[]): Promise<string> {
  return (await execute(program, ['--kubeconfig', bench.kubeconfig, ...words])).stderr;
}

const listed = async (kinds: string, namespace: string) =>
  (await kubectl('get', kinds, '--namespace', namespace, '--output', 'name')).split('\n').filter(Boolean);
const podsOf = (namespace: string) => listed('pods', namespace);
const objectsOf = (namespace: string) => listed('pods,secrets,podtemplates', namespace);

function logsOf(namespace: string): Promise<string> {
  return kubectl('logs', '--namespace', namespace, '--selector', 'app.kubernetes.io/component=agent', '--tail=20');
}
