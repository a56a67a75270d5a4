import type { AgentConfig } from '../config/agent-config.ts';
import { readMachineFile, type Surroundings, searchDirectories } from '../config/config-file.ts';
import type { Purpose } from '../config/findings.ts';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import { defined } from '../defined.ts';
import { secretValues } from '../log/plain-names.ts';
import type { Redactor } from '../log/redactor.ts';
import { telemetrySecrets } from '../log/telemetry-secrets.ts';

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
  surroundings: Surroundings,
  more: { readonly redactor?: Redactor; readonly purpose?: Purpose } = {},
): LoadedConfig {
  const { redactor, ...how } = more;
  const directories = search === false ? [] : searchDirectories(surroundings);
  const machineFile = readMachineFile();
  const given = { ...surroundings, directories, machineFile, defaults, overrides, ...how };
  const loaded = loadConfig({ ...given, ...defined({ file }) });
  redactor?.add(secretsOf(loaded.config, surroundings.environment));
  return loaded;
}

/** The secrets in the configuration, in the forwarded variables and in OpenTelemetry's. */
function secretsOf(config: AgentConfig, environment: Surroundings['environment']): string[] {
  const forwarded = config.envForwardAllowlist.map((name) => [name, environment[name] ?? '']);
  const tokens = [config.token, config.accessToken].filter((token) => token !== undefined);
  const given = secretValues(Object.fromEntries(forwarded), config.secretVariables);
  return [...tokens, ...given, ...telemetrySecrets(environment)];
}
