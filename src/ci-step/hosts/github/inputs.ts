import { definitionOf, environmentText, isKey, type KeyName } from '../../../base/config/schema.ts';
import { type Environment, setVariables } from '../../../base/environment.ts';
import { trustByDefault } from '../../../base/network/trust.ts';
import { type SettingTexts, settingVariables } from '../../settings.ts';

/**
 * The agent's settings that have inputs. Their defaults are the agent's; a test holds action.yml to
 * have none.
 */
const INPUT_KEYS = [
  'organization_name runner_pool_id runner_pool_name oidc_scope oidc_audience token token_expiration',
  'service_url allow_insecure_service_url ca_certificate max_wait ca_certificate_in_jobs env_forward_allowlist',
  'allowed_stacks allowed_operations plain_variables secret_variables hook_before_job hook_after_job hook_timeout',
  'polling_interval deploy_target pull_image image allowed_images require_digest prepull_images cache_volume',
  'memory num_cpus memory_soft_limit pids_limit ulimits shm_size extra_capabilities container_runtime',
  'container_network container_mtu container_subnet extra_hosts dns_servers',
  'allow_metadata cancel_grace_period soft_timeout report_timeout http_server_port engine engine_version engine_path',
  'engine_download_url engine_public_key engine_digest engine_relay engine_record enabled_workflow_types',
  'kubeconfig kube_context namespace pod_template service_account image_pull_policy pod_start_timeout trigger',
  'operation expected_version trigger_settings trigger_jitter trigger_timeout trigger_cancel access_token access_token_scope',
].flatMap((line) => line.split(' ').filter(isKey));

/** Inputs whose names differ from their settings'. */
const RENAMED: Readonly<Record<string, string>> = {
  organization_name: 'organization',
  enabled_workflow_types: 'workflow-types',
};

/** The name of a setting's input. */
export function inputName(key: KeyName): string {
  return RENAMED[key] ?? key.replaceAll('_', '-');
}

/** The agent's settings that have inputs, by input name. */
export const AGENT_INPUTS: Readonly<Record<string, KeyName>> = Object.fromEntries(
  INPUT_KEYS.map((key) => [inputName(key), key]),
);

/** The action's own inputs, with their defaults as in action.yml. */
export const ACTION_INPUTS = {
  'config-file': '',
  'on-no-work': 'succeed',
  'upload-artifact': 'always',
  'artifact-name': '',
  'artifact-retention-days': '',
  'comment-on-pr': 'false',
  'comment-on-pr-number': '',
  'github-token': `\${{ github.token }}`,
  doctor: 'false',
  // GitHub's runner evaluates it, anew for post.
  'job-status': `\${{ job.status }}`,
} as const;

/**
 * The text of an input, trimmed; empty if it isn't set. GitHub passes inputs as INPUT_<NAME>, with
 * dashes.
 */
export function inputText(environment: Environment, name: string): string {
  return environment[`INPUT_${name.toUpperCase()}`]?.trim() ?? '';
}

/**
 * The agent's settings from inputs, as text, relative paths resolved against the workspace: it runs
 * elsewhere.
 */
export function settingsFromInputs(environment: Environment, checkoutDirectory: string): SettingTexts {
  const inputs: readonly (readonly [string, KeyName])[] = Object.entries({
    ...AGENT_INPUTS,
    max: 'plan_max',
  });

  const settings = inputs.flatMap(([name, key]) => {
    const text = inputText(environment, name);
    return text === '' ? [] : [[key, definitionOf(key).kind.locate?.(text, checkoutDirectory) ?? text]];
  });

  return Object.fromEntries(settings);
}

/**
 * The agent's environment: the step's, without the action's inputs and GitHub's own tokens unless
 * forwarded, plus the settings from inputs. RUNNER_TRACKING_ID stays: by it the runner's clean-up
 * finds an agent that outlived post.
 */
export function agentEnvironment(step: Environment, settings: SettingTexts, forwarded: readonly string[]) {
  const isLeftOut = (name: string) => /^(INPUT|ACTIONS)_/i.test(name) && !forwarded.includes(name);
  return { ...setVariables(step, isLeftOut), ...settingVariables(settings) };
}

/**
 * Makes the action's GitHub calls trust the agent's authorities. Never throws: the agent reports a
 * bad certificate.
 */
export function trustAsTheAgent(environment: Environment, checkoutDirectory: string): void {
  const { ca_certificate: input } = settingsFromInputs(environment, checkoutDirectory);
  try {
    trustByDefault(input ?? environmentText(environment, 'ca_certificate', checkoutDirectory));
  } catch {
    trustByDefault();
  }
}
