import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { Redactor } from '../../../src/base/log/redactor.ts';
import { Body } from '../../../src/pulumi-agent/proxy/call.ts';
import { Credentials } from '../../../src/pulumi-agent/proxy/credentials.ts';
import { endpointOf, maxBodyBytes } from '../../../src/pulumi-agent/proxy/protocol.ts';
import { CallReader } from '../../../src/pulumi-agent/recorder/call-reader.ts';
import { JobRecorder } from '../../../src/pulumi-agent/recorder/job-recorder.ts';

const CLAIM = {
  jobID: 'j-1',
  jobToken: 'pul-of-the-claim',
  oidcToken: 'id-of-the-job',
  typeSpecificID: 'j-1',
};
const STEPS = { steps: [{ name: 'a' }] };
const LEASE = ['POST', '/api/background-activities/worker/lease/acquire'] as const;

function bodyOf(json: unknown, most: number): Body {
  const body = new Body(most);
  if (json !== undefined) body.add(Buffer.from(JSON.stringify(json)));
  return body;
}

/** A reader without a record on disk, and a function that has it read a call. */
function scene() {
  const redactor = new Redactor();
  const begun: number[] = [];
  const record = {
    event: () => undefined,
    notice: () => undefined,
    stepLog: (index: number) => {
      begun.push(index);
      return { relative: 'x', absolute: '/dev/null' };
    },
  };
  const common = { record, redactor, clock: systemClock };
  const job = new JobRecorder({
    ...common,
    config: { serviceUrl: 'https://api.example.com' },
    onClaim: () => undefined,
  });
  const secrets = redactor.scope();
  const credentials = new Credentials({}, secrets);
  const reader = new CallReader({
    ...common,
    ...{ job, secrets, credentials, pollingIntervalMs: 1_000 },
    config: { plainVariables: [], secretVariables: [] },
  });
  const read = async (
    method: string,
    path: string,
    status: number,
    json?: unknown,
    sent?: unknown,
    when?: number,
  ) => {
    const endpoint = endpointOf(method, path);
    const [request, response] = [bodyOf(sent, maxBodyBytes(endpoint)), bodyOf(json, 1_000_000)];
    const started = { now: Date.now(), steady: when ?? performance.now() };
    const how = { endpoint, method, path, started, durationMs: 0 };
    await reader.read({ ...how, requestHeaders: {}, request, status, responseHeaders: {}, response });
  };
  const claim = () => read('GET', '/api/deployments/poll', 200, CLAIM);
  return { job, reader, read, claim, begun, credentials, redactor };
}

describe('the reading of observed traffic', () => {
  it('counts a call for a lease as a call for work if the agent makes no other', async () => {
    const { job, reader, read } = scene();
    await read(...LEASE, 204);
    expect(reader.lastPoll).toEqual({ status: 204, reason: '' });
    expect(job.isUnknownWork).toBe(false);
    await read('GET', '/api/deployments/poll', 403, { message: 'no' });
    await read(...LEASE, 204);
    expect(reader.lastPoll).toEqual({ status: 403, reason: 'no' });
  });

  it('takes a leased job for work of an unknown kind, with secrets, but neither claim nor heartbeat', async () => {
    const { job, read, redactor } = scene();
    await read(...LEASE, 200, { jobID: 'scan-1', more: { a: 1 } });
    await read('POST', '/api/workflow/jobs/scan-1/heartbeat', 200);
    await read('GET', '/api/workflow/jobs/scan-1', 200, { ...STEPS, env: { A: { secret: 'hidden-8c1d' } } });
    expect({ claim: job.claim, isUnknownWork: job.isUnknownWork, lastHeartbeat: job.lastHeartbeat }).toEqual({
      claim: undefined,
      isUnknownWork: true,
      lastHeartbeat: undefined,
    });
    expect(redactor.text('a hidden-8c1d')).toBe('a ***');
  });

  it('takes a claim from no other call, and credentials from answers, but for those that the job has too', async () => {
    const { job, read, claim, credentials } = scene();
    await read('GET', '/api/workflow/jobs/j-0', 200, { steps: [{ name: 'a' }], token: 'of the definition' });
    await read('POST', '/api/workflow/jobs/j-0/heartbeat', 200);
    await read('POST', '/api/agent-workflows/deployment', 401, { token: 'of a refusal' });
    expect({ claim: job.claim, hidesSecrets: job.hidesSecrets }).toEqual({
      claim: undefined,
      hidesSecrets: false,
    });
    await claim();
    await read('GET', '/api/workflow/jobs/j-1', 200, {
      ...STEPS,
      env: { PULUMI_ACCESS_TOKEN: 'of the variables' },
    });
    await read('GET', '/api/background-activities/token', 200, { token: 'of the worker', expiration: 'x' });
    await read('POST', '/api/oauth/token', 200, { access_token: 'of the pool', token_type: 'of no' });
    await read(...LEASE, 200, { lease: [{ leaseToken: 'of a lease', env: { TOKEN: 'of no' } }] });
    const tokens = ['definition', 'a refusal', 'variables', 'the worker', 'the pool', 'a lease', 'no'];
    const known = [
      ...tokens.flatMap((of) => [`of ${of}`, `of the ${of}`]),
      'pul-of-the-claim',
      'id-of-the-job',
    ];
    expect(known.filter((token) => credentials.has(token))).toEqual([
      ...['of the worker', 'of the pool', 'of a lease', 'pul-of-the-claim'],
    ]);
    expect(job.claim?.jobId).toBe('j-1');
  });

  it('takes no empty or guessable field of an answer for a token, as a stranger could name it', async () => {
    const { read, credentials, redactor } = scene();
    const answer = { access_token: 'of the pool', refresh_token: '', nextToken: '3' };
    await read('POST', '/api/oauth/token', 200, answer);
    expect(Object.values(answer).filter((token) => credentials.has(token))).toEqual(['of the pool']);
    expect(redactor.text('3 changes')).toBe('3 changes');
  });

  it('keeps no output of a job with more secrets than can be hidden, and no names of its steps', async () => {
    const { job, read, claim, begun } = scene();
    await claim();
    const env = { BIG: { secret: randomBytes(300_000).toString('hex') } };
    await read('GET', '/api/workflow/jobs/j-1', 200, { steps: [{ name: 'a' }, { name: 'b' }], env });
    await read('POST', '/api/workflow/jobs/j-1/1/logs', 200, {}, { offset: 0, lines: [{ t: '', l: 'x' }] });
    await job.stepStatus(0, 'running');
    await job.stepStatus(0, 'succeeded');
    expect({ hides: job.hidesSecrets, result: job.result, begun }).toEqual({
      hides: false,
      result: 'unfinished',
      begun: [0],
    });
    const steps = await job.close({ status: 'failed' });
    expect(steps.map(({ name }) => name)).toEqual(['Step 0', 'Step 1']);
  });

  it('sees no success in a guessed definition before a step is reported', async () => {
    const { job, read, claim } = scene();
    await claim();
    await read('GET', '/api/workflow/jobs/j-1', 200, { scan: { account: 'a' } });
    expect({ result: job.result, knowsSteps: job.knowsSteps }).toEqual({
      result: 'unfinished',
      knowsSteps: false,
    });
    await job.stepStatus(0, 'running');
    await job.stepStatus(0, 'succeeded');
    expect({ result: job.result, knowsSteps: job.knowsSteps }).toEqual({
      result: 'succeeded',
      knowsSteps: false,
    });
  });

  it.each([
    ['as cancelled if it ends while a step runs', 'failed', 'running', true],
    ['as cancelled if it waits again after it ran', 'not-started', 'running', true],
    ['as not cancelled if it has not run yet', 'not-started', undefined, false],
    ['as not cancelled if its step has failed', 'failed', 'failed', false],
    ['as not cancelled if its steps have succeeded', 'failed', 'succeeded', false],
  ] as const)('sees a deployment %s', async (_, state, step, cancelled) => {
    const { job, read, claim } = scene();
    await claim();
    await read('GET', '/api/workflow/jobs/j-1', 200, { steps: [{ name: 'a' }] });
    if (step !== undefined) await job.stepStatus(0, step);
    for (const each of ['not-started', step === undefined ? 'accepted' : 'running', state, state])
      await read('GET', '/api/deployments/j-1/status', 200, each);
    expect(job.cancellation).toBe(cancelled ? 'the deployment was cancelled in Pulumi Cloud' : undefined);
  });

  it('sees no deployment taken away that waits once, or was asked about before its step ran', async () => {
    const { job, read, claim } = scene();
    await claim();
    const check = (state: string, at?: number) =>
      read('POST', '/api/agent-workflows/deployment:j-1/check', 200, { status: state }, undefined, at);
    await read('GET', '/api/workflow/jobs/j-1', 200, { steps: [{ name: 'a' }] });
    await job.stepStatus(0, 'running');
    await check('not-started', 0);
    await check('not-started', 0);
    await check('not-started');
    await check('accepted');
    await check('not-started');
    expect(job.cancellation).toBeUndefined();
    await check('not-started');
    expect(job.cancellation).toBeDefined();
  });

  it('sees a deployment taken away though the wall clock is set back', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { job, read, claim } = scene();
    await claim();
    await read('GET', '/api/workflow/jobs/j-1', 200, { steps: [{ name: 'a' }] });
    await job.stepStatus(0, 'running');
    vi.setSystemTime(Date.now() - 3_600_000);
    for (const each of ['not-started', 'not-started'])
      await read('GET', '/api/deployments/j-1/status', 200, each);
    expect(job.cancellation).toBe('the deployment was cancelled in Pulumi Cloud');
  });

  it('draws no conclusion from a 404 to every call, however long it lasts', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { job, read, claim } = scene();
    await claim();
    await read('GET', '/api/workflow/jobs/j-1', 200, { steps: [{ name: 'a' }] });
    await job.stepStatus(0, 'running');
    const calls = ['POST /api/workflow/jobs/j-1/heartbeat', 'GET /api/deployments/j-1/status'];
    for (let minutes = 0; minutes < 10; minutes += 1) {
      vi.advanceTimersByTime(60_000);
      for (const call of calls) await read(...(call.split(' ') as [string, string]), 404);
    }
    expect({ cancellation: job.cancellation, result: job.result }).toEqual({
      cancellation: undefined,
      result: 'unfinished',
    });
  });

  it('sees no step in lines that Pulumi Cloud refused', async () => {
    const { job, read, claim } = scene();
    await claim();
    await read('GET', '/api/workflow/jobs/j-1', 200, STEPS);
    await read('POST', '/api/workflow/jobs/j-1/9999/logs', 404, {}, { offset: 0, lines: [{ l: 'x' }] });
    expect({ isBusy: job.isBusy, close: (await job.close({ status: 'failed' })).length }).toEqual({
      isBusy: false,
      close: 1,
    });
  });

  it.each([0, 502])(
    'keeps the lines of a call with the status %i, and counts those that no later call brings',
    async (status) => {
      const { job, read, claim } = scene();
      await claim();
      await read('GET', '/api/workflow/jobs/j-1', 200, STEPS);
      await read('PATCH', '/api/workflow/jobs/j-1/0/status', 200, {}, { status: 'running' });
      const logs = (answer: number, offset: number, ...lines: string[]) =>
        read(
          'POST',
          '/api/workflow/jobs/j-1/0/logs',
          answer,
          {},
          { offset, lines: lines.map((l) => ({ l })) },
        );
      await logs(status, 0, 'one\n', 'two\n');
      await logs(200, 0, 'one\n', 'two\n');
      await logs(status, 2, 'three\n');
      await logs(200, 3, 'four\n');
      await logs(status, 4, 'error: five\n');
      await read('PATCH', '/api/workflow/jobs/j-1/0/status', 200, {}, { status: 'failed' });
      const [step] = await job.close({ status: 'failed' });
      expect(step).toMatchObject({
        lines: 5,
        cloud: { sent: 3, undelivered: 2, batches: 2, retries: 0, failures: 3 },
      });
    },
  );

  it('queues logs in order, until too much waits or a status follows', async () => {
    const { job, read, claim, begun } = scene();
    await claim();
    const logs = (step: number, bytes: number) =>
      read(
        'POST',
        `/api/workflow/jobs/j-1/${step}/logs`,
        200,
        {},
        { offset: 0, lines: [{ l: 'x'.repeat(bytes) }] },
      );
    await read('GET', '/api/workflow/jobs/j-1', 200, {
      steps: [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
    });
    await logs(0, 3_000_000);
    expect(begun).toEqual([]);
    await logs(1, 3_000_000);
    expect(begun).toEqual([0, 1]);
    await logs(2, 100);
    expect(begun).toEqual([0, 1]);
    await read('PATCH', '/api/workflow/jobs/j-1/2/status', 200, {}, { status: 'succeeded' });
    expect(begun).toEqual([0, 1, 2]);
    const [, , last] = await job.close({ status: 'succeeded' });
    expect(last).toMatchObject({ status: 'succeeded', bytes: 100 });
  });
});
