import type { AgentConfig } from './agent-config.ts';
import { rulesOf } from './allowed.ts';
import { MACHINE_FILE } from './config-file.ts';
import type { Findings, Purpose, Settings } from './findings.ts';
import { describeSetting } from './problem.ts';

/** Why metadata services can't be blocked, and what to do. */
const OPEN_METADATA =
  "can't be enforced with the engine pulumi, whose agent makes jobs' containers itself: block 169.254.169.254 on the host, or set engine to own";

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
      'container_mtu',
      'container_subnet',
      'extra_hosts',
      'dns_servers',
      'ulimits',
      'shm_size',
      'extra_capabilities',
    ] as const),
    ...(['cache_volume', 'prepull_images', 'allow_metadata'] as const),
  ],
  kubernetes: [...COMMON, 'kube_context', 'namespace', 'pod_template', 'pod_start_timeout'],
} as const;

/** Settings of our own agent's sign-in, server and reading of results, which Pulumi's agent doesn't have. */
const OWN_ALONE = [
  'oidc_scope',
  'runner_pool_name',
  'access_token',
  'http_server_address',
  'http_server_port',
] as const;

const UNKNOWN_TO_PULUMI =
  "has no effect with the engine pulumi, as Pulumi's agent doesn't know it; remove it, or set engine to own";

/** Checks settings against the engine: each limit of an engine stands in this file. */
export function checkEngine(
  config: Partial<AgentConfig>,
  settings: Settings,
  purpose: Purpose,
  findings: Findings,
): void {
  checkWorkflowTypes(config, settings, findings);
  if (config.engine !== 'pulumi') return;
  if (purpose === 'run') checkPulumi(config, settings, findings);
  if (purpose !== 'offline') checkUnenforced(config, findings);
}

/**
 * The own engine serves only deployments, and leases nothing else: leased but unserved work would
 * be held up.
 */
function checkWorkflowTypes(
  { enabledWorkflowTypes, engine }: Partial<AgentConfig>,
  settings: Settings,
  findings: Findings,
): void {
  if (enabledWorkflowTypes?.length === 0)
    findings.problem('enabled_workflow_types', 'is empty; add deployment');
  const others = enabledWorkflowTypes?.filter((type) => type !== 'deployment').join(' and ') ?? '';
  if (engine !== 'own' || others === '') return;

  const setting = settings.get('enabled_workflow_types');
  if (setting?.isDefault === true) {
    const names = `${describeSetting(setting)} names ${others}`;
    findings.defaultNotices.push(
      `${names}: this agent serves deployment only; Discovery scans and policy evaluations need Pulumi's own agent (engine: pulumi).`,
    );
  } else {
    const clause = `names ${others}, which this agent doesn't serve; remove it, or set engine to pulumi`;
    findings.problem('enabled_workflow_types', clause);
  }
}

/**
 * Pulumi's agent knows only its own settings, is supervised in single runs only, and is installed
 * or downloaded.
 */
function checkPulumi(config: Partial<AgentConfig>, settings: Settings, findings: Findings): void {
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
  if (allowedImages.length > 0) findings.problem('allowed_images', UNKNOWN_TO_PULUMI);
  if (requireDigest) findings.problem('require_digest', UNKNOWN_TO_PULUMI);
  for (const key of ['container_runtime', 'hook_before_job', 'hook_after_job'] as const)
    findings.problem(key, UNKNOWN_TO_PULUMI);
  if (trigger.length > 0) findings.problem('trigger', UNKNOWN_TO_PULUMI);

  const reason = "the engine is pulumi, and what it gives to jobs is up to Pulumi's agent";
  for (const key of deployTarget === undefined ? [] : LIMITS[deployTarget])
    if (key === 'allow_metadata' && allowMetadata === false) findings.warning(key, OPEN_METADATA);
    else findings.notice(key, `has no effect: ${reason}`);

  for (const key of OWN_ALONE) findings.notice(key, 'has no effect with the engine pulumi');

  if (singleRun === false) {
    const clause =
      "is pulumi, which serves single runs only; set single_run to true, or start Pulumi's agent by itself";
    findings.problem('engine', clause);
  }

  if (engineRelay === false) {
    const clause = 'has no effect while engine_relay is false: nothing then reads the variables of jobs';
    if (secretVariables.length > 0)
      findings.problem('secret_variables', `${clause}; remove it, or set engine_relay to true`);
    findings.notice('plain_variables', clause);
  }

  const path = settings.get('engine_path');
  for (const key of ['engine_version', 'engine_download_url', 'engine_public_key'] as const)
    if (path !== undefined)
      findings.notice(key, `has no effect: ${describeSetting(path)} says where the agent is`);

  if (path !== undefined && settings.has('engine_digest')) {
    const clause = `is of a release's archive, and ${describeSetting(path)} is not verified; remove one of them`;
    findings.problem('engine_digest', clause);
  }
}

/** Refuses lists that would seem to protect: Pulumi's agent checks none. */
function checkUnenforced(
  { allowedStacks = [], allowedOperations = [], rootLists }: Partial<AgentConfig>,
  findings: Findings,
): void {
  const clause =
    "is set, and the engine pulumi can't enforce it, as Pulumi's agent doesn't know it; set engine to own";
  for (const { key } of rulesOf({ allowedStacks, allowedOperations })) findings.problem(key, clause);
  for (const { key } of rootLists === undefined ? [] : rulesOf(rootLists))
    findings.problems.push({ message: `${key} (${MACHINE_FILE}) ${clause}`, key });
}
