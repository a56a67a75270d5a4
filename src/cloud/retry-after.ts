/** What a server asks for beyond a day is a mistake, and beyond 24 days no timer can wait for it. */
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000;

/**
 * `Retry-After` in milliseconds, a day at most: seconds or an HTTP date (RFC 9110, 10.2.3). Undefined when absent or neither.
 */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Math.min(Number(header) * 1000, LONGEST_RETRY_AFTER_MS);
  // An HTTP date begins with its weekday; Date.parse alone takes "1.5" and "wait 5" for dates of long ago.
  const date = /^\s*(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.min(Math.max(0, date - now), LONGEST_RETRY_AFTER_MS);
}
