const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** A number of bytes for people: `0 B`, `900 B`, `1.5 KiB`, `12 MiB`. */
export function byteCount(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value < 9.95 ? Math.round(value * 10) / 10 : Math.round(value)} ${UNITS[unit]}`;
}
