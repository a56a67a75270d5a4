import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentConfig } from '../config/agent-config.ts';

/** Names run directories: the configured one for a single run, else a fresh one for each job below it. */
export function runDirectories(
  config: Pick<AgentConfig, 'runDirectory' | 'singleRun'>,
  environment: Readonly<Record<string, string | undefined>>,
): () => string {
  const home = environment['HOME'];
  const state = environment['XDG_STATE_HOME'] ?? (home === undefined ? tmpdir() : join(home, '.local', 'state'));
  const base = config.runDirectory ?? join(state, 'pulumi-runner-agent', 'runs');
  if (config.singleRun && config.runDirectory !== undefined) return () => base;
  const fresh = () => join(base, new Date().toISOString().replaceAll(':', '-'));
  if (!config.singleRun) return fresh;
  const only = fresh();
  return () => only;
}
