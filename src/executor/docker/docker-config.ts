import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of the Docker CLI's configuration: DOCKER_CONFIG, else `.docker` at home; undefined without a home. */
export function configFolder(environment: Environment): string | undefined {
  const home = environment['HOME'];
  return environment['DOCKER_CONFIG'] || (home === undefined ? undefined : join(home, '.docker'));
}

/**
 * A JSON file of that folder; undefined when it isn't there. Throws what node:fs throws, and SyntaxError when the file holds something
 * else.
 */
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
