import type { CloudHttp } from '../../cloud/http.ts';
import { OrganizationApi } from '../../cloud/organization.ts';
import type { Redactor } from '../../log/redactor.ts';
import { OutcomeError } from '../../outcome.ts';
import { accessTokenSource } from '../access-token-source.ts';
import { outcomeOf, type QueueWorkOptions, queueWork } from './queue-work.ts';

export interface TriggerFirstOptions extends Omit<QueueWorkOptions, 'api' | 'log' | 'random'> {
  readonly http: CloudHttp;
  readonly redactor: Redactor;
}

/**
 * Starts what the configuration asks for before an agent waits for work. Throws OutcomeError unless all was started, so that the
 * run says so before it claims anything; what was started then stays in the queue.
 */
export async function triggerFirst(
  { http, redactor, config, clock, signal }: TriggerFirstOptions,
  notice: (level: 'info' | 'warning', message: string) => void,
): Promise<void> {
  const api = new OrganizationApi(http, accessTokenSource(config, http, redactor));
  const log: QueueWorkOptions['log'] = (level, message) => notice(level === 'info' ? 'info' : 'warning', message);
  try {
    const starts = await queueWork({ api, config, clock, signal, log, random: Math.random });
    const { outcome, message } = outcomeOf(starts);
    if (outcome !== 'succeeded') throw new OutcomeError(outcome, message);
    if (config.singleRun && starts.started.length > 1) {
      const others = starts.started.length - 1;
      notice(
        'warning',
        `This run serves one deployment, the oldest that waits for the pool: ${others === 1 ? 'another one is' : `${others} others are`} left to other jobs. Plan a matrix with the action's plan/.`,
      );
    }
  } catch (error) {
    if (!signal.aborted || error instanceof OutcomeError) throw error;
    throw new OutcomeError('interrupted', 'The agent was asked to stop before it had started the deployments.');
  }
}
