import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { readResult } from '../../../src/record/reader.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { folder } from '../../support/agent/claimed-run.ts';
import { bridgeAddress } from '../../support/docker/bridge-address.ts';
import { testImage } from '../../support/docker/images.ts';
import { ownAgentAsStandIn, shared } from '../../support/pulumi-agent/pulumi-run.ts';
import { runAgent } from '../network/agent.ts';
import { enclosedNetwork } from '../network/enclosed.ts';
import { enqueueSteps } from '../network/job.ts';

beforeAll(() => testImage('job'));

it('the relay goes through the proxy to a service behind a private authority, and its agent knows neither', {
  timeout: 120_000,
}, async () => {
  const network = enclosedNetwork(onTestFinished);
  // The engine's bridge is outside the namespace, so the loopback interface inside gets its address.
  execFileSync('ip', ['-n', network.name, 'address', 'add', `${bridgeAddress()}/32`, 'dev', 'lo']);
  const cloud = await PulumiCloud.start({ host: network.service });
  onTestFinished(() => cloud.stop());
  const url = await network.https(cloud.url);
  const proxy = await network.proxy();
  const home = await folder();
  const [own, known] = [join(home, 'own'), join(home, 'environment')];
  const environment = {
    PULUMI_AGENT_ENGINE: 'pulumi',
    PULUMI_AGENT_ENGINE_PATH: await ownAgentAsStandIn(own, `env >> '${known}'`),
    PULUMI_AGENT_TOKEN: cloud.createStaticToken('pool-1'),
    PULUMI_AGENT_SERVICE_URL: url,
    PULUMI_AGENT_ENABLED_WORKFLOW_TYPES: 'deployment',
    PULUMI_AGENT_POLLING_INTERVAL: '100ms',
    PULUMI_AGENT_MAX_WAIT: '30s',
    HTTPS_PROXY: proxy.address,
  };

  const distrusting = await runAgent({ ...environment, PULUMI_AGENT_MAX_WAIT: '0s' }, network.name);
  expect(distrusting).toMatchObject({ code: 4, result: { outcome: 'cloud-unreachable', steps: [] } });
  expect(distrusting.result.message).toMatch(/authority|certificate/);

  const deployment = enqueueSteps(cloud, { Say: 'seq 1 2000; echo through the proxy' });
  const trusting = { ...environment, PULUMI_AGENT_CA_CERTIFICATE: network.authority.path };
  const { code, result, log } = await runAgent(trusting, network.name);
  expect({ code, log }).toEqual({ code: 0, log: expect.stringContaining("Pulumi's agent 2.2.0 is running") });
  expect(deployment.status).toBe('succeeded');
  const written = (await readResult(own))!;
  expect(result.steps.map(shared)).toEqual(written.steps.map(shared));
  expect(result.steps[1]).toMatchObject({ name: 'Say', lines: 2001 });
  expect(result.notices).toEqual([]);
  expect(await proxy.log()).toContain(`CONNECT ${new URL(url).host}`);
  expect(await readFile(known, 'utf8')).not.toMatch(/proxy|certificate/i);
});
