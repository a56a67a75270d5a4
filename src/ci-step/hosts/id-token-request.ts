import { systemClock } from '../../base/clock.ts';
import { within } from '../../base/deadline.ts';
import { OutcomeError } from '../../base/outcome.ts';
import { retry } from '../../base/retry.ts';

/** No further attempt begins after it: as long as other calls outlast an outage. */
const GIVE_UP_MS = 60_000;

/** Doubled after each attempt, up to the longest, and jittered. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;

export const ATTEMPT_MS = 20_000;

/** The pace of a request's attempts. */
export interface Pace {
  readonly firstPauseMs?: number | undefined;
  readonly giveUpMs?: number | undefined;
}

/**
 * Asks a CI system for the job's ID token for a minute, while a failure `isTransient`. Throws
 * OutcomeError `auth-error` with the sentence of `failure`, an attempt's own OutcomeError at once, and
 * the signal's reason when it aborts.
 */
export async function retryTokenRequest(
  attempt: (signal: AbortSignal) => Promise<string>,
  isTransient: (cause: unknown) => boolean,
  failure: (cause: unknown) => string,
  signal: AbortSignal,
  { firstPauseMs = FIRST_PAUSE_MS, giveUpMs = GIVE_UP_MS }: Pace,
): Promise<string> {
  const began = performance.now();

  const pauseMs = (cause: unknown, failures: number) => {
    signal.throwIfAborted();
    if (cause instanceof OutcomeError) throw cause;
    const wait = Math.min(firstPauseMs * 2 ** (failures - 1), LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2);
    if (performance.now() - began + wait <= giveUpMs && isTransient(cause)) return wait;
    throw new OutcomeError('auth-error', failure(cause), { code: 'PRA-AUTH-01', cause });
  };

  const request = () => within(ATTEMPT_MS, signal, attempt);
  return await retry(request, pauseMs, { clock: systemClock, signal });
}
