import type { Clock } from '../../clock.ts';
import type { OrganizationApi } from '../../cloud/organization.ts';
import type { AgentConfig } from '../../config/agent-config.ts';
import { formatDuration } from '../../config/duration.ts';
import { organizationOf } from '../../config/stack-pattern.ts';
import { clause, type Outcome, OutcomeError } from '../../outcome.ts';
import type { Log } from '../logging/agent-log.ts';
import type { LoadReader } from './advice.ts';
import { chooseStacks } from './choose-stacks.ts';
import { type Starts, startDeployments } from './start-deployments.ts';

export interface QueueWorkOptions {
  readonly api: OrganizationApi;
  readonly config: AgentConfig;
  readonly load: LoadReader;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/**
 * Starts the deployments that the configuration asks for. Throws OutcomeError when none was tried: stacks that can't be chosen, an
 * organization whose deployments are paused.
 */
export async function queueWork({ api, config, load, ...surroundings }: QueueWorkOptions): Promise<Starts> {
  const { trigger: patterns, operation, triggerJitterMs: jitterMs } = config;
  if (operation === undefined || patterns.length === 0) return { started: [], failed: [] };
  const { clock, log, signal } = surroundings;
  for (const organization of new Set(patterns.map(organizationOf))) {
    if ((await load(organization))?.paused === true) {
      throw new OutcomeError(
        'failed',
        `Failed to start ${operation} for ${organization}: its deployments are paused. Resume them in Pulumi Cloud.`,
      );
    }
  }
  const stacks = await chooseStacks(patterns, api, signal);
  const spread = jitterMs > 0 ? `, spread over ${formatDuration(jitterMs)}` : '';
  log('info', `Starting ${operation} of ${stacks.length === 1 ? 'one stack' : `${stacks.length} stacks`}${spread}.`);
  const { requestRetryCount: retryCount, requestRetryWaitMs, requestRetryMaxWaitMs } = config;
  const starts = await startDeployments(stacks, {
    ...surroundings,
    api,
    operation,
    clock,
    jitterMs,
    retryCount,
    retryWaitMs: requestRetryWaitMs,
    retryMaxWaitMs: requestRetryMaxWaitMs,
  });
  for (const { stack, deploymentId, version, consoleUrl } of starts.started) {
    const which = version === undefined ? deploymentId : `${deploymentId}, version ${version}`;
    log(
      'info',
      `Started ${operation} of ${stack}: deployment ${which}${consoleUrl === undefined ? '' : `, ${consoleUrl}`}.`,
    );
  }
  // One of one is the outcome's own sentence.
  if (stacks.length > 1) for (const { message } of starts.failed) log('error', message);
  return starts;
}

/** How starting deployments ended: `succeeded` when all were started, else the outcome of the first that was not. */
export function outcomeOf({ started, failed }: Starts): { outcome: Outcome; message: string } {
  const [first] = failed;
  const all = started.length + failed.length;
  if (first === undefined)
    return {
      outcome: 'succeeded',
      message: `${all === 1 ? 'The deployment was' : `${all} deployments were`} started.`,
    };
  if (all === 1) return { outcome: first.outcome, message: first.message };
  const others =
    started.length === 0 ? 'None was' : started.length === 1 ? 'The other one was' : `The other ${started.length} were`;
  return {
    outcome: first.outcome,
    message: `Failed to start ${failed.length} of ${all} deployments for their stacks: the first because: ${clause(first.message)}. ${others} started.`,
  };
}
