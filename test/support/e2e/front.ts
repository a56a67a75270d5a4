import { createServer, type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A request as it came in. */
export interface Asked {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** Whole once the request has been answered. */
  body: string;
}

/** Stands before a server, hands every request on to it, and keeps what was asked. */
export interface Front {
  readonly port: number;
  readonly asked: readonly Asked[];
  /** Those of a path, oldest first. */
  to(path: string): readonly Asked[];
  stop(): Promise<void>;
}

export interface FrontOptions {
  /** The server behind, by its plain http address. */
  readonly target: string;
  /** 127.0.0.1 unless given. */
  readonly host?: string;
  /** Speaks TLS with this certificate. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

export async function startFront({ target, host = '127.0.0.1', tls }: FrontOptions): Promise<Front> {
  const asked: Asked[] = [];
  const listener: RequestListener = (incoming, response) => {
    const { method = '', url = '' } = incoming;
    const entry: Asked = { at: Date.now(), method, path: url.split('?', 1).join(), body: '' };
    asked.push(entry);
    incoming.on('data', (chunk: Buffer) => {
      entry.body += String(chunk);
    });
    handOn(incoming, response, new URL(url, target));
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    to: (path) => asked.filter((entry) => entry.path === path),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A broken connection on one side is broken on the other. */
function handOn(incoming: IncomingMessage, response: ServerResponse, url: URL): void {
  const { method, headers } = incoming;
  const onward = request(url, { method, headers, agent: false }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
    answer.once('error', () => response.destroy());
  });
  onward.once('error', () => response.destroy());
  response.once('close', () => onward.destroy());
  incoming.pipe(onward);
}
