import type { AgentConfig } from '../../../src/config/agent-config.ts';
import type { Purpose } from '../../../src/config/findings.ts';
import { loadConfig } from '../../../src/config/load.ts';

/** The configuration from these settings alone, by key: no file and no environment. */
export function configOf(overrides: Readonly<Record<string, string>>, purpose: Purpose = 'run'): AgentConfig {
  return loadConfig({ environment: {}, workingDirectory: '/', overrides, purpose }).config;
}
