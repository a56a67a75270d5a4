import { getExecOutput } from '@actions/exec';
import { within } from '../deadline.ts';
import type { Environment } from '../environment.ts';
import { plainText } from '../log/plain-text.ts';
import { clause, messageOf, OutcomeError } from '../outcome.ts';
import type { Host } from '../supervisor/host.ts';

/** Milliseconds that a command can take to print a token. */
const COMMAND_MS = 60_000;

/** Where the flags of `ci` say that the CI job's ID token is. */
export interface IdentityFlags {
  readonly variable?: string | undefined;
  readonly command?: string | undefined;
}

/**
 * Gets the CI job's ID token from the variable or the command that a flag names; undefined without
 * either. Its audience is the CI system's business. It throws OutcomeError `auth-error`.
 */
export function flaggedIdentity(
  { variable, command }: IdentityFlags,
  environment: Environment,
): Host['identityToken'] | undefined {
  if (variable !== undefined) return async () => tokenOf(environment[variable], `the variable ${variable}`);
  if (command === undefined) return undefined;
  const source = 'the command of --identity-token-command';

  return async (_audience, signal) => {
    try {
      const { stdout } = await runShort(['sh', '-c', command], {
        environment,
        signal,
        deadlineMs: COMMAND_MS,
      });
      return tokenOf(stdout, source);
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof OutcomeError) throw cause;
      throw refused(`${source} failed: ${clause(plainText(messageOf(cause)))}`, cause);
    }
  };
}

/** A variable's or a program's token. Throws OutcomeError `auth-error` unless it is a JWT. */
export function tokenOf(text: string | undefined, source: string): string {
  const token = text?.trim() ?? '';
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return token;
  throw refused(`${source} ${token === '' ? 'is empty' : 'has no JSON Web Token'}`);
}

function refused(reason: string, cause?: unknown): OutcomeError {
  const sentence = `Failed to get this job's ID token: ${reason}. Check what the pipeline passes to the step.`;
  return new OutcomeError('auth-error', sentence, { code: 'PRA-AUTH-01', cause });
}

export interface ShortCommand {
  readonly environment: Environment;
  readonly signal: AbortSignal;
  /** Milliseconds; a program that takes longer is left to itself. */
  readonly deadlineMs: number;
  /** Written to its standard input: no secret belongs on a command line. */
  readonly input?: string;
}

/**
 * Runs a short command of a CI system, and shows nothing of it. Returns its output. Throws if it
 * can't be started, fails or takes too long, and the signal's reason.
 */
export async function runShort(
  [program, ...args]: readonly [string, ...string[]],
  { environment, signal, deadlineMs, input = '' }: ShortCommand,
): Promise<{ readonly stdout: string }> {
  const env = Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const options = { env, silent: true, ignoreReturnCode: true, input: Buffer.from(input) };
  const { exitCode, stdout, stderr } = await within(deadlineMs, signal, () =>
    getExecOutput(program, args, options),
  );

  if (exitCode !== 0) throw new Error(`${program} ended with exit code ${exitCode}: ${stderr.trim()}`);
  return { stdout };
}
