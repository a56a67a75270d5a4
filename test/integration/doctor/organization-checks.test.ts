import { expect, it } from 'vitest';
import { Redactor } from '../../../src/base/log/redactor.ts';
import { Examination } from '../../../src/cli/doctor/examination.ts';
import { poolCheck, stacksCheck } from '../../../src/cli/doctor/organization-checks.ts';
import { tokenChecks } from '../../../src/cli/doctor/token-checks.ts';
import { failing } from '../../emulators/pulumi-cloud/faults.ts';
import { configOf } from '../../support/agent/config-of.ts';
import { organization } from '../../support/agent/organization.ts';
import { never } from '../../support/cloud/cloud-http.ts';
import { ScriptedServer } from '../../support/cloud/scripted-server.ts';

const AGENT = { version: 'v2.2.0', platform: 'linux', hostname: 'ci-1', status: 'online' } as const;
const POOLS = [
  { id: 'pool-1', name: 'private', agents: [AGENT, { ...AGENT, status: 'offline' as const }] },
  { id: 'pool-2', name: 'other' },
];
const config = (pool: string, trigger = 'acme/web/dev') =>
  configOf({
    token: 'pul-1',
    access_token: 'pul-2',
    organization_name: 'acme',
    runner_pool_id: pool,
    trigger,
    operation: 'preview',
  });

it('the doctor finds the pool, its name, its agents, and whether it is the default', async () => {
  const { api } = await organization({ pools: POOLS, defaultPoolId: 'pool-1' });
  expect(await poolCheck(config('pool-1'), api, never)).toEqual({
    status: 'passed',
    detail: "private, the organization's default: 1 agent online",
  });
  expect(await poolCheck(config('pool-2'), api, never)).toEqual({
    status: 'passed',
    detail: 'other: 0 agents online',
  });
  expect(await poolCheck(config('pool-3'), api, never)).toEqual({
    status: 'warning',
    detail: 'acme shows no pool pool-3: its pools are private (pool-1), other (pool-2).',
  });
});

it('the doctor names a few pools in short, however many there are and whatever they are called', async () => {
  const many = Array.from({ length: 500 }, (_, at) => ({
    id: `pool-${at}`,
    name: `n${at}\n${'x'.repeat(10_000)}`,
  }));
  const { api } = await organization({ pools: [...POOLS.slice(0, 1), ...many.slice(2)] });
  const { detail } = await poolCheck(config('pool-3000'), api, never);
  expect(detail).toMatch(/its pools are private \(pool-1\), n2 x+… \(pool-2\), .* and 489 more\.$/);
  expect(detail.length).toBeLessThan(2_000);
  expect((await poolCheck(config('pool-9'), api, never)).detail).toMatch(/^n9 x+…: 0 agents online$/);
});

it('the doctor says what it did not check, and why', async () => {
  const { cloud, api } = await organization({ pools: POOLS });
  cloud.script({ path: /agent-pools|settings/, times: 2, answer: failing(403, 'needs agent_pool:read') });
  const refused = { status: 'unknown', detail: expect.stringMatching(/^not checked: .*agent_pool:read/) };
  expect(await poolCheck(config('pool-1'), api, never)).toEqual(refused);
  expect(await stacksCheck(config('pool-1'), api, never)).toEqual(refused);
});

it('the doctor warns of a stack with another pool, and of a paused one', async () => {
  const { cloud, api } = await organization({ pools: POOLS });
  const stack = (name: string, poolId: string, paused = false) =>
    cloud.defineStack({ project: 'web', stack: name, poolId, job: {}, paused });
  stack('dev', 'pool-1');
  stack('elsewhere', 'pool-2');
  stack('paused', 'pool-1', true);
  cloud.enqueue({ project: 'web', stack: 'paused', poolId: 'pool-1', job: {} });
  const found = (...names: string[]) =>
    stacksCheck(config('pool-1', names.map((name) => `acme/web/${name}`).join(' ')), api, never);
  expect(await found('dev', 'p*')).toMatchObject({ status: 'passed' });
  expect(await found('dev', 'elsewhere', 'paused')).toEqual({
    status: 'warning',
    detail: 'acme/web/elsewhere has the pool pool-2; acme/web/paused is paused, so its deployments wait.',
  });
  expect(await found('*')).toMatchObject({ status: 'skipped' });
});

it.each([
  [8, 'passed', /^8, which the service takes$/],
  [9, 'warning', /rejects less than 9\. Update this program/],
  [undefined, 'unknown', /does not say/],
])(
  'the doctor compares the API version with the least that the service takes, %s',
  async (minVersion, status, detail) => {
    const capabilities = [
      { capability: 'other' },
      { capability: 'api-version', configuration: { minVersion } },
    ];
    const { url: service_url } = await ScriptedServer.start(() => ({ status: 200, json: { capabilities } }));
    const redactor = new Redactor();
    const examination = new Examination(
      never,
      (text) => redactor.text(text),
      () => undefined,
    );
    const value = configOf({ token: 'pul-1', service_url });
    const checked = { config: { value }, settings: { value } };
    await tokenChecks(examination, { ...checked, environment: {}, redactor }, { value: undefined });
    expect(examination.reports.find(({ id }) => id === 'api-version')).toMatchObject({
      status,
      detail: expect.stringMatching(detail),
    });
  },
);
