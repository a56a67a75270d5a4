import { type ExecFileException, execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Environment } from '../../base/environment.ts';
import { messageOf, OutcomeError } from '../../base/outcome.ts';
import { oneLine } from '../../executor/foreign-text.ts';

/** For a program to print its version. */
const VERSION_MS = 20_000;

/** Characters of its output in a message. */
const MAX_OUTPUT = 400;
const NUMBER = /\bv?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)/;

/**
 * Runs the program with the command `version` and only PATH and HOME of the environment. Returns
 * the version without a leading `v`, or `unknown`. Throws OutcomeError `target-error` if that
 * fails, and the signal's reason.
 */
export async function versionOf(
  program: string,
  { environment, signal }: { readonly environment: Environment; readonly signal: AbortSignal },
): Promise<string> {
  const { PATH = '', HOME = '/' } = environment;
  try {
    const options = {
      env: { PATH, HOME },
      timeout: VERSION_MS,
      killSignal: 'SIGKILL',
      signal,
      cwd: '/',
    } as const;

    const { stdout, stderr } = await promisify(execFile)(program, ['version'], options);
    return NUMBER.exec(`${stdout}\n${stderr}`)?.[1] ?? 'unknown';
  } catch (cause) {
    signal.throwIfAborted();
    const message = `Failed to start Pulumi's agent for the run: ${program} version: ${reasonOf(cause)}.`;
    throw new OutcomeError('target-error', message, { code: 'PRA-ENGINE-06', cause });
  }
}

/** The reason of the failure, with the program's last output or the remedy. */
function reasonOf(error: unknown): string {
  const {
    code,
    killed,
    signal,
    stdout = '',
    stderr = '',
  } = error instanceof Error ? (error as ExecFileException) : {};

  if (code === 'ENOEXEC' || code === 'Unknown system error -8')
    return `it is built for another kind of machine than ${process.platform}-${process.arch} (${code}). Install the one for this machine`;
  if (code === 'EACCES')
    return 'it is not executable (EACCES): its folder may be mounted noexec. Set XDG_CACHE_HOME to a folder where programs can run';

  const words = oneLine((stderr.trim() || stdout.trim()).slice(-MAX_OUTPUT));
  const advice = words === '' ? 'Start it by hand to see why' : `Its last output: ${words}`;
  if (killed === true) return `it didn't end within ${VERSION_MS / 1000} s. ${advice}`;
  if (typeof code === 'number') return `it ended with exit code ${code}. ${advice}`;

  return `${signal ? `it was ended by ${signal}` : messageOf(error)}. ${advice}`;
}
