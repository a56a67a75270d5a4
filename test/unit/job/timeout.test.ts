import { describe, expect, it } from 'vitest';
import { JobDefinitionError } from '../../../src/cloud/errors.ts';
import { parseJobDefinition } from '../../../src/cloud/wire.ts';
import { checkTimeouts, timeoutMs } from '../../../src/job/timeout.ts';

describe('a timeout', () => {
  it.each<[string | number | undefined, number | undefined]>([
    [undefined, undefined],
    ['1h0m0s', 3_600_000],
    ['250ms', 250],
    [1_500_000_000, 1_500],
    // Go writes a zero duration, which stands for none, as any of these.
    ['0s', undefined],
    ['0', undefined],
    ['0h0m0s', undefined],
  ])('of %j is %j ms', (timeout, expected) => {
    expect(timeoutMs(timeout, 'the job')).toBe(expected);
  });

  it.each(['soon', '-5s', '5', -1, 1.5, Number.NaN, '1 h'])('of %j is refused by its name', (timeout) => {
    expect(() => timeoutMs(timeout, 'step 3')).toThrow(JobDefinitionError);
    expect(() => timeoutMs(timeout, 'step 3')).toThrow(/^Failed to read the timeout for step 3: .*Correct it/);
  });

  it('of any part of a job is looked at before the job begins', () => {
    const job = (timeout: unknown, step: unknown) =>
      parseJobDefinition({ timeout, steps: [{}, { timeout: step }] }, 'j');
    expect(() => checkTimeouts(job('1h', '2s'))).not.toThrow();
    expect(() => checkTimeouts(job('later', undefined))).toThrow('the job');
    expect(() => checkTimeouts(job(undefined, 'later'))).toThrow('step 1');
  });
});
