import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../../src/config/load.ts';
import { podFor } from '../../../src/executor/kubernetes/pod/pod.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { freePort } from '../../free-port.ts';
import { clusterBench, NEVER } from '../../support/kubernetes/cluster.ts';
import { enqueueSteps } from '../network/job.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PAGE = readFileSync(join(ROOT, 'docs/kubernetes.md'), 'utf8');
/** Of kinds that this cluster doesn't know: nobody here can say whether they are right. */
const FOREIGN = ['keda.sh/v1alpha1', 'kyverno.io/v1', 'policies.kyverno.io/v1'];
const bench = clusterBench();

/** What has a pod's template, or a Job's with one. */
interface PodMaker {
  readonly template?: { readonly spec: { readonly containers: readonly { readonly env: readonly object[] }[] } };
  readonly jobTemplate?: { readonly spec: PodMaker };
}

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

it('shows a configuration file whose template is merged and taken, and which has the keys of the manifests', async () => {
  const [{ text } = { text: '' }] = marked('file');
  const { pod_template: _template, ...others } = parse(text);
  expect(others).toEqual(parse(readFileSync(join(ROOT, 'deploy/kubernetes/base/pulumi-workflow-agent.yaml'), 'utf8')));
  const folder = await temporary();
  const file = join(folder, 'pulumi-workflow-agent.yaml');
  const check = async (written: string) => {
    await writeFile(file, written);
    const places = { file, workingDirectory: folder, homeDirectory: folder, agentDirectory: folder };
    const { podTemplate } = (await loadConfig({ environment: { PULUMI_AGENT_TOKEN: 'pul-1' }, ...places })).config;
    return bench.target({ ...(podTemplate && { template: podTemplate }) }).check(NEVER);
  };
  expect(await check(text)).toContain(bench.namespace);
  await expect(check(text.replace('nodeSelector:', 'nodeSelektor:'))).rejects.toThrow(
    `Failed to use the pod template for jobs: ${file} is refused by the cluster: `,
  );
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

it('shows overlays that are built, and that the cluster takes', async () => {
  const envOf = (object: PodMaker) => (object.jobTemplate?.spec ?? object).template?.spec.containers[0]?.env;
  for (const { text } of marked('overlay')) {
    const built = await kustomized(text);
    const { kind, metadata, spec } = parse(parse(text).patches[0].patch);
    expect(await dryRun(built)).toMatch(new RegExp(`${kind.toLowerCase()}\\.\\w+/${metadata.name} created`));
    const made = parseAllDocuments(built)
      .map((document) => document.toJS())
      .find((object) => object.kind === kind);
    expect(envOf(made.spec)).toEqual(expect.arrayContaining([...(envOf(spec) ?? [])]));
  }
});

it('the overlays of two namespaces are built: no right in that of the agents, all of them in that of jobs', async () => {
  const [agent, jobs] = ['agent', 'jobs'].map((mark) => marked(mark)[0]?.text ?? '');
  const kinds = (built: string) =>
    parseAllDocuments(built).map((document) => (document.toJS() as { kind: string }).kind);
  const agents = await kustomized(agent ?? '');
  expect(kinds(agents).toSorted()).toEqual([
    'ConfigMap',
    'Deployment',
    'PodDisruptionBudget',
    'Service',
    'ServiceAccount',
  ]);
  expect(agents).toMatch(/name: PULUMI_AGENT_NAMESPACE\n\s+value: pulumi-jobs$/m);
  const built = await kustomized(jobs ?? '');
  expect(kinds(built).toSorted()).toEqual(['PodDisruptionBudget', 'Role', 'RoleBinding', 'ServiceAccount']);
  expect(built).toMatch(/name: pulumi-runner-agent\n\s+namespace: pulumi-runner$/m);
  for (const objects of [agents, built]) expect(await dryRun(objects)).toMatch(/server dry run/);
});

it('shows a policy that refuses jobs by default, and takes them with limits', async () => {
  const file = join(await temporary(), 'policy.yaml');
  // Of the whole cluster, so with names of this test's own.
  const text = inNamespace(marked('policy')[0]?.text ?? '');
  await writeFile(file, text.replaceAll(/(name|policyName): pulumi-workflow$/gm, `$1: ${bench.namespace}`));
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

it('the server of the queue answers with what waits', async () => {
  const cloud = await PulumiCloud.start({ organization: 'acme', pools: [{ id: 'pool-1', name: 'private' }] });
  onTestFinished(() => cloud.stop());
  for (const name of ['one', 'two']) enqueueSteps(cloud, { [name]: 'true' });
  const source = marked('manifest').find(({ text }) => text.includes('server.mjs'))?.text ?? '';
  const [map] = parseAllDocuments(source).map((document) => document.toJS());
  const file = join(await temporary(), 'server.mjs');
  await writeFile(file, map.data['server.mjs']);
  const port = await freePort();
  const server = spawn(process.execPath, [file], {
    env: {
      PATH: process.env['PATH'],
      HOME: await temporary(),
      PORT: String(port),
      AGENT: join(ROOT, 'src/cli/index.ts'),
      PULUMI_AGENT_SERVICE_URL: cloud.url,
      PULUMI_AGENT_ORGANIZATION_NAME: 'acme',
      PULUMI_AGENT_RUNNER_POOL_ID: 'pool-1',
      PULUMI_AGENT_ACCESS_TOKEN: cloud.userToken,
    },
    stdio: 'ignore',
  });
  onTestFinished(() => void server.kill());
  const asked = () => fetch(`http://127.0.0.1:${port}/`).then(async (answer) => [answer.status, await answer.json()]);
  await expect.poll(() => asked().catch(String), { timeout: 60_000 }).toMatchObject([200, { queued: 2 }]);
});

/** What a user's kustomization makes, beside a checkout or one folder below. */
async function kustomized(text: string): Promise<string> {
  const folder = await temporary();
  await symlink(ROOT, join(folder, 'pulumi-runner-action'));
  await mkdir(join(folder, 'below'));
  const place = text.includes('- ../') ? join(folder, 'below') : folder;
  await writeFile(join(place, 'kustomization.yaml'), inNamespace(text));
  return bench.kubectl('kustomize', place);
}

const inNamespace = (text: string) =>
  text
    .replaceAll(/\bnamespace: pulumi-(?:runner|jobs)$/gm, `namespace: ${bench.namespace}`)
    .replaceAll('name: pulumi-runner }', `name: ${bench.namespace} }`);

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'page-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Has the API server check objects as it would when they were made. */
async function dryRun(text: string): Promise<string> {
  const file = join(await temporary(), 'objects.yaml');
  await writeFile(file, text);
  return bench.kubectl('apply', '--dry-run=server', '--validate=strict', '--filename', file);
}
