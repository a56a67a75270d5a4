import type { AgentConfig } from '../../base/config/agent-config.ts';
import { isGlob, organizationOf, stackNamed } from '../../base/config/stack-pattern.ts';
import { within } from '../../base/deadline.ts';
import { plainText } from '../../base/log/plain-text.ts';
import { messageOf } from '../../base/outcome.ts';
import { counted } from '../../base/quantity.ts';
import type { OrganizationApi } from '../../cloud/organization-api.ts';
import type { Finding } from './examination.ts';

/** The most stacks to ask about. */
const MAX_STACKS = 10;

/** The most pools or agents to name, and the characters of a name. */
const MAX_NAMED = 10;
const MAX_NAME = 100;

/** Time for a check here; then it ends as not checked. */
const ADVICE_MS = 15_000;

/** More than that, so that the examination doesn't fail the check. */
export const ADVICE_DEADLINE_MS = ADVICE_MS + 5_000;

/** Whether the pool exists, what it is called, and which agents are on it. Throws the signal's reason. */
export async function poolCheck(
  { runnerPoolId: id, trigger, organizationName = trigger.map(organizationOf)[0] }: AgentConfig,
  api: OrganizationApi,
  signal: AbortSignal,
): Promise<Finding> {
  if (id === undefined) return { status: 'skipped', detail: 'no runner_pool_id is configured' };
  if (organizationName === undefined)
    return { status: 'skipped', detail: 'no organization_name is configured' };

  return advised(signal, async (limited) => {
    const pool = await api.pool(organizationName, id, limited);
    if ('others' in pool) {
      const others =
        pool.others.length > 0 ? `its pools are ${few(pool.others.map(poolName))}` : 'it has none';
      return {
        status: 'warning',
        detail: `this access token sees no pool ${id} in ${organizationName}: ${others}.`,
      };
    }
    const { agents, isDefault } = pool;
    const name = plainText(pool.name ?? id, MAX_NAME);
    const online = agents.filter(({ status }) => status === 'online');
    const names = online.map(({ hostname = '' }) => plainText(hostname, MAX_NAME) || 'unnamed');
    const which = isDefault ? ", the organization's default" : '';
    const named = names.length > 0 ? ` (${few(names)})` : '';
    return { status: 'passed', detail: `${name}${which}: ${counted(online.length, 'agent')} online${named}` };
  });
}

/**
 * Whether the deployments of the stacks that `trigger` names in full go to this pool, and none is
 * paused. Throws the signal's reason.
 */
export async function stacksCheck(
  config: AgentConfig,
  api: OrganizationApi,
  signal: AbortSignal,
): Promise<Finding> {
  const all = config.trigger.filter((pattern) => !isGlob(pattern));
  if (all.length === 0) return { status: 'skipped', detail: 'trigger has only patterns' };
  const named = all.slice(0, MAX_STACKS);
  const shown = counted(named.length, 'stack');
  const stacks = all.length === named.length ? shown : `the first ${shown} of ${all.length}`;

  const facts: StackFacts = { troubles: new Set(), unread: new Set(), open: new Set(named) };
  return advised(
    signal,
    async (limited) => {
      await readStacks(config, api, facts, limited);
      return stacksFinding(facts, stacks);
    },
    (why) => {
      const unread = new Set([`${few([...facts.open])}: ${why}`, ...facts.unread]);
      return stacksFinding({ ...facts, unread }, stacks);
    },
  );
}

/** The finding of `facts` about `stacks`, in words. */
function stacksFinding({ troubles, unread }: StackFacts, stacks: string): Finding {
  const [first, ...others] = unread;
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';

  if (troubles.size > 0) {
    const rest = first === undefined ? '' : ` Not checked: ${first}${more}`;
    return { status: 'warning', detail: `${[...troubles].join('; ')}.${rest}` };
  }
  if (first !== undefined) return notChecked(`${first}${more}`);
  return { status: 'passed', detail: `${stacks} with this pool, none paused` };
}

/** Clauses, without repetition: what is true of an organization is found at each of its stacks. */
interface StackFacts {
  /** What keeps the deployments of stacks from this pool. */
  readonly troubles: Set<string>;
  /** What could not be read. */
  readonly unread: Set<string>;
  /** The stacks that are left to read. */
  readonly open: Set<string>;
}

/** Reads the open stacks into `facts`, which keep what is found if the time ends first. */
async function readStacks(
  { runnerPoolId: id, triggerSettings }: AgentConfig,
  api: OrganizationApi,
  { troubles, unread, open }: StackFacts,
  signal: AbortSignal,
): Promise<void> {
  /** The stacks whose settings name no pool, by their organization. */
  const withoutPool = new Map<string, string[]>();

  const read = async <T>(reading: Promise<T>, use: (value: T) => void, unknown = ''): Promise<void> => {
    try {
      use(await reading);
    } catch (error) {
      signal.throwIfAborted();
      unread.add(`${unknown}${messageOf(error)}`);
    }
  };

  const sentPool = poolIn(triggerSettings);
  if (id === undefined) unread.add('the pools: no runner_pool_id is configured');
  else if (sentPool === null)
    troubles.add("trigger_settings sends the deployments to Pulumi's hosted runners");
  else if (sentPool !== undefined && sentPool !== id)
    troubles.add('trigger_settings sends the deployments to another pool');

  for (const name of [...open]) {
    const stack = stackNamed(name);
    const { organization } = stack;

    if (id !== undefined && sentPool === undefined)
      await read(api.poolOf(stack, signal), (pool) => {
        if (pool === undefined)
          withoutPool.set(organization, [...(withoutPool.get(organization) ?? []), name]);
        else if (pool !== id) troubles.add(`${name} has the pool ${plainText(pool, MAX_NAME)}`);
      });

    await read(api.pauseOf(stack, signal), ({ stackPaused, organizationPaused }) => {
      if (stackPaused) troubles.add(`${name} is paused, so its deployments wait`);
      if (organizationPaused) troubles.add(`the deployments of ${organization} are paused, so they wait`);
    });
    if (withoutPool.get(organization)?.includes(name) !== true) open.delete(name);
  }

  for (const [organization, names] of withoutPool) {
    const clause = `the settings of ${names.join(', ')} name no pool, so their deployments go to`;
    await read(
      api.defaultPool(organization, signal),
      (pool) => {
        if (pool === undefined)
          troubles.add(`${clause} Pulumi's hosted runners, as ${organization} has no default pool`);
        else if (pool.id !== id) troubles.add(`${clause} the organization's default pool, ${poolName(pool)}`);
      },
      `${clause} the organization's default, which may be another: `,
    );
    for (const name of names) open.delete(name);
  }
}

/**
 * The pool in settings that are sent with each start, null for Pulumi's hosted runners; a Go service
 * ignores the case of names.
 */
function poolIn(settings: AgentConfig['triggerSettings']): string | null | undefined {
  const [, pool] =
    Object.entries(settings ?? {}).find(([name]) => name.toLowerCase() === 'agentpoolid') ?? [];
  return pool === null || (typeof pool === 'string' && pool !== '') ? pool : undefined;
}

const notChecked = (why: string): Finding => ({ status: 'unknown', detail: `not checked: ${why}` });

/**
 * The finding of a check that a run doesn't need: `unfinished` if its token lacks the right to ask, or
 * the service takes too long. Throws the signal's reason.
 */
async function advised(
  signal: AbortSignal,
  find: (limited: AbortSignal) => Promise<Finding>,
  unfinished: (why: string) => Finding = notChecked,
): Promise<Finding> {
  try {
    return await within(ADVICE_MS, signal, find);
  } catch (error) {
    signal.throwIfAborted();
    return unfinished(messageOf(error));
  }
}

/** A pool by name and ID. */
const poolName = ({ id, name }: { readonly id: string; readonly name: string }): string =>
  `${plainText(name, MAX_NAME)} (${plainText(id, MAX_NAME)})`;

/** The first few names, and the number of the others. */
function few(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `${names.slice(0, MAX_NAMED).join(', ')}${more}`;
}
