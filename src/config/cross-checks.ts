import { byteCount } from '../quantity.ts';
import type { AgentConfig } from './agent-config.ts';
import { CONFIG_FILE_NAME, type SearchSources, searchDirectories } from './config-file.ts';
import { formatDuration } from './duration.ts';
import { checkEngine, checkWorkflowTypes, type Findings, type Settings } from './engine-checks.ts';
import { softMemoryBytes } from './keys/jobs.ts';
import { type ConfigProblem, describeSetting, problemWith, quoteValue, type Setting } from './problem.ts';
import { definitionOf, environmentNames, type KeyName } from './schema.ts';
import { isGlob, organizationOf } from './stack-pattern.ts';

/** What a command needs of Pulumi Cloud: a pool's token, or an access token to start deployments or to read the queue. */
export type Purpose = 'run' | 'trigger' | 'plan';

/** What was found of the configuration file. */
interface FileState {
  readonly file: string | undefined;
  /** False when it could not be read or parsed: then nothing can be called missing. */
  readonly isUsable: boolean;
}

/** Checks what no single setting can tell. What `config` lacks was reported already. Without a purpose nothing will authenticate. */
export function checkTogether(
  config: Partial<AgentConfig>,
  settings: Settings,
  sources: SearchSources,
  state: FileState,
  purpose: Purpose | undefined,
): Findings {
  const findings: Findings = { problems: [], notices: [] };
  checkExecutor(config, settings, findings);
  if (purpose === 'run') findings.problems.push(...checkAuthentication(settings, sources, state));
  if (purpose !== undefined && state.isUsable) findings.problems.push(...checkTrigger(config, settings, purpose));
  checkWorkflowTypes(config, settings, findings);
  if (purpose === 'run') checkEngine(config, settings, findings);
  checkServiceUrl(config, settings, findings);
  checkWaits(config, findings);
  checkImages(config, settings, findings);
  checkMemory(config, settings, findings);
  return findings;
}

/** A notice for each setting that was made for another target than the one that is used. */
function checkExecutor({ deployTarget }: Partial<AgentConfig>, settings: Settings, { notices }: Findings): void {
  const names = { docker: 'Docker', kubernetes: 'Kubernetes' };
  for (const [key, setting] of settings) {
    const { target } = definitionOf(key);
    if (target === undefined || target === deployTarget || deployTarget === undefined || setting.isDefault) continue;
    notices.push(`${describeSetting(setting)} only acts on the ${names[target]} target, so it has no effect here.`);
  }
}

function checkAuthentication(settings: Settings, sources: SearchSources, { file, isUsable }: FileState) {
  const token = settings.get('token');
  const oidc = settings.get('oidc_token_file');
  if (token !== undefined && oidc !== undefined) {
    const clause = `is one way to authenticate, and ${describeSetting(oidc)} is another; keep one of them`;
    return [problemWith('token', token, clause)];
  }
  if (!isUsable || token !== undefined) return [];
  if (oidc !== undefined)
    return missing(settings, ['organization_name', 'runner_pool_id'], `with ${describeSetting(oidc)}`);
  const looked =
    file === undefined
      ? `there is no ${CONFIG_FILE_NAME} in ${searchDirectories(sources).join(', ')}`
      : `neither the environment nor ${file} does`;
  const [tokenVariable, oidcVariable] = [environmentNames('token')[0], environmentNames('oidc_token_file')[0]];
  const message = `no way to authenticate: set token (${tokenVariable}) or oidc_token_file (${oidcVariable}) (${looked})`;
  return [{ message, key: 'token' }];
}

function checkServiceUrl(config: Partial<AgentConfig>, settings: Settings, found: Findings): void {
  const { serviceUrl, allowInsecureServiceUrl } = config;
  const setting = settings.get('service_url');
  if (setting === undefined || serviceUrl === undefined || allowInsecureServiceUrl === undefined) return;
  const url = new URL(serviceUrl);
  if (url.protocol === 'https:' || isLoopbackHost(url.hostname)) return;
  if (allowInsecureServiceUrl) {
    found.notices.push(`${describeSetting(setting)} is not https: tokens cross the network readable.`);
  } else {
    const clause = `would send tokens readable to ${url.host}; use https://, or set allow_insecure_service_url to true`;
    found.problems.push(problemWith('service_url', setting, clause));
  }
}

/** True for a host name that can only mean this machine. */
function isLoopbackHost(hostname: string): boolean {
  return /^(localhost|.*\.localhost|\[::1\]|127(\.\d+){3})$/i.test(hostname);
}

function checkWaits(config: Partial<AgentConfig>, { notices }: Findings): void {
  const { requestRetryWaitMs = 0, requestRetryMaxWaitMs = 0, pollingIntervalMs = 0, healthThresholdMs } = config;
  if (requestRetryWaitMs > requestRetryMaxWaitMs) {
    const wait = `request_retry_wait (${formatDuration(requestRetryWaitMs)})`;
    const longest = formatDuration(requestRetryMaxWaitMs);
    notices.push(`${wait} is longer than request_retry_max_wait; each wait is ${longest}.`);
  }
  if (healthThresholdMs !== undefined && healthThresholdMs <= pollingIntervalMs) {
    const [threshold, interval] = [formatDuration(healthThresholdMs), formatDuration(pollingIntervalMs)];
    notices.push(
      `health_threshold (${threshold}) is not longer than polling_interval (${interval}); /healthz will say unhealthy between polls.`,
    );
  }
}

/** A tag says nothing of what a digest names, so such a pattern takes no image that is named by one. */
function checkImages(config: Partial<AgentConfig>, settings: Settings, { notices }: Findings): void {
  const { allowedImages = [], requireDigest } = config;
  const setting = settings.get('allowed_images');
  const tagged = allowedImages.filter((pattern) => /:[^/@]*$/.test(pattern.split('@', 1).join()));
  if (requireDigest !== true || setting === undefined || tagged.length === 0) return;
  notices.push(
    `${describeSetting(setting)} has ${tagged.join(' and ')}, which can take no image while require_digest is true: leave the tag out.`,
  );
}

/** A soft limit that can't act is none that anybody wanted. */
function checkMemory(config: Partial<AgentConfig>, settings: Settings, { problems }: Findings): void {
  const { memoryBytes, memorySoftLimit } = config;
  const setting = settings.get('memory_soft_limit');
  if (setting === undefined || memorySoftLimit === undefined || memorySoftLimit === 'off') return;
  const limit = softMemoryBytes(memorySoftLimit, memoryBytes);
  // Where memory is set and wrong, that is said already.
  if (limit === undefined && !setting.isDefault && !settings.has('memory')) {
    const clause = 'is a part of memory, which is not set; set memory, or write a quantity such as 3Gi';
    problems.push(problemWith('memory_soft_limit', setting, clause));
  } else if (limit !== undefined && memoryBytes !== undefined && limit >= memoryBytes) {
    const clause = `is not below memory (${byteCount(memoryBytes)}), where the kernel kills; write less, or off`;
    problems.push(problemWith('memory_soft_limit', setting, clause));
  }
}

/** Checks what no single setting of those that start deployments can tell. */
function checkTrigger(config: Partial<AgentConfig>, settings: Settings, purpose: Purpose): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const trigger = settings.get('trigger');
  const wanted = config.trigger ?? [];
  if (purpose === 'plan') {
    problems.push(...missing(settings, ['organization_name', 'runner_pool_id'], 'to plan jobs'));
    if (wanted.length === 0) problems.push(...checkAccess(settings, 'to plan jobs'));
  }
  if (purpose === 'trigger' && config.trigger?.length === 0)
    problems.push({ message: 'no stack is named: give org/project/stack, or set trigger', key: 'trigger' });
  if (trigger !== undefined && wanted.length > 0) {
    const use = `with ${describeSetting(trigger)}`;
    problems.push(...missing(settings, ['operation'], use), ...checkAccess(settings, use));
    problems.push(...checkOrganization(config, settings, trigger));
    const [operation, pattern] = [settings.get('operation'), wanted.find(isGlob)];
    if (operation !== undefined && config.operation === 'destroy' && pattern !== undefined) {
      const clause = `is destroy, and ${quoteValue(pattern)} is a pattern; name each stack to destroy in full`;
      problems.push(problemWith('operation', operation, clause));
    }
  }
  // The first problem of each key.
  return problems.filter(({ key }, index) => problems.findIndex((other) => other.key === key) === index);
}

/** The pool's token, which runs jobs, can't start them. */
function checkAccess(settings: Settings, use: string): ConfigProblem[] {
  if (settings.has('access_token')) return [];
  if (settings.has('oidc_token_file'))
    return settings.has('organization_name') ? [] : missing(settings, ['organization_name'], use);
  const [token, file] = [environmentNames('access_token')[0], environmentNames('oidc_token_file')[0]];
  const message = `access_token (${token}) or oidc_token_file (${file}) is required ${use}: a pool's token can't do that`;
  return [{ message, key: 'access_token' }];
}

/** A token that OIDC is exchanged for is one organization's. */
function checkOrganization(config: Partial<AgentConfig>, settings: Settings, trigger: Setting): ConfigProblem[] {
  const { organizationName } = config;
  if (settings.has('access_token') || organizationName === undefined) return [];
  const other = (config.trigger ?? []).find((pattern) => organizationOf(pattern) !== organizationName);
  if (other === undefined) return [];
  const clause = `${quoteValue(other)} is not of ${organizationName}, whose token OIDC gives; set access_token for others`;
  return [problemWith('trigger', trigger, clause)];
}

/** A problem for each of `keys` that nothing sets. */
function missing(settings: Settings, keys: readonly KeyName[], use: string): ConfigProblem[] {
  return keys
    .filter((key) => !settings.has(key))
    .map((key) => ({ message: `${key} is required ${use}; set it (or ${environmentNames(key)[0]})`, key }));
}
