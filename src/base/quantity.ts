const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Bytes in human-readable form: `0 B`, `900 B`, `1.5 KiB`, `12 MiB`. */
export function byteCount(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value < 9.95 ? Math.round(value * 10) / 10 : Math.round(value)} ${UNITS[unit]}`;
}

/**
 * Milliseconds in human-readable form, in their largest unit and without their sign: `12 minutes`.
 */
export function span(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  const [count, unit] =
    seconds < 120
      ? [seconds, 'second']
      : seconds < 7200
        ? [Math.round(seconds / 60), 'minute']
        : seconds < 172_800
          ? [Math.round(seconds / 3600), 'hour']
          : [Math.round(seconds / 86_400), 'day'];

  return counted(count, unit);
}

/** A count with its noun: `1 line`, `2 lines`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Seconds in readable form: `0.4 s`, `12 s`, `3 min 5 s`. */
export function duration(seconds: number): string {
  if (seconds < 9.95) return `${Math.round(seconds * 10) / 10} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
