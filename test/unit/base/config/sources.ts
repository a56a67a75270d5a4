import { type ConfigSources, type LoadedConfig, loadConfig } from '../../../../src/base/config/load.ts';
import { ConfigError, describeProblem } from '../../../../src/base/config/problem.ts';

export const FILE = '/current/pulumi-workflow-agent.yaml';

/** Empty sources; `text`, if given, is the file in the current directory. Never reads the disk. */
function sources(given: Partial<ConfigSources> & { text?: string | undefined } = {}): ConfigSources {
  const { text, ...rest } = given;
  return {
    environment: {},
    workingDirectory: '/current',
    directories: ['/current', '/elsewhere'],
    readFile: (path) => (path === FILE ? text : undefined),
    ...rest,
  };
}

/** The variables that a complete configuration needs besides `key`. */
export function around(key: string): Record<string, string> {
  if (key === 'token') return {};
  if (key === 'oidc_token_file')
    return { PULUMI_AGENT_ORGANIZATION_NAME: 'acme', PULUMI_AGENT_RUNNER_POOL_ID: 'pool' };
  const token = { PULUMI_AGENT_TOKEN: 'pul-around' };
  if (key === 'engine') return { ...token, PULUMI_AGENT_SINGLE_RUN: 'true' };
  const started = { ...token, PULUMI_AGENT_OPERATION: 'preview', PULUMI_AGENT_ACCESS_TOKEN: 'pul-access' };
  if (key === 'expected_version') return { ...started, PULUMI_AGENT_TRIGGER: 'acme/web/dev' };
  return key === 'trigger' ? started : token;
}

/** Loads a valid configuration. */
export function load(given: Parameters<typeof sources>[0]): LoadedConfig {
  return loadConfig(sources(given));
}

/** Loads an invalid configuration; returns the error. */
export function refusal(given: Parameters<typeof sources>[0]): ConfigError {
  try {
    load(given);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('expected a ConfigError');
}

/** The problems of an invalid configuration, each on one line with its place. */
export function problems(given: Parameters<typeof sources>[0]): string[] {
  return refusal(given).problems.map(describeProblem);
}
