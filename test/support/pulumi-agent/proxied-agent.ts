import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { Redactor } from '../../../src/base/log/redactor.ts';
import { findRoute, openRoute } from '../../../src/base/network/route.ts';
import { ownOwner } from '../../../src/base/owner.ts';
import { PoolApi } from '../../../src/cloud/pool-api.ts';
import { StaticToken } from '../../../src/cloud/token.ts';
import type { ProxiedCall } from '../../../src/pulumi-agent/proxy/call.ts';
import { Credentials } from '../../../src/pulumi-agent/proxy/credentials.ts';
import { CloudProxy, type CloudProxyOptions } from '../../../src/pulumi-agent/proxy/proxy.ts';
import { CallReader } from '../../../src/pulumi-agent/recorder/call-reader.ts';
import { JobRecorder } from '../../../src/pulumi-agent/recorder/job-recorder.ts';
import { RunRecord } from '../../../src/record/run-record.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { folder } from '../agent/claimed-run.ts';
import { agentOf } from '../agent/cloud-agent.ts';
import { cloudHttp } from '../cloud/cloud-http.ts';

/** A proxy to `serviceUrl`, closed after the running test; it reports to `onCall` what it forwards. */
export async function proxyTo(
  serviceUrl: string,
  options: Partial<CloudProxyOptions> = {},
): Promise<CloudProxy> {
  const dispatcher = openRoute(findRoute({ serviceUrl, connectTimeoutMs: 5_000, environment: {} }));
  const proxy = await CloudProxy.open({
    serviceUrl,
    dispatcher,
    address: '127.0.0.1',
    clock: systemClock,
    isCredential: () => true,
    onCall: () => undefined,
    onCli: () => undefined,
    ...options,
  });
  onTestFinished(async () => {
    await proxy.close();
    await dispatcher.destroy();
  });
  return proxy;
}

/** Our agent and an emulated Pulumi Cloud with the proxy between them; what the proxy sees goes to its own record. */
export async function proxiedAgent(config: Readonly<Record<string, string>> = {}) {
  const cloud = await PulumiCloud.start();
  onTestFinished(() => cloud.stop());
  const redactor = new Redactor();
  const directory = join(await folder(), 'recorded');
  const record = new RunRecord({
    version: '0',
    owner: ownOwner(),
    now: () => Date.now(),
    redact: (text) => redactor.text(text),
  });
  record.open(directory);
  const job = new JobRecorder({
    record,
    redactor,
    clock: systemClock,
    config: { serviceUrl: cloud.url },
    onClaim: () => undefined,
  });
  const secrets = redactor.scope();
  const token = cloud.createStaticToken('pool-1');
  const credentials = new Credentials({ token }, secrets);
  const reader = new CallReader({
    job,
    record,
    secrets,
    credentials,
    config: { plainVariables: [], secretVariables: [] },
    clock: systemClock,
    pollingIntervalMs: 60_000,
  });
  const calls: ProxiedCall[] = [];
  const proxy = await proxyTo(cloud.url, {
    isCredential: (token) => credentials.has(token),
    onCall: (call) => {
      calls.push(call);
      return reader.read(call);
    },
  });
  const http = cloudHttp(proxy.url, { retryCount: 0 });
  const tokens = new StaticToken(token);
  const own = await agentOf({ cloud, config, options: { http, tokens, pool: new PoolApi(http, tokens) } });
  const redact = (text: string) => redactor.text(text);
  return { ...own, job, recorded: directory, calls, redact };
}
