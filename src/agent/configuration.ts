import { type ProcessContext, readMachineFile, searchDirectories } from '../base/config/config-file.ts';
import type { Purpose } from '../base/config/findings.ts';
import { type LoadedConfig, loadConfig } from '../base/config/load.ts';
import { defined } from '../base/defined.ts';
import { configuredSecrets } from '../base/log/configured-secrets.ts';
import type { Redactor } from '../base/log/redactor.ts';

/** The flags that say which configuration file counts. */
export interface FileFlags {
  readonly file?: string;
  /** False: without `file`, none does. */
  readonly search?: false;
}

export interface AgentFlags extends FileFlags {
  /** By key; the file overrides them. */
  readonly defaults: Readonly<Record<string, string>>;
  /** By key; they override everything. */
  readonly overrides: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Loads the configuration as `run` does; its secrets go to `redactor`. Throws ConfigError with
 * every problem.
 */
export function loadAgentConfig(
  { file, search, defaults, overrides }: AgentFlags,
  surroundings: ProcessContext,
  { redactor, ...how }: { readonly redactor?: Redactor; readonly purpose?: Purpose } = {},
): LoadedConfig {
  const directories = search === false ? [] : searchDirectories(surroundings);
  const machineFile = readMachineFile();
  const sources = { ...surroundings, directories, machineFile, defaults, overrides, ...how };
  const loaded = loadConfig({ ...sources, ...defined({ file }) });
  redactor?.add(configuredSecrets(loaded.config, surroundings.environment));
  return loaded;
}
