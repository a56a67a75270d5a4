/**
 * The variables by which a CI job or its agent proves its identity. With one of them, a deployment could sign in as the
 * CI job and claim the pool's other deployments.
 */
export const CI_IDENTITIES = {
  github: ['ACTIONS_ID_TOKEN_REQUEST_TOKEN', 'ACTIONS_RUNTIME_TOKEN'],
  // The pipeline's `id_tokens:` sets the first; a flag can name another.
  gitlab: ['PULUMI_ID_TOKEN', 'CI_JOB_JWT', 'CI_JOB_JWT_V1', 'CI_JOB_JWT_V2'],
  buildkite: ['BUILDKITE_AGENT_ACCESS_TOKEN', 'BUILDKITE_AGENT_JOB_API_TOKEN', 'BUILDKITE_AGENT_TOKEN'],
  azure: ['SYSTEM_ACCESSTOKEN'],
  others: ['CIRCLE_OIDC_TOKEN', 'CIRCLE_OIDC_TOKEN_V2', 'BITBUCKET_STEP_OIDC_TOKEN'],
} as const;
