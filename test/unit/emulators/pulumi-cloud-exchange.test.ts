import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JSONWebKeySet, SignJWT } from 'jose';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Policy } from '../../emulators/pulumi-cloud/exchange.ts';
import { PulumiCloud, type PulumiCloudOptions } from '../../emulators/pulumi-cloud/server.ts';

const ISSUER = 'https://issuer.test';
const AUDIENCE = 'urn:pulumi:org:acme';
const SUBJECT = 'repo:acme/web:ref:refs/heads/main';
const HEADERS = { accept: 'application/vnd.pulumi+8', 'user-agent': 'agent/1.2.3 (linux; x64)' };
const ALLOW: Policy = {
  decision: 'allow',
  tokenType: 'runner',
  runnerID: 'pool-1',
  rules: { aud: AUDIENCE, sub: 'repo:acme/web:*' },
};

describe('the token exchange', () => {
  let now: number;
  let cloud: PulumiCloud;
  let privateKey: KeyObject;
  let jwks: JSONWebKeySet;
  const started: PulumiCloud[] = [];

  beforeAll(() => {
    const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
    privateKey = pair.privateKey;
    // Without `alg`, so that nothing but the exchange itself insists on RS256.
    jwks = { keys: [{ ...pair.publicKey.export({ format: 'jwk' }), kty: 'RSA', kid: 'k1', use: 'sig' }] };
  });

  async function start(options: PulumiCloudOptions = {}): Promise<void> {
    cloud = await PulumiCloud.start({
      clock: () => now,
      pools: [
        { id: 'pool-1', name: 'first' },
        { id: 'pool-2', name: 'second' },
      ],
      ...options,
    });
    started.push(cloud);
    cloud.registerIssuer({ issuer: ISSUER, jwks, policies: [ALLOW] });
  }

  beforeEach(async () => {
    now = Date.parse('2026-06-18T10:00:00Z');
    await start();
  });

  afterEach(async () => {
    await Promise.all(started.splice(0).map((instance) => instance.stop()));
  });

  /** An ID token as GitHub makes one, living for 5 minutes. */
  function idToken(claims: Record<string, unknown> = {}, key = privateKey, alg = 'RS256') {
    const seconds = Math.floor(now / 1000);
    return new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: SUBJECT, iat: seconds, exp: seconds + 300, ...claims })
      .setProtectedHeader({ alg, kid: 'k1' })
      .sign(key);
  }

  function parameters(subject_token: string): Record<string, unknown> {
    return {
      audience: AUDIENCE,
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      requested_token_type: 'urn:pulumi:token-type:access_token:runner',
      scope: 'runner:pool-1',
      subject_token,
    };
  }

  async function exchange(changes: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
    const body = JSON.stringify({ ...parameters(await idToken()), ...changes });
    return post(body, { 'content-type': 'application/json', ...headers });
  }

  async function post(body: string | URLSearchParams, headers: Record<string, string> = {}) {
    const response = await fetch(`${cloud.url}/api/oauth/token`, {
      method: 'POST',
      headers: { ...HEADERS, ...headers },
      body,
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  }

  async function poll(token: string): Promise<number> {
    const headers = { ...HEADERS, authorization: `token ${token}` };
    return (await fetch(`${cloud.url}/api/deployments/poll`, { headers })).status;
  }

  it('gives a pool token for JSON, which expires', async () => {
    const { status, body } = await exchange();
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^pul-[0-9a-f]{40}$/),
      issued_token_type: 'urn:pulumi:token-type:access_token:runner',
      token_type: 'token',
      expires_in: 7200,
      scope: 'runner:pool-1',
    });
    now += 7_199_999;
    expect(await poll(body.access_token)).toBe(204);
    now += 1;
    expect(await poll(body.access_token)).toBe(401);
  });

  it('gives a pool token for a form, whose expiration counts', async () => {
    const form = new URLSearchParams({ ...(parameters(await idToken()) as Record<string, string>), expiration: '60' });
    const { status, body } = await post(form);
    expect(status).toBe(200);
    expect(body.expires_in).toBe(60);
    expect(await poll(body.access_token)).toBe(204);
    expect(cloud.requests[0]).toMatchObject({ path: '/api/oauth/token', status: 200, tokenKind: 'none' });
  });

  it('caps the lifetime, and takes its own where none is asked for', async () => {
    await start({ tokenLifetimeSeconds: 5, tokenLifetimeCapSeconds: 100 });
    expect((await exchange()).body.expires_in).toBe(5);
    expect((await exchange({ expiration: 101 })).body.expires_in).toBe(100);
  });

  it('reads the issuer’s keys from their address', async () => {
    const server = createServer((_request, response) => response.end(JSON.stringify(jwks)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
      cloud.registerIssuer({ issuer: 'https://remote.test', jwksUrl, policies: [ALLOW] });
      expect((await exchange({ subject_token: await idToken({ iss: 'https://remote.test' }) })).status).toBe(200);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  describe('refuses, without a violation,', () => {
    async function refused(token: Promise<string> | string, status: number, text: RegExp): Promise<void> {
      const answer = await exchange({ subject_token: await token });
      expect(answer.status).toBe(status);
      expect(answer.body.error_description ?? answer.body.message).toMatch(text);
      expect(answer.body.error ?? answer.body.code).toBe(status === 401 ? 'invalid_grant' : status);
    }

    it('a token signed by someone else', async () => {
      const { privateKey: other } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      await refused(idToken({}, other), 401, /signature verification failed/);
    });

    it('a token not signed with RS256', async () => {
      await refused(idToken({}, privateKey, 'RS512'), 401, /"alg"/);
    });

    it('a token of an unknown issuer', () => refused(idToken({ iss: 'https://other.test' }), 401, /not registered/));

    it('a token for another audience', () => refused(idToken({ aud: 'urn:pulumi:org:other' }), 401, /"aud"/));

    it('a token that has expired', async () => {
      const token = await idToken();
      now += 300_000;
      await refused(token, 401, /"exp"/);
    });

    it('a token without an expiry', () => refused(idToken({ exp: undefined }), 401, /"exp"/));

    it('what is not a token', () => refused('eyJ', 401, /./));

    it('a subject that no policy allows', () => refused(idToken({ sub: 'repo:acme/other:ref:x' }), 403, /no policy/));

    it('a subject that one policy denies', async () => {
      const deny: Policy = { ...ALLOW, decision: 'deny', rules: { sub: '*:ref:refs/heads/main' } };
      cloud.registerIssuer({ issuer: ISSUER, jwks, policies: [ALLOW, deny] });
      await refused(idToken(), 403, /no policy/);
    });

    it('a pool that no policy names', async () => {
      expect((await exchange({ scope: 'runner:pool-2' })).status).toBe(403);
    });

    it('a pool that is not there, or named by what the service does not take', async () => {
      const refusal = { status: 400, body: { error: 'invalid_scope', error_description: expect.any(String) } };
      expect(await exchange({ scope: 'runner:nothing' })).toEqual(refusal);
      expect(await exchange({ scope: 'runner:first' })).toEqual(refusal);
      await start({ acceptPoolId: false, acceptPoolName: true });
      expect(await exchange()).toEqual(refusal);
      expect((await exchange({ scope: 'runner:first' })).status).toBe(200);
    });
  });

  it('matches rules literally but for the asterisk', async () => {
    const rules = { sub: 'repo:acme/w.b:*:main' };
    cloud.registerIssuer({ issuer: ISSUER, jwks, policies: [{ ...ALLOW, rules }] });
    expect(
      (await exchange({ subject_token: await idToken({ sub: 'repo:acme/w.b:ref:refs/heads:main' }) })).status,
    ).toBe(200);
    expect(
      (await exchange({ subject_token: await idToken({ sub: 'repo:acme/web:ref:refs/heads:main' }) })).status,
    ).toBe(403);
    expect((await exchange({ subject_token: await idToken({ sub: 'repo:acme/w.b:ref:main:more' }) })).status).toBe(403);
  });

  it('gives an organization, a team or a user a token of its own, each by a policy of its own', async () => {
    const rules = { aud: AUDIENCE };
    const type = (name: string) => ({ requested_token_type: `urn:pulumi:token-type:access_token:${name}` });
    const asked = [
      { ...type('organization'), scope: undefined },
      { ...type('organization'), scope: 'admin' },
      { ...type('team'), scope: 'team:platform' },
      { ...type('personal'), scope: 'user:jane' },
    ];
    for (const changes of asked) expect((await exchange(changes)).status).toBe(403);
    cloud.registerIssuer({
      issuer: ISSUER,
      jwks,
      policies: [
        { decision: 'allow', tokenType: 'organization', rules },
        { decision: 'allow', tokenType: 'team', teamName: 'platform', rules },
        { decision: 'allow', tokenType: 'personal', userLogin: 'jane', rules },
      ],
    });
    expect(await Promise.all(asked.map(async (changes) => (await exchange(changes)).status))).toEqual([
      200, 403, 200, 200,
    ]);
    expect((await exchange({ ...type('team'), scope: 'team:other' })).status).toBe(403);
    expect((await exchange()).status).toBe(403);
  });

  describe('records as a violation', () => {
    it.each([
      ['a wrong audience', { audience: 'urn:pulumi:org:other' }],
      ['a wrong grant type', { grant_type: 'refresh_token' }],
      ['a wrong subject type', { subject_token_type: 'urn:ietf:params:oauth:token-type:jwt' }],
      ['a wrong requested type', { requested_token_type: 'urn:pulumi:token-type:access_token:organization' }],
      ['a scope that names no runner', { scope: 'admin' }],
      ['a missing scope', { scope: undefined }],
      ['an expiration that is no number of seconds', { expiration: '1h' }],
      ['an unknown parameter', { client_id: 'x' }],
    ])('%s', async (_name, changes) => {
      cloud.allow(/the body is not what the protocol/);
      const { status } = await exchange(changes);
      expect(status).toBe(400);
      expect(cloud.violations).toEqual([
        expect.stringMatching(/^POST \/api\/oauth\/token: the body is not what the protocol/),
      ]);
    });

    it('a parameter sent twice', async () => {
      cloud.allow(/twice/);
      const form = new URLSearchParams(parameters(await idToken()) as Record<string, string>);
      form.append('scope', 'runner:pool-2');
      expect((await post(form)).status).toBe(400);
      expect(cloud.violations).toEqual([expect.stringMatching(/twice/)]);
    });

    it('a token sent along that the call does not take', async () => {
      cloud.allow(/no Authorization/);
      expect((await exchange({}, { authorization: `token ${cloud.userToken}` })).status).toBe(400);
      expect(cloud.violations).toEqual([expect.stringMatching(/no Authorization/)]);
    });

    it('nothing of the ID token', async () => {
      cloud.allow(/the body/);
      const token = await idToken();
      const body = JSON.stringify(parameters(token));
      await post(body, { 'content-type': 'application/x-www-form-urlencoded' });
      await post(body.slice(0, -1), { 'content-type': 'application/json' });
      expect(cloud.violations).toHaveLength(2);
      expect(JSON.stringify([cloud.requests, cloud.violations])).not.toContain(token.slice(0, 20));
    });
  });
});
