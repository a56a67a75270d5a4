import type { KeyType } from './key-definition.ts';
import { definitionOf, KEY_NAMES, type KEYS, type KeyName } from './schema.ts';
import type { TemplateMapping } from './template-setting.ts';

type Table = typeof KEYS;

/** The keys a configuration holds a value for. */
export type ConfigKey = { [K in KeyName]: Table[K]['type'] extends 'none' ? never : K }[KeyName];
export const CONFIG_KEYS = KEY_NAMES.filter((key): key is ConfigKey => definitionOf(key).type !== 'none');

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;
type Unit<T extends KeyType> = T extends 'duration'
  ? 'Ms'
  : T extends 'lifetime'
    ? 'Seconds'
    : T extends 'quantity'
      ? 'Bytes'
      : '';
type Property<K extends ConfigKey> = `${Camel<K>}${Unit<Table[K]['type']>}`;

type Value<D> = D extends { type: 'choice'; choices: readonly (infer C)[] }
  ? C
  : D extends { type: 'choices'; choices: readonly (infer C)[] }
    ? readonly C[]
    : D extends { type: 'names' | 'stacks' | 'images' | 'image-patterns' | 'addresses' }
      ? readonly string[]
      : D extends { type: 'boolean' }
        ? boolean
        : D extends { type: 'template' }
          ? string | TemplateMapping
          : D extends { type: 'count' | 'port' | 'duration' | 'lifetime' | 'quantity' | 'decimal' }
            ? number
            : string;

type Settled = {
  [K in ConfigKey]: Table[K] extends { default: string } | { computedDefault: string } ? K : never;
}[ConfigKey];

/**
 * The agent's configuration: each key in camelCase; durations in milliseconds as `…Ms`, the token's lifetime as
 * `tokenExpirationSeconds`, quantities in bytes as `…Bytes`; paths absolute; `serviceUrl` without a trailing slash. Keys without a default are optional.
 */
export type AgentConfig = {
  readonly [K in Settled as Property<K>]: Value<Table[K]>;
} & { readonly [K in Exclude<ConfigKey, Settled> as Property<K>]?: Value<Table[K]> };

/** The name in AgentConfig of the key `key`. */
export function propertyName(key: ConfigKey): keyof AgentConfig {
  const { type } = definitionOf(key);
  const unit = type === 'duration' ? 'Ms' : type === 'lifetime' ? 'Seconds' : type === 'quantity' ? 'Bytes' : '';
  const camel = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return `${camel}${unit}` as keyof AgentConfig; // the type Property says the same
}

/** The configuration as a log may show it: every secret that is set is replaced by `***`. */
export function redactedConfig(config: AgentConfig): Readonly<Record<string, unknown>> {
  const secrets = new Set(CONFIG_KEYS.filter((key) => definitionOf(key).type === 'secret').map(propertyName));
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => [name, secrets.has(name as keyof AgentConfig) ? '***' : value]),
  );
}
