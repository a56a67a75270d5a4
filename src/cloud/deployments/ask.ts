import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log/level.ts';
import { messageOf } from '../../base/outcome.ts';
import { retry } from '../../base/retry.ts';
import { jobCallWait } from '../backoff.ts';
import { CloudUnreachableError } from '../errors.ts';

/** For an answer that nothing depends on. */
const BRIEF_MS = 10_000;

/** How long to keep retrying: enough to outlast an outage of a minute. */
const PATIENCE_MS = 90_000;

export interface AskOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Asks for something useful but not essential, for up to ten seconds. Returns undefined on failure,
 * with a warning that names `subject`. Throws only the signal's reason.
 */
export async function askBriefly<T>(
  subject: string,
  ask: (signal: AbortSignal) => Promise<T>,
  { clock, log, signal }: AskOptions,
): Promise<T | undefined> {
  const [over, late] = [new AbortController(), new AbortController()];
  const expire = () => late.abort(new Error(`no answer within ${BRIEF_MS / 1000} s`));

  void clock.sleep(BRIEF_MS, over.signal).then(expire, () => undefined);

  try {
    return await ask(AbortSignal.any([signal, late.signal]));
  } catch (error) {
    signal.throwIfAborted();
    log('warning', `${subject} can't be read, but nothing depends on it: ${messageOf(error)}`);
    return undefined;
  } finally {
    over.abort();
  }
}

/**
 * Retries for a while if Pulumi Cloud can't be reached. Throws what the last attempt threw, or the
 * signal's reason.
 */
export async function askPatiently<T>(
  ask: () => Promise<T>,
  { clock, signal }: Pick<AskOptions, 'clock' | 'signal'>,
): Promise<T> {
  const began = clock.steady();
  return await retry(
    ask,
    (error, failures) =>
      error instanceof CloudUnreachableError && clock.steady() - began < PATIENCE_MS
        ? jobCallWait(failures, error)
        : undefined,
    { clock, signal },
  );
}
