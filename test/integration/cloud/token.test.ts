import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { Redactor } from '../../../src/base/log/redactor.ts';
import { AuthError, CloudUnreachableError } from '../../../src/cloud/errors.ts';
import type { CloudHttpOptions } from '../../../src/cloud/http.ts';
import { PoolApi } from '../../../src/cloud/pool-api.ts';
import { OidcToken, type OidcTokenOptions } from '../../../src/cloud/token-exchange.ts';
import { cloudHttp, never } from '../../support/cloud/cloud-http.ts';
import { FOREIGN } from '../../support/cloud/foreign-refusals.ts';
import { idTokenOf, tokenFile } from '../../support/cloud/id-token.ts';
import { type Reply, refusing, type Script, ScriptedServer } from '../../support/cloud/scripted-server.ts';

const HOUR = 3_600_000;
const SUB = 'repo:acme/web:ref:refs/heads/main';
const CLAIMS = { iss: 'https://token.example', aud: 'urn:pulumi:org:acme', sub: SUB };
const ID_TOKEN = idTokenOf(CLAIMS);

interface Given {
  readonly options?: Partial<OidcTokenOptions>;
  readonly http?: Partial<CloudHttpOptions>;
  readonly file?: string;
}

/** A token source before a server that follows `script`; `at.ms` is its wall clock, set forward by `at.set` ms. */
async function source(script: Script, { options = {}, http = {}, file = ID_TOKEN }: Given = {}) {
  const server = await ScriptedServer.start(script);
  const at = { ms: Date.parse('2026-06-18T10:00:00Z'), set: 0 };
  const secrets: string[] = [];
  const path = await tokenFile(file);
  const tokens = new OidcToken({
    http: cloudHttp(server.url, { retryCount: 0, ...http }),
    tokenFile: path,
    organization: 'acme',
    audience: 'urn:pulumi:org:acme',
    poolId: 'pool-1',
    clock: { now: () => at.ms, steady: () => at.ms - at.set },
    onSecret: (secret) => secrets.push(secret),
    ...options,
  });
  const asked = () => server.received.map(({ text }) => JSON.parse(text) as Record<string, unknown>);
  return { server, tokens, at, secrets, path, asked };
}

/** Expects that a renewal has begun beside the token in use, and that its result replaces it. */
async function renews(tokens: OidcToken, before: string, after: string): Promise<void> {
  expect(await tokens.get(never)).toBe(before);
  await vi.waitFor(async () => expect(await tokens.get(never)).toBe(after), { timeout: 10_000, interval: 5 });
}

/** Expects `pul-1`, and so many requests by now: a renewal may still be under way when the next one is due. */
const asksAs = (tokens: OidcToken, server: ScriptedServer) => (requests: number) =>
  vi.waitFor(
    async () => {
      expect(await tokens.get(never)).toBe('pul-1');
      expect(server.received).toHaveLength(requests);
    },
    { timeout: 10_000, interval: 5 },
  );

/** Gives `pul-1`, `pul-2`, … */
const granted =
  (more: object = { expires_in: 3600 }): Script =>
  (_, count) => ({ status: 200, json: { access_token: `pul-${count}`, ...more } });

describe('an exchange', () => {
  it('follows the protocol, and asks for a lifetime only when one is set', async () => {
    const plain = await source(granted());
    expect(await plain.tokens.get(never)).toBe('pul-1');
    expect(plain.server.received[0]).toMatchObject({ method: 'POST', path: '/api/oauth/token' });
    expect(plain.server.received[0]!.headers).not.toHaveProperty('authorization');
    const body = {
      audience: 'urn:pulumi:org:acme',
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      requested_token_type: 'urn:pulumi:token-type:access_token:runner',
      scope: 'runner:pool-1',
      subject_token: ID_TOKEN,
    };
    expect(plain.asked()).toEqual([body]);
    const longer = await source(granted(), { options: { expirationSeconds: 7200, audience: 'urn:other' } });
    await longer.tokens.get(never);
    expect(longer.asked()).toEqual([{ ...body, audience: 'urn:other', expiration: 7200 }]);
  });

  it.each([400, 401, 403])('that is refused for the pool’s ID (%i) tries its name once', async (status) => {
    const { tokens, asked } = await source(
      (_, count) => (count === 1 ? refusing(status) : granted()(_, count)),
      {
        options: { poolName: 'default' },
      },
    );
    expect(await tokens.get(never)).toBe('pul-2');
    expect(asked().map(({ scope }) => scope)).toEqual(['runner:pool-1', 'runner:default']);
  });

  it.each(['{"access_token":""}', 'null'])(
    'without a token in its answer (%s) is an AuthError',
    async (text) => {
      const { tokens } = await source(() => ({ status: 200, text }));
      await expect(tokens.get(never)).rejects.toThrow(/pool-1 of acme: the answer holds no access_token/);
    },
  );

  it('that outlasts its ID token takes the fresh one from the file', async () => {
    const fresh = idTokenOf({ ...CLAIMS, jti: 'fresh' });
    let file = '';
    const { tokens, asked, path } = await source((request, count) => {
      if (count > 1) return granted()(request, count);
      writeFileSync(file, fresh);
      return refusing(401);
    });
    file = path;
    expect(await tokens.get(never)).toBe('pul-2');
    expect(asked().map(({ subject_token: token }) => token)).toEqual([ID_TOKEN, fresh]);
  });

  it('asks for the user’s own scope, and for no other', async () => {
    const { tokens, asked } = await source(() => refusing(403), {
      options: { scope: 'runner:mine admin', poolName: 'default' },
    });
    await expect(tokens.get(never)).rejects.toBeInstanceOf(AuthError);
    expect(asked().map(({ scope }) => scope)).toEqual(['runner:mine admin']);
  });
});

describe('a refusal that Pulumi Cloud did not send', () => {
  it.each(FOREIGN)('but %s is an outage: the exchange is tried again', async (_, reply) => {
    const { tokens } = await source((request, count) => (count < 3 ? reply : granted()(request, count)), {
      http: { retryCount: 2 },
    });
    expect(await tokens.get(never)).toBe('pul-3');
    const always = await source(() => reply, { options: { poolName: 'default' } });
    const failure = await always.tokens.get(never).catch((error) => error);
    expect(failure).toBeInstanceOf(CloudUnreachableError);
    expect(failure.message).toMatch(
      /^Failed to exchange the ID token for http.*: HTTP 40\d.* Check service_url, /,
    );
    expect(always.server.received).toHaveLength(1);
  });
});

describe('a refusal', () => {
  const refused = async (answer: object, given: Given = {}) => {
    const { tokens } = await source(
      () => ({ status: 403, json: { code: 403, message: 'no', ...answer } }),
      given,
    );
    const failure = await tokens.get(never).catch((error) => error);
    expect(failure).toBeInstanceOf(AuthError);
    return failure.message as string;
  };

  it('says the claims, the policy to add, and what the service said', async () => {
    const message = await refused({ message: 'no policy' });
    expect(message).toContain('pool pool-1 of acme: HTTP 403 no policy');
    expect(message).toContain(`iss=${CLAIMS.iss}, aud=${CLAIMS.aud}, sub=${SUB}`);
    expect(message).toContain(
      `{decision: allow, tokenType: runner, runnerID: pool-1, rules: {aud: ${CLAIMS.aud}, sub: ${SUB}}}`,
    );
    expect(message).toContain('edition with customer-managed workflow runners');
    expect(message).not.toContain('expired');
  });

  it.each([
    'repo:acme/web:pull_request',
    'repo:acme@1/web@2:pull_request',
    'p://acme/network/pulumi-deployment',
    'org/o-1/project/p-1/user/u-1/vcs-origin/github.com/acme/network/vcs-ref/refs/heads/main',
    '{0c1f}:{5e2a}',
  ])('advises no policy for %s, which the jobs of any branch can have', async (sub) => {
    const message = await refused({}, { file: idTokenOf({ ...CLAIMS, sub }) });
    expect(message).toContain(`sub=${sub}`);
    expect(message).not.toContain(`sub: ${sub}`);
    expect(message).toContain('a rule for this sub alone lets every branch in');
  });

  it('advises a policy for an environment, with the guard that it needs', async () => {
    const sub = 'repo:acme/web:environment:production';
    const message = await refused({}, { file: idTokenOf({ ...CLAIMS, sub }) });
    expect(message).toContain(`sub: ${sub}}`);
    expect(message).toContain('allow only a protected branch to deploy to that environment');
  });

  it('says which workflow the job stands in, which a policy can demand', async () => {
    const job_workflow_ref = 'acme/web/.github/workflows/deploy.yml@refs/heads/main';
    expect(await refused({}, { file: idTokenOf({ ...CLAIMS, job_workflow_ref }) })).toContain(
      `, job_workflow_ref=${job_workflow_ref}.`,
    );
    expect(await refused({})).not.toContain('job_workflow_ref');
  });

  it('never shows the token, even when the service echoes it', async () => {
    for (const message of [`bad subject_token ${ID_TOKEN}`, `${'x'.repeat(270)} ${ID_TOKEN}`]) {
      const text = await refused({ message });
      for (const part of ID_TOKEN.split('.').slice(0, 2)) expect(text).not.toContain(part.slice(0, 12));
    }
  });

  it('says so when the ID token has expired', async () => {
    const exp = Date.parse('2026-06-18T09:59:59Z') / 1000;
    expect(await refused({}, { file: idTokenOf({ ...CLAIMS, exp }) })).toContain('The ID token has expired');
    expect(await refused({}, { file: idTokenOf({ ...CLAIMS, exp: exp + 2 }) })).not.toContain('has expired');
  });

  it('of both scopes says what was wrong with each', async () => {
    const { tokens } = await source(
      (_, count) => (count === 1 ? refusing(403, 'no policy') : refusing(400, 'no such runner')),
      { options: { poolName: 'default' } },
    );
    await expect(tokens.get(never)).rejects.toThrow(/HTTP 403 no policy.*HTTP 400 no such runner/);
  });

  it.each([
    ['not a JWT', 'iss=(not in the token), aud=(not in the token), sub=(not in the token)'],
    [`a.${Buffer.from('null').toString('base64url')}.c`, 'iss=(not in the token)'],
    [
      idTokenOf({ iss: 7, aud: ['urn:a', 'urn:b'], sub: `a\n\tb${'c'.repeat(500)}` }),
      'aud=urn:a,urn:b, sub=a b',
    ],
  ])('of a token that says little (%s) is still an AuthError', async (file, said) => {
    const message = await refused({}, { file });
    expect(message).toContain(said);
    expect(message).not.toContain('c'.repeat(300));
  });

  it('because the file is empty or missing names the file', async () => {
    const empty = await source(granted(), { file: ' \n' });
    await expect(empty.tokens.get(never)).rejects.toThrow(`${empty.path} is empty`);
    const missing = await source(granted(), { options: { tokenFile: '/nowhere/token' } });
    const failure = await missing.tokens.get(never).catch((error) => error);
    expect(failure).toBeInstanceOf(AuthError);
    expect(failure.message).toMatch(/ENOENT.*\/nowhere\/token.*must write oidc_token_file/);
    expect(missing.server.received).toEqual([]);
  });
});

describe('a token', () => {
  it('is exchanged once until shortly before it expires, then again with the file’s new token', async () => {
    const { tokens, at, path, asked } = await source(granted());
    expect(tokens.expiresAt).toBeUndefined();
    expect(await tokens.get(never)).toBe('pul-1');
    expect(tokens.expiresAt).toBe('2026-06-18T11:00:00.000Z');
    at.ms += 0.9 * HOUR - 1;
    expect(await tokens.get(never)).toBe('pul-1');
    at.ms += 1;
    await writeFile(path, idTokenOf({ fresh: true }));
    await renews(tokens, 'pul-1', 'pul-2');
    expect(asked().map(({ subject_token }) => subject_token)).toEqual([ID_TOKEN, idTokenOf({ fresh: true })]);
  });

  it.each<[unknown, number]>([
    ['600', 540_000],
    [60, 30_000],
    [undefined, 6_480_000],
    [-5, 6_480_000],
    ['soon', 6_480_000],
    [1e18, 6_480_000],
  ])('with a lifetime of %j seconds lasts %i ms', async (expires_in, milliseconds) => {
    const { tokens, at } = await source(granted({ expires_in }));
    await tokens.get(never);
    at.ms += milliseconds - 1;
    expect(await tokens.get(never)).toBe('pul-1');
    at.ms += 1;
    await renews(tokens, 'pul-1', 'pul-2');
  });

  it('stays hidden while it is in use, however many ID tokens are read before it can be renewed', async () => {
    const redactor = new Redactor();
    const { tokens, at, path, server } = await source(
      (_, count) => (count === 1 || count > 7 ? granted()(_, count) : { status: 503 }),
      { options: { onSecret: redactor.recent(4) } },
    );
    const idTokens = Array.from({ length: 8 }, (_, count) => idTokenOf({ count }));
    const asks = asksAs(tokens, server);
    for (const [count, idToken] of idTokens.entries()) {
      await writeFile(path, idToken);
      if (count === 7) expect(await tokens.get(never)).toBe('pul-8');
      else await asks(count + 1);
      expect(redactor.text(`pul-1 ${idToken}`)).toBe('*** ***');
      at.ms += count === 0 ? 0.9 * HOUR : 60_000;
    }
    // By now the first ID token is forgotten; the last but one may still appear.
    expect(redactor.text(`${idTokens[0]} ${idTokens[6]} pul-8`)).toBe(`${idTokens[0]} *** ***`);
  });

  it.each([-1, 1, 30])('lasts as long on a machine whose clock is set by %i hours', async (hours) => {
    const { tokens, at, server } = await source(granted());
    await tokens.get(never);
    at.ms += hours * HOUR;
    at.set += hours * HOUR;
    // A clock set forward may mean a suspended machine, so the token is renewed.
    const first = hours > 0 ? 'pul-2' : 'pul-1';
    await renews(tokens, 'pul-1', first);
    const { length } = server.received;
    at.ms += 0.9 * HOUR - 1;
    expect(await tokens.get(never)).toBe(first);
    expect(server.received).toHaveLength(length);
    at.ms += 1;
    await renews(tokens, first, hours > 0 ? 'pul-3' : 'pul-2');
  });

  it('stays in use when the clock was set forward and no new one can be had, and is asked for again a minute later', async () => {
    const { tokens, at, server } = await source((_, count) =>
      count === 1 ? granted()(_, 1) : { status: 503 },
    );
    await tokens.get(never);
    at.ms += 30 * HOUR;
    at.set += 30 * HOUR;
    expect(await Promise.all([tokens.get(never), tokens.get(never)])).toEqual(['pul-1', 'pul-1']);
    const asks = asksAs(tokens, server);
    await asks(2);
    at.ms += 59_999;
    await asks(2);
    at.ms += 1;
    await asks(3);
    at.ms += HOUR;
    await expect(tokens.get(never)).rejects.toBeInstanceOf(CloudUnreachableError);
  });

  it('ends with a 401: concurrent callers share one exchange, and a late one takes its result', async () => {
    const { tokens, server } = await source(granted());
    const first = await Promise.all([tokens.get(never), tokens.get(never), tokens.get(never)]);
    expect(first).toEqual(['pul-1', 'pul-1', 'pul-1']);
    expect(await Promise.all([tokens.get(never, 'pul-1'), tokens.get(never, 'pul-1')])).toEqual([
      'pul-2',
      'pul-2',
    ]);
    expect(await tokens.get(never, 'pul-1')).toBe('pul-2');
    expect(server.received).toHaveLength(2);
  });

  it('stays in use for others while a refusal of it is followed by an exchange that hangs', async () => {
    const answer = Promise.withResolvers<Reply>();
    const { tokens, server } = await source((_, count) => (count === 1 ? granted()(_, 1) : answer.promise));
    await tokens.get(never);
    const gone = new AbortController();
    const [refused, hasty] = [tokens.get(never, 'pul-1'), tokens.get(gone.signal, 'pul-1')];
    const left = expect(hasty).rejects.toThrow('gone');
    await server.until(() => server.received.length === 2);
    gone.abort(new Error('gone'));
    await left;
    expect(await tokens.get(never)).toBe('pul-1');
    expect(await tokens.get(never, 'pul-0')).toBe('pul-1');
    answer.resolve({ status: 200, json: { access_token: 'pul-2' } });
    expect({
      refused: await refused,
      tokens: await tokens.get(never),
      received: server.received.length,
    }).toEqual({ refused: 'pul-2', tokens: 'pul-2', received: 2 });
  });

  it('stays in use after a stray 401 when no new one can be had, and each further 401 asks for one', async () => {
    const { tokens, server } = await source((_, count) => (count === 1 ? granted()(_, 1) : refusing(403)));
    await tokens.get(never);
    for (const asked of [2, 3]) {
      await expect(tokens.get(never, 'pul-1')).rejects.toBeInstanceOf(AuthError);
      expect({ tokens: await tokens.get(never), received: server.received.length }).toEqual({
        tokens: 'pul-1',
        received: asked,
      });
    }
  });

  it('serves the next look for a cancel, when one got a stray 401 and the exchange for a new token hangs', async () => {
    const exchanges = { asked: 0 };
    const strays = [refusing(401), { status: 200, json: 'running' }];
    const { tokens, server } = await source((request) => {
      if (request.path !== '/api/oauth/token') return strays.shift() ?? 'reset';
      exchanges.asked += 1;
      return exchanges.asked === 1 ? granted()(request, 1) : 'hang';
    });
    const pool = new PoolApi(cloudHttp(server.url), tokens);
    await expect(pool.state('d', never)).rejects.toMatchObject({ name: 'CloudRefusedError', status: 401 });
    expect({ state: await pool.state('d', never), asked: exchanges.asked }).toEqual({
      state: 'running',
      asked: 2,
    });
  });

  it('that is due holds nobody back while its exchange hangs, until it has expired', async () => {
    const hanging = Promise.withResolvers<Reply>();
    const { tokens, at, server } = await source((_, count) =>
      count === 1 ? granted()(_, 1) : hanging.promise,
    );
    await tokens.get(never);
    at.ms += 0.95 * HOUR;
    expect(await tokens.get(never)).toBe('pul-1');
    await server.until(() => server.received.length === 2);
    at.ms += 0.05 * HOUR;
    const late = expect(tokens.get(never)).rejects.toBeInstanceOf(CloudUnreachableError);
    hanging.resolve('reset');
    await late;
  });

  it('still arrives when the call that asked for it first gives up', async () => {
    const answer = Promise.withResolvers<Reply>();
    const { tokens, server } = await source(() => answer.promise);
    const [hasty, reason] = [new AbortController(), new Error('gone')];
    const first = expect(tokens.get(hasty.signal)).rejects.toBe(reason);
    const second = tokens.get(never);
    await server.until(() => server.received.length === 1);
    hasty.abort(reason);
    await first;
    answer.resolve({ status: 200, json: { access_token: 'pul-1' } });
    expect({
      second: await second,
      tokens: await tokens.get(never),
      received: server.received.length,
    }).toEqual({ second: 'pul-1', tokens: 'pul-1', received: 1 });
  });
});
