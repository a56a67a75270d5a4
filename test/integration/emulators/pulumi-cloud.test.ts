import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { StoppedError, WaitTimeoutError } from '../../emulators/pulumi-cloud/changes.ts';
import { PulumiCloud, type PulumiCloudOptions } from '../../emulators/pulumi-cloud/server.ts';
import { HEADERS } from '../../support/emulators/model-calls.ts';

const JOB = { image: { reference: 'x' }, steps: [{ name: 'Setup', run: '' }] };
const LOG = JSON.stringify({ offset: 0, lines: [{ t: '2026-06-18T10:00:00.123Z', l: 'a\n' }] });

/** A service with a claimed job whose step runs, and requests to it as its agent makes them. */
async function claimed(options: PulumiCloudOptions = {}) {
  const cloud = await PulumiCloud.start(options);
  onTestFinished(() => cloud.stop());
  const deployment = cloud.enqueue({ project: 'web', stack: 'dev', poolId: 'pool-1', job: JOB });
  const token = cloud.claim(deployment, 'pool-1');
  const headers = { ...HEADERS, authorization: `token ${token}` };
  const path = `/api/workflow/jobs/${deployment.jobId}`;
  const call = async (method: string, below: string, body: string) =>
    (await fetch(`${cloud.url}${path}${below}`, { method, headers, body: Buffer.from(body) })).status;
  /** A log call of which `sent` is on its way, and no more. */
  const half = async (sent: string, length: number): Promise<ClientRequest> => {
    const options = { method: 'POST', headers: { ...headers, 'content-length': length } };
    const begun = request(`${cloud.url}${path}/0/logs`, options).on('error', () => undefined);
    const before = cloud.requests.length;
    begun.write(sent);
    await cloud.waitFor(() => cloud.requests.length > before);
    return begun;
  };
  await call('PATCH', '/0/status', '{"status":"running"}');
  return { cloud, deployment, headers, path, call, half };
}

it('a log call is the only one of its step in flight, and one that its client gave up is not in flight', async () => {
  const { cloud, call, half } = await claimed();
  const slow = await half(LOG.slice(0, 5), LOG.length);
  cloud.allow(/2 log calls in flight/);
  expect(await call('POST', '/0/logs', LOG)).toBe(409);
  slow.end(LOG.slice(5));
  const [answer] = await once(slow, 'response');
  answer.resume();
  expect([answer.statusCode, cloud.violations.length]).toEqual([200, 1]);
  (await half('{"off', 100)).destroy();
  await cloud.waitFor(() => cloud.requests.at(-1)?.abandoned);
  expect(await call('POST', '/0/logs', LOG)).toBe(200);
  expect(cloud.violations).toHaveLength(1);
});

/** Says hello on one connection, makes the call on another, and when asked to gives that one up and makes it again on the first. */
const CLIENT = `
  const { once } = require('node:events');
  const { connect } = require('node:net');
  const { parentPort, workerData } = require('node:worker_threads');
  const { port, hello, call, again } = workerData;
  (async () => {
    const kept = connect(port, '127.0.0.1');
    kept.write(hello);
    await once(kept, 'data');
    const first = connect(port, '127.0.0.1');
    first.write(call);
    await once(parentPort, 'message');
    first.destroy();
    await once(first, 'close');
    await new Promise((resolve) => kept.write(call, resolve));
    Atomics.notify(again, 0, Atomics.store(again, 0, 1));
    const [answer] = await once(kept, 'data');
    parentPort.postMessage(String(answer).split('\\r\\n')[0]);
    kept.destroy();
  })();
`;

it('a call that its client gave up is not in flight with the next, also when the emulator learns of both at once', async () => {
  const { cloud, headers, path } = await claimed();
  const hung = cloud.script({ path: /\/logs$/, answer: 'hang' });
  const again = new Int32Array(new SharedArrayBuffer(4));
  const written = (below: string, body: string) =>
    [
      `POST ${path}${below} HTTP/1.1`,
      'host: 127.0.0.1',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      `content-length: ${body.length}\r\n\r\n${body}`,
    ].join('\r\n');
  const workerData = {
    port: Number(new URL(cloud.url).port),
    hello: written('/heartbeat', '{}'),
    call: written('/0/logs', LOG),
    again,
  };
  const client = new Worker(CLIENT, { eval: true, workerData });
  onTestFinished(async () => void (await client.terminate()));
  await cloud.waitFor(() => hung.hits === 1);
  const answered = once(client, 'message');
  client.postMessage('again');
  // This thread, and the emulator with it, stands still until the client has done both.
  expect(Atomics.wait(again, 0, 0, 30_000)).not.toBe('timed-out');
  expect(await answered).toEqual(['HTTP/1.1 200 OK']);
});

it('a body without end is a violation, and heartbeats are missed with nobody calling', async () => {
  const { cloud, deployment, call } = await claimed({ heartbeatTimeoutMs: 40 });
  cloud.allow(/too large/);
  expect(await call('POST', '/heartbeat', 'x'.repeat(8 * 1024 * 1024 + 1))).toBe(413);
  expect(cloud.violations).toHaveLength(1);
  await cloud.waitFor(() => deployment.endReason === 'heartbeat-timeout');
});

it('waiting ends with the state, with a sentence about it, or with the emulator, which ends hanging calls too', async () => {
  const { cloud, deployment, call } = await claimed();
  const beaten = cloud.waitFor(() => deployment.heartbeats[0]);
  await call('POST', '/heartbeat', '{}');
  expect(await beaten).toBe(deployment.heartbeats[0]);
  const error = await cloud.waitFor(() => false, 1).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(WaitTimeoutError);
  expect(String(error)).toContain('dev is running (steps: running)');
  await expect(cloud.waitFor(() => cloud.deployment('nothing'))).rejects.toThrow(/there is none/);
  await expect(cloud.waitFor(async () => false)).rejects.toThrow(/asynchronous/);
  const script = cloud.script({ path: /heartbeat$/, answer: 'hang' });
  const hanging = call('POST', '/heartbeat', '{}').catch((caught: unknown) => caught);
  await cloud.waitFor(() => script.hits === 1);
  const waiting = cloud.waitFor(() => false).catch((caught: unknown) => caught);
  await cloud.stop();
  expect(await hanging).toBeInstanceOf(TypeError);
  expect(await waiting).toBeInstanceOf(StoppedError);
});
