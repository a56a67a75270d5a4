import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { PoolApi } from '../../../src/cloud/deployments.ts';
import { Absence, JobApi } from '../../../src/cloud/jobs.ts';
import { StaticToken } from '../../../src/cloud/token.ts';
import { badLine, CALLS, failing } from '../../emulators/pulumi-cloud/faults.ts';
import { CloudModel } from '../../emulators/pulumi-cloud/model.ts';
import { ModelDispatcher } from '../../emulators/pulumi-cloud/model-dispatcher.ts';
import { cloudHttp, never } from '../../support/cloud/cloud-http.ts';

const JOB = { image: { reference: 'x' }, steps: [{ name: 'Setup', run: '' }] };

/** The agent's own calls before the model, and the job that they claimed. */
async function claimed() {
  const cloud = new CloudModel();
  onTestFinished(() => cloud.close());
  const http = cloudHttp('http://cloud.test', { dispatcher: new ModelDispatcher(cloud), requestTimeoutMs: 200 });
  const tokens = new StaticToken(cloud.createStaticToken('pool-1'));
  const pool = new PoolApi(http, tokens);
  expect(await pool.poll(never, never)).toEqual({});
  const deployment = cloud.enqueue({ project: 'web', stack: 'dev', poolId: 'pool-1', job: JOB });
  const { claim } = await pool.poll(never, never);
  const job = new JobApi(http, claim!, () => tokens.get(), new Absence(systemClock, () => undefined));
  return { cloud, pool, deployment, job };
}

it('the agent’s own calls serve a job without a socket', async () => {
  const { cloud, pool, deployment, job } = await claimed();
  expect(await job.definition(never)).toMatchObject({ steps: [{ name: 'Setup' }] });
  await job.stepStatus(0, 'running', never);
  const line = { t: '2026-06-18T10:00:00.123Z', l: 'a\n' };
  await job.logs(0, { offset: 0, lines: [line] }, never);
  await job.heartbeat(never);
  expect(await pool.state(deployment.id, never)).toBe('running');
  await job.stepStatus(0, 'succeeded', never);
  expect(await pool.state(deployment.id, never)).toBe('succeeded');
  expect(deployment).toMatchObject({
    status: 'succeeded',
    heartbeats: [expect.any(Number)],
    steps: [{ lines: [line] }],
  });
  expect(cloud.requests.filter(({ status }) => status === 0)).toEqual([]);
});

it('faults reach the agent’s own calls as over the wire', async () => {
  const { cloud, deployment, job } = await claimed();
  await job.stepStatus(0, 'running', never);
  for (const answer of ['reset', 'close', 'hang', failing(503)] as const) {
    cloud.script({ path: CALLS.heartbeat, answer });
    await expect(job.heartbeat(never)).rejects.toMatchObject({ name: 'CloudUnreachableError' });
  }
  const headers = { 'content-type': 'text/html' };
  cloud.script({ path: CALLS.heartbeat, answer: { status: 200, headers, body: '<h1>Sign in</h1>' } });
  await expect(job.heartbeat(never)).rejects.toThrow(/a page came instead of an answer: HTTP 200 Sign in/);
  cloud.script(badLine('evil', 422));
  const lines = [{ t: '2026-06-18T10:00:00.123Z', l: 'evil\n' }];
  await expect(job.logs(0, { offset: 0, lines }, never)).rejects.toMatchObject({ status: 422 });
  expect(deployment.heartbeats).toEqual([]);
  expect(cloud.requests.filter(({ abandoned }) => abandoned)).toHaveLength(1);
});
