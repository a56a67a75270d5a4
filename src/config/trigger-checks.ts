import type { AgentConfig } from './agent-config.ts';
import { type ConfigProblem, describeSetting, problemWith, type Setting } from './problem.ts';
import { quoteValue } from './quote.ts';
import { environmentNames, type KeyName } from './schema.ts';
import { isGlob, organizationOf } from './stack-pattern.ts';

type Settings = ReadonlyMap<KeyName, Setting>;

/** What a command needs of Pulumi Cloud: a pool's token, or an access token to start deployments or to read the queue. */
export type Purpose = 'run' | 'trigger' | 'plan';

/** Checks what no single setting of those that start deployments can tell. */
export function checkTrigger(config: Partial<AgentConfig>, settings: Settings, purpose: Purpose): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  if (purpose === 'plan') problems.push(...missing(settings, ['organization_name', 'runner_pool_id'], 'to plan jobs'));
  if (purpose === 'trigger' && config.trigger?.length === 0)
    problems.push({ message: 'no stack is named: give org/project/stack, or set trigger', key: 'trigger' });
  const trigger = settings.get('trigger');
  const wanted = config.trigger ?? [];
  if (trigger === undefined || wanted.length === 0) {
    return purpose === 'plan' ? once([...problems, ...checkAccess(settings, 'to plan jobs')]) : problems;
  }
  const use = `with ${describeSetting(trigger)}`;
  const operation = settings.get('operation');
  if (operation === undefined) problems.push(...missing(settings, ['operation'], use));
  if (operation !== undefined && config.operation === 'destroy' && wanted.some(isGlob)) {
    const pattern = wanted.find(isGlob) ?? '';
    const clause = `is destroy, and ${quoteValue(pattern)} is a pattern; name each stack to destroy in full`;
    problems.push(problemWith('operation', operation, clause));
  }
  return once([...problems, ...checkAccess(settings, use), ...checkOrganization(config, settings, trigger)]);
}

/** The first problem of each key. */
function once(problems: readonly ConfigProblem[]): ConfigProblem[] {
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
export function missing(settings: Settings, keys: readonly KeyName[], use: string): ConfigProblem[] {
  return keys
    .filter((key) => !settings.has(key))
    .map((key) => ({ message: `${key} is required ${use}; set it (or ${environmentNames(key)[0]})`, key }));
}
