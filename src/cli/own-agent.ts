import { Agent, type AgentOptions } from '../agent/agent.ts';
import { accessTokenSource, connect, hasAccessToken, tokenSource } from '../agent/connection.ts';
import { Metrics } from '../agent/health/metrics.ts';
import { requestWatch } from '../agent/health/request-watch.ts';
import { startWatchdog } from '../agent/process/watchdog.ts';
import { defined } from '../base/defined.ts';
import type { Notice } from '../base/log/level.ts';
import type { RequestEnd } from '../cloud/attempt.ts';
import { DeploymentApi } from '../cloud/deployment-api.ts';
import { StackOutputs } from '../cloud/deployments/stack-outputs.ts';
import { triggerFirst } from '../cloud/deployments/trigger-first.ts';
import { PoolApi } from '../cloud/pool-api.ts';
import type { ServerClock } from '../cloud/server-clock.ts';
import { executorFor } from '../executor/registry.ts';
import { trialExecutor, trialOn } from '../executor/trial.ts';

/**
 * Registry passwords kept redacted: more than a job and images pulled ahead need, as some helpers
 * renew them often.
 */
const KEPT_LOGINS = 16;

/** The parts of an agent that its connections and its executor come from. */
interface Given
  extends Omit<
    AgentOptions,
    | 'metrics'
    | 'http'
    | 'tokens'
    | 'pool'
    | 'deployments'
    | 'executor'
    | 'trial'
    | 'watchdog'
    | 'beforeWaiting'
    | 'stackOutputs'
  > {
  readonly serverClock: ServerClock;
  /** Where a single run leaves the outputs of its stacks. */
  readonly stackOutputsFile?: string | undefined;
}

/**
 * Assembles an agent of our own engine; `resources` closes its connections. Throws OutcomeError
 * `config-error`.
 */
export async function ownAgent(given: Given, resources: AsyncDisposableStack): Promise<Agent> {
  const { config, environment, version, clock, serverClock, log, redactor, labels, shutdown } = given;
  const { drain: signal } = shutdown;
  let agent: Agent;

  const metrics = new Metrics(version, () => clock.steady());
  const watch = requestWatch(metrics, log);
  const onRequest = (request: RequestEnd) => {
    serverClock.told(request.serverTime);
    watch(request);
  };
  const onPause = (sentence: string) => agent.paused(sentence);
  const { http, caBundle, close } = connect(config, { environment, log, redactor, onRequest, onPause });

  resources.defer(close);

  const onSecret = redactor.recent(KEPT_LOGINS);
  const sources = { environment, labels, logger: log, onSecret };
  const executor = await executorFor(config, sources);
  const trying = await trialExecutor(executor, config, sources);
  resources.defer(() => trying.close());
  const tokens = tokenSource(config, http, redactor);
  const access = accessTokenSource(config, http, redactor);

  agent = new Agent({
    ...given,
    metrics,
    http,
    tokens,
    pool: new PoolApi(http, tokens),
    executor,
    trial: trialOn(trying, config, labels),
    ...defined({ caBundle }),
    watchdog: (leftMs) => startWatchdog(leftMs, (message) => log('warning', message)),
    ...(hasAccessToken(config) && { deployments: new DeploymentApi(http, access) }),
    ...(config.singleRun &&
      given.stackOutputsFile !== undefined && {
        stackOutputs: new StackOutputs({ file: given.stackOutputsFile, redactor, clock }),
      }),
    ...(config.trigger.length > 0 && {
      beforeWaiting: (notice: Notice, onActivity: () => void) =>
        triggerFirst({ config, http, tokens: access, clock, signal }, notice, onActivity),
    }),
  });

  return agent;
}
