import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { context } from '@actions/github';
import { sharedSteady } from '../../../base/clock.ts';
import { flush } from '../../../base/flush.ts';
import { allowSlowHandshakes } from '../../../base/network/handshakes.ts';
import { ownOwner } from '../../../base/owner.ts';
import type { ActionPhase } from './host.ts';

const FLUSH_MS = 500;

/** Between two looks for the runner. */
const RUNNER_MS = 1_000;

/**
 * Runs a phase of the action in this process; `program` is its entry file in dist/. Returns the
 * exit code, with which the entry must exit: an abandoned upload keeps its sockets open. An
 * uncaught exception is shown at `uncaughtLevel`; as an `error` it ends the phase. So does the runner's
 * death: with the phase ends the agent's standard input, so it claims nothing more.
 */
export async function runProgram(
  run: (phase: ActionPhase) => Promise<number>,
  program: string,
  environment: NodeJS.ProcessEnv,
  uncaughtLevel: 'error' | 'warning' = 'error',
): Promise<number> {
  allowSlowHandshakes();

  const { stdout } = process;
  const breakdown = Promise.withResolvers<number>();
  const cancellation = new AbortController();

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => cancellation.abort(new Error(`The CI job was cancelled (${signal}).`)));
  }

  process.on('uncaughtException', ({ message }) => {
    const text = message.replaceAll('%', '%25').replace(/\s+/g, ' ');
    stdout.write(`::${uncaughtLevel}::Failed to continue the action: ${text}\n`);
    if (uncaughtLevel === 'error') breakdown.resolve(1);
  });

  stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') breakdown.resolve(1);
  });

  const { ppid } = process;

  // Orphans get another parent. Inside a `container:` the runner's is out of sight, always 0.
  setInterval(() => {
    if (process.ppid !== ppid) breakdown.resolve(1);
  }, RUNNER_MS).unref();

  const exit = run({
    owner: ownOwner(),
    environment,
    context,
    cancelled: cancellation.signal,
    stdout,
    checkoutDirectory: process.cwd(),
    temporaryDirectory: environment['RUNNER_TEMP'] ?? tmpdir(),
    nodePath: process.execPath,
    agentScript: join(dirname(program), '../agent/index.js'),
    now: () => Date.now(),
    steady: sharedSteady,
  });

  const exitCode = await Promise.race([exit, breakdown.promise]);

  await flush(stdout, AbortSignal.timeout(FLUSH_MS));

  return exitCode;
}
