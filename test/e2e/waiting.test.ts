import { describe, expect, it } from 'vitest';
import { enqueue, useStage } from '../support/e2e/stage.ts';

const stage = useStage();

describe('no queued deployment', () => {
  it.each([
    { 'on-no-work': undefined, conclusion: 'success', level: undefined },
    { 'on-no-work': 'warn', conclusion: 'success', level: 'warning' },
    { 'on-no-work': 'fail', conclusion: 'failure', level: 'error' },
  ])('ends by on-no-work: $on-no-work → $conclusion', async ({ conclusion, level, ...inputs }) => {
    const job = await stage.job({ 'max-wait': '2s', ...inputs });
    const main = await job.main();
    await job.post();
    expect(main.conclusion).toBe(conclusion);
    expect(main.outputs).toMatchObject({ outcome: 'no-work', 'deployment-id': '' });
    expect(main.annotations.map((annotation) => annotation.level)).toEqual(level === undefined ? [] : [level]);
    expect(Number(main.outputs['wait-seconds'])).toBeGreaterThanOrEqual(2);
  });
});

it('a deployment that comes while the step waits is taken, and none but its own', async () => {
  const job = await stage.job({ 'max-wait': '30s' });
  const main = await job.startMain();
  await stage.cloud.waitFor((cloud) => cloud.requests.some(({ path }) => path === '/api/deployments/poll'), 20_000);
  const deployment = enqueue(stage, { 'pulumi preview': 'echo later' });
  const other = enqueue(stage, { 'pulumi preview': 'echo not taken' }, 'other');
  expect((await main.exited).outputs).toMatchObject({ outcome: 'succeeded', 'deployment-id': deployment.id });
  await job.post();
  expect(other.status).toBe('not-started');
});
