import { environmentNames, type KeyName } from '../config/schema.ts';

/** A step's environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The inputs that are settings of the agent. Their defaults are the agent's: action.yml must not give any. */
export const AGENT_INPUTS = {
  organization: 'organization_name',
  'runner-pool-id': 'runner_pool_id',
  'runner-pool-name': 'runner_pool_name',
  'oidc-scope': 'oidc_scope',
  'oidc-audience': 'oidc_audience',
  token: 'token',
  'token-expiration': 'token_expiration',
  'service-url': 'service_url',
  'allow-insecure-service-url': 'allow_insecure_service_url',
  'ca-certificate': 'ca_certificate',
  'ca-certificate-in-jobs': 'ca_certificate_in_jobs',
  'env-forward-allowlist': 'env_forward_allowlist',
  'max-wait': 'max_wait',
  'polling-interval': 'polling_interval',
  'deploy-target': 'deploy_target',
  'pull-image': 'pull_image',
  image: 'image',
  'allowed-images': 'allowed_images',
  'require-digest': 'require_digest',
  'prepull-images': 'prepull_images',
  'cache-volume': 'cache_volume',
  memory: 'memory',
  'num-cpus': 'num_cpus',
  'pids-limit': 'pids_limit',
  'extra-capabilities': 'extra_capabilities',
  'container-network': 'container_network',
  'dns-servers': 'dns_servers',
  'allow-metadata': 'allow_metadata',
  'cancel-grace-period': 'cancel_grace_period',
  'report-timeout': 'report_timeout',
  'http-server-port': 'http_server_port',
  kubeconfig: 'kubeconfig',
  'kube-context': 'kube_context',
  namespace: 'namespace',
  'pod-template': 'pod_template',
  'service-account': 'service_account',
  'image-pull-policy': 'image_pull_policy',
  'pod-start-timeout': 'pod_start_timeout',
  trigger: 'trigger',
  operation: 'operation',
  'trigger-jitter': 'trigger_jitter',
  'access-token': 'access_token',
  'access-token-scope': 'access_token_scope',
} as const satisfies Readonly<Record<string, KeyName>>;

/** The text of an input, trimmed; empty when it isn't set. GitHub hands inputs over as INPUT_<NAME>, dashes kept. */
export function inputText(environment: Environment, name: string): string {
  return environment[`INPUT_${name.toUpperCase()}`]?.trim() ?? '';
}

/** The agent's settings that inputs give, as text. */
export function agentSettings(environment: Environment): Record<string, string> {
  const given = Object.entries(AGENT_INPUTS).map(([name, key]) => [key, inputText(environment, name)]);
  return Object.fromEntries(given.filter(([, text]) => text !== ''));
}

/** What an input, else the environment, says of a setting; empty when neither does. */
export function writtenText(environment: Environment, key: KeyName): string {
  const input = agentSettings(environment)[key];
  const fromEnvironment = environmentNames(key).map((name) => environment[name]?.trim() ?? '');
  return input ?? fromEnvironment.find((text) => text !== '') ?? '';
}

/** The audience that Pulumi Cloud expects for an organization; empty for none. */
export function audienceOf(organization: string): string {
  return organization === '' ? '' : `urn:pulumi:org:${organization}`;
}
