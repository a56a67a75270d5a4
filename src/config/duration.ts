import { quoteValue } from './quote.ts';

/**
 * Go's durations, read as Go's `time.ParseDuration` reads them (src/time/format.go).
 * Counted in nanoseconds as a bigint inside; handed out in whole milliseconds, rounded **away from zero**, so that
 * a positive duration never becomes 0, which many settings read as "none".
 */

const NANOSECONDS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n, // U+00B5 micro sign
  μs: 1_000n, // U+03BC Greek mu
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const INT64_MAX = 2n ** 63n - 1n;
const LARGEST_MAGNITUDE = 2n ** 63n; // that of int64's smallest value
const TERM = /^([0-9]*)(?:\.([0-9]*))?([^.0-9]*)/;

/** Why a text is no duration: a clause to follow the setting's name. */
export class DurationError extends Error {
  override readonly name = 'DurationError';
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

/**
 * The nanoseconds in a Go duration such as `300ms`, `-1.5h` or `1h30m`.
 * @throws DurationError
 */
export function parseNanoseconds(text: string): bigint {
  const shown = quoteValue(text);
  const negative = text.startsWith('-');
  let rest = negative || text.startsWith('+') ? text.slice(1) : text;
  if (rest === '0') return 0n;
  if (rest === '') throw new DurationError(`${shown} is not a duration; write one such as 30s or 1h30m`);
  let total = 0n;
  while (rest !== '') {
    const [matched = '', whole = '', fraction = '', name = ''] = TERM.exec(rest) ?? [];
    if (whole === '' && fraction === '') {
      throw new DurationError(`${shown} is not a duration; write one such as 30s or 1h30m`);
    }
    if (name === '') throw new DurationError(`${shown} has no unit; write a duration such as 30s or 1h30m`);
    const unit = Object.hasOwn(NANOSECONDS, name) ? NANOSECONDS[name] : undefined;
    if (unit === undefined) {
      throw new DurationError(
        `${shown} has the unknown unit ${quoteValue(name)}; the units are ns, us, ms, s, m and h`,
      );
    }
    const significant = whole.replace(/^0+/, '');
    // 20 digits are past int64 in any unit; BigInt() of a very long text would be slow
    const amount = significant.length > 19 ? LARGEST_MAGNITUDE + 1n : BigInt(significant) * unit;
    const term = amount + fractionNanoseconds(fraction, unit);
    if (term > LARGEST_MAGNITUDE) throw tooLong(shown);
    total = BigInt.asUintN(64, total + term); // Go adds up in a uint64: two terms of 2^63 make 0
    if (total > LARGEST_MAGNITUDE) throw tooLong(shown);
    rest = rest.slice(matched.length);
  }
  if (!negative && total > INT64_MAX) throw tooLong(shown);
  return negative ? -total : total;
}

function tooLong(shown: string): DurationError {
  return new DurationError(`${shown} is longer than the longest duration, ${formatDuration(INT64_MAX / 1_000_000n)}`);
}

function toMilliseconds(nanoseconds: bigint): number {
  const magnitude = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const milliseconds = Number((magnitude + 999_999n) / 1_000_000n);
  return nanoseconds < 0n ? -milliseconds : milliseconds;
}

/**
 * A Go duration in milliseconds, rounded away from zero to a whole one.
 * @throws DurationError
 */
export function parseDuration(text: string): number {
  return toMilliseconds(parseNanoseconds(text));
}

/**
 * A Go duration in milliseconds, longer than zero; with `allowZero` also zero itself.
 * @throws DurationError
 */
export function parsePositiveDuration(text: string, { allowZero = false } = {}): number {
  const milliseconds = parseDuration(text);
  if (milliseconds < 0) throw new DurationError(`${quoteValue(text)} is negative`);
  if (milliseconds === 0 && !allowZero) throw new DurationError(`${quoteValue(text)} must be longer than 0s`);
  return milliseconds;
}

/**
 * A duration of a job definition in milliseconds: Go text, or a number of nanoseconds as Go's JSON writes a
 * `time.Duration`. Absent stays undefined and zero 0; what they mean is the caller's.
 * @throws DurationError when it is negative, no whole number of nanoseconds, or beyond int64
 */
export function durationFromJob(value: string | number): number;
export function durationFromJob(value: string | number | undefined): number | undefined;
export function durationFromJob(value: string | number | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return parsePositiveDuration(value, { allowZero: true });
  const shown = quoteValue(String(value));
  if (!Number.isInteger(value)) throw new DurationError(`${shown} is not a whole number of nanoseconds`);
  if (value < 0) throw new DurationError(`${shown} is negative`);
  if (BigInt(value) > INT64_MAX) throw tooLong(shown);
  return toMilliseconds(BigInt(value));
}

/** Milliseconds as Go's `Duration.String` writes them: `2m0s`, `1h0m0.5s`, `300ms`, `1.5µs`, `0s`. */
export function formatDuration(milliseconds: number | bigint): string {
  if (typeof milliseconds === 'number' && !Number.isFinite(milliseconds)) return `${milliseconds}ms`;
  const signed = typeof milliseconds === 'bigint' ? milliseconds * 1_000_000n : nanosecondsOf(milliseconds);
  const magnitude = signed < 0n ? -signed : signed;
  const sign = signed < 0n ? '-' : '';
  if (magnitude === 0n) return '0s';
  if (magnitude < 1_000n) return `${sign}${magnitude}ns`;
  if (magnitude < 1_000_000n) return `${sign}${decimal(magnitude, 3)}µs`;
  if (magnitude < 1_000_000_000n) return `${sign}${decimal(magnitude, 6)}ms`;
  const minutes = magnitude / 60_000_000_000n;
  const seconds = `${decimal(magnitude % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return `${sign}${seconds}`;
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** `value` / 10^places without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '');
}

function nanosecondsOf(milliseconds: number): bigint {
  const whole = Math.trunc(milliseconds); // apart, since their product is past what a number holds exactly
  return BigInt(whole) * 1_000_000n + BigInt(Math.round((milliseconds - whole) * 1_000_000));
}
