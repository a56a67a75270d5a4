import { isLoopback } from '../loopback.ts';
import { matchesName } from '../name-pattern.ts';
import { byteCount } from '../quantity.ts';
import type { AgentConfig } from './agent-config.ts';
import { brokenRule, rulesOf } from './allowed.ts';
import { type ConfigFile, MACHINE_FILE } from './config-file.ts';
import { formatDuration } from './duration.ts';
import { Findings, type Settings } from './findings.ts';
import { softMemoryBytes } from './keys/jobs.ts';
import { describeSetting, quoteValue } from './problem.ts';
import { definitionOf, environmentNames, type KeyName } from './schema.ts';
import { isGlob, organizationOf, stackNamed } from './stack-pattern.ts';

/**
 * The purpose of a command. It decides the token: the pool's, an access token to start deployments
 * or read the queue, or none, so that authentication is neither required nor checked.
 */
export type Purpose = 'run' | 'trigger' | 'plan' | 'offline';

/** The values that could be read; problems with the others are already reported. */
type Config = Partial<AgentConfig>;

export interface CheckOptions {
  readonly purpose: Purpose;
  /** The name in messages of a setting that is missing. */
  readonly missingName: (key: KeyName) => string;
}

/**
 * Cross-checks settings. What `config` lacks is already reported; with an unusable file, nothing is
 * called missing.
 */
export function checkTogether(
  config: Config,
  settings: Settings,
  configFile: ConfigFile,
  { purpose, missingName }: CheckOptions,
): Findings {
  const found = new Findings(settings, missingName);
  checkExecutor(config, settings, found);
  if (purpose === 'run') checkAuthentication(settings, configFile, found);
  if (purpose !== 'offline' && configFile.usable) checkTrigger(config, settings, purpose, found);
  checkWorkflowTypes(config, settings, found);
  if (purpose === 'run' && config.engine === 'pulumi') checkEngine(config, settings, found);
  if (purpose !== 'offline') checkAllowed(config, found);
  checkServiceUrl(config, found);
  checkWaits(config, found);
  checkImages(config, found);
  checkMemory(config, settings, found);
  checkVariables(config, found);

  return found;
}

/** Why metadata services can't be blocked, and what to do. */
const OPEN_METADATA = {
  kubernetes:
    "can't be enforced on Kubernetes, where the cluster's network decides: block 169.254.169.254 for jobs' pods with a NetworkPolicy (docs/kubernetes/identity.md)",
  pulumi:
    "can't be enforced with the engine pulumi, whose agent makes jobs' containers itself: block 169.254.169.254 on the host, or set engine to own",
} as const;

/** Adds a notice for each setting that only acts on another target than the configured one. */
function checkExecutor({ deployTarget, allowMetadata }: Config, settings: Settings, found: Findings): void {
  const names = { docker: 'Docker', kubernetes: 'Kubernetes' };
  for (const key of settings.keys()) {
    const { target } = definitionOf(key);
    if (target === undefined || deployTarget === undefined || target === deployTarget) continue;
    if (key === 'allow_metadata' && allowMetadata === false) found.warning(key, OPEN_METADATA.kubernetes);
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
    const message = `no way to authenticate: set ${named('token')} or ${named('oidc_token_file')} (${looked})`;
    found.problems.push({ message, key: 'token' });
  }
}

/** A key with its environment variable. */
function named(key: KeyName): string {
  return `${key} (${environmentNames(key)[0]})`;
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

/**
 * The own engine serves only deployments, and leases nothing else: leased but unserved work would
 * be held up.
 */
function checkWorkflowTypes(
  { enabledWorkflowTypes, engine }: Config,
  settings: Settings,
  found: Findings,
): void {
  if (enabledWorkflowTypes?.length === 0) found.problem('enabled_workflow_types', 'is empty; add deployment');
  const others = enabledWorkflowTypes?.filter((type) => type !== 'deployment').join(' and ') ?? '';
  if (engine !== 'own' || others === '') return;

  const setting = settings.get('enabled_workflow_types');
  if (setting?.isDefault === true) {
    const names = `${describeSetting(setting)} names ${others}`;
    found.defaultNotices.push(
      `${names}: this agent serves deployment only; Discovery scans and policy evaluations need Pulumi's own agent (engine: pulumi).`,
    );
  } else {
    const clause = `names ${others}, which this agent doesn't serve; remove it, or set engine to pulumi`;
    found.problem('enabled_workflow_types', clause);
  }
}

/** Settings that our own agent applies to jobs on any target. */
const COMMON = ['memory_soft_limit', 'soft_timeout', 'ca_certificate_in_jobs'] as const;
const LIMITS = {
  docker: [
    ...COMMON,
    ...([
      'memory',
      'num_cpus',
      'pids_limit',
      'container_network',
      'dns_servers',
      'extra_capabilities',
    ] as const),
    ...(['cache_volume', 'prepull_images', 'allow_metadata'] as const),
  ],
  kubernetes: [...COMMON, 'kube_context', 'namespace', 'pod_template', 'pod_start_timeout'],
} as const;

const UNKNOWN_TO_PULUMI =
  "has no effect with the engine pulumi, as Pulumi's agent doesn't know it; remove it, or set engine to own";

/**
 * Pulumi's agent knows only its own settings, is supervised in single runs only, and is installed
 * or downloaded.
 */
function checkEngine(config: Config, settings: Settings, found: Findings): void {
  const {
    allowedImages = [],
    requireDigest = false,
    trigger = [],
    deployTarget,
    singleRun,
    allowMetadata,
  } = config;

  const { engineRelay, secretVariables = [] } = config;

  // Settings that keep images out, confine jobs or start deployments: users count on them.
  if (allowedImages.length > 0) found.problem('allowed_images', UNKNOWN_TO_PULUMI);
  if (requireDigest) found.problem('require_digest', UNKNOWN_TO_PULUMI);
  for (const key of ['container_runtime', 'hook_before_job', 'hook_after_job'] as const)
    found.problem(key, UNKNOWN_TO_PULUMI);
  if (trigger.length > 0) found.problem('trigger', UNKNOWN_TO_PULUMI);

  const reason = "the engine is pulumi, and what it gives to jobs is up to Pulumi's agent";
  for (const key of deployTarget === undefined ? [] : LIMITS[deployTarget])
    if (key === 'allow_metadata' && allowMetadata === false) found.warning(key, OPEN_METADATA.pulumi);
    else found.notice(key, `has no effect: ${reason}`);

  if (singleRun === false) {
    const clause =
      "is pulumi, which serves single runs only; set single_run to true, or start Pulumi's agent by itself";
    found.problem('engine', clause);
  }

  if (engineRelay === false) {
    const clause = 'has no effect while engine_relay is false: nothing then reads the variables of jobs';
    if (secretVariables.length > 0)
      found.problem('secret_variables', `${clause}; remove it, or set engine_relay to true`);
    found.notice('plain_variables', clause);
  }

  const path = settings.get('engine_path');
  for (const key of ['engine_version', 'engine_download_url', 'engine_public_key'] as const)
    if (path !== undefined)
      found.notice(key, `has no effect: ${describeSetting(path)} says where the agent is`);

  if (path !== undefined && settings.has('engine_digest')) {
    const clause = `is of a release's archive, and ${describeSetting(path)} is not verified; remove one of them`;
    found.problem('engine_digest', clause);
  }
}

/** Checks the settings that start deployments against each other. */
function checkTrigger(config: Config, settings: Settings, purpose: Purpose, found: Findings): void {
  const { trigger: wanted = [], operation, organizationName } = config;
  if (purpose === 'plan') {
    found.require(['organization_name', 'runner_pool_id'], 'to plan jobs');
    if (wanted.length === 0) checkAccess(settings, 'to plan jobs', found);
  }

  if (purpose === 'trigger' && config.trigger?.length === 0)
    found.problems.push({
      message: 'no stack is named: name one as org/project/stack, or set trigger',
      key: 'trigger',
    });

  const trigger = settings.get('trigger');
  if (trigger === undefined || wanted.length === 0) return;

  const use = `with ${describeSetting(trigger)}`;
  found.require(['operation'], use);
  checkAccess(settings, use, found);

  // A token from an OIDC exchange belongs to one organization.
  const other = wanted.find(
    (stack) => organizationName !== undefined && organizationOf(stack) !== organizationName,
  );
  if (other !== undefined && !settings.has('access_token')) {
    const clause = `${quoteValue(other)} is not in ${organizationName}, which the OIDC exchange gives a token for; set access_token for others`;
    found.problem('trigger', clause);
  }

  const pattern = wanted.find(isGlob);
  if (operation === 'destroy' && pattern !== undefined)
    found.problem(
      'operation',
      `is destroy, and ${quoteValue(pattern)} is a pattern; name each stack in full`,
    );
}

const NO_LISTS = { allowedStacks: [], allowedOperations: [] };

/**
 * Reports deployments that trigger would start but this runner would refuse; Pulumi's agent checks
 * no lists.
 */
function checkAllowed(config: Config, found: Findings): void {
  const { allowedStacks = [], allowedOperations = [], rootLists, trigger = [], operation, engine } = config;
  const admission = { allowedStacks, allowedOperations, rootLists };

  if (engine === 'pulumi') {
    const clause =
      "is set, and the engine pulumi can't enforce it, as Pulumi's agent doesn't know it; set engine to own";
    for (const { key } of rulesOf({ allowedStacks, allowedOperations })) found.problem(key, clause);
    for (const { key } of rulesOf(rootLists ?? NO_LISTS))
      found.problems.push({ message: `${key} (${MACHINE_FILE}) ${clause}`, key });
  }

  if (operation === undefined) return;

  for (const stack of trigger.filter((each) => !isGlob(each))) {
    const rule = brokenRule(admission, { ...stackNamed(stack), operation, proven: true });
    if (rule === undefined) continue;
    const clause = `would start ${operation} of ${stack}, which ${rule.key} (${rule.values.join(' ')}) does not allow here`;
    found.problem('trigger', clause);
  }
}

/** A pool's token runs jobs, but can neither start deployments nor read the queue. */
function checkAccess(settings: Settings, use: string, found: Findings): void {
  if (settings.has('access_token')) return;
  if (settings.has('oidc_token_file')) {
    found.require(['organization_name'], use);
    return;
  }
  const message = `${named('access_token')} or ${named('oidc_token_file')} is required ${use}: a pool token can't do that`;
  found.problems.push({ message, key: 'access_token' });
}
