import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { type AgentProcess, startAgent } from './agent-process.ts';
import { startFront } from './front.ts';
import { kubernetesFile } from './kubernetes-keys.ts';
import { PLACE } from './place.ts';
import { definition, enqueue, onlyArtifact, POOL, statuses, useStage } from './stage.ts';

const stage = useStage();

it('is where the jobs of these tests run', () => {
  expect(PLACE.name).toBe('kubernetes');
});

describe('a job on the cluster', () => {
  it('that prints 1 GB loses no byte of it, in a small agent', async () => {
    const bytes = 1_000_000_000;
    // Long lines: what Pulumi Cloud takes of them in a time is bounded by their number.
    const script = `yes "$(head -c 60000 /dev/zero | tr '\\0' x)" | head -c ${bytes}`;
    const deployment = enqueue(stage, { Print: script });
    const job = await stage.job({ 'upload-artifact': 'never' });
    const main = await job.main();
    await job.post();
    expect(main.outputs).toMatchObject({ outcome: 'succeeded' });
    expect(deployment.status).toBe('succeeded');
    const run = main.outputs['run-directory'] ?? '';
    const result = JSON.parse(await readFile(join(run, 'run.json'), 'utf8')) as { steps: { bytes: number }[] };
    expect(result.steps[1]?.bytes).toBe(bytes);
    const expected = createHash('sha256');
    const line = `${'x'.repeat(60_000)}\n`;
    for (let at = 0; at < bytes; at += line.length) expected.update(line.slice(0, Math.min(line.length, bytes - at)));
    expect(
      execFileSync('sha256sum', [join(run, 'steps/01-print.log')])
        .toString()
        .split(' ')[0],
    ).toBe(expected.digest('hex'));
    const memory = (await readFile(join(run, 'health.ndjson'), 'utf8'))
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => (JSON.parse(text) as { rssBytes: number }).rssBytes);
    expect(Math.max(...memory) / 1e6).toBeLessThan(250);
  }, 240_000);

  it('that takes more memory than it has is told as such', async () => {
    enqueue(stage, { Fill: 'set -o pipefail; head -c 300000000 /dev/zero | tail | wc -c' });
    const job = await stage.job({ memory: '64Mi' });
    const main = await job.main();
    await job.post();
    expect(main.outputs).toMatchObject({ outcome: 'failed' });
    expect(main.annotations.map(({ message }) => message).join('\n')).toMatch(/ran out of memory/);
  });

  it('whose image is nowhere is a target-error that names it', async () => {
    stage.enqueue(definition({ Work: 'true' }, { image: { reference: 'localhost:1/acme/missing:1' } }));
    const job = await stage.job();
    const main = await job.main();
    await job.post();
    expect(main.outputs).toMatchObject({ outcome: 'target-error' });
    const said = main.annotations.map(({ message }) => message).join('\n');
    expect(said).toMatch(/Failed to pull image localhost:1\/acme\/missing:1 for the job: .*connection refused/);
  });

  it('has the shape that the template gives it', async () => {
    enqueue(stage, { Look: 'echo "$TEAM on $(cat /etc/podinfo/labels)"' });
    const template = [
      'metadata: {labels: {cost-center: "42"}}',
      'spec:',
      '  containers:',
      '  - name: pulumi-workflow',
      '    env: [{name: TEAM, value: platform}]',
      '    volumeMounts: [{name: podinfo, mountPath: /etc/podinfo}]',
      '  volumes:',
      '  - name: podinfo',
      '    downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}]}',
    ].join('\n');
    const job = await stage.job({ 'pod-template': template });
    const main = await job.main();
    await job.post();
    expect(main.outputs).toMatchObject({ outcome: 'succeeded' });
    const log = (await onlyArtifact(stage.github)).text('steps/01-look.log');
    expect(log).toMatch(/^platform on .*cost-center="42"/s);
  });

  it('is not claimed when its template can not be used', async () => {
    const deployment = enqueue(stage, { Work: 'true' });
    const job = await stage.job({ 'pod-template': 'spec:\n  restartPolicy: Always\n' });
    const main = await job.main();
    await job.post();
    expect(main.outputs).toMatchObject({ outcome: 'config-error' });
    expect(main.annotations.map(({ message }) => message).join('\n')).toMatch(
      /pod_template:2:18 changes spec\.restartPolicy/,
    );
    expect(deployment.claimedAt).toBeUndefined();
  });
});

it('thirty jobs by ten agents: each claimed once, all green, nothing left', async () => {
  const jobs = Array.from({ length: 30 }, (_, index) =>
    enqueue(stage, { Work: `echo job ${index}` }, `stack-${index}`),
  );
  const home = await mkdtemp(join(tmpdir(), 'agents-'));
  const agents: AgentProcess[] = [];
  try {
    for (let index = 0; index < 10; index += 1) {
      agents.push(
        startAgent({
          home,
          arguments: ['--label', stage.label],
          environment: {
            PULUMI_AGENT_TOKEN: stage.cloud.createStaticToken(POOL.id),
            PULUMI_AGENT_SERVICE_URL: stage.cloud.url,
            PULUMI_AGENT_POLLING_INTERVAL: '500ms',
            PULUMI_AGENT_HTTP_SERVER_PORT: '0',
            PULUMI_AGENT_DEPLOY_TARGET: 'kubernetes',
            PULUMI_AGENT_KUBECONFIG: PLACE.inputs['kubeconfig'] ?? '',
            PULUMI_AGENT_NAMESPACE: 'default',
            PULUMI_AGENT_RUN_DIRECTORY: join(home, `agent-${index}`),
          },
        }),
      );
    }
    await stage.cloud.waitFor(() => jobs.every(({ endReason }) => endReason !== undefined), 170_000);
  } finally {
    for (const { child } of agents) child.kill('SIGTERM');
    await Promise.all(agents.map(({ ended }) => ended));
    await rm(home, { recursive: true, force: true });
  }
  for (const [index, job] of jobs.entries()) {
    expect(job.status).toBe('succeeded');
    expect(statuses(job)).toEqual([
      ['running', 'succeeded'],
      ['running', 'succeeded'],
    ]);
    expect(job.steps[1]?.lines.map(({ l }) => l)).toEqual([`job ${index}\n`]);
  }
  expect(stage.objectsLeft()).toEqual([]);
}, 240_000);

it("the keys of the cluster's configuration", async () => {
  const home = await mkdtemp(join(tmpdir(), 'every-key-'));
  const [namespace] = namespaces('keys');
  const write = (settings: object) =>
    writeFile(
      join(home, 'pulumi-workflow-agent.yaml'),
      Object.entries(settings)
        .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
        .join(''),
    );
  const run = (memory: string) =>
    startAgent({
      home,
      arguments: ['--label', stage.label],
      environment: { PULUMI_AGENT_NUM_CPUS: '0.25', PULUMI_AGENT_MEM_QUANTITY: memory },
    }).ended;
  try {
    await makeNamespace(namespace, 'baseline');
    await kubectl('create', 'serviceaccount', 'deployer', '--namespace', namespace);
    const settings = kubernetesFile({
      url: stage.cloud.url,
      token: stage.cloud.createStaticToken(POOL.id),
      kubeconfig: await withAnotherCluster(home),
      namespace,
    });
    await write(settings);
    const deployment = enqueue(stage, { Work: 'echo evidence >/tmp/evidence' });
    const { code, stderr } = await run('0.125');
    expect(code, stderr).toBe(0);
    expect(deployment.status).toBe('succeeded');
    const { items } = JSON.parse(await kubectl('get', 'pods', '--namespace', namespace, '--output', 'json'));
    expect(items).toHaveLength(1);
    const [pod] = items;
    // debug_pod
    const { name } = pod.metadata;
    expect(/kubectl exec -it (\S+) .*?-n (\S+) /.exec(stderr)?.slice(1)).toEqual([name, namespace]);
    // The rest as the pod has it; kubeconfig, kube_context and namespace in that it is there.
    const size = { cpu: '250m', memory: String(2 ** 27) };
    expect(pod).toMatchObject({
      metadata: {
        labels: { 'pulumi-runner.start-seconds': '90' },
        annotations: { team: 'platform' },
      },
      spec: {
        serviceAccountName: 'deployer',
        terminationGracePeriodSeconds: 55,
        containers: [{ imagePullPolicy: 'Never', resources: { limits: size, requests: size } }],
      },
    });
    await write({ ...settings, pod_start_timeout: '2s' });
    enqueue(stage, { Work: 'true' }, 'next');
    const second = await run('900');
    expect(second.code, second.stderr).toBe(5);
    expect(second.stderr).toMatch(/no node took it within 2 s/);
  } finally {
    await removeNamespaces(namespace);
    await rm(home, { recursive: true });
  }
});

/** Writes a kubeconfig whose current context is of a cluster that nobody answers for. */
async function withAnotherCluster(folder: string): Promise<string> {
  const config = parse(await readFile(PLACE.inputs['kubeconfig'] ?? '', 'utf8'));
  config.clusters.push({ name: 'elsewhere', cluster: { server: 'https://127.0.0.1:9' } });
  config.contexts.push({ name: 'elsewhere', context: { cluster: 'elsewhere', user: config.contexts[0].context.user } });
  const file = join(folder, 'kubeconfig');
  await writeFile(file, JSON.stringify({ ...config, 'current-context': 'elsewhere' }));
  return file;
}

describe('the manifests', () => {
  it.each(['deployment', 'job', 'cronjob'])('of %s hold together', async (name) => {
    expect(await kubectl('kustomize', join(MANIFESTS, name))).toMatch(/^kind: Role$/m);
  });

  it('of the service monitor and of OIDC fit the deployment', async () => {
    await onOverlay(
      { resources: ['deployment'], components: ['service-monitor', 'oidc'] },
      { namespace: 'agents' },
      async (folder) => {
        const text = await kubectl('kustomize', folder);
        const objects = parseAllDocuments(text).map((document) => document.toJS());
        const of = (kind: string) => objects.find((object) => object.kind === kind);
        expect(of('Service').metadata.labels).toMatchObject(of('ServiceMonitor').spec.selector.matchLabels);
        expect(text).toMatch(/audience: urn:pulumi:org:acme/);
        expect(text).toMatch(/PULUMI_AGENT_OIDC_TOKEN_FILE/);
        expect(text).not.toMatch(/PULUMI_AGENT_TOKEN$/m);
      },
    );
  });

  it('put agents on the cluster that serve jobs of another namespace, without a stored token, and finish theirs when they are replaced', async () => {
    const { front, env } = await onTheCluster();
    const [agents, workflows] = namespaces('agents', 'jobs');
    await registerCluster(agents);
    const jobs = [1, 2].map((index) => enqueue(stage, { Work: `echo job ${index}` }, `stack-${index}`));
    try {
      // Each with the level that the page names, so that nothing else is taken.
      await makeNamespace(agents, 'restricted');
      await makeNamespace(workflows, 'baseline');
      const binding = [{ op: 'add', path: '/subjects/0/namespace', value: agents }];
      await onOverlay(
        { resources: ['jobs-namespace'], components: [] },
        { namespace: workflows, patches: [{ target: { kind: 'RoleBinding' }, patch: JSON.stringify(binding) }] },
        (folder) => kubectl('apply', '--kustomize', folder),
      );
      const container = {
        name: 'agent',
        imagePullPolicy: 'Never',
        env: [
          ...env,
          { name: 'PULUMI_AGENT_NAMESPACE', value: workflows },
          { name: 'PULUMI_AGENT_RUNNER_POOL_ID', value: POOL.id },
        ],
      };
      await onOverlay(
        { resources: ['deployment'], components: ['jobs-elsewhere', 'oidc'] },
        {
          namespace: agents,
          images: [AGENT_IMAGE],
          patches: [
            {
              target: { kind: 'Deployment' },
              patch: JSON.stringify({
                ...named('apps/v1', 'Deployment', 'pulumi-runner-agent'),
                spec: { replicas: 2, template: { spec: { containers: [container] } } },
              }),
            },
          ],
        },
        async (folder) => expect(await warningsOf('apply', '--kustomize', folder)).toBe(''),
      );
      await stage.cloud.waitFor(() => jobs.every(({ endReason }) => endReason !== undefined), 120_000);
      const within = ['--namespace', agents];
      await kubectl('rollout', 'status', 'deployment/pulumi-runner-agent', ...within, '--timeout=60s');
      for (const job of jobs) expect(job.status, await logsOf(agents)).toBe('succeeded');
      const [address] = (await kubectl('get', 'endpoints/pulumi-runner-agent', ...within, '--output', ADDRESSES)).split(
        ' ',
      );
      const metrics = await (await fetch(`http://${address}:8080/metrics`)).text();
      expect(metrics).toMatch(/pulumi_runner\w+/);

      const last = enqueue(stage, { Work: 'echo ready; until [ -e /tmp/go ]; do sleep 0.2; done; echo done' }, 'last');
      await stage.cloud.waitFor(() => (last.steps[1]?.lines.length ?? 0) > 0, 60_000);
      const podsOf = async (namespace: string, ...words: string[]) =>
        (await kubectl('get', 'pods', '--namespace', namespace, '--output', 'name', ...words))
          .split('\n')
          .filter(Boolean);
      const [pod = ''] = await podsOf(workflows);
      // As a drain asks for it.
      await expect(evict(workflows, pod.replace('pod/', ''))).rejects.toThrow(/violate the pod's disruption budget/);
      const before = await podsOf(agents);
      await kubectl('rollout', 'restart', 'deployment/pulumi-runner-agent', ...within);
      await kubectl('rollout', 'status', 'deployment/pulumi-runner-agent', ...within, '--timeout=60s');
      const old = async () => (await podsOf(agents)).filter((name) => before.includes(name));
      await expect.poll(old, { timeout: 60_000 }).toHaveLength(1);
      expect(last.status).toBe('running');
      await kubectl('exec', pod, '--namespace', workflows, '--', 'touch', '/tmp/go');
      await expect.poll(old, { timeout: 60_000 }).toEqual([]);
      expect(last.status).toBe('succeeded');
      expect(last.steps[1]?.lines.map(({ l }) => l)).toEqual(['ready\n', 'done\n']);
      expect(await podsOf(workflows)).toEqual([]);
    } finally {
      await removeNamespaces(agents, workflows);
      await front.stop();
    }
  }, 300_000);

  it('look for drift in every stack that matches, and then end', async () => {
    for (const stack of ['one', 'two'])
      stage.cloud.defineStack({ project: 'web', stack, poolId: POOL.id, job: definition({ Look: `echo ${stack}` }) });
    const { front, env } = await onTheCluster();
    const [namespace] = namespaces('drift');
    const container = {
      name: 'agent',
      imagePullPolicy: 'Never',
      env: [
        ...env,
        { name: 'PULUMI_AGENT_TRIGGER', value: 'acme/web/*' },
        { name: 'PULUMI_AGENT_MAX_WAIT', value: '500ms' },
      ],
    };
    const spec = { jobTemplate: { spec: { template: { spec: { containers: [container] } } } } };
    const tokens = {
      token: stage.cloud.createStaticToken(POOL.id),
      'access-token': stage.cloud.createOrganizationToken(),
    };
    try {
      await makeNamespace(namespace, 'baseline');
      await onOverlay(
        { resources: ['cronjob'], components: [] },
        {
          namespace,
          images: [AGENT_IMAGE],
          secretGenerator: [
            {
              name: 'pulumi-runner-agent',
              literals: Object.entries(tokens).map(([key, value]) => `${key}=${value}`),
              options: { disableNameSuffixHash: true },
            },
          ],
          patches: [{ patch: JSON.stringify({ ...named('batch/v1', 'CronJob', 'pulumi-runner-drift'), spec }) }],
        },
        (folder) => kubectl('apply', '--kustomize', folder),
      );
      await kubectl('create', 'job', 'now', '--from=cronjob/pulumi-runner-drift', '--namespace', namespace);
      await kubectl('wait', '--for=condition=complete', 'job/now', '--namespace', namespace, '--timeout=120s');
      expect(stage.cloud.deployments.map(({ stack, operation, status }) => [stack, operation, status])).toEqual([
        ['one', 'detect-drift', 'succeeded'],
        ['two', 'detect-drift', 'succeeded'],
      ]);
    } finally {
      await removeNamespaces(namespace);
      await front.stop();
    }
  }, 300_000);
});

const AGENT_IMAGE = { name: 'pulumi-runner-agent', newName: 'docker.io/pulumi-runner-test/agent', newTag: '1' };
const ADDRESSES = 'jsonpath={.subsets[*].addresses[*].ip}';
const named = (apiVersion: string, kind: string, name: string) => ({ apiVersion, kind, metadata: { name } });

/** Has the agent's image on the node, and Pulumi Cloud where pods reach it: `env` is what tells an agent. */
async function onTheCluster() {
  await execute(join(SCRIPTS, 'agent-image'));
  await execute(join(SCRIPTS, 'kubernetes'), ['load', 'pulumi-runner-test/agent:1']);
  const kubeconfig = await readFile(PLACE.inputs['kubeconfig'] ?? '', 'utf8');
  const server = new URL(/server: "([^"]+)"/.exec(kubeconfig)?.[1] ?? '');
  // Pods reach this machine where they reach the API server.
  const front = await startFront({ target: stage.cloud.url, host: server.hostname });
  const variables = {
    PULUMI_AGENT_SERVICE_URL: `http://${server.hostname}:${front.port}`,
    PULUMI_AGENT_ALLOW_INSECURE_SERVICE_URL: 'true',
    PULUMI_AGENT_POLLING_INTERVAL: '500ms',
    PULUMI_AGENT_REQUEST_RETRY_WAIT: '100ms',
    // This cluster has no proxy for its service addresses.
    KUBERNETES_SERVICE_HOST: server.hostname,
    KUBERNETES_SERVICE_PORT: server.port,
  };
  return { front, env: Object.entries(variables).map(([name, value]) => ({ name, value })) };
}

/** Pulumi Cloud then takes the cluster's identity of the agents of a namespace, with the cluster's real keys. */
async function registerCluster(namespace: string): Promise<void> {
  const { issuer } = JSON.parse(await kubectl('get', '--raw', '/.well-known/openid-configuration'));
  const sub = `system:serviceaccount:${namespace}:pulumi-runner-agent`;
  stage.cloud.registerIssuer({
    issuer,
    jwks: JSON.parse(await kubectl('get', '--raw', '/openid/v1/jwks')),
    policies: [
      { decision: 'allow', tokenType: 'runner', runnerID: POOL.id, rules: { aud: 'urn:pulumi:org:acme', sub } },
    ],
  });
}

function namespaces<const T extends readonly string[]>(...names: T): { [K in keyof T]: string } {
  return names.map((name) => `${name}-${stage.cloud.url.split(':').at(-1)}`) as { [K in keyof T]: string };
}

async function makeNamespace(name: string, level: string): Promise<void> {
  await kubectl('create', 'namespace', name);
  await kubectl('label', 'namespace', name, `pod-security.kubernetes.io/enforce=${level}`);
}

async function removeNamespaces(...names: string[]): Promise<void> {
  await kubectl('delete', 'namespace', ...names, '--ignore-not-found', '--wait=false');
}

/** Writes a user's overlay of these bases and components, and has it used. */
async function onOverlay(
  { resources, components }: { readonly resources: readonly string[]; readonly components: readonly string[] },
  more: object,
  use: (folder: string) => Promise<unknown>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'overlay-'));
  const below = (names: readonly string[]) => names.map((name) => relative(folder, join(MANIFESTS, name)));
  const overlay = { resources: below(resources), components: below(components), ...more };
  try {
    await writeFile(join(folder, 'kustomization.yaml'), JSON.stringify(overlay));
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function evict(namespace: string, name: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'eviction-'));
  const file = join(folder, 'eviction.json');
  await writeFile(file, JSON.stringify({ ...named('policy/v1', 'Eviction', name) }));
  try {
    await kubectl('create', '--raw', `/api/v1/namespaces/${namespace}/pods/${name}/eviction`, '--filename', file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const execute = promisify(execFile);
const SCRIPTS = join(import.meta.dirname, '../../scripts');
const MANIFESTS = join(import.meta.dirname, '../../deploy/kubernetes');

function kubectlWords(words: readonly string[]): [program: string, words: string[]] {
  const programs = execFileSync(join(SCRIPTS, 'kubernetes-programs'), ['--path'], { encoding: 'utf8' }).trim();
  return [join(programs, 'kubectl'), ['--kubeconfig', PLACE.inputs['kubeconfig'] ?? '', ...words]];
}

/** Runs beside this process: the emulators that agents talk to are in it. */
async function kubectl(...words: string[]): Promise<string> {
  return (await execute(...kubectlWords(words))).stdout;
}

/** What kubectl says of an object that it takes in spite of it. */
async function warningsOf(...words: string[]): Promise<string> {
  return (await execute(...kubectlWords(words))).stderr;
}

function logsOf(namespace: string): Promise<string> {
  return kubectl('logs', '--namespace', namespace, '--selector', 'app.kubernetes.io/component=agent', '--tail=20');
}
