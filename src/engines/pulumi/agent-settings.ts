import type { AgentConfig } from '../../config/agent-config.ts';
import { formatDuration } from '../../config/duration.ts';
import { defined } from '../../defined.ts';
import type { Environment } from '../../network/proxy.ts';

/** What Pulumi documents for its agent's environment, and what programs of its kind (Go, Docker's client, kubectl) go by. */
const PASSED_ON = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'XDG_RUNTIME_DIR'],
  ...[
    'DOCKER_HOST',
    'DOCKER_CONTEXT',
    'DOCKER_CONFIG',
    'DOCKER_TLS',
    'DOCKER_TLS_VERIFY',
    'DOCKER_CERT_PATH',
    'DOCKER_API_VERSION',
  ],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['KUBECONFIG', 'KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT', 'POD_NAMESPACE'],
  ...['PULUMI_AGENT_IMAGE', 'PULUMI_AGENT_IMAGE_PULL_POLICY', 'PULUMI_AGENT_SERVICE_ACCOUNT_NAME'],
  ...['PULUMI_AGENT_NUM_CPUS', 'PULUMI_AGENT_MEM_QUANTITY', 'PULUMI_AGENT_DEBUG_POD'],
  'PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE',
];
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];

export interface AgentSettingsOptions {
  readonly config: AgentConfig;
  /** What it takes for Pulumi Cloud. */
  readonly serviceUrl: string;
  /** Of /healthz. */
  readonly port: number;
  /** Where its programs lie. */
  readonly programs: string;
  /** Where it makes what it mounts into jobs. */
  readonly shared: string;
}

/** `pulumi-workflow-agent.yaml` for one run of Pulumi's agent. Values are JSON, which is YAML and quotes whatever they hold. */
export function agentFile({ config, serviceUrl, port, programs, shared }: AgentSettingsOptions): string {
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

/** An empty one is left out: it is the default of those that may be empty. */
function list(key: string, values: readonly unknown[]): string {
  return values.length === 0 ? '' : `${key}:\n${values.map((value) => `  - ${JSON.stringify(value)}\n`).join('')}`;
}

type PodSettings = Pick<
  AgentConfig,
  'kubeconfig' | 'serviceAccount' | 'imagePullPolicy' | 'numCpus' | 'memoryBytes' | 'debugPod'
>;

/** What Pulumi's agent takes of pods from its environment alone (protocol section 6). Before 2.3.0 it took the image `latest` by default. */
function podEnvironment(config: PodSettings, version: string): Record<string, string | undefined> {
  const { kubeconfig, serviceAccount, imagePullPolicy, numCpus, memoryBytes, debugPod } = config;
  return {
    PULUMI_AGENT_IMAGE: `pulumi/customer-managed-workflow-agent:${version}`,
    PULUMI_AGENT_IMAGE_PULL_POLICY: imagePullPolicy,
    PULUMI_AGENT_SERVICE_ACCOUNT_NAME: serviceAccount,
    PULUMI_AGENT_NUM_CPUS: numCpus?.toString(),
    PULUMI_AGENT_MEM_QUANTITY: memoryBytes === undefined ? undefined : String(memoryBytes / 2 ** 30),
    PULUMI_AGENT_DEBUG_POD: debugPod ? 'true' : undefined,
    KUBECONFIG: kubeconfig,
  };
}

export interface AgentEnvironmentOptions {
  readonly config: PodSettings & Pick<AgentConfig, 'envForwardAllowlist' | 'deployTarget' | 'image'>;
  readonly environment: Environment;
  /** Of Pulumi's agent, without a `v`. */
  readonly version: string;
  /** The relay finds the way out: proxies and certificates are its own affair. */
  readonly isRelayed: boolean;
  /** File of all that is to be trusted, where the agent itself makes the connections. */
  readonly certificates?: string | undefined;
}

/** What the process of Pulumi's agent sees: what is documented for it, and what the allowlist forwards. */
export function agentEnvironment(options: AgentEnvironmentOptions): Record<string, string> {
  const { config, environment, version, isRelayed, certificates } = options;
  const names = [...PASSED_ON, ...(isRelayed ? [] : PROXIES), ...config.envForwardAllowlist];
  const passed = Object.fromEntries(names.map((name) => [name, environment[name]]));
  const { PULUMI_AGENT_IMAGE } = passed;
  return defined({
    ...passed,
    ...(config.deployTarget === 'kubernetes' ? defined(podEnvironment(config, version)) : {}),
    ...defined({ PULUMI_AGENT_IMAGE }),
    SSL_CERT_FILE: certificates ?? passed['SSL_CERT_FILE'],
    PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE: config.image,
  }) as Record<string, string>;
}
