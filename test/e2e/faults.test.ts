import { expect, it } from 'vitest';
import { CALLS, failing } from '../emulators/pulumi-cloud/faults.ts';
import { useConfiguredAgent } from '../support/e2e/configured-agent.ts';
import { oneJob } from '../support/e2e/key-settings.ts';
import { enqueue, logOf, statuses } from '../support/e2e/stage.ts';

const agent = useConfiguredAgent();
const { stage } = agent;

it('a brief outage right after the claim, with 503 to every call about the job, loses no line, status or step', async () => {
  const deployment = enqueue(stage, { one: 'seq 250; sleep 3', two: 'seq 130' });
  stage.cloud.script({
    path: CALLS.job,
    times: Number.POSITIVE_INFINITY,
    matches: () => Date.now() < (deployment.claimedAt ?? 0) + 5_000,
    answer: failing(503),
  });
  // With requests and retries shorter than the outage.
  const { ended } = await agent.start((place) => ({
    ...oneJob(place),
    max_wait: '4s',
    pull_image: false,
    polling_interval: '200ms',
    job_status_loop_interval: '300ms',
    request_timeout: '1s',
    request_retry_wait: '100ms',
    request_retry_max_wait: '500ms',
  }));
  const { code, stderr } = await ended;
  const result = await agent.result();
  expect(result, stderr).toMatchObject({ outcome: 'succeeded', reported: true });
  expect(code).toBe(0);
  expect(result.steps.map(({ cloud }) => cloud.undelivered)).toEqual([0, 0, 0]);
  expect(statuses(deployment)).toEqual(Array(3).fill(['running', 'succeeded']));
  const texts = deployment.steps.map(({ lines }) => lines.map(({ l }) => l).join(''));
  expect(texts.slice(1).map(({ length }) => length)).toEqual([892, 412]);
  // Each failure is reported once, however often it recurs.
  const failed = (result.notices ?? []).map((notice) => /^Failed to (.+?) for /.exec(notice)?.[1]);
  expect(failed.toSorted()).toEqual(['read the job definition', 'send a heartbeat']);
});

it('a deployment that is cancelled in its last second turns the job red, though all was reported', async () => {
  const deployment = enqueue(stage, { update: 'echo almost; sleep 2' });
  // No look for a cancel comes in between.
  const running = stage.run({}, { PULUMI_AGENT_JOB_STATUS_LOOP_INTERVAL: '30s' });
  await stage.cloud.waitFor(() => logOf(deployment, 1) === 'almost\n', 60_000);
  stage.cloud.cancel(deployment.id);
  const { main } = await running;
  expect(main.conclusion).toBe('failure');
  expect(main.outputs).toMatchObject({ outcome: 'cancelled', reported: 'true' });
  expect(statuses(deployment)).toEqual(Array(2).fill(['running', 'succeeded']));
});

it('a deployment that is cancelled as it is claimed starts no container', async () => {
  const deployment = enqueue(stage, { update: 'echo never' });
  stage.cloud.script({
    path: CALLS.definition,
    matches: () => {
      stage.cloud.cancel(deployment.id);
      return false;
    },
    answer: 'hang',
  });
  // The look that comes beside the definition waits for the cancel, and tells of it.
  stage.cloud.script({
    path: CALLS.look,
    matches: () => deployment.endReason === undefined,
    answer: failing(503),
  });
  const { ended } = await agent.start((place) => ({ ...oneJob(place), max_wait: '20s', pull_image: false }));
  const { code, stderr } = await ended;
  const result = await agent.result();
  expect(result, stderr).toMatchObject({ outcome: 'cancelled', exitCode: code });
  expect(result.message).toContain('cancelled in Pulumi Cloud. No step was run.');
  expect(code).not.toBe(0);
  expect({ statuses: statuses(deployment), log: logOf(deployment, 0) }).toEqual({
    statuses: [['running', 'failed'], []],
    log: expect.not.stringContaining('container'),
  });
});

it.each([401, 404, 410])(
  'a last status that was taken, and is then refused with %i, is green in seconds',
  async (no) => {
    const deployment = enqueue(stage, { update: 'echo done' });
    const last = {
      method: 'PATCH',
      path: /\/1\/status$/,
      matches: ({ text }: { text: string }) => text.includes('succeeded'),
    };
    stage.cloud.allow(/not a job token/);
    stage.cloud.script({ ...last, when: 'after', answer: 'reset' });
    stage.cloud.script({ ...last, times: Number.POSITIVE_INFINITY, answer: failing(no) });
    const { ended } = await agent.start((place) => ({
      ...oneJob(place),
      max_wait: '20s',
      pull_image: false,
    }));
    const { code, stderr } = await ended;
    expect(await agent.result(), stderr).toMatchObject({ outcome: 'succeeded', reported: true });
    expect(code).toBe(0);
    expect(Date.now() - deployment.endedAt!).toBeLessThan(20_000);
  },
);
