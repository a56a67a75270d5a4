import { expect, it } from 'vitest';
import { CloudRefusedError } from '../../../src/cloud/errors.ts';
import { Outage } from '../../../src/cloud/outage.ts';
import { ManualClock } from '../../support/job/manual-clock.ts';

it('an outage is said once with the entry that helps, the rest is for debugging, and so is its end, each time', () => {
  const clock = new ManualClock();
  const said: string[] = [];
  const outage = new Outage({ what: 'Polling', say: (level, message) => said.push(`${level}: ${message}`), clock });
  outage.over();
  expect(said).toEqual([]);
  outage.failed(new CloudRefusedError(403, 'HTTP 403.', { code: 'PRA-CLOUD-01' }));
  clock.pass(41_600);
  outage.failed('no answer');
  clock.pass(8_000);
  outage.over();
  outage.over();
  outage.failed(new Error('HTTP 502'));
  clock.pass(3_000);
  outage.over();
  expect(said).toEqual([
    'warning: HTTP 403. See PRA-CLOUD-01',
    'debug: no answer',
    'info: Polling works again after 2 failures in 50 s.',
    'warning: HTTP 502',
    'info: Polling works again after 1 failure in 3 s.',
  ]);
});
