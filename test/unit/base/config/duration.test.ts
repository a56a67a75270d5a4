import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  durationFromJob,
  formatDuration,
  parsePositiveDuration,
} from '../../../../src/base/config/duration.ts';

describe('a duration', () => {
  // As in Go's time.ParseDuration, but rounded up to whole milliseconds.
  it.each([
    ['1ns', 1],
    ['1.000001ms', 2],
    ['1.005s', 1_005],
    ['.5h', 1_800_000],
    ['1.h', 3_600_000],
    ['+1m0.5s', 60_500],
    ['30s1h', 3_630_000],
    ['1500us', 2],
    ['3000μs', 3],
  ])('written as %j is %d ms', (text, milliseconds) => {
    expect(parsePositiveDuration(text)).toBe(milliseconds);
  });

  it.each([
    ['', '"" is not a duration'],
    ['s', '"s" is not a duration'],
    ['1h0', '"1h0" has no unit'],
    ['1d', '"1d" has the unknown unit "d"; the units are ns, us, ms, s, m and h'],
    ['1constructor', 'has the unknown unit "constructor"'],
    ['-1ns', '"-1ns" is negative'],
    ['0s', '"0s" must be longer than 0s'],
  ])('cannot be %j', (text, sentence) => {
    expect(() => parsePositiveDuration(text)).toThrow(sentence);
  });

  it('may be a very long text', () => {
    expect(parsePositiveDuration(`${'9'.repeat(100_000)}h`)).toBe(Number.POSITIVE_INFINITY);
    expect(() => parsePositiveDuration(`1${'h'.repeat(100_000)}`)).toThrow('has the unknown unit');
  });

  it('may be zero only where that is allowed', () => {
    for (const zero of ['0', '-0', '0s']) expect(parsePositiveDuration(zero, { allowZero: true })).toBe(0);
    expect(() => parsePositiveDuration('-1ns', { allowZero: true })).toThrow('"-1ns" is negative');
  });

  it('is written as in Go, and read back as the same number of milliseconds', () => {
    const written = [0, 1, 300, 1_000, 1_500, 60_000, 3_600_500, 90_061_001].map(formatDuration);
    expect(written).toEqual(['0s', '1ms', '300ms', '1s', '1.5s', '1m0s', '1h0m0.5s', '25h1m1.001s']);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (milliseconds) => {
        expect(parsePositiveDuration(formatDuration(milliseconds), { allowZero: true })).toBe(milliseconds);
      }),
    );
  });
});

describe('durationFromJob', () => {
  it('reads Go text, and numbers as nanoseconds', () => {
    const read = ['1h0m0s', '0s', 3_600_000_000_000, 1, 0].map(durationFromJob);
    expect(read).toEqual([3_600_000, 0, 3_600_000, 1, 0]);
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '-1s', '3600', ''])('refuses %j', (value) => {
    expect(() => durationFromJob(value)).toThrow(RangeError);
  });
});
