/** What a server asks for beyond a day is a mistake, and beyond 24 days no timer can wait for it. */
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000;

const TIME = String.raw`\d{2}:\d{2}:\d{2}`;
/** An HTTP date's three forms (RFC 9110, 5.6.7). Date.parse alone takes "Mon 5" and "wait 5" for dates of long ago. */
const DATE = new RegExp(
  String.raw`^(?:\w{3}, \d{2} \w{3} \d{4} ${TIME} GMT|\w{6,9}, \d{2}-\w{3}-\d{2} ${TIME} GMT|\w{3} \w{3} [ \d]\d ${TIME} \d{4})$`,
);

/**
 * `Retry-After` in milliseconds, a day at most: seconds or an HTTP date (RFC 9110, 10.2.3); of several the longest that makes
 * sense. Undefined when there is none. `now`: milliseconds since the epoch.
 */
export function retryAfter(header: string | readonly string[] | undefined, now: number): number | undefined {
  const waits = [header ?? []].flat().flatMap((value) => {
    // A proxy may have joined several with commas; a date holds one, too.
    const parts = /^[\d\s,]+$/.test(value) ? value.split(',') : [value];
    return parts.flatMap((part) => milliseconds(part.trim(), now) ?? []);
  });
  return waits.length === 0 ? undefined : Math.min(Math.max(0, ...waits), LONGEST_RETRY_AFTER_MS);
}

function milliseconds(value: string, now: number): number | undefined {
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  if (!DATE.test(value)) return undefined;
  // The oldest form names no zone and means GMT.
  const date = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
  return Number.isNaN(date) ? undefined : date - now;
}
