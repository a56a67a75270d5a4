import type { RunReport, StepReport } from '../report/report.ts';

/** OpenTelemetry's semantic conventions 1.45.0, whose names for CI/CD are a release candidate. */
export const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.45.0';

/** Names of attributes, copied from there. */
export const NAMES = {
  action: 'cicd.pipeline.action.name',
  pipeline: 'cicd.pipeline.name',
  runId: 'cicd.pipeline.run.id',
  runUrl: 'cicd.pipeline.run.url.full',
  result: 'cicd.pipeline.result',
  task: 'cicd.pipeline.task.name',
  taskRunId: 'cicd.pipeline.task.run.id',
  taskUrl: 'cicd.pipeline.task.run.url.full',
  taskResult: 'cicd.pipeline.task.run.result',
  worker: 'cicd.worker.id',
  error: 'error.type',
  exitCode: 'process.exit.code',
  service: 'service.name',
  serviceVersion: 'service.version',
  host: 'host.name',
  image: 'container.image.name',
  imageDigests: 'container.image.repo_digests',
  repository: 'vcs.repository.url.full',
  revision: 'vcs.ref.head.revision',
} as const;

/** A value of both results. */
export type CicdResult = 'success' | 'failure' | 'error' | 'timeout' | 'cancellation' | 'skip';

/** True if the agent of the run died without a verdict. */
export function hasDied({ exitCode }: RunReport): boolean {
  return exitCode === undefined;
}

/** The result of a run. */
export function resultOf(report: RunReport): CicdResult {
  const { outcome, code, steps, deployments = [] } = report;
  if (hasDied(report)) return 'error';
  if (outcome === 'succeeded') return 'success';
  if (outcome === 'no-work' || outcome === 'skipped') return 'skip';
  if (outcome === 'cancelled' || outcome === 'interrupted') return 'cancellation';
  if (outcome !== 'failed' || code === 'PRA-JOB-07') return 'error';
  if (code === 'PRA-JOB-06') return 'timeout';

  const failed = steps.find(({ status }) => status === 'failed');
  if (failed !== undefined) return ownResult(failed);
  return deployments.some((each) => each.outcome === 'failed') ? 'failure' : 'error';
}

/** The result of a step that has begun, in a run with that result. */
export function stepResultOf(step: StepReport, run: CicdResult): CicdResult {
  if (step.status === 'succeeded') return 'success';
  if (step.status !== 'failed') return 'error';
  if (step.failure === 'not-run') return 'skip';
  return run === 'success' || run === 'failure' || run === 'skip' ? ownResult(step) : run;
}

/** Pulumi's agent tells no exit code; ours has a reason where there is none. */
function ownResult({ reason, failure, exitCode }: StepReport): CicdResult {
  if (failure === 'timeout') return 'timeout';
  const isLost = exitCode === undefined && reason !== undefined;
  return isLost || failure === 'memory' ? 'error' : 'failure';
}
