import { z } from 'zod';
import { about, type KeyDefinition, kind, listOf } from '../kind.ts';
import {
  boolean,
  choice,
  choices,
  count,
  duration,
  durationOrZero,
  filePath,
  ignored,
  lifetime,
  off,
  port,
  secret,
  url,
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
    kind: secret,
    help: 'Token of the pool, shown once when it is created. Required unless OIDC is used.',
  },
  service_url: {
    kind: url,
    default: 'https://api.pulumi.com',
    help: 'Address of the API of Pulumi Cloud, or of a self-hosted one.',
  },
  working_directory: {
    kind: ignored,
    noEffect: 'has no effect: this agent loads no runner binaries',
    help: "Folder of the official agent's runner binaries. No effect here.",
  },
  shared_volume_directory: {
    kind: ignored,
    noEffect: 'has no effect: nothing of the host is mounted into jobs',
    help: 'Folder of the directories that the official agent mounts into jobs. No effect here.',
  },
  deploy_target: {
    kind: choice('docker', 'kubernetes'),
    default: 'docker',
    help: 'Where jobs run; ecs is not supported yet.',
  },
  single_run: { ...off, help: 'Exit after one job.' },
  pull_image: {
    kind: boolean,
    target: 'docker',
    default: 'true',
    help: 'Pull the image before each job; false: use the local image.',
  },
  enabled_workflow_types: {
    kind: choices('deployment', 'insights_scan', 'policy_evaluation'),
    default: 'deployment,insights_scan,policy_evaluation',
    computedDefault: 'all that the engine serves',
    help: 'Kinds of work to take; insights_scan is Discovery scans. The engine own serves deployment only.',
  },
  env_forward_allowlist: {
    kind: names,
    default: '',
    help: "Names of the agent's environment variables to pass to jobs. Space-separated in the environment.",
  },
  oidc_token_file: {
    kind: filePath,
    help: 'File with an OIDC token to exchange for a Pulumi token; it is read again for each exchange.',
  },
  organization_name: { kind: identifier, help: 'Pulumi organization. Required with OIDC.' },
  runner_pool_id: { kind: identifier, help: 'ID of the pool. Required with OIDC; a token implies its pool.' },
  token_expiration: {
    kind: lifetime,
    help: 'Requested lifetime of the Pulumi token from the OIDC exchange: a duration, or seconds.',
  },
  polling_interval: { kind: duration, default: '1m', help: 'Time between two polls for work.' },
  polling_interval_override: {
    ...off,
    help: "Ignore the server's Retry-After and keep to polling_interval.",
  },
  job_status_loop_interval: {
    kind: duration,
    default: '30s',
    help: 'Time between two checks whether a running job was cancelled.',
  },
  request_timeout: { kind: duration, default: '30s', help: 'Time limit of one API call.' },
  request_retry_count: {
    kind: count,
    default: '2',
    help: 'Number of retries of an API call that was rate-limited or failed for a temporary reason.',
  },
  request_retry_wait: {
    kind: durationOrZero,
    default: '20s',
    help: 'Longest wait before the first retry, doubled for the next; the wait itself is random from 0.5s.',
  },
  request_retry_max_wait: { kind: durationOrZero, default: '2m', help: 'Longest wait between two retries.' },
  circuit_breaker_failures: {
    kind: wholeNumber(1),
    default: '2',
    help: 'Number of consecutive failed calls, each with its retries, after which polling pauses.',
  },
  circuit_breaker_timeout: { kind: duration, default: '10m', help: 'Duration of that pause.' },
  http_server_port: { kind: port, default: '8080', help: 'Port of /healthz and /metrics; 0: any free port.' },
  health_threshold: {
    kind: duration,
    computedDefault: 'twice the longer of polling_interval and job_status_loop_interval',
    help: 'Time without progress after which /healthz reports unhealthy.',
  },
  syslog: { ...off, help: 'Log to syslog instead of stderr.' },
  version: {
    kind: ignored,
    noEffect: 'is a key of old configuration files and has no effect',
    help: 'Accepted from old configuration files. No effect.',
  },
} as const satisfies Readonly<Record<string, KeyDefinition>>;
