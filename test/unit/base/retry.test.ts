import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NEVER, systemClock } from '../../../src/base/clock.ts';
import { retry } from '../../../src/base/retry.ts';

/** Fails `failures` times, is given up after `most` of them, and notes each pause. */
async function tried(failures: number, most: number) {
  let attempts = 0;
  const pauses: number[] = [];
  const result = retry(
    async () => {
      attempts += 1;
      if (attempts <= failures) throw new Error(`failure ${attempts}`);
      return 'done';
    },
    (_, count) => (count > most ? undefined : count * 10),
    { clock: { sleep: async (ms) => void pauses.push(ms) }, signal: NEVER },
  );
  const settled = await result.catch((error: Error) => error.message);
  return { settled, attempts, pauses };
}

it('an attempt is repeated after each pause until it succeeds, or the last failure is thrown', async () => {
  const counts = fc.record({ failures: fc.nat(20), most: fc.nat(20) });
  await fc.assert(
    fc.asyncProperty(counts, async ({ failures, most }) => {
      const pauses = Math.min(failures, most);
      expect(await tried(failures, most)).toEqual({
        settled: failures <= most ? 'done' : `failure ${most + 1}`,
        attempts: pauses + 1,
        pauses: Array.from({ length: pauses }, (_, index) => (index + 1) * 10),
      });
    }),
  );
});

it('a retry ends with the reason of the signal that ends its pause', async () => {
  const stopped = new Error('stopped');
  const retrying = retry(
    () => Promise.reject(new Error('busy')),
    () => 1,
    { clock: systemClock, signal: AbortSignal.abort(stopped) },
  );
  await expect(retrying).rejects.toBe(stopped);
});
