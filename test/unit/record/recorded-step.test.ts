import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { Redactor } from '../../../src/base/log/redactor.ts';
import { RecordedStep } from '../../../src/record/recorded-step.ts';
import type { RecordEventBody } from '../../../src/record/schema.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

/** Begins step 1, whose log is the file `name` in an empty folder. */
async function begun(name: string) {
  const absolute = join(await temporaryDirectory(), name);
  const events: RecordEventBody[] = [];
  const notices: string[] = [];
  const record = {
    stepLog: () => ({ relative: 'steps/01-up.log', absolute }),
    event: (event: RecordEventBody) => void events.push(event),
    notice: () => undefined,
  };
  const notice = (message: string) => void notices.push(message);
  const sources = { record, notice, redactor: new Redactor(), clock: systemClock };
  return { step: new RecordedStep(1, 'up', sources), events, notices };
}

it('a step that ran elsewhere has the times reported for it, and no others', async () => {
  const { step, events, notices } = await begun('up.log');
  await step.log.line('one');
  const startedAt = '2026-06-18T10:00:00.000Z';
  const result = await step.finish({ status: 'failed', reason: 'why' }, { startedAt, seconds: 7 });
  step.file.close();
  expect(result).toEqual({
    ...{ index: 1, name: 'up', status: 'failed', reason: 'why', startedAt },
    ...{ log: 'steps/01-up.log', lines: 1, bytes: 4, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  expect(events).toEqual([
    { type: 'step-started', index: 1, step: 'up', log: 'steps/01-up.log' },
    { type: 'step-finished', index: 1, step: 'up', seconds: 7, lines: 1, status: 'failed', reason: 'why' },
  ]);
  expect(notices).toEqual([]);
});

it('lines that neither the disk nor memory could hold are counted and reported', async () => {
  const { step, notices } = await begun('no/up.log');
  const mebibyte = Buffer.alloc(1024 * 1024, 'x');
  for (let at = 0; at < 4; at += 1) step.file.write(mebibyte, 0);
  step.file.write(Buffer.from('\nlost\n'), 0);
  expect(await step.finish({ status: 'succeeded' })).toMatchObject({
    lost: 2,
    startedAt: expect.any(String),
  });
  expect(notices).toEqual([
    expect.stringMatching(/^Failed to create the step log .* See PRA-RECORD-10$/),
    'Lost 2 lines of step 1: neither the disk nor memory could hold more.',
  ]);
});
