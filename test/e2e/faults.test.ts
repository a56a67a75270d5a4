import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Deployment } from '../emulators/pulumi-cloud/deployment.ts';
import { CALLS, failing } from '../emulators/pulumi-cloud/faults.ts';
import { useConfiguredAgent } from '../support/e2e/configured-agent.ts';
import { definition, POOL, statuses } from '../support/e2e/stage.ts';

const agent = useConfiguredAgent();
const { stage } = agent;

/** One job served by the agent alone, which waits for nothing longer than a second. */
async function serve(scripts: Record<string, string>) {
  const deployment = stage.enqueue(definition(scripts));
  await agent.writeIdToken();
  const { ended } = await agent.start(({ url, home }) => ({
    service_url: url,
    oidc_token_file: 'id-token',
    organization_name: 'acme',
    runner_pool_id: POOL.id,
    run_directory: join(home, 'run'),
    single_run: true,
    max_wait: '4s',
    pull_image: false,
    http_server_port: 0,
    polling_interval: '200ms',
    job_status_loop_interval: '300ms',
    request_timeout: '1s',
    request_retry_wait: '100ms',
    request_retry_max_wait: '500ms',
    cancel_grace_period: '3s',
  }));
  const { code, stderr } = await ended;
  return { code, result: await agent.result(), deployment, stderr };
}

const textOf = ({ steps }: Deployment, index: number) => steps[index]!.lines.map(({ l }) => l).join('');

describe('a passing outage costs no line, no status and no step:', () => {
  it('503 to every call about the job, right after the claim', async () => {
    const since = () => stage.cloud.deployments[0]?.claimedAt;
    stage.cloud.script({ path: CALLS.job, window: { ms: 5_000, since }, answer: failing(503) });
    const { code, result, deployment, stderr } = await serve({ one: 'seq 250; sleep 3', two: 'seq 130' });
    expect(result, stderr).toMatchObject({ outcome: 'succeeded', reported: true });
    expect(code).toBe(0);
    expect(result.steps.map(({ cloud }) => cloud.undelivered)).toEqual([0, 0, 0]);
    expect(statuses(deployment)).toEqual(Array(3).fill(['running', 'succeeded']));
    expect([textOf(deployment, 1).length, textOf(deployment, 2).length]).toEqual([892, 412]);
    // Each is said once, however often it failed.
    const failed = (result.notices ?? []).map((notice) => /^Failed to (.+?) for /.exec(notice)?.[1]);
    expect(failed.toSorted()).toEqual(['read the job definition', 'send a heartbeat']);
  });
});
