import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http, { type Agent, type IncomingMessage } from 'node:http';
import https, { type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { KubeConfig } from '@kubernetes/client-node';
import { systemClock } from '../../base/clock.ts';
import { within } from '../../base/deadline.ts';
import { fieldsOf } from '../../base/json.ts';
import { withoutCredentials } from '../../base/log/credential-shape.ts';
import { messageOf, reasonOf } from '../../base/outcome.ts';
import { retry } from '../../base/retry.ts';
import { ExecutorUnavailableError } from '../executor.ts';
import { oneLine } from '../foreign-text.ts';
import { isPassing, refusal, refusedWith, unreachable } from './errors.ts';

/** For a call that states no time. */
const CALL_MS = 30_000;

/** For retries while the API server is away: a restart takes 10 to 30 s. */
export const AWAY_MS = 60_000;
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
 * A server's proxy; `proxyUrl` is the kubeconfig's. Undefined also if the Kubernetes client handles
 * it. May throw.
 */
export type FindProxy = (server: URL, proxyUrl: string | undefined) => Promise<ClusterProxy | undefined>;

/** A proxy; `agent` makes connections through it and keeps them until the caller destroys it. */
interface ClusterProxy {
  readonly address: string;
  /** The variable or setting that names it. */
  readonly variable: string;
  readonly agent: Agent;
}

/** Selects the cluster, the credentials and the proxy. */
export interface ClusterSettings {
  /** Path of a kubeconfig; else KUBECONFIG, the home directory or the pod's service account. */
  readonly kubeconfig?: string | undefined;
  /** Its context; the current one if absent. */
  readonly kubeContext?: string | undefined;
  /** If absent, the context's, the service account's, or `default`. */
  readonly namespace?: string | undefined;
  /** If absent, only the kubeconfig's proxy is used. */
  readonly findProxy?: FindProxy | undefined;
}

/** One call to the API server, for a resource in the namespace unless `path` is set. */
export interface ApiCall {
  readonly verb: keyof typeof METHODS;
  /** As in a Role's rules: `pods`, `pods/exec`. */
  readonly resource: string;
  readonly name?: string | undefined;
  /** Relative to the server's address. */
  readonly path?: string | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly body?: object | undefined;
  /** `application/json` if absent. */
  readonly contentType?: string | undefined;

  /**
   * Requests a WebSocket and closes it as soon as it is open; any other answer counts as a refusal.
   */
  readonly isWebSocket?: true | undefined;
  readonly signal: AbortSignal;
  /** For the answer; CALL_MS if absent. */
  readonly ms?: number | undefined;

  /**
   * Retries the call while the API server is away, until this aborts. An unanswered attempt can
   * have taken effect.
   */
  readonly retry?: AbortSignal | undefined;
}

/** A client for one cluster. Nothing is read, loaded or opened before the first call. */
export class Cluster {
  readonly #settings: ClusterSettings;
  #config: Promise<KubeConfig> | undefined;
  #proxy: ClusterProxy | undefined;
  /** The lead of the API server's clock over this machine's. */
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
    return this.#namespaceIn(await this.config());
  }

  #namespaceIn(config: KubeConfig): string {
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
    const attempt = () => this.authenticated((config) => this.#once<T>(config, call));
    if (signal === undefined) return await attempt();

    return await retry(
      attempt,
      (error) => (isPassing(error) && performance.now() - begun <= AWAY_MS ? RETRY_MS : undefined),
      { clock: systemClock, signal },
    );
  }

  /**
   * Runs `work` with the kubeconfig, and after a 401 once more with the kubeconfig's present
   * credentials: CI systems rewrite tokens, and a plugin's can have no date of expiry. A call that
   * gets a 401 has done nothing.
   */
  async authenticated<T>(work: (config: KubeConfig) => Promise<T>): Promise<T> {
    const loading = this.config();
    const config = await loading;

    try {
      return await work(config);
    } catch (error) {
      if (!refusedWith(error, 401)) throw error;

      // Several calls can get a 401 for the same credentials.
      if (this.#config === loading) {
        const fresh = this.#reload(config);
        if (fresh === undefined) throw error;
        this.#config = Promise.resolve(fresh);
      }

      return await work(await this.config());
    }
  }

  async #once<T>(config: KubeConfig, call: ApiCall): Promise<T> {
    const [server, namespace] = [await this.server(), await this.namespace()];
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

    this.#adapt(config);
    return config;
  }

  /**
   * The kubeconfig as it is now; undefined if it can't be read or leads elsewhere, where a missing
   * pod proves nothing.
   */
  #reload(old: KubeConfig): KubeConfig | undefined {
    const place = (config: KubeConfig) =>
      `${config.getCurrentCluster()?.server} ${this.#namespaceIn(config)}`;

    try {
      const fresh = readKubeConfig({ ...this.#settings, kubeContext: old.getCurrentContext() });
      // A file that is being written can have no users yet.
      if (place(fresh) !== place(old) || fresh.getCurrentUser() === null) return undefined;
      this.#adapt(fresh);
      return fresh;
    } catch {
      return undefined;
    }
  }

  /** Changes the options that the library sets for each call and stream. */
  #adapt(config: KubeConfig): void {
    const apply = config.applyToHTTPSOptions;
    const agent = this.#proxy?.agent;

    config.applyToHTTPSOptions = async (options: RequestOptions) => {
      // The library would keep one agent per user, whose first certificates override a request's.
      const uncached: KubeConfig = Object.create(config, { agentCache: { value: new Map() } });

      try {
        await apply.call(uncached, options);
      } catch (error) {
        // The message can be all that a credential plugin has printed.
        throw new Error(withoutCredentials(reasonOf(error)));
      }

      // The library's own rules for proxies differ. TLS options stay the request's.
      if (agent !== undefined) options.agent = agent;
    };
  }
}

/** Reads a kubeconfig. Throws ExecutorUnavailableError if there is none that names a cluster. */
function readKubeConfig({ kubeconfig, kubeContext: context }: ClusterSettings): KubeConfig {
  const config = new KubeConfig();
  const shown = kubeconfig ?? 'the kubeconfig';

  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
  } catch (error) {
    throw unreadable(shown, error);
  }

  if (context !== undefined) config.setCurrentContext(context);

  const current = config.getContextObject(config.getCurrentContext());

  // Without any kubeconfig, the library makes up a server on localhost.
  const invented = kubeconfig === undefined && config.getCurrentCluster()?.server === 'http://localhost:8080';

  if (current === null || config.getCurrentCluster() === null || invented) {
    const names = config.getContexts().map(({ name }) => name);
    const why = invented
      ? 'there is no kubeconfig, and no service account of a pod'
      : `it has no context "${context ?? config.getCurrentContext()}" with a cluster${names.length === 0 ? '' : ` (it has ${names.join(', ')})`}`;

    throw noCluster(shown, why);
  }

  return config;
}

function unreadable(shown: string, error: unknown): ExecutorUnavailableError {
  const advice = 'Check the file, and that this user can read it.';
  const message = `Failed to read ${shown} for the cluster: ${oneLine(whyUnreadable(error))}. ${advice}`;
  return new ExecutorUnavailableError(message, { code: 'PRA-K8S-02' });
}

/** A YAML error quotes the file, with its credentials, so only the place is shown. */
function whyUnreadable(error: unknown): string {
  const { line, column } = fieldsOf(fieldsOf(error)['mark']);
  if (typeof line !== 'number' || typeof column !== 'number') return messageOf(error);
  return `its YAML is invalid at line ${line + 1}, column ${column + 1}`;
}

function noCluster(shown: string, why: string): ExecutorUnavailableError {
  const advice =
    'Set KUBECONFIG or kubeconfig to a kubeconfig file, and kube_context to one of its contexts.';
  const message = `Failed to find the cluster for jobs in ${shown}: ${why}. ${advice}`;
  return new ExecutorUnavailableError(message, { code: 'PRA-K8S-01' });
}

/**
 * Makes one request and returns any answer. `options` are the connection's. Throws as node:http does.
 */
async function ask(
  url: URL,
  options: RequestOptions,
  { verb, query, body, contentType = 'application/json', isWebSocket }: ApiCall,
  signal: AbortSignal,
): Promise<{ status: number; text: string; date: string | undefined }> {
  if (query !== undefined) url.search = new URLSearchParams(query).toString();

  const text = body === undefined ? undefined : JSON.stringify(body);
  const content =
    text === undefined ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(text) };

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
  call.end(text);

  const [response, socket] = (await Promise.race([once(call, 'upgrade'), once(call, 'response')])) as [
    IncomingMessage,
    Duplex | undefined,
  ];

  // An open WebSocket has no body to read to its end.
  socket?.destroy();

  const answer = socket === undefined ? await textOf(response) : '';
  return { status: response.statusCode ?? 0, text: answer, date: response.headers.date };
}
