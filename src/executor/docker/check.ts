import { ExecutorUnavailableError } from '../executor.ts';
import type { Engine } from './engine.ts';
import { EngineRefusedError, unavailable } from './errors.ts';

const CHECK_MS = 10_000;
/** Docker Engine 19.03 of 2019; exec with its own environment and folder, Init and AutoRemove are all older. */
const OLDEST_API = '1.40';

/**
 * Proves with one call that the engine answers, lets us in, is new enough and runs Linux containers. Returns its name. The
 * call is `/_ping`, whose headers say all that.
 */
export async function checkEngine(engine: Engine, signal: AbortSignal): Promise<string> {
  const endpoint = await engine.endpoint();
  let headers: Awaited<ReturnType<Engine['ping']>>;
  try {
    headers = await engine.ping({ signal, ms: CHECK_MS });
  } catch (error) {
    if (!(error instanceof EngineRefusedError)) throw error;
    // What the HTTP server of Go says, and every engine is written in it.
    const wantsTls = /HTTP request to an HTTPS server/.test(error.message);
    const advice = wantsTls
      ? 'Set DOCKER_TLS_VERIFY=1, and DOCKER_CERT_PATH to the folder of the certificates.'
      : 'Check who may use the engine.';
    throw unavailable(endpoint, `it answered ${error.status} (${error.message})`, advice, error);
  }
  const api = headers['api-version'];
  if (typeof api !== 'string') {
    throw unavailable(
      endpoint,
      'what answers there is not a Docker engine',
      `Correct ${endpoint.origin ?? 'DOCKER_HOST'}.`,
    );
  }
  const os = typeof headers['ostype'] === 'string' ? headers['ostype'] : 'linux';
  const name = `${product(headers['server'])} (API ${api}, ${os}) at ${endpoint.name}`;
  if (os !== 'linux') {
    throw new ExecutorUnavailableError(
      `Failed to use the Docker engine for this runner: ${name} runs ${os} containers. Switch it to Linux containers.`,
    );
  }
  const wanted = engine.apiVersion;
  if (wanted !== undefined && (!/^\d+\.\d+$/.test(wanted) || isOlder(wanted, OLDEST_API) || isOlder(api, wanted))) {
    throw new ExecutorUnavailableError(
      `Failed to use the Docker engine for this runner: DOCKER_API_VERSION is ${JSON.stringify(wanted)}, and ${name} takes ${OLDEST_API} to ${api} of it. Unset it.`,
    );
  }
  if (isOlder(api, OLDEST_API)) {
    throw new ExecutorUnavailableError(
      `Failed to use the Docker engine for this runner: ${name} is too old. Install Docker Engine 19.03 (API ${OLDEST_API}) or newer.`,
    );
  }
  return name;
}

function isOlder(version: string, than: string): boolean {
  const [[major = 0, minor = 0], [otherMajor = 0, otherMinor = 0]] = [version, than].map((text) =>
    text.split('.').map(Number),
  ) as [number[], number[]];
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}

/** Docker's engine calls itself `Docker/28.2.2 (linux)`, Podman's `Libpod/4.3.1 (linux)`. */
function product(server: string | string[] | undefined): string {
  const [, name, version] = /^(\w+)\/(\S+)/.exec(String(server)) ?? [];
  if (name === undefined) return 'Docker Engine';
  return `${name === 'Docker' ? 'Docker Engine' : name === 'Libpod' ? 'Podman' : name} ${version}`;
}
