import { createRemoteJWKSet, decodeJwt, type JWTPayload, jwtVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { IdTokenEndpoint } from '../../emulators/github/id-tokens.ts';
import { type Issuer, startIssuer } from '../../emulators/github/issuer.ts';
import { completeIdentity } from '../../emulators/github/job-environment.ts';

const identity = completeIdentity({ repository: 'acme/infra', job: 'deploy' });
const tokenAnswer = z.object({ value: z.string(), count: z.number() });
const AUDIENCE = 'urn:pulumi:org:acme';

let issuer: Issuer;
let endpoint: IdTokenEndpoint;
let now: number;

beforeEach(async () => {
  now = Date.now();
  issuer = await startIssuer();
  endpoint = new IdTokenEndpoint({ issuer, now: () => now });
  await endpoint.start();
});
afterEach(async () => {
  await endpoint.close();
  await issuer.close();
});

async function ask(url: string, token: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, headers: { authorization: `Bearer ${token}` }, signal: AbortSignal.timeout(5_000) });
}

/** The claims of the token an answer holds, unverified. */
async function claimsOf(response: Response): Promise<JWTPayload> {
  return decodeJwt(tokenAnswer.parse(await response.json()).value);
}

const discovery = z.object({
  issuer: z.string(),
  jwks_uri: z.url(),
  id_token_signing_alg_values_supported: z.array(z.string()),
});

describe('the issuer', () => {
  it('is discovered and its tokens verified by the published key alone', async () => {
    const document = discovery.parse(await (await fetch(`${issuer.url}/.well-known/openid-configuration`)).json());
    expect(document).toMatchObject({ issuer: issuer.url, jwks_uri: issuer.jwksUri });
    expect(document.id_token_signing_alg_values_supported).toEqual(['RS256']);
    const keys = createRemoteJWKSet(new URL(document.jwks_uri));
    const { payload, protectedHeader } = await jwtVerify(await issuer.sign({ sub: 'x', aud: 'y' }), keys, {
      issuer: issuer.url,
      audience: 'y',
    });
    expect(payload).toEqual({ iss: issuer.url, sub: 'x', aud: 'y' });
    expect(protectedHeader).toMatchObject({ alg: 'RS256', typ: 'JWT' });
    const other = await startIssuer();
    try {
      await expect(jwtVerify(await other.sign({ aud: 'y' }), keys)).rejects.toThrow('no applicable key found');
    } finally {
      await other.close();
    }
  });
});

describe('the ID-token endpoint', () => {
  it("answers with a token that carries the job's claims", async () => {
    const { url, token } = endpoint.register(identity);
    expect(url).toContain('?');
    const response = await ask(`${url}&audience=${encodeURIComponent(AUDIENCE)}`, token);
    expect(response.status).toBe(200);
    const { value, count } = tokenAnswer.parse(await response.json());
    expect(count).toBe(value.length);
    const { payload } = await jwtVerify(value, createRemoteJWKSet(new URL(issuer.jwksUri)), {
      issuer: issuer.url,
      audience: AUDIENCE,
    });
    const iat = Math.floor(now / 1000);
    expect(payload).toMatchObject({
      sub: 'repo:acme/infra:ref:refs/heads/main',
      repository: 'acme/infra',
      repository_owner: 'acme',
      ref: 'refs/heads/main',
      run_id: identity.runId,
      run_attempt: '1',
      job_workflow_ref: 'acme/infra/.github/workflows/deploy.yml@refs/heads/main',
      iat,
      nbf: iat - 600,
      exp: iat + 300,
    });
    expect(payload.jti).toMatch(/^[0-9a-f-]{36}$/u);
    expect(endpoint.requests).toEqual([{ at: now, audience: AUDIENCE, status: 200, job: 'deploy' }]);
    expect(endpoint.violations).toEqual([]);
  });

  it('gives a new jti each time, the default audience without one, and overridden claims and lifetime', async () => {
    const { url, token } = endpoint.register(identity);
    const first = await claimsOf(await ask(url, token));
    endpoint.claims = { sub: 'repo:acme@1/infra@2:environment:prod', environment: 'prod', actor: undefined };
    endpoint.lifetimeSeconds = 2;
    now += 1_000;
    const second = await claimsOf(await ask(url, token));
    expect(first.aud).toBe('https://github.com/acme');
    expect(second.jti).not.toBe(first.jti);
    expect(second).toMatchObject({ sub: 'repo:acme@1/infra@2:environment:prod', environment: 'prod' });
    expect(second).not.toHaveProperty('actor');
    expect((second.exp ?? 0) - (second.iat ?? 0)).toBe(2);
    expect(endpoint.requests.map((one) => one.at)).toEqual([now - 1_000, now]);
  });

  it.each([
    ['id-token-authorization', 401, (url: string) => ask(url, 'someone else')],
    ['id-token-authorization', 401, (url: string, token: string) => fetch(url, { headers: { authorization: token } })],
    [
      'id-token-authorization',
      401,
      (url: string, token: string) => ask(url.replace(/idtoken\/[^?]+/u, 'idtoken/x'), token),
    ],
    ['id-token-method', 405, (url: string, token: string) => ask(url, token, { method: 'POST' })],
    ['id-token-query', 400, (url: string, token: string) => ask(url.replace(/\?.*/u, '?audience=a'), token)],
    ['id-token-query', 400, (url: string, token: string) => ask(`${url}?audience=a`, token)],
    ['id-token-query', 400, (url: string, token: string) => ask(`${url}&audience=a&audience=b`, token)],
    ['id-token-query', 400, (url: string, token: string) => ask(`${url}&scope=a`, token)],
  ])('refuses and records a request with a wrong %s (%i)', async (rule, status, send) => {
    const { url, token } = endpoint.register(identity);
    const response = await send(url, token);
    expect(response.status).toBe(status);
    expect(await response.text()).not.toContain('eyJ');
    expect(endpoint.violations.map((one) => one.rule)).toEqual([rule]);
    expect(endpoint.requests).toMatchObject([{ status, job: undefined }]);
  });

  it("keeps jobs' tokens apart and ends them with their job", async () => {
    const first = endpoint.register(identity);
    const second = endpoint.register(completeIdentity({ repository: 'acme/infra', job: 'other', attempt: 2 }));
    expect((await ask(first.url, second.token)).status).toBe(401);
    const claims = await claimsOf(await ask(second.url, second.token));
    expect(claims).toMatchObject({ run_attempt: '2' });
    second.revoke();
    expect((await ask(second.url, second.token)).status).toBe(401);
    expect((await ask(first.url, first.token)).status).toBe(200);
  });

  it('misbehaves as scripted, then behaves', async () => {
    const { url, token } = endpoint.register(identity);
    endpoint.faults.inject('token', { kind: 'status', status: 503 }, 2);
    endpoint.faults.inject('token', { kind: 'reset' });
    endpoint.faults.inject('token', { kind: 'delay', ms: 30 });
    expect((await ask(url, token)).status).toBe(503);
    expect((await ask(url, token)).status).toBe(503);
    await expect(ask(url, token)).rejects.toThrow('fetch failed');
    const asked = performance.now();
    expect((await ask(url, token)).status).toBe(200);
    expect(performance.now() - asked).toBeGreaterThanOrEqual(29);
    endpoint.faults.inject('token', { kind: 'stall' });
    const patience = new AbortController();
    const stalled = fetch(url, { headers: { authorization: `Bearer ${token}` }, signal: patience.signal });
    await expect.poll(() => endpoint.requests.length, { timeout: 20_000 }).toBe(5);
    patience.abort();
    await expect(stalled).rejects.toThrow('aborted');
    expect(endpoint.requests.map((one) => one.status)).toEqual([503, 503, undefined, 200, undefined]);
    expect(endpoint.violations).toEqual([]);
  });
});
