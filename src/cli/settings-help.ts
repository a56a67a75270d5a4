import { CONFIG_FILE_NAME } from '../base/config/config-file.ts';
import { nearest } from '../base/config/problem.ts';
import { defaultWords } from '../base/config/reference.ts';
import { definitionOf, isKey, KEY_NAMES, type KeyName } from '../base/config/schema.ts';
import { wrapped } from './line-wrap.ts';

/** A part of the settings. The subjects are those of docs/configuration.md. */
interface Subject {
  readonly name: string;
  readonly title: string;
  readonly keys: readonly KeyName[];
}

/** The settings that everybody meets first. */
const BASICS: readonly KeyName[] = [
  'organization_name',
  'runner_pool_id',
  'token',
  'oidc_token_file',
  'single_run',
  'max_wait',
  'env_forward_allowlist',
  'soft_timeout',
];

/** Every setting that has an effect is in one subject, besides the basics, which repeat some. */
const SUBJECTS: readonly Subject[] = [
  {
    name: 'sign-in',
    title: 'the pool, and how the agent signs in',
    keys: [
      'organization_name',
      'runner_pool_id',
      'runner_pool_name',
      'token',
      'oidc_token_file',
      'token_expiration',
      'oidc_scope',
      'oidc_audience',
      'access_token',
      'access_token_scope',
    ],
  },
  {
    name: 'work',
    title: 'how long to wait, and which deployments may run',
    keys: [
      'max_wait',
      'fail_on_no_work',
      'single_run',
      'polling_interval',
      'polling_interval_override',
      'allowed_stacks',
      'allowed_operations',
      'enabled_workflow_types',
    ],
  },
  {
    name: 'trigger',
    title: 'start deployments',
    keys: [
      'trigger',
      'operation',
      'trigger_settings',
      'expected_version',
      'trigger_jitter',
      'trigger_timeout',
      'trigger_cancel',
      'plan_max',
    ],
  },
  {
    name: 'time',
    title: 'time limits and cancelling',
    keys: ['soft_timeout', 'cancel_grace_period', 'job_status_loop_interval', 'report_timeout'],
  },
  {
    name: 'variables',
    title: 'variables, secrets and hooks',
    keys: [
      'env_forward_allowlist',
      'plain_variables',
      'secret_variables',
      'hook_before_job',
      'hook_after_job',
      'hook_timeout',
    ],
  },
  {
    name: 'images',
    title: 'images and caches',
    keys: ['image', 'pull_image', 'prepull_images', 'allowed_images', 'require_digest', 'cache_volume'],
  },
  {
    name: 'jobs',
    title: "a job's limits, rights and network",
    keys: [
      'memory',
      'memory_soft_limit',
      'num_cpus',
      'pids_limit',
      'ulimits',
      'shm_size',
      'extra_capabilities',
      'container_runtime',
      'container_network',
      'container_mtu',
      'container_subnet',
      'extra_hosts',
      'dns_servers',
      'allow_metadata',
      'ca_certificate_in_jobs',
    ],
  },
  {
    name: 'kubernetes',
    title: 'run jobs as pods',
    keys: [
      'deploy_target',
      'kubeconfig',
      'kube_context',
      'namespace',
      'service_account',
      'pod_template',
      'image_pull_policy',
      'pod_start_timeout',
      'debug_pod',
    ],
  },
  {
    name: 'network',
    title: 'calls to Pulumi Cloud, certificates, retries',
    keys: [
      'service_url',
      'allow_insecure_service_url',
      'ca_certificate',
      'request_timeout',
      'request_retry_count',
      'request_retry_wait',
      'request_retry_max_wait',
      'circuit_breaker_failures',
      'circuit_breaker_timeout',
    ],
  },
  {
    name: 'results',
    title: 'results, logs and health',
    keys: [
      'run_directory',
      'kept_runs',
      'kept_runs_days',
      'log_level',
      'log_format',
      'syslog',
      'syslog_socket',
      'syslog_format',
      'http_server_port',
      'http_server_address',
      'health_threshold',
    ],
  },
  {
    name: 'engine',
    title: "Pulumi's own agent",
    keys: [
      'engine',
      'engine_version',
      'engine_digest',
      'engine_path',
      'engine_download_url',
      'engine_public_key',
      'engine_relay',
      'engine_record',
    ],
  },
];

const ALL = 'all';

/**
 * The text of `help settings`: those that everybody meets first and the list of subjects, or those
 * of one subject, or one setting by its key or flag. Throws Error for another topic, with the
 * nearest.
 */
export function settingsHelp(topic?: string): string {
  if (topic === undefined) return overview();

  const subject = SUBJECTS.find(({ name }) => name === topic);
  if (subject !== undefined) return listed([subject]);
  if (topic === ALL) return listed(SUBJECTS);

  const key = topic.replace(/^--(no-)?/, '').replaceAll('-', '_');
  if (isKey(key)) return `${entry(key).join('\n')}\n`;

  const near = nearest(topic, [...SUBJECTS.map(({ name }) => name), ...KEY_NAMES]);
  const suggestion = near === undefined ? '' : ` (did you mean ${near}?)`;
  throw new Error(
    `there is no subject or setting ${JSON.stringify(topic)}${suggestion}; the subjects are ${SUBJECTS.map(({ name }) => name).join(', ')}`,
  );
}

function overview(): string {
  const subjects = [...SUBJECTS, { name: ALL, title: 'every subject' }];
  const intro = `A setting is a flag (--max-wait 5m), a variable (PULUMI_AGENT_MAX_WAIT=5m) or a key of the file
    ${CONFIG_FILE_NAME} (max_wait: 5m). The first of these counts. The file is searched for in the current
    directory, the home directory, /etc and the agent's own directory. A duration is written as 300ms, 30s or 1h30m.`;

  return `${wrapped('', intro, '').join('\n')}

These are all that most runs need:
${BASICS.map((key) => entry(key).join('\n')).join('\n')}

Further settings: pulumi-runner-agent help settings SUBJECT
${subjects.map(({ name, title }) => `  ${name.padEnd(12)}${title}`).join('\n')}
`;
}

function listed(subjects: readonly Subject[]): string {
  const parts = subjects.map(({ name, title, keys }) =>
    [`Settings of ${name}: ${title}`, ...keys.flatMap(entry)].join('\n'),
  );
  return `${parts.join('\n\n')}\n`;
}

/** A setting's lines: its key, its values, its default and its variable if that is special; its help. */
function entry(key: KeyName): string[] {
  const { environment, help, kind, noFlag } = definitionOf(key);
  const preset = defaultWords(key);

  const facts = [
    kind.words,
    ...(preset === undefined ? [] : [`default: ${preset}`]),
    ...(environment === undefined ? [] : [`variable: ${environment.join(', ')}`]),
    ...(noFlag === true ? ['no flag'] : []),
  ];

  return [...wrapped(`  ${key}  `, facts.join('; '), '      '), ...wrapped('      ', help, '      ')];
}
