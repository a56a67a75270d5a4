/*
 * base/config/: the agent's configuration. Each key has one row; types, checks, help and documents derive from it.
 *
 * Read keys/run.ts (rows), key-definition.ts (a row's fields), kinds.ts (how values are read), this file (the whole table)
 * and agent-config.ts (the type). Then read load.ts, which loads a configuration: config-file.ts reads the file, and
 * trusted-file.ts checks who can write it; cross-checks.ts and engine-limits.ts check the settings against each other, and
 * add to findings.ts; problem.ts words the problems. allowed.ts and stack-pattern.ts decide which stacks may run.
 */

import type { Environment } from '../environment.ts';
import type { KeyDefinition, KeyTable } from './key-definition.ts';
import { ENGINE_KEYS } from './keys/engine.ts';
import { CONTAINER_KEYS, IMAGE_KEYS } from './keys/jobs.ts';
import { KUBERNETES_KEYS } from './keys/kubernetes.ts';
import { PULUMI_KEYS } from './keys/pulumi.ts';
import { HOOK_KEYS, RUN_KEYS, VARIABLE_KEYS } from './keys/run.ts';
import { TRIGGER_KEYS } from './keys/trigger.ts';

/**
 * Every setting of the agent, once, by its property of AgentConfig. Validation, types, the help text
 * and the messages all derive from this table.
 */
export const KEYS = {
  ...PULUMI_KEYS,
  ...ENGINE_KEYS,
  ...RUN_KEYS,
  ...VARIABLE_KEYS,
  ...HOOK_KEYS,
  ...IMAGE_KEYS,
  ...CONTAINER_KEYS,
  ...TRIGGER_KEYS,
  ...KUBERNETES_KEYS,
} as const satisfies KeyTable;

/** A setting's name in the configuration file. */
export type KeyName = (typeof KEYS)[keyof typeof KEYS]['key'];

const DEFINITIONS = Object.fromEntries(
  Object.values(KEYS).map((definition) => [definition.key, definition]),
) as Readonly<Record<KeyName, KeyDefinition>>;

/** Every name in the table, in its order. */
export const KEY_NAMES = Object.keys(DEFINITIONS) as readonly KeyName[];

/** The definition of `key`, including its optional fields. */
export function definitionOf(key: KeyName): KeyDefinition {
  return DEFINITIONS[key];
}

/** The environment variables that set `key`. */
export function environmentNames(key: KeyName): readonly string[] {
  return definitionOf(key).environment ?? [`PULUMI_AGENT_${key.toUpperCase()}`];
}

/** The setting of `key` in the environment, trimmed, with its variable's name. Undefined if it isn't set: blank counts as unset. */
export function environmentSetting(environment: Environment, key: KeyName) {
  for (const name of environmentNames(key)) {
    const written = environment[name]?.trim();
    if (written) return { written, name };
  }
  return undefined;
}

/** The text of `key` in the environment, as an absolute path if it is one relative to `from`. Undefined if it isn't set. */
export function environmentText(environment: Environment, key: KeyName, from: string): string | undefined {
  const text = environmentSetting(environment, key)?.written;
  return text === undefined ? undefined : (definitionOf(key).kind.locate?.(text, from) ?? text);
}

/** A key with its environment variable: `token (PULUMI_AGENT_TOKEN)`. */
export function nameWithVariable(key: KeyName): string {
  return `${key} (${environmentNames(key)[0]})`;
}

/** True for a setting of Pulumi's own agent. */
export function isOfficial(key: KeyName): boolean {
  return Object.values(PULUMI_KEYS).some((definition) => definition.key === key);
}

/** True for the name of a key, in the file or among the flags. */
export function isKey(name: string): name is KeyName {
  return Object.hasOwn(DEFINITIONS, name);
}
