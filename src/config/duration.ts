import { quoteValue } from './problem.ts';

/** Nanoseconds of each unit of Go's durations; microseconds may begin with U+00B5 or U+03BC. */
const UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries({ ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9, m: 6e10, h: 3.6e12 }),
);
/** Go counts nanoseconds in an int64. */
const LIMIT = 2 ** 63;

/** Why a text is no duration: a clause to follow the setting's name. */
export class DurationError extends Error {
  override readonly name = 'DurationError';
}

/**
 * A Go duration such as `300ms`, `1.5h` or `1h30m` in milliseconds, rounded up to a whole one, so that none becomes 0, which many
 * settings read as "none"; longer than zero, with `allowZero` also zero itself.
 * @throws DurationError
 */
export function parsePositiveDuration(text: string, { allowZero = false } = {}): number {
  const shown = quoteValue(text);
  const unsigned = text.replace(/^[+-]/, '');
  // A zero needs no unit.
  let rest = unsigned === '0' ? '0s' : unsigned;
  // A bigint, because beyond 104 days a number can't tell one nanosecond from the next.
  let nanoseconds = 0n;
  do {
    const [written = '', amount, name = ''] = /^(\d+\.?\d*|\.\d+)([^\d.]*)/.exec(rest) ?? [];
    if (amount === undefined) throw new DurationError(`${shown} is not a duration; write one such as 30s or 1h30m`);
    if (name === '') throw new DurationError(`${shown} has no unit; write a duration such as 30s or 1h30m`);
    const unit = UNITS.get(name);
    if (unit === undefined) {
      const units = 'the units are ns, us, ms, s, m and h';
      throw new DurationError(`${shown} has the unknown unit ${quoteValue(name)}; ${units}`);
    }
    const term = Math.round(Number(amount) * unit);
    if (term >= LIMIT) throw tooLong(shown);
    nanoseconds += BigInt(term);
    rest = rest.slice(written.length);
  } while (rest !== '');
  if (nanoseconds > 0n && text.startsWith('-')) throw new DurationError(`${shown} is negative`);
  if (nanoseconds === 0n && !allowZero) throw new DurationError(`${shown} must be longer than 0s`);
  return toMilliseconds(nanoseconds, shown);
}

function toMilliseconds(nanoseconds: bigint, shown: string): number {
  if (nanoseconds >= LIMIT) throw tooLong(shown);
  return Number((nanoseconds + 999_999n) / 1_000_000n);
}

function tooLong(shown: string): DurationError {
  return new DurationError(`${shown} is longer than the longest duration, 2562047h47m16.854s`);
}

/**
 * A duration of a job definition in milliseconds: Go text, or a number of nanoseconds as Go's JSON writes a `time.Duration`. Zero
 * stays 0; what it means is the caller's.
 * @throws DurationError when it is negative, no whole number of nanoseconds, or beyond int64
 */
export function durationFromJob(value: string | number): number {
  if (typeof value === 'string') return parsePositiveDuration(value, { allowZero: true });
  const shown = quoteValue(String(value));
  if (!Number.isInteger(value)) throw new DurationError(`${shown} is not a whole number of nanoseconds`);
  if (value < 0) throw new DurationError(`${shown} is negative`);
  return toMilliseconds(BigInt(value), shown);
}

/** Whole milliseconds as Go's `Duration.String` writes them: `2m0s`, `1h0m0.5s`, `300ms`, `0s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds > 0 && milliseconds < 1_000) return `${milliseconds}ms`;
  const minutes = Math.floor(milliseconds / 60_000);
  const seconds = `${(milliseconds % 60_000) / 1_000}s`;
  if (minutes === 0) return seconds;
  return minutes < 60 ? `${minutes}m${seconds}` : `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`;
}
