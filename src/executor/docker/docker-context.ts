import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ExecutorUnavailableError } from '../executor.ts';
import { configFolder, readConfig } from './docker-config.ts';
import { textOf } from './errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The engine that a context of the Docker CLI stands for. */
export interface DockerContext {
  readonly name: string;
  /** As in DOCKER_HOST; empty for the default socket. */
  readonly host: string;
  /** Where its `ca.pem`, `cert.pem` and `key.pem` are, if it has any. */
  readonly certificates: string;
}

/**
 * The context that the Docker CLI would use where DOCKER_HOST is not set: DOCKER_CONTEXT, else the one that `docker context use` chose
 * (Docker Desktop and Colima do that). Undefined for the default one. Throws ExecutorUnavailableError when it can't be used.
 * The layout of its store: docker/cli, cli/context/store.
 */
export function currentContext(environment: Environment): DockerContext | undefined {
  const folder = configFolder(environment);
  const name = environment['DOCKER_CONTEXT'] || (folder === undefined ? undefined : chosen(folder));
  if (name === undefined || name === '' || name === 'default' || folder === undefined) return undefined;
  const id = createHash('sha256').update(name).digest('hex');
  const file = join(folder, 'contexts', 'meta', id, 'meta.json');
  const unusable = (reason: string, cause?: unknown) =>
    new ExecutorUnavailableError(
      `Failed to read the Docker context ${JSON.stringify(name)} for the Docker target: ${reason}. See docker context ls, or set DOCKER_HOST.`,
      { cause },
    );
  let meta: unknown;
  try {
    meta = readConfig(file);
  } catch (error) {
    throw unusable(`${file}: ${textOf(error)}`, error);
  }
  if (meta === undefined) throw unusable('there is no such context');
  const engine = at(at(meta, 'Endpoints'), 'docker');
  if (engine === undefined) throw unusable('it names no Docker engine');
  const [host, unverified] = [at(engine, 'Host'), at(engine, 'SkipTLSVerify')];
  // The job's secrets go over this connection.
  if (unverified === true) throw unusable("it does not verify the engine's certificate, which this agent always does");
  return {
    name,
    host: typeof host === 'string' ? host : '',
    certificates: join(folder, 'contexts', 'tls', id, 'docker'),
  };
}

/** What can't be read chooses nothing, as for the Docker CLI, which warns and goes on. */
function chosen(folder: string): string | undefined {
  try {
    const name = at(readConfig(join(folder, 'config.json')), 'currentContext');
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}

/** By hand, as it is read at every start: the schemas' library is for what only some runs read. */
function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
