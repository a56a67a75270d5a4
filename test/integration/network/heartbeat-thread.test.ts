import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { WorkerHeartbeat } from '../../../src/agent/heartbeat/thread.ts';
import { StaticToken } from '../../../src/cloud/token.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { Authority } from './authority.ts';
import { connectProxy, webServer } from './servers.ts';

const PROGRAM = join(import.meta.dirname, '../../../src/agent/index.ts');

it('the heartbeats’ thread reaches Pulumi Cloud as the main thread does: by the proxy, and trusting the configured authority', async () => {
  const authority = new Authority();
  onTestFinished(() => authority.remove());
  const service = await webServer({ identity: authority.issue({ names: 'DNS:pulumi.test' }), body: '{}' });
  onTestFinished(() => service.close());
  const proxy = await connectProxy();
  onTestFinished(() => proxy.close());
  // A thread sees the variables that its process has.
  vi.stubEnv('HTTPS_PROXY', `http://user:secret@127.0.0.1:${proxy.port}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { config } = await loadConfig({
    environment: {},
    workingDirectory: '/',
    homeDirectory: '/',
    agentDirectory: '/',
    overrides: {
      token: 'pul-x',
      service_url: `https://pulumi.test:${service.port}`,
      ca_certificate: authority.path,
    },
  });
  const accepted = Promise.withResolvers<void>();
  const thread = new WorkerHeartbeat({
    program: PROGRAM,
    config,
    claim: { jobId: 'job-1', jobToken: 'of-the-job', deploymentId: 'd-1', runId: 'r-1', oidcToken: '' },
    tokens: new StaticToken('pul-x'),
    log: () => undefined,
    times: { intervalMs: 100, retryMs: 50, fenceMs: 60_000 },
    onAccepted: accepted.resolve,
    onGone: () => accepted.reject(new Error('gone')),
    onFailure: accepted.reject,
  });
  onTestFinished(() => thread.stop());
  await thread.ready(AbortSignal.timeout(60_000));
  thread.begin(0);
  await Promise.race([accepted.promise, thread.failure(AbortSignal.timeout(60_000))]);
  expect(proxy.asked[0]).toEqual({
    target: `pulumi.test:${service.port}`,
    authorization: `Basic ${Buffer.from('user:secret').toString('base64')}`,
  });
});
