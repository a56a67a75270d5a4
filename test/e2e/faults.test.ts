import { expect, it } from 'vitest';
import { CALLS, failing } from '../emulators/pulumi-cloud/faults.ts';
import { useConfiguredAgent } from '../support/e2e/configured-agent.ts';
import { oneJob } from '../support/e2e/key-settings.ts';
import { enqueue, statuses } from '../support/e2e/stage.ts';

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
