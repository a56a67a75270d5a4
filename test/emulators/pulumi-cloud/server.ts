import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { CloudModel } from './model.ts';
import type { CloudModelOptions } from './options.ts';
import { writtenOf } from './wire-faults.ts';

/** Milliseconds that an idle connection stays open: longer than an agent's clients keep one. */
const KEEP_ALIVE_MS = 72_000;

/** How the emulated Pulumi Cloud is set up and reached. */
export interface PulumiCloudOptions extends CloudModelOptions {
  /** The address to listen on; 127.0.0.1 by default. */
  readonly host?: string;
}

/** A strict Pulumi Cloud for tests, over real HTTP. `stop` throws for anything a well-behaved agent would not send. */
export class PulumiCloud extends CloudModel {
  readonly #server: Server;
  readonly #timer: NodeJS.Timeout;
  #url = '';

  private constructor(options: PulumiCloudOptions) {
    super(options);
    this.#server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
      void this.#answer(request, response);
    });
    this.#timer = setInterval(() => this.sweep(), 100).unref();
  }

  /** Starts listening on a free port. The caller owns it and must call `stop`. */
  static async start(options: PulumiCloudOptions = {}): Promise<PulumiCloud> {
    const cloud = new PulumiCloud(options);
    await once(cloud.#server.listen({ host: options.host ?? '127.0.0.1', port: 0 }), 'listening');
    const { address, port } = cloud.#server.address() as AddressInfo;
    cloud.#url = `http://${address}:${port}`;
    return cloud;
  }

  /** Where it listens, such as `http://127.0.0.1:40001`. */
  get url(): string {
    return this.#url;
  }

  /** Stops listening, cuts every connection and rejects pending waits. @throws Error for unexpected violations. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const closed = this.#server[Symbol.asyncDispose]();
    this.#server.closeAllConnections();
    try {
      this.close();
    } finally {
      await closed;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Hands a request to the model, and sends its answer or the fault that takes its place. */
  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers, socket } = request;
    // Reads the socket's state: 'close' reports an abandoned request only after other input has been handled.
    const arrival = this.arrive({ method, url, headers }, () => !socket.destroyed && !socket.readableEnded);
    response.once('close', () => {
      arrival.release();
      this.notify();
    });
    this.notify();
    const body = await buffer(request).catch(() => undefined);
    // A client that goes away breaks no rule.
    if (body === undefined) return;
    const { answer, fault, delayMs } = await this.serve(arrival, body);
    if (delayMs > 0 && answer !== undefined) await sleep(delayMs);
    const met = fault ?? answer;
    if (met === undefined || met === 'hang') return;
    // Released before the answer is on its way, so that the client's next call can't overlap with this one.
    arrival.release();
    if (met === 'reset') {
      socket.resetAndDestroy();
      return;
    }
    const written = writtenOf(typeof met === 'function' ? (answer ?? { status: 200 }) : met);
    arrival.entry.status = written.status;
    if (typeof met === 'function') met(response, written);
    else {
      response.statusCode = written.status;
      response.setHeaders(new Map(Object.entries(written.headers))).end(written.text);
    }
    this.notify();
  }
}
