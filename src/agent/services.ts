import type { Clock } from '../base/clock.ts';
import type { AgentConfig } from '../base/config/agent-config.ts';
import type { Environment } from '../base/environment.ts';
import type { Log, RunLog } from '../base/log/level.ts';
import type { Redactor, SecretSink } from '../base/log/redactor.ts';
import type { Owner } from '../base/owner.ts';
import type { DeploymentApi } from '../cloud/deployment-api.ts';
import type { StackOutputs } from '../cloud/deployments/stack-outputs.ts';
import type { CloudHttp } from '../cloud/http.ts';
import type { PoolApi } from '../cloud/pool-api.ts';
import type { TokenSource } from '../cloud/token.ts';
import type { Executor } from '../executor/executor.ts';
import type { Trial } from '../executor/trial.ts';
import type { RunRecord } from '../record/run-record.ts';
import type { Tracing } from '../record/trace.ts';
import type { Metrics } from './health/metrics.ts';
import type { StopSource } from './job/stop.ts';
import type { Shutdown } from './process/shutdown.ts';

/** Pulumi Cloud, as an agent calls it. */
export interface Cloud {
  readonly http: CloudHttp;
  readonly tokens: TokenSource;
  readonly pool: PoolApi;
  /** Reads deployments; absent without an access token. */
  readonly deployments?: DeploymentApi | undefined;
}

/** What an agent works with, the same for all of its runs; src/cli/own-agent.ts makes it. */
export interface Services {
  readonly config: AgentConfig;
  /** The agent's own variables, of which the configuration forwards some to jobs. */
  readonly environment: Environment;
  /** All trusted certificates as one PEM text for jobs, if the configuration asks for it. */
  readonly caBundle?: string | undefined;
  readonly version: string;
  readonly owner: Owner;
  /** Labels for every object made, in addition to the owner's. */
  readonly labels: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly redactor: Redactor;
  readonly metrics: Metrics;
  readonly cloud: Cloud;
  readonly executor: Executor;
  readonly trial: Trial;
  readonly shutdown: Shutdown;
  /** Ends the process when its main thread hangs for `leftMs()` milliseconds; optional. */
  readonly watchdog?: ((leftMs: () => number) => { stop(): Promise<void> }) | undefined;
  /** Keeps the outputs of stacks whose deployments succeed; when absent, none are read. */
  readonly stackOutputs?: StackOutputs | undefined;
  /** Names the runs' traces; when absent, none is recorded. */
  readonly tracing?: Tracing | undefined;
}

/** One claimed job's record, secrets and stop. */
export interface Run {
  readonly record: RunRecord;
  /** Collects the job's secrets, which stay hidden until the record is written. */
  readonly secrets: SecretSink;
  readonly stop: StopSource;
  /** Warnings go to the record too. */
  readonly say: RunLog;
}
