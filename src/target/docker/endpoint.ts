import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TargetUnavailableError } from '../target.ts';
import { currentContext } from './docker-context.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the engine is. */
export interface Endpoint {
  /** For people: never with a password in it. */
  readonly name: string;
  readonly socketPath?: string;
  readonly host?: string;
  readonly port?: number;
  /** Present when the connection is encrypted; the engine's certificate is then always verified. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

const DEFAULT_SOCKET = '/var/run/docker.sock';
const PLAIN_PORT = 2375;
const TLS_PORT = 2376;

/** Where an address comes from, and what belongs to it. */
interface Source {
  /** For sentences: `DOCKER_HOST`. */
  readonly origin: string;
  /** The connection is encrypted whatever the address says. */
  readonly verify: boolean;
  readonly certificates: () => Promise<NonNullable<Endpoint['tls']>>;
}

/**
 * Finds the engine as the Docker CLI does: DOCKER_HOST with DOCKER_TLS_VERIFY and DOCKER_CERT_PATH, else the context in use, else the
 * usual socket. Throws TargetUnavailableError for what cannot be used.
 */
export async function resolveEndpoint(environment: Environment): Promise<Endpoint> {
  const value = environment['DOCKER_HOST'] ?? '';
  if (value !== '') {
    const verify = (environment['DOCKER_TLS_VERIFY'] ?? '') !== '';
    return endpointAt(value, { origin: 'DOCKER_HOST', verify, certificates: () => certificatesOf(environment) });
  }
  const context = await currentContext(environment);
  if (context !== undefined && context.host !== '') {
    const { name, host, certificates: folder } = context;
    const certificates = () => readCertificates(folder, false, `the Docker context ${name}`);
    const verify = Object.keys(await certificates()).length > 0;
    return endpointAt(host, { origin: `the Docker context ${JSON.stringify(name)}`, verify, certificates });
  }
  const socketPath = await defaultSocket(environment['HOME']);
  return { name: `unix://${socketPath}`, socketPath };
}

async function endpointAt(value: string, source: Source): Promise<Endpoint> {
  if (!value.startsWith('unix://')) return overNetwork(value, source);
  const socketPath = value.slice('unix://'.length) || DEFAULT_SOCKET;
  return { name: `unix://${socketPath}`, socketPath };
}

/** Docker Desktop for macOS puts the socket into the user's home when it may not write to /var/run. */
async function defaultSocket(home: string | undefined): Promise<string> {
  if (home === undefined) return DEFAULT_SOCKET;
  const own = join(home, '.docker', 'run', 'docker.sock');
  for (const path of [DEFAULT_SOCKET, own]) {
    const found = await access(path).then(
      () => true,
      () => false,
    );
    if (found) return path;
  }
  return DEFAULT_SOCKET;
}

async function overNetwork(value: string, { origin, verify, certificates }: Source): Promise<Endpoint> {
  const scheme = /^[a-z][a-z0-9+.-]*(?=:\/\/)/i.exec(value)?.[0].toLowerCase() ?? 'tcp';
  const url = parse(value, scheme, origin);
  const encrypted = verify || scheme === 'https' || Number(url.port) === TLS_PORT;
  const port = url.port === '' ? (encrypted ? TLS_PORT : PLAIN_PORT) : Number(url.port);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const name = `tcp://${url.hostname}:${port}`;
  return encrypted ? { name, host, port, tls: await certificates() } : { name, host, port };
}

function parse(value: string, scheme: string, origin: string): URL {
  const unusable = (cause: string, advice: string) =>
    // The value itself isn't shown: an address may hold a password.
    new TargetUnavailableError(`Failed to read ${origin} for the Docker target: ${cause}. ${advice}`);
  if (scheme === 'ssh') {
    throw unusable('ssh:// engines are not supported', 'Forward the engine to a local port or socket instead.');
  }
  if (!['tcp', 'http', 'https'].includes(scheme)) throw unusable(`${scheme}:// is not a known scheme`, SHAPES);
  let url: URL | undefined;
  try {
    // Always as tcp: a URL of http would drop the port 80.
    url = new URL(`tcp://${value.replace(/^[^:]*:\/\//, '')}`);
  } catch {
    // Told below, without the parser's message: it adds nothing.
  }
  if (url === undefined || url.hostname === '') throw unusable('it is not an address', SHAPES);
  if ((url.pathname !== '' && url.pathname !== '/') || url.search !== '' || url.hash !== '') {
    throw unusable('an address has no path', SHAPES);
  }
  return url;
}

const SHAPES = 'Use unix:///path/to/docker.sock or tcp://host:port.';

/** The files of DOCKER_CERT_PATH, which must be there; else what there is of them at home. */
function certificatesOf(environment: Environment): Promise<NonNullable<Endpoint['tls']>> {
  const named = environment['DOCKER_CERT_PATH'] ?? '';
  const folder = named === '' ? join(environment['HOME'] ?? '/', '.docker') : named;
  return readCertificates(folder, named !== '', 'DOCKER_CERT_PATH');
}

async function readCertificates(
  folder: string,
  required: boolean,
  origin: string,
): Promise<NonNullable<Endpoint['tls']>> {
  const read = async (file: string) => {
    try {
      return await readFile(join(folder, file), 'utf8');
    } catch (cause) {
      if (!required && (cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new TargetUnavailableError(
        `Failed to read ${file} for the encrypted connection to the Docker engine: ${why}. Check ${origin}.`,
        { cause },
      );
    }
  };
  // One after the other: of several that are missing, it is always the same one that is named.
  const ca = await read('ca.pem');
  const cert = await read('cert.pem');
  const key = await read('key.pem');
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  };
}
