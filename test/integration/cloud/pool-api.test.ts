import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { AuthError, CloudUnreachableError, LostClaimError } from '../../../src/cloud/errors.ts';
import { PoolApi } from '../../../src/cloud/pool-api.ts';
import { StaticToken, type TokenSource } from '../../../src/cloud/token.ts';
import { cloudHttp, never } from '../../support/cloud/cloud-http.ts';
import { FOREIGN } from '../../support/cloud/foreign-refusals.ts';
import { type Reply, refusing, ScriptedServer } from '../../support/cloud/scripted-server.ts';

/** A pool's API before a server that gives these replies in turn, then repeats the last. */
async function pool(tokens: TokenSource, ...replies: readonly [Reply, ...Reply[]]) {
  const server = await ScriptedServer.inOrder(...replies);
  return { server, api: new PoolApi(cloudHttp(server.url, { retryCount: 1, retryWaitMs: 1 }), tokens) };
}

const withToken = (...replies: readonly [Reply, ...Reply[]]) => pool(new StaticToken('pul-pool'), ...replies);
const json = (value: unknown): Reply => ({ status: 200, json: value });

/** Gives `pul-1`, then a new token after each refusal. */
function renewable(): TokenSource & { refused: string[] } {
  const refused: string[] = [];
  return {
    method: 'oidc',
    expiresAt: undefined,
    refused,
    get: async (_, token) => `pul-${(token === undefined ? refused.length : refused.push(token)) + 1}`,
  };
}

const CLAIM = {
  jobID: 'j',
  jobToken: 'pul-job',
  oidcToken: '',
  runID: 'r',
  typeSpecificID: 'd',
  deploymentID: 'd',
};

describe('a poll', () => {
  it('asks with the pool’s token and reads the claim', async () => {
    const { api, server } = await withToken(json({ ...CLAIM, oidcToken: 'eyJ', more: { things: [] } }));
    expect(await api.poll(never, never)).toEqual({
      claim: { jobId: 'j', jobToken: 'pul-job', oidcToken: 'eyJ', runId: 'r', deploymentId: 'd' },
    });
    expect(server.received[0]).toMatchObject({ method: 'GET', path: '/api/deployments/poll', text: '' });
    expect(server.received[0]!.headers.authorization).toBe('token pul-pool');
  });

  it.each<Reply>([{ status: 204 }, { status: 200, text: ' \n' }, { status: 200, text: 'null' }])(
    'brings no claim when the answer is %j',
    async (reply) => {
      const { api } = await withToken(reply);
      expect(await api.poll(never, never)).toEqual({});
    },
  );

  it('passes on Retry-After, with or without a claim', async () => {
    const headers = { 'retry-after': '90' };
    const { api } = await withToken({ status: 204, headers }, { status: 200, json: CLAIM, headers });
    expect(await api.poll(never, never)).toEqual({ retryAfterMs: 90_000 });
    expect(await api.poll(never, never)).toMatchObject({ claim: { jobId: 'j' }, retryAfterMs: 90_000 });
  });

  it.each([
    [402, /edition of Pulumi Cloud/],
    [403, /pool belongs to the organization/],
    [404, /service URL.*pool still exists/],
  ])('that is refused with %i says what to check', async (status, advice) => {
    const { api } = await withToken({
      status,
      json: { code: status, message: 'no customer-managed runners' },
    });
    const failure = await api.poll(never, never).catch((error) => error);
    expect(failure).toBeInstanceOf(AuthError);
    expect(failure.message).toContain(
      `Failed to poll for work for the pool: HTTP ${status} no customer-managed runners`,
    );
    expect(failure.message).toMatch(advice);
  });

  it.each(FOREIGN)('that %s refuses is asked again, as Pulumi Cloud has not seen it', async (_, reply) => {
    const { api } = await withToken(reply, json(CLAIM));
    expect(await api.poll(never, never)).toMatchObject({ claim: { jobId: 'j' } });
    const { api: always, server } = await withToken(reply);
    const failure = await always.poll(never, never).catch((error) => error);
    expect(failure).toMatchObject({
      name: 'CloudUnreachableError',
      status: reply.status,
      code: 'PRA-CLOUD-01',
    });
    expect(failure.message).toMatch(/: HTTP 40\d.*, which Pulumi Cloud did not send\. Check service_url, /);
    expect(server.received).toHaveLength(2);
  });

  it.each([304, 400])('that is refused with %i brings no claim, and may be repeated', async (status) => {
    const { api } = await withToken(refusing(status));
    await expect(api.poll(never, never)).rejects.toMatchObject({ name: 'CloudRefusedError', status });
  });

  it.each([
    ['[]', 'expected object'],
    ['{"jobs":[{"id":7,"pul-hidden-2":true}]}', 'in {jobs: [{id: number, ?: boolean}]}'],
    [
      JSON.stringify({ ...CLAIM, typeSpecificID: '', deploymentID: null }),
      'neither typeSpecificID nor deploymentID, in {jobID: string, jobToken: string, oidcToken: string, runID: string, typeSpecificID: string, deploymentID: null}',
    ],
    [JSON.stringify({ ...CLAIM, jobToken: { secret: 'pul-hidden-1' } }), 'jobToken'],
  ])('that is answered with %s ends the claiming: the shape is shown, and no value', async (text, reason) => {
    const { api } = await withToken({ status: 200, text });
    const failure = await api.poll(never, never).catch((error) => error);
    expect(failure).toMatchObject({ name: 'UnreadableClaimError', code: 'PRA-CLOUD-03' });
    expect(failure.message).toContain('Failed to read the claim for the pool');
    expect(failure.message).toContain(reason);
    expect(failure.message).not.toContain('pul-');
  });

  const packed = (encoding: string, bytes: Buffer): Reply => {
    return (response) => response.writeHead(200, { 'content-encoding': encoding }).end(bytes);
  };
  const claimBytes = Buffer.from(JSON.stringify(CLAIM));

  it.each([
    ['gzip', gzipSync(claimBytes)],
    ['x-gzip', gzipSync(claimBytes)],
    ['deflate', deflateSync(claimBytes)],
    ['deflate', deflateRawSync(claimBytes)],
    ['br', brotliCompressSync(claimBytes)],
    ['identity', claimBytes],
  ])('asks for no compression, and reads an answer that a proxy compressed with %s', async (name, bytes) => {
    const { api, server } = await withToken(packed(name, bytes));
    expect(await api.poll(never, never)).toMatchObject({ claim: { jobId: 'j' } });
    expect(server.received[0]!.headers['accept-encoding']).toBe('identity');
  });

  it('takes an empty answer that a proxy calls compressed', async () => {
    const { api } = await withToken(packed('gzip', Buffer.alloc(0)));
    expect((await api.poll(never, never)).claim).toBeUndefined();
  });

  it.each<[string, Reply]>([
    ['is reset', 'reset'],
    [
      'breaks off',
      (response) =>
        void response
          .writeHead(200, { 'content-length': 99 })
          .write('{"jobID"', () => response.socket?.resetAndDestroy()),
    ],
    ['is half of its JSON', { status: 200, text: '{"jobID":"j","jobTok' }],
    ['is compressed in an unknown way', packed('zstd', claimBytes)],
    ['is compressed and breaks off', packed('gzip', gzipSync(claimBytes).subarray(0, 40))],
    ['grows beyond all bounds', packed('gzip', gzipSync(Buffer.alloc(17 * 1024 * 1024)))],
    ['is a page', { status: 200, text: '<html>Sign in</html>' }],
    ['is no answer in time', 'hang'],
    ...[500, 502, 504].map((status): [string, Reply] => [`is a ${status}`, { status, text: 'gateway' }]),
  ])('whose answer %s is not repeated at once, and may have been a claim', async (_, reply) => {
    const server = await ScriptedServer.inOrder(reply, json(CLAIM));
    const options = { retryCount: 2, retryWaitMs: 1, requestTimeoutMs: reply === 'hang' ? 300 : 5_000 };
    const api = new PoolApi(cloudHttp(server.url, options), new StaticToken('pul-pool'));
    const failure = await api.poll(never, never).catch((error) => error);
    expect(failure).toBeInstanceOf(LostClaimError);
    expect(failure).toMatchObject({ code: 'PRA-CLOUD-12' });
    expect(failure.message).toMatch(/A deployment may have been handed out.* fails .* after 10 minutes/);
    expect(server.received).toHaveLength(1);
  });

  it.each([408, 429, 503])('that is answered with %i is repeated: nothing was handed out', async (status) => {
    const { api, server } = await withToken(refusing(status), json(CLAIM));
    expect(await api.poll(never, never)).toMatchObject({ claim: { jobId: 'j' } });
    expect(server.received).toHaveLength(2);
  });

  it('that finds no server is repeated, and lost nothing', async () => {
    const { url, stop } = await ScriptedServer.inOrder({ status: 204 }).then((server) => ({
      url: server.url,
      stop: () => server.stop(),
    }));
    await stop();
    const retries: string[] = [];
    const http = cloudHttp(url, {
      retryCount: 2,
      retryWaitMs: 1,
      onRetry: (_, reason) => retries.push(reason),
    });
    const failure = await new PoolApi(http, new StaticToken('t')).poll(never, never).catch((error) => error);
    expect(failure).toMatchObject({ name: 'CloudUnreachableError', code: 'PRA-CLOUD-01', wasSent: false });
    expect(retries).toHaveLength(2);
  });

  it('whose token can’t be obtained lost nothing, whatever answered the exchange', async () => {
    const lost = new CloudUnreachableError('reset', { code: 'PRA-AUTH-01', wasSent: true, reason: 'reset' });
    const tokens: TokenSource = { method: 'oidc', expiresAt: undefined, get: () => Promise.reject(lost) };
    const { api } = await pool(tokens, json(CLAIM));
    await expect(api.poll(never, never)).rejects.toBe(lost);
  });

  it.each(['first', 'second'])(
    'that still waits for its %s token is given up at once when nothing more may be claimed',
    async (which) => {
      const draining = new AbortController();
      const waits = (signal: AbortSignal) =>
        new Promise<string>((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          setImmediate(() => draining.abort(new Error('draining')));
        });
      const tokens: TokenSource = {
        method: 'oidc',
        expiresAt: undefined,
        get: (signal, refused) =>
          which === 'first' || refused !== undefined ? waits(signal) : Promise.resolve('pul-1'),
      };
      const { api } = await pool(tokens, refusing(401));
      await expect(api.poll(never, draining.signal)).rejects.toThrow('draining');
    },
  );
});

describe('a 401', () => {
  it('leads to one new token', async () => {
    const tokens = renewable();
    const { api, server } = await pool(tokens, refusing(401), json(CLAIM));
    expect(await api.poll(never, never)).toMatchObject({ claim: { jobId: 'j' } });
    expect(tokens.refused).toEqual(['pul-1']);
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      'token pul-1',
      'token pul-2',
    ]);
  });

  it('twice is final', async () => {
    const tokens = renewable();
    const { api, server } = await pool(tokens, refusing(401, 'Unauthorized'));
    const failure = await api.poll(never, never).catch((error) => error);
    expect(failure).toBeInstanceOf(AuthError);
    expect(failure.message).toMatch(/HTTP 401 Unauthorized, twice/);
    expect(server.received).toHaveLength(2);
  });
});

describe.each([
  ['state', 'GET', '/api/deployments/d%2F1%20%C3%BC/status', ''],
  ['check', 'POST', '/api/agent-workflows/deployment:d%2F1%20%C3%BC/check', '{}'],
] as const)('the status of a deployment, when %s asks for it,', (call, method, path, text) => {
  it.each<[Reply, string | undefined]>([
    [json('not-started'), 'not-started'],
    [json('Succeeded'), 'succeeded'],
    [json({ status: 'failed', complete: true }), 'failed'],
    [json({}), undefined],
    [{ status: 200, text: 'failed' }, undefined],
  ])('is read from %j as %s', async (reply, expected) => {
    const { api, server } = await withToken(reply);
    expect(await api[call]('d/1 ü', never)).toBe(expected);
    expect(server.received).toMatchObject([{ method, path, text }]);
  });

  it.each([300, 501])('is refused by a %i, and the job goes on', async (status) => {
    const { api, server } = await withToken({ status, json: { message: 'no' } });
    const failure = await api[call]('d', never).catch((error) => error);
    expect(failure).toMatchObject({ name: 'CloudRefusedError', status });
    expect(failure.message).toMatch(/^Failed to .* for the pool: HTTP \d+ no\. The job continues\.$/);
    expect(server.received).toHaveLength(1);
  });

  it.each<Reply>([{ status: 500 }, 'reset', { status: 302 }, { status: 200, text: '<html>failed</html>' }])(
    'is left to the next check after %j',
    async (reply) => {
      const { api, server } = await withToken(reply);
      await expect(api[call]('d', never)).rejects.toBeInstanceOf(CloudUnreachableError);
      expect(server.received).toHaveLength(1);
    },
  );
});

describe('calls that nothing depends on', () => {
  it('are made only once', async () => {
    const { api, server } = await withToken({ status: 404 });
    await api.announce(never);
    await api.acknowledge(
      { jobId: 'j', jobToken: 'pul-job', oidcToken: undefined, runId: 'r', deploymentId: 'd' },
      never,
    );
    expect(server.received.map(({ method, path, text }) => `${method} ${path} ${text}`)).toEqual([
      'GET /api/background-activities/token ',
      'POST /api/background-activities/configuration {}',
      'POST /api/agent-workflows/deployment {"jobID":"j","runID":"r","typeSpecificID":"d"}',
    ]);
  });
});
