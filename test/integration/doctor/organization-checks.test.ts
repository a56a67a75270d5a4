import { describe, expect, it, onTestFinished, vi } from 'vitest';
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
const SIGN_IN = { token: 'pul-1', access_token: 'pul-2', organization_name: 'acme' };
const config = (pool: string, trigger = 'acme/web/dev', more: Readonly<Record<string, string>> = {}) =>
  configOf({ ...SIGN_IN, runner_pool_id: pool, trigger, operation: 'preview', ...more });

it('the doctor finds the pool, its name, its agents, and whether it is the default', async () => {
  const { api } = await organization({ pools: POOLS, defaultPoolId: 'pool-1' });
  expect(await poolCheck(config('pool-1'), api, never)).toEqual({
    status: 'passed',
    detail: "private, the organization's default: 1 agent online (ci-1)",
  });
  expect(await poolCheck(config('pool-2'), api, never)).toEqual({
    status: 'passed',
    detail: 'other: 0 agents online',
  });
  expect(await poolCheck(config('pool-3'), api, never)).toEqual({
    status: 'warning',
    detail: 'this access token sees no pool pool-3 in acme: its pools are private (pool-1), other (pool-2).',
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

it('the doctor names a few agents in short, however many there are and whatever they are called', async () => {
  const odd = ['\u001b[31mci\n::error::1', '\u200b', 'x'.repeat(10_000)];
  const hostnames = [...odd, ...Array.from({ length: 500 }, (_, at) => `ci-${at}`)];
  const agents = hostnames.map((hostname) => ({ ...AGENT, hostname }));
  const { api } = await organization({ pools: [{ id: 'pool-1', name: 'private', agents }] });
  const { detail } = await poolCheck(config('pool-1'), api, never);
  expect(detail).toMatch(
    /^private: 503 agents online \(ci ::error::1, unnamed, x{99}…, ci-0, .*, ci-6 and 493 more\)$/,
  );
  expect(detail.length).toBeLessThan(300);
});

it('the doctor asks about the pool without trigger, and says why it could not', async () => {
  const { api } = await organization({ pools: POOLS });
  const idle = (more: object) => configOf({ token: 'pul-1', access_token: 'pul-2', ...more });
  const pool = { runner_pool_id: 'pool-1' };
  expect(await poolCheck(idle({ ...pool, organization_name: 'acme' }), api, never)).toMatchObject({
    status: 'passed',
  });
  expect(await poolCheck(idle({ organization_name: 'acme' }), api, never)).toEqual({
    status: 'skipped',
    detail: 'no runner_pool_id is configured',
  });
  expect(await poolCheck(idle(pool), api, never)).toEqual({
    status: 'skipped',
    detail: 'no organization_name is configured',
  });
});

it('the doctor gives up on what a run does not need, and fails nothing', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { api } = await organization({ pools: POOLS });
  const silent = new Promise<never>(() => undefined);
  vi.spyOn(api, 'pool').mockReturnValue(silent);
  vi.spyOn(api, 'poolOf').mockReturnValue(silent);
  for (const [check, what] of [
    [poolCheck, ''],
    [stacksCheck, 'acme/web/dev: '],
  ] as const) {
    const found = check(config('pool-1'), api, never);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await found).toEqual({ status: 'unknown', detail: `not checked: ${what}no answer within 15 s` });
  }
});

it('the doctor keeps the warnings that it found before its time was up, and names the stacks that are left', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { api } = await organization({ pools: POOLS });
  const silent = new Promise<never>(() => undefined);
  const pools: Readonly<Record<string, Promise<string | undefined>>> = {
    a: Promise.resolve('pool-2'),
    unnamed: Promise.resolve(undefined),
  };
  vi.spyOn(api, 'poolOf').mockImplementation(({ stack }) => pools[stack] ?? silent);
  vi.spyOn(api, 'pauseOf').mockResolvedValue({ stackPaused: false, organizationPaused: false });
  const trigger = 'acme/web/a acme/web/unnamed acme/web/c acme/web/d';
  const found = stacksCheck(config('pool-1', trigger), api, never);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(await found).toEqual({
    status: 'warning',
    detail:
      'acme/web/a has the pool pool-2. Not checked: acme/web/unnamed, acme/web/c, acme/web/d: no answer within 15 s',
  });
});

it('the doctor says what it did not check, and why', async () => {
  const { cloud, api } = await organization({ pools: POOLS });
  cloud.defineStack({ project: 'web', stack: 'dev', poolId: 'pool-1', job: {} });
  const refusing = (path: RegExp, right: string) =>
    cloud.script({ path, answer: failing(403, `needs ${right}`) });
  const refused = (right: string) => ({
    status: 'unknown',
    detail: expect.stringMatching(`^not checked: [^;]*: HTTP 403 needs ${right}`),
  });
  refusing(/agent-pools/, 'agent_pool:read');
  expect(await poolCheck(config('pool-1'), api, never)).toEqual(refused('agent_pool:read'));
  refusing(/settings/, 'stack_deployment_settings:read');
  expect(await stacksCheck(config('pool-1'), api, never)).toEqual(refused('stack_deployment_settings:read'));
  refusing(/metadata/, 'stack:read');
  expect(await stacksCheck(config('pool-1'), api, never)).toEqual(refused('stack:read'));
  cloud.script({ path: /metadata/, answer: { status: 200, body: { paused: false } } });
  expect((await stacksCheck(config('pool-1'), api, never)).detail).toMatch(
    /^not checked: Failed to read the stack's pause for acme\/web\/dev: the answer is not as Pulumi documents it/,
  );
});

it('the doctor warns of a stack with another pool, and of a paused one', async () => {
  const { cloud, api } = await organization({ pools: POOLS });
  const stack = (name: string, poolId: string, paused = false) =>
    cloud.defineStack({ project: 'web', stack: name, poolId, job: {}, paused });
  stack('dev', 'pool-1');
  stack('elsewhere', 'pool-2');
  stack('paused', 'pool-1', true);
  const found = (...names: string[]) =>
    stacksCheck(config('pool-1', names.map((name) => `acme/web/${name}`).join(' ')), api, never);
  expect(await found('dev', 'p*')).toEqual({
    status: 'passed',
    detail: '1 stack with this pool, none paused',
  });
  expect(await found('dev', 'elsewhere', 'paused')).toEqual({
    status: 'warning',
    detail: 'acme/web/elsewhere has the pool pool-2; acme/web/paused is paused, so its deployments wait.',
  });
  expect(await found('*')).toMatchObject({ status: 'skipped' });
  const many = Array.from({ length: 12 }, (_, at) => `s${at}`);
  for (const name of many) stack(name, 'pool-1');
  expect(await found(...many)).toEqual({
    status: 'passed',
    detail: 'the first 10 stacks of 12 with this pool, none paused',
  });
});

describe('the doctor warns of a stack that names no pool', () => {
  const found = async (defaultPoolId?: string, more = {}) => {
    const { cloud, api } = await organization({ pools: POOLS, defaultPoolId });
    for (const stack of ['a', 'b']) cloud.defineStack({ project: 'web', stack, job: {} });
    return { cloud, check: () => stacksCheck(config('pool-1', 'acme/web/a acme/web/b', more), api, never) };
  };

  it('unless its pool is the organization’s default', async () => {
    const { cloud, check } = await found('pool-1');
    expect(await check()).toEqual({ status: 'passed', detail: '2 stacks with this pool, none paused' });
    expect(cloud.requests.filter(({ path }) => path.endsWith('/agent-pools'))).toHaveLength(1);
  });

  it.each([
    ['pool-2', "the organization's default pool, other (pool-2)"],
    [undefined, "Pulumi's hosted runners, as acme has no default pool"],
  ])('with the default pool %s', async (defaultPoolId, where) => {
    expect(await (await found(defaultPoolId)).check()).toEqual({
      status: 'warning',
      detail: `the settings of acme/web/a, acme/web/b name no pool, so their deployments go to ${where}.`,
    });
  });

  it('and says that it can’t tell, where it must not see the default', async () => {
    const { cloud, check } = await found('pool-1');
    cloud.script({ path: /agent-pools/, answer: failing(403, 'needs agent_pool:read') });
    expect(await check()).toEqual({
      status: 'unknown',
      detail: expect.stringMatching(
        /^not checked: the settings of acme\/web\/a, acme\/web\/b name no pool, so their deployments go to the organization's default, which may be another: Failed to find the default pool for acme: HTTP 403 needs agent_pool:read/,
      ),
    });
  });

  it('but not where trigger_settings name the pool', async () => {
    const settings = (pool: string | null) => ({ trigger_settings: JSON.stringify({ AgentPoolId: pool }) });
    expect(await (await found('pool-2', settings('pool-1'))).check()).toMatchObject({ status: 'passed' });
    expect(await (await found('pool-1', settings('pool-2'))).check()).toEqual({
      status: 'warning',
      detail: 'trigger_settings sends the deployments to another pool.',
    });
    expect(await (await found('pool-1', settings(null))).check()).toEqual({
      status: 'warning',
      detail: "trigger_settings sends the deployments to Pulumi's hosted runners.",
    });
  });
});

it('the doctor keeps its warnings where a part can’t be checked', async () => {
  const { cloud, api } = await organization({ pools: POOLS, paused: true });
  for (const stack of ['a', 'b']) cloud.defineStack({ project: 'web', stack, poolId: 'pool-2', job: {} });
  cloud.script({ path: /a\/deployments\/settings/, answer: failing(403, 'no') });
  const trigger = 'acme/web/a acme/web/b';
  expect(await stacksCheck(config('pool-1', trigger), api, never)).toEqual({
    status: 'warning',
    detail: expect.stringMatching(
      /^the deployments of acme are paused, so they wait; acme\/web\/b has the pool pool-2\. Not checked: Failed to read the stack's settings for acme\/web\/a: HTTP 403 no/,
    ),
  });
  expect(await stacksCheck(configOf({ ...SIGN_IN, trigger, operation: 'preview' }), api, never)).toEqual({
    status: 'warning',
    detail:
      'the deployments of acme are paused, so they wait. Not checked: the pools: no runner_pool_id is configured',
  });
});

it.each([
  [8, 'passed', /^8, which the service takes$/],
  [9, 'warning', /rejects versions before 9\. Update this program/],
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
