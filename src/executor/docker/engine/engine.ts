import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import Docker from 'dockerode';
import { z } from 'zod';
import { within } from '../../../deadline.ts';
import { defined } from '../../../defined.ts';
import type { Environment } from '../../../environment.ts';
import { ExecutorUnavailableError, PROBE_MS } from '../../executor.ts';
import type { DockerCalls } from './calls.ts';
import { type Endpoint, resolveEndpoint } from './endpoint.ts';
import { EngineRefusedError, translate, unavailable } from './errors.ts';
import { engineInfo } from './info.ts';

/** Milliseconds for a plain call, enough for an engine under load. */
const CALL_MS = 30_000;
const CHECK_MS = 10_000;

/** The API of Docker Engine 19.03, from 2019. */
const OLDEST_API = '1.40';

const versionSchema = z.object({
  ApiVersion: z.string(),
  Os: z.string().default('linux'),
  Version: z.string().default('?'),
  Components: z.array(z.object({ Name: z.string() })).nullish(),
});

/** The connection to one engine. Nothing is opened before the first call. */
export class DockerEngine implements DockerCalls {
  readonly #environment: Environment;
  #connection:
    | { readonly endpoint: Endpoint; readonly agent: http.Agent; readonly docker: Docker }
    | undefined;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Throws ExecutorUnavailableError if the settings name no usable engine. */
  get endpoint(): Endpoint {
    return this.#connected().endpoint;
  }

  /** dockerode, set up for the endpoint. Throws as `endpoint` does. */
  get docker(): Docker {
    return this.#connected().docker;
  }

  async call<T>(
    run: (docker: Docker, signal: AbortSignal) => Promise<T>,
    { signal, ms = CALL_MS }: { readonly signal: AbortSignal; readonly ms?: number },
  ): Promise<T> {
    const { docker, endpoint } = this;
    try {
      return await within(
        ms,
        signal,
        (inner) => run(docker, inner),
        // A late stream has no owner: an error on it would end the agent.
        (late) => late instanceof Readable && late.destroy(),
      );
    } catch (error) {
      signal.throwIfAborted();
      throw translate(error, endpoint);
    }
  }

  /**
   * The version of what answers there. Throws as `call` does, and ExecutorUnavailableError if it
   * isn't an engine.
   */
  async version(signal: AbortSignal): Promise<{ api: string; os: string; name: string; isPodman: boolean }> {
    const answer: unknown = await this.call((docker) => docker.version(), { signal, ms: CHECK_MS });
    const version = versionSchema.safeParse(answer).data;

    if (version === undefined)
      throw unavailable(
        this.endpoint,
        'the server at this address is not a Docker engine',
        `Correct ${this.endpoint.origin ?? 'DOCKER_HOST'}.`,
      );

    const isPodman = version.Components?.some(({ Name: name }) => name === 'Podman Engine') ?? false;
    const name = `${isPodman ? 'Podman' : 'Docker Engine'} ${version.Version}`;

    return { api: version.ApiVersion, os: version.Os, name, isPodman };
  }

  /** Closes all connections except hijacked streams, which stay with their owners. */
  close(): void {
    this.#connection?.agent.destroy();
  }

  #connected() {
    if (this.#connection !== undefined) return this.#connection;

    const endpoint = resolveEndpoint(this.#environment);
    const { socketPath, host, port, tls } = endpoint;
    // The agent's own address counts, whatever a request names; the certificate is always checked
    // against it.
    const servername = host === undefined || isIP(host) !== 0 ? '' : host;
    const place = { keepAlive: true, socketPath, ...defined({ host, port }) };
    const agent =
      tls === undefined ? new http.Agent(place) : new https.Agent({ ...place, ...tls, servername });

    const docker = new Docker({
      // Every key is set, even to undefined: docker-modem fills missing ones in from process.env.
      ...{
        // Never host and port, which docker-modem would read with the deprecated url.parse.
        socketPath: socketPath ?? '-',
        host: undefined,
        port: undefined,
        ca: undefined,
        cert: undefined,
        key: undefined,
        headers: socketPath === undefined ? { Host: hostOf(endpoint) } : {},
        timeout: undefined,
        pathPrefix: '/',
      },
      protocol: tls === undefined ? 'http' : 'https',
      agent,
    } as Docker.DockerOptions);

    this.#connection = { endpoint, agent, docker };

    return this.#connection;
  }
}

/** The header of requests over TCP. */
function hostOf({ host = '', port }: Endpoint): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

/**
 * Checks that the engine answers, lets us in, is recent enough, runs Linux containers, and has
 * `runtime` if that is given. Returns its name. Throws ExecutorUnavailableError.
 */
export async function checkEngine(
  engine: DockerEngine,
  signal: AbortSignal,
  runtime?: string,
): Promise<string> {
  const { endpoint } = engine;
  const { api, os, name, isPodman } = await admitted(engine.version(signal), endpoint);
  const shown = `${name} (API ${api}, ${os}) at ${endpoint.name}`;

  const unusable = (reason: string) =>
    new ExecutorUnavailableError(`Failed to use the Docker engine for this runner: ${shown} ${reason}`, {
      code: 'PRA-DOCKER-02',
    });

  if (os !== 'linux') throw unusable(`runs ${os} containers. Switch it to Linux containers.`);
  if (api.localeCompare(OLDEST_API, 'en', { numeric: true }) < 0)
    throw unusable(`is too old. Install Docker Engine 19.03 (API ${OLDEST_API}) or newer.`);
  if (runtime === undefined) return shown;
  if (isPodman) throw unusable('does not support container_runtime. Set runtime in containers.conf instead.');

  const { Runtimes: runtimes } = await engineInfo(engine, signal);
  // The name of a containerd shim needs no entry: the engine decides at the start of a container.
  if (!(runtime in runtimes) && !/[./]/.test(runtime)) {
    const known = Object.keys(runtimes).join(', ');
    throw unusable(
      `knows no runtime ${runtime}, only ${known}. Add it to the engine, or correct container_runtime.`,
    );
  }

  return shown;
}

/**
 * Checks that the engine answers and lets us in. Throws ExecutorUnavailableError, and the signal's
 * reason.
 */
export async function probeEngine(engine: DockerEngine, signal: AbortSignal): Promise<void> {
  const { endpoint } = engine;
  // dockerode's types lack the option.
  const ping = (docker: { ping(options: object): Promise<unknown> }, abortSignal: AbortSignal) =>
    docker.ping({ abortSignal });
  await admitted(engine.call(ping, { signal, ms: PROBE_MS }), endpoint);
}

/** Waits for an answer. An error answer throws ExecutorUnavailableError. */
async function admitted<T>(answer: Promise<T>, endpoint: Endpoint): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof EngineRefusedError)) throw error;
    // The text of Go's HTTP server.
    const isEncrypted = /HTTP request to an HTTPS server/.test(error.message);
    const certificates = 'Set DOCKER_TLS_VERIFY=1, and DOCKER_CERT_PATH to the folder of the certificates.';
    const advice = isEncrypted ? certificates : 'Check who may use the engine.';
    const cause = `it answered ${error.status} (${error.message})`;
    throw unavailable(endpoint, cause, advice, { error, mayBeStarting: error.status >= 500 });
  }
}
