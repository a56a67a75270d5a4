import { describe, expect, it } from 'vitest';
import { changesBy, driftRunIn, updatesIn } from '../../../src/cloud/deployment-wire.ts';
import { driftIn, isOver, resultOfRun } from '../../../src/cloud/deployments/result.ts';
import { deploymentPageSchema, stackPageSchema } from '../../../src/cloud/organization-wire.ts';

const update = (kind: string, startTime: number, resourceChanges: unknown) => ({
  info: { kind, startTime, resourceChanges },
});

describe("a deployment's resource changes", () => {
  it.each<[string, readonly unknown[], object | undefined]>([
    [
      'of its update, not of the preview before it',
      [update('update', 2, { create: 2 }), update('Pupdate', 1, { create: 2 })],
      { create: 2 },
    ],
    [
      'of the last update of a kind',
      [update('update', 9, { create: 1 }), update('update', 5, { create: 2 })],
      { create: 1 },
    ],
    [
      'of every kind',
      [update('refresh', 1, { same: 3 }), update('update', 2, { same: 2, create: 1 })],
      { same: 5, create: 1 },
    ],
    ['of a preview, if there is nothing else', [update('preview', 1, { create: 2 })], { create: 2 }],
    ['of updates without a kind', [{ info: { resourceChanges: { same: 1 } } }], { same: 1 }],
    [
      'that can be counts',
      [update('update', 1, { create: -5, same: 1.5, update: 1e308, delete: '2', replace: 3, import: null })],
      { replace: 3 },
    ],
    ['none, if they are not counted', [update('update', 1, null)], {}],
    ['unknown without an update', [], undefined],
  ])('are those %s', (_, updates, expected) => {
    expect(changesBy(updatesIn(updates))).toEqual(expected);
  });
});

describe('a drift run', () => {
  it.each<[detected: boolean, status: string | undefined, drift: boolean | undefined]>([
    [true, 'succeeded', true],
    [false, 'succeeded', false],
    [true, 'failed', true],
    [false, 'failed', undefined],
    [false, 'skipped', undefined],
    [false, undefined, false],
  ])('that says %s and %s proves drift: %s', (driftDetected, status, drift) => {
    const run = driftRunIn({ driftRuns: [{ deploymentId: 'd', driftDetected, status }] }, 'd');
    expect(run && { isOver: isOver(run), drift: driftIn(run) }).toEqual({ isOver: true, drift });
  });

  it.each(['not-started', 'accepted', 'running'])('that is %s is not over', (status) => {
    expect(isOver({ driftDetected: false, status })).toBe(false);
  });

  it.each<[detectUpdate: unknown, changes: Record<string, number>]>([
    [{ resourceChanges: { same: 9, update: 2, delete: 1, create: 0 } }, { update: 2, delete: 1 }],
    [{ resourceChanges: { 'delete-replaced': 1, '<b>': 1, '::error::x': 2 } }, { 'delete-replaced': 1 }],
    [{ resourceChanges: null }, {}],
    [{ resourceChanges: { update: 'many' } }, {}],
    [null, {}],
    [undefined, {}],
  ])('whose update is %j found what differs, by operation', (detectUpdate, changes) => {
    const [found, none] = [true, false].map((driftDetected) =>
      driftRunIn(
        { driftRuns: [{ id: 'r', deploymentId: 'd', driftDetected, status: 'succeeded', detectUpdate }] },
        'd',
      ),
    );
    expect(found && resultOfRun(found)).toEqual({ drift: true, driftRun: { id: 'r', changes } });
    expect(none && resultOfRun(none)).toEqual({ drift: false });
  });

  it('is read from its own list alone', () => {
    const other = { other: [{ deploymentId: 'd', driftDetected: true, status: 'succeeded' }] };
    expect(driftRunIn({ ...other, driftRuns: null }, 'd')).toBeUndefined();
  });
});

it('a null list of Go is an empty one', () => {
  expect(deploymentPageSchema.parse({ deployments: null, total: 0 })).toEqual({ deployments: [], total: 0 });
  expect(stackPageSchema.parse({ stacks: null }).stacks).toEqual([]);
});
