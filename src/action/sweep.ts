import { getExecOutput } from '@actions/exec';
import { messageOf } from '../outcome.ts';

/** Milliseconds that a container gets to end by itself, and those that are kept for its removal. */
const GRACE_MS = 12_000;
const REMOVAL_MS = 2_000;

export interface SweepCommand {
  readonly nodePath: string;
  /** Path of the agent's entry. */
  readonly script: string;
  readonly runDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
  /** Gives the sweep up when it aborts. */
  readonly signal: AbortSignal;
}

/** What a sweep found: a sentence for each object it removed. */
export type Sweep = { readonly removed: readonly string[] } | { readonly problem: string };

/**
 * Removes what a dead agent left behind, once it had its time to end by itself. Idempotent. Never throws: a sweep that fails
 * is told in `problem`.
 */
export async function sweep(command: SweepCommand): Promise<Sweep> {
  const { nodePath, script, runDirectory, environment, deadlineMs, signal } = command;
  // The first argument is a command line: quoted, so that a path with blanks stays one word.
  const grace = `${Math.max(0, Math.min(GRACE_MS, deadlineMs - REMOVAL_MS))}ms`;
  const run = getExecOutput(`"${nodePath}"`, [script, 'sweep', '--run-directory', runDirectory, '--grace', grace], {
    env: { ...environment },
    silent: true,
    ignoreReturnCode: true,
  });
  const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<undefined>();
  const onAbort = (): void => giveUp(undefined);
  const timer = setTimeout(onAbort, deadlineMs);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const output = await Promise.race([run, givenUp]);
    if (output === undefined) return { problem: `it took longer than ${deadlineMs / 1000} s` };
    if (output.exitCode !== 0) {
      return { problem: lines(output.stderr).at(-1) ?? `it ended with exit code ${output.exitCode}` };
    }
    return { removed: lines(output.stdout) };
  } catch (error) {
    return { problem: messageOf(error) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    run.catch(() => undefined);
  }
}

/** The sentence that tells what a sweep found. */
export function describeSweep(result: Sweep): string {
  if ('problem' in result) {
    return `What the run may have left could not be looked for: ${result.problem}. Look for containers with \`docker ps -a\`.`;
  }
  if (result.removed.length === 0) return 'Nothing was left to remove.';
  return result.removed.join(' ');
}

function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
