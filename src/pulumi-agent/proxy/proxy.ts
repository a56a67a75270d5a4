import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6, type Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import type { TimeSource } from '../../base/clock.ts';
import { keepNewest } from '../../base/keep-newest.ts';
import type { ProxiedCall } from './call.ts';
import { forward, readBody, refuse } from './forward.ts';
import { endpointOf, fetchesWork, maxBodyBytes, subjectTokenIn } from './protocol.ts';

/*
 * The reverse proxy between Pulumi's agent and Pulumi Cloud, which pages and messages call the relay. Here is its
 * server, which decides what passes; forward.ts forwards one call; protocol.ts has the calls that it knows, call.ts one
 * that went through; credentials.ts says which credentials are the run's; address.ts where the proxy can listen.
 */

/** Go's clients keep an idle connection for 90 s. */
const KEEP_ALIVE_MS = 120_000;

/**
 * Connections, and those of them on which no credential has come yet: the first leaves room for a
 * whole backlog.
 */
const MAX_CONNECTIONS = 1_024;
const MAX_STRANGERS = 128;

/** The User-Agent of Pulumi's CLI (pulumi/pulumi, pkg/backend/httpstate/client). */
const PULUMI_CLI = /^pulumi-cli\//i;
const REFUSED = "This runner's relay takes such a call only with a credential of its run.";
const CLI_REFUSED =
  "This is the relay of a runner, not Pulumi Cloud: a stack's state must not name it. The job's programs must talk to Pulumi Cloud directly.";

export interface CloudProxyOptions {
  /** The destination of all calls: scheme, host and optionally a path, without a trailing slash. */
  readonly serviceUrl: string;
  /** Connects there. The caller destroys it. */
  readonly dispatcher: Dispatcher;
  /** The address of this machine to listen on. */
  readonly address: string;
  readonly clock: TimeSource;
  /** True for a credential of the run. */
  readonly isCredential: (token: string | undefined) => boolean;

  /**
   * Called with each call that bears a credential, before the last of its answer leaves, which
   * waits for the promise. Never rejects.
   */
  readonly onCall: (call: ProxiedCall) => void | Promise<void>;

  /** Called when Pulumi's CLI called, with this token, and was refused. */
  readonly onCli: (path: string, token: string | undefined) => void;
}

/**
 * Forwards calls to a single service, and only paths below `/api`. Without a credential of the run
 * it refuses the calls that it knows, and forwards others unread.
 */
export class CloudProxy {
  readonly #options: CloudProxyOptions;
  readonly #server: Server;
  /** Calls for work that aren't answered yet. */
  readonly #callsForWork = new Set<Promise<void>>();
  /** Connections without a credential so far, oldest first. */
  readonly #strangers = new Set<Socket>();
  #givesNoWork = false;
  #url = '';

  private constructor(options: CloudProxyOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    // Idle strangers must not keep Pulumi's agent out.
    this.#server.on('connection', (socket) => keepNewest(this.#strangers, socket, MAX_STRANGERS));
    this.#server.maxConnections = MAX_CONNECTIONS;

    // The client must be the one to close an idle connection: a call sent while the proxy closes it
    // would be lost.
    this.#server.keepAliveTimeout = KEEP_ALIVE_MS;

    // How long a call may take is up to its two ends.
    this.#server.requestTimeout = 0;
  }

  /** Starts listening on a free port. The caller closes it. Throws what node:net throws. */
  static async open(options: CloudProxyOptions): Promise<CloudProxy> {
    const proxy = new CloudProxy(options);
    await once(proxy.#server.listen({ port: 0, host: options.address }), 'listening');
    proxy.#server.on('error', () => undefined);
    const { port } = proxy.#server.address() as AddressInfo;
    proxy.#url = `http://${isIPv6(options.address) ? `[${options.address}]` : options.address}:${port}`;
    return proxy;
  }

  /** The URL that the agent uses as Pulumi Cloud's, such as `http://172.17.0.1:40001`. */
  get url(): string {
    return this.#url;
  }

  /**
   * From now on calls for work get none: a stopping agent loses it. Resolves once those under way
   * are answered.
   */
  async giveNoWork(): Promise<void> {
    this.#givesNoWork = true;
    await Promise.all(this.#callsForWork);
  }

  /** Cuts every connection. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { serviceUrl, dispatcher, clock, isCredential, onCall, onCli } = this.#options;
    const { method = 'GET', url: path = '', headers, socket } = request;
    const bearer = tokenIn(headers);

    try {
      if (PULUMI_CLI.test(headers['user-agent'] ?? '')) {
        onCli(path, bearer);
        return refuse(response, 421, CLI_REFUSED);
      }

      if (!isBelowApi(path)) return refuse(response, 404, 'This relay serves only paths below /api.');

      const endpoint = endpointOf(method, path);

      // Its credential is in its body.
      const requestBody =
        endpoint.kind === 'token-exchange' ? await readBody(request, maxBodyBytes(endpoint)) : undefined;
      const token = requestBody === undefined ? bearer : subjectTokenIn(requestBody.text() ?? '');
      const hasCredential = isCredential(token);

      if (hasCredential) this.#strangers.delete(socket);
      else if (endpoint.kind !== 'other') return refuse(response, 401, REFUSED);

      const isForWork = fetchesWork(endpoint);
      if (isForWork && this.#givesNoWork) return void response.writeHead(204).end();

      const forwarding = forward(request, response, {
        serviceUrl,
        dispatcher,
        clock,
        endpoint,
        requestBody,
        onCall: hasCredential ? onCall : undefined,
      });

      if (isForWork) this.#callsForWork.add(forwarding);
      await forwarding.finally(() => this.#callsForWork.delete(forwarding));
    } catch {
      // The call says what went wrong. The agent sees it as it would without a proxy: the
      // connection ends.
      socket.destroy();
    }
  }
}

/**
 * False for every way around: another host (`GET http://…`), or a path that climbs out of `/api`.
 */
function isBelowApi(path: string): boolean {
  const [bare = ''] = path.split('?', 1);
  return /^\/api(?:\/|$)/.test(bare) && !/(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:$|[/\\]|%2f|%5c)/i.test(bare);
}

/** The token of an Authorization header, of any scheme. */
function tokenIn({ authorization }: IncomingMessage['headers']): string | undefined {
  return /^\S+ +(\S+)$/.exec(authorization ?? '')?.[1];
}
