import { describe, expect, it } from 'vitest';
import type { DeploymentState } from '../../../src/cloud/deployments.ts';
import { CloudUnreachableError } from '../../../src/cloud/errors.ts';
import { cancelled } from '../../../src/job/cancellation.ts';
import { ManualClock } from './manual-clock.ts';

type Look = DeploymentState | Error;

/** Watches a deployment that stands as `looks` say, one after the other, the last for ever. */
function watching(...looks: readonly [Look, ...Look[]]) {
  const clock = new ManualClock();
  const ended = new AbortController();
  const seen = { looks: [] as number[], failures: [] as unknown[] };
  const started = clock.now();
  const result = cancelled({
    state: () => {
      seen.looks.push(clock.now() - started);
      const look = looks[Math.min(seen.looks.length, looks.length) - 1]!;
      return look instanceof Error ? Promise.reject(look) : Promise.resolve(look);
    },
    intervalMs: 30_000,
    clock,
    signal: ended.signal,
    onFailure: (error) => seen.failures.push(error),
  });
  const stop = async () => {
    ended.abort();
    return result;
  };
  return { clock, seen, result, stop };
}

describe('a cancellation', () => {
  it('is an end that is seen twice, the second time a second later', async () => {
    const { clock, seen, result } = watching('running', 'ended');
    await clock.asleep();
    await clock.advance(61_000);
    expect(await result).toBe(true);
    expect(seen.looks).toEqual([30_000, 60_000, 61_000]);
  });

  it('is not an end that was seen once', async () => {
    const { clock, seen, stop } = watching('ended', 'running', 'ended', 'running');
    await clock.asleep();
    await clock.advance(121_000);
    expect(await stop()).toBe(false);
    expect(seen.looks).toEqual([30_000, 31_000, 61_000, 62_000, 92_000]);
  });

  it('is confirmed across looks that say nothing', async () => {
    const { clock, result, seen } = watching('ended', 'unknown', new CloudUnreachableError('down'), 'ended');
    await clock.asleep();
    await clock.advance(33_000);
    expect(await result).toBe(true);
    expect(seen.looks).toEqual([30_000, 31_000, 32_000, 33_000]);
  });

  it.each<Look>(['running', 'unknown', new CloudUnreachableError('down'), new Error('HTTP 401')])(
    'is never %s',
    async (look) => {
      const { clock, seen, stop } = watching(look);
      await clock.asleep();
      await clock.advance(600_000);
      expect(await stop()).toBe(false);
      expect(seen.looks).toHaveLength(20);
      expect(seen.failures).toHaveLength(look instanceof Error ? 20 : 0);
      expect(clock.sleeping).toBe(0);
    },
  );

  it('is looked for no more once the job has ended, not even by the look in flight', async () => {
    const clock = new ManualClock();
    const ended = new AbortController();
    const failures: unknown[] = [];
    const result = cancelled({
      state: (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      intervalMs: 30_000,
      clock,
      signal: ended.signal,
      onFailure: (error) => failures.push(error),
    });
    await clock.next();
    ended.abort();
    expect(await result).toBe(false);
    expect(failures).toEqual([]);
  });

  it('is confirmed no later than an interval that is shorter than a second', async () => {
    const clock = new ManualClock();
    const result = cancelled({
      state: () => Promise.resolve('ended'),
      intervalMs: 100,
      clock,
      signal: new AbortController().signal,
      onFailure: () => undefined,
    });
    await clock.asleep();
    await clock.advance(200);
    expect(await result).toBe(true);
  });
});
