import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../../src/config/load.ts';
import { podFor } from '../../../src/executor/kubernetes/pod.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { freePort } from '../../free-port.ts';
import { clusterBench, NEVER } from './cluster.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SOURCE = join(ROOT, 'src/executor/kubernetes');
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
  readonly line: number;
}

/** The page's YAML blocks with an HTML comment before them that says what they are. */
const blocks = [...PAGE.matchAll(/^( *)<!-- (.+) -->\n *```yaml\n([\s\S]*?)^ *```$/gm)].map(
  ({ 1: indent = '', 2: mark = '', 3: text = '', index }): Block => ({
    mark,
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    line: PAGE.slice(0, index).split('\n').length,
  }),
);
const marked = (mark: string) => blocks.filter((block) => block.mark.split(':')[0] === mark);
const cases = (mark: string): [line: number, block: Block][] => marked(mark).map((block) => [block.line, block]);

it('has every kind of block', () => {
  expect(new Set(blocks.map(({ mark }) => mark.split(':')[0]))).toEqual(
    new Set(['overlay', 'agent', 'jobs', 'pod', 'template', 'file', 'restricted', 'refused', 'manifest', 'policy']),
  );
});

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

describe('the pod template', () => {
  it.each(cases('template'))('of line %i is merged and taken', async (_line, { text }) => {
    expect(await bench.target({ template: text }).check(NEVER)).toContain(bench.namespace);
  });

  it.each(cases('refused'))('of line %i is refused, as the page says', async (_line, { mark, text }) => {
    const sentence = mark.slice(mark.indexOf(':') + 1).trim();
    await expect(bench.target({ template: text }).check(NEVER)).rejects.toMatchObject({
      outcome: 'config-error',
      message: expect.stringContaining(sentence),
    });
  });

  it.each(cases('file'))(
    'of the file of line %i is read, merged and taken, and has the keys of the manifests',
    async (_line, { text }) => {
      const { pod_template: _template, ...others } = parse(text);
      expect(others).toEqual(
        parse(readFileSync(join(ROOT, 'deploy/kubernetes/base/pulumi-workflow-agent.yaml'), 'utf8')),
      );
      const file = join(await temporary(), 'pulumi-workflow-agent.yaml');
      await writeFile(file, text);
      const environment = { PULUMI_AGENT_TOKEN: 'pul-1' };
      const folder = await temporary();
      const places = { file, workingDirectory: folder, homeDirectory: folder, agentDirectory: folder };
      const { podTemplate } = (await loadConfig({ environment, ...places })).config;
      expect(podTemplate).toMatchObject({ name: file });
      expect(await bench.target({ ...(podTemplate && { template: podTemplate }) }).check(NEVER)).toContain(
        bench.namespace,
      );
      await writeFile(file, text.replace('nodeSelector:', 'nodeSelektor:'));
      const wrong = (await loadConfig({ environment, ...places })).config.podTemplate;
      await expect(bench.target({ ...(wrong && { template: wrong }) }).check(NEVER)).rejects.toThrow(
        `Failed to use the pod template for jobs: ${file} is refused by the cluster: `,
      );
    },
  );

  it('of restricted Pod Security passes it', async () => {
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

  it('has its own reason in the sentence, however much it says', async () => {
    const env = Array.from({ length: 40 }, (_, index) => ({ name: `NAME_${index}`, value: `value-${index}` }));
    const template = JSON.stringify({ spec: { containers: [{ name: 'pulumi-workflow', env, comand: ['sh'] }] } });
    const refused = await bench.target({ template }).check(NEVER).then(String, String);
    expect(refused).toMatch(/unknown field "template\.spec\.containers\[0\]\.comand"/);
    expect(refused).not.toContain('value-7');
  });
});

it.each(cases('manifest'))('the cluster takes the manifests of line %i', async (_line, { text }) => {
  const documents = parseAllDocuments(text).map((document) => document.toJS() as { apiVersion: string; kind: string });
  const known = documents.filter(({ apiVersion }) => !FOREIGN.includes(apiVersion));
  expect(documents.every(({ kind }) => typeof kind === 'string')).toBe(true);
  for (const object of known) {
    const account = JSON.stringify(object).includes('"serviceAccountName":"pulumi-workflow"');
    if (account) await bench.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'pulumi-workflow' } });
    expect(await dryRun(JSON.stringify(object))).toMatch(/server dry run/);
  }
});

it.each(cases('overlay'))('the overlay of line %i is built, and the cluster takes it', async (_line, { text }) => {
  const built = await kustomized(text);
  const { kind, metadata, spec } = parse(parse(text).patches[0].patch);
  const [group] = { Deployment: ['apps'], Job: ['batch'], CronJob: ['batch'] }[kind as string] ?? [];
  expect(await dryRun(built)).toContain(`${kind.toLowerCase()}.${group}/${metadata.name} created (server dry run)`);
  const envOf = (object: PodMaker) => (object.jobTemplate?.spec ?? object).template?.spec.containers[0]?.env;
  const made = parseAllDocuments(built)
    .map((document) => document.toJS())
    .find((object) => object.kind === kind);
  expect(envOf(made.spec)).toEqual(expect.arrayContaining([...(envOf(spec) ?? [])]));
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

it('tells symptoms in the words of the agent', () => {
  const table = PAGE.slice(PAGE.indexOf('| Symptom |'), PAGE.indexOf("### Keeping a job's pod"));
  const symptoms = table
    .split('\n')
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, words = '']) => words));
  expect(symptoms.length).toBeGreaterThan(15);
  const source = readdirSync(SOURCE).map((name) => readFileSync(join(SOURCE, name), 'utf8'));
  // What is put into a sentence when it is said.
  const said = source.join('\n').replaceAll(/may not \$\{verb\} \$\{subject\.resource\}/g, 'may not create pods/exec');
  for (const words of symptoms)
    expect(said).toContain(words.replace('Failed to pull image', 'Failed to pull image ${'));
});

it('the policy refuses jobs by default, and takes them with limits', async () => {
  const [policy] = marked('policy');
  const folder = await temporary();
  const file = join(folder, 'policy.yaml');
  // Of the whole cluster, so with names of this test's own.
  await writeFile(
    file,
    inNamespace(policy?.text ?? '').replaceAll(/(name|policyName): pulumi-workflow$/gm, `$1: ${bench.namespace}`),
  );
  await bench.kubectl('apply', '--filename', file);
  try {
    const refused = () => bench.target().check(NEVER).then(String, String);
    await expect
      .poll(refused, { timeout: 60_000, interval: 500 })
      .toMatch(/an admission rule of the cluster refused it: .*a container needs limits of processors and memory/);
    const agents = await bench.kubectl('kustomize', join(ROOT, 'deploy/kubernetes/deployment'));
    const deployment = parseAllDocuments(agents)
      .map((document) => document.toJS())
      .find(({ kind }) => kind === 'Deployment');
    const { metadata, spec } = deployment.spec.template;
    await bench.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'pulumi-runner-agent' } });
    const agent = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: 'agent' }, spec };
    expect(await dryRun(JSON.stringify(agent))).toMatch(/server dry run/);
    const limits = { memory: '64Mi', cpus: '0.2' };
    expect(await bench.target(limits).check(NEVER)).toContain(bench.namespace);
    const template =
      'spec: {containers: [{name: pulumi-workflow, securityContext: {$patch: replace, privileged: true}}]}';
    await expect(bench.target({ ...limits, template }).check(NEVER)).rejects.toThrow(
      /containers must not be privileged/,
    );
  } finally {
    await bench.kubectl('delete', '--filename', file);
  }
});

it("the policies of Kyverno's that Kubernetes has the like of ask for the same", () => {
  const documents = (mark: string) =>
    marked(mark).flatMap(({ text }) => parseAllDocuments(text).map((document) => document.toJS()));
  const [ours] = documents('policy');
  const theirs = documents('manifest').find(({ apiVersion }) => apiVersion === 'policies.kyverno.io/v1');
  expect(theirs.spec.validations).toEqual(ours.spec.validations);
  expect(theirs.spec.matchConstraints).toMatchObject(ours.spec.matchConstraints);
});

it('the server of the queue answers with what waits', async () => {
  const cloud = await PulumiCloud.start({ organization: 'acme', pools: [{ id: 'pool-1', name: 'private' }] });
  onTestFinished(() => cloud.stop());
  for (const stack of ['one', 'two']) {
    cloud.enqueue({
      project: 'web',
      stack,
      poolId: 'pool-1',
      job: {
        image: { reference: 'busybox' },
        shell: 'sh',
        timeout: '1m0s',
        env: {},
        steps: [{ name: 'Setup', run: '' }],
      },
    });
  }
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
