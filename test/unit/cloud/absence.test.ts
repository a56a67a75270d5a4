import { expect, it } from 'vitest';
import { Absence } from '../../../src/cloud/jobs.ts';
import { ManualClock } from '../../support/job/manual-clock.ts';

/** Notes a status every ten seconds. Returns each time that the job's absence was proven, in seconds. */
function noted(statuses: readonly (number | undefined)[]) {
  const clock = new ManualClock();
  const proven: number[] = [];
  const absence = new Absence(clock, () => proven.push((clock.steady() - started) / 1000));
  const started = clock.steady();
  for (const status of statuses) {
    absence.note(status);
    // Wall-clock changes must not matter.
    clock.set(3_600_000);
    clock.pass(10_000);
  }
  return proven;
}
const times = (count: number, status: number | undefined) => Array<number | undefined>(count).fill(status);

it('a job is gone once every call about it has been answered with 404 or 410 for a minute', () => {
  expect(noted([...times(3, 404), ...times(20, 410)])).toEqual([60]);
});

it.each([200, 401, 403, 500, 503, undefined])('a job is not gone while there is a %s among the answers', (other) => {
  expect(noted([...times(6, 404), other, ...times(6, 404)])).toEqual([]);
});

it('a job is gone a minute after the last other answer', () => {
  expect(noted([...times(6, 404), 200, ...times(7, 404)])).toEqual([130]);
});
