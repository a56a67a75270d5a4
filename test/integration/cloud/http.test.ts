import { getEventListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { aCall, cloudHttp } from '../../support/cloud/cloud-http.ts';
import { type Reply, ScriptedServer } from '../../support/cloud/scripted-server.ts';

const MEBIBYTE = 1024 * 1024;
const OK: Reply = { status: 200, json: {} };
const REASON = new Error('the run was stopped');

describe('a request', () => {
  it('carries the protocol’s headers, the token and a JSON body', async () => {
    const server = await ScriptedServer.inOrder({
      status: 200,
      json: { ok: true },
      headers: { date: 'never' },
    });
    const answer = await cloudHttp(server.url).call(
      aCall({ method: 'POST', path: '/api/a/b?c=d', token: 'pul-t', body: { text: 'ü' } }),
    );
    expect(answer).toEqual({ status: 200, text: '{"ok":true}', json: { ok: true } });
    const [request] = server.received;
    expect(request).toMatchObject({ method: 'POST', path: '/api/a/b?c=d', text: '{"text":"ü"}' });
    expect(request!.headers).toMatchObject({
      accept: 'application/vnd.pulumi+8',
      'user-agent': 'agent/1.2.3 (linux; x64)',
      authorization: 'token pul-t',
      'content-type': 'application/json',
    });
  });

  it.each([
    ['without a body', {}],
    ['that must not say its type', { body: { a: 1 }, withoutContentType: true }],
  ])('%s has no Content-Type, and no Authorization without a token', async (_, call) => {
    const server = await ScriptedServer.inOrder({ status: 204 });
    await cloudHttp(`${server.url}/pulumi`).once(aCall({ method: 'POST', ...call }));
    expect(server.received[0]!.path).toBe('/pulumi/api/thing');
    expect(server.received[0]!.headers).not.toHaveProperty('content-type');
    expect(server.received[0]!.headers).not.toHaveProperty('authorization');
  });
});

describe('an answer', () => {
  it.each([201, 304, 401, 404, 410, 413, 501])('of status %i is final', async (status) => {
    for (const how of ['call', 'once'] as const) {
      const server = await ScriptedServer.inOrder({ status });
      expect(await cloudHttp(server.url)[how](aCall())).toMatchObject({ status });
      expect(server.received).toHaveLength(1);
    }
  });

  it('gives the service’s time, and counts Retry-After from it', async () => {
    const headers = { date: 'Thu, 18 Jun 2026 10:00:00 GMT', 'retry-after': 'Thu, 18 Jun 2026 10:00:09 GMT' };
    const server = await ScriptedServer.inOrder({ status: 204, headers });
    const answer = await cloudHttp(server.url).once(aCall());
    expect(answer).toMatchObject({ serverTime: Date.parse('2026-06-18T10:00:00Z'), retryAfterMs: 9_000 });
  });

  it('that never ends is not read beyond 16 MiB', async () => {
    let sent = 0;
    const server = await ScriptedServer.inOrder((response) => {
      const chunk = Buffer.alloc(MEBIBYTE, 'x');
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
      };
      more();
    });
    await expect(cloudHttp(server.url, { retryCount: 0 }).call(aCall())).rejects.toThrow(
      /Failed to do the thing for http:.*: the answer is over 16777216 bytes/,
    );
    await server.until(() => server.abandoned === 1);
    expect(sent).toBeLessThan(64 * MEBIBYTE);
  });

  it('that is a web page does not count as success, as Pulumi Cloud has not seen the call', async () => {
    const page = { status: 200, text: '\n<!doctype html><title>Sign in</title>' };
    const server = await ScriptedServer.inOrder(page, { status: 200, json: {} }, { ...page, status: 403 });
    const http = cloudHttp(server.url);
    expect(await http.call(aCall({ method: 'POST', body: {} }))).toMatchObject({ json: {} });
    expect(await http.call(aCall())).toMatchObject({ status: 403 });
    await expect(cloudHttp((await ScriptedServer.inOrder(page)).url).once(aCall())).rejects.toThrow(
      'a web page came instead of an answer: HTTP 200 Sign in',
    );
  });

  it.each([{ status: 204 }, { status: 200, text: '{"half' }])(
    'that must be JSON and is %j is asked for again',
    async (reply) => {
      const server = await ScriptedServer.inOrder(reply, { status: 200, json: 1 });
      expect(await cloudHttp(server.url).call(aCall({ needsJson: true }))).toMatchObject({ json: 1 });
      const always = await ScriptedServer.inOrder(reply);
      await expect(cloudHttp(always.url).call(aCall({ needsJson: true }))).rejects.toThrow('without JSON');
      expect(always.received).toHaveLength(3);
    },
  );

  it.each([301, 307])(
    'that is a redirect (%i) is not followed, as the token would go along',
    async (status) => {
      const elsewhere = await ScriptedServer.inOrder({ status: 200 });
      const server = await ScriptedServer.start(({ path }) => ({
        status,
        headers: path.endsWith('same')
          ? { location: '/other' }
          : { location: `${elsewhere.url}/login?state=pul-secret` },
      }));
      const failure = await cloudHttp(server.url)
        .call(aCall({ token: 'pul-t' }))
        .catch((error) => error);
      expect(failure).toMatchObject({ name: 'CloudUnreachableError', code: 'PRA-CLOUD-01' });
      expect(failure.message).toBe(
        `Failed to do the thing for ${server.url}: HTTP ${status} redirects to ${elsewhere.url}, but tokens are only sent to service_url. ` +
          'Correct service_url, or the proxy that redirects its requests.',
      );
      await expect(cloudHttp(server.url).once(aCall({ path: '/same' }))).rejects.toThrow(
        `redirects to ${server.url}`,
      );
      expect(server.received.length).toBe(2);
      expect(elsewhere.received.length).toBe(0);
    },
  );
});

describe('a call', () => {
  const half: Reply = (response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"half":', () => response.socket?.resetAndDestroy());
  };

  it.each<Reply>([{ status: 408 }, { status: 429 }, { status: 500 }, { status: 599 }, 'reset', half])(
    'is tried again after %j',
    async (reply) => {
      const server = await ScriptedServer.inOrder(reply, reply, OK);
      const told: string[] = [];
      const http = cloudHttp(server.url, {
        onRetry: (purpose, reason) => told.push(`${purpose}: ${reason}`),
      });
      expect(await http.call(aCall({ method: 'POST', body: { n: 1 }, token: 'pul-t' }))).toMatchObject({
        status: 200,
      });
      expect(server.received.map(({ text }) => text)).toEqual(['{"n":1}', '{"n":1}', '{"n":1}']);
      expect(told).toHaveLength(2);
      expect(told[0]).toMatch(/^do the thing: ./);
    },
  );

  it('says whether its purpose has been retried before without an answer since', async () => {
    let up = false;
    const server = await ScriptedServer.start(() => ({ status: up ? 204 : 503 }));
    const told: (string | boolean)[] = [];
    const http = cloudHttp(server.url, {
      retryCount: 1,
      onRetry: (purpose, _, __, again) => told.push(purpose, again),
    });
    const call = (purpose: string) => http.call(aCall({ purpose })).catch(() => undefined);
    for (const purpose of ['poll', 'poll', 'announce']) await call(purpose);
    up = true;
    await call('poll');
    up = false;
    for (const purpose of ['poll', 'announce']) await call(purpose);
    expect(told).toEqual(['poll', false, 'poll', true, 'announce', false, 'poll', false, 'announce', true]);
  });

  it('is given up after its retries, with the reason', async () => {
    const server = await ScriptedServer.inOrder({ status: 503, json: { message: 'maintenance' } });
    const failure = await cloudHttp(server.url, { retryCount: 1 })
      .call(aCall())
      .catch((error) => error);
    expect(failure).toMatchObject({ name: 'CloudUnreachableError', status: 503, code: 'PRA-CLOUD-01' });
    expect(failure.message).toBe(
      `Failed to do the thing for ${server.url}: HTTP 503 maintenance. Check the network path and Pulumi Cloud's status.`,
    );
    expect(server.received).toHaveLength(2);
  });

  it('says when its wait is shorter than Retry-After asks for', async () => {
    const server = await ScriptedServer.inOrder({ status: 429, headers: { 'retry-after': '3600' } }, OK);
    const told: string[] = [];
    const http = cloudHttp(server.url, { onRetry: (_, reason, waitMs) => told.push(`${reason}, ${waitMs}`) });
    await http.call(aCall());
    expect(told).toEqual(['HTTP 429 (its Retry-After of 3600 s is capped by request_retry_max_wait), 40']);
  });

  it.each<[string, Reply]>([
    ['the answer’s head', 'hang'],
    ['the answer’s body', (response) => void response.writeHead(200).write('{')],
  ])('has a deadline for %s, a new one for each try', async (_, reply) => {
    const server = await ScriptedServer.inOrder(reply);
    const http = cloudHttp(server.url, { requestTimeoutMs: 500, retryCount: 1 });
    const started = performance.now();
    await expect(http.call(aCall())).rejects.toThrow('no answer in time');
    expect(performance.now() - started).toBeGreaterThanOrEqual(990);
    await server.until(() => server.abandoned === 2);
  });
});

describe.each(['call', 'once'] as const)('an abort of a %s', (how) => {
  it('ends a request in flight at once', async () => {
    const server = await ScriptedServer.inOrder('hang');
    const controller = new AbortController();
    const settled = expect(cloudHttp(server.url)[how](aCall({ signal: controller.signal }))).rejects.toBe(
      REASON,
    );
    await server.until(() => server.received.length === 1);
    controller.abort(REASON);
    await settled;
    await server.until(() => server.abandoned === 1);
  });

  it('before it begins keeps anything from being sent', async () => {
    const server = await ScriptedServer.inOrder(OK);
    await expect(cloudHttp(server.url)[how](aCall({ signal: AbortSignal.abort(REASON) }))).rejects.toBe(
      REASON,
    );
    expect(server.received).toEqual([]);
  });
});

describe('a signal', () => {
  it.each(['signal', 'noMoreTries'])(
    '(%s) ends the wait for a retry at once, and nothing more is sent',
    async (name) => {
      const server = await ScriptedServer.inOrder({ status: 503 }, OK);
      const controller = new AbortController();
      const http = cloudHttp(server.url, {
        retryWaitMs: 60_000,
        retryMaxWaitMs: 60_000,
        onRetry: () => void setImmediate(() => controller.abort(REASON)),
      });
      await expect(http.call(aCall({ [name]: controller.signal }))).rejects.toBe(REASON);
      expect(server.received).toHaveLength(1);
    },
  );

  it('that outlives many calls keeps no listener', async () => {
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

describe('noMoreTries', () => {
  const CLAIM = { status: 200, json: { jobID: 'j' } };

  it.each<[Reply, unknown]>([
    [CLAIM, expect.objectContaining({ json: { jobID: 'j' } })],
    [{ status: 503 }, REASON],
    ['reset', REASON],
  ])('lets the request in flight end with %j, and begins no other', async (reply, expected) => {
    const stop = new AbortController();
    const answer = Promise.withResolvers<Reply>();
    const server = await ScriptedServer.start(() => answer.promise);
    const call = cloudHttp(server.url)
      .call(aCall({ noMoreTries: stop.signal }))
      .catch((error) => error);
    await server.until(() => server.received.length === 1);
    stop.abort(REASON);
    answer.resolve(reply);
    expect(await call).toEqual(expected);
    expect(server.received).toHaveLength(1);
  });
});

describe('the circuit breaker', () => {
  const OPTIONS = { retryCount: 1, retryWaitMs: 1, circuitBreakerFailures: 2 };

  it('opens after the set number of failed calls, each with its retries, and still lets calls made once through', async () => {
    const server = await ScriptedServer.inOrder({ status: 500 });
    const http = cloudHttp(server.url, OPTIONS);
    await expect(http.call(aCall())).rejects.toThrow('HTTP 500');
    expect(http.restMs).toBe(0);
    await expect(http.call(aCall())).rejects.toThrow('HTTP 500');
    expect(http.restMs).toBeGreaterThan(59_000);
    expect(http.restMs).toBeLessThan(60_003);
    expect(server.received).toHaveLength(4);
    await expect(http.call(aCall())).rejects.toThrow(
      `Failed to do the thing for ${server.url}: too many calls failed, so calls are paused for a while. Check the network path and Pulumi Cloud's status.`,
    );
    expect(server.received).toHaveLength(4);
    await expect(http.once(aCall())).rejects.toThrow('HTTP 500');
    expect(server.received).toHaveLength(5);
  });

  it('counts only failures in a row, and no refusals, aborts or calls made once', async () => {
    const failing = { status: 500 };
    const server = await ScriptedServer.start((_, count) => (count % 2 === 1 ? failing : { status: 403 }));
    const http = cloudHttp(server.url, { ...OPTIONS, retryCount: 0 });
    for (let round = 0; round < 4; round++) {
      await expect(http.call(aCall())).rejects.toThrow('HTTP 500');
      expect(await http.call(aCall())).toMatchObject({ status: 403 });
    }
    const down = await ScriptedServer.inOrder(failing);
    const other = cloudHttp(down.url, { ...OPTIONS, retryCount: 0 });
    await expect(other.call(aCall())).rejects.toThrow();
    await expect(other.once(aCall())).rejects.toThrow();
    const stop = new AbortController();
    const waiting = cloudHttp(down.url, {
      ...OPTIONS,
      circuitBreakerFailures: 1,
      onRetry: () => stop.abort(),
    });
    await expect(waiting.call(aCall({ signal: stop.signal }))).rejects.toThrow();
    expect(http.restMs).toBe(0);
    expect(other.restMs).toBe(0);
    expect(waiting.restMs).toBe(0);
  });

  it('lets one call through when its time is up, however the clock was set, and closes on success', async () => {
    let up = false;
    const server = await ScriptedServer.start(() => ({ status: up ? 200 : 500 }));
    const options = { ...OPTIONS, circuitBreakerFailures: 1, retryCount: 0, circuitBreakerTimeoutMs: 500 };
    const http = cloudHttp(server.url, options);
    await expect(http.call(aCall())).rejects.toThrow('HTTP 500');
    const { now } = Date;
    onTestFinished(() => void vi.restoreAllMocks());
    vi.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
    await delay(http.restMs);
    await expect(http.call(aCall())).rejects.toThrow('HTTP 500');
    await expect(http.call(aCall())).rejects.toThrow('too many calls failed');
    up = true;
    await delay(http.restMs);
    expect(await http.call(aCall())).toMatchObject({ status: 200 });
    expect(http.restMs).toBe(0);
    expect(server.received).toHaveLength(3);
  });
});
