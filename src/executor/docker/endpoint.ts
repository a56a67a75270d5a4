import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ExecutorUnavailableError } from '../executor.ts';
import { configFolder } from './docker-config.ts';
import { currentContext } from './docker-context.ts';

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
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

const DEFAULT_SOCKET = '/var/run/docker.sock';
const DEFAULT_HOST = '127.0.0.1';
const PLAIN_PORT = 2375;
const TLS_PORT = 2376;

/** Where an address comes from, and what belongs to it. */
interface Source {
  /** For sentences: `DOCKER_HOST`. */
  readonly origin: string;
  /** The connection is encrypted whatever the address says. */
  readonly verify: boolean;
  readonly certificates: () => NonNullable<Endpoint['tls']>;
}

/**
 * Finds the engine as the Docker CLI does: DOCKER_HOST with DOCKER_TLS_VERIFY and DOCKER_CERT_PATH, else the context in use, else the
 * usual socket (or, with TLS asked for, port 2376 of this machine). The rules: docker/cli, cli/command/cli.go and opts/hosts.go. It
 * differs where the connection would not be safe: a certificate is verified even where only DOCKER_TLS is set, and port 2376 means TLS.
 * Throws ExecutorUnavailableError for what cannot be used.
 */
export async function resolveEndpoint(environment: Environment): Promise<Endpoint> {
  const verify = isSet(environment, 'DOCKER_TLS_VERIFY') || isSet(environment, 'DOCKER_TLS');
  const byEnvironment = { verify, certificates: () => certificatesOf(environment) };
  const value = environment['DOCKER_HOST'] ?? '';
  if (value !== '') {
    return endpointAt(value.trim(), { origin: 'DOCKER_HOST', ...byEnvironment });
  }
  const context = currentContext(environment);
  if (context !== undefined && context.host !== '') {
    const { name, host, certificates: folder } = context;
    const origin = `the Docker context ${JSON.stringify(name)}`;
    const certificates = () => readCertificates(folder, false, origin);
    const encrypted = !host.startsWith('unix://') && Object.keys(certificates()).length > 0;
    return { ...endpointAt(host, { origin, verify: encrypted, certificates }), origin };
  }
  if (context === undefined && verify) {
    const origin = isSet(environment, 'DOCKER_TLS_VERIFY') ? 'DOCKER_TLS_VERIFY' : 'DOCKER_TLS';
    return { ...overNetwork('tcp://', { origin, ...byEnvironment }), origin };
  }
  return usualSocket(environment);
}

function isSet(environment: Environment, name: string): boolean {
  return (environment[name] ?? '') !== '';
}

function endpointAt(value: string, source: Source): Endpoint {
  if (!value.startsWith('unix://')) return overNetwork(value, source);
  const socketPath = value.slice('unix://'.length) || DEFAULT_SOCKET;
  return { name: `unix://${socketPath}`, socketPath };
}

/** Docker Desktop for macOS puts the socket into the user's home when it may not write to /var/run. */
function usualSocket(environment: Environment): Endpoint {
  const at = (socketPath: string) => ({ name: `unix://${socketPath}`, socketPath });
  if (existsSync(DEFAULT_SOCKET)) return at(DEFAULT_SOCKET);
  const [home, runtime] = [environment['HOME'], environment['XDG_RUNTIME_DIR']];
  const own = home === undefined ? undefined : join(home, '.docker', 'run', 'docker.sock');
  if (own !== undefined && existsSync(own)) return at(own);
  // The Docker CLI doesn't look at these; whoever has one wants to be told rather than to be surprised.
  const known = [
    ...(runtime === undefined ? [] : [join(runtime, 'docker.sock'), join(runtime, 'podman', 'podman.sock')]),
    '/run/podman/podman.sock',
    ...(home === undefined
      ? []
      : ['.docker/desktop/docker.sock', '.colima/default/docker.sock'].map((path) => join(home, path))),
  ];
  const others = known.filter((path) => existsSync(path)).map((path) => `unix://${path}`);
  return others.length === 0 ? at(DEFAULT_SOCKET) : { ...at(DEFAULT_SOCKET), others };
}

function overNetwork(value: string, { origin, verify, certificates }: Source): Endpoint {
  const scheme = /^[a-z][a-z0-9+.-]*(?=:\/\/)/i.exec(value)?.[0].toLowerCase() ?? 'tcp';
  const url = parse(value, scheme, origin);
  const encrypted = verify || scheme === 'https' || Number(url.port) === TLS_PORT;
  const port = url.port === '' ? (encrypted ? TLS_PORT : PLAIN_PORT) : Number(url.port);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const path = url.pathname.replace(/\/+$/, '');
  const place = { name: `tcp://${url.hostname}:${port}${path}`, host, port, ...(path === '' ? {} : { path }) };
  return encrypted ? { ...place, tls: certificates() } : place;
}

function parse(value: string, scheme: string, origin: string): URL {
  const unusable = (cause: string, advice: string) =>
    // The value itself isn't shown: an address may hold a password.
    new ExecutorUnavailableError(`Failed to read ${origin} for the Docker target: ${cause}. ${advice}`);
  if (scheme === 'ssh') {
    throw unusable('ssh:// engines are not supported', 'Forward the engine to a local port or socket instead.');
  }
  if (scheme === 'npipe') {
    throw unusable('npipe:// is a named pipe of Windows, and jobs run on engines for Linux only', SHAPES);
  }
  if (!['tcp', 'http', 'https'].includes(scheme)) throw unusable(`${scheme}:// is not a known scheme`, SHAPES);
  let url: URL | undefined;
  try {
    // Always as tcp: a URL of http would drop the port 80.
    const address = value.replace(/^[^:/]*:\/\//, '');
    // As for the Docker CLI: without a host it is this machine, and a colon without a port is none.
    url = new URL(`tcp://${address === '' || address.startsWith(':') ? `${DEFAULT_HOST}${address}` : address}`);
  } catch {
    // Told below, without the parser's message: it adds nothing.
  }
  if (url === undefined || url.hostname === '') throw unusable('it is not an address', SHAPES);
  if (url.search !== '' || url.hash !== '') throw unusable('an address has neither ? nor #', SHAPES);
  return url;
}

const SHAPES = 'Use unix:///path/to/docker.sock or tcp://host:port.';

/** The files of DOCKER_CERT_PATH, of which the authority's must be there; else what the Docker CLI's own folder has of them. */
function certificatesOf(environment: Environment): NonNullable<Endpoint['tls']> {
  const named = environment['DOCKER_CERT_PATH'] ?? '';
  return readCertificates(named || (configFolder(environment) ?? '/'), named !== '', 'DOCKER_CERT_PATH');
}

function readCertificates(folder: string, authority: boolean, origin: string): NonNullable<Endpoint['tls']> {
  const read = (file: string, required = false) => {
    try {
      return readFileSync(join(folder, file), 'utf8');
    } catch (cause) {
      if (!required && (cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new ExecutorUnavailableError(
        `Failed to read ${file} for the encrypted connection to the Docker engine: ${why}. Check ${origin}.`,
        { cause },
      );
    }
  };
  // One after the other: of several that are missing, it is always the same one that is named.
  const ca = read('ca.pem', authority);
  const cert = read('cert.pem');
  const key = read('key.pem');
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  };
}
