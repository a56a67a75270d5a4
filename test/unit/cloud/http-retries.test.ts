import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { retryWait } from '../../../src/cloud/backoff.ts';
import { CloudUnreachableError } from '../../../src/cloud/errors.ts';
import type { CloudHttpOptions } from '../../../src/cloud/http.ts';
import { retryAfter } from '../../../src/cloud/retry-after.ts';
import { aCall, cloudHttp } from '../../support/cloud/cloud-http.ts';
import { type Reply, ScriptedServer } from '../../support/cloud/scripted-server.ts';

const OK: Reply = { status: 200, json: {} };

/** The waits before the retries of a call that is always refused with `reply`; none is really waited for longer than asked. */
async function waitsFor(reply: Reply, options: Partial<CloudHttpOptions>): Promise<number[]> {
  const server = await ScriptedServer.inOrder(reply);
  const waits: number[] = [];
  const enough = new AbortController();
  const http = cloudHttp(server.url, {
    ...options,
    onRetry: (_, __, waitMs) => {
      waits.push(waitMs);
      if (waitMs > 500) enough.abort(new Error('enough'));
    },
  });
  await http.call(aCall({ signal: enough.signal })).catch(() => undefined);
  return waits;
}

describe('a call', () => {
  it.each<Reply>([
    { status: 408 },
    { status: 429 },
    { status: 500 },
    { status: 502 },
    { status: 503 },
    { status: 504 },
    { status: 599 },
    'reset',
  ])('is tried again after %j', async (reply) => {
    const server = await ScriptedServer.inOrder(reply, reply, OK);
    const told: string[] = [];
    const http = cloudHttp(server.url, { onRetry: (purpose, reason) => told.push(`${purpose}: ${reason}`) });
    expect(await http.call(aCall({ method: 'POST', body: { n: 1 }, token: 'pul-t' }))).toMatchObject({ status: 200 });
    expect(server.received.map(({ text }) => text)).toEqual(['{"n":1}', '{"n":1}', '{"n":1}']);
    expect(told).toHaveLength(2);
    expect(told[0]).toMatch(
      typeof reply === 'object' && 'status' in reply ? `do the thing: HTTP ${reply.status}` : /^do the thing: ./,
    );
  });

  it('are told with whether there was one before and no answer since, for each purpose', async () => {
    let up = false;
    const server = await ScriptedServer.start(() => ({ status: up ? 204 : 503 }));
    const told: (string | boolean)[][] = [];
    const http = cloudHttp(server.url, { onRetry: (purpose, _, __, again) => told.push([purpose, again]) });
    const call = (purpose: string) => http.call(aCall({ purpose })).catch(() => undefined);
    for (const purpose of ['poll', 'poll', 'greet']) await call(purpose);
    up = true;
    await call('poll');
    up = false;
    for (const purpose of ['poll', 'greet']) await call(purpose);
    const [first, next] = [(purpose: string) => [purpose, false], (purpose: string) => [purpose, true]];
    expect(told).toEqual([
      ...[first('poll'), next('poll'), next('poll'), next('poll'), first('greet'), next('greet')],
      ...[first('poll'), next('poll'), next('greet'), next('greet')],
    ]);
  });

  it.each([0, 1, 3])('is given up after %i retries, with the reason', async (retryCount) => {
    const server = await ScriptedServer.inOrder({ status: 503, json: { message: 'maintenance' } });
    const failure = await cloudHttp(server.url, { retryCount, retryWaitMs: 1 })
      .call(aCall())
      .catch((error) => error);
    expect(failure).toBeInstanceOf(CloudUnreachableError);
    expect(failure.message).toBe(
      `Failed to do the thing for ${server.url}: HTTP 503 maintenance. Check the network path and Pulumi Cloud's status.`,
    );
    expect(failure.cause).toBeInstanceOf(Error);
    expect(server.received).toHaveLength(retryCount + 1);
  });

  it('says plainly when nobody listens', async () => {
    const server = await ScriptedServer.inOrder(OK);
    const { url } = server;
    await server.stop();
    await expect(cloudHttp(url).call(aCall())).rejects.toThrow(/^Failed to do the thing for http:.*ECONNREFUSED/);
  });

  it('made once is never repeated', async () => {
    for (const reply of [{ status: 503 }, { status: 429 }, 'reset'] as const) {
      const server = await ScriptedServer.inOrder(reply);
      await expect(cloudHttp(server.url).once(aCall())).rejects.toBeInstanceOf(CloudUnreachableError);
      expect(server.received).toHaveLength(1);
    }
  });
});

describe('the wait before a retry', () => {
  it('doubles up to the longest, all of it by chance but half a second', () => {
    const wait = (attempt: number, random: number, askedMs?: number) =>
      retryWait(attempt, askedMs, { retryWaitMs: 20_000, retryMaxWaitMs: 120_000, random: () => random });
    expect([1, 2, 3, 4, 5].map((attempt) => wait(attempt, 1))).toEqual([20_000, 40_000, 80_000, 120_000, 120_000]);
    expect([1, 2, 3, 4, 5].map((attempt) => wait(attempt, 0.5))).toEqual([10_000, 20_000, 40_000, 60_000, 60_000]);
    expect([1, 2, 3, 4, 5].map((attempt) => wait(attempt, 0))).toEqual([500, 500, 500, 500, 500]);
    expect([wait(1, 0.5, 0), wait(1, 0.5, 7_000), wait(1, 0.5, 3_600_000)]).toEqual([500, 7_000, 120_000]);
  });

  it('is drawn anew for each', async () => {
    const drawn = [0.9, 0.1, 0.5];
    const options = { retryCount: 3, retryWaitMs: 1_000, retryMaxWaitMs: 1_000, random: () => drawn.shift() ?? 0 };
    const server = await ScriptedServer.inOrder({ status: 500 });
    const waits: number[] = [];
    const http = cloudHttp(server.url, { ...options, onRetry: (_, __, waitMs) => waits.push(waitMs) });
    await expect(http.call(aCall())).rejects.toThrow('HTTP 500');
    expect(waits).toEqual([900, 500, 500]);
  });

  it('says when it is shorter than Retry-After asks for', async () => {
    const server = await ScriptedServer.inOrder({ status: 429, headers: { 'retry-after': '3600' } }, OK);
    const told: string[] = [];
    const http = cloudHttp(server.url, { onRetry: (_, reason, waitMs) => told.push(`${reason}, ${waitMs}`) });
    await http.call(aCall());
    expect(told).toEqual(['HTTP 429 (its Retry-After of 3600 s is cut by request_retry_max_wait), 40']);
  });

  it('is what Retry-After asks for, in seconds or as a date, but never longer than the longest', async () => {
    // By the server's clock, an hour ahead of this one's.
    const now = () => Date.parse('2026-06-18T09:00:00Z');
    const date = 'Thu, 18 Jun 2026 10:00:00 GMT';
    const waits = (value: string, retryMaxWaitMs: number) =>
      waitsFor({ status: 503, headers: { 'retry-after': value, date } }, { now, retryCount: 1, retryMaxWaitMs });
    expect(await waits('7', 10_000)).toEqual([7_000]);
    expect(await waits('Thu, 18 Jun 2026 10:00:09 GMT', 10_000)).toEqual([9_000]);
    expect(await waits('Thu, 18 Jun 2026 09:00:00 GMT', 10_000)).toEqual([10]);
    expect(await waits('3600', 30)).toEqual([30]);
    expect(await waits('Fri, 19 Jun 2026 10:00:00 GMT', 30)).toEqual([30]);
  });

  it('is the usual one when Retry-After makes no sense', async () => {
    for (const value of ['soon', '-5', '1.5', 'in 5 minutes', '']) {
      const [wait] = await waitsFor(
        { status: 429, headers: { 'retry-after': value } },
        { retryCount: 1, retryWaitMs: 20 },
      );
      expect(wait, value).toBeGreaterThanOrEqual(10);
    }
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-06-18T10:00:00Z');

  it.each([
    [undefined, undefined],
    ['0', 0],
    [' 30 ', 30_000],
    ['Thu, 18 Jun 2026 10:01:00 GMT', 60_000],
    ['Thursday, 18-Jun-26 10:01:00 GMT', 60_000],
    ['Thu Jun 18 10:01:00 2026', 60_000],
    ['Thu, 18 Jun 2026 09:59:00 GMT', 0],
    ['', undefined],
    ['1.5', undefined],
    ['-1', undefined],
    ['1e3', undefined],
    ['wait 5', undefined],
    ['Infinity', undefined],
    ['Mon 5', undefined],
    ['Thu, 99 Jun 2026 10:01:00 GMT', undefined],
    ['Thu, 18 Jun 2026 10:01:00 GMT, or later', undefined],
    [['5', '30', '10'], 30_000],
    ['5, 30', 30_000],
    [['soon', '5'], 5_000],
    [['soon', 'later'], undefined],
    [[], undefined],
  ])('%j is %j milliseconds', (header, expected) => {
    expect(retryAfter(header, now)).toBe(expected);
  });

  it('of any length is a time that a timer can wait', () => {
    for (const header of ['9'.repeat(10), '9'.repeat(400), 'Thu, 18 Jun 9999 10:01:00 GMT']) {
      expect(retryAfter(header, now)).toBeLessThan(2 ** 31);
      expect(retryAfter(header, now)).toBeGreaterThanOrEqual(3_600_000);
    }
  });
});

describe('an abort', () => {
  it('ends the wait for a retry at once, and nothing more is sent', async () => {
    const server = await ScriptedServer.inOrder({ status: 503 }, OK);
    const controller = new AbortController();
    const reason = new Error('the run was stopped');
    const started = performance.now();
    const http = cloudHttp(server.url, {
      retryWaitMs: 60_000,
      retryMaxWaitMs: 60_000,
      onRetry: () => controller.abort(reason),
    });
    await expect(http.call(aCall({ signal: controller.signal }))).rejects.toBe(reason);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(server.received).toHaveLength(1);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('ends a request in flight at once', async () => {
    for (const how of ['call', 'once'] as const) {
      const server = await ScriptedServer.inOrder('hang');
      const controller = new AbortController();
      const reason = new Error('the run was stopped');
      const call = cloudHttp(server.url)[how](aCall({ signal: controller.signal }));
      const settled = expect(call).rejects.toBe(reason);
      await server.until(() => server.received.length === 1);
      controller.abort(reason);
      await settled;
      await server.until(() => server.abandoned === 1);
    }
  });

  it('that came before keeps anything from being sent, and nothing is left unhandled', async () => {
    const unhandled: unknown[] = [];
    const notice = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', notice);
    try {
      const server = await ScriptedServer.inOrder(OK);
      const reason = new Error('the run was stopped');
      for (const how of ['call', 'once'] as const) {
        await expect(cloudHttp(server.url)[how](aCall({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
      }
      await new Promise((resolve) => setImmediate(resolve));
      expect(server.received).toEqual([]);
      expect(unhandled).toEqual([]);
    } finally {
      process.removeListener('unhandledRejection', notice);
    }
  });

  it('leaves no listener behind on a signal that outlives many calls', async () => {
    const server = await ScriptedServer.inOrder({ status: 503 }, OK);
    const [call, more] = [new AbortController(), new AbortController()];
    const http = cloudHttp(server.url);
    for (let count = 0; count < 20; count++) {
      await http.call(aCall({ signal: call.signal, noMoreTries: more.signal }));
      await http.once(aCall({ signal: call.signal }));
    }
    expect(getEventListeners(call.signal, 'abort')).toEqual([]);
    expect(getEventListeners(more.signal, 'abort')).toEqual([]);
  });
});

describe('a try', () => {
  it.each<[string, Reply]>([
    ['the answer’s head', 'hang'],
    ['the answer’s body', (response) => void response.writeHead(200).write('{')],
  ])('has a deadline for %s, each its own', async (_, reply) => {
    const server = await ScriptedServer.inOrder(reply);
    const http = cloudHttp(server.url, { requestTimeoutMs: 1_000, retryCount: 1 });
    const started = performance.now();
    await expect(http.call(aCall())).rejects.toThrow('no answer in time');
    expect(performance.now() - started).toBeGreaterThanOrEqual(1_990);
    await server.until(() => server.abandoned === 2);
    expect(server.received).toHaveLength(2);
  });
});
