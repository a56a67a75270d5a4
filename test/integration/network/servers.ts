import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import {
  type AddressInfo,
  connect as connectTcp,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { Authority, Identity } from './authority.ts';

/** A server that listens until it is closed. */
export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** Closes `listening` when the running test is over. */
export function owned<T extends Listening>(listening: T): T {
  onTestFinished(() => listening.close());
  return listening;
}

/** Listens on a free port of `host`; closing it cuts every connection. */
export async function listen(server: Server, host: string): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  });
  server.listen(0, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

interface WebServerOptions {
  readonly host?: string;
  /** Serves over TLS with it, when given. */
  readonly identity?: Identity;
  /** The answer to every request; `{"ok":true}` by default. */
  readonly body?: string;
}

/** A web server that answers every request alike, and holds no git repository. */
export function webServer({ host = '127.0.0.1', identity, body = '{"ok":true}' }: WebServerOptions = {}) {
  const answer: RequestListener = (request, response) => {
    request.resume();
    // git's first request.
    if (request.url?.includes('/info/refs')) response.statusCode = 404;
    response.setHeader('content-type', 'application/json').end(body);
  };
  return listen(
    identity === undefined ? createHttpServer(answer) : createHttpsServer(identity, answer),
    host,
  );
}

/** A web server that prefers HTTP/2, as modern load balancers do; answers with the version of the request. */
export function modernServer(identity: Identity) {
  const server = createSecureServer({ ...identity, allowHTTP1: true }, (request, response) => {
    response.end(JSON.stringify({ version: request.httpVersion }));
  });
  return listen(server, '127.0.0.1');
}

/** A load balancer before plain HTTP at `to`: ends TLS, if it has an identity, and passes the bytes on. */
export function tlsFront({
  host = '127.0.0.1',
  identity,
  to,
}: {
  host?: string;
  identity?: Identity;
  to: URL;
}) {
  const passOn = (outer: Socket) => {
    const inner = connectTcp(Number(to.port), to.hostname);
    for (const [one, other] of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
    outer.pipe(inner).pipe(outer);
  };
  const server = identity === undefined ? createTcpServer(passOn) : createTlsServer(identity, passOn);
  server.on('tlsClientError', () => undefined);
  return listen(server, host);
}

export interface ConnectProxyOptions {
  /** Serves over TLS with it, when given. */
  readonly identity?: Identity;
  /** How to refuse the first CONNECTs: a status, `'drop'` to end the connection, `'stall'` to say nothing. */
  readonly refusal?: number | 'drop' | 'stall';
  /** How many are refused; all by default. */
  readonly refusals?: number;
}

/** A service whose name only a proxy resolves; certified for that name by default. Ends with the running test. */
export async function behindProxy(
  authority: Authority,
  options: ConnectProxyOptions & { readonly names?: string } = {},
) {
  const name = 'service.test';
  const identity = authority.issue({ names: options.names ?? `DNS:${name}` });
  const { port } = owned(await webServer({ identity }));
  const proxy = owned(await connectProxy(options));
  const address = `${options.identity === undefined ? 'http' : 'https'}://127.0.0.1:${proxy.port}`;
  return { url: `https://${name}:${port}`, host: `${name}:${port}`, proxy, address };
}

/** A CONNECT proxy that finds every name on loopback and keeps what it was asked. */
export async function connectProxy({ identity, refusal, refusals = Infinity }: ConnectProxyOptions = {}) {
  const asked: { target: string; authorization: string | undefined }[] = [];
  const server = identity === undefined ? createHttpServer() : createHttpsServer(identity);
  server.on('connect', (request, client: Socket) => {
    const target = request.url ?? '';
    asked.push({ target, authorization: request.headers['proxy-authorization'] });
    client.on('error', () => undefined);
    if (refusal !== undefined && asked.length <= refusals) {
      if (refusal === 'drop') client.destroy();
      else if (refusal !== 'stall') client.end(`HTTP/1.1 ${refusal} Refused\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const service = connectTcp(Number(target.split(':').at(-1)), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n');
      client.pipe(service).pipe(client);
    });
    service.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('close', () => service.destroy());
  });
  return { ...(await listen(server, '127.0.0.1')), asked };
}
