import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { begin, run } from '../docker/workbench.ts';
import { type ApiProxy, BUSYBOX_IMAGE, clusterBench, JOB_IMAGE, startApiProxy } from './cluster.ts';

const bench = clusterBench();
let proxy: ApiProxy | undefined;
afterEach(async () => {
  await proxy?.close();
  proxy = undefined;
});

/** The agent's folder is a disk of one MiB. */
const SMALL = JSON.stringify({
  spec: { volumes: [{ name: 'pulumi-runner', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } }] },
});

describe.each([
  ['dash', JOB_IMAGE, 'bash'],
  ['busybox', BUSYBOX_IMAGE, 'sh'],
])('where sh is %s, a step', (_, image, shell) => {
  it('that fills the disk has its own exit code, and the pod goes on', async () => {
    const container = await bench.prepare({ image }, bench.target({ template: SMALL, leaseSeconds: 6 }));
    const full = await run(container, 'echo first; seq 1000000 2>/dev/null; sleep 9; exit 3', { shell });
    expect(full).toMatchObject({ code: 3, output: expect.stringMatching(/^first\n1\n2\n3\n/) });
    expect(await run(container, 'echo on', { shell })).toMatchObject({ code: 0, output: 'on\n' });
  });

  it('that removes what the agent has in the pod loses no line, over a stream that is cut too', async () => {
    const way = await startApiProxy(bench.kubeconfig);
    proxy = way;
    const kubeconfig = await bench.kubeconfigWith((text) =>
      text.replace(/server: "[^"]+"/, `server: "${way.address}"`),
    );
    const container = await bench.prepare({ image }, bench.target({ kubeconfig }));
    const script = 'echo a; rm -rf /mnt/pulumi-runner/*; echo b; sleep 3; echo c; exit 5';
    const step = await begin(container, script, { shell });
    await step.shows('b\n');
    way.cut();
    expect(await step.exit).toMatchObject({ code: 5 });
    expect(step.output()).toBe('a\nb\nc\n');
    expect(await run(container, 'rm -rf /mnt/pulumi-runner/*; exit 6', { shell })).toMatchObject({ code: 6 });
    expect(await run(container, 'echo on', { shell })).toMatchObject({ code: 0, output: 'on\n' });
  });

  it('that kills all it can is over, and the pod goes on', async () => {
    const container = await bench.prepare({ image });
    const killed = await run(container, 'echo before; kill -9 -1; sleep 1; echo after; exit 4', { shell });
    // Kill spares the shell that asks for it.
    expect(killed.output).toBe('before\nafter\n');
    expect(killed.code).toBe(137);
    expect(await run(container, 'echo on', { shell })).toMatchObject({ code: 0, output: 'on\n' });
  });

  it('that stands where the next one notes its end does not make that one wait for ever', async () => {
    const container = await bench.prepare({ image });
    await run(container, 'mkdir /mnt/pulumi-runner/end-2', { shell });
    expect(await run(container, 'echo here; exit 7', { shell })).toMatchObject({ code: 7, output: 'here\n' });
  });

  it('that takes every process number there is does not end the pod', async () => {
    const container = await bench.prepare({ image });
    const limit = pidsLimitOf(container.id);
    const step = await begin(container, 'mkfifo /tmp/f; echo ready; read -r line </tmp/f; echo on; exit 8', { shell });
    await step.shows('ready');
    writeFileSync(limit, '1');
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    writeFileSync(limit, 'max');
    expect(await run(container, 'echo on >/tmp/f; echo here', { shell })).toMatchObject({ code: 0, output: 'here\n' });
    expect(await step.exit).toMatchObject({ code: 8 });
  });
});

/** The file that says how many processes the pod's container may have, on this node's cgroup v1. */
function pidsLimitOf(pod: string): string {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`HOSTNAME=${pod}\0`)) continue;
      const [, path] = /:pids:(.+)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8')) ?? [];
      if (path !== undefined) return `/sys/fs/cgroup/pids${path}/pids.max`;
    } catch {
      // Gone meanwhile.
    }
  }
  throw new Error(`no process of ${pod}`);
}
