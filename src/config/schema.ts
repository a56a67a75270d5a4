import type { KeyDefinition } from './key-definition.ts';
import { CONTAINER_KEYS } from './keys/container.ts';
import { IMAGE_KEYS } from './keys/images.ts';
import { KUBERNETES_KEYS } from './keys/kubernetes.ts';
import { PULUMI_KEYS } from './keys/pulumi.ts';
import { RUN_KEYS } from './keys/run.ts';
import { TRIGGER_KEYS } from './keys/trigger.ts';

/**
 * Every setting of the agent, once. Validation, types, the help text and the messages all derive from this table.
 * `extension` marks the keys that are not Pulumi's.
 */
export const KEYS = {
  ...PULUMI_KEYS,
  ...RUN_KEYS,
  ...IMAGE_KEYS,
  ...CONTAINER_KEYS,
  ...TRIGGER_KEYS,
  ...KUBERNETES_KEYS,
} as const satisfies Readonly<Record<string, KeyDefinition>>;

/** Any name in the table. */
export type KeyName = keyof typeof KEYS;
/** Every name in the table, in its order. */
export const KEY_NAMES = Object.keys(KEYS) as readonly KeyName[];

/** The definition of `key`, with the fields it leaves out. */
export function definitionOf(key: KeyName): KeyDefinition {
  return KEYS[key];
}

/** The environment variables that set `key`. */
export function environmentNames(key: KeyName): readonly string[] {
  return definitionOf(key).environment ?? [`PULUMI_AGENT_${key.toUpperCase()}`];
}

/** True for a setting of Pulumi's own agent. */
export function isOfficial(key: KeyName): boolean {
  return definitionOf(key).extension !== true;
}

function isKey(name: string): name is KeyName {
  return Object.hasOwn(KEYS, name);
}

/** The key of that name in the file or among the flags, if there is one. */
export function fileKey(name: string): KeyName | undefined {
  if (!isKey(name)) return undefined;
  return definitionOf(name).environmentOnly === true ? undefined : name;
}
