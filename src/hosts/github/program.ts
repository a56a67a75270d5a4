import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { flush } from '../../flush.ts';
import { ownOwner } from '../../record/owner.ts';
import type { Context, Step } from './host.ts';

const FLUSH_MS = 500;

/**
 * Runs a phase of the action as the program that this process is. Returns the exit code to end it with: an artifact upload that was
 * given up would keep it alive. `program` is the path of the program's file in dist/.
 */
export async function runProgram(
  phase: (step: Step) => Promise<number>,
  process: NodeJS.Process,
  context: Context,
  program: string,
): Promise<number> {
  const cancellation = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => cancellation.abort(new Error(`The CI job was cancelled (${signal}).`)));
  }
  // The runner is gone: what is left to do is to end the run gracefully.
  process.stdout.on('error', () => undefined);
  const { env: environment } = process;
  const exitCode = await phase({
    owner: ownOwner(),
    environment,
    context,
    cancelled: cancellation.signal,
    stdout: process.stdout,
    checkoutDirectory: process.cwd(),
    homeDirectory: homedir(),
    temporaryDirectory: environment['RUNNER_TEMP'] ?? tmpdir(),
    nodePath: process.execPath,
    agentScript: join(dirname(program), '../agent/index.js'),
    now: () => Date.now(),
  });
  await flush(process.stdout, FLUSH_MS);
  return exitCode;
}

/** A late failure of something that was given up already, as a command for the console. */
export function lateFailure(level: 'error' | 'warning', { message }: Error): string {
  return `::${level}::Failed to go on with the action: ${message.replaceAll('%', '%25').replace(/\s+/g, ' ')}\n`;
}
