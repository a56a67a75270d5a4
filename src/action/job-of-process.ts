import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ownOwner } from '../record/owner.ts';
import type { Job } from './job.ts';

/** What a step's process says of its job. From now on the signals of a cancelled CI job abort `cancelled`. */
export function jobOfProcess(process: NodeJS.Process, environment: Job['environment'], program: string): Job {
  const cancellation = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => cancellation.abort(new Error(`The CI job was cancelled (${signal}).`)));
  }
  // The runner is gone: what is left to do is to end the run in order.
  process.stdout.on('error', () => undefined);
  const agentDirectory = join(dirname(program), '..', 'agent');
  return {
    owner: ownOwner(),
    environment,
    cancelled: cancellation.signal,
    stdout: process.stdout,
    checkoutDirectory: process.cwd(),
    workingDirectory: agentDirectory,
    homeDirectory: homedir(),
    temporaryDirectory: environment['RUNNER_TEMP'] ?? tmpdir(),
    nodePath: process.execPath,
    agentDirectory,
    agentScript: join(agentDirectory, 'index.js'),
    now: () => Date.now(),
  };
}
