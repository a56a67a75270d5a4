import { setImmediate } from 'node:timers/promises';
import type { Clock, Passed } from '../clock.ts';
import type { PoolApi } from '../cloud/deployments.ts';
import { JobGoneError } from '../cloud/errors.ts';
import type { CloudHttp } from '../cloud/http.ts';
import { JobApi } from '../cloud/jobs.ts';
import { Outage } from '../cloud/outage.ts';
import { currentToken, type TokenSource } from '../cloud/token.ts';
import type { Claim } from '../cloud/wire.ts';
import { cancelled } from '../job/cancellation.ts';
import { runJob } from '../job/job.ts';
import type { JobEnd } from '../job/job-end.ts';
import { Lease, type LeaseTimes } from '../job/lease.ts';
import { StopSource } from '../job/stop.ts';
import type { Redactor } from '../log/redactor.ts';
import { messageOf } from '../outcome.ts';
import type { Owner } from '../record/schema.ts';
import type { Target } from '../target/target.ts';
import type { Health } from './health/health.ts';
import { type JobSettingsSources, jobSettings } from './job-settings.ts';
import { ownLabels } from './labels.ts';
import type { Log } from './logging/agent-log.ts';
import { placeOf } from './place.ts';
import type { RunRecord } from './run-record.ts';
import { keepHeapSmall } from './small-heap.ts';

/** What serving a claim takes of the agent. */
export interface ClaimedRunOptions extends JobSettingsSources {
  readonly owner: Owner;
  readonly clock: Clock;
  readonly log: Log;
  readonly redactor: Redactor;
  readonly http: CloudHttp;
  readonly tokens: TokenSource;
  readonly pool: PoolApi;
  readonly target: Target;
  /** Labels for every object made, besides the owner's. */
  readonly labels: Readonly<Record<string, string>>;
  readonly health: Health;
  readonly record: RunRecord;
  readonly notice: (message: string) => void;
  /** The times by which the claim is kept, where they are not the usual ones. */
  readonly heartbeats?: LeaseTimes;
  /** Has the process end when its main thread stands still for `leftMs()` milliseconds; without it nothing does. */
  readonly watchdog?: (leftMs: () => number) => { stop(): Promise<void> };
  /** Takes what an interrupt must be passed to. */
  readonly onStopSource: (stop: StopSource) => void;
}

/** Serves one claim: keeps it, watches for its cancellation, and runs its job to the last report. Never throws. */
export async function runClaim(claim: Claim, options: ClaimedRunOptions): Promise<JobEnd> {
  const { clock, log, redactor, tokens, pool, record, health, notice } = options;
  keepHeapSmall();
  redactor.add([claim.jobToken]);
  health.become('running');
  const api = new JobApi(options.http, claim, (signal, refused) => currentToken(tokens, signal, refused), clock);
  const stop = new StopSource();
  stop.signal.addEventListener('abort', () => tellStop(stop, options), { once: true });
  options.onStopSource(stop);
  const lease = leaseOf(api, stop, options);
  const watchdog = options.watchdog?.(() => lease.leftMs);
  const ended = new AbortController();
  const watch = watchForCancel(claim, stop, ended.signal, options);
  const job = runJob({
    ...jobSettings(options),
    claim,
    api,
    target: options.target,
    stop,
    clock,
    redactor,
    labels: {
      ...options.labels,
      ...ownLabels(options.owner),
      'pulumi-runner.run': claim.runId,
      'pulumi-runner.job': claim.jobId,
    },
    stepLog: (index, name) => record.stepLog(index, name),
    event: (event) => record.event(event),
    onLog: (figures) => health.log(figures),
    notice,
    beforeLastStatus: async () => {
      // Once the last status is told the deployment has ended: a heartbeat or a look at its state would mislead.
      ended.abort();
      await lease.stop();
    },
  });
  // The job's definition is asked for first: it goes over the connection that the claim came on, the rest opens another.
  await setImmediate();
  // It is known before the definition is here, and so before anything is made.
  const placed = placeOf(options.config, options.environment).then((place) => {
    if (place !== undefined) record.event({ type: 'place', place });
  });
  if (!ended.signal.aborted) {
    lease.start();
    void pool.acknowledge(claim, ended.signal).catch((error: unknown) => log('debug', String(error)));
  }
  const end = await job;
  ended.abort();
  await Promise.all([lease.stop(), watch, placed, watchdog?.stop()]);
  return end;
}

function leaseOf(api: JobApi, stop: StopSource, { clock, health, heartbeats, log, notice }: ClaimedRunOptions): Lease {
  const outage = new Outage({
    what: 'Sending heartbeats',
    say: (level, message) => (level === 'warning' ? notice(message) : log(level, message)),
    clock,
  });
  return new Lease({
    ...heartbeats,
    clock,
    beat: (signal) => api.heartbeat(signal),
    onAccepted: () => {
      health.heartbeat('accepted');
      outage.over();
    },
    onFailure: (error) => {
      health.heartbeat('failed');
      outage.failed(error);
      if (error instanceof JobGoneError) stop.request({ by: 'cloud', reason: 'Pulumi Cloud no longer knows the job' });
    },
    onLost: (passed, endBy) => stop.request({ by: 'lease', reason: lossOf(passed), endBy }),
  });
}

function lossOf({ surely, perhaps }: Passed): string {
  const minutes = Math.round((perhaps - surely) / 60_000);
  if (minutes === 0) return 'no heartbeat was accepted for 8 minutes, and Pulumi Cloud gives a run up after 10';
  return `this machine was suspended, or its clock set forward, by about ${minutes} min, and no heartbeat has been accepted since; Pulumi Cloud gives a run up after 10 minutes without one`;
}

async function watchForCancel(
  { deploymentId }: Claim,
  stop: StopSource,
  signal: AbortSignal,
  { clock, config, health, pool, log }: ClaimedRunOptions,
): Promise<void> {
  const ended = await cancelled({
    state: async (aborted) => {
      const state = await pool.state(deploymentId, aborted);
      health.active();
      return state;
    },
    intervalMs: config.jobStatusLoopIntervalMs,
    clock,
    signal,
    onFailure: (error) => log('warning', messageOf(error)),
  });
  if (ended) stop.request({ by: 'cloud', reason: 'the deployment was cancelled in Pulumi Cloud' });
}

function tellStop({ stop }: StopSource, { health, log, record }: ClaimedRunOptions): void {
  if (stop === undefined) return;
  health.become('stopping');
  log('warning', `Stopping: ${stop.reason}.`);
  record.event({ type: 'stopping', by: stop.by, reason: stop.reason });
}
