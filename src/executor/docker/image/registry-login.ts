import { type ExecFileException, execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { within } from '../../../base/deadline.ts';
import { type Environment, isWithheld } from '../../../base/environment.ts';
import { withEntry } from '../../../base/error-codes.ts';
import { configFolder, readConfig } from '../engine/endpoint.ts';
import { textOf } from '../engine/errors.ts';

export type RegistryLogin =
  | { readonly username: string; readonly password: string }
  | { readonly identitytoken: string };

/** Docker Hub's name in the Docker CLI's configuration, and the shorter ones that people write. */
const HUB_NAMES = ['https://index.docker.io/v1/', 'index.docker.io', 'docker.io'];

/** Enough for a cloud provider's helper, which calls its token service. */
const HELPER_MS = 30_000;

/**
 * The output of helpers that have no credentials (docker/docker-credential-helpers,
 * credentials/error.go).
 */
const NOTHING = /credentials not found/i;

/** The user name that marks the secret as an identity token (same source). */
const TOKEN_USER = '<token>';

const run = promisify(execFile);

const entrySchema = z.object({
  auth: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
  identitytoken: z.string().optional(),
});

const fileSchema = z.object({
  auths: z.record(z.string(), entrySchema).nullish(),
  credsStore: z.string().nullish(),
  credHelpers: z.record(z.string(), z.string()).nullish(),
});

const answerSchema = z.object({ Username: z.string(), Secret: z.string() });

/**
 * The host's login for a registry from the Docker CLI's configuration: from a credential helper,
 * which gets `environment` too, else from the file itself; undefined without either. Warns of a
 * problem; the pull then goes on without a login, as in the Docker CLI. Throws only the signal's
 * reason.
 */
export async function hostLogin(
  registry: string,
  environment: Environment,
  signal: AbortSignal,
  warn: (sentence: string) => void,
): Promise<RegistryLogin | undefined> {
  const folder = configFolder(environment);
  if (folder === undefined) return undefined;

  const file = join(folder, 'config.json');
  let config: z.infer<typeof fileSchema>;

  try {
    config = fileSchema.parse(readConfig(file) ?? {});
  } catch (error) {
    const reason =
      error instanceof z.ZodError || error instanceof SyntaxError ? 'it is malformed' : textOf(error);
    const sentence = `Failed to read the Docker configuration for ${registry}: ${file}: ${reason}. Correct it, or remove it.`;
    warn(withEntry(sentence, 'PRA-DOCKER-06'));
    return undefined;
  }

  signal.throwIfAborted();

  const names = registry === 'docker.io' ? HUB_NAMES : [registry];
  const address = names[0] ?? registry;
  const helper = names.map((name) => config.credHelpers?.[name]).find((name) => name) ?? config.credsStore;

  if (helper) {
    const program = `docker-credential-${helper}`;
    try {
      const login = await askHelper(program, address, environment, signal);
      if (login !== undefined) return login;
    } catch (error) {
      signal.throwIfAborted();
      const sentence = `Failed to ask ${program} for the login of ${address}: ${textOf(error)}. Run \`echo ${address} | ${program} get\` on the runner to see why.`;
      warn(withEntry(sentence, 'PRA-DOCKER-07'));
    }
  }

  const entries = Object.entries(config.auths ?? {});

  // `https://host:port/v1/` is the entry of `host:port`.
  const bare = (name: string) => name.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
  const entry = entries.find(([name]) => names.includes(name) || names.includes(bare(name)));

  return entry === undefined ? undefined : loginOf(entry[1]);
}

/**
 * Asks a credential helper; undefined if it has no login. Throws its fault, and the
 * signal's reason.
 */
async function askHelper(
  program: string,
  address: string,
  environment: Environment,
  signal: AbortSignal,
): Promise<RegistryLogin | undefined> {
  // It comes from a file and must not be a path.
  if (!/^[\w.-]+$/.test(program)) throw new Error('that is not the name of a credential helper');
  let stdout: string;
  try {
    ({ stdout } = await within(HELPER_MS, signal, (inner) => {
      // The agent's own settings are none of its business.
      const variables = Object.entries(environment).filter(
        ([name]) => !isWithheld(name, environment) && !name.startsWith('PULUMI_'),
      );
      const env = Object.fromEntries(variables);
      const asking = run(program, ['get'], { env, signal: inner, killSignal: 'SIGKILL' });
      // It can exit without reading.
      asking.child.stdin?.on('error', () => undefined).end(address);
      return asking;
    }));
  } catch (error) {
    const { code, signal: killedBy, stdout: output, stderr } = error as Partial<ExecFileException>;
    if (typeof code !== 'number' && !killedBy) throw error;
    if (NOTHING.test(`${output} ${stderr}`)) return undefined;
    // Its output can be a credential: neither the message nor the cause repeats it.
    throw new Error(killedBy ? `${killedBy} ended it` : `it ended with code ${code}`);
  }

  try {
    const { Username: username, Secret: secret } = answerSchema.parse(JSON.parse(stdout));
    if (secret === '') return undefined;
    return username === TOKEN_USER ? { identitytoken: secret } : { username, password: secret };
  } catch {
    throw new Error('its answer is malformed');
  }
}

function loginOf({
  auth,
  username,
  password,
  identitytoken,
}: z.infer<typeof entrySchema>): RegistryLogin | undefined {
  if (identitytoken) return { identitytoken };
  if (username && password) return { username, password };

  // `docker login` writes user:password in base64; a password can contain colons.
  const text = Buffer.from(auth ?? '', 'base64')
    .toString('utf8')
    .replace(/\0+$/, '');
  const [, user, secret] = /^([^:]+):(.+)$/s.exec(text) ?? [];

  return user === undefined || secret === undefined ? undefined : { username: user, password: secret };
}
