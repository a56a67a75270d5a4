import { elapsedSince, momentOf } from '../base/clock.ts';
import { stackNamed } from '../base/config/stack-pattern.ts';
import { defined } from '../base/defined.ts';
import { withEntry } from '../base/error-codes.ts';
import { codeOf, exitCodeOf, messageOf } from '../base/outcome.ts';
import { identityText, workText } from '../base/stack.ts';
import type { DeploymentApi } from '../cloud/deployment-api.ts';
import { lossOf } from '../cloud/fence.ts';
import { Identification } from '../cloud/identification.ts';
import type { NamedDeployment } from '../cloud/identity.ts';
import { JobApi } from '../cloud/job-api.ts';
import type { Claim } from '../cloud/job-wire.ts';
import { consoleUrl } from '../cloud/organization-wire.ts';
import { ownerLabels } from '../executor/owner-labels.ts';
import { placeOf } from '../executor/targets.ts';
import type { StartedDeployment } from '../record/deployment.ts';
import type { RunEnd, RunRecord } from '../record/run-record.ts';
import type { Health } from './health/health.ts';
import { hookAfter } from './hooks/hooks.ts';
import { DeploymentWatch } from './job/deployment-watch.ts';
import { type JobCloud, runJob } from './job/job.ts';
import type { JobEnd } from './job/job-end.ts';
import { Lease } from './job/lease.ts';
import type { SpanVariablesOf } from './job/steps.ts';
import { StopSource } from './job/stop.ts';
import { askingUntil, driftOfClaim, jobFindings } from './job-findings.ts';
import type { RunIds } from './logging/log-line.ts';
import { runEnd } from './runs/end.ts';
import type { Run, Services } from './services.ts';

export interface ClaimOptions {
  readonly claim: Claim;
  /** From the beginning of the wait to the claim. */
  readonly waitSeconds: number;
  readonly record: RunRecord;
  /** Where to open the record; undefined when it is open already. */
  readonly directory: string | undefined;
  readonly secrets: Run['secrets'];
  readonly health: Health;
  /** The deployment, if this agent started it. */
  readonly started: StartedDeployment | undefined;
  /** Reads deployments; absent without an access token. */
  readonly deployments: DeploymentApi | undefined;
  readonly mayStep?: JobCloud['mayStep'];
  readonly spanVariables?: SpanVariablesOf | undefined;
  readonly onRun: (run: RunIds) => void;
  /** Called with how the job ended. */
  readonly onEnd: (end: JobEnd) => void;
}

/**
 * Serves one claim: names its deployment, runs its job under the lease, runs the hook after it, and
 * reads what the job changed. Never throws.
 */
export async function serveClaim(services: Services, options: ClaimOptions): Promise<RunEnd> {
  const { config, clock, log, metrics, redactor, shutdown } = services;
  const { claim, waitSeconds, record, directory, health, started, deployments, onRun } = options;
  const claimedAt = momentOf(clock);
  const redact = (text: string) => redactor.text(text);

  const notice = (message: string) => {
    log('warning', message);
    record.notice('warning', message);
  };

  const identification = new Identification({
    claim,
    service: config,
    started: started && namedBy(started),
    read: deployments && ((name, signal) => deployments.read(name, signal)),
    redact,
    onNamed: (named) => record.event({ type: 'identified', ...named }),
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

  onRun(identification.ids);

  const { named } = identification;
  const name = named.identity === undefined ? '' : `${identityText(named.identity)}: `;
  log('info', `Claimed ${name}${workText(deploymentId, identification.kind)} (job ${jobId}).`);

  record.event({
    type: 'claimed',
    ...ids,
    kind: identification.kind,
    waitSeconds,
    ...named,
    consoleUrl: consoleUrl(config, config.organizationName),
  });

  const stop = new StopSource(shutdown);
  const run: Run = {
    record,
    secrets: options.secrets,
    stop,
    say: (level, message) => (level === 'warning' ? notice(message) : log(level, message)),
  };

  const end = await runUnderLease(services, run, {
    claim,
    health,
    identify: async (work, signal) => {
      const identity = await identification.identify(work.env, signal, work.kind);
      onRun(identification.ids);
      return { identity, kind: identification.kind };
    },
    mayStep: options.mayStep,
    spanVariables: options.spanVariables,
  });

  options.onEnd(end);
  metrics.job({ ...end, seconds: elapsedSince(claimedAt, clock).atLeast / 1000 });

  const facts = { ...ids, kind: identification.kind, waitSeconds, ...identification.named, claimedAt };
  const ended = runEnd(end, facts, config, clock);
  const { identity } = identification.named;

  await runHookAfter(services, {
    ...ids,
    identity,
    image: end.image,
    runDirectory: record.directory,
    outcome: end.outcome,
    exitCode: exitCodeOf(end.outcome),
  });

  const signal = askingUntil(shutdown);
  // OwnDeployments asks about those that a single run started.
  const isFollowed = config.singleRun && started !== undefined;
  const detectsDrift = identification.detectsDrift && !isFollowed;
  const [drift, findings] = await Promise.all([
    detectsDrift ? driftOfClaim({ end, deploymentId, identity, deployments, record, clock, signal }) : {},
    jobFindings({
      end,
      deploymentId,
      identity,
      directory: record.directory,
      deployments,
      redact,
      log,
      signal,
    }),
  ]);

  return { ...ended, ...findings, ...drift };
}

interface LeaseOptions {
  readonly claim: Claim;
  readonly health: Health;
  readonly identify: JobCloud['identify'];
  readonly mayStep?: JobCloud['mayStep'];
  readonly spanVariables?: SpanVariablesOf | undefined;
}

/**
 * Holds the claim's lease and watches for a cancel while the job runs, to its last report. Never
 * throws.
 */
export async function runUnderLease(services: Services, run: Run, options: LeaseOptions): Promise<JobEnd> {
  const { config, environment, clock, log, cloud, owner } = services;
  const { record, stop, say } = run;
  const { claim, health } = options;
  run.secrets.add([claim.jobToken]);
  health.become('running');

  const onStop = () => {
    if (stop.stop === undefined) return;
    const { by, reason } = stop.stop;
    health.become('stopping');
    log('warning', `Stopping: ${reason}.`);
    record.event({ type: 'stopping', by, reason });
  };
  stop.signal.addEventListener('abort', onStop, { once: true });

  const api = new JobApi(cloud.http, claim, cloud.tokens);
  const lease = new Lease({
    clock,
    say,
    health,
    beat: (signal) => api.heartbeat(signal),
    onLost: (passed, endBy) => stop.request({ by: 'lease', reason: lossOf(passed), endBy }),
  });

  const watchdog = services.watchdog?.(() => lease.leftMs);
  const watch = new DeploymentWatch({
    pool: cloud.pool,
    deploymentId: claim.deploymentId,
    intervalMs: config.jobStatusLoopIntervalMs,
    clock,
    stop,
    health,
    say,
  });
  const mayBegin = watch.start();

  lease.start();

  const reported = new AbortController();
  void cloud.pool.acknowledge(claim, reported.signal).catch((error: unknown) => {
    // Nothing depends on it.
    if (!reported.signal.aborted) say('warning', withEntry(messageOf(error), codeOf(error)));
  });

  const placed = placeOf(config, environment).then((place) => {
    if (place !== undefined) record.event({ type: 'place', place });
  });

  const end = await runJob({
    claim,
    services: {
      config,
      environment,
      caBundle: services.caBundle,
      clock,
      redactor: services.redactor,
      executor: services.executor,
      metrics: services.metrics,
      labels: {
        ...services.labels,
        ...ownerLabels(owner),
        'pulumi-runner.run': claim.runId,
        'pulumi-runner.job': claim.jobId,
      },
    },
    run,
    cloud: {
      api,
      watch,
      heartbeatSince: ({ steady }) => lease.lastAccepted.steady > steady,
      mayBegin,
      identify: options.identify,
      mayStep: options.mayStep,
      // Not earlier: Pulumi Cloud fails a deployment that sends no heartbeats. Not later: it accepts
      // none after the end.
      onReported: () => {
        reported.abort();
        void watch.stop();
        void lease.stop();
      },
    },
    spanVariables: options.spanVariables,
  });

  await Promise.all([lease.stop(), watch.stop(), placed, watchdog?.stop()]);

  // A later interrupt of the agent doesn't concern this job.
  stop.signal.removeEventListener('abort', onStop);

  return end;
}

/** The hook's output goes to the agent's log: the hook changes neither outcome nor record. */
async function runHookAfter(
  { config, environment, log, shutdown }: Services,
  facts: Parameters<typeof hookAfter>[2],
): Promise<void> {
  const ended = await hookAfter(config, environment, facts, shutdown.reportsAbandoned);
  const output = ended?.output.trimEnd() ?? '';

  for (const line of output === '' ? [] : output.split('\n')) log('info', `hook_after_job: ${line}`);
  if (ended?.failure !== undefined) log('warning', `The hook_after_job failed: ${ended.failure}.`);
}

function namedBy({
  stack,
  operation,
  version,
  consoleUrl: deploymentUrl,
}: StartedDeployment): NamedDeployment {
  const identity = { ...stackNamed(stack), operation, version, proven: true };
  return { identity, ...defined({ deploymentUrl }) };
}
