import { describe, expect, it } from 'vitest';
import { PoolApi } from '../../../src/cloud/deployments.ts';
import { AuthError, CloudUnreachableError } from '../../../src/cloud/errors.ts';
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
    ['{"jobID":"j","jobTok', 'not JSON'],
    ['[]', 'expected object'],
    [
      JSON.stringify({ ...CLAIM, typeSpecificID: '', deploymentID: null }),
      'neither typeSpecificID nor deploymentID',
    ],
    [JSON.stringify({ ...CLAIM, jobToken: { secret: 'pul-hidden-1' } }), 'jobToken'],
  ])('that is answered with %s says what is wrong, and shows no value', async (text, reason) => {
    const { api } = await withToken({ status: 200, text });
    const failure = await api.poll(never, never).catch((error) => error);
    expect(failure).toMatchObject({ name: 'CloudRefusedError', code: 'PRA-CLOUD-03' });
    expect(failure.message).toContain('Failed to read the claim for the pool');
    expect(failure.message).toContain(reason);
    expect(failure.message).not.toContain('pul-');
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
    await api.bootstrap(never);
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
