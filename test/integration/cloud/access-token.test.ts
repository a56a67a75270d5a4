import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accessTokenSource, hasAccessToken, tokenSource } from '../../../src/agent/connection.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { defined } from '../../../src/base/defined.ts';
import { Redactor } from '../../../src/base/log/redactor.ts';
import { OrganizationApi } from '../../../src/cloud/organization-api.ts';
import { ORGANIZATION, StaticToken } from '../../../src/cloud/token.ts';
import { ExchangedAccessToken } from '../../../src/cloud/token-exchange.ts';
import { type Issuer, startIssuer } from '../../emulators/github/issuer.ts';
import type { Policy } from '../../emulators/pulumi-cloud/exchange.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { configOf } from '../../support/agent/config-of.ts';
import { cloudHttp, never } from '../../support/cloud/cloud-http.ts';
import { AUDIENCE, signedIdToken, tokenFile, trust } from '../../support/cloud/id-token.ts';

const RULES = { aud: AUDIENCE, sub: 'repo:acme/web:*' };

let cloud: PulumiCloud;
let issuer: Issuer;
beforeEach(async () => {
  [cloud, issuer] = await Promise.all([PulumiCloud.start(), startIssuer()]);
});
afterEach(async () => {
  await Promise.all([cloud.stop(), issuer.close()]);
});

async function exchanged(policy: Policy, scope?: string) {
  trust(cloud, issuer, policy);
  const idToken = await signedIdToken(issuer, { sub: 'repo:acme/web:ref:refs/heads/main' });
  const secrets: string[] = [];
  const http = cloudHttp(cloud.url);
  const file = await tokenFile(idToken);
  const tokens = new ExchangedAccessToken({
    http,
    tokenFile: file,
    organization: 'acme',
    audience: 'urn:pulumi:org:acme',
    ...defined({ scope }),
    clock: systemClock,
    onSecret: (secret) => secrets.push(secret),
  });
  return { tokens, api: new OrganizationApi(http, tokens), secrets, idToken, file };
}

describe.each([
  [undefined, { tokenType: 'organization' }, 'tokenType: organization'],
  [
    'admin',
    { tokenType: 'organization', authorizedPermissions: ['admin'] },
    'tokenType: organization, authorizedPermissions: [admin]',
  ],
  ['team:platform', { tokenType: 'team', teamName: 'platform' }, 'tokenType: team, teamName: platform'],
  ['user:jane', { tokenType: 'personal', userLogin: 'jane' }, 'tokenType: personal, userLogin: jane'],
] as const)('an ID token is exchanged for the access token of scope %s', (scope, policy, told) => {
  it('when a policy allows it', async () => {
    const { tokens, api, secrets, idToken } = await exchanged(
      { decision: 'allow', rules: RULES, ...policy },
      scope,
    );
    expect(await api.load('acme', never)).toMatchObject({ paused: false });
    const token = await tokens.get(never);
    expect(secrets).toEqual([idToken, token]);
    expect(cloud.requests.filter(({ path }) => path === '/api/oauth/token')).toHaveLength(1);
  });

  it('only when a policy allows it, and a refusal shows the policy to add', async () => {
    const other = { decision: 'allow', rules: RULES, tokenType: 'runner', runnerID: 'p' } as const;
    const { tokens, idToken } = await exchanged(other, scope);
    const error = await tokens.get(never).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ outcome: 'auth-error' });
    const { message } = error as Error;
    expect(message).toContain(
      'Failed to exchange the ID token for an access token of acme: HTTP 403 no policy allows',
    );
    expect(message).toContain(
      `under Settings → Access Management → OIDC Issuers, register that issuer and add a second policy beside the pool's: {decision: allow, ${told}, rules: {aud: urn:pulumi:org:acme, sub: repo:acme/web:ref:refs/heads/main}}`,
    );
    expect(message).not.toContain(idToken);
  });
});

it.each([
  ['pool', tokenSource, { tokenType: 'runner', runnerID: 'pool-1' }],
  ['access', accessTokenSource, { tokenType: 'organization' }],
] as const)(
  'the agent hides the %s token and the ID token that it comes from',
  async (_, sourceOf, policy) => {
    const { idToken, file } = await exchanged({ decision: 'allow', rules: RULES, ...policy });
    const config = configOf({ organization_name: 'acme', runner_pool_id: 'pool-1', oidc_token_file: file });
    const redactor = new Redactor();
    const token = await sourceOf(config, cloudHttp(cloud.url), redactor).get(never);
    expect(redactor.text(`${idToken} ${token}`)).toBe('*** ***');
  },
);

it('deployments are read only where a run has an access token anyway', () => {
  const config = { organization_name: 'acme', runner_pool_id: 'pool-1', oidc_token_file: '/token' };
  const started = { trigger: 'acme/web/dev', operation: 'preview' };
  const known = [config, { ...config, ...started }, { ...config, access_token: 'pul-1' }].map((each) =>
    configOf(each),
  );
  expect(known.map((each) => hasAccessToken(each))).toEqual([false, true, true]);
});

it('odd values in what Pulumi Cloud says about deployments are tolerated', async () => {
  const api = new OrganizationApi(cloudHttp(cloud.url), new StaticToken(cloud.userToken, ORGANIZATION));
  const deployments = [
    { id: 'a', status: 'not-started', created: '2026-06-18 10:00:00.000', agentPool: null },
    {
      id: 'b',
      status: 'running',
      created: '2026-06-18T12:00:00+02:00',
      agentPool: { id: 'p' },
      version: 'odd',
    },
    { id: 'c', status: 'odd', created: 'yesterday' },
    { status: 'running' },
    'nonsense',
  ];
  cloud.script({ method: 'GET', path: /deployments$/, answer: { status: 200, body: { deployments } } });
  const page = await api.deployments('acme', 1, never);
  expect(page.deployments.map(({ id, createdAt, poolId }) => [id, createdAt, poolId])).toEqual([
    ['a', Date.UTC(2026, 5, 18, 10), undefined],
    ['b', Date.UTC(2026, 5, 18, 10), 'p'],
    ['c', Number.NaN, undefined],
  ]);
  expect(Math.abs((page.serverTime ?? 0) - Date.now())).toBeLessThan(60_000);
  cloud.script({
    method: 'GET',
    path: /metadata$/,
    answer: { status: 200, body: { concurrency: 'many', deploymentCounts: { running: 2 } } },
  });
  expect(await api.load('acme', never)).toEqual({
    paused: false,
    concurrency: undefined,
    busy: 2,
    queued: undefined,
  });
});
