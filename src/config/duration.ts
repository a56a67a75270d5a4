import { quoteValue } from './problem.ts';

/**
 * Go's durations, read as Go's `time.ParseDuration` reads them (src/time/format.go).
 * Counted in nanoseconds as a bigint inside; handed out in whole milliseconds, rounded **away from zero**, so that
 * a positive duration never becomes 0, which many settings read as "none".
 */

const NANOSECONDS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n], // U+00B5 micro sign
  ['μs', 1_000n], // U+03BC Greek mu
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);
const INT64_MAX = 2n ** 63n - 1n;
const LARGEST_MAGNITUDE = 2n ** 63n; // that of int64's smallest value
const TERM = /^([0-9]*)(?:\.([0-9]*))?([^.0-9]*)/;

/** Why a text is no duration: a clause to follow the setting's name. */
export class DurationError extends Error {
  override readonly name = 'DurationError';
}

/**
 * The nanoseconds in a Go duration such as `300ms`, `-1.5h` or `1h30m`.
 * @throws DurationError
 */
export function parseNanoseconds(text: string): bigint {
  const shown = quoteValue(text);
  const negative = text.startsWith('-');
  let rest = negative || text.startsWith('+') ? text.slice(1) : text;
  if (rest === '0') return 0n;
  let total = 0n;
  do {
    const [matched = '', whole = '', fraction = '', name = ''] = TERM.exec(rest) ?? [];
    if (whole === '' && fraction === '')
      throw new DurationError(`${shown} is not a duration; write one such as 30s or 1h30m`);
    if (name === '') throw new DurationError(`${shown} has no unit; write a duration such as 30s or 1h30m`);
    const unit = NANOSECONDS.get(name);
    if (unit === undefined) {
      const units = 'the units are ns, us, ms, s, m and h';
      throw new DurationError(`${shown} has the unknown unit ${quoteValue(name)}; ${units}`);
    }
    const significant = whole.replace(/^0+/, '');
    // 20 digits are past int64 in any unit; BigInt() of a very long text would be slow
    const amount = significant.length > 19 ? LARGEST_MAGNITUDE + 1n : BigInt(significant) * unit;
    const term = amount + fractionNanoseconds(fraction, unit);
    total = BigInt.asUintN(64, total + term); // Go adds up in a uint64: two terms of 2^63 make 0
    if (term > LARGEST_MAGNITUDE || total > LARGEST_MAGNITUDE) throw tooLong(shown);
    rest = rest.slice(matched.length);
  } while (rest !== '');
  if (!negative && total > INT64_MAX) throw tooLong(shown);
  return negative ? -total : total;
}

/** The nanoseconds of a fraction of `unit`, by Go's own float64 arithmetic (its `leadingFraction`). */
function fractionNanoseconds(digits: string, unit: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit);
    if (next > LARGEST_MAGNITUDE) break; // Go ignores the digits that don't fit
    value = next;
    scale *= 10;
  }
  return value === 0n ? 0n : BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

function tooLong(shown: string): DurationError {
  return new DurationError(`${shown} is longer than the longest duration, 2562047h47m16.854s`);
}

/** Of nanoseconds that are not negative. */
function toMilliseconds(nanoseconds: bigint): number {
  return Number((nanoseconds + 999_999n) / 1_000_000n);
}

/**
 * A Go duration in milliseconds, rounded away from zero to a whole one, longer than zero; with `allowZero` also zero itself.
 * @throws DurationError
 */
export function parsePositiveDuration(text: string, { allowZero = false } = {}): number {
  const nanoseconds = parseNanoseconds(text);
  if (nanoseconds < 0n) throw new DurationError(`${quoteValue(text)} is negative`);
  if (nanoseconds === 0n && !allowZero) throw new DurationError(`${quoteValue(text)} must be longer than 0s`);
  return toMilliseconds(nanoseconds);
}

/**
 * A duration of a job definition in milliseconds: Go text, or a number of nanoseconds as Go's JSON writes a
 * `time.Duration`. Absent stays undefined and zero 0; what they mean is the caller's.
 * @throws DurationError when it is negative, no whole number of nanoseconds, or beyond int64
 */
export function durationFromJob(value: string | number | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return parsePositiveDuration(value, { allowZero: true });
  const shown = quoteValue(String(value));
  if (!Number.isInteger(value)) throw new DurationError(`${shown} is not a whole number of nanoseconds`);
  if (value < 0) throw new DurationError(`${shown} is negative`);
  if (BigInt(value) > INT64_MAX) throw tooLong(shown);
  return toMilliseconds(BigInt(value));
}

/** Whole milliseconds as Go's `Duration.String` writes them: `2m0s`, `1h0m0.5s`, `300ms`, `0s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds > 0 && milliseconds < 1_000) return `${milliseconds}ms`;
  const minutes = Math.floor(milliseconds / 60_000);
  const seconds = `${(milliseconds % 60_000) / 1_000}s`;
  if (minutes === 0) return seconds;
  return minutes < 60 ? `${minutes}m${seconds}` : `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`;
}
