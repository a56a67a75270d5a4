import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type BlobStore, startBlobStore } from '../emulators/github/azurite.ts';
import { draw, inWords, type Plan, SEEDS } from '../support/random-faults/plan.ts';
import { broken } from '../support/random-faults/rules.ts';
import { play } from '../support/random-faults/run.ts';

vi.setConfig({ maxConcurrency: 3, testTimeout: 240_000 });

/** Half of a pool's queue, for time's sake: `scripts/random-faults` plays all of it. */
function shortened(plan: Plan): Plan {
  const { pool } = plan;
  return pool === undefined ? plan : { ...plan, pool: { ...pool, deployments: pool.deployments / 2 } };
}
const PLANS = SEEDS.map((seed) => shortened(draw(seed)));

let blobs: BlobStore;
beforeAll(async () => {
  blobs = await startBlobStore();
});
afterAll(() => blobs.stop());

describe.concurrent('a run with random faults keeps every rule', () => {
  it.each(PLANS.map((plan) => [plan.seed, inWords(plan), plan] as const))('%i: %s', async (seed, _, plan) => {
    const { seen, broken: found } = await play(plan, blobs, broken);
    expect(found, `seed ${seed}, files in ${seen.directory}: ${found.join('; ')}`).toEqual([]);
  });
});
