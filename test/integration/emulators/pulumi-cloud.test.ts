import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { PulumiCloud, type PulumiCloudOptions } from '../../emulators/pulumi-cloud/server.ts';
import { HEADERS } from '../../support/emulators/model-calls.ts';

const JOB = { image: { reference: 'x' }, steps: [{ name: 'Setup', run: '' }] };
const LOG = JSON.stringify({ offset: 0, lines: [{ t: '2026-06-18T10:00:00.123Z', l: 'a\n' }] });

/** A service with a claimed job whose step runs, and calls to it as from its agent. */
async function claimed(options: PulumiCloudOptions = {}) {
  const cloud = await PulumiCloud.start(options);
  onTestFinished(() => cloud.stop());
  const deployment = cloud.enqueue({ project: 'web', stack: 'dev', poolId: 'pool-1', job: JOB });
  const token = cloud.claim(deployment.id);
  const headers = { ...HEADERS, authorization: `token ${token}` };
  const path = `/api/workflow/jobs/${deployment.jobId}`;
  const call = async (method: string, below: string, body: string) =>
    (await fetch(`${cloud.url}${path}${below}`, { method, headers, body: Buffer.from(body) })).status;
  /** A log call that has sent only `sent` of its body. */
  const half = async (sent: string, length: number): Promise<ClientRequest> => {
    const options = { method: 'POST', headers: { ...headers, 'content-length': length } };
    const begun = request(`${cloud.url}${path}/0/logs`, options).on('error', () => undefined);
    const before = cloud.requests.length;
    begun.write(sent);
    await cloud.waitFor(() => cloud.requests.length > before);
    return begun;
  };
  await call('PATCH', '/0/status', '{"status":"running"}');
  return { cloud, deployment, call, half };
}

it('a step may have one log call in flight, and one that its client gave up does not count', async () => {
  const { cloud, call, half } = await claimed();
  const slow = await half(LOG.slice(0, 5), LOG.length);
  cloud.allow(/2 log calls in flight/);
  expect(await call('POST', '/0/logs', LOG)).toBe(409);
  slow.end(LOG.slice(5));
  const [answer] = await once(slow, 'response');
  answer.resume();
  expect({ statusCode: answer.statusCode, violations: cloud.violations.length }).toEqual({
    statusCode: 200,
    violations: 1,
  });
  (await half('{"off', 100)).destroy();
  await expect.poll(() => call('POST', '/0/logs', LOG)).toBe(200);
});

it('missed heartbeats end a job even when nobody calls', async () => {
  let now = Date.now();
  const { cloud, deployment } = await claimed({ clock: () => now });
  now += 600_001;
  await cloud.waitFor(() => deployment.endReason === 'heartbeat-timeout');
});
