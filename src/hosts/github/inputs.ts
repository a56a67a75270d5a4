import { resolve } from 'node:path';
import { readTemplate } from '../../config/kind.ts';
import { environmentNames, type KeyName } from '../../config/schema.ts';
import { trustByDefault } from '../../network/trust.ts';

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
  'memory-soft-limit': 'memory_soft_limit',
  'num-cpus': 'num_cpus',
  'pids-limit': 'pids_limit',
  'extra-capabilities': 'extra_capabilities',
  'container-network': 'container_network',
  'dns-servers': 'dns_servers',
  'allow-metadata': 'allow_metadata',
  'cancel-grace-period': 'cancel_grace_period',
  'soft-timeout': 'soft_timeout',
  'report-timeout': 'report_timeout',
  'http-server-port': 'http_server_port',
  engine: 'engine',
  'engine-version': 'engine_version',
  'engine-path': 'engine_path',
  'engine-download-url': 'engine_download_url',
  'engine-public-key': 'engine_public_key',
  'engine-relay': 'engine_relay',
  'engine-record': 'engine_record',
  'workflow-types': 'enabled_workflow_types',
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
  'trigger-timeout': 'trigger_timeout',
  'trigger-cancel': 'trigger_cancel',
  'access-token': 'access_token',
  'access-token-scope': 'access_token_scope',
} as const satisfies Readonly<Record<string, KeyName>>;

/** The inputs that are the action's own, with their defaults as action.yml gives them. */
export const ACTION_INPUTS = {
  'config-file': '',
  'on-no-work': 'succeed',
  'upload-artifact': 'always',
  'artifact-name': '',
  'artifact-retention-days': '',
  doctor: 'false',
} as const;

/** The text of an input, trimmed; empty when it isn't set. GitHub hands inputs over as INPUT_<NAME>, dashes kept. */
export function inputText(environment: Environment, name: string): string {
  return environment[`INPUT_${name.toUpperCase()}`]?.trim() ?? '';
}

/** The agent's settings that inputs give, as text. A relative path starts at the workspace: the agent runs elsewhere. */
export function agentSettings(environment: Environment, checkoutDirectory: string): Record<string, string> {
  const given = Object.entries({ ...AGENT_INPUTS, max: 'plan_max' })
    .map(([name, key]) => [key, inputText(environment, name)])
    .filter(([, text]) => text !== '');
  const settings: Record<string, string> = Object.fromEntries(given);
  const { kubeconfig, pod_template: template, engine_path: path } = settings;
  for (const key of ['ca_certificate', 'engine_public_key']) {
    const pem = settings[key];
    if (pem !== undefined && !pem.includes('-----BEGIN')) settings[key] = resolve(checkoutDirectory, pem);
  }
  if (path !== undefined) settings['engine_path'] = resolve(checkoutDirectory, path);
  if (kubeconfig !== undefined) settings['kubeconfig'] = resolve(checkoutDirectory, kubeconfig);
  if (template !== undefined) settings['pod_template'] = readTemplate(template, checkoutDirectory);
  return settings;
}

/** What an input, else the environment, says of a setting; empty when neither does. */
export function writtenText(environment: Environment, checkoutDirectory: string, key: KeyName): string {
  const fromEnvironment = environmentNames(key).map((name) => environment[name]?.trim() ?? '');
  const input = agentSettings(environment, checkoutDirectory)[key];
  return input ?? fromEnvironment.find((text) => text !== '') ?? '';
}

/**
 * What the agent may see of the step's environment: all of it but the action's inputs and GitHub's own tokens, unless a
 * name is allowlisted to be forwarded; then what the inputs say. RUNNER_TRACKING_ID stays, so that the runner's
 * clean-up at the job's end finds an agent that outlived post.
 */
export function agentEnvironment(
  step: Environment,
  settings: Readonly<Record<string, string>>,
  forwarded: readonly string[],
): Record<string, string> {
  const kept = Object.entries(step).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (!/^(INPUT|ACTIONS)_/i.test(entry[0]) || forwarded.includes(entry[0])),
  );
  const named = Object.entries(settings).map(([key, text]) => [environmentNames(key as KeyName)[0] ?? key, text]);
  return { ...Object.fromEntries([...kept, ...named]), PULUMI_AGENT_SINGLE_RUN: 'true' };
}

/**
 * Has this action's own calls, to GitHub, trust what the agent trusts. Never throws: the agent complains of a certificate that
 * can't be used.
 */
export function trustAsTheAgent(environment: Environment, checkoutDirectory: string): void {
  const text = writtenText(environment, checkoutDirectory, 'ca_certificate').replaceAll('\\n', '\n');
  try {
    trustByDefault(text === '' ? undefined : text);
  } catch {
    trustByDefault();
  }
}
