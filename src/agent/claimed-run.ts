import { type Clock, momentOf, type Passed, passedSince } from '../clock.ts';
import type { PoolApi } from '../cloud/deployments.ts';
import type { CloudHttp } from '../cloud/http.ts';
import { Identification } from '../cloud/identification.ts';
import type { NamedDeployment } from '../cloud/identity.ts';
import { JobApi } from '../cloud/jobs.ts';
import { consoleUrl } from '../cloud/organization-wire.ts';
import type { StartedDeployments } from '../cloud/started-deployments.ts';
import type { TokenSource } from '../cloud/token.ts';
import type { Claim } from '../cloud/wire.ts';
import { FENCE_MS, LEASE_MS } from '../cloud/wire.ts';
import { stackNamed } from '../config/stack-pattern.ts';
import { defined } from '../defined.ts';
import { withEntry } from '../error-codes.ts';
import type { Executor } from '../executor/executor.ts';
import { ownerLabels } from '../executor/labels.ts';
import { placeOf } from '../executor/registry.ts';
import { DeploymentWatch } from '../job/deployment-watch.ts';
import { hookAfter } from '../job/hooks.ts';
import { type JobOptions, runJob } from '../job/job.ts';
import type { JobEnd } from '../job/job-end.ts';
import { Lease } from '../job/lease.ts';
import { type ShutdownSignals, StopSource } from '../job/stop.ts';
import type { Log } from '../log/level.ts';
import { Outage, type Say } from '../log/outage.ts';
import type { Redactor, SecretScope } from '../log/redactor.ts';
import { codeOf, exitCodeOf, messageOf } from '../outcome.ts';
import type { Owner } from '../owner.ts';
import { span } from '../quantity.ts';
import type { StartedDeployment } from '../record/deployment.ts';
import type { RunEnd, RunRecord } from '../record/run-record.ts';
import { identityText } from '../stack.ts';
import { driftFound } from './drift.ts';
import type { Health } from './health/health.ts';
import type { Metrics } from './health/metrics.ts';
import type { RunIds } from './logging/log-line.ts';
import { runEnd, type WaitFacts } from './runs/end.ts';

/** The parts of the agent that serving a claim needs. */
export interface ClaimedRunOptions
  extends Pick<JobOptions, 'config' | 'environment' | 'caBundle' | 'identify' | 'spanVariables'> {
  readonly owner: Owner;
  readonly clock: Clock;
  readonly log: Log;
  readonly redactor: Redactor;
  /** Collects this run's secrets, and keeps them until its record is written. */
  readonly secrets: SecretScope;
  readonly http: CloudHttp;
  readonly tokens: TokenSource;
  readonly pool: PoolApi;
  readonly executor: Executor;
  /** Labels for every object made, in addition to the owner's. */
  readonly labels: Readonly<Record<string, string>>;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly record: RunRecord;
  readonly notice: (message: string) => void;
  /**
   * Ends the process when its main thread hangs for `leftMs()` milliseconds; when absent, nothing
   * does.
   */
  readonly watchdog?: (leftMs: () => number) => { stop(): Promise<void> };
  readonly stop: StopSource;
}

export interface ServeOptions extends Omit<ClaimedRunOptions, 'notice' | 'identify' | 'stop'> {
  readonly shutdown: ShutdownSignals;
  /** Reads deployments; absent without an access token. */
  readonly deployments?: Pick<StartedDeployments, 'read' | 'driftRun'> | undefined;
  /** The deployment, if this agent started it. */
  readonly started: StartedDeployment | undefined;
  /** Where to open the record; undefined when it is open already. */
  readonly directory: string | undefined;
  readonly onRun?: (run: RunIds) => void;
}

/** Serves a claim and records it. Never throws. */
export async function serveClaim(claim: Claim, facts: WaitFacts, options: ServeOptions): Promise<RunEnd> {
  const { config, clock, log, metrics, record, directory, shutdown, onRun } = options;
  const claimedAt = momentOf(clock);

  const notice = (message: string) => {
    log('warning', message);
    record.notice('warning', message);
  };

  const onNamed = (named: NamedDeployment) => record.event({ type: 'identified', ...named });
  const redact = (text: string) => options.redactor.text(text);
  const { serviceUrl } = config;
  const started = options.started && namedBy(options.started);
  const { deployments } = options;

  const identification = new Identification({
    claim,
    serviceUrl,
    started,
    deployments,
    redact,
    onNamed,
    notice,
  });

  try {
    if (directory !== undefined) record.open(directory);
  } catch (error) {
    // Pulumi Cloud won't offer the deployment to another agent, so run it without a record.
    notice(withEntry(messageOf(error), codeOf(error)));
  }

  const { deploymentId, runId, jobId } = claim;
  const ids = { deploymentId, runId, jobId };

  onRun?.(identification.ids);

  const { named } = identification;
  const which = named.identity === undefined ? '' : `${identityText(named.identity)}: `;

  log('info', `Claimed ${which}deployment ${deploymentId} (job ${jobId}).`);

  const page = consoleUrl(serviceUrl, config.organizationName);
  record.event({ type: 'claimed', ...ids, ...facts, ...named, ...defined({ consoleUrl: page }) });

  const identify: JobOptions['identify'] = async (variables, signal) => {
    const identity = await identification.identify(variables, signal);
    onRun?.(identification.ids);
    return identity;
  };

  /** Of a drift detection that this agent did not start: its own have their result elsewhere. */
  const driftOf = async ({ outcome }: JobEnd): Promise<boolean | undefined> => {
    const { identity } = identification.named;
    if (!identification.detectsDrift || started !== undefined || identity === undefined) return undefined;
    if (outcome !== 'succeeded' && outcome !== 'failed') return undefined;

    const drift =
      deployments && (await driftFound({ stack: identity, deploymentId }, { deployments, clock }));
    if (drift === undefined) {
      const advice = deployments === undefined ? ' Set access_token to let it ask Pulumi Cloud.' : '';
      record.notice('info', `The agent doesn't know whether the deployment found drift.${advice}`);
    }

    return drift;
  };

  /** The hook's output goes to the agent's log: what it does changes neither outcome nor record. */
  const afterJob = async ({ outcome, image }: JobEnd): Promise<void> => {
    const { identity } = identification.named;
    const facts = {
      ...ids,
      identity,
      image,
      runDirectory: record.directory,
      outcome,
      exitCode: exitCodeOf(outcome),
    };

    const ended = await hookAfter(options, facts, shutdown.reportsAbandoned);
    const lines = ended?.output.trimEnd() ?? '';

    for (const line of lines === '' ? [] : lines.split('\n')) log('info', `hook_after_job: ${line}`);
    if (ended?.failure !== undefined) log('warning', `The hook_after_job failed: ${ended.failure}.`);
  };

  const stop = new StopSource(shutdown);
  const end = await runClaim(claim, { ...options, notice, identify, stop });

  metrics.job({ ...end, seconds: passedSince(claimedAt, clock).atLeast / 1000 });

  const ended = runEnd(end, { ...ids, ...facts, ...identification.named, claimedAt }, config, clock);
  await afterJob(end);

  return { ...ended, ...defined({ drift: await driftOf(end) }) };
}

function namedBy({
  stack,
  operation,
  version,
  consoleUrl: deploymentUrl,
}: StartedDeployment): NamedDeployment {
  const identity = { ...stackNamed(stack), operation, ...defined({ version }), proven: true };
  return { identity, ...defined({ deploymentUrl }) };
}

/**
 * Holds a claim's lease, watches for cancellation, and runs the job to its last report. Never
 * throws.
 */
export async function runClaim(claim: Claim, options: ClaimedRunOptions): Promise<JobEnd> {
  const { log, notice, secrets, stop, tokens, pool, record, health, metrics } = options;
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
  const onAnswer = () => health.active();
  const watch = new DeploymentWatch({ ...options, deploymentId, intervalMs, stop, onAnswer, say });
  const mayBegin = watch.start();

  lease.start();

  void pool.acknowledge(claim, reported.signal).catch((error: unknown) => {
    // Nothing depends on it.
    if (!reported.signal.aborted) say('warning', withEntry(messageOf(error), codeOf(error)));
  });

  const placed = placeOf(options.config, options.environment).then((place) => {
    if (place !== undefined) record.event({ type: 'place', place });
  });
  const { runId, jobId } = claim;

  const end = await runJob({
    ...options,
    hookFacts: { deploymentId, runId, jobId, runDirectory: record.directory },
    claim,
    api,
    target: options.executor,
    stop,
    labels: {
      ...options.labels,
      ...ownerLabels(options.owner),
      'pulumi-runner.run': claim.runId,
      'pulumi-runner.job': claim.jobId,
    },
    onLog: (figures) => metrics.log(figures),
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
  const outage = new Outage({ what: 'Sending heartbeats', say, clock });
  return new Lease({
    clock,
    beat: (signal) => api.heartbeat(signal),
    onAccepted: () => {
      health.heartbeat('accepted');
      outage.over();
    },
    onFailure: (error) => {
      health.heartbeat('failed');
      outage.failed(error);
    },
    onLost: (passed, endBy) => stop.request({ by: 'lease', reason: lossOf(passed), endBy }),
  });
}

function lossOf({ atLeast, atMost }: Passed): string {
  const minutes = Math.round((atMost - atLeast) / 60_000);
  if (minutes === 0)
    return `no heartbeat was accepted for ${span(FENCE_MS)}, and Pulumi Cloud gives up on a run after ${span(LEASE_MS)}`;
  return `this machine was suspended, or its clock set forward, by about ${minutes} min, and no heartbeat has been accepted since; Pulumi Cloud gives up on a run after ${span(LEASE_MS)} without one`;
}

function recordStop({ stop }: StopSource, { health, log, record }: ClaimedRunOptions): void {
  if (stop === undefined) return;
  health.become('stopping');
  log('warning', `Stopping: ${stop.reason}.`);
  record.event({ type: 'stopping', by: stop.by, reason: stop.reason });
}
