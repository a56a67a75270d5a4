import { generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { expect, it } from 'vitest';
import type { Policy } from '../../emulators/pulumi-cloud/exchange.ts';
import { ModelScene } from '../../support/emulators/model-calls.ts';
import { faultsOf } from '../../support/pulumi-types/types.ts';

const ISSUER = 'https://issuer.test';
const AUDIENCE = 'urn:pulumi:org:acme';
const TYPE = 'urn:pulumi:token-type:access_token:';
const ALLOW: Policy = {
  decision: 'allow',
  tokenType: 'runner',
  runnerID: 'pool-1',
  rules: { aud: AUDIENCE, sub: 'repo:acme/w.b:*' },
};

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
// Without `alg`, so that only the exchange itself insists on RS256.
const jwks = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig' }] });
const jwksUrl = `data:application/json,${encodeURIComponent(jwks)}`;

function started() {
  const pools = ['pool-1', 'pool-2'].map((id) => ({ id, name: `name of ${id}` }));
  const scene = new ModelScene({ pools });
  scene.cloud.registerIssuer({ issuer: ISSUER, jwksUrl, policies: [ALLOW] });
  /** An ID token like GitHub's, valid for 5 minutes. */
  const idToken = (claims: object = {}) => {
    const iat = Math.floor(scene.now / 1000);
    return new SignJWT({
      iss: ISSUER,
      aud: AUDIENCE,
      sub: 'repo:acme/w.b:ref:main',
      iat,
      exp: iat + 300,
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .sign(privateKey);
  };
  const parameters = async (changes: object = {}) => ({
    audience: AUDIENCE,
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    requested_token_type: `${TYPE}runner`,
    scope: 'runner:pool-1',
    subject_token: await idToken(),
    ...changes,
  });
  const post = (body: unknown, headers = {}) => scene.call('POST', '/api/oauth/token', '', body, headers);
  const exchange = async (changes: object = {}) => post(await parameters(changes));
  return { scene, idToken, parameters, post, exchange };
}

it('the exchange obeys the policies, whose rules are literal except for the asterisk', async () => {
  const { idToken, exchange } = started();
  const ask = async (sub: string) => (await exchange({ subject_token: await idToken({ sub }) })).status;
  expect(await ask('repo:acme/w.b:ref:x')).toBe(200);
  expect(faultsOf('TokenExchangeGrantResponse', (await exchange()).body)).toEqual([]);
  expect(await ask('repo:acme/web:ref:x')).toBe(403);
  expect(await ask('a repo:acme/w.b:ref:x')).toBe(403);
  expect((await exchange({ scope: 'runner:pool-2' })).status).toBe(403);
});

it('the exchange records a violation for what the protocol rules out, without the token', async () => {
  const { scene, parameters, post, exchange } = started();
  for (const changes of [
    { audience: 'urn:pulumi:org:other' },
    { grant_type: 'refresh_token' },
    { subject_token_type: 'urn:ietf:params:oauth:token-type:jwt' },
    { requested_token_type: `${TYPE}organization` },
    { scope: 'admin' },
    { scope: undefined },
    { expiration: '1h' },
    { client_id: 'x' },
  ])
    await scene.violates(/the body is not what the protocol shows/, () => exchange(changes));
  const given = await parameters();
  await scene.violates(/no Authorization/, () =>
    scene.call('POST', '/api/oauth/token', scene.cloud.userToken, given),
  );
  await scene.violates(/not JSON/, () => post(JSON.stringify(given).slice(0, -1)));
  expect(JSON.stringify([scene.cloud.requests, scene.cloud.violations])).not.toContain('eyJ');
});
