import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { context } from '@actions/github';
import { flush } from '../../flush.ts';
import { ownOwner } from '../../record/owner.ts';
import type { Step } from './host.ts';

const FLUSH_MS = 500;

/**
 * Runs a phase of the action as the program that this process is, and ends the process with its exit code: an artifact upload that
 * was given up keeps its sockets open. `program` is the path of the program's file in dist/. An uncaught exception of something that
 * was given up ends the phase where `late` is `error`; where it is `warning` the phase goes on.
 */
export async function runProgram(
  phase: (step: Step) => Promise<number>,
  program: string,
  late: 'error' | 'warning' = 'error',
): Promise<never> {
  const { stdout, env: environment } = process;
  const cancellation = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => cancellation.abort(new Error(`The CI job was cancelled (${signal}).`)));
  }
  process.on('uncaughtException', ({ message }) => {
    const text = message.replaceAll('%', '%25').replace(/\s+/g, ' ');
    stdout.write(`::${late}::Failed to go on with the action: ${text}\n`, () => late === 'error' && process.exit(1));
  });
  // The runner is gone: what is left to do is to end the run gracefully.
  stdout.on('error', () => undefined);
  const exitCode = await phase({
    owner: ownOwner(),
    environment,
    context,
    cancelled: cancellation.signal,
    stdout,
    checkoutDirectory: process.cwd(),
    homeDirectory: homedir(),
    temporaryDirectory: environment['RUNNER_TEMP'] ?? tmpdir(),
    nodePath: process.execPath,
    agentScript: join(dirname(program), '../agent/index.js'),
    now: () => Date.now(),
  });
  await flush(stdout, FLUSH_MS);
  process.exit(exitCode);
}
