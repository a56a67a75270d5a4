import { describe, expect, it, onTestFinished } from 'vitest';
import { badLine, CALLS, failing, postgres } from '../../emulators/pulumi-cloud/faults.ts';
import { JobInProcess } from '../../emulators/pulumi-cloud/in-process.ts';
import { CloudModel } from '../../emulators/pulumi-cloud/model.ts';
import type { CloudModelOptions } from '../../emulators/pulumi-cloud/options.ts';
import { ManualClock } from '../../support/job/manual-clock.ts';

const never = new AbortController().signal;
const JOB = { image: { reference: 'x' }, steps: ['Setup', 'One'].map((name) => ({ name, run: '' })) };
const HEADERS = { accept: 'application/vnd.pulumi+8', 'user-agent': 'agent/1.2.3 (linux; x64)' };

/** A claimed job whose first step is begun, by a clock in the test's hand. */
async function begun(options: CloudModelOptions = {}) {
  const clock = new ManualClock();
  const cloud = new CloudModel({ clock: () => clock.now(), ...options });
  onTestFinished(() => cloud.close());
  const job = JobInProcess.claim(cloud, JOB);
  await job.stepStatus(0, 'running', never);
  /** Any call, with any token; its status, 0 for none, and what it said. */
  const call = async (method: string, url: string, token: string, body?: object, headers: object = HEADERS) => {
    const arrival = cloud.arrive({ method, url, headers: { ...headers, authorization: `token ${token}` } });
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
    const { answer, fault } = await cloud.serve(arrival, bytes).finally(arrival.release);
    if (typeof fault === 'string') return fault;
    const { status, body: said } = typeof fault === 'object' ? fault : (answer ?? { status: 0 });
    return { status, said };
  };
  const pool = cloud.createStaticToken('pool-1');
  const look = () => call('GET', `/api/deployments/${job.deployment.id}/status`, pool);
  const check = () => call('POST', `/api/agent-workflows/deployment:${job.deployment.id}/check`, pool);
  const log = (offset: number, ...texts: string[]) => {
    const lines = texts.map((text) => ({ t: '2026-06-18T10:00:00.123Z', l: `${text}\n` }));
    return job.send('POST', '/0/logs', { offset, lines }, never);
  };
  return { clock, cloud, job, call, look, check, log };
}

describe('faults', () => {
  it('strike a set of calls for a time', async () => {
    const { clock, cloud, job, look, log } = await begun();
    const script = cloud.script({ path: CALLS.aboutJob, window: { ms: 8_000 }, answer: failing(404) });
    await clock.advance(7_999);
    expect([(await log(0, 'a')).status, await look()]).toMatchObject([404, { status: 404 }]);
    await expect(job.heartbeat(never)).rejects.toMatchObject({ name: 'CloudRefusedError', status: 404 });
    await clock.advance(1);
    expect([(await log(0, 'a')).status, await look()]).toEqual([200, { status: 200, said: 'running' }]);
    expect(script.hits).toBe(3);
  });

  it('strike from a moment on that comes later', async () => {
    const { clock, cloud, job, log } = await begun();
    const since = () => (job.deployment.steps[0]?.lines.length === 0 ? undefined : job.deployment.claimedAt);
    cloud.script({ path: CALLS.logs, window: { since, ms: 60_000 }, answer: failing(503) });
    expect((await log(0, 'a')).status).toBe(200);
    expect((await log(1, 'b')).status).toBe(503);
    await clock.advance(60_000);
    expect((await log(1, 'b')).status).toBe(200);
  });

  it('take the place of calls that are checked all the same', async () => {
    const { cloud, job, call } = await begun();
    cloud.script({ path: /./, times: 20, answer: 'reset' });
    const path = `/api/workflow/jobs/${job.deployment.jobId}`;
    const user = cloud.userToken;
    const wrong: [RegExp, () => Promise<unknown>][] = [
      [/no such call/, () => call('GET', '/api/nothing', user)],
      [/Accept/, () => call('GET', '/api/deployments/poll', user, undefined, { 'user-agent': 'a/1 (b)' })],
      [/takes a job token/, () => call('POST', `${path}/heartbeat`, user, {})],
      [/body: unknown id/, () => job.send('POST', '/heartbeat', { id: 1 }, never)],
      [/0\/status: .* status/, () => job.send('PATCH', '/0/status', { status: 'over' }, never)],
      [/step 1 started while step 0 is running/, () => job.send('PATCH', '/1/status', { status: 'running' }, never)],
      [/0\/logs: .* lines/, () => job.send('POST', '/0/logs', { offset: 0 }, never)],
      [
        /the call's offset is 1/,
        () => job.send('POST', '/0/logs', { offset: 1, lines: [{ t: '2026-06-18T10:00:00.123Z', l: 'a\n' }] }, never),
      ],
      [/operation/, () => call('POST', '/api/stacks/acme/web/dev/deployments', user, { operation: 'up' })],
      [/no Authorization/, () => call('POST', '/api/oauth/token', user, {})],
    ];
    for (const [said, make] of wrong) {
      cloud.allow(said);
      const before = cloud.violations.length;
      await make();
      expect(cloud.violations.slice(before)).toEqual([expect.stringMatching(said)]);
      expect(cloud.requests.at(-1)?.scripted).toBe('before');
    }
  });

  it('of 401 to a job’s token let its client try the pool’s', async () => {
    const { cloud, job, call } = await begun();
    cloud.script({ path: CALLS.heartbeat, answer: failing(401) });
    await expect(job.heartbeat(never)).rejects.toMatchObject({ status: 401 });
    const pool = cloud.createStaticToken('pool-1');
    const path = `/api/workflow/jobs/${job.deployment.jobId}/heartbeat`;
    expect(await call('POST', path, pool, {})).toMatchObject({ status: 403 });
  });
});

describe('a service', () => {
  it('on PostgreSQL refuses U+0000 and half a surrogate pair for ever', async () => {
    const { cloud, log } = await begun();
    cloud.script(postgres);
    expect(await log(0, 'a', '\0')).toMatchObject({ status: 500, json: { message: expect.stringMatching(/\n +at /) } });
    expect((await log(0, 'a')).status).toBe(200);
    expect((await log(1, '\0')).status).toBe(500);
    expect((await log(1, '\0')).status).toBe(500);
    expect((await log(1, '\0')).status).toBe(500);
    expect((await log(1, '\ud800')).status).toBe(500);
    expect((await log(1, '\ufffd')).status).toBe(200);
  });

  it.each([500, 422])('may answer a bad line with %i for ever', async (status) => {
    const { cloud, log } = await begun();
    cloud.script(badLine('evil', status));
    expect((await log(0, 'good')).status).toBe(200);
    expect((await log(1, 'an evil one')).status).toBe(status);
    expect((await log(1, 'an evil one')).status).toBe(status);
  });

  it.each([404, 405, 500, 501] as const)('may answer the status call with %i, and serve check', async (status) => {
    const { cloud, job, look, check } = await begun({ noStatusCall: status });
    expect(await look()).toMatchObject({ status });
    expect(await check()).toMatchObject({ said: { status: 'running', complete: false } });
    cloud.cancel(job.deployment.id);
    expect(await look()).toMatchObject({ status });
    const { id } = job.deployment;
    expect(await check()).toEqual({ status: 200, said: { id, status: 'not-started', complete: false } });
  });

  it('may say succeeded while a step still runs', async () => {
    const { job, look, check } = await begun({ succeedsEarly: true });
    expect(await look()).toMatchObject({ said: 'running' });
    await job.stepStatus(0, 'succeeded', never);
    await job.stepStatus(1, 'running', never);
    expect(await look()).toMatchObject({ said: 'succeeded' });
    expect(await check()).toMatchObject({ said: { status: 'succeeded', complete: false } });
    await job.stepStatus(1, 'failed', never);
    expect(await look()).toMatchObject({ said: 'failed' });
  });

  it.each([failing(500), 'hang' as const])('may not serve the organization’s load: %j', async (answer) => {
    const { cloud, call } = await begun();
    cloud.script({ path: CALLS.metadata, times: Number.POSITIVE_INFINITY, answer });
    const expected = answer === 'hang' ? 'hang' : { status: 500, said: { code: 500, message: 'not this time' } };
    for (let time = 0; time < 2; time += 1)
      expect(await call('GET', '/api/orgs/acme/deployments/metadata', cloud.userToken)).toEqual(expected);
    expect(await call('GET', '/api/orgs/acme/agent-pools', cloud.userToken)).toMatchObject({ status: 200 });
  });
});
