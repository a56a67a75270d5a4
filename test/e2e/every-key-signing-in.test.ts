import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { CALLS } from '../emulators/pulumi-cloud/faults.ts';
import { AUDIENCE, trust } from '../support/cloud/id-token.ts';
import { bridgeAddress } from '../support/docker/bridge-address.ts';
import { gaps, POLL, useConfiguredAgent } from '../support/e2e/configured-agent.ts';
import { FILES } from '../support/e2e/key-settings.ts';
import { definition, POOL } from '../support/e2e/stage.ts';

const agent = useConfiguredAgent();
const { stage } = agent;

describe('the keys for', () => {
  it('signing in and waiting take effect', async () => {
    await agent.writeIdToken();
    const answer = { status: 204, headers: { 'retry-after': '60' } };
    stage.cloud.script({ path: CALLS.poll, times: Number.POSITIVE_INFINITY, answer });
    const started = Date.now();
    const { ended } = await agent.start(FILES.signIn);
    const { code, stderr } = await ended;

    // fail_on_no_work, single_run, max_wait
    expect(code, stderr).toBe(75);
    expect(Date.now() - started).toBeGreaterThan(4_000);
    // oidc_token_file, oidc_scope, oidc_audience, token_expiration
    expect(agent.exchanges()).toEqual([
      expect.objectContaining({
        scope: `runner:${POOL.id}`,
        audience: 'urn:pulumi:org:acme',
        subject_token: await readFile(join(agent.home, 'id-token'), 'utf8'),
      }),
    ]);
    expect(Number(agent.exchanges()[0]?.['expiration'])).toBe(3_000);
    // polling_interval despite Retry-After, due to polling_interval_override; the last poll is at the end of max_wait
    const polls = gaps(agent.asked(POLL));
    expect(polls.length).toBeGreaterThanOrEqual(2);
    for (const gap of polls.slice(0, -1)) expect(gap).toBeGreaterThan(450);
    // run_directory
    expect(await agent.result()).toMatchObject({ outcome: 'no-work', exitCode: 75 });
    // log_format
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: string; message: string });
    const said = lines.map(({ message }) => message).join('\n');
    // working_directory, shared_volume_directory, version
    // enabled_workflow_types: its default would log a notice
    expect(said).not.toContain('enabled_workflow_types');
    for (const key of ['working_directory', 'shared_volume_directory', 'version'])
      expect(said).toMatch(new RegExp(`^${key} \\(.*pulumi-workflow-agent\\.yaml:\\d+\\) .*no effect`, 'm'));
    expect(agent.asked().filter(({ path }) => path.includes('/lease/'))).toEqual([]);
  });

  it('a pool known only by name, at a remote address without https, take effect', async () => {
    await stage.reopen({ poolsByName: true, host: bridgeAddress() });
    await agent.writeIdToken();
    const { ended } = await agent.start(FILES.byName);
    const { code, stderr } = await ended;
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/service_url \(.*\) is not https: tokens cross the network unencrypted/);
    // organization_name, runner_pool_id, runner_pool_name
    expect(agent.exchanges().map(({ audience, scope }) => [audience, scope])).toEqual([
      ['urn:pulumi:org:acme', `runner:${POOL.id}`],
      ['urn:pulumi:org:acme', `runner:${POOL.name}`],
    ]);
    expect(agent.asked(POLL)).toHaveLength(1); // max_wait: 0s
    expect(await agent.result()).toMatchObject({ outcome: 'no-work' });
  });

  it('starting deployments and planning jobs for them take effect', async () => {
    const policy = {
      decision: 'allow',
      tokenType: 'team',
      teamName: 'platform',
      rules: { aud: AUDIENCE },
    } as const;
    trust(stage.cloud, stage.github.issuer, policy);
    for (const name of ['web/prod', 'web/dev', 'api/prod', 'api/dev']) {
      const [project = '', stack = ''] = name.split('/');
      stage.cloud.defineStack({ project, stack, poolId: POOL.id, job: definition({}) });
    }
    await agent.writeIdToken();
    const planned = await (await agent.start(FILES.planned, { command: 'plan' })).ended;
    expect(planned.code, planned.stderr).toBe(0);
    // access_token_scope
    expect(agent.exchanges().map(({ requested_token_type: type, scope }) => [type, scope])).toEqual([
      ['urn:pulumi:token-type:access_token:team', 'team:platform'],
    ]);
    // trigger, operation, trigger_jitter
    expect(stage.cloud.deployments.map(({ project, stack }) => `${project}/${stack}`).sort()).toEqual([
      'api/prod',
      'web/dev',
      'web/prod',
    ]);
    expect(new Set(stage.cloud.deployments.map(({ operation }) => operation))).toEqual(new Set(['refresh']));
    expect(planned.stderr).toContain('Starting refresh of 3 stacks, spread over 300ms.');
    // plan_max
    expect(JSON.parse(planned.stdout)).toMatchObject({ queued: 3, count: 2 });

    const token = stage.cloud.createOrganizationToken();
    const triggered = await (await agent.start(FILES.triggered, { command: 'trigger', token })).ended;
    expect(triggered.code, triggered.stderr).toBe(0);
    // access_token
    expect(agent.exchanges()).toEqual([]);
    // trigger_settings
    expect(stage.cloud.deployments.at(-1)).toMatchObject({
      stack: 'dev',
      operation: 'preview',
      settings: { sourceContext: { git: { commit: '0123456' } }, cacheOptions: { enable: true } },
    });
    expect(triggered.stderr).not.toContain(token);
  });

  it('started deployments that stay unclaimed take effect', async () => {
    const { cloud } = stage;
    cloud.script({ path: CALLS.poll, times: Number.POSITIVE_INFINITY, answer: { status: 204 } });
    cloud.defineStack({ project: 'web', stack: 'dev', poolId: POOL.id, job: definition({}) });
    const environment = { PULUMI_AGENT_ACCESS_TOKEN: cloud.createOrganizationToken() };
    const { code, stderr } = await (await agent.start(FILES.followed, { environment })).ended;
    expect(code, stderr).toBe(1);
    // trigger_timeout
    expect((await agent.result()).message).toContain(
      'trigger_timeout (4s) has expired: acme/web/dev still waits',
    );
    expect(cloud.deployments.map(({ status }) => status)).toEqual(['not-started']);
    // expected_version
    expect(agent.asked('/api/stacks/acme/web/dev')).toHaveLength(1);

    const patient = (...place: Parameters<typeof FILES.followed>) =>
      ({ ...FILES.followed(...place), trigger_timeout: '5m' }) as const;
    const stopped = await agent.start(patient, { environment });
    await cloud.waitFor(() => cloud.deployments.length === 2, 60_000);
    await vi.waitFor(() => expect(agent.asked(POLL).length).toBeGreaterThan(0), { timeout: 20_000 });
    stopped.child.kill('SIGINT');
    // trigger_cancel
    expect((await stopped.ended).code).toBe(7);
    expect(cloud.deployments.map(({ endReason }) => endReason)).toEqual([undefined, 'cancelled']);
  });
});
