import type { Clock } from '../../clock.ts';
import type { CloudHttp } from '../../cloud/http.ts';
import { OrganizationApi } from '../../cloud/organization.ts';
import { deploymentUrl } from '../../cloud/organization-wire.ts';
import { organizationOf, stackNamed } from '../../config/stack-pattern.ts';
import type { Redactor } from '../../log/redactor.ts';
import { OutcomeError } from '../../outcome.ts';
import type { StartedDeployment } from '../../record/plan-report.ts';
import { accessTokenSource } from '../access-token-source.ts';
import type { Health } from '../health/health.ts';
import type { Notice } from '../logging/log-line.ts';
import { type AdviceOptions, advice, loadReader } from './advice.ts';
import { elsewhere } from './elsewhere.ts';
import { outcomeOf, type QueueWorkOptions, queueWork } from './queue-work.ts';

/** Milliseconds between two signs of life to the health endpoint. */
const SIGN_OF_LIFE_MS = 5_000;

export interface TriggerFirstOptions extends Omit<QueueWorkOptions, 'api' | 'load' | 'log' | 'random'> {
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
  const log: QueueWorkOptions['log'] = (level, message) => notice(level === 'info' ? 'info' : 'warning', message);
  // A long jitter is no sign of ill health.
  const lively: Clock = {
    now: () => clock.now(),
    steady: () => clock.steady(),
    sleep: async (ms, aborted) => {
      for (let left = ms; left > 0; left -= SIGN_OF_LIFE_MS) {
        health.active();
        await clock.sleep(Math.min(left, SIGN_OF_LIFE_MS), aborted);
      }
      health.active();
    },
  };
  try {
    const load = loadReader(api, { clock, log, signal });
    const starts = await queueWork({ api, config, load, clock: lively, signal, log, random: Math.random });
    const { outcome, message } = outcomeOf(starts);
    if (outcome !== 'succeeded') throw new OutcomeError(outcome, message);
    const misplaced = await notForUs(starts.started, api, config, { clock, log, signal });
    if (misplaced !== undefined) notice('warning', misplaced);
    if (config.singleRun && starts.started.length > 1) {
      const others = starts.started.length - 1;
      notice(
        'warning',
        `This run serves one deployment, the oldest that waits for the pool: ${others === 1 ? 'another one is' : `${others} others are`} left to other jobs. Plan a matrix with the action's plan/.`,
      );
    }
    return pagesOf(starts.started, config.serviceUrl);
  } catch (error) {
    if (!signal.aborted || error instanceof OutcomeError) throw error;
    throw new OutcomeError('interrupted', 'The agent was asked to stop before it had started the deployments.');
  }
}

function pagesOf(started: readonly StartedDeployment[], serviceUrl: string): Map<string, string> {
  const pages = new Map<string, string>();
  for (const { deploymentId, stack, ...known } of started) {
    const page = deploymentUrl(serviceUrl, stackNamed(stack), known);
    if (page !== undefined) pages.set(deploymentId, page);
  }
  return pages;
}

/** An agent that waits for what another pool gets would wait in vain. A look that fails is no reason not to wait. */
async function notForUs(
  started: readonly StartedDeployment[],
  api: OrganizationApi,
  { runnerPoolId }: QueueWorkOptions['config'],
  options: AdviceOptions,
): Promise<string | undefined> {
  const [first] = started;
  if (runnerPoolId === undefined || first === undefined) return undefined;
  const organization = organizationOf(first.stack);
  const ask = (signal: AbortSignal) => api.deployments(organization, 1, signal);
  const page = await advice(`The queue of ${organization}`, ask, options);
  return page && elsewhere(started, new Map(page.deployments.map((each) => [each.id, each])), runnerPoolId);
}
