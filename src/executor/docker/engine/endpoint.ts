import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { defined } from '../../../base/defined.ts';
import type { Environment } from '../../../base/environment.ts';
import { messageOf } from '../../../base/outcome.ts';
import { ExecutorUnavailableError } from '../../executor.ts';

export interface Endpoint {
  /** For messages: never contains a password. */
  readonly name: string;
  readonly socketPath?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /**
   * The address's source, for messages, unless that is DOCKER_HOST or the usual socket: a context,
   * for example.
   */
  readonly origin?: string | undefined;

  /** Present if the connection is encrypted; the engine's certificate is then always verified. */
  readonly tls?: Certificates | undefined;
}

interface Certificates {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

const DEFAULT_SOCKET = '/var/run/docker.sock';
const DEFAULT_HOST = '127.0.0.1';
const PLAIN_PORT = 2375;
const TLS_PORT = 2376;

/**
 * Finds the engine as the Docker CLI does: DOCKER_HOST, the current context, DOCKER_TLS_VERIFY or
 * DOCKER_TLS, the usual socket. Throws ExecutorUnavailableError.
 */
export function resolveEndpoint(environment: Environment): Endpoint {
  const read = (name: string) => (environment[name] ?? '').trim();

  // Unlike the Docker CLI with DOCKER_TLS alone, the agent always verifies: jobs' secrets go over
  // this connection.
  const origin = read('DOCKER_TLS_VERIFY') === '' ? 'DOCKER_TLS' : 'DOCKER_TLS_VERIFY';
  const verify = read(origin) !== '';
  const folder = configFolder(environment);
  const [certPath, address] = [read('DOCKER_CERT_PATH'), read('DOCKER_HOST')];
  const certificates = () =>
    readCertificates(certPath || (folder ?? '/'), 'DOCKER_CERT_PATH', certPath !== '');
  if (address !== '') return endpointAt(address, 'DOCKER_HOST', verify, certificates);

  const context = environment['DOCKER_CONTEXT'] || (folder && chosenIn(folder));
  if (context && context !== 'default') return contextEndpoint(folder, context) ?? usualSocket(environment);

  return verify
    ? { ...endpointAt('tcp://', origin, verify, certificates), origin }
    : usualSocket(environment);
}

/**
 * Docker Desktop for macOS puts the socket into the user's home if it can't write to /var/run.
 */
function usualSocket({ HOME: home = '/nonexistent' }: Environment): Endpoint {
  const homeSocket = join(home, '.docker/run/docker.sock');
  return atSocket(!existsSync(DEFAULT_SOCKET) && existsSync(homeSocket) ? homeSocket : DEFAULT_SOCKET);
}

function atSocket(socketPath: string): Endpoint {
  return { name: `unix://${socketPath}`, socketPath };
}

/** @param origin where the address comes from, for messages: `DOCKER_HOST` */
function endpointAt(
  address: string,
  origin: string,
  verify: boolean,
  certificates: () => Certificates,
): Endpoint {
  if (address.startsWith('unix://')) return atSocket(address.slice('unix://'.length) || DEFAULT_SOCKET);

  const scheme = /^[a-z][a-z0-9+.-]*(?=:\/\/)/i.exec(address)?.[0].toLowerCase() ?? 'tcp';
  const url = parse(address, scheme, origin);
  const encrypted = verify || scheme === 'https' || Number(url.port) === TLS_PORT;
  const port = url.port === '' ? (encrypted ? TLS_PORT : PLAIN_PORT) : Number(url.port);

  return {
    name: `tcp://${url.hostname}:${port}`,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    tls: encrypted ? certificates() : undefined,
  };
}

function parse(address: string, scheme: string, origin: string): URL {
  const unusable = (cause: string, advice = 'Use unix:///path/to/docker.sock or tcp://host:port.') =>
    // The address itself isn't shown: it can contain a password.
    new ExecutorUnavailableError(`Failed to read ${origin} for the Docker target: ${cause}. ${advice}`, {
      code: 'PRA-DOCKER-04',
    });

  if (scheme === 'ssh')
    throw unusable(
      'ssh:// engines are not supported',
      'Forward the engine to a local port or socket instead.',
    );

  if (!['tcp', 'http', 'https'].includes(scheme)) throw unusable(`${scheme}:// is not a known scheme`);

  const rest = address.replace(/^[^:/]*:\/\//, '');

  // Always tcp: http would drop port 80. As in the Docker CLI, no host is this machine, and an
  // empty port is ignored.
  const url = URL.parse(`tcp://${rest === '' || rest.startsWith(':') ? `${DEFAULT_HOST}${rest}` : rest}`);
  if (url === null || url.hostname === '' || !/^\/?$/.test(`${url.pathname}${url.search}${url.hash}`))
    throw unusable('it is not an address');

  return url;
}

/**
 * The certificates in a folder. Throws ExecutorUnavailableError if one is unreadable, or a required
 * ca.pem missing.
 */
function readCertificates(folder: string, origin: string, needsAuthority: boolean): Certificates {
  const read = (file: string, required = false) => {
    try {
      return readFileSync(join(folder, file), 'utf8');
    } catch (cause) {
      const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
      if (!required && isMissing) return undefined;
      // An engine beside us that makes its certificates as it starts has none yet (docker:dind).
      throw new ExecutorUnavailableError(
        `Failed to read ${file} for the encrypted connection to the Docker engine: ${messageOf(cause)}. Check ${origin}.`,
        { code: 'PRA-DOCKER-05', cause, mayBeStarting: isMissing },
      );
    }
  };

  const [ca, cert, key] = [read('ca.pem', needsAuthority), read('cert.pem'), read('key.pem')];
  return defined({ ca, ...(cert !== undefined && key !== undefined && { cert, key }) });
}

const contextSchema = z.object({
  Endpoints: z.object({
    docker: z.object({ Host: z.string().optional(), SkipTLSVerify: z.boolean().optional() }),
  }),
});

/**
 * The Docker CLI's folder: DOCKER_CONFIG, else `.docker` in the home directory; undefined without
 * one.
 */
export function configFolder(environment: Environment): string | undefined {
  const home = environment['HOME'];
  return environment['DOCKER_CONFIG'] || (home === undefined ? undefined : join(home, '.docker'));
}

/**
 * A JSON file of that folder; undefined if missing. Throws as node:fs does, and SyntaxError if
 * it isn't JSON.
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

/**
 * A context's engine (docker/cli, cli/context/store), if it has an address. Throws
 * ExecutorUnavailableError.
 */
function contextEndpoint(folder: string | undefined, name: string): Endpoint | undefined {
  const origin = `the Docker context ${JSON.stringify(name)}`;
  const unusable = (reason: string, cause?: unknown) =>
    new ExecutorUnavailableError(
      `Failed to read ${origin} for the Docker target: ${reason}. See docker context ls, or set DOCKER_HOST.`,
      { code: 'PRA-DOCKER-03', cause },
    );

  // Another engine than the one chosen would get the jobs' secrets.
  if (folder === undefined) throw unusable('neither HOME nor DOCKER_CONFIG says where contexts are');

  const id = createHash('sha256').update(name).digest('hex');
  const file = join(folder, 'contexts', 'meta', id, 'meta.json');
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
  if (engine.SkipTLSVerify)
    throw unusable("it does not verify the engine's certificate, which this agent always does");
  if (!engine.Host) return undefined;

  const certificates = readCertificates(join(folder, 'contexts', 'tls', id, 'docker'), origin, false);
  const verify = Object.keys(certificates).length > 0;

  return { ...endpointAt(engine.Host, origin, verify, () => certificates), origin };
}

/**
 * The context in use. An unreadable configuration selects none, as in the Docker CLI, which warns
 * and goes on.
 */
function chosenIn(folder: string): string | undefined {
  const choiceSchema = z.object({ currentContext: z.string().optional() });
  try {
    return choiceSchema.safeParse(readConfig(join(folder, 'config.json'))).data?.currentContext;
  } catch {
    return undefined;
  }
}
