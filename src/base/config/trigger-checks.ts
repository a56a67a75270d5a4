import type { AgentConfig } from './agent-config.ts';
import { brokenRule } from './allowed.ts';
import type { Findings, Purpose, Settings } from './findings.ts';
import { describeSetting, quoteValue } from './problem.ts';
import { nameWithVariable } from './schema.ts';
import { isGlob, organizationOf, stackNamed } from './stack-pattern.ts';

/** Checks the settings that start deployments against each other. */
export function checkTrigger(
  config: Partial<AgentConfig>,
  settings: Settings,
  purpose: Purpose,
  found: Findings,
): void {
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

  if (wanted.length === 0) {
    found.notice('trigger_settings', 'has no effect without trigger');
    // Any deployment of the pool would be claimed, and run unchecked.
    found.problem(
      'expected_version',
      'holds only a deployment that trigger starts to a version; name its stack in trigger',
    );
  }

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

  if (wanted.length > 1 || wanted.some(isGlob))
    found.problem(
      'expected_version',
      'is the version of one stack; name that stack alone, and in full, in trigger',
    );

  const pattern = wanted.find(isGlob);
  if (operation === 'destroy' && pattern !== undefined)
    found.problem(
      'operation',
      `is destroy, and ${quoteValue(pattern)} is a pattern; name each stack in full`,
    );
}

/** Reports deployments that trigger would start but this runner would refuse. */
export function checkAllowed(config: Partial<AgentConfig>, found: Findings): void {
  const { allowedStacks = [], allowedOperations = [], rootLists, trigger = [], operation } = config;
  const admission = { allowedStacks, allowedOperations, rootLists };

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
  const message = `${nameWithVariable('access_token')} or ${nameWithVariable('oidc_token_file')} is required ${use}: a pool token can't do that`;
  found.problems.push({ message, key: 'access_token' });
}
