import { describe, expect, it } from 'vitest';
import { CloudUnreachableError } from '../../../src/cloud/errors.ts';
import { aCall, cloudHttp } from '../../support/cloud/cloud-http.ts';
import { ScriptedServer } from '../../support/cloud/scripted-server.ts';

const MEBIBYTE = 1024 * 1024;

describe('a request', () => {
  it('carries the protocol’s headers, the token and a JSON body', async () => {
    const server = await ScriptedServer.inOrder({ status: 200, json: { ok: true } });
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
  ])('%s has no Content-Type, and without a token no Authorization', async (_, call) => {
    const server = await ScriptedServer.inOrder({ status: 204 });
    await cloudHttp(server.url).once(aCall({ method: 'POST', ...call }));
    expect(server.received[0]!.headers).not.toHaveProperty('content-type');
    expect(server.received[0]!.headers).not.toHaveProperty('authorization');
  });

  it('goes below the path of the service URL', async () => {
    const server = await ScriptedServer.inOrder({ status: 204 });
    await cloudHttp(`${server.url}/pulumi`).call(aCall());
    expect(server.received[0]!.path).toBe('/pulumi/api/thing');
  });
});

describe('an answer', () => {
  it.each([200, 201, 204, 300, 304, 400, 401, 402, 403, 404, 405, 409, 410, 413, 415, 418, 422, 451, 501])(
    'of status %i is final',
    async (status) => {
      for (const how of ['call', 'once'] as const) {
        const server = await ScriptedServer.inOrder({ status });
        expect(await cloudHttp(server.url)[how](aCall())).toMatchObject({ status });
        expect(server.received).toHaveLength(1);
      }
    },
  );

  it.each([
    ['fine', undefined],
    ['{"cut":', undefined],
    ['', undefined],
    ['null', null],
    ['"running"', 'running'],
    ['\ufeff{"a":1}', undefined],
  ])('of the text %j is the JSON %j, whatever its Content-Type says', async (text, json) => {
    const server = await ScriptedServer.inOrder({ status: 200, text, headers: { 'content-type': 'text/html' } });
    expect(await cloudHttp(server.url).call(aCall())).toEqual({ status: 200, text, json });
  });

  it('of 16 MiB is read', async () => {
    const server = await ScriptedServer.inOrder({ status: 200, text: 'x'.repeat(16 * MEBIBYTE) });
    expect((await cloudHttp(server.url).once(aCall())).text).toHaveLength(16 * MEBIBYTE);
  });

  it('without an end is not read beyond 16 MiB', async () => {
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

  it('that breaks off is no answer', async () => {
    const server = await ScriptedServer.inOrder((response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"half":', () => response.socket?.resetAndDestroy());
    });
    await expect(cloudHttp(server.url).once(aCall())).rejects.toBeInstanceOf(CloudUnreachableError);
  });
});
