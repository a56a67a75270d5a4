import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type BlobStore, startBlobStore } from '../emulators/github/azurite.ts';
import { draw, inWords } from '../support/random-faults/plan.ts';
import { broken } from '../support/random-faults/rules.ts';
import { play } from '../support/random-faults/run.ts';

/** Together they have each failure, each strike and moment, both kinds, and each kind of output. */
const SEEDS = [79, 107, 160, 405, 881, 1002, 1210, 1793, 2045, 2683];

vi.setConfig({ maxConcurrency: 3, testTimeout: 240_000 });

let blobs: BlobStore;
beforeAll(async () => {
  blobs = await startBlobStore();
});
afterAll(() => blobs.stop());

describe.concurrent('a run with random faults keeps every rule', () => {
  it.each(SEEDS.map((seed) => [seed, inWords(draw(seed))]))('%i: %s', async (seed) => {
    const { seen, broken: found } = await play(draw(Number(seed)), blobs, broken);
    expect(found, `seed ${seed}, files in ${seen.directory}`).toEqual([]);
  });
});
