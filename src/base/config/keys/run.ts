import { z } from 'zod';
import { about, checked, type KeyTable, kind, listOf } from '../key-definition.ts';
import {
  certificates,
  duration,
  durationOrZero,
  filePath,
  ipAddress,
  off,
  oneOf,
  someOf,
  text,
  wholeNumber,
  word,
} from '../kinds.ts';
import { quoteValue } from '../problem.ts';
import { stackPatternProblem } from '../stack-pattern.ts';

/** The image of a job that names none, unless the key `image` is set (protocol section 3). */
export const DEFAULT_IMAGE = 'pulumi/pulumi:latest';

/** Patterns of stacks. */
export const stacks = listOf(
  checked(stackPatternProblem).meta({ pattern: '^[A-Za-z0-9._-]+/[A-Za-z0-9._*?-]+/[A-Za-z0-9._*?-]+$' }),
);

export const OPERATIONS = [
  'update',
  'preview',
  'refresh',
  'destroy',
  'detect-drift',
  'remediate-drift',
] as const;

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
    help: 'Patterns of the stacks whose deployments can run: org/project/stack; empty: any.',
  },
  allowedOperations: {
    key: 'allowed_operations',
    kind: someOf(...OPERATIONS),
    default: '',
    help: "Operations that can run, by the deployment's OIDC token; empty: any.",
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
    help: "Time after the last step for which the agent retries reports that Pulumi Cloud doesn't accept.",
  },
  httpServerAddress: {
    key: 'http_server_address',
    kind: ipAddress,
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
    kind: oneOf('text', 'json'),
    default: 'text',
    help: "Format of the agent's own log on stderr.",
  },
  logLevel: {
    key: 'log_level',
    kind: oneOf('debug', 'info', 'warning', 'error'),
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
    kind: oneOf('rfc5424', 'local'),
    unsetMeans: "rfc5424, and local for journald's socket",
    help: "Format of messages to syslog; local is the C library's, which journald reads.",
  },
} as const satisfies KeyTable;

const namePatterns = listOf(
  z
    .string()
    .regex(
      /^[A-Za-z0-9_.*-]+$/,
      about('is not a name of an environment variable (letters, digits and _), with * for any text'),
    ),
);

/** Our keys for the variables of a job that logs show. */
export const VARIABLE_KEYS = {
  plainVariables: {
    key: 'plain_variables',
    kind: namePatterns,
    default: '',
    help: 'Unmarked variables of jobs that logs show; * is any text, but a likely credential stays hidden.',
  },
  secretVariables: {
    key: 'secret_variables',
    kind: namePatterns,
    default: '',
    help: 'Variables of jobs that no log shows, whatever their values; * is any text.',
  },
} as const satisfies KeyTable;

const program = kind(
  'absolute path',
  checked((text) =>
    /^\/\P{Cc}*$/u.test(text)
      ? undefined
      : `${quoteValue(text)} is not the absolute path of a program on the runner`,
  ).meta({ pattern: '^/' }),
);

/** Our keys for the programs that run on the runner before and after a job. */
export const HOOK_KEYS = {
  hookBeforeJob: {
    key: 'hook_before_job',
    kind: program,
    unsetMeans: 'none',
    help: 'Program on the runner that runs before each job; it can refuse the job or add variables to it.',
  },
  hookAfterJob: {
    key: 'hook_after_job',
    kind: program,
    unsetMeans: 'none',
    help: 'Program on the runner that runs after each job and is passed its outcome.',
  },
  hookTimeoutMs: { key: 'hook_timeout', kind: duration, default: '1m', help: 'Time limit of each hook.' },
} as const satisfies KeyTable;
