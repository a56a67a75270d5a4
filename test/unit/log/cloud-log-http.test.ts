import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { CloudBatch } from '../../../src/log/cloud-batch.ts';
import { CloudLog } from '../../../src/log/cloud-log.ts';

test('over a real connection that breaks before, in and after a call, each line arrives once', async () => {
  const stored: string[] = [];
  const faults = ['', 'reset', 'stored and reset', '413', '', '503', 'cut answer', 'stored and reset', ''];
  let call = 0;
  const server = createServer(async (request, response) => {
    const fault = faults[call++] ?? '';
    if (fault === 'reset') return void request.socket.destroy();
    const batch = (await json(request)) as Pick<CloudBatch, 'offset' | 'lines'>;
    if (fault === '413' || fault === '503') return void response.writeHead(Number(fault)).end();
    for (const [index, { l }] of batch.lines.entries()) stored[batch.offset + index] = l;
    if (fault === 'stored and reset') return void request.socket.destroy();
    if (fault === '') return void response.end('{}');
    response.writeHead(200, { 'content-length': '100' }).write('{');
    request.socket.end();
  }).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/logs`;
    const log = new CloudLog({
      send: async (batch, signal) => {
        const answer = await fetch(url, { method: 'POST', body: Buffer.from(batch.json), signal });
        await answer.text();
        if (answer.status === 413) return 'too-large';
        if (!answer.ok) throw new Error(`${answer.status}`);
        return 'accepted';
      },
      sleep: (milliseconds, signal) => delay(milliseconds / 50, undefined, { signal }),
      now: () => performance.now(),
      signal: new AbortController().signal,
      flushIntervalMs: 20,
      maxQueuedBytes: 20_000,
    });
    const written: string[] = [];
    for (let round = 0; round < 50; round++) {
      const texts = Array.from({ length: 80 }, (_, at) => `line ${round * 80 + at} größer\n`);
      written.push(...texts);
      await log.write(texts.map((text) => ({ t: '2026-01-01T00:00:00.000Z', bytes: Buffer.from(text) })));
    }
    const result = await log.end();
    expect(result).toMatchObject({ sent: 4_000, undelivered: 0, cut: 0, retries: 5, failures: 5 });
    expect(stored).toEqual(written);
    expect(call).toBeGreaterThan(faults.length);
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});
