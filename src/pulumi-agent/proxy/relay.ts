import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6, type Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { keepNewest } from '../../base/keep-newest.ts';
import { messageOf } from '../../base/outcome.ts';
import { subjectTokenIn } from '../recorder/shapes.ts';
import { Body } from './body.ts';
import { asksForWork, type Call, callOf, mostRead } from './calls.ts';
import type { Exchange } from './exchange.ts';
import { bodyOf, byName, copied, hasBody, observed, passedOn } from './passing.ts';

/** Milliseconds; Go's clients keep an idle connection for 90 s. */
const KEEP_ALIVE_MS = 120_000;

/**
 * Connections, and those of them on which no credential has come yet: the first leaves room for a
 * whole backlog.
 */
const MOST_CONNECTIONS = 1_024;
const MOST_STRANGERS = 128;

/** The User-Agent of Pulumi's CLI (pulumi/pulumi, pkg/backend/httpstate/client). */
const PULUMI_CLI = /^pulumi-cli\//i;
const REFUSED = "This runner's relay takes such a call only with a credential of its run.";
const CLI_REFUSED =
  "This is the relay of a runner, not Pulumi Cloud: a stack's state must not name it. The job's programs must talk to Pulumi Cloud directly.";

/** The facts about a call before it is forwarded. */
interface Known {
  readonly call: Call;
  readonly isBelieved: boolean;
  /** Its body, if that was read. */
  readonly read?: Body | undefined;
}

export interface RelayOptions {
  /** The destination of all calls: scheme, host and optionally a path, without a trailing slash. */
  readonly serviceUrl: string;
  /** Connects there. The caller destroys it. */
  readonly dispatcher: Dispatcher;
  /** The address of this machine to listen on. */
  readonly address: string;
  readonly now: () => number;
  /** True for a credential of the run. */
  readonly believes: (token: string | undefined) => boolean;

  /**
   * Called with each believed call before the last of its answer leaves, which waits for the
   * promise. Never rejects.
   */
  readonly onExchange: (exchange: Exchange) => void | Promise<void>;

  /** Called when Pulumi's CLI called, with this token, and was refused. */
  readonly onCli: (path: string, token: string | undefined) => void;
}

/**
 * A relay between Pulumi's agent and Pulumi Cloud: bytes pass unchanged and unbuffered, no faster
 * than the receiver takes them, and are read on the way if the call bears a credential of the run.
 * Without one it refuses the calls that it knows, and passes on others unread. It forwards to a
 * single service, and only paths below `/api`.
 */
export class Relay {
  readonly #options: RelayOptions;
  readonly #server: Server;
  /** Calls for work that aren't answered yet. */
  readonly #asking = new Set<Promise<void>>();
  /** Connections without a credential so far, oldest first. */
  readonly #strangers = new Set<Socket>();
  #givesNoWork = false;
  #url = '';

  private constructor(options: RelayOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    // Idle strangers must not keep Pulumi's agent out.
    this.#server.on('connection', (socket) => keepNewest(this.#strangers, socket, MOST_STRANGERS));
    this.#server.maxConnections = MOST_CONNECTIONS;

    // The client must be the one to close an idle connection: a call sent while the relay closes it
    // would be lost.
    this.#server.keepAliveTimeout = KEEP_ALIVE_MS;

    // How long a call may take is up to its two ends.
    this.#server.requestTimeout = 0;
  }

  /** Starts listening on a free port. The caller closes it. Throws what node:net throws. */
  static async open(options: RelayOptions): Promise<Relay> {
    const relay = new Relay(options);
    await once(relay.#server.listen({ port: 0, host: options.address }), 'listening');
    relay.#server.on('error', () => undefined);
    const { port } = relay.#server.address() as AddressInfo;
    relay.#url = `http://${isIPv6(options.address) ? `[${options.address}]` : options.address}:${port}`;
    return relay;
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
    await Promise.all(this.#asking);
  }

  /** Cuts every connection. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '', headers, socket } = request;
    const bearer = tokenIn(headers);

    try {
      if (PULUMI_CLI.test(headers['user-agent'] ?? '')) {
        this.#options.onCli(path, bearer);
        return refuse(response, 421, CLI_REFUSED);
      }

      if (!isBelowApi(path)) return refuse(response, 404, 'This relay serves only paths below /api.');

      const call = callOf(method, path);

      // Its credential is in its body.
      const read = call.kind === 'exchange' ? await bodyOf(request, mostRead(call)) : undefined;
      const isBelieved = this.#options.believes(read === undefined ? bearer : subjectTokenIn(read));

      if (isBelieved) this.#strangers.delete(socket);
      else if (call.kind !== 'other') return refuse(response, 401, REFUSED);

      const isAsking = asksForWork(call);
      if (isAsking && this.#givesNoWork) return void response.writeHead(204).end();

      const forwarding = this.#forward(request, response, { call, isBelieved, read });
      if (isAsking) this.#asking.add(forwarding);
      await forwarding.finally(() => this.#asking.delete(forwarding));
    } catch {
      // The exchange says what went wrong. The agent sees it as it would without a relay: the
      // connection ends.
      socket.destroy();
    }
  }

  async #forward(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    { call, isBelieved, read }: Known,
  ): Promise<void> {
    const { serviceUrl, dispatcher, now, onExchange } = this.#options;
    const { method = 'GET', url: path = '' } = incoming;
    const { origin, pathname } = new URL(serviceUrl);
    const [at, began] = [now(), performance.now()];
    const most = isBelieved ? mostRead(call) : 0;
    const [sent, received] = [read ?? new Body(most), new Body(most)];
    let answer: Pick<Exchange, 'status' | 'responseHeaders'> = { status: undefined, responseHeaders: {} };
    let isReported = !isBelieved;

    const report = async (failure?: string): Promise<void> => {
      if (isReported) return;

      isReported = true;

      const { headers: requestHeaders } = incoming;
      const bodies = { request: sent, response: received, requestHeaders, ...answer };
      const times = { at, began, ms: performance.now() - began };

      await onExchange({
        call,
        method,
        path,
        ...bodies,
        ...times,
        ...(failure !== undefined && { failure }),
      });
    };

    const gone = new AbortController();
    const { signal } = gone;

    outgoing.once('close', () => outgoing.writableFinished || gone.abort(new Error('the agent hung up')));

    try {
      const { statusCode, statusText, headers, body } = await dispatcher.request({
        origin,
        // Verbatim: a URL parser would normalize it.
        path: `${pathname.replace(/\/$/, '')}${path}`,
        method: method as Dispatcher.HttpMethod,
        headers: passedOn(incoming.rawHeaders),
        body: read?.whole ?? (hasBody(incoming) ? copied(incoming, sent) : null),
        signal,
        responseHeaders: 'raw',
      });

      const raw = headers as unknown as readonly string[];

      answer = { status: statusCode, responseHeaders: byName(raw) };

      const { 'content-length': length } = answer.responseHeaders;
      outgoing.sendDate = false;
      outgoing.writeHead(statusCode, statusText, passedOn(raw));

      for await (const chunk of observed(
        body,
        received,
        length === undefined ? undefined : Number(length),
        report,
      ))
        if (!outgoing.write(chunk)) await once(outgoing, 'drain', { signal });

      outgoing.end();
    } catch (error) {
      await report(messageOf(error));
      if (outgoing.headersSent) throw error;
      refuse(outgoing, 502, `This runner's relay got no answer from Pulumi Cloud: ${messageOf(error)}`);
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

function refuse(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ code: status, message });
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body);
}
