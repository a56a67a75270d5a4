/** Milliseconds between two tries of something that fails for long. */
export const LONGEST_PAUSE_MS = 5 * 60_000;

/** Jitter as a share of each pause, so that agents that were started together spread out. */
const JITTER = 0.1;

/** Milliseconds before the next try after so many failures in a row: `firstMs` at first, doubled up to five minutes. */
export function pauseAfter(failures: number, firstMs: number): number {
  return Math.max(firstMs, Math.min(LONGEST_PAUSE_MS, firstMs * 2 ** Math.min(failures - 1, 30)));
}

/** `ms` and up to a tenth more; `random` is from 0 up to 1. */
export function spread(ms: number, random: () => number): number {
  return ms * (1 + JITTER * random());
}
