import { expect, it } from 'vitest';
import { enqueue, useStage } from '../support/e2e/stage.ts';

const stage = useStage();

it('no queued deployment is no failure, and said once the time is over', async () => {
  const { main } = await stage.run({ 'max-wait': '2s' });
  expect(main).toMatchObject({ conclusion: 'success', annotations: [] });
  expect(main.outputs).toMatchObject({ outcome: 'no-work', 'deployment-id': '' });
  expect(Number(main.outputs['wait-seconds'])).toBeGreaterThanOrEqual(2);
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
