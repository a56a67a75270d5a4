/** A number of milliseconds for people, in its largest unit: `12 minutes`. */
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
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
