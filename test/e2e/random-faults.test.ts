import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type BlobStore, startBlobStore } from '../emulators/github/azurite.ts';
import { draw, inWords, SEEDS } from '../support/random-faults/plan.ts';
import { broken } from '../support/random-faults/rules.ts';
import { play } from '../support/random-faults/run.ts';

vi.setConfig({ maxConcurrency: 3, testTimeout: 240_000 });

let blobs: BlobStore;
beforeAll(async () => {
  blobs = await startBlobStore();
});
afterAll(() => blobs.stop());

describe.concurrent('a run with random faults keeps every rule', () => {
  it.each(SEEDS.map((seed) => [seed, inWords(draw(seed))]))('%i: %s', async (seed) => {
    const { seen, broken: found } = await play(draw(Number(seed)), blobs, broken);
    expect(found, `seed ${seed}, files in ${seen.directory}: ${found.join('; ')}`).toEqual([]);
  });
});
