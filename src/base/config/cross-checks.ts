import { CI_IDENTITIES } from '../ci-identities.ts';
import { matchesName } from '../name-pattern.ts';
import { byteCount } from '../quantity.ts';
import { isLoopback } from '../url-parts.ts';
import type { AgentConfig } from './agent-config.ts';
import { brokenRule } from './allowed.ts';
import type { ConfigFile } from './config-file.ts';
import { formatDuration } from './duration.ts';
import { checkEngine } from './engine-limits.ts';
import { Findings, type Purpose, type Settings } from './findings.ts';
import { softMemoryBytes } from './keys/jobs.ts';
import { describeSetting, quoteValue } from './problem.ts';
import { definitionOf, type KeyName, nameWithVariable } from './schema.ts';
import { isGlob, organizationOf, stackNamed } from './stack-pattern.ts';

/** The values that could be read; problems with the others are already reported. */
type Config = Partial<AgentConfig>;

interface CrossCheckInput {
  readonly config: Config;
  readonly settings: Settings;
  readonly configFile: ConfigFile;
  readonly purpose: Purpose;
  /** The name of a missing setting in messages. */
  readonly missingName: (key: KeyName) => string;
}

/**
 * Checks settings against each other. What `config` lacks is already reported; with an unusable file,
 * nothing is called missing.
 */
export function crossCheck(input: CrossCheckInput): Findings {
  const { config, settings, configFile, purpose, missingName } = input;
  const findings = new Findings(settings, missingName);
  checkExecutor(config, settings, findings);
  if (purpose === 'run') checkAuthentication(settings, configFile, findings);
  if (purpose !== 'offline' && configFile.usable) checkTrigger(config, settings, purpose, findings);
  checkEngine(config, settings, purpose, findings);
  if (purpose !== 'offline') checkAllowed(config, findings);
  checkServiceUrl(config, findings);
  checkWaits(config, findings);
  checkImages(config, findings);
  checkNetwork(config, findings);
  checkMemory(config, settings, findings);
  checkVariables(config, findings);

  return findings;
}

/** Why metadata services can't be blocked in pods, and what to do. */
const OPEN_METADATA =
  "can't be enforced on Kubernetes, where the cluster's network decides: block 169.254.169.254 for jobs' pods with a NetworkPolicy (docs/kubernetes/identity.md)";

/** Adds a notice for each setting that only acts on another target than the configured one. */
function checkExecutor(
  { deployTarget, allowMetadata }: Config,
  settings: Settings,
  findings: Findings,
): void {
  const names = { docker: 'Docker', kubernetes: 'Kubernetes' };
  for (const key of settings.keys()) {
    const { target } = definitionOf(key);
    if (target === undefined || deployTarget === undefined || target === deployTarget) continue;
    if (key === 'allow_metadata' && allowMetadata === false) findings.warning(key, OPEN_METADATA);
    else findings.notice(key, `applies only to the ${names[target]} target, so it has no effect here`);
  }
}

function checkAuthentication(
  settings: Settings,
  { file, usable, absence }: ConfigFile,
  findings: Findings,
): void {
  const token = settings.get('token');
  const oidc = settings.get('oidc_token_file');

  if (token !== undefined && oidc !== undefined) {
    findings.problem('token', `and ${describeSetting(oidc)} are two ways to authenticate; keep one of them`);
  } else if (usable && oidc !== undefined) {
    findings.require(['organization_name', 'runner_pool_id'], `with ${describeSetting(oidc)}`);
  } else if (usable && token === undefined) {
    const searched = file === undefined ? `there is ${absence}` : `neither the environment nor ${file} does`;
    const message = `no way to authenticate: set ${nameWithVariable('token')} or ${nameWithVariable('oidc_token_file')} (${searched})`;
    findings.problems.push({ message, key: 'token' });
  }
}

function checkServiceUrl({ serviceUrl, allowInsecureServiceUrl }: Config, findings: Findings): void {
  if (serviceUrl === undefined || allowInsecureServiceUrl === undefined) return;
  const url = new URL(serviceUrl);
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return;

  if (allowInsecureServiceUrl)
    findings.notice('service_url', 'is not https: tokens cross the network unencrypted');
  else
    findings.problem(
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
function checkImages({ allowedImages = [], requireDigest = false }: Config, findings: Findings): void {
  const tagged = allowedImages.filter((pattern) => /:[^/@]*$/.test(pattern.split('@', 1).join()));
  if (!requireDigest || tagged.length === 0) return;
  const clause = `has ${tagged.join(' and ')}, which matches no image while require_digest is true: omit the tag`;
  findings.notice('allowed_images', clause);
}

/** Reports settings of a job's own network where it gets none. */
function checkNetwork({ containerNetwork }: Config, findings: Findings): void {
  if (containerNetwork === undefined) return;
  for (const key of ['container_mtu', 'container_subnet'] as const)
    findings.notice(key, `has no effect: jobs run on the network ${containerNetwork}`);
}

/** Reports a soft limit that could never act. */
function checkMemory(
  { memoryBytes, memorySoftLimit = 'off' }: Config,
  settings: Settings,
  findings: Findings,
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
    findings.problem('memory_soft_limit', clause);
  } else if (limit !== undefined && memoryBytes !== undefined && limit >= memoryBytes) {
    const clause = `is not below memory (${byteCount(memoryBytes)}), at which the kernel kills the job; choose less, or off`;
    findings.problem('memory_soft_limit', clause);
  }
}

const AGENT_CREDENTIALS: ReadonlySet<string> = new Set([
  ...['PULUMI_AGENT_TOKEN', 'PULUMI_AGENT_ACCESS_TOKEN'],
  ...Object.values(CI_IDENTITIES).flat(),
]);

/** The clause on a credential of the CI job or the agent that `env_forward_allowlist` names. */
export function credentialClause(name: string): string {
  return `names ${name}: with it, a deployment could act as this agent or its CI job, and claim the pool's other deployments; remove it`;
}

/**
 * Reports credentials that can't be forwarded, and names that can't be plain: secret ones win, and forwarded values stay
 * as they are.
 */
function checkVariables(config: Config, findings: Findings): void {
  const { plainVariables = [], secretVariables = [], envForwardAllowlist = [] } = config;
  for (const name of envForwardAllowlist.filter((each) => AGENT_CREDENTIALS.has(each)))
    findings.problem('env_forward_allowlist', credentialClause(name));

  for (const plain of plainVariables) {
    if (/^PULUMI_(?:ACCESS|OIDC)_TOKEN$/.test(plain))
      findings.problem('plain_variables', `names ${plain}, a credential of each job; remove it`);
    const secret = secretVariables.find((pattern) => matchesName(pattern, plain));
    if (secret !== undefined) {
      const clause = `names ${quoteValue(plain)}, and secret_variables ${quoteValue(secret)}, which takes precedence; remove one of them`;
      findings.problem('plain_variables', clause);
    } else if (envForwardAllowlist.includes(plain)) {
      const clause = `names ${quoteValue(plain)}, which env_forward_allowlist forwards: no setting shows a forwarded value; remove one of them`;
      findings.problem('plain_variables', clause);
    }
  }
}

/** Checks the settings that start deployments against each other. */
function checkTrigger(config: Config, settings: Settings, purpose: Purpose, findings: Findings): void {
  const { trigger: stacks = [], operation, organizationName } = config;
  if (purpose === 'plan') {
    findings.require(['organization_name', 'runner_pool_id'], 'to plan jobs');
    if (stacks.length === 0) checkAccess(settings, 'to plan jobs', findings);
  }

  if (purpose === 'trigger' && config.trigger?.length === 0)
    findings.problems.push({
      message: 'no stack is named: name one as org/project/stack, or set trigger',
      key: 'trigger',
    });

  if (stacks.length === 0) {
    findings.notice('trigger_settings', 'has no effect without trigger');
    // Any deployment of the pool would be claimed, and run unchecked.
    findings.problem(
      'expected_version',
      'holds only a deployment that trigger starts to a version; name its stack in trigger',
    );
  }

  const trigger = settings.get('trigger');
  if (trigger === undefined || stacks.length === 0) return;

  const use = `with ${describeSetting(trigger)}`;
  findings.require(['operation'], use);
  checkAccess(settings, use, findings);

  // A token from an OIDC exchange belongs to one organization.
  const foreign = stacks.find(
    (stack) => organizationName !== undefined && organizationOf(stack) !== organizationName,
  );
  if (foreign !== undefined && !settings.has('access_token')) {
    const clause = `${quoteValue(foreign)} is not in ${organizationName}, which the OIDC exchange gives a token for; set access_token for others`;
    findings.problem('trigger', clause);
  }

  if (stacks.length > 1 || stacks.some(isGlob))
    findings.problem(
      'expected_version',
      'is the version of one stack; name that stack alone, and in full, in trigger',
    );

  const pattern = stacks.find(isGlob);
  if (operation === 'destroy' && pattern !== undefined)
    findings.problem(
      'operation',
      `is destroy, and ${quoteValue(pattern)} is a pattern; name each stack in full`,
    );
}

/** Reports deployments that trigger would start but this runner would refuse. */
function checkAllowed(config: Config, findings: Findings): void {
  const { allowedStacks = [], allowedOperations = [], rootLists, trigger = [], operation } = config;
  const admission = { allowedStacks, allowedOperations, rootLists };

  if (operation === undefined) return;

  for (const stack of trigger.filter((each) => !isGlob(each))) {
    const rule = brokenRule(admission, { ...stackNamed(stack), operation, proven: true });
    if (rule === undefined) continue;
    const clause = `would start ${operation} of ${stack}, which ${rule.key} (${rule.values.join(' ')}) does not allow here`;
    findings.problem('trigger', clause);
  }
}

/** A pool's token runs jobs, but can neither start deployments nor read the queue. */
function checkAccess(settings: Settings, use: string, findings: Findings): void {
  if (settings.has('access_token')) return;
  if (settings.has('oidc_token_file')) {
    findings.require(['organization_name'], use);
    return;
  }
  const message = `${nameWithVariable('access_token')} or ${nameWithVariable('oidc_token_file')} is required ${use}: a pool token can't do that`;
  findings.problems.push({ message, key: 'access_token' });
}
