import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http, { type Agent, type IncomingMessage } from 'node:http';
import https, { type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import type { KubeConfig } from '@kubernetes/client-node';
import { systemClock } from '../../base/clock.ts';
import { within } from '../../base/deadline.ts';
import { retry } from '../../base/retry.ts';
import { isPassing, refusal, unreachable } from './errors.ts';
import { type KubeConfigChoice, readKubeConfig } from './kubeconfig.ts';

/** Milliseconds for a call that states none. */
const CALL_MS = 30_000;

/** Milliseconds of retries while the API server is away: a restart takes 10 to 30 s. */
export const AWAY_MS = 60_000;

/** Milliseconds between retries. */
const RETRY_MS = 1_000;

const METHODS = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  patch: 'PATCH',
  delete: 'DELETE',
} as const;

/**
 * A server's proxy; `named` is the kubeconfig's. Undefined also if the Kubernetes client handles
 * it. May throw.
 */
export type FindProxy = (server: URL, named: string | undefined) => Promise<ClusterProxy | undefined>;

/** A proxy; `agent` makes connections through it and keeps them until the caller destroys it. */
interface ClusterProxy {
  readonly address: string;
  /** The variable or setting that names it. */
  readonly variable: string;
  readonly agent: Agent;
}

/** Selects the cluster, the credentials and the proxy. */
export interface ClusterSettings extends KubeConfigChoice {
  /** If absent, the context's, the service account's, or `default`. */
  readonly namespace?: string | undefined;
  /** If absent, only the kubeconfig's proxy is used. */
  readonly findProxy?: FindProxy;
}

/** One call to the API server, for a resource in the namespace unless `path` is set. */
export interface ApiCall {
  readonly verb: keyof typeof METHODS;
  /** As in a Role's rules: `pods`, `pods/exec`. */
  readonly resource: string;
  readonly name?: string;
  /** Relative to the server's address. */
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** `application/json` if absent. */
  readonly contentType?: string;

  /**
   * Requests a WebSocket and closes it as soon as it is open; any other answer counts as a refusal.
   */
  readonly isWebSocket?: true;
  readonly signal: AbortSignal;
  /** Milliseconds for the answer; 30,000 if absent. */
  readonly ms?: number;

  /**
   * Retries the call while the API server is away, until this aborts. An unanswered attempt may
   * have taken effect.
   */
  readonly retry?: AbortSignal;
}

/** A client for one cluster. Nothing is read, loaded or opened before the first call. */
export class Cluster {
  readonly #settings: ClusterSettings;
  #config: Promise<KubeConfig> | undefined;
  #proxy: ClusterProxy | undefined;
  /** Milliseconds by which the API server's clock is ahead of this machine's. */
  #aheadMs = 0;

  constructor(settings: ClusterSettings) {
    this.#settings = settings;
  }

  /**
   * The cluster's kubeconfig. Throws ExecutorUnavailableError if there is none, or none that can be
   * used.
   */
  config(): Promise<KubeConfig> {
    this.#config ??= this.#load();
    return this.#config;
  }

  async namespace(): Promise<string> {
    const config = await this.config();
    return (
      this.#settings.namespace ?? config.getContextObject(config.getCurrentContext())?.namespace ?? 'default'
    );
  }

  async server(): Promise<string> {
    return (await this.config()).getCurrentCluster()?.server ?? '';
  }

  /**
   * The API server's address, with the proxy if there is one: `https://… through the proxy http://…
   * (HTTPS_PROXY)`.
   */
  async way(): Promise<string> {
    const server = await this.server();
    return this.#proxy === undefined
      ? server
      : `${server} through the proxy ${this.#proxy.address} (${this.#proxy.variable})`;
  }

  /**
   * Milliseconds since the epoch by the API server's clock, which sets objects' times; from its
   * last answer.
   */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  /**
   * Calls with a deadline. Throws ApiRefusedError (error answer), ApiAwayError (no answer) or the
   * signal's reason.
   */
  async call<T>(call: ApiCall): Promise<T> {
    const { retry: signal } = call;
    const begun = performance.now();
    if (signal === undefined) return await this.#once<T>(call);

    return await retry(
      () => this.#once<T>(call),
      (error) => (isPassing(error) && performance.now() - begun <= AWAY_MS ? RETRY_MS : undefined),
      { clock: systemClock, signal },
    );
  }

  async #once<T>(call: ApiCall): Promise<T> {
    const [config, server, namespace] = [await this.config(), await this.server(), await this.namespace()];
    const { verb, resource, name, ms = CALL_MS } = call;
    const { path = `/api/v1/namespaces/${namespace}/${resource}${name === undefined ? '' : `/${name}`}` } =
      call;
    let answer: Awaited<ReturnType<typeof ask>>;

    try {
      answer = await within(ms, call.signal, async (signal) => {
        const options: RequestOptions = {};
        // Runs the kubeconfig's credential plugin when its token has expired.
        await config.applyToHTTPSOptions(options);
        return ask(new URL(`${server.replace(/\/+$/, '')}${path}`), options, call, signal);
      });
    } catch (error) {
      call.signal.throwIfAborted();
      throw unreachable(await this.way(), error);
    }

    const date = Date.parse(answer.date ?? '');
    if (!Number.isNaN(date)) this.#aheadMs = date - Date.now();

    const isRefused = call.isWebSocket === true ? answer.status !== 101 : answer.status >= 400;
    if (isRefused) throw refusal(answer.status, answer.text, { verb, resource, namespace });
    if (call.isWebSocket === true) return undefined as T;

    try {
      return JSON.parse(answer.text) as T;
    } catch (error) {
      throw unreachable(await this.way(), error);
    }
  }

  /** Closes the connections through a proxy; direct ones are not kept. */
  close(): void {
    this.#proxy?.agent.destroy();
  }

  async #load(): Promise<KubeConfig> {
    const config = readKubeConfig(this.#settings);
    const { server, proxyUrl } = config.getCurrentCluster() ?? {};
    const url = URL.parse(server ?? '');

    if (url !== null) this.#proxy = await this.#settings.findProxy?.(url, proxyUrl || undefined);

    const agent = this.#proxy?.agent;
    if (agent === undefined) return config;

    // Calls and streams use this agent, as the library's own rules for proxies differ. TLS options
    // stay the request's.
    const apply = config.applyToHTTPSOptions.bind(config);
    config.applyToHTTPSOptions = async (options: RequestOptions) => {
      await apply(options);
      options.agent = agent;
    };

    return config;
  }
}

/**
 * Makes one request and returns any answer. `options` are the connection's. Throws what node:http
 * throws.
 */
async function ask(
  url: URL,
  options: RequestOptions,
  { verb, query, body, contentType = 'application/json', isWebSocket }: ApiCall,
  signal: AbortSignal,
): Promise<{ status: number; text: string; date: string | undefined }> {
  if (query !== undefined) url.search = new URLSearchParams(query).toString();

  const sent = body === undefined ? undefined : JSON.stringify(body);
  const content =
    sent === undefined ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(sent) };

  // A client's handshake of RFC 6455. The API server's watches require an origin, but accept any.
  const upgrade = isWebSocket && {
    connection: 'Upgrade',
    upgrade: 'websocket',
    origin: url.origin,
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
  };

  const headers = { ...options.headers, accept: 'application/json', ...content, ...upgrade };
  const { request } = url.protocol === 'http:' ? http : https;
  const call = request(url, { ...options, method: METHODS[verb], headers, signal });

  // A failure after the answer's head also fails reading its body.
  call.on('error', () => undefined);
  call.end(sent);

  const [response, socket] = (await Promise.race([once(call, 'upgrade'), once(call, 'response')])) as [
    IncomingMessage,
    Duplex | undefined,
  ];

  // An open WebSocket has no body to read to its end.
  socket?.destroy();

  const text = socket === undefined ? await textOf(response) : '';
  return { status: response.statusCode ?? 0, text, date: response.headers.date };
}
