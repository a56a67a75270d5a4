import type { AgentConfig } from './agent-config.ts';
import { type ConfigProblem, describeSetting, problemWith, type Setting } from './problem.ts';
import type { KeyName } from './schema.ts';

/** Every setting by its key. */
export type Settings = ReadonlyMap<KeyName, Setting>;

/** What checks found. */
export interface Findings {
  readonly problems: ConfigProblem[];
  readonly notices: string[];
}

/** The own engine neither serves other work than deployments nor leases it: a lease without an agent would hold that work up. */
export function checkWorkflowTypes(config: Partial<AgentConfig>, settings: Settings, found: Findings): void {
  const { enabledWorkflowTypes, engine } = config;
  const setting = settings.get('enabled_workflow_types');
  if (setting === undefined || enabledWorkflowTypes === undefined) return;
  if (enabledWorkflowTypes.length === 0)
    found.problems.push(problemWith('enabled_workflow_types', setting, 'names no kind of work; add deployment'));
  if (engine !== 'own') return;
  const others = enabledWorkflowTypes.filter((type) => type !== 'deployment').join(' and ');
  if (others === '') return;
  if (setting.isDefault === true) {
    const names = `${describeSetting(setting)} names ${others}`;
    found.notices.push(
      `${names}: this agent serves deployment only; Discovery scans and policy evaluations are Pulumi's own agent's (engine: pulumi).`,
    );
  } else {
    const clause = `names ${others}, which this agent doesn't serve; take it out, or set engine to pulumi`;
    found.problems.push(problemWith('enabled_workflow_types', setting, clause));
  }
}

/** What keeps images out, or starts deployments: who sets it counts on it. */
const RULES = ['allowed_images', 'require_digest', 'trigger'] as const;
/** What our own agent gives to jobs, wherever they run. */
const COMMON = ['memory_soft_limit', 'soft_timeout', 'ca_certificate_in_jobs'] as const;
const LIMITS = {
  docker: [
    ...COMMON,
    ...(['memory', 'num_cpus', 'pids_limit', 'container_network', 'dns_servers', 'extra_capabilities'] as const),
    ...(['cache_volume', 'prepull_images', 'allow_metadata'] as const),
  ],
  kubernetes: [...COMMON, 'kube_context', 'namespace', 'pod_template', 'pod_start_timeout'],
} as const;

/** Pulumi's own agent knows its own settings alone. */
function checkUnknownToPulumi(config: Partial<AgentConfig>, settings: Settings, found: Findings): void {
  const { allowedImages = [], requireDigest = false, trigger = [], deployTarget } = config;
  const isSet = [allowedImages.length > 0, requireDigest, trigger.length > 0];
  for (const [at, key] of RULES.entries()) {
    const setting = settings.get(key);
    const clause =
      "has no effect with the engine pulumi, as Pulumi's agent doesn't know it; take it out, or set engine to own";
    if (isSet[at] && setting !== undefined) found.problems.push(problemWith(key, setting, clause));
  }
  if (deployTarget === undefined) return;
  for (const setting of LIMITS[deployTarget].map((key) => settings.get(key))) {
    if (setting === undefined || setting.isDefault === true) continue;
    const reason = "the engine is pulumi, and what it gives to jobs is up to Pulumi's agent";
    found.notices.push(`${describeSetting(setting)} has no effect: ${reason}.`);
  }
}

/** Pulumi's own agent is supervised for one run, and is either installed or downloaded. */
export function checkEngine(config: Partial<AgentConfig>, settings: Settings, found: Findings): void {
  const { engine, singleRun } = config;
  if (engine === 'pulumi') checkUnknownToPulumi(config, settings, found);
  const setting = settings.get('engine');
  if (engine === 'pulumi' && singleRun === false && setting !== undefined) {
    const clause =
      "is pulumi, which serves single runs only; set single_run to true, or start Pulumi's agent by itself";
    found.problems.push(problemWith('engine', setting, clause));
  }
  const path = settings.get('engine_path');
  if (engine !== 'pulumi' || path === undefined) return;
  for (const key of ['engine_version', 'engine_download_url', 'engine_public_key'] as const) {
    const other = settings.get(key);
    if (other !== undefined && other.isDefault !== true)
      found.notices.push(`${describeSetting(other)} has no effect: ${describeSetting(path)} says where the agent is.`);
  }
}
