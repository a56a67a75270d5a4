import { expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import type { Outcome } from '../../../../src/base/outcome.ts';
import type { DeploymentApi } from '../../../../src/cloud/deployment-api.ts';
import type { DriftRun } from '../../../../src/cloud/deployment-wire.ts';
import { resultOf } from '../../../../src/cloud/deployments/result.ts';

const NAME = {
  stack: { organization: 'acme', project: 'web', stack: 'dev' },
  deploymentId: 'd',
};
const changed = { resourceChanges: { same: 1, update: 2 } };
const found = { id: 'r', driftDetected: true, detectUpdate: changed };
const none = { id: 'r', driftDetected: false };
const driftRun = { id: 'r', changes: { update: 2 } };

it.each<[outcome: Outcome, run: DriftRun | undefined, result: object]>([
  ['succeeded', { ...found, status: 'succeeded' }, { drift: true, driftRun }],
  ['succeeded', { ...none, status: 'succeeded' }, { drift: false }],
  // Pulumi's pages differ on whether a detection that finds drift fails.
  ['failed', { ...found, status: 'failed' }, { drift: true, driftRun }],
  ['failed', { ...none, status: 'failed' }, {}],
  ['failed', { ...found, status: 'running' }, {}],
  ['failed', { ...none, status: 'succeeded' }, {}],
  ['failed', undefined, {}],
  ['interrupted', { ...found, status: 'failed' }, {}],
])('a drift detection that ended as %s, of the run %j, found %j', async (outcome, run, result) => {
  const api = {
    driftRun: async () => run,
    drift: async () => expect.fail('the stack was asked'),
  } as unknown as DeploymentApi;
  const signal = new AbortController().signal;
  const options = { api, signal, clock: systemClock, log: () => undefined };
  expect(await resultOf(NAME, { operation: 'detect-drift', outcome, updates: [] }, options)).toEqual(result);
});
