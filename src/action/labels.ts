import type { Job } from './job.ts';

/** Whose the run's Docker objects are, in GitHub's terms. */
export function labelsOf({ environment }: Pick<Job, 'environment'>): Record<string, string> {
  const { GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_JOB, GITHUB_RUN_ATTEMPT } = environment;
  if (GITHUB_REPOSITORY === undefined || GITHUB_RUN_ID === undefined) return {};
  return {
    'pulumi-runner.ci-run': `${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`,
    'pulumi-runner.ci-job': GITHUB_JOB ?? '',
    'pulumi-runner.ci-attempt': GITHUB_RUN_ATTEMPT ?? '',
  };
}
