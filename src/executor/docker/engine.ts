import http, { type IncomingHttpHeaders, type RequestOptions } from 'node:http';
import https from 'node:https';
import Docker from 'dockerode';
import { within } from '../deadline.ts';
import { oneLine } from '../one-line.ts';
import { type Endpoint, resolveEndpoint } from './endpoint.ts';
import { EngineRefusedError, translate } from './errors.ts';

/** Milliseconds for a plain call; what the engine does under load still fits. */
const CALL_MS = 30_000;
/** The body is `OK`, or says why not; more than this is not an engine. */
const BODY_LIMIT = 1024 ** 2;

export interface CallOptions<T> {
  readonly signal: AbortSignal;
  /** Milliseconds; 30 s when absent. */
  readonly ms?: number;
  /** Frees a value that comes after the deadline. */
  readonly late?: (value: T) => void;
}

/** The connection to one engine. Nothing is opened before the first call. */
export class Engine {
  readonly #environment: Readonly<Record<string, string | undefined>>;
  #endpoint: Promise<Endpoint> | undefined;
  #docker: Promise<Docker> | undefined;
  #agent: http.Agent | undefined;

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.#environment = environment;
  }

  /** Throws ExecutorUnavailableError when DOCKER_HOST can't be used. */
  endpoint(): Promise<Endpoint> {
    this.#endpoint ??= resolveEndpoint(this.#environment);
    return this.#endpoint;
  }

  /** dockerode, set up for the endpoint. */
  docker(): Promise<Docker> {
    this.#docker ??= this.#connect();
    return this.#docker;
  }

  /**
   * One call with a deadline. Throws EngineRefusedError for an error answer, ExecutorUnavailableError when no answer came, the
   * signal's reason when it aborted.
   */
  async call<T>(run: (docker: Docker, signal: AbortSignal) => Promise<T>, options: CallOptions<T>): Promise<T> {
    const docker = await this.docker();
    try {
      return await within(options.ms ?? CALL_MS, options.signal, (signal) => run(docker, signal), options.late);
    } catch (error) {
      options.signal.throwIfAborted();
      throw translate(error, await this.endpoint());
    }
  }

  /** The headers of `GET /_ping`, by node:http alone. Throws as `call` does. */
  async ping({ signal, ms = CALL_MS }: CallOptions<unknown>): Promise<IncomingHttpHeaders> {
    const endpoint = await this.endpoint();
    let answer: Answer;
    try {
      answer = await within(ms, signal, (inner) => get(endpoint, `${endpoint.path ?? ''}/_ping`, inner));
    } catch (error) {
      signal.throwIfAborted();
      throw translate(error, endpoint);
    }
    if (answer.status !== 200)
      throw new EngineRefusedError(answer.status, messageOf(answer) || `HTTP ${answer.status}`);
    return answer.headers;
  }

  /** What DOCKER_API_VERSION asks for, as in `1.41`; undefined for the engine's own choice. */
  get apiVersion(): string | undefined {
    return (this.#environment['DOCKER_API_VERSION'] ?? '').trim().replace(/^v/, '') || undefined;
  }

  /** Closes idle connections. What is in use stays with its owner. */
  close(): void {
    this.#agent?.destroy();
  }

  async #connect(): Promise<Docker> {
    const endpoint = await this.endpoint();
    const { Agent } = endpoint.tls === undefined ? http : https;
    this.#agent = new Agent({ keepAlive: true });
    // Every key is given, also the absent ones: docker-modem fills the others in from process.env.
    const options = {
      socketPath: endpoint.socketPath,
      host: endpoint.host,
      port: endpoint.port,
      protocol: endpoint.tls === undefined ? ('http' as const) : ('https' as const),
      ca: endpoint.tls?.ca,
      cert: endpoint.tls?.cert,
      key: endpoint.tls?.key,
      timeout: undefined,
      pathPrefix: '/',
      // It comes before each path, and pathPrefix before none that begins with a slash.
      version:
        [endpoint.path?.slice(1), this.apiVersion && `v${this.apiVersion}`].filter(Boolean).join('/') || undefined,
      agent: this.#agent,
    };
    return new Docker(options);
  }
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function get(endpoint: Endpoint, path: string, signal: AbortSignal): Promise<Answer> {
  const { request } = endpoint.tls === undefined ? http : https;
  const { socketPath, host, port, tls } = endpoint;
  const options: RequestOptions = {
    path,
    signal,
    agent: false,
    // A socket has no name to put there; over TLS the header would become the name that the certificate must have.
    ...(socketPath === undefined ? { host, port } : { socketPath, headers: { host: 'docker' } }),
    ...tls,
  };
  return new Promise((resolve, reject) => {
    const call = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > BODY_LIMIT) call.destroy(new Error('the answer is too long'));
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    call.on('error', reject);
    call.end();
  });
}

function messageOf({ text }: Answer): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'message' in body) return oneLine(String(body.message));
  } catch {
    // A proxy's page, or the plain text of an old engine.
  }
  return oneLine(text);
}
