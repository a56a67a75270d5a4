import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { bridgeAddress } from '../../support/docker/bridge-address.ts';
import { definition, POOL } from '../../support/e2e/stage.ts';
import {
  kubectl as administrate,
  clusterBench,
  JOB_IMAGE,
  kubernetes,
  NEVER,
} from '../../support/kubernetes/cluster.ts';
import { programPath, scriptOutput } from '../../support/script.ts';
import { Authority, type Identity } from '../network/authority.ts';
import { owned, tlsFront } from '../network/servers.ts';
import { startTinyproxy } from '../network/tinyproxy.ts';

const ROOT = join(import.meta.dirname, '../../..');
const CHART = join(ROOT, 'deploy/helm');
const EXAMPLES = join(ROOT, 'examples/helm');
const ARC = join(ROOT, 'examples/arc');
const IMAGE = { repository: 'docker.io/pulumi-runner-test/agent', tag: '1', pullPolicy: 'Never' };
/** The name of a release, and so of its Deployment, Service and CronJob. */
const RELEASE = 'agents';
/** A step that works until the test lets it go. */
const WAIT = 'echo ready; until [ -e /tmp/go ]; do sleep 0.2; done; echo done';

interface Variable {
  readonly name: string;
  readonly value: string;
}

const execute = promisify(execFile);
const bench = clusterBench();
const made: string[] = [];
let cloud: PulumiCloud;

beforeAll(async () => {
  await scriptOutput('agent-image', []);
  await kubernetes('load', 'pulumi-runner-test/agent:1');
});
beforeEach(async () => {
  cloud = await PulumiCloud.start({ organization: 'acme', pools: [POOL] });
});
afterEach(async () => {
  for (const namespace of made.splice(0)) await kubectl('delete', 'namespace', namespace, '--wait=false');
  await cloud.stop();
});

it('the chart passes helm lint, takes the values of the examples, and refuses unknown ones', async () => {
  await helm('lint', '--strict', CHART);
  for (const file of await readdir(EXAMPLES)) {
    const text = await helm(
      'template',
      RELEASE,
      CHART,
      '--values',
      join(EXAMPLES, file),
      '--kube-version',
      '1.33',
    );
    expect(text, file).toMatch(/^kind: Role$/m);
  }
  await expect(
    helm('template', RELEASE, CHART, '--set', 'kinds=Job', '--kube-version', '1.33'),
  ).rejects.toThrow(/'kinds' not allowed/);
});

it('the objects for KEDA and the Prometheus operator match the definitions of both', async () => {
  await kubectl('apply', '--server-side', '--filename', await programPath('crds'));
  // The API server serves a new kind a moment later.
  for (const [group, kind] of [
    ['keda.sh/v1alpha1', 'scaledjobs'],
    ['monitoring.coreos.com/v1', 'servicemonitors'],
  ] as const)
    await expect
      .poll(() => kubectl('get', '--raw', `/apis/${group}`).catch(String), { timeout: 60_000 })
      .toContain(`"${kind}"`);
  const namespace = await makeNamespace('defined', 'restricted');
  // Nothing runs: neither the controllers nor an agent.
  const monitor = 'serviceMonitor.enabled=true,replicas=0,networkPolicy.enabled=true';
  const scaled = ['--values', join(EXAMPLES, 'scaled.yaml'), '--set', `jobs.namespace=${namespace}`];
  await helm('install', 'scaled', CHART, '--namespace', namespace, ...scaled);
  const apart = 'serviceAccount.create=false,jobs.serviceAccount.create=false';
  await helm('install', RELEASE, CHART, '--namespace', namespace, '--set', monitor, '--set', apart);
  const { spec } = await kubectlJson('get', 'scaledjob/scaled', '--namespace', namespace);
  expect(spec.triggers[0].metadata.valueLocation).toContain('agentPool.id');
  const found = await kubectlJson('get', 'servicemonitor/agents', '--namespace', namespace);
  const service = await kubectlJson('get', 'service/agents', '--namespace', namespace);
  expect(service.metadata.labels).toMatchObject(found.spec.selector.matchLabels);
}, 120_000);

it('a Deployment serves jobs in another namespace without a stored token, and its evicted or replaced agents finish their jobs', async () => {
  const env = await onTheCluster();
  // Each namespace enforces the level that the page names, so anything beyond it is refused.
  const agents = await makeNamespace('agents', 'restricted');
  const workflows = await makeNamespace('jobs', 'baseline');
  await registerCluster(agents);
  const jobs = [1, 2].map((index) => enqueue(`stack-${index}`, `echo job ${index}`));
  await install(agents, 'deployment.yaml', env, {
    replicas: 2,
    runnerPoolId: POOL.id,
    jobs: { namespace: workflows },
    settings: {
      num_cpus: 0.1,
      memory: '256Mi',
      allowed_images: ['pulumi-runner-test/*'],
      allowed_stacks: ['acme/network/*'],
    },
  });
  await cloud.waitFor(() => jobs.every(({ endReason }) => endReason !== undefined), 120_000);
  const within = ['--namespace', agents];
  const rolledOut = () => kubectl('rollout', 'status', 'deployment/agents', ...within, '--timeout=60s');
  await rolledOut();
  for (const job of jobs) expect(job.status, await logsOf(agents)).toBe('succeeded');

  const evicted = enqueue('evicted', WAIT);
  await begun(evicted);
  const [pod = ''] = await podsOf(workflows);
  const owner = await kubectl('get', pod, '--namespace', workflows, '--output', OWNER);
  // The step starts before the pod's phase is Running, and a disruption budget protects only running pods.
  await kubectl(
    'wait',
    pod,
    '--namespace',
    workflows,
    '--for=jsonpath={.status.phase}=Running',
    '--timeout=60s',
  );
  await expect(bench.evict(pod.replace('pod/', ''), workflows)).rejects.toThrow(
    /violate the pod's disruption budget/,
  );
  // The eviction is refused until the budget's controller has counted the agents.
  const evictOwner = () => bench.evict(owner, agents).then(() => 'evicted', String);
  await expect.poll(evictOwner, { timeout: 30_000 }).toBe('evicted');
  const replaced = enqueue('replaced', WAIT);
  await begun(replaced);
  const before = await podsOf(agents);
  await kubectl('rollout', 'restart', 'deployment/agents', ...within);
  await rolledOut();
  const old = async () => (await podsOf(agents)).filter((name) => before.includes(name));
  await expect.poll(old, { timeout: 60_000 }).toHaveLength(2);
  expect(await old()).toContain(`pod/${owner}`);
  const ready = await kubectl('get', 'endpoints/agents', ...within, '--output', 'yaml');
  expect(ready).not.toContain(owner);
  expect(evicted.status).toBe('running');
  expect(replaced.status).toBe('running');
  for (const one of await podsOf(workflows))
    await kubectl('exec', one, '--namespace', workflows, '--', 'touch', '/tmp/go');
  await expect.poll(old, { timeout: 60_000 }).toEqual([]);
  for (const job of [evicted, replaced]) {
    expect(job.status).toBe('succeeded');
    expect(job.steps[1]?.lines.map(({ l }) => l)).toEqual(['ready\n', 'done\n']);
  }
  expect(await objectsOf(workflows)).toEqual([]);
}, 300_000);

it('a job that forges heartbeats ends soon after its agent’s pod, where agents may read their own as the page says', async () => {
  const env = await onTheCluster();
  const agents = await makeNamespace('forged-agents', 'restricted');
  const workflows = await makeNamespace('forging', 'baseline');
  await registerCluster(agents);
  const within = ['--namespace', agents];
  await kubectl('create', 'role', 'own-pod', '--verb=get', '--resource=pods', ...within);
  const account = `--serviceaccount=${agents}:pulumi-runner-agent`;
  await kubectl('create', 'rolebinding', 'own-pod', '--role=own-pod', account, ...within);
  await install(agents, 'deployment.yaml', env, {
    replicas: 1,
    runnerPoolId: POOL.id,
    jobs: { namespace: workflows },
    settings: {
      num_cpus: 0.1,
      memory: '256Mi',
      allowed_images: ['pulumi-runner-test/*'],
      allowed_stacks: ['acme/network/hostile'],
      cancel_grace_period: '5s',
    },
  });
  const forge =
    'trap "" HUP INT TERM; echo ready; while :; do echo "$((n += 1))" >/mnt/pulumi-runner/beat; sleep 1; done';
  const job = definition({ Work: forge }, { timeout: '1h' });
  await begun(cloud.enqueue({ project: 'network', stack: 'hostile', poolId: POOL.id, job }));
  const { items } = await kubectlJson('get', 'pods', '--namespace', workflows);
  const [agent = ''] = await podsOf(agents);
  const uid = await kubectl('get', agent, ...within, '--output=jsonpath={.metadata.uid}');
  expect(items).toMatchObject([
    {
      metadata: {
        annotations: { 'pulumi-runner.agent-pod': `${agents}/${agent.replace('pod/', '')}/${uid}` },
      },
      spec: { activeDeadlineSeconds: 3_600 + 2 * 5 + 900 },
    },
  ]);
  await kubectl('delete', agent, ...within, '--force', '--grace-period=0');
  // Well before the pod's own guard would end even an honest job, 200 seconds later.
  await expect.poll(() => podsOf(workflows), { timeout: 120_000, interval: 1_000 }).toEqual([]);
  expect(await logsOf(agents)).toMatch(/Pod \S+ was asked to end, and has 20 s for it\. Its agent is dead\./);
}, 300_000);

it('a CronJob looks for drift in every stack that matches, and then ends', async () => {
  for (const stack of ['one', 'two'])
    cloud.defineStack({ project: 'web', stack, poolId: POOL.id, job: definition({ Look: `echo ${stack}` }) });
  const env = await onTheCluster();
  const namespace = await makeNamespace('drift', 'baseline');
  await secret(namespace, { 'access-token': cloud.createOrganizationToken() });
  await install(namespace, 'drift.yaml', env, {
    jobs: { namespace },
    oidc: { enabled: false },
    trigger: 'acme/web/*',
    maxWait: '500ms',
    settings: { trigger_jitter: '0s' },
  });
  await kubectl('create', 'job', 'now', '--from=cronjob/agents', '--namespace', namespace);
  await kubectl('wait', '--for=condition=complete', 'job/now', '--namespace', namespace, '--timeout=120s');
  expect(cloud.deployments.map(({ stack, operation, status }) => [stack, operation, status])).toEqual([
    ['one', 'detect-drift', 'succeeded'],
    ['two', 'detect-drift', 'succeeded'],
  ]);
}, 300_000);

it('a Job runs one deployment, through a proxy, with a private authority as in the example and between two hooks', async () => {
  const authority = new Authority();
  onTestFinished(() => authority.remove());
  // Not the API server's address, which is reached directly.
  const api = await apiServer();
  const address = bridgeAddress();
  const tls = authority.issue({ names: `IP:${address}` });
  const proxy = await startTinyproxy({ host: api.hostname });
  onTestFinished(() => proxy.stop());
  const env = await onTheCluster({ host: address, tls });
  const namespace = await makeNamespace('once', 'baseline');
  await kubectl(
    'create',
    'configmap',
    'acme-root',
    '--namespace',
    namespace,
    `--from-file=ca.pem=${authority.path}`,
  );
  // As in the example, except for the proxy's address.
  const [shown, ...others] = parse(await readFile(join(EXAMPLES, 'one-deployment.yaml'), 'utf8')).env;
  const look = `[ "$HTTPS_PROXY" = ${proxy.address} ] && grep -qF "$(sed -n 2p <<'END'
${authority.certificate}END
)" "$SSL_CERT_FILE" && test "$LEASE" = of-the-hook && echo all are here`;
  const hooks = {
    before: '#!/bin/sh\necho "LEASE=of-the-hook" >>"$PULUMI_RUNNER_ENV"\n',
    after: '#!/bin/sh\necho "$PULUMI_RUNNER_STACK $PULUMI_RUNNER_OUTCOME"\n',
  };
  const [first, second] = ['one', 'two'].map((stack) => enqueue(stack, look));
  await secret(namespace);
  await install(namespace, 'one-deployment.yaml', [...env, { ...shown, value: proxy.address }, ...others], {
    jobs: { namespace },
    hooks,
  });
  const job = ['job/agents-1', '--namespace', namespace];
  await kubectl('wait', '--for=condition=complete', ...job, '--timeout=120s').catch(
    async (error: unknown) => {
      throw new Error(await kubectl('logs', ...job), { cause: error });
    },
  );
  expect(first?.steps[1]?.lines.map(({ l }) => l)).toEqual(['all are here\n']);
  expect(await kubectl('logs', ...job)).toContain('hook_after_job: acme/network/one succeeded');
  expect(first?.status).toBe('succeeded');
  expect(second?.status).toBe('not-started');
  const log = await proxy.log();
  expect(log).toContain(`CONNECT ${address}:`);
  expect(log).not.toContain(`CONNECT ${api.host}`);
  const left = await objectsOf(namespace);
  expect(left).toEqual([
    expect.stringMatching(/^pod\/agents-1-/),
    'secret/pulumi-runner-agent',
    expect.stringContaining('helm'),
  ]);
}, 300_000);

it('the files of examples/arc give runners the rights that jobs need and no more, pass Pod Security, and keep drains off a runner', async () => {
  // The namespaces, renamed for this test.
  const [runners = '', jobs = ''] = ['arc-pulumi', 'pulumi-jobs'].map((name) => `${name}-${bench.namespace}`);
  const file = async (name: string) => {
    const text = await readFile(join(ARC, name), 'utf8');
    return bench.file(text.replaceAll(/\b(?:arc-pulumi|pulumi-jobs)\b/g, `$&-${bench.namespace}`));
  };
  made.push(runners, jobs);
  await kubectl('apply', '--validate=strict', '--filename', await file('cluster.yaml'));
  await helm('install', RELEASE, CHART, '--namespace', runners, '--values', await file('rights.yaml'));

  const token = (await kubectl('create', 'token', 'pulumi-runner-agent', '--namespace', runners)).trim();
  const kubeconfig = await bench.kubeconfigWith((text) => text.replace(/token: "\w+"/, `token: "${token}"`));
  const executor = bench.target({ kubeconfig, namespace: jobs, serviceAccount: 'pulumi-workflow' });
  const refused = async () => {
    const reviews = (executor.permissions?.() ?? []).map(({ review }) => review(NEVER));
    return (await Promise.all(reviews)).flatMap((review) => review.refused);
  };
  // The API server grants a Role a little after it has accepted it.
  await expect.poll(refused, { timeout: 30_000 }).toEqual([]);
  expect(await executor.check(NEVER)).toContain(`namespace ${jobs}`);
  const may = (...words: string[]) =>
    administrate(kubeconfig, 'auth', 'can-i', ...words).then(
      () => true,
      () => false,
    );
  expect(await may('get', 'pods', '--namespace', runners)).toBe(true);
  expect(await may('get', 'secrets', '--namespace', runners)).toBe(false);
  expect(await may('create', 'pods', '--namespace', runners)).toBe(false);

  // As ARC makes it: its owner is of a kind without a scale, for which a budget counts only by number.
  await kubectl('create', 'configmap', 'owner', '--namespace', runners);
  const owner = await kubectlJson('get', 'configmap/owner', '--namespace', runners);
  const { metadata, spec } = parse(await readFile(join(ARC, 'values.yaml'), 'utf8')).template;
  const [container] = spec.containers;
  const runner = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      name: 'runner',
      namespace: runners,
      ownerReferences: [
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid, controller: true },
      ],
    },
    spec: {
      ...spec,
      restartPolicy: 'Never',
      containers: [{ ...container, image: JOB_IMAGE, imagePullPolicy: 'Never', command: ['sleep', '600'] }],
    },
  };
  await kubectl('apply', '--validate=strict', '--filename', await bench.file(JSON.stringify(runner)));
  const counted = '--for=jsonpath={.status.currentHealthy}=1';
  await kubectl('wait', 'pdb/runners', '--namespace', runners, counted, '--timeout=60s');
  await expect(bench.evict('runner', runners)).rejects.toThrow(/violate the pod's disruption budget/);
}, 180_000);

const OWNER = 'jsonpath={.metadata.annotations.pulumi-runner\\.owner-host}';

const enqueue = (stack: string, run: string) =>
  cloud.enqueue({ project: 'network', stack, poolId: POOL.id, job: definition({ Work: run }) });

const begun = (deployment: Deployment) =>
  cloud.waitFor(() => (deployment.steps[1]?.lines.length ?? 0) > 0, 60_000);

/** Makes the secret of an agent without an identity from the cluster. */
async function secret(namespace: string, more: Readonly<Record<string, string>> = {}): Promise<void> {
  const literals = Object.entries({ token: cloud.createStaticToken(POOL.id), ...more });
  const words = literals.map(([key, value]) => `--from-literal=${key}=${value}`);
  await kubectl('create', 'secret', 'generic', 'pulumi-runner-agent', '--namespace', namespace, ...words);
}

/** Installs the chart with an example's values, the machine's variables and what else differs here. */
async function install(
  namespace: string,
  example: string,
  env: readonly Variable[],
  more: Readonly<Record<string, unknown>>,
): Promise<void> {
  const file = await bench.file(JSON.stringify({ image: IMAGE, env, ...more }));
  const values = [join(EXAMPLES, example), file].flatMap((path) => ['--values', path]);
  await helm('install', RELEASE, CHART, '--namespace', namespace, ...values);
}

async function apiServer(): Promise<URL> {
  return new URL(/server: "([^"]+)"/.exec(await readFile(bench.kubeconfig, 'utf8'))?.[1] ?? '');
}

/** Puts Pulumi Cloud on the API server's host, or `host`, for pods to reach. Returns the agent's variables for it. */
async function onTheCluster(options: { host?: string; tls?: Identity } = {}): Promise<Variable[]> {
  const api = await apiServer();
  const { host = api.hostname, tls } = options;
  const front = owned(await tlsFront({ host, to: new URL(cloud.url), ...(tls && { identity: tls }) }));
  const variables = {
    PULUMI_AGENT_SERVICE_URL: `${tls === undefined ? 'http' : 'https'}://${host}:${front.port}`,
    PULUMI_AGENT_ALLOW_INSECURE_SERVICE_URL: String(tls === undefined),
    PULUMI_AGENT_POLLING_INTERVAL: '500ms',
    PULUMI_AGENT_REQUEST_RETRY_WAIT: '100ms',
    // This cluster doesn't proxy its service addresses.
    KUBERNETES_SERVICE_HOST: api.hostname,
    KUBERNETES_SERVICE_PORT: api.port,
  };
  return Object.entries(variables).map(([name, value]) => ({ name, value }));
}

/** Has Pulumi Cloud accept the cluster's identity from agents of a namespace, with the cluster's real keys. */
async function registerCluster(namespace: string): Promise<void> {
  const { issuer } = JSON.parse(await kubectl('get', '--raw', '/.well-known/openid-configuration'));
  const sub = `system:serviceaccount:${namespace}:pulumi-runner-agent`;
  cloud.registerIssuer({
    issuer,
    jwksUrl: `data:application/json,${encodeURIComponent(await kubectl('get', '--raw', '/openid/v1/jwks'))}`,
    policies: [
      {
        decision: 'allow',
        tokenType: 'runner',
        runnerID: POOL.id,
        rules: { aud: 'urn:pulumi:org:acme', sub },
      },
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

const kubectl = (...words: string[]) => administrate(bench.kubeconfig, ...words);
const kubectlJson = async (...words: string[]) => JSON.parse(await kubectl(...words, '--output', 'json'));

async function helm(...words: string[]): Promise<string> {
  const env = { ...process.env, KUBECONFIG: bench.kubeconfig };
  return (await execute(await programPath('helm'), words, { env })).stdout;
}

const listed = async (kinds: string, namespace: string) =>
  (await kubectl('get', kinds, '--namespace', namespace, '--output', 'name')).split('\n').filter(Boolean);
const podsOf = (namespace: string) => listed('pods', namespace);
const objectsOf = (namespace: string) => listed('pods,secrets,podtemplates', namespace);

function logsOf(namespace: string): Promise<string> {
  return kubectl(
    'logs',
    '--namespace',
    namespace,
    '--selector',
    'app.kubernetes.io/component=agent',
    '--tail=20',
  );
}
