import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, onTestFinished, vi } from 'vitest';
import type { ContainerSpec, Executor, JobContainer } from '../../../src/executor/executor.ts';
import {
  createKubernetesExecutor,
  type KubernetesExecutorOptions,
} from '../../../src/executor/kubernetes/kubernetes-executor.ts';
import { scriptOutput } from '../script.ts';
import { type ApiProxy, startApiProxy } from './api-proxy.ts';

const execute = promisify(execFile);
export const NEVER = new AbortController().signal;
/** The test images, as the node's container runtime names them. */
export const JOB_IMAGE = 'docker.io/pulumi-runner-test/job:1';
export const BUSYBOX_IMAGE = 'docker.io/pulumi-runner-test/busybox:1';

/** Runs scripts/kubernetes; returns what it prints. */
export const kubernetes = async (...words: string[]) => (await scriptOutput('kubernetes', words)).trim();

let programs: string | undefined;

/** Runs kubectl; returns what it prints. Throws with its error output. */
export async function kubectl(kubeconfig: string, ...words: string[]): Promise<string> {
  programs ??= await kubernetes('programs');
  const { stdout } = await execute(join(programs, 'kubectl'), ['--kubeconfig', kubeconfig, ...words], {
    timeout: 180_000,
    maxBuffer: 32 * 1024 ** 2,
    env: { PATH: process.env['PATH'], HOME: tmpdir() },
  });
  return stdout;
}

/** Requests a pod's eviction, as a drain does. */
export async function evict(kubeconfig: string, namespace: string, name: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'eviction-'));
  try {
    const file = join(folder, 'eviction.json');
    await writeFile(file, JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } }));
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
    await kubectl(kubeconfig, 'create', '--raw', path, '--filename', file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A rule of a Role. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** A rule for one kind of object in the core API. */
export const rule = (resource: string, ...verbs: string[]): Rule => ({
  apiGroups: [''],
  resources: [resource],
  verbs,
});

/** A namespace of a real cluster for the tests of one file. */
export interface ClusterBench {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly logged: string[];
  /** A file with this text, until the tests are over. */
  file(text: string): Promise<string>;
  /** A changed copy of the administrator's kubeconfig. */
  kubeconfigWith(change: (text: string) => string): Promise<string>;
  /** A proxy to the API server that the test can break, and a kubeconfig that uses it. */
  breakable(): Promise<{ readonly way: ApiProxy; readonly kubeconfig: string }>;
  /** A kubeconfig of a new service account with these Role rules, once the API server grants them. */
  accountWith(rules: readonly Rule[]): Promise<string>;
  target(options?: Partial<KubernetesExecutorOptions>): Executor;
  spec(overrides?: Partial<ContainerSpec>): ContainerSpec;
  prepare(overrides?: Partial<ContainerSpec>, target?: Executor): Promise<JobContainer>;
  kubectl(...words: string[]): Promise<string>;
  /** Requests a pod's eviction, as a drain does. */
  evict(pod: string, namespace?: string): Promise<void>;
  /** The names of existing objects, as `pod/x`. */
  objects(): Promise<string[]>;
  apply(object: object): Promise<void>;
}

/** Sets the namespace up and removes it; call it at the top of a test file. */
export function clusterBench(): ClusterBench {
  const namespace = `test-${randomBytes(5).toString('hex')}`;
  const labels = { 'pulumi-runner-test.bench': randomBytes(8).toString('hex') };
  const logged: string[] = [];
  const targets: Executor[] = [];
  let kubeconfig = '';
  let folder = '';
  const bench: ClusterBench = {
    get kubeconfig() {
      return kubeconfig;
    },
    namespace,
    labels,
    logged,
    file: async (text) => {
      const path = join(folder, randomBytes(4).toString('hex'));
      await writeFile(path, text);
      return path;
    },
    kubeconfigWith: (change) => bench.file(change(readFileSync(kubeconfig, 'utf8'))),
    breakable: async () => {
      const way = await startApiProxy(kubeconfig);
      onTestFinished(() => way.close());
      const change = (text: string) => text.replace(/server: "[^"]+"/, `server: "${way.address}"`);
      return { way, kubeconfig: await bench.kubeconfigWith(change) };
    },
    accountWith: async (rules) => {
      const name = `account-${randomBytes(4).toString('hex')}`;
      await bench.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
      await bench.apply({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name },
        rules,
      });
      await bench.apply({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
        subjects: [{ kind: 'ServiceAccount', name, namespace }],
      });
      const token = (await bench.kubectl('create', 'token', name)).trim();
      const account = await bench.kubeconfigWith((text) => text.replace(/token: "\w+"/, `token: "${token}"`));
      // The API server applies a Role and its binding a little after accepting them, but all of a Role's rules at once.
      const [resource = '', subresource = ''] = rules[0]?.resources[0]?.split('/') ?? [];
      const grant = ['auth', 'can-i', rules[0]?.verbs[0] ?? '', resource, `--subresource=${subresource}`];
      if (rules.length > 0) {
        await vi.waitFor(() => kubectl(account, '--namespace', namespace, ...grant), { timeout: 30_000 });
      }
      return account;
    },
    target: (options = {}) => {
      const made = createKubernetesExecutor({
        kubeconfig,
        namespace,
        podStartTimeoutMs: 60_000,
        cancelGracePeriodMs: 5_000,
        logger: (level, message) => logged.push(`${level} ${message}`),
        ...options,
      });
      targets.push(made);
      return made;
    },
    spec: (overrides = {}) => ({
      image: JOB_IMAGE,
      pull: false,
      platform: 'linux/amd64',
      labels,
      files: [{ path: '/PULUMI_ENV', mode: 0o600, content: '' }],
      environmentFile: '/PULUMI_ENV',
      ...overrides,
    }),
    prepare: (overrides, from = bench.target()) =>
      from.prepare(bench.spec(overrides), async () => undefined, NEVER),
    kubectl: (...words) => kubectl(kubeconfig, '--namespace', namespace, ...words),
    evict: (name, of = namespace) => evict(kubeconfig, of, name),
    objects: async () =>
      (await bench.kubectl('get', 'pods,secrets,podtemplates', '--output', 'name'))
        .split('\n')
        .filter((line) => line !== ''),
    apply: async (object) => {
      await bench.kubectl('apply', '--filename', await bench.file(JSON.stringify(object)));
    },
  };
  beforeAll(async () => {
    kubeconfig = await startCluster();
    folder = await mkdtemp(join(tmpdir(), 'kubernetes-'));
    await kubectl(kubeconfig, 'create', 'namespace', namespace);
    // A namespace's service account appears a moment later, and no pod can be made without it.
    await bench.kubectl('wait', '--for=create', 'serviceaccount/default', '--timeout=30s');
  }, 600_000);
  afterEach(async () => {
    logged.length = 0;
    // Without the node: a busy one was seen to take minutes to delete a pod whose connections were cut.
    const atOnce = ['--force', '--grace-period=0'];
    await bench.kubectl('delete', 'pods,secrets,podtemplates,resourcequotas', '--all', ...atOnce);
  }, 60_000);
  afterAll(async () => {
    for (const target of targets) await target.close();
    await kubectl(kubeconfig, 'delete', 'namespace', namespace, '--wait=false');
    await rm(folder, { recursive: true, force: true });
  }, 60_000);
  return bench;
}

/** Starts the cluster with the test images on its node; it stays until scripts/test ends it. Returns its kubeconfig. */
async function startCluster(): Promise<string> {
  const kubeconfig = (await kubernetes('up')).split('\n').at(-1) ?? '';
  for (const image of ['job', 'busybox']) await kubernetes('load', `pulumi-runner-test/${image}:1`);
  return kubeconfig;
}
