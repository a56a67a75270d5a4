import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { type Readable, Transform } from 'node:stream';
import type { Dispatcher } from 'undici';
import { messageOf } from '../../../outcome.ts';
import { Body } from './body.ts';
import { asksForWork, type Call, callOf, mostRead } from './calls.ts';

/** Headers that belong to a single connection (RFC 9110, 7.6.1), or that each side writes itself. */
const OF_ONE_CONNECTION: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'host', 'expect'],
]);
/** Milliseconds; Go's clients keep an idle connection for 90 s. */
const KEEP_ALIVE_MS = 120_000;
/** The User-Agent of Pulumi's CLI (pulumi/pulumi, pkg/backend/httpstate/client). */
const PULUMI_CLI = /^pulumi-cli\//i;
const CLI_REFUSED =
  "This is the relay of a runner, not Pulumi Cloud: a stack's state must not name it. The job's programs must talk to Pulumi Cloud directly.";

/** One call that went through or was cut off. */
export interface Exchange {
  readonly call: Call;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** The address that the call came from. */
  readonly remote: string;
  readonly requestHeaders: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly request: Body;
  /** Undefined when no answer came. */
  readonly status: number | undefined;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly response: Body;
  /** Why there is no answer, or only part of one. */
  readonly failure?: string;
  /** When the call arrived, in milliseconds since the epoch. */
  readonly at: number;
  /** Milliseconds from then to the end of the answer. */
  readonly ms: number;
}

export interface RelayOptions {
  /** Where all calls go: scheme, host and optionally a path, without a trailing slash. */
  readonly serviceUrl: string;
  /** Connects there. The caller destroys it. */
  readonly dispatcher: Dispatcher;
  /** The address of this machine to listen on. */
  readonly address: string;
  readonly now: () => number;
  /** True for an address that may use the relay. */
  readonly admits: (remote: string) => Promise<boolean>;
  /** Called with each call before the last of its answer leaves, which waits for the promise. Never rejects. */
  readonly onExchange: (exchange: Exchange) => void | Promise<void>;
  /** Called when Pulumi's CLI called and was refused. */
  readonly onCli: (path: string, remote: string) => void;
}

/**
 * A relay between Pulumi's agent and Pulumi Cloud: bytes pass unchanged and unbuffered, no faster than the receiver
 * takes them, and are read on the way. It forwards to a single service, and only paths below `/api`.
 */
export class Relay {
  readonly #options: RelayOptions;
  readonly #server: Server;
  /** Calls for work that aren't answered yet. */
  readonly #asking = new Set<Promise<void>>();
  #givesNoWork = false;
  #url = '';

  private constructor(options: RelayOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.maxConnections = 256;
    // The client must be the one to close an idle connection: a call sent while the relay closes it would be lost.
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

  /** From now on calls for work get none: a stopping agent loses it. Resolves once those under way are answered. */
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
    const remote = remoteOf(request);
    try {
      if (!(await this.#options.admits(remote)) || socket.destroyed) return void socket.destroy();
      if (PULUMI_CLI.test(headers['user-agent'] ?? '')) {
        this.#options.onCli(path, remote);
        return refuse(response, 421, CLI_REFUSED);
      }
      if (!isBelowApi(path)) return refuse(response, 404, 'This relay serves only paths below /api.');
      const call = callOf(method, path);
      if (!asksForWork(call)) return await this.#forward(request, response, call);
      if (this.#givesNoWork) return void response.writeHead(204).end();
      const asking = this.#forward(request, response, call);
      this.#asking.add(asking);
      await asking.finally(() => this.#asking.delete(asking));
    } catch {
      // The exchange says what went wrong. The agent sees it as it would without a relay: the connection ends.
      socket.destroy();
    }
  }

  async #forward(incoming: IncomingMessage, outgoing: ServerResponse, call: Call): Promise<void> {
    const { serviceUrl, dispatcher, now, onExchange } = this.#options;
    const { method = 'GET', url: path = '' } = incoming;
    const { origin, pathname } = new URL(serviceUrl);
    const [at, began] = [now(), performance.now()];
    const [sent, received] = [new Body(mostRead(call)), new Body(mostRead(call))];
    let answer: Pick<Exchange, 'status' | 'responseHeaders'> = { status: undefined, responseHeaders: {} };
    let isReported = false;
    const report = async (failure?: string): Promise<void> => {
      if (isReported) return;
      isReported = true;
      const { headers: requestHeaders } = incoming;
      const bodies = { request: sent, response: received, requestHeaders, ...answer };
      const times = { at, ms: performance.now() - began };
      const remote = remoteOf(incoming);
      await onExchange({ call, method, path, remote, ...bodies, ...times, ...(failure !== undefined && { failure }) });
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
        body: hasBody(incoming) ? copied(incoming, sent) : null,
        signal,
        responseHeaders: 'raw',
      });
      const raw = headers as unknown as readonly string[];
      answer = { status: statusCode, responseHeaders: byName(raw) };
      const { 'content-length': length } = answer.responseHeaders;
      outgoing.sendDate = false;
      outgoing.writeHead(statusCode, statusText, passedOn(raw));
      for await (const chunk of observed(body, received, length === undefined ? undefined : Number(length), report))
        if (!outgoing.write(chunk)) await once(outgoing, 'drain', { signal });
      outgoing.end();
    } catch (error) {
      await report(messageOf(error));
      if (outgoing.headersSent) throw error;
      refuse(outgoing, 502, `This runner's relay got no answer from Pulumi Cloud: ${messageOf(error)}`);
    }
  }
}

/** Passes `source` on and keeps a copy. The rest is read even if the receiver closes early: an answer may be due. */
function copied(source: Readable, copy: Body): Readable {
  const passing = new Transform({
    transform: (chunk: Buffer, _, done) => {
      copy.take(chunk);
      done(null, chunk);
    },
  });
  // The missing answer reports why it was cut.
  passing.on('error', () => undefined).once('close', () => source.resume());
  return source.pipe(passing);
}

/** Passes chunks on and keeps a copy. Waits for `before` ahead of the last of `length` bytes, or of the end. */
async function* observed(
  source: AsyncIterable<Buffer>,
  copy: Body,
  length?: number,
  before?: () => Promise<void>,
): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    copy.take(chunk);
    if (copy.bytes === length) await before?.();
    yield chunk;
  }
  await before?.();
}

/** Raw headers, alternating names and values, without those of a single connection. */
function passedOn(raw: readonly string[]): string[] {
  return raw.filter((_, index) => !OF_ONE_CONNECTION.has((raw[index - (index % 2)] ?? '').toLowerCase()));
}

function byName(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < raw.length; at += 2) headers[(raw[at] ?? '').toLowerCase()] = raw[at + 1] ?? '';
  return headers;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** False for every way around: another host (`GET http://…`), or a path that climbs out of `/api`. */
function isBelowApi(path: string): boolean {
  const [bare = ''] = path.split('?', 1);
  return /^\/api(?:\/|$)/.test(bare) && !/(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:$|[/\\]|%2f|%5c)/i.test(bare);
}

/** The remote address; an IPv4 one without the prefix it has on a dual-stack socket. */
function remoteOf({ socket }: IncomingMessage): string {
  return (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ code: status, message });
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body);
}
