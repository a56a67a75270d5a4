import { z } from 'zod';
import {
  about,
  address,
  boolean,
  certificates,
  checked,
  choice,
  duration,
  durationOrZero,
  filePath,
  type KeyDefinition,
  kind,
  listOf,
  secret,
  text,
  wholeNumber,
  word,
} from '../kind.ts';
import { stackPatternProblem } from '../stack-pattern.ts';

/** Ours that say how the agent signs in, waits, runs and tells of it. */
export const RUN_KEYS = {
  runner_pool_name: { kind: text, help: 'Name of the pool, tried when OIDC refuses the ID.' },
  oidc_scope: { kind: text, help: 'Scope of the OIDC exchange instead of runner:<pool>.' },
  oidc_audience: { kind: word, help: 'Audience of the OIDC exchange instead of urn:pulumi:org:<organization>.' },
  allow_insecure_service_url: {
    kind: boolean,
    default: 'false',
    help: 'Allow http:// for a service_url that is not on this machine.',
  },
  ca_certificate: {
    kind: certificates,
    help: "Certificates of authorities to trust besides the system's and Node.js's own.",
  },
  ca_certificate_in_jobs: {
    kind: boolean,
    default: 'false',
    help: 'Give jobs everything that is trusted as a file, and name it to their programs.',
  },
  max_wait: {
    kind: durationOrZero,
    unsetMeans: 'for ever',
    help: 'How long to wait for work before giving up; 0s: one poll, and after each job another.',
  },
  fail_on_no_work: { kind: boolean, default: 'false', help: 'Exit with code 75 when there was no work.' },
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
    help: "How long reports are repeated that Pulumi Cloud doesn't take, from the last step's end on.",
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
    unsetMeans: 'all of them',
    help: "How many ended runs' directories a lasting agent keeps; it removes older ones.",
  },
  log_format: { kind: choice('text', 'json'), default: 'text', help: "Form of the agent's own log on stderr." },
  log_level: {
    kind: choice('debug', 'info', 'warning', 'error'),
    default: 'info',
    help: "The least that the agent's own log says.",
  },
  syslog_socket: { kind: filePath, default: '/dev/log', help: "The syslog daemon's socket." },
  syslog_format: {
    kind: choice('rfc5424', 'local'),
    unsetMeans: "rfc5424, and local for journald's socket",
    help: "Form of messages to syslog; local is the C library's, which journald reads.",
  },
} as const satisfies Readonly<Record<string, KeyDefinition>>;

const stacks = listOf(
  checked(stackPatternProblem).meta({ pattern: '^[A-Za-z0-9._-]+/[A-Za-z0-9._*?-]+/[A-Za-z0-9._*?-]+$' }),
);

/** The scope of an organization's access token. */
const accessScope = kind(
  'text',
  z.string().regex(/^(admin|(team|user):\P{Cc}+)$/u, about('is none of admin, team:<name> and user:<login>')),
);

/** Ours that say which deployments to start before waiting for work, and how many jobs to plan. */
export const TRIGGER_KEYS = {
  trigger: {
    kind: stacks,
    default: '',
    help: 'Stacks to start a deployment of, once, before waiting: org/project/stack; * stands for any name.',
  },
  operation: {
    kind: choice('update', 'preview', 'refresh', 'destroy', 'detect-drift', 'remediate-drift'),
    unsetMeans: 'none: trigger needs one',
    help: 'What the started deployments do; destroy takes stacks that are named in full only.',
  },
  trigger_jitter: {
    kind: durationOrZero,
    default: '0s',
    help: 'Each deployment is started at a moment of its own within this time, by chance.',
  },
  trigger_timeout: {
    kind: duration,
    default: '6h',
    help: 'How long a single run waits for the deployments that it started, here or elsewhere.',
  },
  trigger_cancel: {
    kind: boolean,
    default: 'false',
    help: 'A cancel of the CI job also cancels started deployments that others run. Dangerous to their stacks.',
  },
  access_token: {
    kind: secret,
    unsetMeans: 'the OIDC token is exchanged for one',
    help: "Access token that starts deployments and reads the queue; a pool's token can do neither.",
  },
  access_token_scope: {
    kind: accessScope,
    unsetMeans: "the organization's, without admin rights",
    help: 'Scope of the access token that OIDC is exchanged for: admin, team:<name> or user:<login>.',
  },
  plan_max: {
    kind: wholeNumber(1),
    default: '256',
    help: 'The most jobs that the command plan plans; GitHub takes 256 in a matrix.',
  },
} as const satisfies Readonly<Record<string, KeyDefinition>>;
