import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Redactor } from '../../../src/log/redactor.ts';
import { RecordedStep } from '../../../src/record/recorded-step.ts';
import type { RecordEventBody } from '../../../src/record/schema.ts';
import { ManualClock } from '../../support/job/manual-clock.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

it('a step says how many lines neither disk nor memory could hold', async () => {
  const absolute = join(await temporaryDirectory(), 'no folder', 'step.log');
  const [events, notices]: [RecordEventBody[], string[]] = [[], []];
  const step = new RecordedStep({
    ...{ index: 1, name: 'up', redactor: new Redactor(), clock: new ManualClock() },
    record: { event: (event) => events.push(event), stepLog: () => ({ relative: 'steps/01-up.log', absolute }) },
    notice: (message) => notices.push(message),
  });
  const line = Buffer.from(`${'x'.repeat(1024 ** 2 - 1)}\n`);
  for (let count = 1; count <= 6; count += 1) await step.log.write(line);
  const result = await step.finish({ status: 'succeeded', exitCode: 0 });
  expect(result).toMatchObject({ index: 1, name: 'up', status: 'succeeded', lost: 2 });
  expect(result).not.toHaveProperty('sha256');
  expect(notices).toEqual([
    expect.stringMatching(/^Failed to create the step log .+: ENOENT.+See PRA-/s),
    'Lost 2 lines of step 1: neither disk nor memory could hold more.',
  ]);
  expect(events.map(({ type }) => type)).toEqual(['step-started', 'step-finished']);
});
