import http from 'node:http';
import https from 'node:https';
import { isIP, Socket } from 'node:net';
import { type Duplex, Readable } from 'node:stream';
import Docker from 'dockerode';
import { z } from 'zod';
import { within } from '../../../base/deadline.ts';
import { defined } from '../../../base/defined.ts';
import type { Environment } from '../../../base/environment.ts';
import { ExecutorUnavailableError, PROBE_MS } from '../../executor.ts';
import { type Endpoint, resolveEndpoint } from './endpoint.ts';
import { EngineRefusedError, NOT_UPGRADED, notUpgraded, translate, unavailable } from './errors.ts';
import { engineInfo } from './info.ts';

/** For a plain call: enough for an engine under load. */
const CALL_MS = 30_000;
const CHECK_MS = 10_000;

/** The API of Docker Engine 19.03, from 2019. */
const OLDEST_API = '1.40';

/** The newest API that the tests ran against. */
const TESTED_API = '1.56';

/** The engine refuses a version before it does anything (moby, api/server/middleware/version.go). */
const OTHER_VERSION = /client version \S+ is too (old|new)/;

const versionSchema = z.object({
  ApiVersion: z.string(),
  MinAPIVersion: z.string().optional().catch(undefined),
  Os: z.string().default('linux'),
  Version: z.string().default('?'),
  Components: z.array(z.object({ Name: z.string() })).nullish(),
});

type EngineVersion = z.infer<typeof versionSchema>;

/**
 * The API version for an engine's calls: the engine's own, but at most the tested one, unless the
 * engine no longer has that.
 */
function apiVersion({ ApiVersion: newest, MinAPIVersion: oldest = newest }: EngineVersion): string {
  if (!isOlder(TESTED_API, newest)) return newest;
  return isOlder(TESTED_API, oldest) ? oldest : TESTED_API;
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) < 0;
}

/** The part of an engine that single calls need, each with a deadline. */
export type EngineCalls = Pick<DockerEngine, 'call'>;

/** The connection to one engine. Nothing is opened before the first call. */
export class DockerEngine {
  readonly #environment: Environment;
  #connection:
    | {
        readonly endpoint: Endpoint;
        readonly agent: http.Agent;
        /** For calls with the version in their path. */
        readonly docker: Docker;
        /** For the question after the version, which every version answers. */
        readonly unversioned: Docker;
      }
    | undefined;
  #isNegotiated = false;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Throws ExecutorUnavailableError if the settings name no usable engine. */
  get endpoint(): Endpoint {
    return this.#connected().endpoint;
  }

  /**
   * One call with a deadline of `ms` milliseconds. Throws EngineRefusedError for an error answer,
   * ExecutorUnavailableError if none came, and the signal's reason.
   */
  async call<T>(
    run: (docker: Docker, signal: AbortSignal) => Promise<T>,
    { signal, ms = CALL_MS }: { readonly signal: AbortSignal; readonly ms?: number },
  ): Promise<T> {
    return this.#bounded({ signal, ms }, (inner) => this.negotiated((docker) => run(docker, inner), inner));
  }

  /**
   * One call in a version that the engine knows, for a caller with deadlines of its own. Throws as docker-modem does,
   * and the signal's reason.
   */
  async negotiated<T>(run: (docker: Docker) => Promise<T>, signal: AbortSignal): Promise<T> {
    const { docker } = this.#connected();
    if (!this.#isNegotiated) await this.#negotiate(signal);
    signal.throwIfAborted();

    try {
      return await run(docker);
    } catch (error) {
      // Another engine has taken this one's place, which has done nothing yet.
      if (!(error instanceof Error && OTHER_VERSION.test(error.message))) throw error;
      await this.#negotiate(signal);
      signal.throwIfAborted();
      return run(docker);
    }
  }

  /**
   * As `call`, for a call that keeps its connection as a stream in both directions. Throws
   * ExecutorUnavailableError also for a connection that carries no input.
   */
  async takeOver(
    run: (docker: Docker, signal: AbortSignal) => Promise<NodeJS.ReadWriteStream>,
    options: { readonly signal: AbortSignal; readonly ms?: number },
  ): Promise<Duplex> {
    const stream = (await this.call(run, options)) as Duplex;
    if (stream instanceof Socket) return stream;
    // docker-modem hands out the response of a request that was not upgraded.
    stream.on('error', () => undefined).destroy();
    throw notUpgraded(this.endpoint);
  }

  /**
   * The version of the engine there. Throws as `call` does, and ExecutorUnavailableError if it
   * isn't an engine.
   */
  async version(signal: AbortSignal): Promise<{ api: string; os: string; name: string; isPodman: boolean }> {
    const version = await this.#bounded({ signal, ms: CHECK_MS }, (inner) => this.#negotiate(inner));
    const isPodman = version.Components?.some(({ Name: name }) => name === 'Podman Engine') ?? false;
    const name = `${isPodman ? 'Podman' : 'Docker Engine'} ${version.Version}`;

    return { api: version.ApiVersion, os: version.Os, name, isPodman };
  }

  async #bounded<T>(
    { signal, ms }: { readonly signal: AbortSignal; readonly ms: number },
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { endpoint } = this;
    try {
      // A late stream has no owner: an error on it would end the agent.
      return await within(ms, signal, run, (late) => late instanceof Readable && late.destroy());
    } catch (error) {
      signal.throwIfAborted();
      throw translate(error, endpoint);
    }
  }

  /** Asks for the engine's version, and chooses that of the calls. */
  async #negotiate(abortSignal: AbortSignal): Promise<EngineVersion> {
    const { endpoint, docker, unversioned } = this.#connected();

    // dockerode's types lack the option.
    const abortable: { version(options: object): Promise<unknown> } = unversioned;
    const version = versionSchema.safeParse(await abortable.version({ abortSignal })).data;

    if (version === undefined)
      throw unavailable(
        endpoint,
        'the server at this address is not a Docker engine',
        `Correct ${endpoint.origin ?? 'DOCKER_HOST'}.`,
      );

    setVersion(docker, apiVersion(version));
    this.#isNegotiated = true;
    return version;
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

    const options = {
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
    } as Docker.DockerOptions;

    const [docker, unversioned] = [new Docker(options), new Docker(options)];
    this.#connection = { endpoint, agent, docker, unversioned };

    return this.#connection;
  }
}

/** Sets the API version of all calls through `docker` and the objects that it made. */
function setVersion({ modem }: Docker, version: string): void {
  // docker-modem's types lack the property, which it reads at each call.
  Object.assign(modem, { version: `v${version}` });
}

/**
 * Asks for an upgrade as the start of a step does, where it starts nothing: the engine's /session
 * refuses every protocol but h2c, and says so (moby/buildkit, session/manager.go).
 */
function requestUpgrade({ modem }: Docker, abortSignal: AbortSignal): Promise<NodeJS.ReadWriteStream> {
  const request = {
    path: '/session',
    method: 'POST',
    options: { Detach: false, Tty: false },
    hijack: true,
    isStream: true,
    statusCodes: { 200: true },
    abortSignal,
  };

  return new Promise((resolve, reject) => {
    modem.dial(request, (error, answer) => {
      if (error) reject(error);
      else resolve(answer as NodeJS.ReadWriteStream);
    });
  });
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
  if (isOlder(api, OLDEST_API))
    throw unusable(`is too old. Install Docker Engine 19.03 (API ${OLDEST_API}) or newer.`);
  await checkUpgrade(engine, signal);
  if (runtime === undefined) return shown;
  if (isPodman) throw unusable('does not support container_runtime. Set runtime in containers.conf instead.');

  const { Runtimes: runtimes } = await engineInfo(engine, signal);
  // The name of a containerd shim needs no entry: the engine decides at the start of a container.
  if (!(runtime in runtimes) && !/[./]/.test(runtime)) {
    const names = Object.keys(runtimes).join(', ');
    throw unusable(
      `knows no runtime ${runtime}, only ${names}. Add it to the engine, or correct container_runtime.`,
    );
  }

  return shown;
}

/**
 * Checks that `Upgrade` reaches the engine, without which jobs get no input. Throws
 * ExecutorUnavailableError.
 */
async function checkUpgrade(engine: DockerEngine, signal: AbortSignal): Promise<void> {
  try {
    const stream = await engine.takeOver(requestUpgrade, { signal, ms: CHECK_MS });
    stream.on('error', () => undefined).destroy();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ExecutorUnavailableError && error.code === NOT_UPGRADED) throw error;
    // The engine refuses the protocol itself if it sees it; Podman and filters before engines don't
    // know the path.
    if (error instanceof EngineRefusedError && /no upgrade proto/.test(error.message))
      throw notUpgraded(engine.endpoint, error);
  }
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
    const advice = isEncrypted ? certificates : 'Check who can use the engine.';
    const cause = `it answered ${error.status} (${error.message})`;
    throw unavailable(endpoint, cause, advice, { error, mayBeStarting: error.status >= 500 });
  }
}
