import { TargetUnavailableError } from '../target.ts';
import type { Engine } from './engine.ts';
import { EngineRefusedError, unavailable } from './errors.ts';

const CHECK_MS = 10_000;
/** Docker Engine 19.03 of 2019; exec with its own environment and folder, Init and AutoRemove are all older. */
const OLDEST_API = [1, 40] as const;

/**
 * Proves with one call that the engine answers, lets us in, is new enough and runs Linux containers. Returns its name. The
 * call is `/_ping`, whose headers say all that (0.4 ms); for `/version` the engine runs its runtime's programs (5 ms and more).
 */
export async function checkEngine(engine: Engine, signal: AbortSignal): Promise<string> {
  const endpoint = await engine.endpoint();
  let headers: Awaited<ReturnType<Engine['ping']>>;
  try {
    headers = await engine.ping({ signal, ms: CHECK_MS });
  } catch (error) {
    if (!(error instanceof EngineRefusedError)) throw error;
    throw unavailable(
      endpoint,
      `it answered ${error.status} (${error.message})`,
      'Check who may use the engine.',
      error,
    );
  }
  const api = headers['api-version'];
  if (typeof api !== 'string') {
    throw unavailable(endpoint, 'what answers there is not a Docker engine', 'Correct DOCKER_HOST.');
  }
  const os = typeof headers['ostype'] === 'string' ? headers['ostype'] : 'linux';
  const name = `${product(headers['server'])} (API ${api}, ${os}) at ${endpoint.name}`;
  if (os !== 'linux') {
    throw new TargetUnavailableError(
      `Failed to use the Docker engine for this runner: ${name} runs ${os} containers. Switch it to Linux containers.`,
    );
  }
  const [major = 0, minor = 0] = api.split('.').map(Number);
  if (major < OLDEST_API[0] || (major === OLDEST_API[0] && minor < OLDEST_API[1])) {
    throw new TargetUnavailableError(
      `Failed to use the Docker engine for this runner: ${name} is too old. Install Docker Engine 19.03 (API ${OLDEST_API.join('.')}) or newer.`,
    );
  }
  return name;
}

/** Docker's engine calls itself `Docker/28.2.2 (linux)`, Podman's `Libpod/4.3.1 (linux)`. */
function product(server: string | string[] | undefined): string {
  const [, name, version] = /^(\w+)\/(\S+)/.exec(String(server)) ?? [];
  if (name === undefined) return 'Docker Engine';
  return `${name === 'Docker' ? 'Docker Engine' : name === 'Libpod' ? 'Podman' : name} ${version}`;
}
