import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DurationError,
  durationFromJob,
  formatDuration,
  parseNanoseconds,
  parsePositiveDuration,
} from '../../../src/config/duration.ts';

type GoRow = [text: string, nanoseconds: string | null, written: string | null];
const goRows = JSON.parse(readFileSync(new URL('go-durations.json', import.meta.url), 'utf8')) as GoRow[];

const UNITS: Record<string, bigint> = {
  ns: 1n,
  us: 10n ** 3n,
  µs: 10n ** 3n,
  μs: 10n ** 3n,
  ms: 10n ** 6n,
  s: 10n ** 9n,
  m: 60n * 10n ** 9n,
  h: 3600n * 10n ** 9n,
};
interface Term {
  whole: string;
  fraction: string;
  unit: string;
}
const digits = (shape: { minLength: number; maxLength: number }) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), ...shape });
const term = fc
  .record({
    whole: digits({ minLength: 0, maxLength: 6 }),
    fraction: digits({ minLength: 0, maxLength: 12 }),
    unit: fc.constantFrom(...Object.keys(UNITS)),
  })
  .filter(({ whole, fraction }) => whole !== '' || fraction !== '');
const write = ({ whole, fraction, unit }: Term): string => `${whole}${fraction === '' ? '' : `.${fraction}`}${unit}`;

/** The slow reference: exact decimal arithmetic, a fraction of a nanosecond cut off term by term. */
function exactly(terms: readonly Term[]): bigint {
  return terms.reduce((sum, { whole, fraction, unit }) => {
    const scaled = BigInt(`${whole}${fraction}`) * (UNITS[unit] ?? 0n);
    return sum + scaled / 10n ** BigInt(fraction.length);
  }, 0n);
}

describe('parseNanoseconds', () => {
  it(`reads ${goRows.length} texts as Go does`, () => {
    const read = (text: string): string | null => {
      try {
        return parseNanoseconds(text).toString();
      } catch (error) {
        if (error instanceof DurationError) return null;
        throw error;
      }
    };
    expect(goRows.map(([text]) => [text, read(text)])).toEqual(
      goRows.map(([text, nanoseconds]) => [text, nanoseconds]),
    );
  });

  it('agrees with exact arithmetic but for the float64 rounding Go has in a fraction', () => {
    fc.assert(
      fc.property(fc.constantFrom('', '+', '-'), fc.array(term, { minLength: 1, maxLength: 5 }), (sign, terms) => {
        const parsed = parseNanoseconds(`${sign}${terms.map(write).join('')}`);
        const expected = sign === '-' ? -exactly(terms) : exactly(terms);
        const difference = parsed > expected ? parsed - expected : expected - parsed;
        expect(difference).toBeLessThanOrEqual(BigInt(terms.filter(({ fraction }) => fraction !== '').length));
      }),
      { numRuns: 2000 },
    );
  });

  it('takes a very long text', () => {
    expect(() => parseNanoseconds(`${'9'.repeat(1_000_000)}h`)).toThrow(DurationError);
    expect(parseNanoseconds(`0.${'3'.repeat(1_000_000)}ns`)).toBe(0n);
    expect(() => parseNanoseconds(`1${'h'.repeat(1_000_000)}`)).toThrow(DurationError);
  });

  it.each([
    ['', '"" is not a duration'],
    ['30', '"30" has no unit'],
    ['1d', '"1d" has the unknown unit "d"; the units are ns, us, ms, s, m and h'],
    ['3000000h', '"3000000h" is longer than the longest duration, 2562047h47m16.854s'],
  ])('says what is wrong with %j', (text, sentence) => {
    expect(() => parseNanoseconds(text)).toThrow(sentence);
  });
});

describe('parsePositiveDuration', () => {
  it.each([
    ['1ns', 1],
    ['999999ns', 1],
    ['1ms', 1],
    ['1.000001ms', 2],
    ['1h30m', 5_400_000],
    ['9223372036854775807ns', 9_223_372_036_855],
  ])('rounds %j up to %d ms', (text, milliseconds) => {
    expect(parsePositiveDuration(text)).toBe(milliseconds);
  });

  it('refuses what is negative, however small', () => {
    expect(() => parsePositiveDuration('-1ns')).toThrow('"-1ns" is negative');
    expect(() => parsePositiveDuration('-1ns', { allowZero: true })).toThrow('"-1ns" is negative');
  });

  it('takes zero only where it is allowed', () => {
    expect(() => parsePositiveDuration('0s')).toThrow('"0s" must be longer than 0s');
    expect(parsePositiveDuration('0s', { allowZero: true })).toBe(0);
    expect(parsePositiveDuration('1ns')).toBe(1);
  });
});

describe('durationFromJob', () => {
  it('reads Go text, and numbers as nanoseconds', () => {
    expect(durationFromJob('1h0m0s')).toBe(3_600_000);
    expect(durationFromJob(3_600_000_000_000)).toBe(3_600_000);
    expect(durationFromJob(1)).toBe(1);
    expect(durationFromJob(0)).toBe(0);
    expect(durationFromJob('0s')).toBe(0);
    expect(durationFromJob(undefined)).toBeUndefined();
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 63, '-1s', '3600', ''])('refuses %j', (value) => {
    expect(() => durationFromJob(value)).toThrow(DurationError);
  });
});

describe('formatDuration', () => {
  it('writes whole milliseconds as Go does', () => {
    const rows = goRows.flatMap(([, nanoseconds, written]) =>
      nanoseconds !== null && BigInt(nanoseconds) >= 0n && BigInt(nanoseconds) % 1_000_000n === 0n
        ? [{ milliseconds: Number(BigInt(nanoseconds) / 1_000_000n), written }]
        : [],
    );
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.map(({ milliseconds }) => formatDuration(milliseconds))).toEqual(rows.map(({ written }) => written));
  });

  it('is read back as the same number of milliseconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9_223_372_036_854 }), (milliseconds) => {
        expect(parsePositiveDuration(formatDuration(milliseconds), { allowZero: true })).toBe(milliseconds);
      }),
    );
  });
});
