import { defined } from '../defined.ts';
import type { Environment } from '../environment.ts';
import { type AgentConfig, CONFIG_KEYS, CONFIG_PROPERTIES, type ConfigKey } from './agent-config.ts';
import type { Admission, Rule } from './allowed.ts';
import { type ConfigFile, type FileSources, readConfigFile } from './config-file.ts';
import { crossCheck } from './cross-checks.ts';
import type { Purpose, Settings } from './findings.ts';
import type { Kind } from './key-definition.ts';
import {
  ConfigError,
  type ConfigProblem,
  describeSetting,
  nearest,
  problemWith,
  type Setting,
} from './problem.ts';
import { definitionOf, environmentNames, environmentSetting, KEY_NAMES, type KeyName } from './schema.ts';

const VARIABLE_PREFIX = 'PULUMI_AGENT_';

export interface ConfigSources extends FileSources {
  /** The file, if it has been read already. */
  readonly configFile?: ConfigFile | undefined;
  readonly environment: Environment;
  /** The machine's file, whose lists of what may run count besides all others; absent: none do. */
  readonly machineFile?: ConfigFile | undefined;
  /** By key; they override the built-in defaults, and everything else overrides them. */
  readonly defaults?: Readonly<Partial<Record<KeyName, string>>> | undefined;
  /** Flags, by key; they override everything else. */
  readonly overrides?: Readonly<Partial<Record<KeyName, string>>> | undefined;
  /** The name of a key's override in messages; when absent, `--max-wait` for max_wait. */
  readonly overrideName?: ((key: KeyName) => string) | undefined;
  /** The name of a missing setting in messages; the key when absent. */
  readonly missingName?: ((key: KeyName) => string) | undefined;
  /** The command that the configuration is loaded for; `run` when absent. */
  readonly purpose?: Purpose | undefined;
  /** Problems that the caller has found itself: they are thrown with those found here. */
  readonly extraProblems?: readonly ConfigProblem[] | undefined;
}

export interface LoadedConfig {
  readonly config: AgentConfig;
  /** Sentences about what was ignored, such as an unknown key. */
  readonly warnings: readonly string[];
  /** Sentences worth a line in the log; nothing is wrong. */
  readonly notices: readonly string[];
  /** Notices about defaults, which nobody has to correct. */
  readonly defaultNotices: readonly string[];
  readonly file?: string | undefined;
  /** Says that there is no file, and where it was searched for. */
  readonly absence: string;
}

/**
 * Loads the agent's configuration from flags, environment, file and defaults, in that order of
 * precedence; only the value that counts is checked. Blank counts as unset. Reads files
 * synchronously. Throws ConfigError with every problem at once.
 */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const { purpose = 'run', missingName = (key: KeyName) => key, extraProblems = [] } = sources;
  const { machineFile, workingDirectory, file, directories, readFile } = sources;
  const configFile = sources.configFile ?? readConfigFile({ workingDirectory, file, directories, readFile });
  const problems: ConfigProblem[] = [...configFile.problems];
  const warnings = [...configFile.warnings, ...unknownVariables(sources.environment)];
  const notices: string[] = [...configFile.notices];

  const settings = new Map<KeyName, Setting>();

  for (const key of KEY_NAMES) {
    const written = override(key, sources) ?? variable(key, sources) ?? configFile.settings.get(key);
    const setting = written ?? fallback(key, sources);
    if (setting === undefined) continue;
    settings.set(key, setting);
    const { noEffect } = definitionOf(key);
    if (noEffect !== undefined) notices.push(`${describeSetting(setting)} ${noEffect}.`);
  }

  /** The value of `key`; undefined if it isn't set, or can't be read, which is a problem. */
  const read = (key: ConfigKey, from: Settings) => {
    const setting = from.get(key);
    if (setting === undefined) return undefined;
    const result = readValue(definitionOf(key).kind, setting.written, workingDirectory);
    for (const clause of result.problems ?? []) problems.push(problemWith(key, setting, clause));
    return result.value;
  };

  // Partial while there are problems; each value was read by its own row of the table.
  const values: Partial<AgentConfig> = defined(
    Object.fromEntries(CONFIG_KEYS.map((key) => [CONFIG_PROPERTIES[key], read(key, settings)])),
  );
  const { pollingIntervalMs = 0, jobStatusLoopIntervalMs = 0 } = values;

  // An unreadable guard must not be ignored, unless a search of the command found that very file.
  if (machineFile !== undefined && (machineFile.file !== configFile.file || sources.configFile !== undefined))
    problems.push(
      ...machineFile.problems.filter(({ message, file }) =>
        problems.every((one) => one.message !== message || one.file !== file),
      ),
    );

  const { PULUMI_CONSOLE_DOMAIN: domain = '' } = sources.environment;
  const consoleDomain = /^[\w.-]+(?::\d{1,5})?$/.test(domain) ? domain : undefined;
  if (domain !== '' && consoleDomain === undefined)
    warnings.push('PULUMI_CONSOLE_DOMAIN is not a host with or without a port, and has no effect.');

  const rootLists = machineFile && listsOf((key) => read(key, machineFile.settings));
  const config = {
    healthThresholdMs: 2 * Math.max(pollingIntervalMs, jobStatusLoopIntervalMs),
    ...values,
    rootLists,
    consoleDomain,
  };

  const findings = crossCheck({ config, settings, configFile, purpose, missingName });

  problems.push(...findings.problems, ...extraProblems);
  if (problems.length > 0) throw new ConfigError(problems, warnings);

  notices.push(...findings.notices);
  warnings.push(...findings.warnings);

  return {
    config: Object.freeze(config as AgentConfig),
    warnings,
    notices,
    defaultNotices: findings.defaultNotices,
    file: configFile.file,
    absence: configFile.absence,
  };
}

/** The lists of the machine's file; undefined without any. */
function listsOf(read: (key: ConfigKey) => unknown): Admission['rootLists'] {
  const valuesOf = (key: Rule['key']) => (read(key) ?? []) as readonly string[];
  const lists = {
    allowedStacks: valuesOf('allowed_stacks'),
    allowedOperations: valuesOf('allowed_operations'),
  };
  return Object.values(lists).some((list) => list.length > 0) ? lists : undefined;
}

/**
 * Reads the written value of a setting of this kind; relative paths start at `from`. Returns it, or
 * clauses that say what is wrong with it.
 */
export function readValue(kind: Kind, written: unknown, from: string) {
  const elements: readonly unknown[] = Array.isArray(written) ? written : [];
  if (kind.list && typeof written !== 'string' && !(elements.length > 0 && elements.every(isText)))
    return { problems: ['must be a plain list'] };

  const shape = Array.isArray(written)
    ? 'a list'
    : isText(written) || kind.mapping === true
      ? undefined
      : 'a mapping';

  if (!kind.list && shape !== undefined) return { problems: [`must be one value, not ${shape}`] };

  const { success, data, error } = kind.schema.safeParse(written);
  if (!success) {
    // One clause is enough for a value, or for each element of a list.
    const issues = error.issues.filter(
      ({ path }, index, all) => index === all.findIndex((one) => one.path[0] === path[0]),
    );
    return { problems: issues.map(({ message }) => message) };
  }

  return { value: isText(data) ? (kind.locate?.(data, from) ?? data) : data };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** The setting of `key` from a flag. */
function override(
  key: KeyName,
  { overrides = {}, overrideName = flagName }: ConfigSources,
): Setting | undefined {
  const written = overrides[key]?.trim();
  return written ? { written, name: overrideName(key) } : undefined;
}

const flagName = (key: KeyName): string => `--${key.replaceAll('_', '-')}`;

/** The setting of `key` from the environment. */
function variable(key: KeyName, { environment }: ConfigSources): Setting | undefined {
  const setting = environmentSetting(environment, key);
  if (setting === undefined) return undefined;
  const { written, name } = setting;
  const unit = /^\d+(\.\d+)?$/.test(written) ? (definitionOf(key).plainUnit?.[name] ?? '') : '';
  return { written: `${written}${unit}`, name };
}

/** The setting of `key` from the caller's defaults, or the built-in one. */
function fallback(key: KeyName, { defaults = {} }: ConfigSources): Setting | undefined {
  const written = defaults[key]?.trim() || definitionOf(key).default;
  return written === undefined ? undefined : { written, isDefault: true, name: `the default of ${key}` };
}

function unknownVariables(environment: ConfigSources['environment']): string[] {
  const names = KEY_NAMES.flatMap(environmentNames).filter((name) => name.startsWith(VARIABLE_PREFIX));

  // Compare without the common prefix, which would make any two names alike.
  const ends = names.map((name) => name.slice(VARIABLE_PREFIX.length));
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith(VARIABLE_PREFIX) && !names.includes(name),
  );

  return unknown.sort().map((name) => {
    const near = nearest(name.slice(VARIABLE_PREFIX.length), ends);
    const hint = near === undefined ? '.' : `; did you mean ${VARIABLE_PREFIX}${near}?`;
    return `${name} is not a known setting and has no effect${hint}`;
  });
}
