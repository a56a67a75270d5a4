import type { AgentConfig } from '../config/agent-config.ts';
import { homeOf } from '../config/config-file.ts';
import type { Purpose } from '../config/cross-checks.ts';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import { defined } from '../defined.ts';
import { secretValues } from '../log/plain-names.ts';
import type { Redactor } from '../log/redactor.ts';

export interface AgentFlags {
  readonly file?: string;
  /** By key; the file overrides them. */
  readonly defaults: Readonly<Record<string, string>>;
  /** By key; they override everything. */
  readonly overrides: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

/** Where a command of the agent runs. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** The folder that contains the agent's program. */
  readonly agentDirectory: string;
}

/** Loads the configuration as `run` does; its secrets go to `redactor`. Throws ConfigError with every problem. */
export function loadAgentConfig(
  { file, defaults, overrides }: AgentFlags,
  surroundings: Surroundings,
  more: { readonly redactor?: Redactor; readonly purpose?: Purpose } = {},
): LoadedConfig {
  const { redactor, ...how } = more;
  const homeDirectory = homeOf(surroundings.environment);
  const loaded = loadConfig({ ...surroundings, homeDirectory, ...defined({ file }), defaults, overrides, ...how });
  redactor?.add(secretsOf(loaded.config, surroundings.environment));
  return loaded;
}

/** The secrets in the configuration and in the forwarded variables. */
function secretsOf(config: AgentConfig, environment: Surroundings['environment']): string[] {
  const forwarded = config.envForwardAllowlist.map((name) => [name, environment[name] ?? '']);
  const tokens = [config.token, config.accessToken].filter((token) => token !== undefined);
  return [...tokens, ...secretValues(Object.fromEntries(forwarded))];
}
