import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ORPHAN_GRACE_SECONDS } from '../../../src/executor/docker/container/main-process.ts';

interface OrphanOptions {
  readonly image: string;
  readonly labels: object;
  readonly graceSeconds?: number;
  readonly environment?: NodeJS.ProcessEnv;
}

const AGENT = join(import.meta.dirname, 'dying-agent.ts');

/**
 * Kills an agent once its step has printed `up`. Returns its container's ID and the time right before the kill.
 * The step has `graceSeconds` from then, by default what the product gives.
 */
export async function orphan(
  script: string,
  { image, labels, graceSeconds = ORPHAN_GRACE_SECONDS, environment = {} }: OrphanOptions,
): Promise<{ id: string; killed: number }> {
  const agent = spawn(process.execPath, [AGENT, image, JSON.stringify(labels), script], {
    env: { ...process.env, ...environment, ORPHAN_GRACE: String(graceSeconds) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  let id: string | undefined;
  for await (const chunk of agent.stdout) {
    output += String(chunk);
    id = /^[0-9a-f]{64}$/m.exec(output)?.[0];
    if (id !== undefined && output.includes('up\n')) break;
  }
  if (id === undefined) throw new Error(`the agent ended before its step ran: ${output}`);
  const exited = once(agent, 'exit');
  const killed = performance.now();
  agent.kill('SIGKILL');
  await exited;
  return { id, killed };
}
