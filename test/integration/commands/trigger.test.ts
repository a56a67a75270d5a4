import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planReportSchema, triggerReportSchema } from '../../../src/record/plan-report.ts';
import { type Issuer, startIssuer } from '../../emulators/github/issuer.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { AUDIENCE, signedIdToken, tokenFile, trust } from '../../support/cloud/id-token.ts';
import { here, run, start } from '../doctor/command.ts';

const JOB = { steps: [{ name: 'Setup' }, { name: 'pulumi refresh', run: 'true' }] };
/** Settings whose secrets all contain `hunter22`. */
const SETTINGS = {
  sourceContext: { git: { branch: 'feature', gitAuth: { accessToken: { secret: 'hunter22-git' } } } },
  operationContext: {
    environmentVariables: { PLAIN: 'hunter22-variable', MARKED: { secret: 'hunter22-marked' } },
    preRunCommands: ['make'],
    options: { skipInstallDependencies: true },
  },
  executorContext: { executorImage: { reference: 'acme/image:1' } },
  cacheOptions: { enable: true },
};
const STACKS = ['web/prod', 'web/dev', 'api/prod'];

let cloud: PulumiCloud;
let issuer: Issuer;
beforeEach(async () => {
  const pools = [
    { id: 'pool-1', name: 'one' },
    { id: 'pool-2', name: 'two' },
  ];
  [cloud, issuer] = await Promise.all([PulumiCloud.start({ pools }), startIssuer()]);
  for (const path of STACKS) {
    const [project = '', stack = ''] = path.split('/');
    cloud.defineStack({ project, stack, poolId: 'pool-1', job: JOB });
  }
  cloud.defineStack({ project: 'hosted', stack: 'prod', poolId: 'pool-2', job: JOB });
  trust(cloud, issuer, { decision: 'allow', tokenType: 'organization', rules: { aud: AUDIENCE } });
});
afterEach(async () => {
  expect(cloud.requests.filter(({ path }) => path.endsWith('/poll'))).toEqual([]);
  await Promise.all([cloud.stop(), issuer.close()]);
});

const withToken = () => ({
  PULUMI_AGENT_SERVICE_URL: cloud.url,
  PULUMI_AGENT_ACCESS_TOKEN: cloud.createOrganizationToken(),
});

const withIdToken = async () => ({
  PULUMI_AGENT_SERVICE_URL: cloud.url,
  PULUMI_AGENT_OIDC_TOKEN_FILE: await tokenFile(await signedIdToken(issuer, { sub: 'repo:acme/web:main' })),
  PULUMI_AGENT_ORGANIZATION_NAME: 'acme',
  PULUMI_AGENT_RUNNER_POOL_ID: 'pool-1',
});

describe('trigger', () => {
  it('starts a deployment of each stack, without a pool and without Docker', async () => {
    const args = ['trigger', 'acme/*/prod', 'acme/web/dev', '--operation', 'detect-drift', '--json'];
    const { code, stdout } = await here(args, { environment: withToken() });
    const report = triggerReportSchema.strict().parse(JSON.parse(stdout));
    expect({ code, exitCode: report.exitCode, outcome: report.outcome }).toEqual({
      code: 0,
      exitCode: 0,
      outcome: 'succeeded',
    });
    expect(report.message).toBe('4 deployments were started.');
    expect(report.started.map(({ stack }) => stack).sort()).toEqual([
      'acme/api/prod',
      'acme/hosted/prod',
      'acme/web/dev',
      'acme/web/prod',
    ]);
    expect(new Set(cloud.deployments.map(({ operation }) => operation))).toEqual(new Set(['detect-drift']));
  });

  it('takes everything from the configuration, and exchanges the ID token for an access token', async () => {
    const environment = {
      ...(await withIdToken()),
      PULUMI_AGENT_TRIGGER: 'acme/web/*',
      PULUMI_AGENT_OPERATION: 'refresh',
      PULUMI_AGENT_TRIGGER_JITTER: '100ms',
    };
    const { code, stdout } = await here(['trigger'], { environment });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(cloud.deployments.map(({ stack }) => stack).sort()).toEqual(['dev', 'prod']);
    const exchanges = cloud.requests.filter(({ path }) => path === '/api/oauth/token');
    expect(exchanges.map(({ status }) => status)).toEqual([200]);
  });

  it('sends the settings of the started deployments as they are, and shows no secret of them', async () => {
    const environment = { ...withToken(), PULUMI_AGENT_TRIGGER_SETTINGS: JSON.stringify(SETTINGS) };
    const args = ['trigger', 'acme/web/*', '--operation', 'preview', '--json', '--log-level', 'debug'];
    const started = await run(args, { environment });
    expect(started.code, started.stderr).toBe(0);
    expect(cloud.deployments.map(({ operation, settings }) => ({ operation, settings }))).toEqual([
      { operation: 'preview', settings: SETTINGS },
      { operation: 'preview', settings: SETTINGS },
    ]);

    const message = 'no such variable: hunter22-variable, hunter22-marked';
    const answer = { status: 400, body: { code: 400, message } };
    cloud.script({ method: 'POST', path: /deployments$/, times: 2, answer });
    const refused = await run(args, { environment });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/no such variable: \*\*\*, \*\*\*.* Check trigger_settings too\./);
    for (const text of [started, refused].flatMap(({ stdout, stderr }) => [stdout, stderr]))
      expect(text).not.toContain('hunter22');
  });

  it('shows nothing of settings that it refuses', async () => {
    const environment = {
      ...withToken(),
      PULUMI_AGENT_TRIGGER_SETTINGS: 'operationContext: {environmentVariables: {TOKEN: hunter22',
    };
    const { code, stdout, stderr } = await here(['trigger', 'acme/web/dev', '--operation', 'preview'], {
      environment,
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('PULUMI_AGENT_TRIGGER_SETTINGS is not valid at line 1, column ');
    expect(stderr).not.toContain('hunter22');
  });

  it('ends at once when it is interrupted while it spreads its starts', async () => {
    const args = ['trigger', 'acme/*/prod', '--operation', 'preview', '--trigger-jitter', '500h', '--json'];
    const { child, ended } = await start(args, { environment: withToken() });
    // By then the stacks are chosen, and only start times within 500 hours are left to wait for.
    await new Promise<void>((resolve) => {
      child.stderr?.on('data', (text: unknown) => {
        if (String(text).includes('Starting preview of')) resolve();
      });
    });
    child.kill('SIGTERM');
    const { code, stdout } = await ended;
    expect({ code, outcome: JSON.parse(stdout).outcome }).toEqual({ code: 7, outcome: 'interrupted' });
    expect(cloud.deployments).toEqual([]);
  });
});

describe('plan', () => {
  const enqueue = (stack: string, poolId = 'pool-1') =>
    cloud.enqueue({ project: 'queue', stack, poolId, job: JOB, operation: 'update' });

  async function planned(args: string[] = [], more: Record<string, string> = {}) {
    const environment = { ...(await withIdToken()), ...more };
    const { code, stdout, stderr } = await here(['plan', ...args], { environment });
    return { stderr, ...planReportSchema.strict().parse(JSON.parse(stdout)), code };
  }

  it('counts what it starts, and says what is started for another pool', async () => {
    enqueue('older');
    enqueue('elsewhere', 'pool-2');
    const report = await planned(['--trigger', 'acme/*/prod', '--operation', 'detect-drift'], {
      PULUMI_AGENT_TRIGGER_SETTINGS: 'sourceContext: {git: {commit: 0123abc}}',
    });
    expect(report).toMatchObject({
      code: 0,
      queued: 3,
      count: 3,
      matrix: { include: [{ index: 0 }, { index: 1 }, { index: 2 }] },
      message: '3 deployments wait for pool pool-1: 3 jobs are planned.',
    });
    expect(report.started).toHaveLength(3);
    expect(cloud.deployments.slice(2).map(({ settings }) => settings)).toEqual(
      Array(3).fill({ sourceContext: { git: { commit: '0123abc' } } }),
    );
    expect(report.notices).toEqual([
      "The deployment of acme/hosted/prod is not for pool pool-1: choose it in the stack's Settings → Deploy, as Deployment runner pool.",
    ]);
  });

  it('prints a report without jobs when it fails', async () => {
    cloud.script({
      method: 'GET',
      path: /orgs\/acme\/deployments$/,
      times: 9,
      answer: { status: 403, body: { code: 403, message: 'no' } },
    });
    expect(await planned()).toMatchObject({
      code: 3,
      outcome: 'auth-error',
      count: 0,
      matrix: { include: [] },
      message: expect.stringContaining("a pool's token can't"),
      stderr: expect.stringContaining("a pool's token can't"),
    });
  });
});
