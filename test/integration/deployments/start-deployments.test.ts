import { describe, expect, it } from 'vitest';
import { stackNamed } from '../../../src/base/config/stack-pattern.ts';
import { OutcomeError } from '../../../src/base/outcome.ts';
import {
  startConfigured,
  startDeployments,
  startsVerdict,
} from '../../../src/cloud/deployments/start-deployments.ts';
import type { FaultAnswer } from '../../emulators/pulumi-cloud/faults.ts';
import type { PulumiCloudOptions } from '../../emulators/pulumi-cloud/server.ts';
import { configOf } from '../../support/agent/config-of.ts';
import { organization, POST, PROD } from '../../support/agent/organization.ts';
import { ManualClock, settled } from '../../support/job/manual-clock.ts';

const NAMES = ['web/a', 'web/b', 'web/c', 'web/d', 'web/e', 'web/f'];
const STACKS = NAMES.map((name) => stackNamed(`acme/${name}`));

describe('several deployments', () => {
  it('are each started at a random time within the jitter', async () => {
    const { starting } = await organization();
    const clock = new ManualClock();
    const began = clock.steady();
    const random = [0.9, 0.1, 0.5, 0.5, 0, 0.999];
    const at: [number, string][] = [];
    const api = {
      ...starting.api,
      start: async (stack: { stack: string }) => {
        at.push([clock.steady() - began, stack.stack]);
        return { kind: 'started', id: stack.stack } as const;
      },
      deploymentsOf: () => Promise.reject(new Error('not asked for')),
    };
    const more = { api, clock, random: () => random.shift() ?? 0 };
    const starts = startDeployments(STACKS, { ...starting, ...more }, 60_000);
    await settled();
    // A corrected clock must not move the starts.
    clock.set(-3_600_000);
    await clock.advance(59_999);
    expect((await starts).failed).toEqual([]);
    expect(at).toEqual([
      [0, 'e'],
      [6_000, 'b'],
      [30_000, 'c'],
      [30_000, 'd'],
      [54_000, 'a'],
      [59_940, 'f'],
    ]);
  });

  it('are started at once without jitter, at most four at a time, and listed in the order of their stacks', async () => {
    const { starting } = await organization();
    const pending: (() => void)[] = [];
    const api: typeof starting.api = {
      ...starting.api,
      start: ({ stack }) =>
        new Promise((resolve) => pending.push(() => resolve({ kind: 'started', id: stack, version: 1 }))),
    };
    const starts = startDeployments(STACKS, { ...starting, api });
    await settled();
    expect(pending).toHaveLength(4);
    // The latest call is answered first.
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      next();
      await settled();
    }
    expect((await starts).started.map(({ stack }) => stack)).toEqual(NAMES.map((name) => `acme/${name}`));
  });

  it("don't wait for one that fails, and end with its outcome", async () => {
    const { cloud, starting } = await organization({ stacks: NAMES.filter((name) => name !== 'web/c') });
    const starts = await startDeployments(STACKS, starting);
    expect(cloud.deployments).toHaveLength(NAMES.length - 1);
    expect(starts.failed).toEqual([
      {
        stack: 'acme/web/c',
        outcome: 'config-error',
        code: 'PRA-TRIGGER-01',
        message: expect.stringContaining('HTTP 404'),
      },
    ]);
    expect(startsVerdict(starts)).toEqual({
      outcome: 'config-error',
      code: 'PRA-TRIGGER-02',
      message: expect.stringMatching(
        /^Failed to start 1 of 6 deployments for their stacks: the first because: Failed to start .*HTTP 404.*\. The other 5 were started\.$/,
      ),
    });
    expect(startsVerdict({ started: starts.started, failed: [] }).message).toBe(
      '5 deployments were started.',
    );
    expect(startsVerdict({ started: [], failed: starts.failed }).message).toBe(starts.failed[0]?.message);
  });

  it('are given up when Pulumi Cloud answers no requests', async () => {
    const many = Array.from({ length: 40 }, (_, index) => stackNamed(`acme/web/s${index}`));
    const { cloud, starting, calls } = await organization({
      stacks: many.map(({ stack }) => `web/${stack}`),
    });
    cloud.script({ ...POST, times: Number.POSITIVE_INFINITY, answer: { status: 503 } });
    const { started, failed } = await startDeployments(many, { ...starting, retryCount: 0 });
    expect({ started: started.length, failed: failed.length }).toEqual({ started: 0, failed: 40 });
    expect(calls('POST')).toBeLessThanOrEqual(8);
    expect(failed.filter(({ message }) => message.includes('was not tried')).length).toBeGreaterThanOrEqual(
      32,
    );
    expect(new Set(failed.map(({ outcome }) => outcome))).toEqual(new Set(['cloud-unreachable']));
  });

  it('are not started once the agent is asked to stop', async () => {
    const { starting } = await organization({ stacks: NAMES });
    const stop = new AbortController();
    const clock = new ManualClock(0);
    const starts = startDeployments(STACKS, { ...starting, clock, signal: stop.signal }, 60_000);
    await clock.asleep();
    stop.abort();
    const { started, failed } = await starts;
    expect(started).toEqual([]);
    expect(failed.map(({ outcome }) => outcome)).toEqual(NAMES.map(() => 'interrupted'));
  });
});

it('a stop after a lost answer does not claim that nothing was started', async () => {
  const { cloud, starting } = await organization();
  cloud.script({ ...POST, when: 'after', answer: 'reset' });
  const stop = new AbortController();
  const clock = { ...starting.clock, sleep: () => Promise.reject(stop.signal.reason) };
  const log = () =>
    stop.abort(
      new OutcomeError('interrupted', 'The agent was asked to stop before it was done.', {
        code: 'PRA-JOB-05',
      }),
    );
  const { failed } = await startDeployments([PROD], { ...starting, clock, log, signal: stop.signal });
  expect(cloud.deployments).toHaveLength(1);
  expect(failed).toEqual([
    {
      stack: 'acme/web/prod',
      outcome: 'interrupted',
      code: 'PRA-TRIGGER-01',
      message: expect.stringMatching(
        /^Failed to start detect-drift for acme\/web\/prod: .*; whether it was started is unknown: the agent was asked to stop\. Check the stack's deployments /,
      ),
    },
  ]);
});

describe('what the configuration asks for', () => {
  const configured = async (options: PulumiCloudOptions = {}) => {
    const { cloud, api, log, starting } = await organization(options);
    const keys = {
      access_token: 'pul-1',
      request_retry_count: '0',
      trigger: 'acme/web/prod',
      operation: 'refresh',
    };
    const config = configOf({ ...keys, service_url: cloud.url }, 'trigger');
    return { cloud, log, options: { ...starting, api, config } };
  };

  it('is not started while the deployments are paused', async () => {
    const { cloud, options } = await configured({ paused: true });
    await expect(startConfigured(options)).rejects.toMatchObject({
      outcome: 'failed',
      message: 'Failed to start refresh for acme: its deployments are paused. Resume them in Pulumi Cloud.',
    });
    expect(cloud.deployments).toEqual([]);
  });

  it.each<[string, FaultAnswer, number]>([
    ['does not report its load', { status: 404 }, 0],
    ['cuts the connection when asked for its load', 'reset', 1],
    ['refuses to report its load', { status: 401 }, 1],
  ])('is started when Pulumi Cloud %s', async (_, answer, warnings) => {
    const { cloud, log, options } = await configured();
    cloud.script({ method: 'GET', path: /metadata$/, times: Infinity, answer });
    expect((await startConfigured(options)).started).toHaveLength(1);
    const told = log.filter((line) => line.startsWith('warning: '));
    expect(told).toHaveLength(warnings);
    for (const line of told)
      expect(line).toMatch(/^warning: The load of acme can't be read, but nothing depends on it: Failed to /);
  });

  it('is started after ten seconds when Pulumi Cloud never answers how high its load is', async () => {
    const { cloud, log, options } = await configured();
    cloud.script({ method: 'GET', path: /metadata$/, times: Infinity, answer: 'hang' });
    const clock = new ManualClock();
    const starts = startConfigured({ ...options, clock });
    await cloud.waitFor(() => cloud.requests.length > 0);
    await clock.advance(9_999);
    expect(cloud.requests).toHaveLength(1);
    await clock.advance(1);
    expect((await starts).started).toHaveLength(1);
    expect(log[0]).toBe(
      "warning: The load of acme can't be read, but nothing depends on it: no answer within 10 s",
    );
    expect(clock.sleeping).toBe(0);
  });

  it('is not started when the agent is asked to stop while it waits for the load', async () => {
    const { cloud, log, options } = await configured();
    cloud.script({ method: 'GET', path: /metadata$/, times: Infinity, answer: 'hang' });
    const stop = new AbortController();
    await Promise.all([
      expect(startConfigured({ ...options, signal: stop.signal })).rejects.toThrow('enough'),
      cloud.waitFor(() => cloud.requests.length > 0).then(() => stop.abort(new Error('enough'))),
    ]);
    expect(log).toEqual([]);
  });
});
