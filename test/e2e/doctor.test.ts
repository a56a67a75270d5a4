import { expect, it } from 'vitest';
import { enqueue, JOB_IMAGE, useStage } from '../support/e2e/stage.ts';

const stage = useStage();

it('doctor checks a job’s set-up, reports on it, and leaves a queued deployment alone', async () => {
  const deployment = enqueue(stage, { 'pulumi update': 'echo never' });
  const { main } = await stage.run({ doctor: 'true', image: JOB_IMAGE });
  const console = main.console.join('\n');
  expect(main.conclusion).toBe('success');
  expect(main.outputs).toMatchObject({ outcome: 'succeeded', 'deployment-id': '' });
  for (const title of ['Configuration', 'ID token', 'Pool token', 'Pool', 'Docker']) {
    expect(console).toMatch(new RegExp(`^✔ ${title} {2,}`, 'm'));
  }
  expect(console).toMatch(/^! Container {2,}.*it lacks pulumi/m);
  expect(main.summary).toContain('## A run has everything that it needs');
  expect(deployment.status).toBe('not-started');
  expect(stage.cloud.requests.filter(({ path }) => path.includes('poll'))).toEqual([]);
});

it('doctor names the permission missing for an ID token, alongside the other checks', async () => {
  const main = await (await stage.job({ doctor: 'true', image: JOB_IMAGE }, {}, { idToken: 'none' })).main();
  expect(main.outputs['outcome']).toBe('auth-error');
  expect(main.console.join('\n')).toMatch(/✘ ID token .*id-token: write/);
  expect(main.console.join('\n')).toMatch(/^✔ Docker {2,}/m);
});
