import type { AgentConfig } from '../../../src/base/config/agent-config.ts';
import type { Purpose } from '../../../src/base/config/findings.ts';
import { loadConfig } from '../../../src/base/config/load.ts';

/** The configuration from these settings alone, by key: no file and no environment. */
export function configOf(overrides: Readonly<Record<string, string>>, purpose: Purpose = 'run'): AgentConfig {
  return loadConfig({ environment: {}, workingDirectory: '/', overrides, purpose }).config;
}
