import { isLoopback } from '../loopback.ts';
import { matchesName } from '../name-pattern.ts';
import { byteCount } from '../quantity.ts';
import type { AgentConfig } from './agent-config.ts';
import type { ConfigFile } from './config-file.ts';
import { formatDuration } from './duration.ts';
import { checkEngine } from './engine-limits.ts';
import { Findings, type Purpose, type Settings } from './findings.ts';
import { softMemoryBytes } from './keys/jobs.ts';
import { describeSetting, quoteValue } from './problem.ts';
import { definitionOf, type KeyName, nameWithVariable } from './schema.ts';
import { checkAllowed, checkTrigger } from './trigger-checks.ts';

/** The values that could be read; problems with the others are already reported. */
type Config = Partial<AgentConfig>;

/**
 * Cross-checks settings. What `config` lacks is already reported; with an unusable file, nothing is
 * called missing. `missingName` names a missing setting in messages.
 */
export function checkTogether(
  config: Config,
  settings: Settings,
  configFile: ConfigFile,
  purpose: Purpose,
  missingName: (key: KeyName) => string,
): Findings {
  const found = new Findings(settings, missingName);
  checkExecutor(config, settings, found);
  if (purpose === 'run') checkAuthentication(settings, configFile, found);
  if (purpose !== 'offline' && configFile.usable) checkTrigger(config, settings, purpose, found);
  checkEngine(config, settings, purpose, found);
  if (purpose !== 'offline') checkAllowed(config, found);
  checkServiceUrl(config, found);
  checkWaits(config, found);
  checkImages(config, found);
  checkNetwork(config, found);
  checkMemory(config, settings, found);
  checkVariables(config, found);

  return found;
}

/** Why metadata services can't be blocked in pods, and what to do. */
const OPEN_METADATA =
  "can't be enforced on Kubernetes, where the cluster's network decides: block 169.254.169.254 for jobs' pods with a NetworkPolicy (docs/kubernetes/identity.md)";

/** Adds a notice for each setting that only acts on another target than the configured one. */
function checkExecutor({ deployTarget, allowMetadata }: Config, settings: Settings, found: Findings): void {
  const names = { docker: 'Docker', kubernetes: 'Kubernetes' };
  for (const key of settings.keys()) {
    const { target } = definitionOf(key);
    if (target === undefined || deployTarget === undefined || target === deployTarget) continue;
    if (key === 'allow_metadata' && allowMetadata === false) found.warning(key, OPEN_METADATA);
    else found.notice(key, `applies only to the ${names[target]} target, so it has no effect here`);
  }
}

function checkAuthentication(
  settings: Settings,
  { file, usable, absence }: ConfigFile,
  found: Findings,
): void {
  const token = settings.get('token');
  const oidc = settings.get('oidc_token_file');

  if (token !== undefined && oidc !== undefined) {
    found.problem('token', `and ${describeSetting(oidc)} are two ways to authenticate; keep one of them`);
  } else if (usable && oidc !== undefined) {
    found.require(['organization_name', 'runner_pool_id'], `with ${describeSetting(oidc)}`);
  } else if (usable && token === undefined) {
    const looked = file === undefined ? `there is ${absence}` : `neither the environment nor ${file} does`;
    const message = `no way to authenticate: set ${nameWithVariable('token')} or ${nameWithVariable('oidc_token_file')} (${looked})`;
    found.problems.push({ message, key: 'token' });
  }
}

function checkServiceUrl({ serviceUrl, allowInsecureServiceUrl }: Config, found: Findings): void {
  if (serviceUrl === undefined || allowInsecureServiceUrl === undefined) return;
  const url = new URL(serviceUrl);
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return;

  if (allowInsecureServiceUrl)
    found.notice('service_url', 'is not https: tokens cross the network unencrypted');
  else
    found.problem(
      'service_url',
      `would send tokens unencrypted to ${url.host}; use https://, or set allow_insecure_service_url to true`,
    );
}

function checkWaits(config: Config, { notices }: Findings): void {
  const {
    requestRetryWaitMs = 0,
    requestRetryMaxWaitMs = 0,
    pollingIntervalMs = 0,
    healthThresholdMs,
  } = config;

  if (requestRetryWaitMs > requestRetryMaxWaitMs) {
    const wait = `request_retry_wait (${formatDuration(requestRetryWaitMs)})`;
    const longest = formatDuration(requestRetryMaxWaitMs);
    notices.push(`${wait} is longer than request_retry_max_wait; each wait is ${longest}.`);
  }

  if (healthThresholdMs !== undefined && healthThresholdMs <= pollingIntervalMs) {
    const [threshold, interval] = [formatDuration(healthThresholdMs), formatDuration(pollingIntervalMs)];
    notices.push(
      `health_threshold (${threshold}) is not longer than polling_interval (${interval}); /healthz will report unhealthy between polls.`,
    );
  }
}

/** A pattern with a tag never matches an image named by its digest, which doesn't say the tag. */
function checkImages({ allowedImages = [], requireDigest = false }: Config, found: Findings): void {
  const tagged = allowedImages.filter((pattern) => /:[^/@]*$/.test(pattern.split('@', 1).join()));
  if (!requireDigest || tagged.length === 0) return;
  const clause = `has ${tagged.join(' and ')}, which matches no image while require_digest is true: omit the tag`;
  found.notice('allowed_images', clause);
}

/** Reports settings of a job's own network where it gets none. */
function checkNetwork({ containerNetwork }: Config, found: Findings): void {
  if (containerNetwork === undefined) return;
  for (const key of ['container_mtu', 'container_subnet'] as const)
    found.notice(key, `has no effect: jobs run on the network ${containerNetwork}`);
}

/** Reports a soft limit that could never act. */
function checkMemory(
  { memoryBytes, memorySoftLimit = 'off' }: Config,
  settings: Settings,
  found: Findings,
): void {
  if (memorySoftLimit === 'off') return;
  const limit = softMemoryBytes(memorySoftLimit, memoryBytes);
  // An invalid memory is already reported.
  if (
    limit === undefined &&
    settings.get('memory_soft_limit')?.isDefault !== true &&
    !settings.has('memory')
  ) {
    const clause = 'is a percentage of memory, which is not set; set memory, or use a quantity such as 3Gi';
    found.problem('memory_soft_limit', clause);
  } else if (limit !== undefined && memoryBytes !== undefined && limit >= memoryBytes) {
    const clause = `is not below memory (${byteCount(memoryBytes)}), at which the kernel kills the job; choose less, or off`;
    found.problem('memory_soft_limit', clause);
  }
}

/** Reports names that can't be plain: secret ones win, and forwarded values stay as they are. */
function checkVariables(config: Config, found: Findings): void {
  const { plainVariables = [], secretVariables = [], envForwardAllowlist = [] } = config;
  for (const plain of plainVariables) {
    if (/^PULUMI_(?:ACCESS|OIDC)_TOKEN$/.test(plain))
      found.problem('plain_variables', `names ${plain}, a credential of each job; remove it`);
    const secret = secretVariables.find((pattern) => matchesName(pattern, plain));
    if (secret !== undefined) {
      const clause = `names ${quoteValue(plain)}, and secret_variables ${quoteValue(secret)}, which takes precedence; remove one of them`;
      found.problem('plain_variables', clause);
    } else if (envForwardAllowlist.includes(plain)) {
      const clause = `names ${quoteValue(plain)}, which env_forward_allowlist forwards: no setting shows a forwarded value; remove one of them`;
      found.problem('plain_variables', clause);
    }
  }
}
