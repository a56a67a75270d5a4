/** Seconds as a reader likes them: `0.4 s`, `12 s`, `3 min 5 s`. */
export function duration(seconds: number): string {
  if (seconds < 9.95) return `${Math.round(seconds * 10) / 10} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** `1 line`, `12 lines`. */
export function lineCount(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`;
}
