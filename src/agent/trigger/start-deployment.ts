import type { Clock } from '../../clock.ts';
import { retryWait } from '../../cloud/backoff.ts';
import { CloudUnreachableError } from '../../cloud/errors.ts';
import type { OrganizationApi, StartAnswer } from '../../cloud/organization.ts';
import { type StackName, stackText } from '../../config/stack-pattern.ts';
import { clause, messageOf } from '../../outcome.ts';
import type { StartedDeployment } from '../../record/plan-report.ts';
import type { Log } from '../logging/agent-log.ts';

/** Milliseconds that a deployment may be older than our request by Pulumi Cloud's clock, which tells whole seconds. */
const CLOCK_MARGIN_MS = 2_000;

export interface StartOptions {
  readonly api: Pick<OrganizationApi, 'start' | 'deploymentsOf'>;
  readonly operation: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Tries after the first. */
  readonly retryCount: number;
  readonly retryWaitMs: number;
  /** Milliseconds that no retry waits longer, whatever `Retry-After` asks for. */
  readonly retryMaxWaitMs: number;
  /** A number from 0 up to 1. */
  readonly random: () => number;
  /** Ends the waits; a request in flight is answered first, or nobody would know what was started. */
  readonly signal: AbortSignal;
}

/**
 * Starts one deployment. The call isn't idempotent: when an answer was lost, the stack's deployments are looked at before it is
 * sent again, and one of the same operation that is newer than the first request is taken for it, which is said.
 * Throws OutcomeError, and the signal's reason when aborted before anything could have been started.
 */
export async function startDeployment(stack: StackName, options: StartOptions): Promise<StartedDeployment> {
  const { api, operation, clock, log, retryCount, signal } = options;
  const name = stackText(stack);
  const began = clock.steady();
  const started = (id: string, more: Partial<StartedDeployment>) => ({
    stack: name,
    operation,
    deploymentId: id,
    ...more,
  });
  // Its own deadline ends it.
  const never = new AbortController().signal;
  let lost = false;
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    const answer = await api.start(stack, operation, never);
    if (answer.kind === 'started') {
      const { id, version, consoleUrl } = answer;
      return started(id, {
        ...(version !== undefined && { version }),
        ...(consoleUrl !== undefined && { consoleUrl }),
      });
    }
    lost ||= answer.kind === 'unknown';
    const last = attempt > retryCount;
    if (last && !lost) throw refused(name, answer, `${operation} was not started`, options);
    const wait = retryWait(attempt, answer.retryAfterMs, options);
    const next = lost ? 'Looking whether it was started all the same' : 'Trying again';
    log(
      'warning',
      `Failed to start ${operation} for ${name}: ${clause(answer.reason)}. ${next} in ${(wait / 1000).toFixed(1)} s.`,
    );
    try {
      await clock.sleep(wait, signal);
    } catch (cause) {
      throw lost ? untold(name, answer, cause, options) : cause;
    }
    if (!lost) continue;
    const found = await lookFor(stack, began, answer, options);
    if (found !== undefined) {
      log(
        'warning',
        `The answer for ${name} was lost, but ${operation} ${found.id} was started since: it is taken for ours.`,
      );
      return started(found.id, { ...(found.version !== undefined && { version: found.version }), assumed: true });
    }
    if (last) throw refused(name, answer, `no ${operation} of it was found afterwards`, options);
    log(
      'warning',
      `No ${operation} of ${name} was found, so it is sent again: if the first was only slow, there will be two.`,
    );
  }
}

/** The oldest deployment of the operation that is no older than our first request. */
async function lookFor(stack: StackName, began: number, lost: StartAnswer, options: StartOptions) {
  const { api, operation, clock, signal } = options;
  try {
    const { deployments, serverTime } = await api.deploymentsOf(stack, signal);
    const since = (serverTime ?? clock.now()) - (clock.steady() - began) - CLOCK_MARGIN_MS;
    return deployments
      .filter(({ pulumiOperation, createdAt }) => pulumiOperation === operation && createdAt >= since)
      .toSorted((a, b) => a.createdAt - b.createdAt)[0];
  } catch (cause) {
    throw untold(stackText(stack), lost, cause, options);
  }
}

/** The error where `cause` kept us from looking whether the deployment was started. */
function untold(name: string, lost: StartAnswer, cause: unknown, options: StartOptions): CloudUnreachableError {
  const reason = options.signal.aborted ? 'the agent was asked to stop' : clause(messageOf(cause));
  return refused(name, lost, `whether it was can't be told: ${reason}`, options, cause);
}

function refused(name: string, answer: StartAnswer, state: string, { operation }: StartOptions, cause?: unknown) {
  const reason = 'reason' in answer ? clause(answer.reason) : '';
  return new CloudUnreachableError(
    `Failed to start ${operation} for ${name}: ${reason}; ${state}. Look at the stack's deployments before it is started again.`,
    { cause },
  );
}
