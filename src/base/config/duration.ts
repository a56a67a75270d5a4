import { quoteValue } from './problem.ts';

/** Nanoseconds in each unit of Go's durations; microseconds may begin with U+00B5 or U+03BC. */
const UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries({ ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9, m: 6e10, h: 3.6e12 }),
);

/**
 * Parses a Go duration such as `300ms`, `1.5h` or `1h30m` into milliseconds, rounded up so that
 * none becomes 0, which many settings read as "none". Zero itself needs `allowZero`. Throws
 * RangeError with a clause that follows the setting's name.
 */
export function parsePositiveDuration(text: string, { allowZero = false } = {}): number {
  const quoted = quoteValue(text);
  const unsigned = text.replace(/^[+-]/, '');

  // A zero needs no unit.
  let rest = unsigned === '0' ? '0s' : unsigned;
  let nanoseconds = 0;

  do {
    const [written = '', amount, name = ''] = /^(\d+\.?\d*|\.\d+)([^\d.]*)/.exec(rest) ?? [];
    if (amount === undefined)
      throw new RangeError(`${quoted} is not a duration; write one such as 30s or 1h30m`);
    if (name === '') throw new RangeError(`${quoted} has no unit; write a duration such as 30s or 1h30m`);

    const unit = UNITS.get(name);
    if (unit === undefined) {
      const units = 'the units are ns, us, ms, s, m and h';
      throw new RangeError(`${quoted} has the unknown unit ${quoteValue(name)}; ${units}`);
    }

    nanoseconds += Math.round(Number(amount) * unit);
    rest = rest.slice(written.length);
  } while (rest !== '');

  if (nanoseconds > 0 && text.startsWith('-')) throw new RangeError(`${quoted} is negative`);
  if (nanoseconds === 0 && !allowZero) throw new RangeError(`${quoted} must be longer than 0s`);

  return Math.ceil(nanoseconds / 1e6);
}

/**
 * Milliseconds from Go text, or nanoseconds as in Go's JSON. The caller decides what 0 means.
 * Throws RangeError.
 */
export function durationFromJob(value: string | number): number {
  if (typeof value === 'string') return parsePositiveDuration(value, { allowZero: true });
  const quoted = quoteValue(String(value));
  if (!Number.isInteger(value)) throw new RangeError(`${quoted} is not a whole number of nanoseconds`);
  if (value < 0) throw new RangeError(`${quoted} is negative`);
  return Math.ceil(value / 1e6);
}

/** Whole milliseconds as Go's `Duration.String` writes them: `2m0s`, `1h0m0.5s`, `300ms`, `0s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds > 0 && milliseconds < 1_000) return `${milliseconds}ms`;
  const minutes = Math.floor(milliseconds / 60_000);
  const seconds = `${(milliseconds % 60_000) / 1_000}s`;
  if (minutes === 0) return seconds;
  return minutes < 60 ? `${minutes}m${seconds}` : `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`;
}
