import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { type Readable, Transform } from 'node:stream';
import type { Dispatcher } from 'undici';
import { messageOf } from '../../../outcome.ts';
import { Body } from './body.ts';
import { asksForWork, type Call, callOf, mostRead } from './calls.ts';

/** Names of headers that belong to one connection (RFC 9110, 7.6.1), or that each side writes itself. */
const OF_ONE_CONNECTION: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'host', 'expect'],
]);
/** Milliseconds; Go's clients keep a connection that is idle for 90 s. */
const KEEP_ALIVE_MS = 120_000;
/** Pulumi's CLI names itself so (pulumi/pulumi, pkg/backend/httpstate/client). */
const PULUMI_CLI = /^pulumi-cli\//i;
const CLI_REFUSED =
  "This is the relay of a runner, not Pulumi Cloud: a stack's state must not name it. The job's programs are to talk to Pulumi Cloud itself.";

/** One call that went through, or was cut on its way. */
export interface Exchange {
  readonly call: Call;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Where the call came from. */
  readonly remote: string;
  readonly requestHeaders: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly request: Body;
  /** Undefined when no answer came. */
  readonly status: number | undefined;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly response: Body;
  /** Why there is no answer, or only a part of one. */
  readonly failure?: string;
  /** By the clock of the relay: milliseconds since the epoch, and until the end of the answer. */
  readonly at: number;
  readonly ms: number;
}

export interface RelayOptions {
  /** Where all calls go: scheme, host and perhaps a path, without a trailing slash. */
  readonly serviceUrl: string;
  /** The way there. The caller destroys it. */
  readonly dispatcher: Dispatcher;
  /** The address of this machine to listen on. */
  readonly address: string;
  readonly now: () => number;
  /** True for who may use the relay. */
  readonly admits: (remote: string) => Promise<boolean>;
  /** Gets each call before the last of its answer leaves: the answer waits for it. Never rejects. */
  readonly onExchange: (exchange: Exchange) => void | Promise<void>;
  /** Pulumi's CLI called, which was refused. */
  readonly onCli: (path: string, remote: string) => void;
}

/**
 * A relay between Pulumi's agent and Pulumi Cloud: bytes pass unchanged and unbuffered, no faster than they are taken, and are read
 * along. It forwards to one place, and only what lies below `/api`.
 */
export class Relay {
  readonly #options: RelayOptions;
  readonly #server: Server;
  /** Calls for work that aren't answered. */
  readonly #asking = new Set<Promise<void>>();
  #givesNoWork = false;
  #url = '';

  private constructor(options: RelayOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.maxConnections = 256;
    // A client that keeps a connection must be the one to end it: a call that meets its end is lost.
    this.#server.keepAliveTimeout = KEEP_ALIVE_MS;
    // How long a call may take is for its two ends to say.
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

  /** What the agent takes for Pulumi Cloud, such as `http://172.17.0.1:40001`. */
  get url(): string {
    return this.#url;
  }

  /**
   * From now on the relay answers calls for work itself, that there is none: work that a stopping agent is given is lost. Resolves
   * once the calls that are under way have their answers.
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
    const remote = remoteOf(request);
    try {
      if (!(await this.#options.admits(remote)) || socket.destroyed) return void socket.destroy();
      if (PULUMI_CLI.test(headers['user-agent'] ?? '')) {
        this.#options.onCli(path, remote);
        return refuse(response, 421, CLI_REFUSED);
      }
      if (!isBelowApi(path)) return refuse(response, 404, 'This relay serves what lies below /api.');
      const call = callOf(method, path);
      if (!asksForWork(call)) return await this.#forward(request, response, call);
      if (this.#givesNoWork) return void response.writeHead(204).end();
      const asking = this.#forward(request, response, call);
      this.#asking.add(asking);
      await asking.finally(() => this.#asking.delete(asking));
    } catch {
      // What went wrong is in the exchange. The agent learns it as it would without a relay: the connection ends.
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
    let isTold = false;
    const tell = async (failure?: string): Promise<void> => {
      if (isTold) return;
      isTold = true;
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
        // As it stands: a parser of URLs would write it anew.
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
      for await (const chunk of observed(body, received, length === undefined ? undefined : Number(length), tell))
        if (!outgoing.write(chunk)) await once(outgoing, 'drain', { signal });
      outgoing.end();
    } catch (error) {
      await tell(messageOf(error));
      if (outgoing.headersSent) throw error;
      refuse(outgoing, 502, `The relay of this runner got no answer from Pulumi Cloud: ${messageOf(error)}`);
    }
  }
}

/** Passes on what `source` brings and keeps a copy. What is not wanted of it is read all the same: an answer may be due. */
function copied(source: Readable, copy: Body): Readable {
  const passing = new Transform({
    transform: (chunk: Buffer, _, done) => {
      copy.take(chunk);
      done(null, chunk);
    },
  });
  // Why it was cut is said where the answer is missing.
  passing.on('error', () => undefined).once('close', () => source.resume());
  return source.pipe(passing);
}

/** Passes chunks on and keeps a copy. Before the last of `length` bytes, or the end, leaves, `before` is waited for. */
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

/** Raw headers, name and value in turn, without those of one connection. */
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

/** No way around: neither another host (`GET http://…`), nor out of `/api`. */
function isBelowApi(path: string): boolean {
  const [bare = ''] = path.split('?', 1);
  return /^\/api(?:\/|$)/.test(bare) && !/(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:$|[/\\]|%2f|%5c)/i.test(bare);
}

/** An IPv4 address as such, where the socket takes both families. */
function remoteOf({ socket }: IncomingMessage): string {
  return (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ code: status, message });
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body);
}
