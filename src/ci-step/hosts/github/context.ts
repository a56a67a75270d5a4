import type { context as actionsContext } from '@actions/github';
import type { Environment } from '../../../base/environment.ts';
import type { CancelWindow } from '../../host.ts';

/** The facts that GitHub states of a job and its workflow run. */
export type Context = Pick<
  typeof actionsContext,
  'job' | 'payload' | 'repo' | 'runAttempt' | 'runId' | 'serverUrl' | 'workflow'
>;

/** GitHub's runner ends a cancelled job after 285 s, and a main that does not react after 10 s. */
export const CANCEL_WINDOW: CancelWindow = { mode: 'leave', jobMs: 285_000, mainMs: 10_000 };

/** Address of the workflow run. */
export function runPage({ serverUrl, repo, runId }: Context): string {
  return `${serverUrl}/${repo.owner}/${repo.repo}/actions/runs/${runId}`;
}

/** Address of an attempt of the workflow run, by default this one. */
export function attemptPage(context: Context, attempt = context.runAttempt): string {
  return `${runPage(context)}/attempts/${attempt}`;
}

/**
 * Address of this version's TROUBLESHOOTING.md; undefined for an action in the workspace, which has
 * no repository.
 */
export function troubleshootingPage(environment: Environment, { serverUrl }: Context): string | undefined {
  const { GITHUB_ACTION_REPOSITORY: repository = '', GITHUB_ACTION_REF: ref = '' } = environment;
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) return undefined;
  return `${serverUrl}/${repository}/blob/${/^[\w./-]+$/.test(ref) ? ref : 'HEAD'}/TROUBLESHOOTING.md`;
}

/** Labels that name the workflow run and job that a container or pod belongs to. */
export function labelsOf({ repo, runId, job, runAttempt }: Context): Record<string, string> {
  return {
    'pulumi-runner.ci-run': `${repo.owner}/${repo.repo}/actions/runs/${runId}`,
    'pulumi-runner.ci-job': job,
    'pulumi-runner.ci-attempt': String(runAttempt),
  };
}
