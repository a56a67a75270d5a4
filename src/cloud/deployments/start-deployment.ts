import { type Clock, NEVER } from '../../base/clock.ts';
import type { Log } from '../../base/log/level.ts';
import { clause, messageOf, type OutcomeError } from '../../base/outcome.ts';
import { type StackName, stackText } from '../../base/stack.ts';
import type { StartedDeployment } from '../../record/deployment.ts';
import { retryWait } from '../backoff.ts';
import type { OrganizationApi } from '../organization-api.ts';
import { notStarted } from './errors.ts';
import { versionBefore } from './stack-version.ts';

/**
 * A deployment can seem so much older than our request, as Pulumi Cloud's clock counts whole seconds.
 */
const CLOCK_MARGIN_MS = 2_000;

/**
 * `signal` ends the waits. A request in flight still gets its answer, or what it started would stay
 * unknown.
 */
export interface StartOptions {
  readonly operation: string;
  /** Of Pulumi's `DeploymentSettingsRequest`. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly api: Pick<OrganizationApi, 'start' | 'deploymentsOf' | 'stack'>;
  /** The version that the stack must have; any when absent. */
  readonly expectedVersion?: number | undefined;
  /** Retries after the first attempt. */
  readonly retryCount: number;
  readonly retryWaitMs: number;
  /** The longest wait before a retry, whatever `Retry-After` asks for. */
  readonly retryMaxWaitMs: number;
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number;
}

/**
 * Starts one deployment. The call isn't idempotent: if an answer is lost, the stack's deployments
 * are read before the call is repeated, and one of the same operation that is newer than the first
 * request is assumed to be ours, with a warning. Each call follows a look at the stack's version. Throws OutcomeError,
 * and the signal's reason if aborted before anything could have been started.
 */
export async function startDeployment(stack: StackName, options: StartOptions): Promise<StartedDeployment> {
  const { api, operation, settings, clock, log, retryCount, signal, expectedVersion: expected } = options;
  const name = stackText(stack);
  const about = { operation, stack: name };
  const began = clock.steady();
  let isLost = false;
  let lossReason = '';

  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();

    const look = { api, operation, expected, clock, log, signal };
    const stackVersion = await versionBefore(stack, look).catch((cause: unknown) => {
      throw isLost ? unknownFate(name, lossReason, cause, options) : cause;
    });

    // Its own deadline ends it.
    const answer = await api.start(stack, { operation, settings }, NEVER);
    if (answer.kind === 'started') {
      const { id: deploymentId, version, consoleUrl } = answer;
      return { stack: name, operation, deploymentId, version, consoleUrl, stackVersion };
    }

    isLost ||= answer.kind === 'unknown';
    lossReason = answer.reason;

    const isLast = attempt > retryCount;
    if (isLast && !isLost)
      throw notStarted({ ...about, reason: answer.reason, state: `${operation} was not started` });

    const wait = retryWait(attempt, answer.retryAfterMs, options);
    const next = isLost ? 'Checking whether it was started anyway' : 'Trying again';
    const failed = `Failed to start ${operation} for ${name}: ${clause(answer.reason)}`;

    log('warning', `${failed}. ${next} in ${(wait / 1000).toFixed(1)} s.`);

    try {
      await clock.sleep(wait, signal);
    } catch (cause) {
      throw isLost ? unknownFate(name, answer.reason, cause, options) : cause;
    }

    if (!isLost) continue;

    const match = await startedSince(stack, began, answer.reason, options);
    if (match !== undefined) {
      const { id: deploymentId, version } = match;
      const loss = `The answer for ${name} was lost, but ${operation} ${deploymentId} was started since`;
      log('warning', `${loss}: assuming it is ours.`);
      // No version to approve: another's preview can be of another commit.
      return { stack: name, operation, deploymentId, version, assumed: true };
    }

    if (isLast) {
      const state = `no ${operation} of it was found afterwards`;
      throw notStarted({ ...about, reason: answer.reason, state });
    }

    const again = 'so the request is sent again: if the first was only slow, there will be two deployments';
    log('warning', `No ${operation} of ${name} was found, ${again}.`);
  }
}

/** The oldest deployment of the operation that is no older than our first request. */
async function startedSince(stack: StackName, began: number, reason: string, options: StartOptions) {
  const { api, operation, clock, signal } = options;
  try {
    const { deployments, serverTime } = await api.deploymentsOf(stack, signal);
    const since = (serverTime ?? clock.now()) - (clock.steady() - began) - CLOCK_MARGIN_MS;
    return deployments
      .filter(({ pulumiOperation, createdAt }) => pulumiOperation === operation && createdAt >= since)
      .toSorted((a, b) => a.createdAt - b.createdAt)[0];
  } catch (cause) {
    throw unknownFate(stackText(stack), reason, cause, options);
  }
}

/** The error for when `cause` kept us from finding out whether the deployment was started. */
function unknownFate(
  stack: string,
  reason: string,
  cause: unknown,
  { operation, signal }: StartOptions,
): OutcomeError {
  const why = signal.aborted ? 'the agent was asked to stop' : clause(messageOf(cause));
  const state = `whether it was started is unknown: ${why}`;
  return notStarted({ operation, stack, reason, state }, cause);
}
