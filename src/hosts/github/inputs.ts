import type { context as actionsContext } from '@actions/github';
import { definitionOf, environmentNames, type KeyName } from '../../config/schema.ts';
import { trustByDefault } from '../../network/trust.ts';

/** A step's environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What GitHub says of the workflow run. */
export type Context = Pick<typeof actionsContext, 'job' | 'repo' | 'runAttempt' | 'runId' | 'serverUrl'>;

/** The settings of the agent that inputs give. Their defaults are the agent's: action.yml must not give any. */
const INPUT_KEYS = [
  ...(['organization_name', 'runner_pool_id', 'runner_pool_name', 'oidc_scope', 'oidc_audience', 'token'] as const),
  ...(['token_expiration', 'service_url', 'allow_insecure_service_url', 'ca_certificate', 'max_wait'] as const),
  ...(['ca_certificate_in_jobs', 'env_forward_allowlist', 'polling_interval', 'deploy_target', 'pull_image'] as const),
  ...(['image', 'allowed_images', 'require_digest', 'prepull_images', 'cache_volume', 'memory', 'num_cpus'] as const),
  ...(['memory_soft_limit', 'pids_limit', 'extra_capabilities', 'container_network', 'dns_servers'] as const),
  ...(['allow_metadata', 'cancel_grace_period', 'soft_timeout', 'report_timeout', 'http_server_port'] as const),
  ...(['engine', 'engine_version', 'engine_path', 'engine_download_url', 'engine_public_key', 'engine_relay'] as const),
  ...(['engine_record', 'enabled_workflow_types', 'kubeconfig', 'kube_context', 'namespace', 'pod_template'] as const),
  ...(['service_account', 'image_pull_policy', 'pod_start_timeout', 'trigger', 'operation', 'trigger_jitter'] as const),
  ...(['trigger_timeout', 'trigger_cancel', 'access_token', 'access_token_scope'] as const),
] satisfies readonly KeyName[];
/** Inputs that aren't called as their settings are. */
const RENAMED: Readonly<Record<string, string>> = {
  organization_name: 'organization',
  enabled_workflow_types: 'workflow-types',
};

/** What the input of a setting is called. */
export function inputName(key: KeyName): string {
  return RENAMED[key] ?? key.replaceAll('_', '-');
}

/** The settings of the agent that inputs give, by the names of the inputs. */
export const AGENT_INPUTS: Readonly<Record<string, KeyName>> = Object.fromEntries(
  INPUT_KEYS.map((key) => [inputName(key), key]),
);

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
  const inputs: readonly (readonly [string, KeyName])[] = Object.entries({ ...AGENT_INPUTS, max: 'plan_max' });
  const given = inputs.flatMap(([name, key]) => {
    const text = inputText(environment, name);
    return text === '' ? [] : [[key, definitionOf(key).kind.locate?.(text, checkoutDirectory) ?? text]];
  });
  return Object.fromEntries(given);
}

/** What an input, else the environment, says of a setting; empty when neither does. */
export function writtenText(environment: Environment, checkoutDirectory: string, key: KeyName): string {
  const fromEnvironment = environmentNames(key).map((name) => environment[name]?.trim() ?? '');
  const input = agentSettings(environment, checkoutDirectory)[key];
  return input ?? fromEnvironment.find((text) => text !== '') ?? '';
}

/**
 * What the agent may see of the step's environment: all but the action's inputs and GitHub's own tokens that aren't forwarded; then what the
 * inputs say. By RUNNER_TRACKING_ID the runner's clean-up finds an agent that outlived post.
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

/** Has this action's own calls, to GitHub, trust what the agent trusts. Never throws: of a bad certificate the agent complains. */
export function trustAsTheAgent(environment: Environment, checkoutDirectory: string): void {
  const text = writtenText(environment, checkoutDirectory, 'ca_certificate').replaceAll('\\n', '\n');
  try {
    trustByDefault(text === '' ? undefined : text);
  } catch {
    trustByDefault();
  }
}
