/** Milliseconds in words: `90 s`, `10 min`. */
export function formatSeconds(ms: number): string {
  const seconds = ms / 1000;
  return seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.round(seconds * 10) / 10} s`;
}
