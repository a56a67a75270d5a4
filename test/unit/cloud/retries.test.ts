import { expect, it } from 'vitest';
import { retryAfter } from '../../../src/cloud/attempt.ts';
import { pauseAfter, retryWait } from '../../../src/cloud/backoff.ts';
import { CloudRefusedError } from '../../../src/cloud/errors.ts';
import { ManualClock } from '../../support/job/manual-clock.ts';

it('the wait before a retry doubles up to its maximum, and all but half a second of it is random', () => {
  const wait = (attempt: number, random: number, askedMs?: number) =>
    retryWait(attempt, askedMs, { retryWaitMs: 20_000, retryMaxWaitMs: 120_000, random: () => random });
  expect([1, 2, 3, 4, 5].map((attempt) => wait(attempt, 1))).toEqual([
    20_000, 40_000, 80_000, 120_000, 120_000,
  ]);
  expect([1, 2, 5].map((attempt) => wait(attempt, 0.5))).toEqual([10_000, 20_000, 60_000]);
  expect(wait(1, 0)).toBe(500);
  expect(wait(5, 0)).toBe(500);
  expect(wait(1, 0.5, 0)).toBe(500);
  expect(wait(1, 0.5, 7_000)).toBe(7_000);
  expect(wait(1, 0.5, 3_600_000)).toBe(120_000);
  expect(retryWait(1, undefined, { retryWaitMs: 10, retryMaxWaitMs: 40, random: () => 0 })).toBe(10);
});

it('a job’s calls pause for at most 30 s, even when Pulumi Cloud asks for more', async () => {
  const clock = new ManualClock();
  const signal = AbortSignal.abort();
  const error = new CloudRefusedError(429, 'no', { code: 'PRA-CLOUD-09', retryAfterMs: 3_600_000 });
  await pauseAfter(1, error, clock, signal);
  for (let failures = 1; failures < 40; failures += 1)
    await pauseAfter(failures, new Error('no'), clock, signal);
  expect(clock.sleeps[0]).toBe(30_000);
  expect(clock.sleeps[1]).toBe(500);
  for (const ms of clock.sleeps) expect(ms >= 500 && ms <= 30_000).toBe(true);
});

it.each([
  [undefined, undefined],
  ['0', 0],
  ['30', 30_000],
  ['Thu, 18 Jun 2026 10:01:00 GMT', 60_000],
  ['Thu, 18 Jun 2026 09:59:00 GMT', 0],
  ['', undefined],
  ['1.5', undefined],
  ['-1', undefined],
  ['wait 5', undefined],
  ['Mon 5', undefined],
  ['Thu, 99 Jun 2026 10:01:00 GMT', undefined],
  [['5', '30'], 5_000],
  // At most a day: no timer can wait longer than 24 days.
  ['9'.repeat(400), 86_400_000],
  ['Thu, 18 Jun 9999 10:01:00 GMT', 86_400_000],
])('Retry-After of %j is %j milliseconds', (header, expected) => {
  expect(retryAfter(header, Date.parse('2026-06-18T10:00:00Z'))).toBe(expected);
});
