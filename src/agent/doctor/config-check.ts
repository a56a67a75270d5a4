import { homedir } from 'node:os';
import type { AgentConfig } from '../../config/agent-config.ts';
import { CONFIG_FILE_NAME, searchDirectories } from '../../config/config-file.ts';
import { ConfigError, describeProblem } from '../../config/problem.ts';
import type { Redactor } from '../../log/redactor.ts';
import { clause, OutcomeError } from '../../outcome.ts';
import { type AgentFlags, loadAgentConfig, type Surroundings } from '../configuration.ts';
import type { Checked, Examination } from './examination.ts';

/** What all other checks start from. */
export interface CheckSources {
  readonly config: Checked<AgentConfig>;
  readonly environment: Surroundings['environment'];
  /** Gets the secrets that turn up. */
  readonly redactor: Redactor;
}

interface ConfigSources {
  readonly flags: AgentFlags;
  readonly surroundings: Surroundings;
  readonly redactor: Redactor;
}

/** Reads file, variables and flags as a run does, and hands the configuration on. */
export function configCheck(
  examination: Examination,
  { flags, surroundings, redactor }: ConfigSources,
): Promise<Checked<AgentConfig>> {
  const spec = { id: 'configuration', title: 'Configuration', outcome: 'config-error', deadlineMs: 10_000 } as const;
  return examination.check<AgentConfig>(spec, [], () => {
    const { config, file, warnings, notices } = configurationOf(flags, surroundings, redactor);
    const { environment } = surroundings;
    const searched = searchDirectories({ ...surroundings, homeDirectory: environment['HOME'] ?? homedir() });
    const where = file ?? `no ${CONFIG_FILE_NAME} in ${searched.join(', ')}; environment and flags alone`;
    // A default is no setting that a user could correct.
    const told = notices.filter((notice) => !notice.startsWith('the default of '));
    const detail = [where, ...warnings, ...told].map(clause).join('. ');
    return { status: warnings.length > 0 ? 'warning' : 'passed', detail, value: config };
  });
}

function configurationOf(flags: AgentFlags, surroundings: Surroundings, redactor: Redactor) {
  try {
    return loadAgentConfig(flags, surroundings, { redactor });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // A key that is not known may be the very one that is missing.
    const said = [...error.problems.map(describeProblem), ...error.warnings.map(clause)];
    throw new OutcomeError('config-error', said.join('; ').replace(/[^.?]$/, '$&.'), {
      cause: error,
      code: error.code,
    });
  }
}
