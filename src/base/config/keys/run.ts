import { z } from 'zod';
import { deploymentSettings } from '../deployment-settings.ts';
import { about, checked, type KeyTable, kind, listOf } from '../kind.ts';
import {
  address,
  certificates,
  choice,
  choices,
  duration,
  durationOrZero,
  filePath,
  off,
  secret,
  text,
  wholeNumber,
  word,
} from '../kinds.ts';
import { stackPatternProblem } from '../stack-pattern.ts';

/** The image of a job that names none, unless the key `image` is set (protocol section 3). */
export const DEFAULT_IMAGE = 'pulumi/pulumi:latest';

const stacks = listOf(
  checked(stackPatternProblem).meta({ pattern: '^[A-Za-z0-9._-]+/[A-Za-z0-9._*?-]+/[A-Za-z0-9._*?-]+$' }),
);

const OPERATIONS = ['update', 'preview', 'refresh', 'destroy', 'detect-drift', 'remediate-drift'] as const;

/** Our keys for signing in, waiting, running and reporting. */
export const RUN_KEYS = {
  runnerPoolName: {
    key: 'runner_pool_name',
    kind: text,
    help: 'Name of the pool, tried if Pulumi Cloud refuses the ID at the OIDC exchange.',
  },
  oidcScope: { key: 'oidc_scope', kind: text, help: 'Scope of the OIDC exchange instead of runner:<pool>.' },
  oidcAudience: {
    key: 'oidc_audience',
    kind: word,
    help: 'Audience of the OIDC exchange instead of urn:pulumi:org:<organization>.',
  },
  allowInsecureServiceUrl: {
    key: 'allow_insecure_service_url',
    ...off,
    help: 'Allow http:// for a service_url that is not on this machine.',
  },
  caCertificate: {
    key: 'ca_certificate',
    kind: certificates,
    help: "CA certificates to trust in addition to the system's and those of Node.js.",
  },
  caCertificateInJobs: {
    key: 'ca_certificate_in_jobs',
    ...off,
    help: 'Give jobs a file of all trusted certificates, and point their programs to it.',
  },
  maxWaitMs: {
    key: 'max_wait',
    kind: durationOrZero,
    unsetMeans: 'no limit',
    help: 'Longest wait for work; 0s: poll once, and once more after each job.',
  },
  failOnNoWork: { key: 'fail_on_no_work', ...off, help: 'Exit with code 75 when there was no work.' },
  allowedStacks: {
    key: 'allowed_stacks',
    kind: stacks,
    default: '',
    help: 'Patterns of the stacks whose deployments may run: org/project/stack; empty: any.',
  },
  allowedOperations: {
    key: 'allowed_operations',
    kind: choices(...OPERATIONS),
    default: '',
    help: "Operations that may run, by the deployment's OIDC token; empty: any.",
  },
  image: {
    key: 'image',
    kind: word,
    environment: ['PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE'],
    help: "Image that replaces every job's image. (PULUMI_AGENT_IMAGE is a setting of Pulumi's own agent.)",
  },
  cancelGracePeriodMs: {
    key: 'cancel_grace_period',
    kind: durationOrZero,
    default: '2m',
    help: 'Time between interrupting a cancelled step and terminating it.',
  },
  softTimeoutMs: {
    key: 'soft_timeout',
    kind: duration,
    unsetMeans: "only the job's own timeout",
    help: 'Time after which a job is interrupted as if it had been cancelled.',
  },
  reportTimeoutMs: {
    key: 'report_timeout',
    kind: duration,
    default: '10m',
    help: "Time for which reports that Pulumi Cloud doesn't accept are retried, from the end of the last step.",
  },
  httpServerAddress: {
    key: 'http_server_address',
    kind: address,
    unsetMeans: 'every address of the machine',
    help: 'IP address that /healthz and /metrics listen on.',
  },
  runDirectory: {
    key: 'run_directory',
    kind: filePath,
    unsetMeans: "a new folder below the user's state folder",
    help: 'Folder for logs, events and the result.',
  },
  keptRuns: {
    key: 'kept_runs',
    kind: wholeNumber(1),
    default: '100',
    help: 'Number of ended runs to keep below run_directory; each run removes older ones at its end.',
  },
  keptRunsDays: {
    key: 'kept_runs_days',
    kind: wholeNumber(1),
    default: '14',
    help: 'Number of days after which the directory of an ended run is removed.',
  },
  logFormat: {
    key: 'log_format',
    kind: choice('text', 'json'),
    default: 'text',
    help: "Format of the agent's own log on stderr.",
  },
  logLevel: {
    key: 'log_level',
    kind: choice('debug', 'info', 'warning', 'error'),
    default: 'info',
    help: "Least severe level in the agent's own log.",
  },
  syslogSocket: {
    key: 'syslog_socket',
    kind: filePath,
    default: '/dev/log',
    help: 'Socket of the syslog daemon.',
  },
  syslogFormat: {
    key: 'syslog_format',
    kind: choice('rfc5424', 'local'),
    unsetMeans: "rfc5424, and local for journald's socket",
    help: "Format of messages to syslog; local is the C library's, which journald reads.",
  },
} as const satisfies KeyTable;

const accessScope = kind(
  'text',
  z.string().regex(/^(admin|(team|user):\P{Cc}+)$/u, about('is none of admin, team:<name> and user:<login>')),
);

/**
 * Our keys for the deployments to start before waiting for work, and for the number of jobs to
 * plan.
 */
export const TRIGGER_KEYS = {
  trigger: {
    key: 'trigger',
    kind: stacks,
    default: '',
    help: 'Stacks of which to start one deployment each before waiting: org/project/stack; * is any name.',
  },
  operation: {
    key: 'operation',
    kind: choice(...OPERATIONS),
    unsetMeans: 'none: trigger needs one',
    help: 'Operation of the started deployments; destroy requires stacks that are named in full.',
  },
  triggerSettings: {
    key: 'trigger_settings',
    kind: deploymentSettings,
    unsetMeans: "the stacks' own",
    noFlag: true,
    help: "Settings of the started deployments as Pulumi's REST API has them, over their stacks'; not a flag.",
  },
  expectedVersion: {
    key: 'expected_version',
    kind: wholeNumber(0, 999_999_999),
    unsetMeans: 'any version',
    help: "Version that the one stack of trigger must still have, or nothing is started; a preview's output.",
  },
  triggerJitterMs: {
    key: 'trigger_jitter',
    kind: durationOrZero,
    default: '0s',
    help: 'Start each deployment at a random time within this window.',
  },
  triggerTimeoutMs: {
    key: 'trigger_timeout',
    kind: duration,
    default: '6h',
    help: 'Longest wait of a single run for the deployments it started, wherever they run.',
  },
  triggerCancel: {
    key: 'trigger_cancel',
    ...off,
    help: 'Cancelling the CI job also cancels started deployments that run elsewhere; can damage their stacks.',
  },
  accessToken: {
    key: 'access_token',
    kind: secret,
    unsetMeans: 'obtained in exchange for the OIDC token',
    help: "Access token that starts deployments and reads the queue; a pool's token can do neither.",
  },
  accessTokenScope: {
    key: 'access_token_scope',
    kind: accessScope,
    unsetMeans: "the organization's, without admin rights",
    help: 'Scope of the access token from the OIDC exchange: admin, team:<name> or user:<login>.',
  },
  planMax: {
    key: 'plan_max',
    kind: wholeNumber(1),
    default: '256',
    help: 'Largest number of jobs that the command plan asks for; GitHub allows 256 in a matrix.',
  },
} as const satisfies KeyTable;
