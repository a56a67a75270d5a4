import type { AgentConfig } from '../base/config/agent-config.ts';
import { formatDuration } from '../base/config/duration.ts';
import { defined } from '../base/defined.ts';
import type { Environment } from '../base/environment.ts';

/**
 * The variables that Pulumi documents for its agent, and those that Go programs, Docker's client
 * and kubectl read.
 */
const INHERITED = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'XDG_RUNTIME_DIR'],
  ...['DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_CONFIG', 'DOCKER_API_VERSION'],
  ...['DOCKER_TLS', 'DOCKER_TLS_VERIFY', 'DOCKER_CERT_PATH'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['KUBECONFIG', 'KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT', 'POD_NAMESPACE'],
  ...['PULUMI_AGENT_IMAGE', 'PULUMI_AGENT_IMAGE_PULL_POLICY', 'PULUMI_AGENT_SERVICE_ACCOUNT_NAME'],
  ...['PULUMI_AGENT_NUM_CPUS', 'PULUMI_AGENT_MEM_QUANTITY', 'PULUMI_AGENT_DEBUG_POD'],
  'PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE',
];

const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];

export interface AgentFileOptions {
  readonly config: AgentConfig;
  /** The folder that only this run's agent mounts. */
  readonly shared: string;
  /** The URL that the agent uses as Pulumi Cloud's. */
  readonly serviceUrl: string;
  /** The port of /healthz. */
  readonly port: number;
  /** The folder of its programs. */
  readonly programs: string;
}

/**
 * `pulumi-workflow-agent.yaml` for one run of Pulumi's agent. Values are JSON: valid YAML, with
 * anything quoted.
 */
export function agentFile({ config, serviceUrl, port, programs, shared }: AgentFileOptions): string {
  const { oidcTokenFile, tokenExpirationSeconds } = config;
  const signsIn =
    oidcTokenFile === undefined
      ? { token: config.token }
      : {
          oidc_token_file: oidcTokenFile,
          organization_name: config.organizationName,
          runner_pool_id: config.runnerPoolId,
          token_expiration: tokenExpirationSeconds === undefined ? undefined : `${tokenExpirationSeconds}s`,
        };

  const settings = defined({
    ...signsIn,
    service_url: serviceUrl,
    working_directory: programs,
    shared_volume_directory: shared,
    deploy_target: config.deployTarget,
    single_run: true,
    pull_image: config.pullImage,
    enabled_workflow_types: config.enabledWorkflowTypes,
    env_forward_allowlist: config.envForwardAllowlist,
    polling_interval: formatDuration(config.pollingIntervalMs),
    polling_interval_override: config.pollingIntervalOverride,
    job_status_loop_interval: formatDuration(config.jobStatusLoopIntervalMs),
    request_timeout: formatDuration(config.requestTimeoutMs),
    request_retry_count: config.requestRetryCount,
    request_retry_wait: formatDuration(config.requestRetryWaitMs),
    request_retry_max_wait: formatDuration(config.requestRetryMaxWaitMs),
    circuit_breaker_failures: config.circuitBreakerFailures,
    circuit_breaker_timeout: formatDuration(config.circuitBreakerTimeoutMs),
    http_server_port: port,
    health_threshold: formatDuration(config.healthThresholdMs),
  });

  return Object.entries(settings)
    .map(([key, value]) => (Array.isArray(value) ? list(key, value) : `${key}: ${JSON.stringify(value)}\n`))
    .join('');
}

/** Omits an empty list, which is the default wherever one is allowed. */
function list(key: string, values: readonly unknown[]): string {
  return values.length === 0
    ? ''
    : `${key}:\n${values.map((value) => `  - ${JSON.stringify(value)}\n`).join('')}`;
}

/**
 * Pod settings read only from the environment (protocol section 6). Before 2.3.0 the default image
 * was `latest`. The tags have the version's `v`.
 */
function podEnvironment(config: AgentConfig, version: string): Record<string, string | undefined> {
  const { kubeconfig, serviceAccount, imagePullPolicy, numCpus, memoryBytes, debugPod } = config;
  return {
    PULUMI_AGENT_IMAGE: `pulumi/customer-managed-workflow-agent:v${version}`,
    PULUMI_AGENT_IMAGE_PULL_POLICY: imagePullPolicy,
    PULUMI_AGENT_SERVICE_ACCOUNT_NAME: serviceAccount,
    PULUMI_AGENT_NUM_CPUS: numCpus?.toString(),
    PULUMI_AGENT_MEM_QUANTITY: memoryBytes === undefined ? undefined : String(memoryBytes / 2 ** 30),
    PULUMI_AGENT_DEBUG_POD: debugPod ? 'true' : undefined,
    KUBECONFIG: kubeconfig,
  };
}

export interface AgentEnvironmentOptions {
  readonly config: AgentConfig;
  /** Our own. */
  readonly environment: Environment;
  /** The version of Pulumi's agent, without a leading `v`. */
  readonly version: string;
  /** True if our proxy makes its connections: network proxies and certificates are then our concern. */
  readonly isProxied: boolean;
  /** A file of all trusted certificates. */
  readonly certificates?: string | undefined;
}

/**
 * The environment of Pulumi's agent: the variables that it documents, and those that the allowlist
 * forwards.
 */
export function agentEnvironment(options: AgentEnvironmentOptions): Record<string, string> {
  const { config, environment, version, isProxied, certificates } = options;
  const names = [...INHERITED, ...(isProxied ? [] : PROXIES), ...config.envForwardAllowlist];
  const inherited = Object.fromEntries(names.map((name) => [name, environment[name]]));
  const { PULUMI_AGENT_IMAGE, SSL_CERT_FILE } = inherited;

  return defined({
    ...inherited,
    ...(config.deployTarget === 'kubernetes' ? defined(podEnvironment(config, version)) : {}),
    ...defined({ PULUMI_AGENT_IMAGE }),
    SSL_CERT_FILE: certificates ?? SSL_CERT_FILE,
    PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE: config.image,
  }) as Record<string, string>;
}
