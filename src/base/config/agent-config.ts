import type { z } from 'zod';
import type { AllowedLists } from './allowed.ts';
import type { KeyDefinition, KeyTable } from './key-definition.ts';
import { ignored } from './kinds.ts';
import { KEYS } from './schema.ts';

type Table = typeof KEYS;
type Value<Row extends KeyDefinition> = z.output<Row['kind']['schema']>;

/** The properties that the table declares for a value: all but those of ignored keys. */
export type ConfigProperty = {
  [P in keyof Table]: [Value<Table[P]>] extends [never] ? never : P;
}[keyof Table];

/** The properties that have a default. */
type PresetProperty = {
  [P in ConfigProperty]: Table[P] extends { default: string } | { computedDefault: string } ? P : never;
}[ConfigProperty];

// Both are generic in the table, so that the language service leads from a property to its row, and renames both.
type Values<T extends KeyTable, P extends keyof T> = { readonly [K in P]: Value<T[K]> };
type OptionalValues<T extends KeyTable, P extends keyof T> = { readonly [K in P]?: Value<T[K]> | undefined };

/**
 * The agent's configuration: the properties of the table's rows, with their units (`…Ms`, `…Bytes`,
 * `tokenExpirationSeconds`); paths are absolute, and `serviceUrl` has no trailing slash. Keys
 * without a default are optional.
 */
export interface AgentConfig
  extends Values<Table, PresetProperty>,
    OptionalValues<Table, Exclude<ConfigProperty, PresetProperty>> {
  /** The lists of a file that only root can write. */
  readonly rootLists?: AllowedLists | undefined;
  /** Where the console of a service of one's own is: a host with or without a port. */
  readonly consoleDomain?: string | undefined;
}

/** The keys a configuration holds a value for. */
export type ConfigKey = Table[ConfigProperty]['key'];

/** The property of AgentConfig that each of these keys sets. */
export const CONFIG_PROPERTIES = Object.fromEntries(
  Object.entries(KEYS).flatMap(([property, { key, kind }]) => (kind === ignored ? [] : [[key, property]])),
) as Readonly<Record<ConfigKey, ConfigProperty>>;

export const CONFIG_KEYS = Object.keys(CONFIG_PROPERTIES) as readonly ConfigKey[];

/**
 * The audience of the ID token and of its exchange: as configured, else the one that Pulumi Cloud
 * expects for the organization (protocol section 1). Undefined without either.
 */
export function audienceOf({ oidcAudience, organizationName }: Partial<AgentConfig>): string | undefined {
  return oidcAudience ?? (organizationName === undefined ? undefined : `urn:pulumi:org:${organizationName}`);
}
