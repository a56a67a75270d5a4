import type { AgentConfig } from '../../base/config/agent-config.ts';
import { isGlob, organizationOf, stackNamed } from '../../base/config/stack-pattern.ts';
import { plainText } from '../../base/log/plain-text.ts';
import { messageOf } from '../../base/outcome.ts';
import { counted } from '../../base/quantity.ts';
import type { OrganizationApi } from '../../cloud/organization-api.ts';
import type { Finding } from './examination.ts';

/** The most stacks to ask about. */
const MAX_STACKS = 10;

/** The most pools to name, and the characters of a name. */
const MAX_POOLS = 10;
const MAX_NAME = 100;

/** A finding that says why something wasn't checked: the right to ask is one that a run doesn't need. */
const notChecked = (error: unknown): Finding => ({
  status: 'unknown',
  detail: `not checked: ${messageOf(error)}`,
});

/** Whether the pool exists, what it is called, and which agents are on it. Throws the signal's reason. */
export async function poolCheck(
  { runnerPoolId: id, organizationName, trigger: [pattern = ''] }: AgentConfig,
  api: OrganizationApi,
  signal: AbortSignal,
): Promise<Finding> {
  if (id === undefined) return { status: 'skipped', detail: 'no runner_pool_id is configured' };
  try {
    const organization = organizationName ?? organizationOf(pattern);
    const pool = await api.pool(organization, id, signal);
    if ('others' in pool) {
      const others = pool.others.length > 0 ? `its pools are ${namesOf(pool.others)}` : 'it has none';
      return { status: 'warning', detail: `${organization} shows no pool ${id}: ${others}.` };
    }
    const { agents, isDefault } = pool;
    const name = plainText(pool.name ?? id, MAX_NAME);
    const online = agents.filter(({ status }) => status === 'online').length;
    const which = isDefault ? ", the organization's default" : '';
    return { status: 'passed', detail: `${name}${which}: ${counted(online, 'agent')} online` };
  } catch (error) {
    signal.throwIfAborted();
    return notChecked(error);
  }
}

/** Whether the stacks that `trigger` names in full have this pool, and none is paused. Throws the signal's reason. */
export async function stacksCheck(
  { runnerPoolId: id, trigger }: AgentConfig,
  api: OrganizationApi,
  signal: AbortSignal,
): Promise<Finding> {
  const named = trigger.filter((pattern) => !isGlob(pattern)).slice(0, MAX_STACKS);
  if (named.length === 0) return { status: 'skipped', detail: 'trigger has patterns alone' };
  const troubles: string[] = [];
  try {
    for (const name of named) {
      const stack = stackNamed(name);
      const pool = await api.poolOf(stack, signal);
      const { deployments } = await api.deploymentsOf(stack, signal);
      if (id !== undefined && pool !== undefined && pool !== id)
        troubles.push(`${name} has the pool ${pool}`);
      if (deployments[0]?.paused === true) troubles.push(`${name} is paused, so its deployments wait`);
    }
  } catch (error) {
    signal.throwIfAborted();
    return notChecked(error);
  }
  if (troubles.length > 0) return { status: 'warning', detail: `${troubles.join('; ')}.` };
  return { status: 'passed', detail: `${counted(named.length, 'stack')} without another pool, none paused` };
}

/** The first few pools by name and ID, and the number of the others. */
function namesOf(pools: readonly { readonly id: string; readonly name: string }[]): string {
  const more = pools.length > MAX_POOLS ? ` and ${pools.length - MAX_POOLS} more` : '';
  const names = pools
    .slice(0, MAX_POOLS)
    .map(({ id, name }) => `${plainText(name, MAX_NAME)} (${plainText(id, MAX_NAME)})`);
  return `${names.join(', ')}${more}`;
}
