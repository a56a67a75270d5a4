import type { KeyDefinition } from '../key-definition.ts';

/** Pulumi's own keys, as its published reference of `pulumi-workflow-agent.yaml` has them. */
export const PULUMI_KEYS = {
  token: { type: 'secret', help: 'Token of the pool, shown once when it is created. Required unless OIDC is used.' },
  service_url: {
    type: 'url',
    default: 'https://api.pulumi.com',
    help: 'API of Pulumi Cloud, or of a self-hosted one.',
  },
  working_directory: {
    type: 'path',
    computedDefault: "the agent's own directory",
    noEffect: 'has no effect: this agent loads no runner binaries',
    help: 'Where the official agent loads its runner binaries from. No effect here.',
  },
  shared_volume_directory: {
    type: 'path',
    noEffect: 'has no effect: nothing of the host is mounted into jobs',
    help: 'Where the official agent makes the directories it mounts into jobs. No effect here.',
  },
  deploy_target: {
    type: 'choice',
    choices: ['docker', 'kubernetes', 'ecs'],
    default: 'docker',
    unbuilt: ['ecs'],
    help: 'Where jobs run.',
  },
  single_run: { type: 'boolean', default: 'false', help: 'Exit after one job.' },
  pull_image: {
    type: 'boolean',
    target: 'docker',
    default: 'true',
    help: "Pull a job's image each time; false: use the local one.",
  },
  enabled_workflow_types: {
    type: 'choices',
    choices: ['deployment', 'insights_scan', 'policy_evaluation'],
    default: 'deployment,insights_scan,policy_evaluation',
    help: 'Kinds of work to take; only deployment is served. In the environment split by commas.',
  },
  env_forward_allowlist: {
    type: 'names',
    default: '',
    help: "Variables of the agent's environment given to jobs. In the environment split by spaces.",
  },
  oidc_token_file: {
    type: 'path',
    help: 'File with an OIDC token to exchange for a Pulumi token; read again for each exchange.',
  },
  organization_name: { type: 'word', help: 'Pulumi organization. Required with OIDC.' },
  runner_pool_id: { type: 'word', help: 'ID of the pool. Required with OIDC; a token implies its pool.' },
  token_expiration: { type: 'lifetime', help: 'Lifetime to ask for at the OIDC exchange: a duration, or seconds.' },
  polling_interval: { type: 'duration', default: '1m', help: 'Time between two polls for work.' },
  polling_interval_override: {
    type: 'boolean',
    default: 'false',
    help: "Ignore the server's Retry-After and keep to polling_interval.",
  },
  job_status_loop_interval: {
    type: 'duration',
    default: '30s',
    help: 'How often a running job is checked for cancellation.',
  },
  request_timeout: { type: 'duration', default: '30s', help: 'Longest time one API call may take.' },
  request_retry_count: {
    type: 'count',
    default: '2',
    help: 'Retries of an API call that was rate-limited or failed for a passing reason.',
  },
  request_retry_wait: { type: 'duration', zero: true, default: '20s', help: 'Wait before the first retry.' },
  request_retry_max_wait: { type: 'duration', zero: true, default: '2m', help: 'Longest wait between two retries.' },
  circuit_breaker_failures: {
    type: 'count',
    minimum: 1,
    default: '2',
    help: 'Failed calls in a row, retries included in each, after which polling pauses.',
  },
  circuit_breaker_timeout: { type: 'duration', default: '10m', help: 'How long polling then pauses.' },
  http_server_port: { type: 'port', default: '8080', help: 'Port of /healthz and /metrics; 0: any free one.' },
  health_threshold: {
    type: 'duration',
    untimed: true,
    computedDefault: 'twice the longer of polling_interval and job_status_loop_interval',
    help: 'Time without progress after which /healthz says unhealthy.',
  },
  syslog: { type: 'boolean', default: 'false', help: 'Log to syslog instead of stderr.' },
  version: {
    type: 'none',
    noEffect: 'is a key of old configuration files and has no effect',
    help: 'Accepted from old configuration files. No effect.',
  },
} as const satisfies Readonly<Record<string, KeyDefinition>>;
