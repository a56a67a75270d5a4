import type { Environment } from '../../base/environment.ts';
import { plainText } from '../../base/log/plain-text.ts';
import { clause, messageOf, OutcomeError } from '../../base/outcome.ts';
import type { Host } from '../host.ts';
import { runShortCommand } from './short-command.ts';

/** The time that a command can take to print a token. */
const COMMAND_MS = 60_000;

/**
 * Gets the CI job's ID token from the variable or the command that a flag names; undefined without
 * either. Its audience is the CI system's business. It throws OutcomeError `auth-error`.
 */
export function idTokenFromFlags(
  { variable, command }: { readonly variable?: string | undefined; readonly command?: string | undefined },
  environment: Environment,
): Host['requestIdToken'] | undefined {
  if (variable !== undefined)
    return async () => parseIdToken(environment[variable], `the variable ${variable}`);
  if (command === undefined) return undefined;
  return idTokenFromProgram(
    () => ['sh', '-c', command],
    'the command of --identity-token-command',
    environment,
  );
}

/**
 * Gets the CI job's ID token from a program that prints it; `commandFor` returns its command line
 * for an audience. It throws OutcomeError `auth-error`.
 */
export function idTokenFromProgram(
  commandFor: (audience: string) => readonly [string, ...string[]],
  source: string,
  environment: Environment,
): Host['requestIdToken'] {
  return async ({ audience }, signal) => {
    try {
      const { stdout } = await runShortCommand(commandFor(audience), {
        environment,
        signal,
        deadlineMs: COMMAND_MS,
      });
      return parseIdToken(stdout, source);
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof OutcomeError) throw cause;
      throw refused(`${source} failed: ${clause(plainText(messageOf(cause)))}`, cause);
    }
  };
}

/** A variable's or a program's token. Throws OutcomeError `auth-error` unless it is a JWT. */
export function parseIdToken(text: string | undefined, source: string): string {
  const token = text?.trim() ?? '';
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return token;
  throw refused(`${source} ${token === '' ? 'is empty' : 'has no JSON Web Token'}`);
}

function refused(reason: string, cause?: unknown): OutcomeError {
  const sentence = `Failed to get this job's ID token: ${reason}. Check what the pipeline passes to the step.`;
  return new OutcomeError('auth-error', sentence, { code: 'PRA-AUTH-01', cause });
}
