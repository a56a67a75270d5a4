import { join } from 'node:path';
import { z } from 'zod';
import { askCredentialHelper, type RegistryLogin } from './credential-helper.ts';
import { configFolder, readConfig } from './docker-config.ts';
import { textOf } from './errors.ts';

export interface LoginSources {
  /** Where DOCKER_CONFIG and HOME are read from; credential helpers get it too. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Told what stood in the way; the pull then goes on without a login, as the Docker CLI's does. */
  readonly onTrouble: (sentence: string) => void;
}

/** How the Docker CLI names Docker Hub in its configuration; the shorter ones are what people write. */
const HUB_NAMES = ['https://index.docker.io/v1/', 'index.docker.io', 'docker.io'];

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

/**
 * The host's login for a registry, as `docker login` and the clouds' credential helpers leave it in the Docker CLI's configuration:
 * a helper for the registry first, then the one for all of them, then the file itself. Undefined when there is none. Never throws
 * but the signal's reason.
 */
export async function hostLogin(registry: string, sources: LoginSources): Promise<RegistryLogin | undefined> {
  const { environment, signal, onTrouble } = sources;
  const folder = configFolder(environment);
  if (folder === undefined) return undefined;
  const file = join(folder, 'config.json');
  let config: z.infer<typeof fileSchema>;
  try {
    config = fileSchema.parse(readConfig(file) ?? {});
  } catch (error) {
    const reason = error instanceof z.ZodError || error instanceof SyntaxError ? 'it is not one' : textOf(error);
    onTrouble(`Failed to read the Docker configuration for ${registry}: ${file}: ${reason}. Correct it, or remove it.`);
    return undefined;
  }
  signal.throwIfAborted();
  const names = registry === 'docker.io' ? HUB_NAMES : [registry];
  const address = names[0] ?? registry;
  const helper = names.map((name) => config.credHelpers?.[name]).find((found) => found) ?? config.credsStore;
  if (helper) {
    try {
      const login = await askCredentialHelper(helper, address, environment, signal);
      if (login !== undefined) return login;
    } catch (error) {
      signal.throwIfAborted();
      onTrouble(textOf(error));
    }
  }
  const entry = Object.entries(config.auths ?? {}).find(
    ([name]) => names.includes(name) || names.includes(hostOf(name)),
  );
  return entry === undefined ? undefined : loginOf(entry[1]);
}

function loginOf({ auth, username, password, identitytoken }: z.infer<typeof entrySchema>): RegistryLogin | undefined {
  if (identitytoken) return { identitytoken };
  if (username && password) return { username, password };
  // `docker login` writes base64 of user:password; a password may hold colons.
  const [, user, secret] =
    /^([^:]+):(.+)$/s.exec(
      Buffer.from(auth ?? '', 'base64')
        .toString('utf8')
        .replace(/\0+$/, ''),
    ) ?? [];
  return user === undefined || secret === undefined ? undefined : { username: user, password: secret };
}

/** `https://host:port/v1/` → `host:port`. */
function hostOf(name: string): string {
  return name.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
}
