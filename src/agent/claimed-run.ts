import { setImmediate } from 'node:timers/promises';
import type { Clock, Passed } from '../clock.ts';
import type { PoolApi } from '../cloud/deployments.ts';
import type { CloudHttp } from '../cloud/http.ts';
import { JobApi } from '../cloud/jobs.ts';
import { currentToken, type TokenSource } from '../cloud/token.ts';
import type { Claim } from '../cloud/wire.ts';
import { cancelled } from '../job/cancellation.ts';
import { INTERVAL_MS, RETRY_MS } from '../job/heartbeat.ts';
import { runJob } from '../job/job.ts';
import type { JobEnd } from '../job/job-end.ts';
import { FENCE_MS, type HeartbeatEvents, Lease } from '../job/lease.ts';
import { StopSource } from '../job/stop.ts';
import type { Redactor } from '../log/redactor.ts';
import { messageOf } from '../outcome.ts';
import type { Owner } from '../record/schema.ts';
import type { Target } from '../target/target.ts';
import type { Health } from './health/health.ts';
import type { HeartbeatTimes } from './heartbeat/messages.ts';
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
  /** How the claim is kept: its times where they are not the usual ones, and the program of the thread that does it. */
  readonly heartbeats?: Partial<HeartbeatTimes> & { readonly program?: string; readonly handOverMs?: number };
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
  const lease = leaseOf(claim, api, stop, options);
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
  await Promise.all([lease.stop(), watch, placed]);
  return end;
}

function leaseOf(claim: Claim, api: JobApi, stop: StopSource, options: ClaimedRunOptions): Lease {
  const { clock, config, health, heartbeats = {}, log, notice, tokens } = options;
  const { program, handOverMs, ...given } = heartbeats;
  const times: HeartbeatTimes = { intervalMs: INTERVAL_MS, retryMs: RETRY_MS, fenceMs: FENCE_MS, ...given };
  let failures = 0;
  const events: HeartbeatEvents = {
    onAccepted: () => {
      health.heartbeat('accepted');
      if (failures > 0) log('info', `Heartbeats are accepted again after ${failures} failures.`);
      failures = 0;
    },
    // A row of failures is one thing to tell: they come every few seconds.
    onFailure: (error) => {
      health.heartbeat('failed');
      failures += 1;
      if (failures === 1) notice(messageOf(error));
    },
    onGone: () => stop.request({ by: 'cloud', reason: 'Pulumi Cloud no longer knows the job' }),
  };
  const thread = async (path: string) => {
    const { WorkerHeartbeat } = await import('./heartbeat/thread.ts');
    return new WorkerHeartbeat({ ...events, program: path, config, claim, tokens, log, times });
  };
  return new Lease({
    ...events,
    ...times,
    ...(program === undefined ? {} : { thread: () => thread(program) }),
    ...(handOverMs === undefined ? {} : { handOverMs }),
    clock,
    beat: (signal) => api.heartbeat(signal),
    onThreadFailure: (error) => notice(messageOf(error)),
    onLost: (passed) => stop.request({ by: 'lease', reason: lossOf(passed) }),
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
