import { afterAll, beforeAll, expect, it } from 'vitest';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { clusterBench } from '../../support/kubernetes/cluster.ts';
import { runAgent } from '../network/agent.ts';
import { enqueueSteps } from '../network/job.ts';
import { openPrivateNetwork, type PrivateNetwork } from '../network/namespace.ts';
import { startTinyproxy, type Tinyproxy } from '../network/tinyproxy.ts';

// The agent's only way to the cluster and to Pulumi Cloud is a proxy that asks for a password.
const bench = clusterBench();
const PASSWORD = 'pr0xy-pass-5b1e';
let network: PrivateNetwork;
let proxy: Tinyproxy;
let cloud: PulumiCloud;
let [address, server] = ['', ''];

beforeAll(async () => {
  network = openPrivateNetwork();
  cloud = await PulumiCloud.start({ host: network.service });
  proxy = await startTinyproxy({ host: network.gateway, lines: [`BasicAuth runner ${PASSWORD}`] });
  address = proxy.address.replace('//', `//runner:${PASSWORD}@`);
  server = (
    await bench.kubectl('config', 'view', '--output', 'jsonpath={.clusters[0].cluster.server}')
  ).trim();
}, 600_000);
afterAll(async () => {
  await proxy?.stop();
  await cloud?.stop();
  network?.close();
});

function agent(environment: Readonly<Record<string, string>>, kubeconfig = bench.kubeconfig) {
  const settings = {
    PULUMI_AGENT_TOKEN: cloud.createStaticToken('pool-1'),
    PULUMI_AGENT_SERVICE_URL: cloud.url,
    PULUMI_AGENT_ALLOW_INSECURE_SERVICE_URL: 'true',
    PULUMI_AGENT_DEPLOY_TARGET: 'kubernetes',
    PULUMI_AGENT_KUBECONFIG: kubeconfig,
    PULUMI_AGENT_NAMESPACE: bench.namespace,
    HTTP_PROXY: address,
  };
  return runAgent({ ...settings, ...environment }, network.name);
}

it('a job’s calls and its steps’ streams go through HTTPS_PROXY', async () => {
  const deployment = enqueueSteps(cloud, { Say: 'seq 20000' });
  const run = await agent({ HTTPS_PROXY: address });
  expect(run, run.log).toMatchObject({ code: 0, result: { outcome: 'succeeded' } });
  expect(deployment.steps[1]?.lines.map(({ l }) => l).join('')).toBe(
    Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join(''),
  );
  expect(run.log).toContain(`at ${server} through the proxy ${proxy.address} (HTTPS_PROXY), namespace`);
  expect(await proxy.log()).toContain(`CONNECT ${new URL(server).host}`);
  expect(run.log + run.record).not.toContain(PASSWORD);
});

it('the kubeconfig’s proxy-url takes precedence, and its refusal is reported without the password', async () => {
  const named = address.replace(PASSWORD, 'wr0ng');
  const kubeconfig = await bench.kubeconfigWith((text) =>
    text.replace('{server:', `{proxy-url: "${named}", server:`),
  );
  const run = await agent({ HTTPS_PROXY: address }, kubeconfig);
  expect(run).toMatchObject({ code: 5, result: { outcome: 'target-error' } });
  expect(run.result.message).toMatch(
    /^Failed to reach the Kubernetes API server at \S+ through the proxy \S+ \(the kubeconfig's proxy-url\): .*refuses the user and password in the kubeconfig's proxy-url \(HTTP 40[17]\)/,
  );
  expect(run.log + run.record).not.toContain('wr0ng');
});
