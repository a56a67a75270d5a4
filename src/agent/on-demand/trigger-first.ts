import type { CloudHttp } from '../../cloud/http.ts';
import { OrganizationApi } from '../../cloud/organization.ts';
import { deploymentUrl } from '../../cloud/organization-wire.ts';
import { organizationOf, stackNamed } from '../../config/stack-pattern.ts';
import type { Redactor } from '../../log/redactor.ts';
import { OutcomeError } from '../../outcome.ts';
import { accessTokenSource } from '../connection.ts';
import type { Health } from '../health/health.ts';
import type { Notice } from '../logging/log-line.ts';
import { type AdviceOptions, advice, misplaced } from './queue.ts';
import { outcomeOf, type Starts, startConfigured, type TriggerOptions } from './start-deployments.ts';

/** Milliseconds between two signs of life to the health endpoint: a long jitter is no sign of ill health. */
const SIGN_OF_LIFE_MS = 5_000;

export interface TriggerFirstOptions extends Pick<TriggerOptions, 'config' | 'clock' | 'signal'> {
  readonly http: CloudHttp;
  readonly redactor: Redactor;
  readonly health: Pick<Health, 'active'>;
}

/**
 * Starts what the configuration asks for before an agent waits for work. Throws OutcomeError unless all was started, so that the
 * run says so before it claims anything; what was started then stays in the queue. Returns the pages of what was started, as far as
 * they are known, by the deployments' IDs.
 */
export async function triggerFirst(
  { http, redactor, config, clock, signal, health }: TriggerFirstOptions,
  notice: Notice,
): Promise<ReadonlyMap<string, string>> {
  const api = new OrganizationApi(http, accessTokenSource(config, http, redactor));
  const log: AdviceOptions['log'] = (level, message) => notice(level === 'info' ? 'info' : 'warning', message);
  const living = setInterval(() => health.active(), SIGN_OF_LIFE_MS);
  try {
    const { started, ...rest } = await startConfigured({ api, config, clock, signal, log, random: Math.random });
    const { outcome, ...end } = outcomeOf({ started, ...rest });
    if (outcome !== 'succeeded') throw new OutcomeError(outcome, end.message, { code: end.code ?? 'PRA-TRIGGER-01' });
    await warnOfOtherPool(started, api, config, { clock, log, signal });
    const others = started.length - 1;
    if (config.singleRun && others > 0) {
      const left = others === 1 ? 'another one is' : `${others} others are`;
      const message = `This run serves one deployment, the oldest that waits for the pool: ${left} left to other jobs. Plan a matrix with the action's plan/.`;
      notice('warning', message);
    }
    return pagesOf(started, config.serviceUrl);
  } catch (error) {
    if (!signal.aborted || error instanceof OutcomeError) throw error;
    const message = 'The agent was asked to stop before it had started the deployments.';
    throw new OutcomeError('interrupted', message, { code: 'PRA-JOB-05', cause: error });
  } finally {
    clearInterval(living);
  }
}

function pagesOf(started: Starts['started'], serviceUrl: string): Map<string, string> {
  const pages = new Map<string, string>();
  for (const { deploymentId, stack, ...known } of started) {
    const page = deploymentUrl(serviceUrl, stackNamed(stack), known);
    if (page !== undefined) pages.set(deploymentId, page);
  }
  return pages;
}

/** An agent would wait for ever for what another pool gets. A list that can't be read is no reason not to wait. */
async function warnOfOtherPool(
  started: Starts['started'],
  api: OrganizationApi,
  { runnerPoolId }: TriggerOptions['config'],
  options: AdviceOptions,
): Promise<void> {
  const [first] = started;
  if (runnerPoolId === undefined || first === undefined) return;
  const organization = organizationOf(first.stack);
  const ask = (signal: AbortSignal) => api.deployments(organization, 1, signal);
  const page = await advice(`The queue of ${organization}`, ask, options);
  const listed = new Map(page?.deployments.map((each) => [each.id, each]));
  const warning = misplaced(started, listed, runnerPoolId);
  if (warning !== undefined) options.log('warning', warning);
}
