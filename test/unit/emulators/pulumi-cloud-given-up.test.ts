import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';

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
  const cloud = await PulumiCloud.start({ pools: [{ id: 'pool-1', name: 'one' }] });
  onTestFinished(() => cloud.stop());
  const step = { name: 'Setup', run: '' };
  cloud.enqueue({ project: 'web', stack: 'dev', poolId: 'pool-1', job: { image: { reference: 'x' }, steps: [step] } });
  const request = (method: string, path: string, token: string, body?: object): string => {
    const text = body === undefined ? '' : JSON.stringify(body);
    return [
      `${method} ${path} HTTP/1.1`,
      'host: 127.0.0.1',
      'accept: application/vnd.pulumi+8',
      'user-agent: agent/1.2.3 (linux; x64)',
      `authorization: token ${token}`,
      ...(body === undefined ? [] : ['content-type: application/json', `content-length: ${text.length}`]),
      `\r\n${text}`,
    ].join('\r\n');
  };
  const send = async (method: string, path: string, token: string, body?: object) => {
    const [, head = '', text] = /^(.*?)\r\n\r\n(.*)$/s.exec(request(method, path, token, body)) ?? [];
    const headers = head
      .split('\r\n')
      .slice(2)
      .map((line) => line.split(': ') as [string, string]);
    return fetch(`${cloud.url}${path}`, { method, headers, ...(text ? { body: Buffer.from(text) } : {}) });
  };
  const pool = cloud.createStaticToken('pool-1');
  const claim = (await (await send('GET', '/api/deployments/poll', pool)).json()) as {
    jobID: string;
    jobToken: string;
  };
  const job = `/api/workflow/jobs/${claim.jobID}`;
  expect((await send('PATCH', `${job}/0/status`, claim.jobToken, { status: 'running' })).status).toBe(200);

  const hung = cloud.script({ method: 'POST', path: /\/logs$/, answer: 'hang' });
  const again = new Int32Array(new SharedArrayBuffer(4));
  const client = new Worker(CLIENT, {
    eval: true,
    workerData: {
      port: Number(new URL(cloud.url).port),
      hello: request('GET', '/api/deployments/poll', pool),
      call: request('POST', `${job}/0/logs`, claim.jobToken, {
        offset: 0,
        lines: [{ t: '2026-06-18T10:00:00.123Z', l: 'a\n' }],
      }),
      again,
    },
  });
  onTestFinished(async () => void (await client.terminate()));
  await cloud.waitFor(() => hung.hits === 1);
  const answered = once(client, 'message');
  client.postMessage('again');
  // This thread, and the emulator with it, stands still until the client has done both.
  expect(Atomics.wait(again, 0, 0, 30_000)).not.toBe('timed-out');
  expect(await answered).toEqual(['HTTP/1.1 200 OK']);
});
