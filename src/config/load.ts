import { messageOf } from '../outcome.ts';
import type { AgentConfig, ConfigKey } from './agent-config.ts';
import { CONFIG_KEYS, propertyName } from './agent-config.ts';
import { parseConfigFile } from './config-file.ts';
import { checkTogether } from './cross-checks.ts';
import { nearest } from './edit-distance.ts';
import { ConfigError, type ConfigProblem } from './problem.ts';
import { quoteValue } from './quote.ts';
import { definitionOf, environmentNames, fileKey, KEY_NAMES, type KeyName } from './schema.ts';
import { findConfigFile, type SearchSources } from './search-path.ts';
import { describeSetting, type Origin, problemWith, type Setting } from './setting.ts';
import type { Purpose } from './trigger-checks.ts';
import { isListType, parseItem, parseValue, splitList, type Value } from './value.ts';

const VARIABLE_PREFIX = 'PULUMI_AGENT_';

export interface ConfigSources extends SearchSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** By key; of higher rank than a built-in default, of lower rank than everything else. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** By key: flags; of the highest rank. */
  readonly overrides?: Readonly<Record<string, string>>;
  /** What messages call the override of a key; `--max-wait` for max_wait unless given. */
  readonly overrideName?: (key: string) => string;
  /** Pulumi Cloud will not be asked for anything: no way to authenticate is needed, nor looked at. */
  readonly offline?: boolean;
  /** What it is loaded for: a run unless given. */
  readonly purpose?: Purpose;
}

export interface LoadedConfig {
  readonly config: AgentConfig;
  /** Sentences for what was passed over, such as a key that is not known. */
  readonly warnings: readonly string[];
  /** Sentences worth a line in the log; nothing is wrong. */
  readonly notices: readonly string[];
  /** The file that was read, if one was. */
  readonly file?: string;
  readonly origins: Readonly<Record<ConfigKey, Origin>>;
}

/**
 * The agent's configuration from flags, environment, file and defaults, in that order of rank. Blank counts as unset.
 * Only the value that counts is checked: a bad one in the file that the environment overrides does no harm.
 * Files are read with synchronous calls: this runs once, before anything else.
 * @throws ConfigError with every problem at once
 */
export async function loadConfig(sources: ConfigSources): Promise<LoadedConfig> {
  const found = findConfigFile(sources);
  const contents =
    found.file !== undefined && found.text !== undefined ? parseConfigFile(found.file, found.text) : undefined;
  const problems: ConfigProblem[] = [...found.problems, ...(contents?.problems ?? []), ...unknownKeys(sources)];
  const warnings = [...(contents?.warnings ?? []), ...unknownVariables(sources.environment)];
  const notices: string[] = [...found.notices];

  const settings = new Map<KeyName, Setting>();
  for (const key of KEY_NAMES) {
    const setting = written(key, sources) ?? contents?.settings.get(key) ?? fallback(key, sources);
    if (setting !== undefined) settings.set(key, setting);
  }

  const values = new Map<KeyName, Value>();
  for (const [key, setting] of settings) {
    const read = readSetting(key, setting, sources.workingDirectory);
    problems.push(...read.problems);
    if (read.value !== undefined) values.set(key, read.value);
    const { noEffect } = definitionOf(key);
    if (noEffect !== undefined) notices.push(`${describeSetting(setting)} ${noEffect}.`);
  }
  // partial while there are problems; each value was read as its own row of the table says
  const given: Partial<AgentConfig> = Object.fromEntries(
    CONFIG_KEYS.filter((key) => values.has(key)).map((key) => [propertyName(key), values.get(key)]),
  );
  notices.push(...onOtherTargets(settings, given.deployTarget));
  const { pollingIntervalMs = 0, jobStatusLoopIntervalMs = 0 } = given;
  const config: Partial<AgentConfig> = {
    workingDirectory: sources.agentDirectory,
    healthThresholdMs: 2 * Math.max(pollingIntervalMs, jobStatusLoopIntervalMs),
    ...given,
  };
  const together = checkTogether(config, settings, sources, {
    ...(found.file !== undefined && { file: found.file }),
    fileUsable: found.problems.length === 0 && contents?.usable !== false,
    offline: sources.offline === true,
    purpose: sources.purpose ?? 'run',
  });
  problems.push(...together.problems);
  if (problems.length > 0) throw new ConfigError(problems, { warnings });
  return {
    config: Object.freeze(config as AgentConfig),
    warnings,
    notices: [...notices, ...together.notices],
    ...(found.file !== undefined && { file: found.file }),
    origins: Object.fromEntries(CONFIG_KEYS.map((key) => [key, settings.get(key)?.origin ?? 'default'])) as Record<
      ConfigKey,
      Origin
    >,
  };
}

/** A notice for each setting that was made for another target than the one that is used. */
function onOtherTargets(
  settings: ReadonlyMap<KeyName, Setting>,
  used: AgentConfig['deployTarget'] | undefined,
): string[] {
  const names = { docker: 'Docker', kubernetes: 'Kubernetes' };
  return [...settings].flatMap(([key, setting]) => {
    const { target } = definitionOf(key);
    if (target === undefined || target === used || used === undefined || setting.origin === 'default') return [];
    return [`${describeSetting(setting)} only acts on the ${names[target]} target, so it has no effect here.`];
  });
}

/** What a flag or the environment says of `key`. */
function written(
  key: KeyName,
  { overrides = {}, environment, overrideName = flagName }: ConfigSources,
): Setting | undefined {
  const override = Object.hasOwn(overrides, key) ? overrides[key]?.trim() : undefined;
  if (override) return { content: { text: override }, origin: 'override', name: overrideName(key) };
  for (const name of environmentNames(key)) {
    const text = environment[name]?.trim();
    if (text)
      return { content: { text: withUnit(text, definitionOf(key).plainUnit?.[name]) }, origin: 'environment', name };
  }
  return undefined;
}

function withUnit(text: string, unit: string | undefined): string {
  return unit !== undefined && /^\d+(\.\d+)?$/.test(text) ? `${text}${unit}` : text;
}

/** What the caller's or the built-in default says of `key`. */
function fallback(key: KeyName, { defaults = {} }: ConfigSources): Setting | undefined {
  const given = Object.hasOwn(defaults, key) ? defaults[key]?.trim() : undefined;
  const text = given || definitionOf(key).default;
  return text === undefined ? undefined : { content: { text }, origin: 'default', name: `the default of ${key}` };
}

function flagName(key: string): string {
  return `--${key.replaceAll('_', '-')}`;
}

function readSetting(
  key: KeyName,
  setting: Setting,
  workingDirectory: string,
): { value?: Value; problems: ConfigProblem[] } {
  const definition = definitionOf(key);
  const { content } = setting;
  const reading = { definition, workingDirectory };
  const wrong = (clause: string) => ({ problems: [problemWith(key, setting, clause)] });
  if (definition.type === 'none') return { problems: [] };
  if ('shape' in content) {
    if (definition.type === 'template' && content.shape === 'mapping')
      try {
        return { value: { text: content.source(), name: setting.file ?? setting.name }, problems: [] };
      } catch (error) {
        return wrong(`can't be read: ${messageOf(error)}`);
      }
    return wrong(isListType(definition.type) ? 'must be a plain list' : `must be one value, not a ${content.shape}`);
  }
  if (isListType(definition.type)) {
    const items = 'items' in content ? content.items : splitList(content.text).map((text) => ({ text }));
    const list = new Set<string>();
    const problems: ConfigProblem[] = [];
    for (const item of items) {
      const parsed = parseItem(item.text, reading);
      if ('problem' in parsed)
        problems.push(problemWith(key, setting, parsed.problem, 'line' in item ? item : undefined));
      else list.add(item.text);
    }
    return problems.length > 0 ? { problems } : { value: [...list], problems };
  }
  if ('items' in content) return wrong('must be one value, not a list');
  const parsed = parseValue(content.text, reading);
  if ('problem' in parsed) return wrong(parsed.problem);
  if (definition.unbuilt?.some((choice) => choice === parsed.value)) {
    const built = definition.choices?.filter((choice) => definition.unbuilt?.includes(choice) !== true) ?? [];
    return wrong(`${quoteValue(content.text)} is not supported yet; use ${built.join(' or ')}`);
  }
  return { value: parsed.value, problems: [] };
}

function unknownKeys({ overrides = {}, defaults = {}, overrideName = flagName }: ConfigSources): ConfigProblem[] {
  const unknown = (given: Readonly<Record<string, string>>) =>
    Object.keys(given).filter((name) => fileKey(name) === undefined);
  return [
    ...unknown(overrides).map((key) => ({ message: `${overrideName(key)} is not a known setting`, key })),
    ...unknown(defaults).map((key) => ({ message: `the default of ${key} is for no known setting`, key })),
  ];
}

function unknownVariables(environment: ConfigSources['environment']): string[] {
  const known = KEY_NAMES.flatMap(environmentNames).filter((name) => name.startsWith(VARIABLE_PREFIX));
  // Without what all of them begin with: it would make any two names alike.
  const ends = known.map((name) => name.slice(VARIABLE_PREFIX.length));
  return Object.keys(environment)
    .filter((name) => name.startsWith(VARIABLE_PREFIX) && !known.includes(name))
    .sort()
    .map((name) => {
      const near = nearest(name.slice(VARIABLE_PREFIX.length), ends);
      const hint = near === undefined ? '.' : `; did you mean ${VARIABLE_PREFIX}${near}?`;
      return `${name} is not a known setting and has no effect${hint}`;
    });
}
