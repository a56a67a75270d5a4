import type { KeyDefinition } from './key-definition.ts';

/**
 * Every setting of the agent, once. Validation, types, the help text and the messages all derive from this table.
 * Pulumi's own keys follow its published reference of `pulumi-workflow-agent.yaml`; `extension` marks ours.
 */

const KUBERNETES_ONLY = 'only acts on the Kubernetes target, so it has no effect here';

export const KEYS = {
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
    built: false,
    help: 'Where jobs run.',
  },
  single_run: { type: 'boolean', default: 'false', help: 'Exit after one job.' },
  pull_image: { type: 'boolean', default: 'true', help: "Pull a job's image each time; false: use the local one." },
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

  runner_pool_name: { type: 'text', extension: true, help: 'Name of the pool, tried when OIDC refuses the ID.' },
  oidc_scope: { type: 'text', extension: true, help: 'Scope of the OIDC exchange instead of runner:<pool>.' },
  oidc_audience: {
    type: 'word',
    extension: true,
    help: 'Audience of the OIDC exchange instead of urn:pulumi:org:<organization>.',
  },
  allow_insecure_service_url: {
    type: 'boolean',
    extension: true,
    default: 'false',
    help: 'Allow http:// for a service_url that is not on this machine.',
  },
  ca_certificate: {
    type: 'certificates',
    extension: true,
    help: "Certificates of authorities to trust besides the system's and Node.js's own.",
  },
  ca_certificate_in_jobs: {
    type: 'boolean',
    extension: true,
    default: 'false',
    help: 'Give jobs everything that is trusted as a file, and name it to their programs.',
  },
  max_wait: {
    type: 'duration',
    extension: true,
    zero: true,
    unsetMeans: 'for ever',
    help: 'How long to wait for work before giving up; 0s: one poll.',
  },
  fail_on_no_work: {
    type: 'boolean',
    extension: true,
    default: 'false',
    help: 'Exit with code 75 when there was no work.',
  },
  image: {
    type: 'word',
    extension: true,
    environment: ['PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE'],
    help: "Image to run jobs in, whatever image they name. (PULUMI_AGENT_IMAGE is another of Pulumi's settings.)",
  },
  cancel_grace_period: {
    type: 'duration',
    extension: true,
    zero: true,
    default: '2m',
    help: 'Time a cancelled step has between being interrupted and being killed.',
  },
  run_directory: {
    type: 'path',
    extension: true,
    unsetMeans: "a fresh folder below the user's state folder",
    help: 'Where logs, events and the result are written.',
  },
  log_format: {
    type: 'choice',
    extension: true,
    choices: ['text', 'json'],
    default: 'text',
    help: "Form of the agent's own log on stderr.",
  },
  log_level: {
    type: 'choice',
    extension: true,
    choices: ['debug', 'info', 'warning', 'error'],
    default: 'info',
    help: "The least that the agent's own log says.",
  },
  syslog_socket: { type: 'path', extension: true, default: '/dev/log', help: "The syslog daemon's socket." },
  syslog_format: {
    type: 'choice',
    extension: true,
    choices: ['rfc5424', 'local'],
    unsetMeans: "rfc5424, and local for journald's socket",
    help: "Form of messages to syslog; local is the C library's, which journald reads.",
  },

  agent_image: {
    type: 'none',
    environmentOnly: true,
    environment: ['PULUMI_AGENT_IMAGE'],
    noEffect: `${KUBERNETES_ONLY}; to replace the image of jobs set PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE`,
    help: 'Kubernetes target only.',
  },
  image_pull_policy: kubernetesOnly(),
  service_account_name: kubernetesOnly(),
  num_cpus: kubernetesOnly(),
  mem_quantity: kubernetesOnly(),
  debug_pod: kubernetesOnly(),
} as const satisfies Readonly<Record<string, KeyDefinition>>;

function kubernetesOnly() {
  return { type: 'none', environmentOnly: true, noEffect: KUBERNETES_ONLY, help: 'Kubernetes target only.' } as const;
}

/** Any name in the table. */
export type KeyName = keyof typeof KEYS;
/** Every name in the table, in its order. */
export const KEY_NAMES = Object.keys(KEYS) as readonly KeyName[];

/** The definition of `key`, with the fields it leaves out. */
export function definitionOf(key: KeyName): KeyDefinition {
  return KEYS[key];
}

/** The environment variables that set `key`. */
export function environmentNames(key: KeyName): readonly string[] {
  return definitionOf(key).environment ?? [`PULUMI_AGENT_${key.toUpperCase()}`];
}

/** True for a setting of Pulumi's own agent. */
export function isOfficial(key: KeyName): boolean {
  return definitionOf(key).extension !== true;
}

/** The key of that name in the file or among the flags, if there is one. */
export function fileKey(name: string): KeyName | undefined {
  const key = KEY_NAMES.find((known) => known === name);
  return key !== undefined && definitionOf(key).environmentOnly !== true ? key : undefined;
}
