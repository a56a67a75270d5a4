import type { AgentConfig } from '../../base/config/agent-config.ts';
import { brokenRule } from '../../base/config/allowed.ts';
import { formatDuration } from '../../base/config/duration.ts';
import { organizationOf } from '../../base/config/stack-pattern.ts';
import type { ErrorCode } from '../../base/error-codes.ts';
import { clause, codeOf, messageOf, OutcomeError, type Verdict } from '../../base/outcome.ts';
import { type StackName, stackText } from '../../base/stack.ts';
import type { StartedDeployment } from '../../record/deployment.ts';
import type { FailedStart } from '../../record/plan-report.ts';
import type { OrganizationApi } from '../organization-api.ts';
import type { AskOptions } from './ask.ts';
import { notTried, outsideRules, paused } from './errors.ts';
import { inParallel } from './in-parallel.ts';
import { readLoad } from './queue.ts';
import { chooseStacks } from './stacks.ts';
import { type StartOptions, startDeployment } from './start-deployment.ts';

/** Consecutive stacks for which Pulumi Cloud can't be reached, after which no other is tried. */
const MAX_UNREACHABLE = 4;

export interface Starts {
  readonly started: readonly StartedDeployment[];
  readonly failed: readonly (FailedStart & { code?: ErrorCode | undefined })[];
}

export interface TriggerOptions extends AskOptions {
  readonly api: OrganizationApi;
  readonly config: AgentConfig;
  readonly random: () => number;
}

/**
 * Starts the configured deployments. Throws OutcomeError if no stacks can be chosen, or the
 * organization is paused.
 */
export async function startConfigured({
  api,
  config,
  random,
  clock,
  log,
  signal,
}: TriggerOptions): Promise<Starts> {
  const { trigger: patterns, operation, triggerSettings: settings, triggerJitterMs: jitterMs } = config;
  if (operation === undefined || patterns.length === 0) return { started: [], failed: [] };

  for (const organization of new Set(patterns.map(organizationOf))) {
    const load = await readLoad(api, organization, { clock, log, signal });
    if (load?.paused === true) throw paused(operation, organization);
  }

  const chosen = await chooseStacks(patterns, api, signal);
  const { allowed: stacks = [], refused = [] } = Object.groupBy(chosen, (stack) =>
    brokenRule(config, { ...stack, operation, proven: true }) === undefined ? 'allowed' : 'refused',
  );
  const spread = jitterMs > 0 ? `, spread over ${formatDuration(jitterMs)}` : '';

  log(
    'info',
    `Starting ${operation} of ${stacks.length === 1 ? 'one stack' : `${stacks.length} stacks`}${spread}.`,
  );

  const starting: StartOptions = {
    ...{ api, clock, log, signal, random },
    operation,
    settings,
    expectedVersion: config.expectedVersion,
    retryCount: config.requestRetryCount,
    retryWaitMs: config.requestRetryWaitMs,
    retryMaxWaitMs: config.requestRetryMaxWaitMs,
  };

  const starts = await startDeployments(stacks, starting, jitterMs);

  for (const { stack, deploymentId, version, consoleUrl } of starts.started) {
    const which = `deployment ${deploymentId}${version === undefined ? '' : `, version ${version}`}`;
    log(
      'info',
      `Started ${operation} of ${stack}: ${which}${consoleUrl === undefined ? '' : `, ${consoleUrl}`}.`,
    );
  }

  const failed = [...starts.failed, ...refused.map((stack) => outsideRules(stackText(stack), operation))];

  // The outcome's message reports a single stack's failure.
  if (chosen.length > 1) for (const { message } of failed) log('error', message);

  return { ...starts, failed };
}

/**
 * Starts a deployment of each stack, a few at a time, each at a random time within `jitterMs`; a failed start doesn't hold up the others.
 * Those started are in the order of `stacks`, however Pulumi Cloud answered. Never throws.
 */
export async function startDeployments(
  stacks: readonly StackName[],
  options: StartOptions,
  jitterMs = 0,
): Promise<Starts> {
  const { operation, clock, random, signal } = options;
  const began = clock.steady();
  const waiting = stacks
    .map((stack) => ({ stack, at: began + random() * jitterMs }))
    .toSorted((one, other) => one.at - other.at);
  const started = new Map<string, StartedDeployment>();
  const failed: (FailedStart & { code?: ErrorCode | undefined })[] = [];
  let unreachable = 0;

  const fail = (stack: string, error: unknown) => {
    const isUnreachable = error instanceof OutcomeError && error.outcome === 'cloud-unreachable';
    unreachable = isUnreachable && !signal.aborted ? unreachable + 1 : 0;
    const outcome = signal.aborted ? 'interrupted' : error instanceof OutcomeError ? error.outcome : 'failed';
    const isUntried = signal.aborted && !isUnreachable;
    const message = isUntried ? `${stack} was not started: the agent was asked to stop.` : messageOf(error);
    failed.push({ stack, outcome, code: isUntried ? undefined : codeOf(error), message });
  };

  await inParallel(waiting, async (next) => {
    const stack = stackText(next.stack);
    try {
      if (unreachable >= MAX_UNREACHABLE) throw notTried(operation, stack);

      const wait = next.at - clock.steady();
      if (wait > 0) await clock.sleep(wait, signal);
      started.set(stack, await startDeployment(next.stack, options));
      unreachable = 0;
    } catch (error) {
      fail(stack, error);
    }
  });

  return { started: stacks.flatMap((stack) => started.get(stackText(stack)) ?? []), failed };
}

/** The verdict on starts: `succeeded` if all were started, else the first failure's outcome. */
export function startsVerdict({ started, failed }: Starts): Verdict {
  const [first] = failed;
  const all = started.length + failed.length;

  if (first === undefined) {
    const which = all === 1 ? 'The deployment was' : `${all} deployments were`;
    return { outcome: 'succeeded', message: `${which} started.` };
  }

  const { outcome } = first;
  if (all === 1) return { outcome, message: first.message, code: first.code };

  const others =
    started.length === 0
      ? 'None was'
      : started.length === 1
        ? 'The other one was'
        : `The other ${started.length} were`;

  const failure = `Failed to start ${failed.length} of ${all} deployments for their stacks`;
  const message = `${failure}: the first because: ${clause(first.message)}. ${others} started.`;

  return { outcome, code: 'PRA-TRIGGER-02', message };
}
