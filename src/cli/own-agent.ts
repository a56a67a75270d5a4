import { Agent, type Lifecycle } from '../agent/agent.ts';
import { accessTokenSource, connect, hasAccessToken, tokenSource } from '../agent/connection.ts';
import { Metrics } from '../agent/health/metrics.ts';
import { requestWatch } from '../agent/health/request-watch.ts';
import type { Shutdown } from '../agent/process/shutdown.ts';
import { startWatchdog } from '../agent/process/watchdog.ts';
import type { Services } from '../agent/services.ts';
import type { Clock } from '../base/clock.ts';
import type { AgentConfig } from '../base/config/agent-config.ts';
import type { Environment } from '../base/environment.ts';
import type { Log } from '../base/log/level.ts';
import type { Redactor } from '../base/log/redactor.ts';
import type { Owner } from '../base/owner.ts';
import type { RequestEnd } from '../cloud/attempt.ts';
import { DeploymentApi } from '../cloud/deployment-api.ts';
import { StackOutputs } from '../cloud/deployments/stack-outputs.ts';
import { triggerFirst } from '../cloud/deployments/trigger-first.ts';
import { PoolApi } from '../cloud/pool-api.ts';
import type { ServerClock } from '../cloud/server-clock.ts';
import { executorFor } from '../executor/targets.ts';
import { trialExecutor, trialOn } from '../executor/trial.ts';
import type { Tracing } from '../record/trace.ts';

/**
 * Registry passwords kept redacted: more than a job and images pulled ahead need, as some helpers
 * renew them often.
 */
const KEPT_LOGINS = 16;

/** What an agent is made of, before it has connections and an executor. */
export interface OwnAgentOptions {
  readonly config: AgentConfig;
  readonly environment: Environment;
  readonly version: string;
  readonly owner: Owner;
  readonly labels: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly serverClock: ServerClock;
  readonly log: Log;
  readonly redactor: Redactor;
  readonly shutdown: Shutdown;
  readonly tracing: Tracing;
  /** Where a single run leaves the outputs of its stacks. */
  readonly stackOutputsFile: string | undefined;
  readonly runDirectory: Lifecycle['runDirectory'];
  readonly pruneRuns: Lifecycle['pruneRuns'];
  readonly onRun: Lifecycle['onRun'];
  readonly onRecorded: Lifecycle['onRecorded'];
}

/**
 * Assembles an agent of our own engine; `resources` closes its connections. Throws OutcomeError
 * `config-error`.
 */
export async function ownAgent(options: OwnAgentOptions, resources: AsyncDisposableStack): Promise<Agent> {
  const { config, environment, version, owner, labels, clock, serverClock, log, redactor, shutdown } =
    options;
  const { stackOutputsFile, tracing, runDirectory, pruneRuns, onRun, onRecorded } = options;
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

  const deployments = hasAccessToken(config) ? new DeploymentApi(http, access) : undefined;
  const keepsOutputs = config.singleRun && stackOutputsFile !== undefined;
  const services: Services = {
    config,
    environment,
    caBundle,
    version,
    owner,
    labels,
    clock,
    log,
    redactor,
    metrics,
    cloud: { http, tokens, pool: new PoolApi(http, tokens), deployments },
    executor,
    trial: trialOn(trying, config, labels),
    shutdown,
    watchdog: (leftMs) => startWatchdog(leftMs, (message) => log('warning', message)),
    stackOutputs: keepsOutputs ? new StackOutputs({ file: stackOutputsFile, redactor, clock }) : undefined,
    tracing,
  };

  const session = { config, http, tokens: access, clock, signal };
  const start: Lifecycle['beforeWaiting'] = (notice, onActivity) => triggerFirst(session, notice, onActivity);
  const beforeWaiting = config.trigger.length > 0 ? start : undefined;
  agent = new Agent(services, { runDirectory, pruneRuns, beforeWaiting, onRun, onRecorded });

  return agent;
}
