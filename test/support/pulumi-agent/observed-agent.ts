import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { Redactor } from '../../../src/base/log/redactor.ts';
import { findRoute, openRoute } from '../../../src/base/network/route.ts';
import { ownOwner } from '../../../src/base/owner.ts';
import { PoolApi } from '../../../src/cloud/pool-api.ts';
import { StaticToken } from '../../../src/cloud/token.ts';
import { Credentials } from '../../../src/pulumi-agent/proxy/credentials.ts';
import type { Exchange } from '../../../src/pulumi-agent/proxy/exchange.ts';
import { Reading } from '../../../src/pulumi-agent/proxy/reading.ts';
import { Relay, type RelayOptions } from '../../../src/pulumi-agent/proxy/relay.ts';
import { ObservedRun } from '../../../src/pulumi-agent/recorder/observed-run.ts';
import { RunRecord } from '../../../src/record/run-record.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { folder } from '../agent/claimed-run.ts';
import { agentOf } from '../agent/cloud-agent.ts';
import { cloudHttp } from '../cloud/cloud-http.ts';

/** A relay to `serviceUrl`, closed after the running test; it reports to `onExchange` what it forwards. */
export async function relayTo(serviceUrl: string, options: Partial<RelayOptions> = {}): Promise<Relay> {
  const dispatcher = openRoute(findRoute({ serviceUrl, connectTimeoutMs: 5_000, environment: {} }));
  const relay = await Relay.open({
    serviceUrl,
    dispatcher,
    address: '127.0.0.1',
    now: () => Date.now(),
    believes: () => true,
    onExchange: () => undefined,
    onCli: () => undefined,
    ...options,
  });
  onTestFinished(async () => {
    await relay.close();
    await dispatcher.destroy();
  });
  return relay;
}

/** Our agent and an emulated Pulumi Cloud with the relay between them; what the relay sees goes to its own record. */
export async function observedAgent(config: Readonly<Record<string, string>> = {}) {
  const cloud = await PulumiCloud.start();
  onTestFinished(() => cloud.stop());
  const redactor = new Redactor();
  const directory = join(await folder(), 'observed');
  const record = new RunRecord({
    version: '0',
    owner: ownOwner(),
    now: () => Date.now(),
    redact: (text) => redactor.text(text),
  });
  record.open(directory);
  const run = new ObservedRun({
    record,
    redactor,
    clock: systemClock,
    config: { serviceUrl: cloud.url },
    onClaim: () => undefined,
  });
  const secrets = redactor.scope();
  const token = cloud.createStaticToken('pool-1');
  const credentials = new Credentials({ token }, secrets);
  const common = { clock: systemClock, pollingIntervalMs: 60_000 };
  const reading = new Reading({
    run,
    record,
    secrets,
    credentials,
    config: { plainVariables: [], secretVariables: [] },
    ...common,
  });
  const exchanges: Exchange[] = [];
  const relay = await relayTo(cloud.url, {
    believes: (token) => credentials.has(token),
    onExchange: (exchange) => {
      exchanges.push(exchange);
      return reading.take(exchange);
    },
  });
  const http = cloudHttp(relay.url, { retryCount: 0 });
  const tokens = new StaticToken(token);
  const own = await agentOf({ cloud, config, options: { http, tokens, pool: new PoolApi(http, tokens) } });
  const redact = (text: string) => redactor.text(text);
  return { ...own, run, observed: directory, exchanges, redact };
}
