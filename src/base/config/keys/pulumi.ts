import { z } from 'zod';
import { about, type KeyTable, kind, listOf } from '../key-definition.ts';
import {
  boolean,
  duration,
  durationOrZero,
  filePath,
  ignored,
  lifetime,
  off,
  oneOf,
  port,
  secret,
  someOf,
  urlOf,
  wholeNumber,
} from '../kinds.ts';

const names = listOf(
  z
    .string()
    .regex(
      /^[A-Za-z_][A-Za-z0-9_]*$/,
      about('is not a name of an environment variable (letters, digits and _)'),
    ),
);

/** A name without a slash, such as the last part of a page's address. */
const identifier = kind('word', z.string().regex(/^[^\s\p{Cc}/]+$/u, about('holds white space or a slash')));

/** Pulumi's own keys, as in its published reference of `pulumi-workflow-agent.yaml`. */
export const PULUMI_KEYS = {
  token: {
    key: 'token',
    kind: secret,
    help: 'Token of the pool, shown once when it is created. Required unless OIDC is used.',
  },
  serviceUrl: {
    key: 'service_url',
    // Whether http is allowed depends on allow_insecure_service_url.
    kind: urlOf('https://api.pulumi.com'),
    default: 'https://api.pulumi.com',
    help: 'Address of the API of Pulumi Cloud, or of a self-hosted one.',
  },
  workingDirectory: {
    key: 'working_directory',
    kind: ignored,
    noEffect: 'has no effect: this agent loads no runner binaries',
    help: "Folder of the official agent's runner binaries. No effect here.",
  },
  sharedVolumeDirectory: {
    key: 'shared_volume_directory',
    kind: ignored,
    noEffect: 'has no effect: nothing of the host is mounted into jobs',
    help: 'Folder of the directories that the official agent mounts into jobs. No effect here.',
  },
  deployTarget: {
    key: 'deploy_target',
    kind: oneOf('docker', 'kubernetes'),
    default: 'docker',
    help: 'Where jobs run; ecs is not supported yet.',
  },
  singleRun: { key: 'single_run', ...off, help: 'Exit after one job.' },
  pullImage: {
    key: 'pull_image',
    kind: boolean,
    target: 'docker',
    default: 'true',
    help: 'Pull the image before each job; false: use the local image.',
  },
  enabledWorkflowTypes: {
    key: 'enabled_workflow_types',
    kind: someOf('deployment', 'insights_scan', 'policy_evaluation'),
    default: 'deployment,insights_scan,policy_evaluation',
    computedDefault: 'all that the engine serves',
    help: 'Kinds of work to take; insights_scan is Discovery scans. The engine own serves deployment only.',
  },
  envForwardAllowlist: {
    key: 'env_forward_allowlist',
    kind: names,
    default: '',
    help: "Names of the agent's environment variables to pass to jobs. Space-separated in the environment.",
  },
  oidcTokenFile: {
    key: 'oidc_token_file',
    kind: filePath,
    help: 'File with an OIDC token to exchange for a Pulumi token; it is read again for each exchange.',
  },
  organizationName: {
    key: 'organization_name',
    kind: identifier,
    help: 'Pulumi organization. Required with OIDC.',
  },
  runnerPoolId: {
    key: 'runner_pool_id',
    kind: identifier,
    help: 'ID of the pool. Required with OIDC; a token implies its pool.',
  },
  tokenExpirationSeconds: {
    key: 'token_expiration',
    kind: lifetime,
    help: 'Requested lifetime of the Pulumi token from the OIDC exchange: a duration, or seconds.',
  },
  pollingIntervalMs: {
    key: 'polling_interval',
    kind: duration,
    default: '1m',
    help: 'Time between two polls for work.',
  },
  pollingIntervalOverride: {
    key: 'polling_interval_override',
    ...off,
    help: "Ignore the server's Retry-After and keep to polling_interval.",
  },
  jobStatusLoopIntervalMs: {
    key: 'job_status_loop_interval',
    kind: duration,
    default: '30s',
    help: 'Time between two checks whether a running job was cancelled.',
  },
  requestTimeoutMs: {
    key: 'request_timeout',
    kind: duration,
    default: '30s',
    help: 'Time limit of one API call.',
  },
  requestRetryCount: {
    key: 'request_retry_count',
    kind: wholeNumber(),
    default: '2',
    help: 'Number of retries of an API call that was rate-limited or failed for a temporary reason.',
  },
  requestRetryWaitMs: {
    key: 'request_retry_wait',
    kind: durationOrZero,
    default: '20s',
    help: 'Longest wait before the first retry, doubled for the next; the wait itself is random from 0.5s.',
  },
  requestRetryMaxWaitMs: {
    key: 'request_retry_max_wait',
    kind: durationOrZero,
    default: '2m',
    help: 'Longest wait between two retries, unless a Retry-After asks for another.',
  },
  circuitBreakerFailures: {
    key: 'circuit_breaker_failures',
    kind: wholeNumber(1),
    default: '2',
    help: 'Number of consecutive failed calls after which polling pauses; a single run ends instead.',
  },
  circuitBreakerTimeoutMs: {
    key: 'circuit_breaker_timeout',
    kind: duration,
    default: '10m',
    help: 'Duration of that pause.',
  },
  httpServerPort: {
    key: 'http_server_port',
    kind: port,
    default: '8080',
    help: 'Port of /healthz and /metrics; 0: any free port.',
  },
  healthThresholdMs: {
    key: 'health_threshold',
    kind: duration,
    computedDefault: 'twice the longer of polling_interval and job_status_loop_interval',
    help: 'Time without progress after which /healthz reports unhealthy.',
  },
  syslog: { key: 'syslog', ...off, help: 'Log to syslog instead of stderr.' },
  version: {
    key: 'version',
    kind: ignored,
    noEffect: 'is a key of old configuration files and has no effect',
    help: 'Accepted from old configuration files. No effect.',
  },
} as const satisfies KeyTable;
