import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PoolApi } from '../../../src/cloud/deployments.ts';
import { OidcToken } from '../../../src/cloud/token-exchange.ts';
import { PulumiCloud, type PulumiCloudOptions } from '../../emulators/pulumi-cloud/server.ts';
import { cloudHttp, never } from '../../support/cloud/cloud-http.ts';
import { tokenFile } from '../../support/cloud/id-token.ts';

const AUDIENCE = 'urn:pulumi:org:acme';
const ISSUER = 'https://issuer.example';
const SUB = 'repo:acme/web:ref:refs/heads/main';

/** A cloud that trusts an issuer, a fresh ID token in a file, and a pool's calls that use it. */
async function trusted(options: PulumiCloudOptions = {}, rules: Record<string, string> = { sub: 'repo:acme/web:*' }) {
  const at = { ms: Date.now() };
  const cloud = await PulumiCloud.start({ clock: () => at.ms, ...options });
  onTestFinished(() => cloud.stop());
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  cloud.registerIssuer({
    issuer: ISSUER,
    jwks: { keys: [{ ...(await exportJWK(publicKey)), alg: 'RS256', kid: 'k' }] },
    policies: [{ decision: 'allow', tokenType: 'runner', runnerID: 'pool-1', rules: { aud: AUDIENCE, ...rules } }],
  });
  const idToken = await new SignJWT({ sub: SUB })
    .setProtectedHeader({ alg: 'RS256', kid: 'k' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setExpirationTime(new Date(at.ms + 24 * 3_600_000))
    .sign(privateKey);
  const http = cloudHttp(cloud.url, { now: () => at.ms });
  const tokens = new OidcToken({
    http,
    tokenFile: await tokenFile(idToken),
    organization: 'acme',
    poolId: 'pool-1',
    poolName: 'default',
    clock: { now: () => at.ms, steady: () => at.ms },
    onSecret: () => undefined,
  });
  return { at, cloud, tokens, pool: new PoolApi(http, tokens), idToken };
}

const JOB = { steps: [{ name: 'Setup', run: '' }] };

describe('a pool that is used by way of OIDC', () => {
  it('is greeted, polled, acknowledged and watched without a violation', async () => {
    const { cloud, pool } = await trusted();
    await pool.bootstrap(never);
    expect(await pool.poll(never, never)).toEqual({});
    const deployment = cloud.enqueue({
      project: 'web',
      stack: 'dev',
      poolId: 'pool-1',
      job: JOB,
      oidcToken: 'eyJ.job',
    });
    const { claim } = await pool.poll(never, never);
    expect(claim).toMatchObject({ deploymentId: deployment.id, jobId: deployment.jobId, oidcToken: 'eyJ.job' });
    await pool.acknowledge(claim!, never);
    expect(deployment.acknowledged).toBe(true);
    expect(await pool.state(deployment.id, never)).toBe('accepted');
    cloud.cancel(deployment.id);
    expect(await pool.state(deployment.id, never)).toBe('failed');
    expect(cloud.requests.filter(({ path }) => path === '/api/oauth/token')).toHaveLength(1);
  });

  it('is known by its name where the ID is not', async () => {
    const { pool } = await trusted({ acceptPoolId: false, acceptPoolName: true });
    expect(await pool.poll(never, never)).toEqual({});
  });

  it('gets another token before the first expires, and after one was taken away', async () => {
    const { at, cloud, pool } = await trusted({ tokenLifetimeSeconds: 600 });
    await pool.poll(never, never);
    at.ms += 541_000;
    await pool.poll(never, never);
    expect(cloud.requests.map(({ status }) => status)).toEqual([200, 204, 200, 204]);
    cloud.script({ method: 'GET', path: /poll/, answer: { status: 401, body: { code: 401, message: 'revoked' } } });
    expect(await pool.poll(never, never)).toEqual({});
    expect(new Set(cloud.requests.map(({ tokenId }) => tokenId)).size).toBe(4);
  });

  it('says what the policy lacks, and not the token', async () => {
    const { pool, idToken } = await trusted({}, { sub: 'repo:acme/other:*' });
    const failure = await pool.poll(never, never).catch((error) => error);
    expect(failure.outcome).toBe('auth-error');
    expect(failure.message).toContain(`iss=${ISSUER}, aud=${AUDIENCE}, sub=${SUB}`);
    expect(failure.message).toContain('no policy allows a runner token for pool pool-1');
    expect(failure.message).not.toContain(idToken.slice(0, 20));
  });
});
