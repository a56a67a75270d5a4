import type { z } from 'zod';
import type { Admission } from './allowed.ts';
import { ignored } from './kinds.ts';
import { definitionOf, KEY_NAMES, type KEYS, type KeyName } from './schema.ts';

type Table = typeof KEYS;
type Value<K extends KeyName> = z.output<Table[K]['kind']['schema']>;

/** The keys a configuration holds a value for. */
export type ConfigKey = { [K in KeyName]: [Value<K>] extends [never] ? never : K }[KeyName];

export const CONFIG_KEYS = KEY_NAMES.filter((key): key is ConfigKey => definitionOf(key).kind !== ignored);

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : S;
type Property<K extends ConfigKey> = `${Camel<K>}${Table[K]['kind']['unit']}`;
type Settled = {
  [K in ConfigKey]: Table[K] extends { default: string } | { computedDefault: string } ? K : never;
}[ConfigKey];

/**
 * The agent's configuration: keys in camelCase with their units (`…Ms`, `…Bytes`,
 * `tokenExpirationSeconds`); paths are absolute, and `serviceUrl` has no trailing slash. Keys
 * without a default are optional.
 */
export type AgentConfig = { readonly [K in Settled as Property<K>]: Value<K> } & {
  readonly [K in Exclude<ConfigKey, Settled> as Property<K>]?: Value<K>;
} & Pick<Admission, 'rootLists'> & {
    /** Where the console of a service of one's own is: a host with or without a port. */
    readonly consoleDomain?: string;
  };

/** The property of AgentConfig that `key` sets. */
export function propertyName(key: ConfigKey): Exclude<keyof AgentConfig, 'rootLists' | 'consoleDomain'> {
  const camel = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return `${camel}${definitionOf(key).kind.unit}` as ReturnType<typeof propertyName>; // the type Property says the same
}
