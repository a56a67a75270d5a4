import { describe, expect, it } from 'vitest';
import { CloudUnreachableError } from '../../../src/cloud/errors.ts';
import { aCall, cloudHttp } from '../../support/cloud/cloud-http.ts';
import { ScriptedServer } from '../../support/cloud/scripted-server.ts';

const STATUSES = [301, 302, 303, 307, 308];

describe('a redirect', () => {
  it.each(STATUSES)(
    '(%i) to another origin is not followed: the error names it and the key to correct',
    async (status) => {
      const elsewhere = await ScriptedServer.inOrder({ status: 200 });
      for (const how of ['call', 'once'] as const) {
        const server = await ScriptedServer.inOrder({
          status,
          headers: { location: `${elsewhere.url}/login?state=pul-secret` },
        });
        const failure = await cloudHttp(server.url)
          [how](aCall({ token: 'pul-t' }))
          .catch((error) => error);
        expect(failure).toBeInstanceOf(CloudUnreachableError);
        expect(failure.message).toBe(
          `Failed to do the thing for ${server.url}: HTTP ${status} sends it on to ${elsewhere.url}, and a token is only sent where service_url says. ` +
            'Correct service_url, or what redirects on the way to it.',
        );
        expect(server.received).toHaveLength(1);
      }
      expect(elsewhere.received).toEqual([]);
    },
  );

  it.each(STATUSES)('(%i) of a GET within the origin is followed, token and all', async (status) => {
    const server = await ScriptedServer.start(({ path }) =>
      path === '/v2/thing?a=b' ? { status: 200, json: 'here' } : { status, headers: { location: '/v2/thing?a=b' } },
    );
    expect(await cloudHttp(server.url).call(aCall({ token: 'pul-t' }))).toMatchObject({ status: 200, json: 'here' });
    expect(server.received.map(({ path, headers }) => `${path} ${headers.authorization}`)).toEqual([
      '/api/thing token pul-t',
      '/v2/thing?a=b token pul-t',
    ]);
  });

  it('is followed three times at most', async () => {
    const server = await ScriptedServer.start((_, count) => ({ status: 302, headers: { location: `/${count}` } }));
    await expect(cloudHttp(server.url).call(aCall())).rejects.toThrow(`sends it on to ${server.url}`);
    expect(server.received.map(({ path }) => path)).toEqual(['/api/thing', '/1', '/2', '/3']);
  });

  it('that leads away only in the end is not followed to there', async () => {
    const elsewhere = await ScriptedServer.inOrder({ status: 200 });
    const server = await ScriptedServer.inOrder(
      { status: 302, headers: { location: '/next' } },
      { status: 302, headers: { location: elsewhere.url } },
    );
    await expect(cloudHttp(server.url).call(aCall())).rejects.toThrow(`sends it on to ${elsewhere.url}`);
    expect(elsewhere.received).toEqual([]);
  });

  it.each(['POST', 'PATCH'] as const)('of a %s is not followed even within the origin', async (method) => {
    const server = await ScriptedServer.inOrder({ status: 307, headers: { location: '/v2/thing' } });
    await expect(cloudHttp(server.url).call(aCall({ method, body: { subject_token: 'eyJ' } }))).rejects.toThrow(
      'Correct service_url',
    );
    expect(server.received).toHaveLength(1);
  });

  it.each<[string, Record<string, string>]>([
    ['nowhere', {}],
    ['nowhere', { location: 'http://[' }],
    ['javascript:', { location: 'javascript:alert(1)' }],
    ['https://127.0.0.1', { location: 'https://127.0.0.1/' }],
  ])('to %s (%j) is not followed', async (where, headers) => {
    const server = await ScriptedServer.inOrder({ status: 302, headers });
    await expect(cloudHttp(server.url).call(aCall())).rejects.toThrow(`sends it on to ${where}, and`);
  });

  it('shares the deadline of the whole try', async () => {
    const server = await ScriptedServer.inOrder({ status: 302, headers: { location: '/slow' } }, 'hang');
    const http = cloudHttp(server.url, { requestTimeoutMs: 200, retryCount: 0 });
    await expect(http.call(aCall())).rejects.toThrow('no answer in time');
  });
});

describe('a page that comes instead of an answer', () => {
  const PAGE = {
    status: 200,
    text: '\n<!doctype html><title>Sign in</title>',
    headers: { 'content-type': 'text/html' },
  };

  it('is not taken for success: Pulumi Cloud has not seen the call', async () => {
    const server = await ScriptedServer.inOrder(PAGE, { status: 200, json: {} });
    expect(await cloudHttp(server.url).call(aCall({ method: 'POST', body: {} }))).toMatchObject({ json: {} });
    await expect(cloudHttp((await ScriptedServer.inOrder(PAGE)).url).once(aCall())).rejects.toThrow(
      'a page came instead of an answer: HTTP 200 Sign in',
    );
  });

  it('with a refusal is still that refusal', async () => {
    const server = await ScriptedServer.inOrder({ ...PAGE, status: 403 });
    expect(await cloudHttp(server.url).call(aCall())).toMatchObject({ status: 403 });
  });
});

describe('an answer that needs JSON', () => {
  it.each([{ status: 204 }, { status: 200 }, { status: 200, text: '{"half' }])(
    'is asked for again after %j, and is what it is after the last try',
    async (reply) => {
      const server = await ScriptedServer.inOrder(reply, { status: 200, json: 1 });
      expect(await cloudHttp(server.url).call(aCall({ needsJson: true }))).toMatchObject({ json: 1 });
      const always = await ScriptedServer.inOrder(reply);
      expect(await cloudHttp(always.url).call(aCall({ needsJson: true }))).toMatchObject({ status: reply.status });
      expect(always.received).toHaveLength(3);
    },
  );
});

describe('connections', () => {
  it('on which an answer comes twice, the second one late, are given up: the next call gets its own answer', async () => {
    const closed = Promise.withResolvers<void>();
    const server = await ScriptedServer.start((_, count) => (response) => {
      const { socket } = response;
      response.writeHead(200, { 'content-length': '1' }).end(String(count));
      if (count > 1) return;
      socket?.once('close', closed.resolve);
      response.once('close', () =>
        setTimeout(() => socket?.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n9'), 50),
      );
    });
    const http = cloudHttp(server.url);
    expect(await http.once(aCall())).toMatchObject({ json: 1 });
    await closed.promise;
    expect(await http.once(aCall())).toMatchObject({ json: 2 });
  });

  it('are kept and used again, also after a refusal', async () => {
    const ports = new Set<number | undefined>();
    const server = await ScriptedServer.start((_, count) => (response) => {
      ports.add(response.socket?.remotePort);
      response.writeHead(count === 2 ? 403 : 200).end('{}');
    });
    const http = cloudHttp(server.url);
    for (let count = 0; count < 8; count++) await http.once(aCall());
    // A call right behind an answer may find its connection not free yet.
    expect(ports.size).toBeLessThanOrEqual(2);
  });
});
