import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log/level.ts';
import { messageOf } from '../../base/outcome.ts';

/** Milliseconds for an answer. */
const ADVICE_MS = 10_000;

export interface AdviceOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Asks for something useful but not essential, for up to ten seconds. Returns undefined on failure,
 * with a warning that calls it `what`. Throws only the signal's reason.
 */
export async function advice<T>(
  what: string,
  ask: (signal: AbortSignal) => Promise<T>,
  options: AdviceOptions,
) {
  const { clock, log, signal } = options;
  const [over, late] = [new AbortController(), new AbortController()];
  const expire = () => late.abort(new Error(`no answer within ${ADVICE_MS / 1000} s`));

  void clock.sleep(ADVICE_MS, over.signal).then(expire, () => undefined);

  try {
    return await ask(AbortSignal.any([signal, late.signal]));
  } catch (error) {
    signal.throwIfAborted();
    log('warning', `${what} can't be read, but nothing depends on it: ${messageOf(error)}`);
    return undefined;
  } finally {
    over.abort();
  }
}
