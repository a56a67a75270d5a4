import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** One request as it came over the wire. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** What to answer: JSON or verbatim text, a reset connection, silence, or whatever a function does with the response. */
export type Reply =
  | {
      readonly status: number;
      readonly json?: unknown;
      readonly text?: string;
      readonly headers?: Record<string, string>;
    }
  | 'reset'
  | 'hang'
  | ((response: ServerResponse) => void);

/** A refusal in Pulumi Cloud's own shape. */
export const refusing = (status: number, message = 'no'): Reply => ({
  status,
  json: { code: status, message },
});

/** Chooses the reply to a request; `count` is 1 for the first. */
export type Script = (request: Received, count: number) => Reply | Promise<Reply>;

/** A real HTTP server on loopback that answers by script and records its requests. */
export class ScriptedServer {
  readonly received: Received[] = [];
  /** Requests whose connection closed before they were fully answered. */
  abandoned = 0;
  readonly #server: Server;
  readonly #waiting: { readonly met: () => boolean; readonly resolve: () => void }[] = [];

  private constructor(script: Script) {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => undefined);
      response.on('close', () => {
        if (!response.writableFinished) this.abandoned += 1;
        this.#changed();
      });
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const received = { method, path: url, headers, text: Buffer.concat(chunks).toString('utf8') };
        this.received.push(received);
        void Promise.resolve(script(received, this.received.length)).then((reply) => answer(response, reply));
        this.#changed();
      });
    });
  }

  /** Listens on a free port until the running test is over. */
  static async start(script: Script): Promise<ScriptedServer> {
    const server = new ScriptedServer(script);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    onTestFinished(() => server.stop());
    return server;
  }

  /** Gives the replies in order, then repeats the last one. */
  static inOrder(...replies: readonly [Reply, ...Reply[]]): Promise<ScriptedServer> {
    return ScriptedServer.start((_, count) => replies[Math.min(count, replies.length) - 1]!);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves as soon as `met` holds; it is checked after every request and every closed response. */
  async until(met: () => boolean): Promise<void> {
    if (met()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ met, resolve });
    await promise;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #changed(): void {
    for (const { met, resolve } of this.#waiting) if (met()) resolve();
  }
}

function answer(response: ServerResponse, reply: Reply): void {
  if (reply === 'hang') return;
  if (reply === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  if (typeof reply === 'function') {
    reply(response);
    return;
  }
  const { status, json, text, headers } = reply;
  response.writeHead(status, {
    ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  });
  response.end(json === undefined ? text : JSON.stringify(json));
}
