import { z } from 'zod';
import {
  about,
  address,
  certificates,
  checked,
  choice,
  choices,
  duration,
  durationOrZero,
  filePath,
  type KeyDefinition,
  kind,
  listOf,
  off,
  secret,
  text,
  wholeNumber,
  word,
} from '../kind.ts';
import { stackPatternProblem } from '../stack-pattern.ts';

const stacks = listOf(
  checked(stackPatternProblem).meta({ pattern: '^[A-Za-z0-9._-]+/[A-Za-z0-9._*?-]+/[A-Za-z0-9._*?-]+$' }),
);

const OPERATIONS = ['update', 'preview', 'refresh', 'destroy', 'detect-drift', 'remediate-drift'] as const;

/** Our keys for how the agent signs in, waits, runs and reports. */
export const RUN_KEYS = {
  runner_pool_name: { kind: text, help: 'Name of the pool, tried when OIDC refuses the ID.' },
  oidc_scope: { kind: text, help: 'Scope of the OIDC exchange instead of runner:<pool>.' },
  oidc_audience: { kind: word, help: 'Audience of the OIDC exchange instead of urn:pulumi:org:<organization>.' },
  allow_insecure_service_url: { ...off, help: 'Allow http:// for a service_url that is not on this machine.' },
  ca_certificate: {
    kind: certificates,
    help: "CA certificates to trust besides the system's and Node.js's own.",
  },
  ca_certificate_in_jobs: {
    ...off,
    help: 'Give jobs all trusted certificates as a file, and point their programs to it.',
  },
  max_wait: {
    kind: durationOrZero,
    unsetMeans: 'no limit',
    help: 'How long to wait for work before giving up; 0s: poll once, and once more after each job.',
  },
  fail_on_no_work: { ...off, help: 'Exit with code 75 when there was no work.' },
  allowed_stacks: {
    kind: stacks,
    default: '',
    help: 'Patterns of the stacks whose deployments may run: org/project/stack; empty: any.',
  },
  allowed_operations: {
    kind: choices(...OPERATIONS),
    default: '',
    help: "Operations that may run, by the deployment's OIDC token; empty: any.",
  },
  image: {
    kind: word,
    environment: ['PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE'],
    help: "Image to run jobs in, whatever image they name. (PULUMI_AGENT_IMAGE is another of Pulumi's settings.)",
  },
  cancel_grace_period: {
    kind: durationOrZero,
    default: '2m',
    help: 'Time a cancelled step has between being interrupted and being killed.',
  },
  soft_timeout: {
    kind: duration,
    unsetMeans: "the job's own timeout alone",
    help: 'Time after which a job is interrupted as if it had been cancelled.',
  },
  report_timeout: {
    kind: duration,
    default: '10m',
    help: "How long to retry reports that Pulumi Cloud doesn't accept, from the end of the last step.",
  },
  http_server_address: {
    kind: address,
    unsetMeans: 'every address of the machine',
    help: 'IP address that /healthz and /metrics listen on.',
  },
  run_directory: {
    kind: filePath,
    unsetMeans: "a fresh folder below the user's state folder",
    help: 'Where logs, events and the result are written.',
  },
  kept_runs: {
    kind: wholeNumber(1),
    default: '100',
    help: 'How many directories of ended runs are kept below run_directory; a run that ends removes older ones.',
  },
  kept_runs_days: {
    kind: wholeNumber(1),
    default: '14',
    help: 'How many days the directories of ended runs are kept at most.',
  },
  log_format: { kind: choice('text', 'json'), default: 'text', help: "Format of the agent's own log on stderr." },
  log_level: {
    kind: choice('debug', 'info', 'warning', 'error'),
    default: 'info',
    help: "Least severe level in the agent's own log.",
  },
  syslog_socket: { kind: filePath, default: '/dev/log', help: "The syslog daemon's socket." },
  syslog_format: {
    kind: choice('rfc5424', 'local'),
    unsetMeans: "rfc5424, and local for journald's socket",
    help: "Format of messages to syslog; local is the C library's, which journald reads.",
  },
} as const satisfies Readonly<Record<string, KeyDefinition>>;

const accessScope = kind(
  'text',
  z.string().regex(/^(admin|(team|user):\P{Cc}+)$/u, about('is none of admin, team:<name> and user:<login>')),
);

/** Our keys for which deployments to start before waiting for work, and how many jobs to plan. */
export const TRIGGER_KEYS = {
  trigger: {
    kind: stacks,
    default: '',
    help: 'Start one deployment of each of these stacks before waiting: org/project/stack; * is any name.',
  },
  operation: {
    kind: choice(...OPERATIONS),
    unsetMeans: 'none: trigger needs one',
    help: 'What the started deployments do; destroy only takes stacks named in full.',
  },
  trigger_jitter: {
    kind: durationOrZero,
    default: '0s',
    help: 'Start each deployment at a random moment within this time.',
  },
  trigger_timeout: {
    kind: duration,
    default: '6h',
    help: 'How long a single run waits for the deployments it started, here or elsewhere.',
  },
  trigger_cancel: {
    ...off,
    help: 'Cancelling the CI job also cancels started deployments that run elsewhere. Dangerous to their stacks.',
  },
  access_token: {
    kind: secret,
    unsetMeans: 'the OIDC token is exchanged for one',
    help: "Access token that starts deployments and reads the queue; a pool's token can do neither.",
  },
  access_token_scope: {
    kind: accessScope,
    unsetMeans: "the organization's, without admin rights",
    help: 'Scope of the access token from the OIDC exchange: admin, team:<name> or user:<login>.',
  },
  plan_max: {
    kind: wholeNumber(1),
    default: '256',
    help: 'Most jobs that the command plan asks for; GitHub allows 256 in a matrix.',
  },
} as const satisfies Readonly<Record<string, KeyDefinition>>;
