import { expect, it } from 'vitest';
import type { DeploymentView } from '../../../../src/cloud/deployment-wire.ts';
import { stacksOf } from '../../../../src/cloud/deployments/queue.ts';
import { elsewhereVerdict, ownVerdict } from '../../../../src/cloud/deployments/verdict.ts';

const OWN = { stack: 'acme/web/dev', operation: 'update', state: 'running', ranHere: false } as const;

it.each([
  [['succeeded', 'failed', 'not-started'], 'Pulumi Cloud calls it failed, in step 1.'],
  // Its agent died, so no step was reported as failed.
  [['succeeded', 'running', 'not-started'], 'Pulumi Cloud calls it failed, in step 1.'],
  [['not-started', 'not-started'], 'Pulumi Cloud calls it failed, before its first step.'],
] as const)('a deployment that ran elsewhere says where it failed, with steps %j', (statuses, how) => {
  const steps = statuses.map((status, step) => ({ name: `step ${step}`, status, job: 0, step }));
  const view: DeploymentView = { status: 'failed', createdAt: 0, steps };
  expect(elsewhereVerdict(OWN, view).message).toContain(`Failed to finish update of acme/web/dev: ${how}`);
});

it('a sentence names at most five stacks, and counts the rest', () => {
  const stacks = Array.from({ length: 7 }, (_, at) => ({ stack: `s${at}` }));
  expect(stacksOf(stacks.slice(0, 5))).toBe('s0, s1, s2, s3, s4');
  expect(stacksOf(stacks)).toBe('s0, s1, s2, s3, s4 and 2 more');
});

it.each([
  [['skipped'], 'skipped', 'dev0 skipped.'],
  [
    ['succeeded', 'skipped'],
    'skipped',
    'Pulumi Cloud skipped 1 of 2 deployments for newer ones: dev1. The others succeeded.',
  ],
  [['skipped', 'skipped'], 'skipped', 'Pulumi Cloud skipped 2 of 2 deployments for newer ones: dev0, dev1.'],
  [
    ['skipped', 'lease-lost'],
    'lease-lost',
    '1 of 2 deployments did not succeed: dev1. dev1: dev1 lease-lost.',
  ],
] as const)('deployments that ended %j are %s together', (outcomes, outcome, message) => {
  const list = outcomes.map((each, at) => {
    const stack = `dev${at}`;
    return { ...OWN, stack, state: 'ended', outcome: each, message: `${stack} ${each}.` } as const;
  });
  expect(ownVerdict(list, false, 1_000)).toEqual({ outcome, message });
});
