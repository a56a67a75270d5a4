/** What a workflow run and its job are called; the `github` context's part of it. */
export interface JobIdentity {
  /** `OWNER/REPO`. */
  readonly repository: string;
  readonly runId: string;
  readonly runNumber: string;
  /** From 1; a re-run is the next attempt. */
  readonly attempt: number;
  /** The job's id in the workflow file. */
  readonly job: string;
  readonly workflow: string;
  /** Such as `.github/workflows/deploy.yml`. */
  readonly workflowFile: string;
  /** Such as `refs/heads/main`. */
  readonly ref: string;
  readonly sha: string;
  readonly eventName: string;
  readonly actor: string;
}

/** The service addresses and tokens a job is given. */
export interface JobServices {
  readonly resultsUrl: string;
  readonly runtimeToken: string;
  /** Present when the job has `permissions: id-token: write`. */
  readonly idToken?: { readonly url: string; readonly token: string } | undefined;
}

export interface JobPlaces {
  readonly workspace: string;
  readonly temp: string;
  readonly toolCache: string;
  readonly home: string;
  readonly eventPath: string;
}

/** An identity of which only the repository must be said. */
export type PartialIdentity = Pick<JobIdentity, 'repository'> & Partial<Omit<JobIdentity, 'repository'>>;

/** Fills what a test need not care about. */
export function completeIdentity(given: PartialIdentity): JobIdentity {
  return { ...IDENTITY, ...given };
}

const IDENTITY: Omit<JobIdentity, 'repository'> = {
  runId: '17442211099',
  runNumber: '42',
  attempt: 1,
  job: 'deploy',
  workflow: 'Deploy',
  workflowFile: '.github/workflows/deploy.yml',
  ref: 'refs/heads/main',
  sha: 'ffac537e6cbbf934b08745a378932722df287a53',
  eventName: 'push',
  actor: 'octocat',
};

/** The `github` context's values, which become `GITHUB_<NAME>` (actions/runner, `GitHubContext`). */
export function githubContext(identity: JobIdentity, places: JobPlaces): Record<string, string> {
  const { repository, ref } = identity;
  const owner = repository.split('/')[0] ?? '';
  const workflowRef = `${repository}/${identity.workflowFile}@${ref}`;
  return {
    action: '__self',
    actor: identity.actor,
    actor_id: '583231',
    api_url: 'https://api.github.com',
    base_ref: '',
    event_name: identity.eventName,
    event_path: places.eventPath,
    graphql_url: 'https://api.github.com/graphql',
    head_ref: '',
    job: identity.job,
    ref,
    ref_name: ref.replace(/^refs\/(?:heads|tags)\//u, ''),
    ref_protected: 'false',
    ref_type: ref.startsWith('refs/tags/') ? 'tag' : 'branch',
    repository,
    repository_id: '1296269',
    repository_owner: owner,
    repository_owner_id: '9919',
    retention_days: '90',
    run_attempt: String(identity.attempt),
    run_id: identity.runId,
    run_number: identity.runNumber,
    server_url: 'https://github.com',
    sha: identity.sha,
    triggering_actor: identity.actor,
    workflow: identity.workflow,
    workflow_ref: workflowRef,
    workflow_sha: identity.sha,
    workspace: places.workspace,
  };
}

/** The variables every step of the job gets, before its inputs, state and command files. */
export function jobEnvironment(
  github: Readonly<Record<string, string>>,
  places: JobPlaces,
  services: JobServices,
  trackingId: string,
  debug: boolean,
): Record<string, string> {
  return {
    // The runner's own environment is inherited by steps; this is all of it that an action may count on.
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: places.home,
    LANG: 'C.UTF-8',
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    RUNNER_OS: 'Linux',
    RUNNER_ARCH: process.arch === 'arm64' ? 'ARM64' : 'X64',
    RUNNER_NAME: 'emulated-runner-1',
    RUNNER_ENVIRONMENT: 'self-hosted',
    RUNNER_TEMP: places.temp,
    RUNNER_TOOL_CACHE: places.toolCache,
    RUNNER_WORKSPACE: places.workspace.replace(/\/[^/]*$/u, ''),
    RUNNER_TRACKING_ID: trackingId,
    ACTIONS_RUNTIME_URL: services.resultsUrl,
    ACTIONS_RUNTIME_TOKEN: services.runtimeToken,
    ACTIONS_RESULTS_URL: services.resultsUrl,
    ...Object.fromEntries(Object.entries(github).map(([name, value]) => [`GITHUB_${name.toUpperCase()}`, value])),
    ...(services.idToken && {
      ACTIONS_ID_TOKEN_REQUEST_URL: services.idToken.url,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: services.idToken.token,
    }),
    ...(debug && { RUNNER_DEBUG: '1' }),
  };
}
