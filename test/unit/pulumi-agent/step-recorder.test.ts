import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Redactor } from '../../../src/base/log/redactor.ts';
import { StepRecorder } from '../../../src/pulumi-agent/recorder/step-recorder.ts';
import { ManualClock } from '../../support/job/manual-clock.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

it('a step that has ended keeps no file open, and a second end changes nothing', async () => {
  const absolute = join(await temporaryDirectory(), 'step.log');
  const step = new StepRecorder({
    ...{ index: 1, name: 'up', redactor: new Redactor(), clock: new ManualClock() },
    record: {
      event: () => undefined,
      notice: () => undefined,
      stepLog: () => ({ relative: 'step.log', absolute }),
    },
  });
  // A descriptor may be closed before its link is read.
  const isOpen = () =>
    readdirSync('/proc/self/fd').some((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`) === absolute;
      } catch {
        return false;
      }
    });
  expect(isOpen()).toBe(true);
  const result = await step.finish({ status: 'succeeded', exitCode: 0 });
  expect(await step.finish({ status: 'failed' })).toBe(result);
  expect({ isOpen: isOpen(), end: step.end }).toEqual({
    isOpen: false,
    end: { status: 'succeeded', exitCode: 0 },
  });
});
