import type { Agent, IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeConfig } from '@kubernetes/client-node';
import { messageOf } from '../../outcome.ts';
import { within } from '../deadline.ts';
import { oneLine } from '../one-line.ts';
import { TargetUnavailableError } from '../target.ts';
import { type ApiSubject, isPassing, refusal, unreachable } from './errors.ts';

/** Milliseconds for a plain call. */
const CALL_MS = 30_000;
/** Milliseconds for which a claimed job waits for an API server that is away: a restart takes 10 to 30 s. */
const AWAY_MS = 60_000;
/** Milliseconds between two tries. */
const RETRY_MS = 1_000;
/** No object of ours is longer; a list of them neither. */
const BODY_BYTES = 32 * 1024 ** 2;

/** Which cluster, and as whom. */
export interface ClusterSettings {
  /** Path of a kubeconfig; where KUBECONFIG, the home directory or the pod's own service account say when absent. */
  readonly kubeconfig?: string;
  /** A context of it; its current one when absent. */
  readonly context?: string;
  /** The context's, the service account's, or `default` when absent. */
  readonly namespace?: string;
}

export interface Patience {
  readonly ms: number;
  /** Ends it when it aborts. */
  readonly signal: AbortSignal;
}

export interface Call {
  readonly subject: ApiSubject;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the server's address, as in `/api/v1/namespaces/x/pods`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** `application/json` when absent. */
  readonly contentType?: string;
  readonly signal: AbortSignal;
  /** Milliseconds; 30 s when absent. */
  readonly ms?: number;
  /** The call is made again while the API server is away. Whether one counted that was not answered is not known. */
  readonly patience?: Patience;
}

/** What a claimed job has, whose pod does not run yet. */
export function patienceOf(signal: AbortSignal): Patience {
  return { ms: AWAY_MS, signal };
}

/** The way to one cluster. Nothing is read, loaded or opened before the first call. */
export class Cluster {
  readonly #settings: ClusterSettings;
  #config: Promise<KubeConfig> | undefined;
  #namespace: string | undefined;
  #agent: Agent | undefined;
  /** Milliseconds by which the API server's clock is ahead of this machine's. */
  #aheadMs = 0;

  constructor(settings: ClusterSettings) {
    this.#settings = settings;
  }

  /** The cluster's settings. Throws TargetUnavailableError when there are none, or none that can be used. */
  config(): Promise<KubeConfig> {
    this.#config ??= this.#load();
    return this.#config;
  }

  /** The namespace of all that is made. */
  async namespace(): Promise<string> {
    this.#namespace ??= await this.#findNamespace();
    return this.#namespace;
  }

  /** The API server's address. */
  async server(): Promise<string> {
    return (await this.config()).getCurrentCluster()?.server ?? '';
  }

  /**
   * Milliseconds since 1970 by the API server's clock, to a second, as its last answer told it: what it notes of objects is of that
   * clock. This machine's before the first answer.
   */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  /**
   * One call with a deadline; returns the answer's JSON. Throws ApiRefusedError for an error answer, TargetUnavailableError when
   * none came, the signal's reason when it aborted.
   */
  async call<T>(call: Call): Promise<T> {
    const { patience } = call;
    const begun = performance.now();
    for (;;) {
      try {
        return await this.#once<T>(call);
      } catch (error) {
        if (patience === undefined || !isPassing(error) || performance.now() - begun > patience.ms) throw error;
        await sleep(RETRY_MS, undefined, { signal: patience.signal });
      }
    }
  }

  async #once<T>(call: Call): Promise<T> {
    const config = await this.config();
    const server = await this.server();
    let answer: { status: number; text: string; date: string | undefined };
    try {
      answer = await within(call.ms ?? CALL_MS, call.signal, async (signal) => {
        const options: RequestOptions = {};
        // Runs the kubeconfig's credential plugin when its token has expired.
        await config.applyToHTTPSOptions(options);
        return ask(server, options, call, signal);
      });
    } catch (error) {
      call.signal.throwIfAborted();
      throw unreachable(server, error);
    }
    const date = Date.parse(answer.date ?? '');
    if (!Number.isNaN(date)) this.#aheadMs = date - Date.now();
    // The next call takes the credentials as they are then.
    if (answer.status === 401) this.close();
    if (answer.status >= 400) throw refusal(answer.status, answer.text, call.subject);
    try {
      return JSON.parse(answer.text) as T;
    } catch (error) {
      throw unreachable(
        server,
        new Error(`not the API's answer: ${oneLine(answer.text).slice(0, 80)}`, { cause: error }),
      );
    }
  }

  /** Closes idle connections. */
  close(): void {
    this.#agent?.destroy();
    this.#agent = undefined;
  }

  async #load(): Promise<KubeConfig> {
    const { KubeConfig: Config } = await import('./client.ts');
    const { kubeconfig, context } = this.#settings;
    const config = new Config();
    const named = kubeconfig ?? 'the kubeconfig';
    try {
      if (kubeconfig === undefined) config.loadFromDefault();
      else config.loadFromFile(kubeconfig);
    } catch (error) {
      throw new TargetUnavailableError(
        `Failed to read ${named} for the cluster: ${oneLine(messageOf(error))}. Check the file, and that this user may read it.`,
        { cause: error },
      );
    }
    if (context !== undefined) config.setCurrentContext(context);
    const current = config.getContextObject(config.getCurrentContext());
    // Without any kubeconfig the library invents a server on this machine.
    const invented = kubeconfig === undefined && config.getCurrentCluster()?.server === 'http://localhost:8080';
    if (current === null || config.getCurrentCluster() === null || invented) {
      const known = config.getContexts().map(({ name }) => name);
      const why = invented
        ? 'there is no kubeconfig, and no service account of a pod'
        : `it has no context "${context ?? config.getCurrentContext()}" with a cluster${known.length === 0 ? '' : ` (it has ${known.join(', ')})`}`;
      throw new TargetUnavailableError(
        `Failed to find the cluster for jobs in ${named}: ${why}. Set KUBECONFIG or kubeconfig to a kubeconfig file, and kube_context to one of its contexts.`,
      );
    }
    return this.#keepConnections(config);
  }

  /**
   * Has the library's connections kept: it would make one with its TLS handshake for each call and each stream. A stream takes an idle
   * one along, or a session of one.
   */
  #keepConnections(config: KubeConfig): KubeConfig {
    const apply = config.applyToHTTPSOptions.bind(config);
    config.applyToHTTPSOptions = async (options: RequestOptions) => {
      await apply(options);
      this.#agent ??= kept(options.agent);
      if (this.#agent !== undefined) options.agent = this.#agent;
    };
    return config;
  }

  async #findNamespace(): Promise<string> {
    const config = await this.config();
    if (this.#settings.namespace !== undefined) return this.#settings.namespace;
    return config.getContextObject(config.getCurrentContext())?.namespace ?? 'default';
  }
}

/** The library makes a connection per call; with this one they are kept. */
function kept(agent: RequestOptions['agent']): Agent | undefined {
  if (agent === undefined || typeof agent === 'boolean') return undefined;
  return Object.assign(agent, { keepAlive: true });
}

function ask(
  server: string,
  options: RequestOptions,
  { method, path, query = {}, body, contentType = 'application/json' }: Call,
  signal: AbortSignal,
): Promise<{ status: number; text: string; date: string | undefined }> {
  const url = new URL(`${server.replace(/\/+$/, '')}${path}`);
  url.search = new URLSearchParams(query).toString();
  const text = body === undefined ? undefined : JSON.stringify(body);
  const { request } = process.getBuiltinModule(url.protocol === 'http:' ? 'node:http' : 'node:https');
  return new Promise((resolve, reject) => {
    const headers = {
      ...options.headers,
      accept: 'application/json',
      ...(text === undefined ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(text) }),
    };
    const call = request(url, { ...options, method, headers, signal }, (response: IncomingMessage) => {
      const pieces: Buffer[] = [];
      let bytes = 0;
      response.on('data', (piece: Buffer) => {
        pieces.push(piece);
        bytes += piece.length;
        if (bytes > BODY_BYTES) call.destroy(new Error('the answer is too long'));
      });
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers: said } = response;
        resolve({ status, text: Buffer.concat(pieces).toString(), date: said.date });
      });
    });
    call.on('error', reject);
    call.end(text);
  });
}
