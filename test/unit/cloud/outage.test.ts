import { expect, test } from 'vitest';
import { Outage } from '../../../src/cloud/outage.ts';
import { ManualClock } from '../../support/job/manual-clock.ts';

function watched() {
  const clock = new ManualClock();
  const said: string[] = [];
  const outage = new Outage({ what: 'Polling', say: (level, message) => said.push(`${level}: ${message}`), clock });
  return { clock, said, outage };
}

test('the first failure is a warning, and the rest are for debugging', () => {
  const { said, outage } = watched();
  outage.failed(new Error('HTTP 503'));
  outage.failed(new Error('HTTP 502'));
  outage.failed('no answer');
  expect(said).toEqual(['warning: HTTP 503', 'debug: HTTP 502', 'debug: no answer']);
});

test('the end is said once, with how often and how long it failed', () => {
  const { clock, said, outage } = watched();
  outage.failed(new Error('HTTP 503'));
  clock.pass(41_600);
  outage.failed(new Error('HTTP 503'));
  clock.pass(8_000);
  outage.over();
  outage.over();
  expect(said.slice(2)).toEqual(['info: Polling works again after 2 failures in 50 s.']);
});

test('a success without a failure before it says nothing', () => {
  const { said, outage } = watched();
  outage.over();
  expect(said).toEqual([]);
});

test('a second outage is told like the first', () => {
  const { clock, said, outage } = watched();
  for (let round = 1; round <= 2; round += 1) {
    outage.failed(new Error('HTTP 503'));
    clock.pass(3_000);
    outage.over();
  }
  const once = ['warning: HTTP 503', 'info: Polling works again after 1 failure in 3 s.'];
  expect(said).toEqual([...once, ...once]);
});
