import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { defined } from '../../../defined.ts';
import { messageOf } from '../../../outcome.ts';
import { ExecutorUnavailableError } from '../../executor.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the engine is. */
export interface Endpoint {
  /** For people: never with a password in it. */
  readonly name: string;
  readonly socketPath?: string;
  readonly host?: string;
  readonly port?: number;
  /** What the address comes from, for people, where that is not DOCKER_HOST: a context; absent for the usual socket too. */
  readonly origin?: string;
  /** Before each of the API's paths, for an engine behind a reverse proxy: `/engine`. */
  readonly path?: string;
  /** Other engines' sockets that are there while this one, the usual one, is not. */
  readonly others?: readonly string[];
  /** Present when the connection is encrypted; the engine's certificate is then always verified. */
  readonly tls?: Certificates;
}

interface Certificates {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Where an address comes from, and what belongs to it. */
interface Source {
  /** For sentences: `DOCKER_HOST`. */
  readonly origin: string;
  /** The connection is encrypted whatever the address says. */
  readonly verify: boolean;
  readonly certificates: () => Certificates;
}

const DEFAULT_SOCKET = '/var/run/docker.sock';
const DEFAULT_HOST = '127.0.0.1';
const PLAIN_PORT = 2375;
const TLS_PORT = 2376;
const SHAPES = 'Use unix:///path/to/docker.sock or tcp://host:port.';

/** Finds the engine as the Docker CLI does: DOCKER_HOST, the current context, DOCKER_TLS_VERIFY or DOCKER_TLS, the usual socket. Throws ExecutorUnavailableError. */
export function resolveEndpoint(environment: Environment): Endpoint {
  const isSet = (name: string) => (environment[name] ?? '') !== '';
  // Whatever the Docker CLI does with DOCKER_TLS alone, the agent verifies: jobs' secrets go over this connection.
  const verify = isSet('DOCKER_TLS_VERIFY') || isSet('DOCKER_TLS');
  const certificates = () => certificatesOf(environment);
  const address = (environment['DOCKER_HOST'] ?? '').trim();
  if (address !== '') return endpointAt(address, { origin: 'DOCKER_HOST', verify, certificates });
  const context = currentContext(environment);
  if (context !== undefined && context.host !== '') {
    const origin = `the Docker context ${JSON.stringify(context.name)}`;
    const own = () => readCertificates(context.certificates, false, origin);
    const encrypted = !context.host.startsWith('unix://') && Object.keys(own()).length > 0;
    return { ...endpointAt(context.host, { origin, verify: encrypted, certificates: own }), origin };
  }
  if (context === undefined && verify) {
    const origin = isSet('DOCKER_TLS_VERIFY') ? 'DOCKER_TLS_VERIFY' : 'DOCKER_TLS';
    return { ...overNetwork('tcp://', { origin, verify, certificates }), origin };
  }
  return usualSocket(environment);
}

function endpointAt(address: string, source: Source): Endpoint {
  if (!address.startsWith('unix://')) return overNetwork(address, source);
  return atSocket(address.slice('unix://'.length) || DEFAULT_SOCKET);
}

function atSocket(socketPath: string): Endpoint {
  return { name: `unix://${socketPath}`, socketPath };
}

/** Docker Desktop for macOS puts the socket into the user's home when it may not write to /var/run. */
function usualSocket(environment: Environment): Endpoint {
  if (existsSync(DEFAULT_SOCKET)) return atSocket(DEFAULT_SOCKET);
  const [home, runtime] = [environment['HOME'] ?? '/nonexistent', environment['XDG_RUNTIME_DIR'] ?? '/nonexistent'];
  const own = join(home, '.docker/run/docker.sock');
  if (existsSync(own)) return atSocket(own);
  // The Docker CLI doesn't look at these, so the agent only names them.
  const others = [
    join(runtime, 'docker.sock'),
    join(runtime, 'podman/podman.sock'),
    '/run/podman/podman.sock',
    join(home, '.docker/desktop/docker.sock'),
    join(home, '.colima/default/docker.sock'),
  ].filter((path) => existsSync(path));
  return { ...atSocket(DEFAULT_SOCKET), others: others.map((path) => `unix://${path}`) };
}

function overNetwork(address: string, { origin, verify, certificates }: Source): Endpoint {
  const scheme = /^[a-z][a-z0-9+.-]*(?=:\/\/)/i.exec(address)?.[0].toLowerCase() ?? 'tcp';
  const url = parse(address, scheme, origin);
  const encrypted = verify || scheme === 'https' || Number(url.port) === TLS_PORT;
  const port = url.port === '' ? (encrypted ? TLS_PORT : PLAIN_PORT) : Number(url.port);
  const path = url.pathname.replace(/\/+$/, '');
  return {
    name: `tcp://${url.hostname}:${port}${path}`,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    ...defined({ path: path || undefined, tls: encrypted ? certificates() : undefined }),
  };
}

function parse(address: string, scheme: string, origin: string): URL {
  const unusable = (cause: string, advice = SHAPES) =>
    // The address itself isn't shown: it may hold a password.
    new ExecutorUnavailableError(`Failed to read ${origin} for the Docker target: ${cause}. ${advice}`, {
      code: 'PRA-DOCKER-04',
    });
  if (scheme === 'ssh')
    throw unusable('ssh:// engines are not supported', 'Forward the engine to a local port or socket instead.');
  if (scheme === 'npipe') throw unusable('npipe:// is a named pipe of Windows, and jobs run on engines for Linux only');
  if (!['tcp', 'http', 'https'].includes(scheme)) throw unusable(`${scheme}:// is not a known scheme`);
  const rest = address.replace(/^[^:/]*:\/\//, '');
  // Always as tcp: a URL of http would drop port 80. As for the Docker CLI, no host is this machine, and a colon without a port is none.
  const url = URL.parse(`tcp://${rest === '' || rest.startsWith(':') ? `${DEFAULT_HOST}${rest}` : rest}`);
  if (url === null || url.hostname === '') throw unusable('it is not an address');
  if (url.search !== '' || url.hash !== '') throw unusable('an address has neither ? nor #');
  return url;
}

/** The files of DOCKER_CERT_PATH, of which the authority's must be there; else what the Docker CLI's own folder has of them. */
function certificatesOf(environment: Environment): Certificates {
  const named = environment['DOCKER_CERT_PATH'] ?? '';
  return readCertificates(named || (configFolder(environment) ?? '/'), named !== '', 'DOCKER_CERT_PATH');
}

function readCertificates(folder: string, needsAuthority: boolean, origin: string): Certificates {
  const read = (file: string, required = false) => {
    try {
      return readFileSync(join(folder, file), 'utf8');
    } catch (cause) {
      if (!required && (cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new ExecutorUnavailableError(
        `Failed to read ${file} for the encrypted connection to the Docker engine: ${messageOf(cause)}. Check ${origin}.`,
        { code: 'PRA-DOCKER-05', cause },
      );
    }
  };
  const [ca, cert, key] = [read('ca.pem', needsAuthority), read('cert.pem'), read('key.pem')];
  return defined({ ca, ...(cert !== undefined && key !== undefined && { cert, key }) });
}

/** The engine that a context of the Docker CLI stands for. */
interface DockerContext {
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
function currentContext(environment: Environment): DockerContext | undefined {
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
