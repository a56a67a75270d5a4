import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { definitionOf, fileKey, KEY_NAMES } from '../../src/config/schema.ts';
import { runResultSchema } from '../../src/record/schema.ts';
import { BUSYBOX_IMAGE, deriveImage, docker, removeImage } from '../integration/docker/images.ts';
import { startRegistry } from '../integration/docker/registry.ts';
import { Authority } from '../integration/network/authority.ts';
import { SyslogDaemon } from '../integration/observability/syslog-daemon.ts';
import { type AgentProcess, startAgent } from './agent-process.ts';
import { type Front, startFront } from './front.ts';
import { kubernetesFile } from './kubernetes-keys.ts';
import { closeStage, definition, filesBelow, JOB_IMAGE, openStage, POOL, type Stage } from './stage.ts';

type Value = string | number | boolean | readonly string[];
type Settings = Readonly<Record<string, Value | object>>;

/** What a configuration names of its surroundings. */
interface Place {
  readonly url: string;
  readonly home: string;
  readonly token: string;
  readonly port: number;
  readonly ca: string;
  readonly socket: string;
  /** By its digest, in a registry of the test's own. */
  readonly image: string;
}

const POLL = '/api/deployments/poll';

/** The configuration files of the runs below. Together they set every key that a file may hold to another value than its default. */
const FILES = {
  signIn: ({ url, home }) => ({
    service_url: url,
    oidc_token_file: 'id-token',
    // Neither is known to Pulumi Cloud: scope and audience are asked for as they stand.
    organization_name: 'another-organization',
    runner_pool_id: 'another-pool',
    oidc_scope: `runner:${POOL.id}`,
    oidc_audience: 'urn:pulumi:org:acme',
    token_expiration: '50m',
    polling_interval: '500ms',
    polling_interval_override: true,
    max_wait: '4s',
    single_run: true,
    fail_on_no_work: true,
    http_server_port: 0,
    run_directory: join(home, 'run'),
    log_format: 'json',
    enabled_workflow_types: ['deployment', 'insights_scan'],
    working_directory: home,
    shared_volume_directory: home,
    version: 'v0.0.5',
  }),
  byName: ({ url }) => ({
    service_url: url,
    allow_insecure_service_url: true,
    oidc_token_file: 'id-token',
    organization_name: 'acme',
    runner_pool_id: POOL.id,
    runner_pool_name: POOL.name,
    max_wait: '0s',
    single_run: true,
    http_server_port: 0,
    run_directory: 'run',
  }),
  job: ({ url, token, ca }) => ({
    service_url: url,
    token,
    ca_certificate: ca,
    ca_certificate_in_jobs: true,
    pull_image: false,
    image: JOB_IMAGE,
    env_forward_allowlist: ['AWS_REGION', 'AWS_PROFILE'],
    job_status_loop_interval: '250ms',
    cancel_grace_period: '1s',
    single_run: true,
    http_server_port: 0,
    run_directory: 'run',
  }),
  images: ({ url, token, image }) => ({
    service_url: url,
    token,
    polling_interval: '300ms',
    polling_interval_override: true,
    http_server_port: 0,
    allowed_images: [image.replace(/[^/]+$/, '*'), 'pulumi/*'],
    require_digest: true,
    prepull_images: [image],
    cache_volume: `${CACHE}=/var/cache/job`,
  }),
  container: ({ url, token }) => ({
    service_url: url,
    token,
    pull_image: false,
    memory: '256Mi',
    num_cpus: 0.5,
    pids_limit: 300,
    extra_capabilities: ['NET_RAW'],
    // What only a network of the job's own keeps from it is said not to be kept, unless it is allowed.
    container_network: 'bridge',
    allow_metadata: true,
    dns_servers: ['192.0.2.53'],
    single_run: true,
    http_server_port: 0,
    run_directory: 'run',
  }),
  troubles: ({ url, token }) => ({
    service_url: url,
    token,
    polling_interval: '100ms',
    request_timeout: '2s',
    request_retry_count: 1,
    request_retry_wait: '50ms',
    request_retry_max_wait: '1s',
    circuit_breaker_failures: 3,
    circuit_breaker_timeout: '4s',
    http_server_port: 0,
    log_level: 'warning',
  }),
  health: ({ url, token, port, socket }) => ({
    service_url: url,
    token,
    http_server_port: port,
    health_threshold: '1s',
    syslog: true,
    syslog_socket: socket,
    syslog_format: 'local',
  }),
  planned: ({ url }) => ({
    service_url: url,
    oidc_token_file: 'id-token',
    organization_name: 'acme',
    runner_pool_id: POOL.id,
    access_token_scope: 'team:platform',
    trigger: ['acme/*/prod', 'acme/web/dev'],
    operation: 'refresh',
    trigger_jitter: '300ms',
    plan_max: 2,
  }),
  triggered: ({ url, token }) => ({
    service_url: url,
    access_token: token,
    trigger: ['acme/web/dev'],
    operation: 'preview',
  }),
  elsewhere: ({ token }) => ({ token, deploy_target: 'ecs' }),
  // Its run is with the cluster's own tests.
  cluster: ({ url, token }) => kubernetesFile({ url, token, kubeconfig: '/k' }),
} as const satisfies Record<string, (place: Place) => Readonly<Record<string, Value>>>;

const CACHE = `every-key-${process.pid}`;

/** What another version's file may hold. */
const STRANGE = { new_feature: { on: true }, single_run: true, max_wait: '0s' };

let stage: Stage;
let home: string;
let agent: AgentProcess | undefined;
let front: Front | undefined;
let authority: Authority | undefined;

/** Starts the agent by nothing but its configuration file, with a front before Pulumi Cloud. */
async function start(
  file: (place: Place) => Settings,
  {
    command = 'run',
    environment = {},
    host,
    scheme = 'http',
    ...more
  }: Partial<Place> & {
    command?: string;
    environment?: Record<string, string>;
    host?: string;
    scheme?: 'http' | 'https';
  } = {},
): Promise<AgentProcess> {
  const tls = scheme === 'https' ? authority?.issue({ names: 'IP:127.0.0.1' }) : undefined;
  front = await startFront({
    target: stage.cloud.url,
    ...(host === undefined ? {} : { host }),
    ...(tls === undefined ? {} : { tls }),
  });
  const settings = file({
    url: `${scheme}://${host ?? '127.0.0.1'}:${front.port}`,
    home,
    token: stage.cloud.createStaticToken(POOL.id),
    port: 0,
    ca: '',
    socket: '',
    image: '',
    ...more,
  });
  const lines = Object.entries(settings).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  await writeFile(join(home, 'pulumi-workflow-agent.yaml'), lines.join(''));
  agent = startAgent({ home, command, environment, arguments: ['--label', stage.label] });
  return agent;
}

/** An ID token that the pool's policy allows, where the configuration says. */
async function writeIdToken(): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const sub = 'repo:acme/infrastructure:ref:refs/heads/main';
  const token = await stage.github.issuer.sign({ aud: 'urn:pulumi:org:acme', sub, iat: now, exp: now + 300 });
  await writeFile(join(home, 'id-token'), token);
}

async function result() {
  return runResultSchema.parse(JSON.parse(await readFile(join(home, 'run/run.json'), 'utf8')));
}

/** The parameters of each token exchange, as they were sent. */
function exchanges(): Record<string, unknown>[] {
  return (front?.to('/api/oauth/token') ?? []).map(({ body }) =>
    body.startsWith('{') ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body)),
  );
}

function gaps(times: readonly { readonly at: number }[]): number[] {
  return times.slice(1).map(({ at }, index) => at - (times[index]?.at ?? 0));
}

/** An address of this machine that nobody can take for its loopback. */
function addressOnDockersBridge(): string {
  const { docker0 = [], ...others } = networkInterfaces();
  const addresses = [docker0, ...Object.values(others)].flatMap((list) => list ?? []);
  const found = addresses.find(({ family, internal }) => family === 'IPv4' && !internal);
  if (found === undefined) throw new Error('this machine has no address besides its loopback');
  return found.address;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it('every key that a file may hold is set below to another value than its default', () => {
  const place: Place = {
    url: 'http://127.0.0.1:1',
    home: '/h',
    token: 't',
    port: 1,
    ca: 'c',
    socket: 's',
    image: 'r.io/x@y',
  };
  const set = new Set<string>();
  for (const file of Object.values(FILES)) {
    for (const [key, value] of Object.entries(file(place))) {
      const known = fileKey(key);
      expect(known, key).toBeDefined();
      if (known !== undefined && [value].flat().join(',') !== definitionOf(known).default) set.add(key);
    }
  }
  expect([...set].sort()).toEqual(KEY_NAMES.filter((key) => fileKey(key) !== undefined).sort());
});

describe('the keys of', () => {
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'every-key-'));
  });
  afterEach(async () => {
    agent?.child.kill('SIGKILL');
    await agent?.ended;
    await front?.stop();
    authority?.remove();
    [agent, front, authority] = [undefined, undefined, undefined];
    await closeStage(stage);
    await rm(home, { recursive: true, force: true });
  });

  it('signing in and waiting', async () => {
    stage = await openStage();
    await writeIdToken();
    stage.cloud.script({
      method: 'GET',
      path: new RegExp(`^${POLL}$`),
      times: Number.POSITIVE_INFINITY,
      answer: { status: 204, headers: { 'retry-after': '60' } },
    });
    const started = Date.now();
    const { ended } = await start(FILES.signIn);
    const { code, stderr } = await ended;

    // fail_on_no_work, single_run, max_wait
    expect(code, stderr).toBe(75);
    expect(Date.now() - started).toBeGreaterThan(4_000);
    // oidc_token_file, oidc_scope, oidc_audience, token_expiration
    expect(exchanges()).toEqual([
      expect.objectContaining({
        scope: `runner:${POOL.id}`,
        audience: 'urn:pulumi:org:acme',
        subject_token: await readFile(join(home, 'id-token'), 'utf8'),
      }),
    ]);
    expect(Number(exchanges()[0]?.['expiration'])).toBe(3_000);
    // polling_interval in spite of Retry-After, by polling_interval_override; the last one falls on the end of max_wait
    const polls = gaps(front?.to(POLL) ?? []);
    expect(polls.length).toBeGreaterThanOrEqual(2);
    for (const gap of polls.slice(0, -1)) expect(gap).toBeGreaterThan(450);
    // run_directory
    expect(await result()).toMatchObject({ outcome: 'no-work', exitCode: 75 });
    // log_format
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: string; message: string });
    const said = lines.map(({ message }) => message).join('\n');
    // enabled_workflow_types, working_directory, shared_volume_directory, version
    expect(said).toMatch(/enabled_workflow_types \(.*\) names insights_scan: that work needs Pulumi's own agent/);
    for (const key of ['working_directory', 'shared_volume_directory', 'version'])
      expect(said).toMatch(new RegExp(`^${key} \\(.*pulumi-workflow-agent\\.yaml:\\d+\\) .*no effect`, 'm'));
    expect(front?.asked.filter(({ path }) => path.includes('/lease/'))).toEqual([]);
  });

  it('a pool that is known by its name only, at an address that is neither https nor this machine', async () => {
    stage = await openStage({ acceptPoolId: false, acceptPoolName: true });
    await writeIdToken();
    const { ended } = await start(FILES.byName, { host: addressOnDockersBridge() });
    const { code, stderr } = await ended;
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/service_url \(.*\) is not https: tokens cross the network readable/);
    // organization_name, runner_pool_id, runner_pool_name
    expect(exchanges().map(({ audience, scope }) => [audience, scope])).toEqual([
      ['urn:pulumi:org:acme', `runner:${POOL.id}`],
      ['urn:pulumi:org:acme', `runner:${POOL.name}`],
    ]);
    expect(front?.to(POLL)).toHaveLength(1); // max_wait: 0s
    expect(await result()).toMatchObject({ outcome: 'no-work' });
  });

  it('a job, behind a private authority', async () => {
    stage = await openStage();
    authority = new Authority();
    const job = definition(
      {
        Look: 'echo "[$AWS_REGION] [$AWS_PROFILE] [$NOT_ALLOWED] [$SSL_CERT_FILE]"; cat "$SSL_CERT_FILE"',
        Work: "trap '' INT; trap 'exit 1' TERM; echo at work; while :; do sleep 0.1; done",
      },
      { image: { reference: 'pulumi-runner-test/absent:1' } },
    );
    const deployment = stage.enqueue(job);
    const next = stage.enqueue(definition({ Next: 'true' }), { stack: 'next' });
    const { ended } = await start(FILES.job, {
      scheme: 'https',
      ca: authority.path,
      environment: { AWS_REGION: 'eu-west-1', AWS_PROFILE: 'staging', NOT_ALLOWED: 'hidden' },
    });
    await stage.cloud.waitFor(() => deployment.steps[2]?.lines.length === 1, 60_000);
    // job_status_loop_interval
    const before = deployment.statusReads;
    await stage.cloud.waitFor(() => deployment.statusReads >= before + 3, 45_000);
    stage.cloud.cancel(deployment.id);
    const { code, stderr } = await ended;
    expect(code, stderr).toBe(6);
    // env_forward_allowlist, ca_certificate_in_jobs; pull_image and image, as the job's own image is nowhere, and this one only here
    const [first = '', ...bundle] = deployment.steps[1]?.lines.map(({ l }) => l) ?? [];
    expect(first).toBe('[eu-west-1] [staging] [] [/mnt/pulumi/ca-certificates.crt]\n');
    const [, body = ''] = authority.certificate.trim().split('\n');
    expect(bundle.join('')).toContain(body);
    expect(await result()).toMatchObject({ outcome: 'cancelled', image: JOB_IMAGE });
    // cancel_grace_period
    const sent = (signal: string) =>
      Date.parse(deployment.steps[2]?.lines.find(({ l }) => l.includes(`Sending ${signal}`))?.t ?? '');
    expect(sent('SIGTERM') - sent('SIGINT')).toBeGreaterThanOrEqual(950);
    expect(sent('SIGTERM') - sent('SIGINT')).toBeLessThan(30_000);
    // single_run
    expect(next.claimedAt).toBeUndefined();
  });

  it('images: which may run, what is pulled ahead, and a volume from job to job', async () => {
    stage = await openStage();
    const registry = await startRegistry();
    try {
      const source = await deriveImage(BUSYBOX_IMAGE, { script: 'head -c 50000 /dev/urandom >/unlike' });
      const tag = await registry.push(source, 'acme/tools:1');
      const image = `${tag.replace(/:1$/, '')}@${await registry.digest('acme/tools', '1')}`;
      await removeImage(source);
      const { username, password } = registry.credentials;
      const auth = Buffer.from(`${username}:${password}`).toString('base64');
      await mkdir(join(home, '.docker'));
      await writeFile(join(home, '.docker/config.json'), JSON.stringify({ auths: { [registry.host]: { auth } } }));
      const { child, ended, said } = await start(FILES.images, { image });
      await said(/Image \S+\/acme\/tools@sha256:\w+ \(\S+\) is there for the next job/);

      const asked: string[] = [];
      registry.fault = ({ url = '' }) => {
        asked.push(url);
        return false;
      };
      const job = (run: string, reference: string) =>
        stage.enqueue(definition({ Step: run }, { image: { reference }, shell: 'sh' }), {
          stack: `${run}${reference}`,
        });
      const texts = async (deployment: ReturnType<typeof job>) => {
        await stage.cloud.waitFor(() => deployment.endReason !== undefined, 60_000);
        return deployment.steps.map(({ lines }) => lines.map(({ l }) => l).join(''));
      };
      // allowed_images, require_digest: without a question to any registry
      const [foreign] = await texts(job('true', `${registry.host}/other/tools@sha256:${'0'.repeat(64)}`));
      expect(foreign).toMatch(/is not allowed: no pattern of allowed_images \(\S+\/acme\/\*, pulumi\/\*\) takes/);
      const [unpinned] = await texts(job('true', tag));
      expect(unpinned).toMatch(/is not allowed: require_digest wants it named by its digest/);
      expect(asked).toEqual([]);
      const [setup = ''] = await texts(job('echo from the first >/var/cache/job/file', image));
      expect(setup).not.toMatch(/Pull complete|Downloaded/);
      // prepull_images
      expect(asked.filter((url) => url.includes('/blobs/'))).toEqual([]);
      // cache_volume
      expect(await texts(job('cat /var/cache/job/file', image))).toEqual([expect.any(String), 'from the first\n']);

      child.kill('SIGTERM');
      const { code, stderr } = await ended;
      expect(code, stderr).toBe(0);
      const files = await filesBelow(home);
      const results = [...files]
        .filter(([path]) => path.endsWith('/run.json'))
        .map(([, text]) => JSON.parse(String(text)));
      expect(results.map(({ outcome, imageDigest }) => [outcome, imageDigest]).sort()).toEqual([
        ['succeeded', image],
        ['succeeded', image],
        ['target-error', undefined],
        ['target-error', undefined],
      ]);
      await removeImage(image);
    } finally {
      await registry.close();
      // The first failure is the one to tell.
      await docker
        .getVolume(CACHE)
        .remove()
        .catch(() => undefined);
    }
  });

  it('what a job may use', async () => {
    stage = await openStage();
    const script = `cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null
      cut -d' ' -f1 /sys/fs/cgroup/cpu.max 2>/dev/null || cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us
      cat /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max 2>/dev/null
      grep CapBnd /proc/self/status | cut -f2
      grep nameserver /etc/resolv.conf`;
    const deployment = stage.enqueue(definition({ Look: script }));
    const { ended } = await start(FILES.container);
    const { code, stderr } = await ended;
    expect(code, stderr).toBe(0);
    const [setup = '', seen = ''] = deployment.steps.map(({ lines }) => lines.map(({ l }) => l).join(''));
    // memory, num_cpus, pids_limit, extra_capabilities, dns_servers
    expect(seen).toBe(`${256 * 2 ** 20}\n50000\n300\n00000000800020fb\nnameserver 192.0.2.53\n`);
    // container_network, allow_metadata
    expect(setup).toContain('Started container');
    expect(setup).not.toContain('metadata address');
    const { runId } = await result();
    const filters = { label: [`pulumi-runner.run=${runId}`] };
    expect(await docker.listNetworks({ filters })).toEqual([]);
  });

  it('calls that fail', async () => {
    stage = await openStage();
    const path = new RegExp(`^${POLL}$`);
    stage.cloud.script({ method: 'GET', path, answer: { status: 429, headers: { 'retry-after': '30' } } });
    stage.cloud.script({ method: 'GET', path, answer: 'hang' });
    stage.cloud.script({ method: 'GET', path, times: Number.POSITIVE_INFINITY, answer: 'reset' });
    const { child, ended } = await start(FILES.troubles);
    await vi.waitFor(() => expect(front?.to(POLL).length).toBeGreaterThanOrEqual(7), { timeout: 60_000, interval: 50 });
    child.kill('SIGTERM');
    const { stderr } = await ended;

    const polls = gaps(front?.to(POLL) ?? []);
    // request_retry_max_wait instead of Retry-After's 30 s; request_timeout
    expect(polls[0]).toBeLessThan(20_000);
    expect(stderr).toContain('cut by request_retry_max_wait');
    expect(polls[1]).toBeGreaterThanOrEqual(1_990);
    expect(polls[1]).toBeLessThan(25_000);
    // circuit_breaker_failures × (1 + request_retry_count) requests, then circuit_breaker_timeout without any
    expect(polls.findIndex((gap) => gap >= 3_900)).toBe(5);
    // request_retry_wait
    const waits = Array.from(stderr.matchAll(/Trying again in ([\d.]+) s/g), ([, seconds]) => Number(seconds));
    expect(waits.length).toBeGreaterThanOrEqual(3);
    expect(waits[0]).toBe(1); // the one that was cut
    for (const wait of waits.slice(1)) expect(wait).toBeLessThanOrEqual(0.1);
    // log_level
    expect(stderr).toMatch(/^\S+ warning /m);
    expect(stderr).not.toMatch(/^\S+ (info|debug) /m);
  });

  it('health and syslog', async () => {
    stage = await openStage();
    await using daemon = await SyslogDaemon.start();
    const port = await freePort();
    const { child, ended } = await start(FILES.health, { port, socket: daemon.socket });
    // http_server_port, health_threshold: the next poll is a minute away
    await vi.waitFor(
      async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/healthz`);
        expect([answer.status, await answer.json()]).toEqual([503, expect.objectContaining({ status: 'unhealthy' })]);
      },
      { timeout: 40_000, interval: 50 },
    );
    expect(front?.to(POLL)).toHaveLength(1);
    child.kill('SIGTERM');
    const { stderr } = await ended;
    // syslog, syslog_socket, syslog_format
    const said = `pulumi-runner-agent[${child.pid}]: Health is served at http://127.0.0.1:${port}`;
    expect(await daemon.raw()).toContainEqual(expect.stringContaining(said));
    expect(stderr).toBe('');
  });

  it('deployments that are started, and jobs that are planned for them', async () => {
    stage = await openStage();
    const { issuer } = stage.github;
    stage.cloud.registerIssuer({
      issuer: issuer.url,
      jwksUrl: issuer.jwksUri,
      policies: [{ decision: 'allow', tokenType: 'team', teamName: 'platform', rules: { aud: 'urn:pulumi:org:acme' } }],
    });
    for (const name of ['web/prod', 'web/dev', 'api/prod', 'api/dev']) {
      const [project = '', stack = ''] = name.split('/');
      stage.cloud.defineStack({ project, stack, poolId: POOL.id, job: definition({}) });
    }
    await writeIdToken();
    const planned = await (await start(FILES.planned, { command: 'plan' })).ended;
    expect(planned.code, planned.stderr).toBe(0);
    // access_token_scope
    expect(exchanges().map(({ requested_token_type: type, scope }) => [type, scope])).toEqual([
      ['urn:pulumi:token-type:access_token:team', 'team:platform'],
    ]);
    // trigger, operation, trigger_jitter
    expect(stage.cloud.deployments.map(({ project, stack }) => `${project}/${stack}`).sort()).toEqual([
      'api/prod',
      'web/dev',
      'web/prod',
    ]);
    expect(new Set(stage.cloud.deployments.map(({ operation }) => operation))).toEqual(new Set(['refresh']));
    expect(planned.stderr).toContain('Starting refresh of 3 stacks, spread over 300ms.');
    // plan_max
    expect(JSON.parse(planned.stdout)).toMatchObject({ queued: 3, count: 2 });
    await front?.stop();

    const token = stage.cloud.createOrganizationToken();
    const triggered = await (await start(FILES.triggered, { command: 'trigger', token })).ended;
    expect(triggered.code, triggered.stderr).toBe(0);
    // access_token
    expect(exchanges()).toEqual([]);
    expect(stage.cloud.deployments.at(-1)).toMatchObject({ stack: 'dev', operation: 'preview' });
    expect(triggered.stderr).not.toContain(token);
  });

  it('a target that is still to come', async () => {
    stage = await openStage();
    const { ended } = await start(FILES.elsewhere);
    const { code, stderr } = await ended;
    expect(code).toBe(2);
    expect(stderr).toMatch(/pulumi-workflow-agent\.yaml:2:1: deploy_target "ecs" is not supported yet/);
  });

  it('another version are passed over with a warning, in the file and in the environment', async () => {
    stage = await openStage();
    const file = ({ url, token }: Place) => ({ service_url: url, token, http_server_port: 0, ...STRANGE });
    const { ended } = await start(file, {
      environment: { PULUMI_AGENT_POLING_INTERVAL: '1s', PULUMI_AGENT_DEBUG_POD: 'true' },
    });
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(stderr).toMatch(/^\S+ warning .*pulumi-workflow-agent\.yaml:\d+:1: "new_feature" is not a known key/m);
    expect(stderr).toMatch(/^\S+ warning PULUMI_AGENT_POLING_INTERVAL .*did you mean PULUMI_AGENT_POLLING_INTERVAL\?/m);
    expect(stderr).toMatch(/^\S+ info +PULUMI_AGENT_DEBUG_POD only acts on the Kubernetes target/m);
  });
});
