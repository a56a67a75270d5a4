import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentConfig } from '../config/agent-config.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Names run directories: the configured one for a single run, else a fresh one for each job below it. */
export function runDirectories(
  config: Pick<AgentConfig, 'runDirectory' | 'singleRun'>,
  environment: Environment,
): () => string {
  const base = runsFolder(config, environment);
  if (config.singleRun && config.runDirectory !== undefined) return () => base;
  const fresh = () => join(base, new Date().toISOString().replaceAll(':', '-'));
  if (!config.singleRun) return fresh;
  const only = fresh();
  return () => only;
}

/** The folder that a lasting agent makes its run directories in; other agents may do so too. */
export function runsFolder({ runDirectory }: Pick<AgentConfig, 'runDirectory'>, environment: Environment): string {
  const home = environment['HOME'];
  const state = environment['XDG_STATE_HOME'] ?? (home === undefined ? tmpdir() : join(home, '.local', 'state'));
  return runDirectory ?? join(state, 'pulumi-runner-agent', 'runs');
}

/** True for a name that a fresh run directory can have. */
export function isRunDirectoryName(name: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/.test(name);
}
