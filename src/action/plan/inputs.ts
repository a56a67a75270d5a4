import { resolve } from 'node:path';
import type { AgentConfig } from '../../config/agent-config.ts';
import { loadConfig } from '../../config/load.ts';
import { ConfigError } from '../../config/problem.ts';
import { agentSettings, audienceOf, inputText } from '../input-text.ts';
import { type InputSources, inInputTerms, isWritten, overrideName, variables } from '../inputs.ts';
import { caCertificateInput } from '../own-trust.ts';

/** The input that is the plan's own, and the agent's setting for it. */
const PLAN_INPUT = { input: 'max', key: 'plan_max' } as const;

export interface PlanInputs {
  /** As the agent will see it. */
  readonly config: AgentConfig;
  readonly configFile?: string;
  /** Sentences for what was passed over in the file and the environment. */
  readonly warnings: readonly string[];
  /** Environment variables that tell the agent what the inputs say. */
  readonly agentVariables: Readonly<Record<string, string>>;
  /** The audience to ask the job's ID token for; undefined when something else authenticates. */
  readonly idTokenAudience?: string;
}

/**
 * The inputs of plan/, checked together with what the environment and the file say.
 * @throws ConfigError with every problem at once
 */
export async function readPlanInputs(sources: InputSources): Promise<PlanInputs> {
  const { environment, idTokenFile, checkoutDirectory } = sources;
  const named = inputText(environment, 'config-file');
  const configFile = named === '' ? '' : resolve(checkoutDirectory, named);
  const search = { ...sources, ...(configFile !== '' && { file: configFile }) };
  const others = await Promise.all(
    (['access_token', 'oidc_token_file'] as const).map((key) => isWritten(key, search, environment)),
  );
  const usesIdToken = !others.includes(true);
  const [caCertificate, max] = [caCertificateInput(environment, checkoutDirectory), inputText(environment, 'max')];
  const overrides = {
    ...agentSettings(environment),
    ...(caCertificate !== '' && { ca_certificate: caCertificate }),
    ...(max !== '' && { [PLAN_INPUT.key]: max }),
    ...(usesIdToken && { oidc_token_file: idTokenFile }),
  };
  const nameOf = (key: string) => (key === PLAN_INPUT.key ? `input ${PLAN_INPUT.input}` : overrideName(key));
  try {
    const { config, warnings } = await loadConfig({ ...search, overrides, overrideName: nameOf, purpose: 'plan' });
    return {
      config,
      warnings,
      ...(configFile !== '' && { configFile }),
      agentVariables: variables(overrides),
      ...(usesIdToken && { idTokenAudience: config.oidcAudience ?? audienceOf(config.organizationName ?? '') }),
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(error.problems.map(inInputTerms), { warnings: error.warnings });
  }
}
