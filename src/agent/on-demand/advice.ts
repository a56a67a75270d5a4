import type { Clock } from '../../clock.ts';
import type { DeploymentLoad, OrganizationApi } from '../../cloud/organization.ts';
import { messageOf } from '../../outcome.ts';
import type { Log } from '../logging/agent-log.ts';

/** Milliseconds for an answer. */
const ADVICE_MS = 10_000;

export interface AdviceOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * What is good to know and not needed: `ask` has ten seconds. Undefined where it can't be had, which is said; `what` is the subject
 * of that sentence. Throws the signal's reason when it aborts, and nothing else.
 */
export async function advice<T>(
  what: string,
  ask: (signal: AbortSignal) => Promise<T>,
  { clock, log, signal }: AdviceOptions,
): Promise<T | undefined> {
  const [over, late] = [new AbortController(), new AbortController()];
  const expire = () => late.abort(new Error(`no answer within ${ADVICE_MS / 1000} s`));
  void clock.sleep(ADVICE_MS, over.signal).then(expire, () => undefined);
  try {
    return await ask(AbortSignal.any([signal, late.signal]));
  } catch (error) {
    signal.throwIfAborted();
    log('warning', `${what} can't be read, and nothing depends on it: ${messageOf(error)}`);
    return undefined;
  } finally {
    over.abort();
  }
}

/** How an organization's deployments stand, as advice. */
export function readLoad(
  api: Pick<OrganizationApi, 'load'>,
  organization: string,
  options: AdviceOptions,
): Promise<DeploymentLoad | undefined> {
  return advice(`The load of ${organization}`, (signal) => api.load(organization, signal), options);
}
