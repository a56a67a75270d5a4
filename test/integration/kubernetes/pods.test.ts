import { readFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { CAPABILITIES } from '../../../src/executor/docker/container/host-config.ts';
import { createKubernetesExecutor } from '../../../src/executor/kubernetes/kubernetes-executor.ts';
import { run } from '../../support/docker/workbench.ts';
import { clusterBench, NEVER } from '../../support/kubernetes/cluster.ts';
import { maskOf } from '../docker/capability-mask.ts';

const bench = clusterBench();
afterEach(() => vi.unstubAllEnvs());

it("a pod has its account's token unless the account says otherwise, and none when no account is named", async () => {
  await bench.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'talks' } });
  const silent = { metadata: { name: 'silent' }, automountServiceAccountToken: false };
  await bench.apply({ apiVersion: 'v1', kind: 'ServiceAccount', ...silent });
  const hasToken = async (serviceAccount?: string) => {
    const container = await bench.prepare(
      {},
      bench.target(serviceAccount === undefined ? {} : { serviceAccount }),
    );
    const { code } = await run(container, 'test -e /var/run/secrets/kubernetes.io/serviceaccount/token');
    await container.remove();
    return code === 0;
  };
  expect(await Promise.all([hasToken('talks'), hasToken('silent'), hasToken()])).toEqual([
    true,
    false,
    false,
  ]);
});

it('a pod has the capabilities of a job in Docker and the runtime’s seccomp profile, unless a template says otherwise', async () => {
  const status = async (securityContext?: object) => {
    const containers = [{ name: 'pulumi-workflow', ...(securityContext && { securityContext }) }];
    const container = await bench.prepare(
      {},
      bench.target({ podTemplate: JSON.stringify({ spec: { containers } }) }),
    );
    const shown = 'grep -E "^(CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status | tr -d "\\t"';
    const { output } = await run(container, shown);
    await container.remove();
    return output;
  };
  const few = Object.keys(CAPABILITIES);
  const lines = (mask: string, seccomp: number) =>
    `CapEff:${mask}\nCapBnd:${mask}\nNoNewPrivs:1\nSeccomp:${seccomp}\n`;
  expect(await status()).toBe(lines(maskOf(few), 2));
  const drop = ['AUDIT_WRITE', 'MKNOD', 'NET_BIND_SERVICE', 'SETPCAP', 'SYS_CHROOT'];
  const loose = { capabilities: { drop }, seccompProfile: { type: 'Unconfined' } };
  expect(await status(loose)).toBe(lines(maskOf([...few, 'NET_RAW']), 0));
  expect(await status({ capabilities: { drop: ['ALL'] } })).toBe(lines(maskOf([]), 2));
});

it('a pod has the RuntimeClass that is configured, unless a template says otherwise, and a missing one is found before any claim', async () => {
  const name = `${bench.namespace}-runc`;
  await bench.apply({
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name },
    handler: 'runc',
  });
  try {
    await bench.target({ containerRuntime: name }).check(NEVER);
    const container = await bench.prepare({}, bench.target({ containerRuntime: name }));
    expect(container.confinement).toEqual({ runtime: name });
    expect(await run(container, 'echo up')).toMatchObject({ code: 0, output: 'up\n' });
    await container.remove();
    const template = JSON.stringify({ spec: { runtimeClassName: name } });
    const other = await bench.prepare(
      {},
      bench.target({ containerRuntime: 'another', podTemplate: template }),
    );
    expect(other.confinement).toEqual({ runtime: name });
    await other.remove();
    expect((await bench.prepare()).confinement).toEqual({});
    await expect(bench.target({ containerRuntime: 'another' }).check(NEVER)).rejects.toThrow(
      /RuntimeClass "another" not found\. Create that RuntimeClass, or correct container_runtime or the pod template\.$/,
    );
  } finally {
    await bench.kubectl('delete', 'runtimeclass', name);
  }
});

it('the cluster is reached with the file that KUBECONFIG names, and with a credential plugin', async () => {
  const text = readFileSync(bench.kubeconfig, 'utf8');
  const token = /token: "(\w+)"/.exec(text)?.[1] ?? '';
  const answer = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token } };
  const plugin = await bench.file(`#!/bin/sh\ncat <<'E'\n${JSON.stringify(answer)}\nE\n`);
  await chmod(plugin, 0o755);
  const user = `exec: {apiVersion: client.authentication.k8s.io/v1, command: "${plugin}", interactiveMode: Never}`;
  vi.stubEnv('KUBECONFIG', await bench.kubeconfigWith(() => text.replace(/token: "\w+"/, user)));
  const { namespace } = bench;
  const executor = createKubernetesExecutor({
    namespace,
    podStartTimeoutMs: 60_000,
    cancelGracePeriodMs: 1_000,
  });
  expect(await executor.check(NEVER)).toContain(namespace);
  await executor.close();
});

it('a pod that is kept for inspection stays, says how to enter it, and survives a sweep', async () => {
  const executor = bench.target({ debugPod: true });
  const credentials = { username: 'reader', password: 'ca-na-ry' };
  const container = await bench.prepare({ credentials }, executor);
  await run(container, 'echo evidence >/tmp/evidence');
  await container.remove();
  expect(await bench.objects()).toEqual([`pod/${container.id}`]);
  const [, command = ''] =
    /kept for inspection: (kubectl exec .*?)\. It ends/.exec(bench.logged.join('\n')) ?? [];
  expect(command).toBe(`kubectl exec -it ${container.id} -c pulumi-workflow -n ${bench.namespace} -- sh`);
  const words = command.split(' ').filter((word) => !['kubectl', '-it', 'sh'].includes(word));
  expect(await bench.kubectl(...words, 'cat', '/tmp/evidence')).toBe('evidence\n');
  expect(await executor.sweep(bench.labels, NEVER)).toEqual([]);
});
