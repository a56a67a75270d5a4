import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JOB_IMAGE, POOL } from './stage.ts';

type Value = string | number | boolean | readonly string[];
export type Settings = Readonly<Record<string, Value | object>>;

/** The surroundings that a configuration names. */
export interface Place {
  readonly url: string;
  readonly home: string;
  readonly token: string;
  readonly port: number;
  readonly ca: string;
  readonly socket: string;
  /** By digest, in the test's own registry. */
  readonly image: string;
  /** Of the release of Pulumi's agent, as engine_digest has it. */
  readonly digest: string;
}

export const NOWHERE: Place = {
  url: '',
  home: '',
  token: 'pul-x',
  port: 0,
  ca: '',
  socket: '',
  image: '',
  digest: '',
};

/** The volume in `cache_volume`. */
export const CACHE = `every-key-${process.pid}`;

/** Writes the configuration file of an agent whose home is this folder. */
export function writeSettings(home: string, settings: Settings): Promise<void> {
  const lines = Object.entries(settings).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  return writeFile(join(home, 'pulumi-workflow-agent.yaml'), lines.join(''));
}

/** The settings of any agent that runs one job beside other agents on its machine. */
export const oneJob = ({ url, token }: Pick<Place, 'url' | 'token'>) => ({
  service_url: url,
  token,
  single_run: true,
  http_server_port: 0,
  run_directory: 'run',
});

/** A configuration file that sets every key of the Kubernetes target to a value other than its default. */
export const kubernetesFile = (place: Pick<Place, 'url' | 'token'>, kubeconfig: string, namespace = 'jobs') =>
  ({
    ...oneJob(place),
    deploy_target: 'kubernetes',
    kubeconfig,
    kube_context: 'test',
    namespace,
    pod_template: { metadata: { annotations: { team: 'platform' } } },
    service_account: 'deployer',
    image_pull_policy: 'Never',
    pod_start_timeout: '90s',
    cancel_grace_period: '40s',
    debug_pod: true,
  }) as const;

/** The configuration files of the end-to-end runs. Together they set every key to a value other than its default. */
export const FILES = {
  signIn: ({ url, home }) => ({
    service_url: url,
    oidc_token_file: 'id-token',
    // Pulumi Cloud knows neither: the agent requests the scope and audience below as they are.
    organization_name: 'another-organization',
    runner_pool_id: 'another-pool',
    oidc_scope: `runner:${POOL.id}`,
    oidc_audience: 'urn:pulumi:org:acme',
    token_expiration: '50m',
    polling_interval: '500ms',
    polling_interval_override: true,
    max_wait: '4s',
    single_run: true,
    fail_on_no_work: true,
    http_server_port: 0,
    run_directory: join(home, 'run'),
    log_format: 'json',
    enabled_workflow_types: ['deployment'],
    working_directory: home,
    shared_volume_directory: home,
    version: 'v0.0.5',
    agent_image: 'pulumi/customer-managed-workflow-agent',
  }),
  byName: ({ url }) => ({
    service_url: url,
    allow_insecure_service_url: true,
    oidc_token_file: 'id-token',
    organization_name: 'acme',
    runner_pool_id: POOL.id,
    runner_pool_name: POOL.name,
    max_wait: '0s',
    single_run: true,
    http_server_port: 0,
    run_directory: 'run',
  }),
  job: (place) => ({
    ...oneJob(place),
    ca_certificate: place.ca,
    ca_certificate_in_jobs: true,
    pull_image: false,
    image: JOB_IMAGE,
    hook_before_job: `${place.home}/before`,
    hook_after_job: `${place.home}/after`,
    hook_timeout: '50s',
    container_mtu: 1_450,
    container_subnet: '198.19.192.0/20',
    allowed_stacks: ['acme/net*/*'],
    allowed_operations: ['update'],
    env_forward_allowlist: ['AWS_REGION', 'AWS_PROFILE'],
    plain_variables: ['LABEL_*'],
    secret_variables: ['LABEL_HIDDEN'],
    job_status_loop_interval: '250ms',
    cancel_grace_period: '1s',
    // The tests of interrupted engines show both limits in effect.
    soft_timeout: '8m',
    report_timeout: '9m',
  }),
  images: ({ url, token, image }) => ({
    service_url: url,
    token,
    polling_interval: '300ms',
    polling_interval_override: true,
    http_server_port: 0,
    allowed_images: [image.replace(/[^/]+$/, '*'), 'pulumi/*'],
    require_digest: true,
    prepull_images: [image],
    cache_volume: `${CACHE}=/var/cache/job`,
    kept_runs: 3,
    kept_runs_days: 30,
  }),
  container: (place) => ({
    ...oneJob(place),
    pull_image: false,
    memory: '256Mi',
    memory_soft_limit: '200Mi',
    num_cpus: 0.5,
    pids_limit: 300,
    ulimits: ['nofile=512:2048', 'core=0'],
    shm_size: '48Mi',
    extra_capabilities: ['NET_RAW'],
    // On a shared network the agent can't block the metadata service, and warns unless it is allowed.
    container_runtime: 'io.containerd.runc.v2',
    container_network: 'bridge',
    allow_metadata: true,
    extra_hosts: ['db.internal=192.0.2.7'],
    dns_servers: ['192.0.2.53'],
  }),
  troubles: ({ url, token }) => ({
    service_url: url,
    token,
    polling_interval: '100ms',
    request_timeout: '2s',
    request_retry_count: 1,
    request_retry_wait: '50ms',
    request_retry_max_wait: '1s',
    circuit_breaker_failures: 3,
    circuit_breaker_timeout: '4s',
    http_server_port: 0,
    log_level: 'debug',
  }),
  health: ({ url, token, port, socket }) => ({
    service_url: url,
    token,
    http_server_port: port,
    http_server_address: '127.0.0.2',
    health_threshold: '1s',
    syslog: true,
    syslog_socket: socket,
    syslog_format: 'local',
  }),
  // The runs of that engine show what engine_relay and engine_record do.
  engine: ({ url, home, digest }) => ({
    engine: 'pulumi',
    engine_version: '2.3.1',
    engine_download_url: url,
    engine_public_key: join(home, 'cosign.pub'),
    engine_digest: [digest],
    engine_relay: false,
    engine_record: true,
  }),
  installed: ({ home }) => ({ engine: 'pulumi', engine_path: join(home, 'agent') }),
  planned: ({ url }) => ({
    service_url: url,
    oidc_token_file: 'id-token',
    organization_name: 'acme',
    runner_pool_id: POOL.id,
    access_token_scope: 'team:platform',
    trigger: ['acme/*/prod', 'acme/web/dev'],
    operation: 'refresh',
    trigger_jitter: '300ms',
    plan_max: 2,
  }),
  triggered: ({ url, token }) => ({
    service_url: url,
    access_token: token,
    trigger: ['acme/web/dev'],
    operation: 'preview',
    trigger_settings: { sourceContext: { git: { commit: '0123456' } }, cacheOptions: { enable: true } },
  }),
  followed: (place) => ({
    ...oneJob(place),
    polling_interval: '200ms',
    trigger: ['acme/web/dev'],
    operation: 'preview',
    expected_version: 0,
    trigger_timeout: '4s',
    trigger_cancel: true,
  }),
  // The cluster's own tests run it.
  cluster: (place) => kubernetesFile(place, '/k'),
} as const satisfies Record<string, (place: Place) => Settings>;
