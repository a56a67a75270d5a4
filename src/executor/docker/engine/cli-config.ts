import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../../../outcome.ts';
import { ExecutorUnavailableError } from '../../executor.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The engine that a context of the Docker CLI stands for. */
export interface DockerContext {
  readonly name: string;
  /** As in DOCKER_HOST; empty for the default socket. */
  readonly host: string;
  /** Folder of its `ca.pem`, `cert.pem` and `key.pem`, if it has any. */
  readonly certificates: string;
}

const choiceSchema = z.object({ currentContext: z.string().optional() });
const contextSchema = z.object({
  Endpoints: z.object({
    docker: z.object({ Host: z.string().optional(), SkipTLSVerify: z.boolean().optional() }).optional(),
  }),
});

/** The folder of the Docker CLI's configuration: DOCKER_CONFIG, else `.docker` at home; undefined without a home. */
export function configFolder(environment: Environment): string | undefined {
  const home = environment['HOME'];
  return environment['DOCKER_CONFIG'] || (home === undefined ? undefined : join(home, '.docker'));
}

/** A JSON file of that folder; undefined when it isn't there. Throws what node:fs throws, and SyntaxError for what is no JSON. */
export function readConfig(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw error;
  }
  return JSON.parse(text);
}

/** The context that the Docker CLI would use without DOCKER_HOST; undefined for the default one. Its store: docker/cli, cli/context/store. Throws ExecutorUnavailableError. */
export function currentContext(environment: Environment): DockerContext | undefined {
  const folder = configFolder(environment);
  if (folder === undefined) return undefined;
  const name = environment['DOCKER_CONTEXT'] || chosenIn(folder);
  if (!name || name === 'default') return undefined;
  const id = createHash('sha256').update(name).digest('hex');
  const file = join(folder, 'contexts', 'meta', id, 'meta.json');
  const unusable = (reason: string, cause?: unknown) =>
    new ExecutorUnavailableError(
      `Failed to read the Docker context ${JSON.stringify(name)} for the Docker target: ${reason}. See docker context ls, or set DOCKER_HOST.`,
      { code: 'PRA-DOCKER-03', cause },
    );
  let meta: unknown;
  try {
    meta = readConfig(file);
  } catch (error) {
    throw unusable(`${file}: ${messageOf(error)}`, error);
  }
  if (meta === undefined) throw unusable('there is no such context');
  const engine = contextSchema.safeParse(meta).data?.Endpoints.docker;
  if (engine === undefined) throw unusable('it names no Docker engine');
  // The job's secrets go over this connection.
  if (engine.SkipTLSVerify) throw unusable("it does not verify the engine's certificate, which this agent always does");
  return { name, host: engine.Host ?? '', certificates: join(folder, 'contexts', 'tls', id, 'docker') };
}

/** What can't be read chooses nothing, as for the Docker CLI, which warns and goes on. */
function chosenIn(folder: string): string | undefined {
  try {
    return choiceSchema.safeParse(readConfig(join(folder, 'config.json'))).data?.currentContext;
  } catch {
    return undefined;
  }
}
