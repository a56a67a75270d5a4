import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { freePort } from '../../free-port.ts';
import { scriptOutput } from '../../images/script.ts';
import { type FrontOptions, startFront } from '../../support/e2e/front.ts';
import { definition, POOL } from '../../support/e2e/stage.ts';
import { Authority } from '../network/authority.ts';
import { startTinyproxy } from '../network/tinyproxy.ts';
import { documented, PrometheusServer } from '../observability/prometheus-server.ts';
import { clusterBench } from './cluster.ts';

const ROOT = join(import.meta.dirname, '../../..');
const MANIFESTS = join(ROOT, 'deploy/kubernetes');
const PAGE = join(ROOT, 'docs/kubernetes.md');
const AGENT_IMAGE = { name: 'pulumi-runner-agent', newName: 'docker.io/pulumi-runner-test/agent', newTag: '1' };
/** A step that is at work until it is let go on. */
const WAIT = 'echo ready; until [ -e /tmp/go ]; do sleep 0.2; done; echo done';

interface Variable {
  readonly name: string;
  readonly value: string;
}

interface EndpointSlice {
  readonly endpoints: readonly {
    readonly addresses: readonly string[];
    readonly targetRef: { readonly name: string };
  }[];
  readonly ports: readonly { readonly port: number }[];
}

/** A target as Prometheus has it before relabelling. */
interface Discovered {
  readonly targets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
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

it.each(['deployment', 'job', 'cronjob'])('the manifests of %s hold together', async (name) => {
  expect(await kubectl('kustomize', join(MANIFESTS, name))).toMatch(/^kind: Role$/m);
});

it('the service monitor and OIDC fit the deployment', async () => {
  const overlay = { resources: ['deployment'], components: ['service-monitor', 'oidc'], namespace: 'agents' };
  const text = await onOverlay(overlay, (folder) => kubectl('kustomize', folder));
  const objects = parseAllDocuments(text).map((document) => document.toJS());
  const of = (kind: string) => objects.find((object) => object.kind === kind);
  expect(of('Service').metadata.labels).toMatchObject(of('ServiceMonitor').spec.selector.matchLabels);
  expect(text).toMatch(/audience: urn:pulumi:org:acme/);
  expect(text).toMatch(/PULUMI_AGENT_OIDC_TOKEN_FILE/);
  expect(text).not.toMatch(/PULUMI_AGENT_TOKEN$/m);
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
  // Those too that only finish their last job.
  const scraped = (await podsOf(agents)).map((name) => name.replace('pod/', '')).toSorted();
  await using prometheus = await prometheusOf(agents, scraped);
  await prometheus.until(`count(up{job="pulumi-runner"} == 1) == ${scraped.length}`);
  const up = await prometheus.query('up{job="pulumi-runner"}');
  expect(up.map(({ metric }) => metric['pod']).toSorted()).toEqual(scraped);
  await prometheus.until('sum(pulumi_runner_jobs_total{outcome="succeeded"}) == 2');
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

it('a Job runs one deployment, through a proxy and with an authority as the page shows it', async () => {
  const authority = new Authority();
  onTestFinished(() => authority.remove());
  // Another address of this machine than that of the API server, which is reached directly.
  const api = await apiServer();
  const addresses = Object.values(networkInterfaces()).flatMap((list = []) => list);
  const host = addresses.find((each) => !each.internal && each.family === 'IPv4' && each.address !== api.hostname);
  const address = host?.address ?? '';
  const tls = authority.issue({ names: `IP:${address}` });
  const proxy = await startTinyproxy({ host: api.hostname, port: await freePort() });
  onTestFinished(() => proxy.stop());
  const env = await onTheCluster({ host: address, tls });
  const namespace = await makeNamespace('once', 'baseline');
  await kubectl('create', 'configmap', 'acme-root', '--namespace', namespace, `--from-file=ca.pem=${authority.path}`);
  const shown = (await pageOverlay('PULUMI_AGENT_CA_CERTIFICATE'))
    .replace('kind: Deployment', 'kind: Job')
    .replace('apiVersion: apps/v1', 'apiVersion: batch/v1')
    .replaceAll('http://proxy.acme.internal:3128', proxy.address);
  const spec = { template: { spec: { containers: [containerOf(env, {})] } } };
  const overlay = {
    resources: ['job'],
    namespace,
    secretGenerator: tokens(),
    // The last one's variables come first, and this cluster's own word for the API server must: the page's patch names it.
    patches: [
      { patch: shown },
      { patch: JSON.stringify({ ...named('batch/v1', 'Job', 'pulumi-runner-agent'), spec }) },
    ],
  };
  const look = `[ "$HTTPS_PROXY" = ${proxy.address} ] && grep -qF "$(sed -n 2p <<'END'
${authority.certificate}END
)" "$SSL_CERT_FILE" && echo both are here`;
  const [first, second] = ['one', 'two'].map((stack) => enqueue(stack, look));
  await onOverlay(overlay, (folder) => kubectl('apply', '--kustomize', folder));
  const job = ['job/pulumi-runner-agent', '--namespace', namespace];
  await kubectl('wait', '--for=condition=complete', ...job, '--timeout=120s').catch(async (error: unknown) => {
    throw new Error(await kubectl('logs', ...job), { cause: error });
  });
  expect(first?.steps[1]?.lines.map(({ l }) => l)).toEqual(['both are here\n']);
  expect([first?.status, second?.status]).toEqual(['succeeded', 'not-started']);
  const log = await proxy.log();
  expect(log).toContain(`CONNECT ${address}:`);
  expect(log).not.toContain(`CONNECT ${api.host}`);
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

async function apiServer(): Promise<URL> {
  return new URL(/server: "([^"]+)"/.exec(await readFile(bench.kubeconfig, 'utf8'))?.[1] ?? '');
}

/** Has Pulumi Cloud where pods reach it, which is where they reach the API server unless a host is given; what tells an agent. */
async function onTheCluster(options: Partial<FrontOptions> = {}): Promise<Variable[]> {
  const api = await apiServer();
  const { host, tls } = { host: api.hostname, ...options };
  const front = await startFront({ target: cloud.url, ...options, host });
  onTestFinished(() => front.stop());
  const variables = {
    PULUMI_AGENT_SERVICE_URL: `${tls === undefined ? 'http' : 'https'}://${host}:${front.port}`,
    PULUMI_AGENT_ALLOW_INSECURE_SERVICE_URL: String(tls === undefined),
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

/**
 * A real Prometheus as the page has it, but that it is told the agents by a file, with the labels that Prometheus documents for
 * endpoint slices: Debian's is built without Kubernetes.
 */
async function prometheusOf(namespace: string, pods: readonly string[]): Promise<PrometheusServer> {
  const { metadata } = await kubectlJson('get', 'service/pulumi-runner-agent', '--namespace', namespace);
  const annotations = Object.entries<string>(metadata.annotations).map(([key, value]) => [
    `__meta_kubernetes_service_annotation_${key.replaceAll(/\W/g, '_')}`,
    value,
  ]);
  const discovered = async (): Promise<Discovered[]> => {
    const slices = await kubectlJson('get', 'endpointslices', '--namespace', namespace);
    return slices.items.flatMap(({ endpoints, ports }: EndpointSlice) =>
      endpoints.flatMap(({ addresses, targetRef }) =>
        ports.map(({ port }) => ({
          targets: [`${addresses[0]}:${port}`],
          labels: { ...Object.fromEntries(annotations), __meta_kubernetes_pod_name: targetRef.name },
        })),
      ),
    );
  };
  const names = async () => (await discovered()).map(({ labels }) => labels['__meta_kubernetes_pod_name']).toSorted();
  await expect.poll(names, { timeout: 30_000 }).toEqual(pods);
  const targets = await discovered();
  const folder = await mkdtemp(join(tmpdir(), 'targets-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'targets.json');
  // One that asks for nothing is left alone.
  await writeFile(file, JSON.stringify([...targets, { targets: ['127.0.0.1:9'], labels: {} }]));
  const {
    scrape_configs: [scrape],
  } = parse(await documented('prometheus.yml', PAGE));
  expect(scrape.kubernetes_sd_configs).toEqual([{ role: 'endpointslice', namespaces: { names: ['pulumi-runner'] } }]);
  const { kubernetes_sd_configs: _, ...told } = scrape;
  const configuration = { scrape_configs: [{ ...told, scrape_interval: '1s', file_sd_configs: [{ files: [file] }] }] };
  return PrometheusServer.with(stringify(configuration));
}

/** The patch of the page's overlay that has these words. */
async function pageOverlay(words: string): Promise<string> {
  const overlays = (await readFile(PAGE, 'utf8')).split('<!-- overlay -->\n```yaml\n').slice(1);
  const text = overlays.map((rest) => rest.split('```')[0] ?? '').find((overlay) => overlay.includes(words));
  return parse(text ?? '').patches[0].patch;
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

const kubectlJson = async (...words: string[]) => JSON.parse(await kubectl(...words, '--output', 'json'));

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
