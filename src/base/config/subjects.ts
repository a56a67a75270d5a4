import type { KeyName } from './schema.ts';

/** A part of the settings, in the help and in docs/configuration.md. */
export interface Subject {
  readonly name: string;
  readonly title: string;
  readonly keys: readonly KeyName[];
}

/** Every setting that has an effect is in one subject. */
export const SUBJECTS: readonly Subject[] = [
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
