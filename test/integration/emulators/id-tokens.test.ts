import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IdTokenEndpoint } from '../../emulators/github/id-tokens.ts';
import { type Issuer, startIssuer } from '../../emulators/github/issuer.ts';
import { completeIdentity } from '../../emulators/github/job-environment.ts';

const identity = completeIdentity({ repository: 'acme/infra', job: 'deploy' });
const AUDIENCE = 'urn:pulumi:org:acme';

let issuer: Issuer;
let endpoint: IdTokenEndpoint;

beforeEach(async () => {
  issuer = await startIssuer();
  endpoint = new IdTokenEndpoint({ issuer, now: Date.now });
  await endpoint.start();
});
afterEach(async () => {
  await endpoint.close();
  await issuer.close();
});

function ask(url: string, token: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, headers: { authorization: `Bearer ${token}` }, signal: AbortSignal.timeout(5_000) });
}

/** The token that an answer holds. */
async function tokenOf(response: Response): Promise<string> {
  const { value, count } = (await response.json()) as { value: string; count: number };
  expect(count).toBe(value.length);
  return value;
}

describe('the ID-token endpoint', () => {
  it("answers with a token of the job's claims, which the published key alone verifies", async () => {
    const { url, token } = endpoint.register(identity);
    const document = await (await fetch(`${issuer.url}/.well-known/openid-configuration`)).json();
    expect(document).toMatchObject({ issuer: issuer.url, jwks_uri: issuer.jwksUri });
    const keys = createRemoteJWKSet(new URL(issuer.jwksUri));
    const first = await tokenOf(await ask(`${url}&audience=${encodeURIComponent(AUDIENCE)}`, token));
    const { payload } = await jwtVerify(first, keys, { issuer: issuer.url, audience: AUDIENCE, algorithms: ['RS256'] });
    expect(payload).toMatchObject({
      sub: 'repo:acme/infra:ref:refs/heads/main',
      repository_owner: 'acme',
      run_id: identity.runId,
      job_workflow_ref: 'acme/infra/.github/workflows/deploy.yml@refs/heads/main',
    });
    expect(Number(payload.exp) - Number(payload.iat)).toBe(300);
    const second = decodeJwt(await tokenOf(await ask(url, token)));
    expect(second.aud).toBe('https://github.com/acme');
    expect(second.jti).not.toBe(payload.jti);
    expect(endpoint.requests.map(({ audience, status, job }) => [audience, status, job])).toEqual([
      [AUDIENCE, 200, 'deploy'],
      [undefined, 200, 'deploy'],
    ]);
    const other = await startIssuer();
    const foreign = await other.sign({ aud: AUDIENCE });
    await other.close();
    await expect(jwtVerify(foreign, keys)).rejects.toThrow('no applicable key found');
  });

  it('refuses and records what @actions/core would not send', async () => {
    const { url, token } = endpoint.register(identity);
    for (const [rule, status, send] of [
      ['id-token-authorization', 401, () => ask(url, 'someone else')],
      ['id-token-authorization', 401, () => fetch(url, { headers: { authorization: token } })],
      ['id-token-authorization', 401, () => ask(url.replace(/idtoken\/[^?]+/u, 'idtoken/x'), token)],
      ['id-token-method', 405, () => ask(url, token, { method: 'POST' })],
      ['id-token-query', 400, () => ask(url.replace(/\?.*/u, '?audience=a'), token)],
      ['id-token-query', 400, () => ask(`${url}?audience=a`, token)],
      ['id-token-query', 400, () => ask(`${url}&audience=a&audience=b`, token)],
      ['id-token-query', 400, () => ask(`${url}&scope=a`, token)],
    ] as const) {
      const response = await send();
      expect([response.status, endpoint.violations.at(-1)?.rule]).toEqual([status, rule]);
      expect(await response.text()).not.toContain('eyJ');
    }
    expect(endpoint.violations).toHaveLength(8);
  });

  it("keeps jobs' tokens apart and ends them with their job", async () => {
    const first = endpoint.register(identity);
    const second = endpoint.register(completeIdentity({ repository: 'acme/infra', job: 'other', attempt: 2 }));
    expect((await ask(first.url, second.token)).status).toBe(401);
    expect(decodeJwt(await tokenOf(await ask(second.url, second.token)))).toMatchObject({ run_attempt: '2' });
    second.revoke();
    expect((await ask(second.url, second.token)).status).toBe(401);
    expect((await ask(first.url, first.token)).status).toBe(200);
  });

  it('misbehaves as scripted, then behaves', async () => {
    const { url, token } = endpoint.register(identity);
    endpoint.faults.inject('token', { kind: 'status', status: 503 });
    endpoint.faults.inject('token', { kind: 'reset' });
    expect((await ask(url, token)).status).toBe(503);
    await expect(ask(url, token)).rejects.toThrow('fetch failed');
    expect((await ask(url, token)).status).toBe(200);
    endpoint.faults.inject('token', { kind: 'stall' });
    const patience = new AbortController();
    const stalled = fetch(url, { headers: { authorization: `Bearer ${token}` }, signal: patience.signal });
    await expect.poll(() => endpoint.requests.length, { timeout: 20_000 }).toBe(4);
    patience.abort();
    await expect(stalled).rejects.toThrow('aborted');
    expect(endpoint.violations).toEqual([]);
  });
});
