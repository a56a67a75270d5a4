import { getExecOutput } from '@actions/exec';
import { within } from '../../base/deadline.ts';
import { type Environment, setVariables } from '../../base/environment.ts';
import { withoutCredentials } from '../../base/log/credential-shape.ts';
import { saysCredential, secretValues } from '../../base/log/plain-names.ts';
import { Redactor } from '../../base/log/redactor.ts';

/**
 * Runs a short command of a CI system, and shows nothing of it. Returns its output. Throws if it
 * can't be started, fails or takes too long, and the signal's reason; its output on a failure is in
 * the error, without credentials.
 */
export async function runShortCommand(
  command: readonly [string, ...string[]],
  {
    environment,
    signal,
    deadlineMs,
    inputFile = '/dev/null',
  }: {
    readonly environment: Environment;
    readonly signal: AbortSignal;
    /** A program that takes longer is left to itself. */
    readonly deadlineMs: number;
    /** The file that it reads as its standard input: no secret belongs on a command line. */
    readonly inputFile?: string | undefined;
  },
): Promise<{ readonly stdout: string }> {
  const options = { env: setVariables(environment), silent: true, ignoreReturnCode: true };
  // The package's own input ends this process when the program exits without reading it.
  const words = ['-c', 'exec "$@" <"$0"', inputFile, ...command];
  const { exitCode, stdout, stderr } = await within(deadlineMs, signal, () =>
    getExecOutput('sh', words, options),
  );

  if (exitCode !== 0) {
    // A shell's `set -x` or curl's -v shows tokens, and the program can quote a variable of its own.
    const redactor = new Redactor();
    redactor.add(credentialsIn(environment));
    const output = withoutCredentials(redactor.text(stderr.trim()));
    throw new Error(`${command[0]} ended with exit code ${exitCode}: ${output}`);
  }

  return { stdout };
}

/** The values of the variables that say credential, as the CI system has them. */
function credentialsIn(environment: Environment): string[] {
  const named = Object.entries(setVariables(environment)).filter(([name]) => saysCredential(name));
  return secretValues(Object.fromEntries(named), ['*']);
}
