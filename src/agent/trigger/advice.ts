import type { Clock } from '../../clock.ts';
import type { DeploymentLoad, OrganizationApi } from '../../cloud/organization.ts';
import { messageOf } from '../../outcome.ts';
import type { Log } from '../logging/agent-log.ts';

/** Milliseconds for all tries together. */
const ADVICE_MS = 10_000;
const TRIES = 2;
/** Milliseconds between them. */
const PAUSE_MS = 1_000;

export interface AdviceOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * What is good to know and not needed: `ask` is tried twice, within ten seconds. Undefined where it can't be had, which is said;
 * `what` is the subject of that sentence. Throws the signal's reason when it aborts, and nothing else.
 */
export async function advice<T>(
  what: string,
  ask: (signal: AbortSignal) => Promise<T>,
  { clock, log, signal }: AdviceOptions,
): Promise<T | undefined> {
  const [over, late] = [new AbortController(), new AbortController()];
  const expire = () => late.abort(new Error(`no answer within ${ADVICE_MS / 1000} s`));
  void clock.sleep(ADVICE_MS, over.signal).then(expire, () => undefined);
  const either = AbortSignal.any([signal, late.signal]);
  try {
    for (let tries = 1; ; tries += 1) {
      try {
        return await ask(either);
      } catch (error) {
        if (tries === TRIES) throw error;
        await clock.sleep(PAUSE_MS, either);
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    log('warning', `${what} can't be read, and nothing depends on it: ${messageOf(error)}`);
    return undefined;
  } finally {
    over.abort();
  }
}

/** Reads how an organization's deployments stand, as advice. */
export type LoadReader = (organization: string) => Promise<DeploymentLoad | undefined>;

/** A reader that asks no more for what it couldn't read once. */
export function loadReader(api: Pick<OrganizationApi, 'load'>, options: AdviceOptions): LoadReader {
  const unread = new Set<string>();
  return async (organization) => {
    if (unread.has(organization)) return undefined;
    const load = await advice(`The load of ${organization}`, (signal) => api.load(organization, signal), options);
    if (load === undefined) unread.add(organization);
    return load;
  };
}
