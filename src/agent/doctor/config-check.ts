import { homedir } from 'node:os';
import type { AgentConfig } from '../../config/agent-config.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { ConfigError, describeProblem } from '../../config/problem.ts';
import { CONFIG_FILE_NAME, searchDirectories } from '../../config/search-path.ts';
import type { Redactor } from '../../log/redactor.ts';
import { clause, OutcomeError } from '../../outcome.ts';
import { type AgentFlags, loadAgentConfig, type Surroundings, secretsOf } from '../configuration.ts';
import type { Checked, Examination, Finding } from './examination.ts';

export interface ConfigSources {
  readonly flags: AgentFlags;
  readonly surroundings: Surroundings;
  /** Told the secrets that the configuration holds. */
  readonly redactor: Redactor;
}

/** Reads file, variables and flags as a run does, and hands the configuration on. */
export function configCheck(examination: Examination, sources: ConfigSources): Checked<AgentConfig> {
  const spec = { id: 'configuration', title: 'Configuration', outcome: 'config-error', deadlineMs: 10_000 } as const;
  return examination.check(spec, [], () => loaded(sources));
}

async function loaded({ flags, surroundings, redactor }: ConfigSources): Promise<Finding<AgentConfig>> {
  const { config, file, warnings, notices } = configurationOf(flags, surroundings);
  const { environment } = surroundings;
  redactor.add(secretsOf(config, environment));
  const searched = searchDirectories({ ...surroundings, homeDirectory: environment['HOME'] ?? homedir() });
  const where = file ?? `no ${CONFIG_FILE_NAME} in ${searched.join(', ')}; environment and flags alone`;
  // What nobody set is nobody's concern here.
  const told = notices.filter((notice) => !notice.startsWith('the default of '));
  const detail = [where, ...warnings, ...told].map(clause).join('. ');
  return { status: warnings.length > 0 ? 'warning' : 'passed', detail, value: config };
}

function configurationOf(flags: ConfigSources['flags'], surroundings: ConfigSources['surroundings']): LoadedConfig {
  try {
    return loadAgentConfig(flags, surroundings);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // A key that is not known may be the very one that is missing.
    const said = [...error.problems.map(describeProblem), ...error.warnings.map(clause)];
    throw new OutcomeError('config-error', said.join('; ').replace(/[^.?]$/, '$&.'), { cause: error });
  }
}
