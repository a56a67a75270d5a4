import { homedir } from 'node:os';
import type { AgentConfig } from '../config/agent-config.ts';
import type { Purpose } from '../config/cross-checks.ts';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import { secretValues } from '../log/plain-names.ts';
import type { AgentFlags } from './cli.ts';

/** Where a command of the agent runs. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** The folder that the agent's program lies in. */
  readonly agentDirectory: string;
}

/** The configuration as `run` would read it. Throws ConfigError with every problem at once. */
export function loadAgentConfig(
  flags: AgentFlags,
  { environment, workingDirectory, agentDirectory }: Surroundings,
  more: { readonly offline?: boolean; readonly purpose?: Purpose } = {},
): LoadedConfig {
  return loadConfig({
    environment,
    workingDirectory,
    homeDirectory: environment['HOME'] ?? homedir(),
    agentDirectory,
    ...(flags.file === undefined ? {} : { file: flags.file }),
    defaults: flags.defaults,
    overrides: flags.overrides,
    ...more,
  });
}

/** What of the configuration and of the forwarded variables no output may show. */
export function secretsOf(config: AgentConfig, environment: Surroundings['environment']): string[] {
  const forwarded = config.envForwardAllowlist.map((name) => [name, environment[name] ?? '']);
  const tokens = [config.token, config.accessToken].filter((token) => token !== undefined);
  return [...tokens, ...secretValues(Object.fromEntries(forwarded))];
}
