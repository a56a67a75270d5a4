import type { Clock } from '../base/clock.ts';
import type { AgentConfig } from '../base/config/agent-config.ts';
import type { Environment } from '../base/environment.ts';
import { withEntry } from '../base/error-codes.ts';
import type { Log } from '../base/log/level.ts';
import type { Say } from '../base/log/outage.ts';
import type { Redactor, SecretScope } from '../base/log/redactor.ts';
import { codeOf, messageOf } from '../base/outcome.ts';
import type { Owner } from '../base/owner.ts';
import { lossOf } from '../cloud/fence.ts';
import type { CloudHttp } from '../cloud/http.ts';
import { JobApi } from '../cloud/job-api.ts';
import type { Claim } from '../cloud/job-wire.ts';
import type { PoolApi } from '../cloud/pool-api.ts';
import type { TokenSource } from '../cloud/token.ts';
import type { Executor } from '../executor/executor.ts';
import { ownerLabels } from '../executor/labels.ts';
import { placeOf } from '../executor/registry.ts';
import type { RunRecord } from '../record/run-record.ts';
import type { Health } from './health/health.ts';
import type { Metrics } from './health/metrics.ts';
import { DeploymentWatch } from './job/deployment-watch.ts';
import { type JobOptions, runJob } from './job/job.ts';
import type { JobEnd } from './job/job-end.ts';
import { Lease } from './job/lease.ts';
import type { StopSource } from './job/stop.ts';

/** The parts of an agent that every claim is served with. */
export interface AgentParts {
  readonly config: AgentConfig;
  /** The agent's own variables, of which the configuration forwards some to jobs. */
  readonly environment: Environment;
  /** All trusted certificates as one PEM text for jobs, if the configuration asks for it. */
  readonly caBundle?: string;
  readonly owner: Owner;
  readonly clock: Clock;
  readonly log: Log;
  readonly redactor: Redactor;
  readonly http: CloudHttp;
  readonly tokens: TokenSource;
  readonly pool: PoolApi;
  readonly executor: Executor;
  /** Labels for every object made, in addition to the owner's. */
  readonly labels: Readonly<Record<string, string>>;
  readonly metrics: Metrics;
  /** Ends the process when its main thread hangs for `leftMs()` milliseconds; optional. */
  readonly watchdog?: (leftMs: () => number) => { stop(): Promise<void> };
}

/** The parts of one run, beside those that all runs share. */
export interface RunParts extends AgentParts {
  readonly health: Health;
  /** Collects this run's secrets, and keeps them until its record is written. */
  readonly secrets: SecretScope;
  readonly record: RunRecord;
}

export interface ClaimedRunOptions extends RunParts {
  readonly notice: (message: string) => void;
  readonly identify: JobOptions['identify'];
  readonly mayStep?: JobOptions['mayStep'];
  readonly spanVariables?: JobOptions['spanVariables'];
  readonly stop: StopSource;
}

/**
 * Holds a claim's lease, watches for cancellation, and runs the job to its last report. Never
 * throws.
 */
export async function runClaim(claim: Claim, options: ClaimedRunOptions): Promise<JobEnd> {
  const { log, notice, secrets, stop, tokens, pool, record, health } = options;
  secrets.add([claim.jobToken]);
  health.become('running');

  const say: Say = (level, message) => (level === 'warning' ? notice(message) : log(level, message));
  const onStop = () => recordStop(stop, options);
  stop.signal.addEventListener('abort', onStop, { once: true });

  const api = new JobApi(options.http, claim, tokens);
  const lease = leaseOf(api, stop, say, options);
  const watchdog = options.watchdog?.(() => lease.leftMs);
  const reported = new AbortController();
  const { deploymentId } = claim;
  const { jobStatusLoopIntervalMs: intervalMs } = options.config;
  const watch = new DeploymentWatch({ ...options, deploymentId, intervalMs, stop, say });
  const mayBegin = watch.start();

  lease.start();

  void pool.acknowledge(claim, reported.signal).catch((error: unknown) => {
    // Nothing depends on it.
    if (!reported.signal.aborted) say('warning', withEntry(messageOf(error), codeOf(error)));
  });

  const placed = placeOf(options.config, options.environment).then((place) => {
    if (place !== undefined) record.event({ type: 'place', place });
  });

  const end = await runJob({
    ...options,
    claim,
    api,
    labels: {
      ...options.labels,
      ...ownerLabels(options.owner),
      'pulumi-runner.run': claim.runId,
      'pulumi-runner.job': claim.jobId,
    },
    heartbeatSince: ({ steady }) => lease.lastAccepted.steady > steady,
    watch,
    mayBegin,
    say,
    // Not earlier: Pulumi Cloud fails a deployment that sends no heartbeats. Not later: it accepts
    // none after the end.
    onReported: () => {
      reported.abort();
      void watch.stop();
      void lease.stop();
    },
  });

  await Promise.all([lease.stop(), watch.stop(), placed, watchdog?.stop()]);

  // A later interrupt of the agent doesn't concern this job.
  stop.signal.removeEventListener('abort', onStop);

  return end;
}

function leaseOf(api: JobApi, stop: StopSource, say: Say, { clock, health }: ClaimedRunOptions): Lease {
  return new Lease({
    clock,
    say,
    health,
    beat: (signal) => api.heartbeat(signal),
    onLost: (passed, endBy) => stop.request({ by: 'lease', reason: lossOf(passed), endBy }),
  });
}

function recordStop({ stop }: StopSource, { health, log, record }: ClaimedRunOptions): void {
  if (stop === undefined) return;
  health.become('stopping');
  log('warning', `Stopping: ${stop.reason}.`);
  record.event({ type: 'stopping', by: stop.by, reason: stop.reason });
}
