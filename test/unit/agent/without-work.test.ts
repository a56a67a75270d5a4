import { expect, it } from 'vitest';
import { endWithoutWork } from '../../../src/agent/runs/end.ts';
import { OutcomeError } from '../../../src/base/outcome.ts';

const POOL = { runnerPoolId: 'pool-1', organizationName: 'acme', maxWaitMs: 120_000 };

it.each([
  [POOL, 'No deployment was queued for pool pool-1 of acme within 2 minutes.'],
  [{ maxWaitMs: 30_000 }, "No deployment was queued for the token's pool within 30 seconds."],
  [{}, "No deployment was queued for the token's pool in time."],
])('a wait without work and with %j names pool, organization and time', (config, message) => {
  const end = endWithoutWork('no-work', { singleRun: true, served: 0, ...config }, undefined);
  expect(end).toEqual({ outcome: 'no-work', message });
});

it.each(['no-work', 'drained'] as const)('a start that failed decides a wait that ended %s', (ended) => {
  const failure = {
    error: new OutcomeError('failed', 'Failed to start.', { code: 'PRA-TRIGGER-01' }),
  };
  for (const served of [0, 1])
    expect(endWithoutWork(ended, { singleRun: false, served, ...POOL }, failure)).toMatchObject({
      outcome: 'failed',
      message: 'Failed to start.',
    });
});
