import { momentOf, passedSince } from '../base/clock.ts';
import { stackNamed } from '../base/config/stack-pattern.ts';
import { defined } from '../base/defined.ts';
import { withEntry } from '../base/error-codes.ts';
import { codeOf, exitCodeOf, messageOf } from '../base/outcome.ts';
import { identityText, workText } from '../base/stack.ts';
import type { DeploymentApi } from '../cloud/deployment-api.ts';
import { driftFound } from '../cloud/deployments/result.ts';
import { Identification } from '../cloud/identification.ts';
import type { NamedDeployment } from '../cloud/identity.ts';
import type { Claim } from '../cloud/job-wire.ts';
import { consoleUrl } from '../cloud/organization-wire.ts';
import type { DriftResult, StartedDeployment } from '../record/deployment.ts';
import type { RunEnd } from '../record/run-record.ts';
import { type RunParts, runClaim } from './claimed-run.ts';
import { hookAfter } from './job/hooks.ts';
import type { JobOptions } from './job/job.ts';
import type { JobEnd } from './job/job-end.ts';
import { type ShutdownSignals, StopSource } from './job/stop.ts';
import { askingUntil, jobFindings } from './job-findings.ts';
import type { RunIds } from './logging/log-line.ts';
import { runEnd } from './runs/end.ts';

export interface ServeOptions extends RunParts {
  readonly shutdown: ShutdownSignals;
  readonly mayStep?: JobOptions['mayStep'];
  readonly spanVariables?: JobOptions['spanVariables'];
  /** Reads deployments; absent without an access token. */
  readonly deployments?: DeploymentApi | undefined;
  /** The deployment, if this agent started it. */
  readonly started: StartedDeployment | undefined;
  /** Where to open the record; undefined when it is open already. */
  readonly directory: string | undefined;
  readonly onRun?: (run: RunIds) => void;
  /** Called with how the job ended. */
  readonly onEnd: (end: JobEnd) => void;
}

/** Serves a claim and records it. Never throws. */
export async function serveClaim(claim: Claim, waitSeconds: number, options: ServeOptions): Promise<RunEnd> {
  const { config, clock, log, metrics, record, directory, shutdown, onRun } = options;
  const claimedAt = momentOf(clock);

  const notice = (message: string) => {
    log('warning', message);
    record.notice('warning', message);
  };

  const onNamed = (named: NamedDeployment) => record.event({ type: 'identified', ...named });
  const redact = (text: string) => options.redactor.text(text);
  const started = options.started && namedBy(options.started);
  const { deployments } = options;

  const identification = new Identification({
    claim,
    service: config,
    started,
    read: deployments && ((name, signal) => deployments.read(name, signal)),
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
  const kind = () => defined({ kind: identification.kind });

  onRun?.(identification.ids);

  const { named } = identification;
  const which = named.identity === undefined ? '' : `${identityText(named.identity)}: `;

  log('info', `Claimed ${which}${workText(deploymentId, identification.kind)} (job ${jobId}).`);

  const page = consoleUrl(config, config.organizationName);
  record.event({
    type: 'claimed',
    ...ids,
    ...kind(),
    waitSeconds,
    ...named,
    ...defined({ consoleUrl: page }),
  });

  const identify: JobOptions['identify'] = async (work, signal) => {
    const identity = await identification.identify(work.env, signal, work.kind);
    onRun?.(identification.ids);
    return { identity, kind: identification.kind };
  };

  /** Of a drift detection that this agent did not start: its own have their result elsewhere. */
  const driftOf = async ({ outcome }: JobEnd, signal: AbortSignal): Promise<DriftResult> => {
    const { identity } = identification.named;
    if (!identification.detectsDrift || started !== undefined || identity === undefined) return {};
    if (outcome !== 'succeeded' && outcome !== 'failed') return {};

    const name = { stack: identity, deploymentId };
    const found =
      deployments === undefined
        ? {}
        : await driftFound((asking) => deployments.driftRun(name, asking), { clock, signal });
    if (found.drift === undefined) {
      const advice = deployments === undefined ? ' Set access_token to let it ask Pulumi Cloud.' : '';
      record.notice('info', `The agent doesn't know whether the deployment found drift.${advice}`);
    }

    return found;
  };

  /** The hook's output goes to the agent's log: the hook changes neither outcome nor record. */
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

    const ended = await hookAfter(config, options.environment, facts, shutdown.reportsAbandoned);
    const lines = ended?.output.trimEnd() ?? '';

    for (const line of lines === '' ? [] : lines.split('\n')) log('info', `hook_after_job: ${line}`);
    if (ended?.failure !== undefined) log('warning', `The hook_after_job failed: ${ended.failure}.`);
  };

  const stop = new StopSource(shutdown);
  const end = await runClaim(claim, { ...options, notice, identify, stop });

  options.onEnd(end);
  metrics.job({ ...end, seconds: passedSince(claimedAt, clock).atLeast / 1000 });

  const facts = { ...ids, ...kind(), waitSeconds, ...identification.named, claimedAt };
  const ended = runEnd(end, facts, config, clock);
  await afterJob(end);

  const { identity } = identification.named;
  const found = { end, deploymentId, identity, directory: record.directory, deployments, redact, log };
  const signal = askingUntil(shutdown);
  const [drift, findings] = await Promise.all([driftOf(end, signal), jobFindings({ ...found, signal })]);

  return { ...ended, ...findings, ...drift };
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
