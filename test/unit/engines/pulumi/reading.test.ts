import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../../../src/clock.ts';
import { Body } from '../../../../src/engines/pulumi/relay/body.ts';
import { callOf, mostRead } from '../../../../src/engines/pulumi/relay/calls.ts';
import { ObservedRun } from '../../../../src/engines/pulumi/relay/observed-run.ts';
import { Reading } from '../../../../src/engines/pulumi/relay/reading.ts';
import { Redactor } from '../../../../src/log/redactor.ts';

const LEASE = ['POST', '/api/background-activities/worker/lease/acquire'] as const;

function bodyOf(json: unknown, most: number): Body {
  const body = new Body(most);
  if (json !== undefined) body.take(Buffer.from(JSON.stringify(json)));
  return body;
}

/** A reading without a record on disk, and a function that has it read a call. */
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
  const run = new ObservedRun({
    ...common,
    config: { serviceUrl: 'https://api.example.com' },
    onClaim: () => undefined,
  });
  const secrets = redactor.scope();
  const reading = new Reading({ ...common, run, secrets, onToken: () => undefined, pollingIntervalMs: 1_000 });
  const read = async (method: string, path: string, status: number, json?: unknown, sent?: unknown, when?: number) => {
    const call = callOf(method, path);
    const [request, response] = [bodyOf(sent, mostRead(call)), bodyOf(json, 1_000)];
    const at = { method, path, remote: '127.0.0.1', at: when ?? Date.now(), ms: 0, call };
    await reading.take({ ...at, requestHeaders: {}, request, status, responseHeaders: {}, response });
  };
  return { run, reading, read, begun };
}

describe('the reading of observed traffic', () => {
  it('counts a call for a lease as a call for work if the agent makes no other', async () => {
    const { run, reading, read } = scene();
    await read(...LEASE, 204);
    expect(reading.lastPoll).toEqual({ status: 204, reason: '' });
    expect(run.isUnseen).toBe(false);
    await read('GET', '/api/deployments/poll', 403, { message: 'no' });
    await read(...LEASE, 204);
    expect(reading.lastPoll).toEqual({ status: 403, reason: 'no' });
  });

  it('takes a leased job for work of an unknown kind, with no heartbeat until it sends one', async () => {
    const { run, read } = scene();
    await read(...LEASE, 200, { jobID: 'scan-1', more: { a: 1 } });
    expect([run.claim?.jobId, run.isUnseen, run.lastHeartbeat]).toEqual(['scan-1', true, undefined]);
    await read('POST', '/api/workflow/jobs/scan-1/heartbeat', 200);
    expect(run.lastHeartbeat).toBeDefined();
  });

  it('sees no success in a guessed definition before a step is reported', async () => {
    const { run, read } = scene();
    await read('GET', '/api/workflow/jobs/j-1', 200, { scan: { account: 'a' } });
    expect([run.verdict, run.knowsSteps]).toEqual(['unfinished', false]);
    await run.stepStatus(0, 'running');
    await run.stepStatus(0, 'succeeded');
    expect([run.verdict, run.knowsSteps]).toEqual(['succeeded', false]);
  });

  it.each([
    ['as cancelled if it ends while a step runs', 'failed', 'running', true],
    ['as cancelled if it waits again after it ran', 'not-started', 'running', true],
    ['as not cancelled if it has not run yet', 'not-started', undefined, false],
    ['as not cancelled if its step has failed', 'failed', 'failed', false],
    ['as not cancelled if its steps have succeeded', 'failed', 'succeeded', false],
  ] as const)('sees a deployment %s', async (_, state, step, cancelled) => {
    const { run, read } = scene();
    await read('GET', '/api/workflow/jobs/j-1', 200, { steps: [{ name: 'a' }] });
    if (step !== undefined) await run.stepStatus(0, step);
    for (const each of ['not-started', step === undefined ? 'accepted' : 'running', state, state])
      await read('GET', '/api/deployments/j-1/status', 200, each);
    expect(run.cancelled).toBe(cancelled ? 'the deployment was cancelled in Pulumi Cloud' : undefined);
  });

  it('sees no deployment taken away that waits once, or was asked about before its step ran', async () => {
    const { run, read } = scene();
    const check = (state: string, at?: number) =>
      read('POST', '/api/agent-workflows/deployment:j-1/check', 200, { status: state }, undefined, at);
    await read('GET', '/api/workflow/jobs/j-1', 200, { steps: [{ name: 'a' }] });
    await run.stepStatus(0, 'running');
    await check('not-started', 0);
    await check('not-started', 0);
    await check('not-started');
    await check('accepted');
    await check('not-started');
    expect(run.cancelled).toBeUndefined();
    await check('not-started');
    expect(run.cancelled).toBeDefined();
  });

  it('draws no conclusion from a 404 to every call, however long it lasts', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { run, read } = scene();
    await read('GET', '/api/workflow/jobs/j-1', 200, { steps: [{ name: 'a' }] });
    await run.stepStatus(0, 'running');
    const calls = ['POST /api/workflow/jobs/j-1/heartbeat', 'GET /api/deployments/j-1/status'];
    for (let minutes = 0; minutes < 10; minutes += 1) {
      vi.advanceTimersByTime(60_000);
      for (const call of calls) await read(...(call.split(' ') as [string, string]), 404);
    }
    expect([run.cancelled, run.verdict]).toEqual([undefined, 'unfinished']);
  });

  it('queues logs in order, until too much waits or a status follows', async () => {
    const { run, read, begun } = scene();
    const logs = (step: number, bytes: number) =>
      read('POST', `/api/workflow/jobs/j-1/${step}/logs`, 200, {}, { offset: 0, lines: [{ l: 'x'.repeat(bytes) }] });
    await read('GET', '/api/workflow/jobs/j-1', 200, { steps: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] });
    await logs(0, 3_000_000);
    expect(begun).toEqual([]);
    await logs(1, 3_000_000);
    expect(begun).toEqual([0, 1]);
    await logs(2, 100);
    expect(begun).toEqual([0, 1]);
    await read('PATCH', '/api/workflow/jobs/j-1/2/status', 200, {}, { status: 'succeeded' });
    expect(begun).toEqual([0, 1, 2]);
    const [, , last] = await run.close({ status: 'succeeded' });
    expect(last).toMatchObject({ status: 'succeeded', bytes: 100 });
  });
});
