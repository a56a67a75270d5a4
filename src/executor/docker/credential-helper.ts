import { spawn } from 'node:child_process';
import { z } from 'zod';
import { DeadlineError, within } from '../deadline.ts';
import { oneLine } from '../one-line.ts';

/** What a registry is shown. */
export type RegistryLogin =
  | { readonly username: string; readonly password: string }
  | { readonly identitytoken: string };

/** Milliseconds; a cloud's helper asks its token service. */
const ANSWER_MS = 30_000;
const ANSWER_BYTES = 64 * 1024;
/** What helpers say when they work and have nothing (docker/docker-credential-helpers, credentials/error.go). */
const NOTHING = /credentials not found/i;
/** A user name that says that the secret is an identity token (same source). */
const TOKEN_USER = '<token>';

const answerSchema = z.object({ Username: z.string(), Secret: z.string() });

/** A credential helper that could not be asked, or whose answer makes no sense. */
export class CredentialHelperError extends Error {
  override readonly name = 'CredentialHelperError';
}

/**
 * Asks `docker-credential-<name> get` for the login of a registry. Undefined when it has none. Throws CredentialHelperError, and the
 * signal's reason when it aborts; the helper has ended by then.
 */
export async function askCredentialHelper(
  name: string,
  address: string,
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<RegistryLogin | undefined> {
  const program = `docker-credential-${name}`;
  const failed = (reason: string, cause?: unknown) =>
    new CredentialHelperError(
      `Failed to ask ${program} for the login of ${address}: ${reason}. Run \`echo ${address} | ${program} get\` on the runner to see why.`,
      { cause },
    );
  // It is a name in a file: never a path.
  if (!/^[\w.-]+$/.test(name)) throw failed('that is no name of a credential helper');
  let answer: { code: number | null; text: string; complaint: string };
  try {
    answer = await within(ANSWER_MS, signal, (inner) => get(program, address, withoutOwnSecrets(environment), inner));
  } catch (error) {
    signal.throwIfAborted();
    const reason =
      error instanceof DeadlineError ? error.message : error instanceof Error ? oneLine(error.message) : '';
    throw failed(reason, error);
  }
  const { code, text, complaint } = answer;
  if (code !== 0) {
    if (NOTHING.test(text) || NOTHING.test(complaint)) return undefined;
    throw failed(oneLine(complaint || text) || `it ended with code ${code}`);
  }
  const parsed = answerSchema.safeParse(json(text));
  if (!parsed.success) throw failed('its answer makes no sense');
  const { Username: username, Secret: secret } = parsed.data;
  if (secret === '') return undefined;
  return username === TOKEN_USER ? { identitytoken: secret } : { username, password: secret };
}

/** The agent's own settings are none of a helper's business. */
function withoutOwnSecrets(environment: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^(PULUMI_|ACTIONS_|INPUT_)/.test(name)));
}

function get(
  program: string,
  address: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<{ code: number | null; text: string; complaint: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['get'], { env, signal, killSignal: 'SIGKILL', stdio: ['pipe', 'pipe', 'pipe'] });
    const pieces = { text: '', complaint: '' };
    const take = (key: keyof typeof pieces) => (chunk: string) => {
      pieces[key] = (pieces[key] + chunk).slice(0, ANSWER_BYTES);
    };
    child.stdout.setEncoding('utf8').on('data', take('text'));
    child.stderr.setEncoding('utf8').on('data', take('complaint'));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...pieces }));
    // It may end without reading.
    child.stdin.on('error', () => undefined).end(address);
  });
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
