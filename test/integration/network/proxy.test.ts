import { afterAll, describe, expect, it } from 'vitest';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { runAgent } from './agent.ts';
import { enclosedNetwork } from './enclosed.ts';
import { enqueueSteps } from './job.ts';
import { tlsFront } from './servers.ts';

const { name, service, authority, identity, proxy } = enclosedNetwork(afterAll);
const cloud = await PulumiCloud.start({ host: service });
afterAll(() => cloud.stop());
const front = await tlsFront({ host: service, identity, to: new URL(cloud.url) });
afterAll(() => front.close());
/** Pulumi Cloud by plain HTTP, and behind a private authority by https. */
const http = cloud.url;
const place = `${service}:${front.port}`;
const https = `https://${place}`;

/** Runs the agent inside the network. */
function agent(serviceUrl: string, environment: Readonly<Record<string, string>> = {}) {
  const settings = {
    PULUMI_AGENT_TOKEN: cloud.createStaticToken('pool-1'),
    PULUMI_AGENT_SERVICE_URL: serviceUrl,
    PULUMI_AGENT_ALLOW_INSECURE_SERVICE_URL: 'true',
    PULUMI_AGENT_CA_CERTIFICATE: authority.path,
  };
  return runAgent({ ...settings, ...environment }, name);
}

const unreachable = { code: 4, result: { outcome: 'cloud-unreachable' } };

describe('in a network without a way out', { timeout: 120_000 }, () => {
  it('the agent can’t reach Pulumi Cloud by itself', async () => {
    const run = await agent(https);
    expect(run).toMatchObject(unreachable);
    expect(run.result.message).toContain(`ENETUNREACH ${place}`);
  });

  it('a deployment is served through a proxy, from an https service behind a private authority', async () => {
    const { address, log } = await proxy();
    const deployment = enqueueSteps(cloud, { Say: 'echo through the proxy' });
    const run = await agent(https, { HTTPS_PROXY: address });
    expect(run).toMatchObject({ code: 0, result: { outcome: 'succeeded' } });
    expect(deployment.status).toBe('succeeded');
    expect(run.log).toContain(`Pulumi Cloud is reached through the proxy ${address} (HTTPS_PROXY).`);
    expect(await log()).toContain(`CONNECT ${place}`);
  });

  it('a plain http service is reached through HTTP_PROXY', async () => {
    const { address, log } = await proxy();
    const run = await agent(http, { http_proxy: address });
    expect(run).toMatchObject({ code: 0, result: { outcome: 'no-work' } });
    expect(await log()).toContain(`GET ${http}/api/deployments/poll`);
  });
});

describe('a proxy that requires a password', { timeout: 120_000 }, () => {
  it('is reported when the password is missing or wrong, takes the right one, and never has it shown', async () => {
    const { address } = await proxy('BasicAuth runner s3cr3t-pass');
    const without = await agent(https, { HTTPS_PROXY: address });
    expect(without).toMatchObject(unreachable);
    expect(without.result.message).toContain(
      `the proxy ${address} requires a user and a password (HTTP 407); set them in HTTPS_PROXY`,
    );
    const right = await agent(https, { HTTPS_PROXY: address.replace('//', '//runner:s3cr3t-pass@') });
    expect(right).toMatchObject({ code: 0, result: { outcome: 'no-work' } });
    const wrong = await agent(https, { HTTPS_PROXY: address.replace('//', '//runner:wr0ng-pass@') });
    expect(wrong).toMatchObject(unreachable);
    expect(wrong.result.message).toMatch(/refuses the user and password in HTTPS_PROXY \(HTTP 40[17]\)/);
    for (const { log, record } of [right, wrong]) expect(log + record).not.toMatch(/s3cr3t|wr0ng/);
  });
});
