import { afterEach, expect, it } from 'vitest';
import { run } from '../docker/workbench.ts';
import { type ApiProxy, clusterBench, NEVER, startApiProxy } from './cluster.ts';

const bench = clusterBench();
let proxy: ApiProxy | undefined;
afterEach(async () => {
  await proxy?.close();
  proxy = undefined;
});

async function throughProxy(options: Parameters<typeof bench.target>[0] = {}) {
  const way = await startApiProxy(bench.kubeconfig);
  proxy = way;
  const kubeconfig = await bench.kubeconfigWith((text) => text.replace(/server: "[^"]+"/, `server: "${way.address}"`));
  return { way, target: bench.target({ kubeconfig, leaseSeconds: 12, orphanGraceSeconds: 10, ...options }) };
}

it('the environment file is read although the API server is away when its step ends', async () => {
  const { way, target } = await throughProxy();
  const container = await bench.prepare({}, target);
  await run(container, 'echo A=1 >>/PULUMI_ENV');
  way.refuse();
  way.cut();
  setTimeout(way.open, 1_500);
  expect(await container.readEnvironmentFile(NEVER)).toBe('A=1\n');
});
