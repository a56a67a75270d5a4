import { chmod, writeFile } from 'node:fs/promises';
import { afterEach, expect, it } from 'vitest';
import { CAPABILITIES } from '../../../src/executor/docker/container/host-config.ts';
import { begin, run } from '../../support/docker/workbench.ts';
import { maskOf } from '../docker/capability-mask.ts';
import { clusterBench, kubectl, NEVER } from './cluster.ts';

const bench = clusterBench();
const { KUBECONFIG } = process.env;
afterEach(() => {
  if (KUBECONFIG === undefined) delete process.env['KUBECONFIG'];
  else process.env['KUBECONFIG'] = KUBECONFIG;
});

it('has the documented shape', async () => {
  const target = bench.target({
    memory: '268435456',
    cpus: '0.5',
    serviceAccount: 'default',
    imagePullPolicy: 'Never',
  });
  const container = await bench.prepare({}, target);
  const pod = JSON.parse(await bench.kubectl('get', 'pod', container.id, '--output', 'json'));
  expect(pod.metadata.labels).toMatchObject({
    'app.kubernetes.io/component': 'pulumi-workflow',
    'app.kubernetes.io/name': 'workflow-runner',
    ...bench.labels,
  });
  expect(pod.spec).toMatchObject({
    restartPolicy: 'Never',
    serviceAccountName: 'default',
    nodeSelector: { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' },
    containers: [
      {
        name: 'pulumi-workflow',
        imagePullPolicy: 'Never',
        resources: { limits: { cpu: '500m', memory: '268435456' } },
      },
    ],
  });
  expect(pod.spec.containers).toHaveLength(1);
  await container.remove();
});

it("has an account's token unless the account itself says otherwise; without one named, none", async () => {
  await bench.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'talks' } });
  const silent = { metadata: { name: 'silent' }, automountServiceAccountToken: false };
  await bench.apply({ apiVersion: 'v1', kind: 'ServiceAccount', ...silent });
  const hasToken = async (serviceAccount?: string) => {
    const container = await bench.prepare({}, bench.target(serviceAccount === undefined ? {} : { serviceAccount }));
    const { code } = await run(container, 'test -e /var/run/secrets/kubernetes.io/serviceaccount/token');
    await container.remove();
    return code === 0;
  };
  expect(await Promise.all([hasToken('talks'), hasToken('silent'), hasToken()])).toEqual([true, false, false]);
});

it('has the capabilities of a job in Docker and the runtime’s seccomp profile, until a template says otherwise', async () => {
  const status = async (securityContext?: object) => {
    const containers = [{ name: 'pulumi-workflow', ...(securityContext && { securityContext }) }];
    const container = await bench.prepare({}, bench.target({ template: JSON.stringify({ spec: { containers } }) }));
    const shown = 'grep -E "^(CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status | tr -d "\\t"';
    const { output } = await run(container, shown);
    await container.remove();
    return output;
  };
  const few = Object.keys(CAPABILITIES);
  const lines = (mask: string, seccomp: number) => `CapEff:${mask}\nCapBnd:${mask}\nNoNewPrivs:1\nSeccomp:${seccomp}\n`;
  expect(await status()).toBe(lines(maskOf(few), 2));
  const drop = ['AUDIT_WRITE', 'MKNOD', 'NET_BIND_SERVICE', 'SETPCAP', 'SYS_CHROOT'];
  const loose = { capabilities: { drop }, seccompProfile: { type: 'Unconfined' } };
  expect(await status(loose)).toBe(lines(maskOf([...few, 'NET_RAW']), 0));
  expect(await status({ capabilities: { drop: ['ALL'] } })).toBe(lines(maskOf([]), 2));
});

it('is told with what really runs in it, as soon as its node says so', async () => {
  const container = await bench.prepare();
  await expect.poll(() => container.imageDigest, { timeout: 10_000 }).toMatch(/^(\S+@)?sha256:[0-9a-f]{64}$/);
  await container.remove();
  const short = await bench.prepare();
  await run(short, 'true');
  await short.remove();
  expect(short.imageDigest).toBe(container.imageDigest);
});

it('is entered once a hook after its start is over', async () => {
  const hook = 'sleep 2; echo done >/tmp/hook';
  const template = JSON.stringify({
    spec: {
      containers: [{ name: 'pulumi-workflow', lifecycle: { postStart: { exec: { command: ['sh', '-c', hook] } } } }],
    },
  });
  const container = await bench.prepare({}, bench.target({ template }));
  expect(await run(container, 'cat /tmp/hook')).toMatchObject({ code: 0, output: 'done\n' });
  await container.remove();
});

it('is made by what KUBECONFIG names, and by a credential plugin', async () => {
  const token = /token: "(\w+)"/.exec(await bench.kubeconfigWith((text) => text).then(readText))?.[1] ?? '';
  const plugin = `${await bench.kubeconfigWith((text) => text)}.plugin`;
  const answer = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token } };
  await writeFile(plugin, `#!/bin/sh\ncat <<'E'\n${JSON.stringify(answer)}\nE\n`);
  await chmod(plugin, 0o755);
  const user = `exec: {apiVersion: client.authentication.k8s.io/v1, command: "${plugin}", interactiveMode: Never}`;
  process.env['KUBECONFIG'] = await bench.kubeconfigWith((text) => text.replace(/token: "\w+"/, user));
  const { kubeconfig: _, ...options } = {
    kubeconfig: '',
    namespace: bench.namespace,
    startTimeoutMs: 60_000,
    graceMs: 1_000,
  };
  const { createKubernetesExecutor } = await import('../../../src/executor/kubernetes/kubernetes-executor.ts');
  const target = createKubernetesExecutor(options);
  const container = await bench.prepare({}, target);
  expect(await run(container, 'echo here')).toMatchObject({ code: 0, output: 'here\n' });
  await container.remove();
  await target.close();
});

it('that is to be looked into stays, says how to enter it, and no sweep takes it', async () => {
  const target = bench.target({ keepPods: true });
  const credentials = { username: 'reader', password: 'ca-na-ry' };
  const container = await bench.prepare({ credentials }, target);
  await run(container, 'echo evidence >/tmp/evidence');
  await container.remove();
  expect(await bench.objects()).toEqual([`pod/${container.id}`]);
  const [, command = ''] = /kept for a look into it: (kubectl exec .*?)\. It ends/.exec(bench.logged.join('\n')) ?? [];
  expect(command).toBe(`kubectl exec -it ${container.id} -c pulumi-workflow -n ${bench.namespace} -- sh`);
  expect(
    await kubectl(
      bench.kubeconfig,
      ...command
        .split(' ')
        .slice(1, -1)
        .filter((word) => word !== '-it'),
      'cat',
      '/tmp/evidence',
    ),
  ).toBe('evidence\n');
  expect(await target.sweep(bench.labels, NEVER)).toEqual([]);
});

it('that is evicted under its step is told as that', async () => {
  const container = await bench.prepare();
  const step = await begin(container, 'trap "echo in order; exit 1" INT; echo ready; while :; do sleep 0.1; done');
  await step.shows('ready');
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: container.id, namespace: bench.namespace },
  };
  const path = `/api/v1/namespaces/${bench.namespace}/pods/${container.id}/eviction`;
  const file = `${await bench.kubeconfigWith(() => JSON.stringify(eviction))}`;
  await bench.kubectl('create', '--raw', path, '--filename', file);
  await expect(step.exit).rejects.toMatchObject({
    outcome: 'failed',
    message: expect.stringMatching(
      /^Failed to finish the step in pod \S+: the pod was evicted: Eviction API: evicting.* Look for kubectl drain/,
    ),
  });
  expect(step.output()).toBe('ready\nin order\n');
  await container.remove();
});

async function readText(path: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  return readFile(path, 'utf8');
}
