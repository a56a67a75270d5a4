/** Identifies a workflow run and its job. */
export interface JobIdentity {
  /** `OWNER/REPO`. */
  readonly repository: string;
  readonly runId: string;
  /** From 1; a re-run is the next attempt. */
  readonly attempt: number;
  /** The job's id in the workflow file. */
  readonly job: string;
  /** Such as `refs/heads/main`. */
  readonly ref: string;
}

/** The service addresses and tokens that a job gets. */
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

/** An identity that needs only the repository. */
export type PartialIdentity = Pick<JobIdentity, 'repository'> & Partial<Omit<JobIdentity, 'repository'>>;

/** Fills in what a test does not care about. */
export function completeIdentity(given: PartialIdentity): JobIdentity {
  return { ...IDENTITY, ...given };
}

const IDENTITY = { runId: '17442211099', attempt: 1, job: 'deploy', ref: 'refs/heads/main' };
const SHA = 'ffac537e6cbbf934b08745a378932722df287a53';

/** What both the `github` context and an ID token say about a run. */
export function runClaims({ repository, ref, runId, attempt }: JobIdentity): Record<string, string> {
  const [owner = ''] = repository.split('/');
  return {
    actor: 'octocat',
    actor_id: '583231',
    base_ref: '',
    event_name: 'push',
    head_ref: '',
    ref,
    ref_protected: 'false',
    ref_type: ref.startsWith('refs/tags/') ? 'tag' : 'branch',
    repository,
    repository_id: '1296269',
    repository_owner: owner,
    repository_owner_id: '9919',
    run_attempt: String(attempt),
    run_id: runId,
    run_number: '42',
    sha: SHA,
    workflow: 'Deploy',
    workflow_ref: `${repository}/.github/workflows/deploy.yml@${ref}`,
    workflow_sha: SHA,
  };
}

/** The variables of every step of the job, without its inputs, state and command files. */
export function jobEnvironment(
  identity: JobIdentity,
  places: JobPlaces,
  services: JobServices,
  trackingId: string,
  debug: boolean,
): Record<string, string> {
  // The `github` context's values, which become `GITHUB_<NAME>` (actions/runner, `GitHubContext`).
  const github = {
    ...runClaims(identity),
    action: '__self',
    api_url: 'https://api.github.com',
    event_path: places.eventPath,
    graphql_url: 'https://api.github.com/graphql',
    job: identity.job,
    ref_name: identity.ref.replace(/^refs\/(?:heads|tags)\//u, ''),
    retention_days: '90',
    server_url: 'https://github.com',
    triggering_actor: 'octocat',
    workspace: places.workspace,
  };
  return {
    // Steps inherit the runner's environment; an action may count on this much of it.
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
    ...Object.fromEntries(
      Object.entries(github).map(([name, value]) => [`GITHUB_${name.toUpperCase()}`, value]),
    ),
    ...(services.idToken && {
      ACTIONS_ID_TOKEN_REQUEST_URL: services.idToken.url,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: services.idToken.token,
    }),
    ...(debug && { RUNNER_DEBUG: '1' }),
  };
}
