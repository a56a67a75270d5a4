import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Answer } from './call.ts';
import type { FaultAnswer } from './faults.ts';
import { CloudModel } from './model.ts';
import type { CloudModelOptions } from './options.ts';
import type { Arrival } from './reception.ts';
import { ProtocolViolation } from './violations.ts';
import { type WireFault, writtenOf } from './wire-faults.ts';

/** Bodies beyond this many bytes are not read: far more than a log call may have. */
const BODY_LIMIT = 8 * 1024 * 1024;

/** How the emulated Pulumi Cloud is set up and reached. */
export interface PulumiCloudOptions extends CloudModelOptions {
  /** The address to listen on; 127.0.0.1 by default. */
  readonly host?: string;
}

/** A strict Pulumi Cloud for tests, over real HTTP. `stop` throws for what a well-behaved agent would not send. */
export class PulumiCloud extends CloudModel {
  readonly #app: FastifyInstance;
  readonly #timer: NodeJS.Timeout;
  #url = '';

  private constructor(options: PulumiCloudOptions) {
    super(options);
    this.#app = buildServer(this);
    this.#timer = setInterval(() => this.sweep(), 100).unref();
  }

  /** Starts listening on a free port. The caller owns it and must call `stop`. */
  static async start(options: PulumiCloudOptions = {}): Promise<PulumiCloud> {
    const cloud = new PulumiCloud(options);
    await cloud.#app.listen({ host: options.host ?? '127.0.0.1', port: 0 });
    const { address, port } = cloud.#app.server.address() as AddressInfo;
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
    const closed = this.#app.close();
    try {
      this.close();
    } finally {
      await closed;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** Builds the server before a model: every request is handed to it, and its answer or a fault sent. */
function buildServer(model: CloudModel): FastifyInstance {
  const arrivals = new WeakMap<FastifyRequest, Arrival>();
  const app = fastify({ bodyLimit: BODY_LIMIT, exposeHeadRoutes: false, forceCloseConnections: true });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  app.addHook('onRequest', async (request, reply) => {
    const { method, url, headers } = request;
    const response = reply.raw;
    // The end of one that its client gave up before is known already, but told only after what else has come in.
    const inFlight = () => response.socket?.destroyed === false && !response.socket.readableEnded;
    const arrival = model.arrive({ method, url, headers }, inFlight);
    arrivals.set(request, arrival);
    response.once('close', () => {
      arrival.release();
      arrival.entry.abandoned = arrival.entry.status === 0 && !arrival.isCut;
      model.notify();
    });
    model.notify();
  });

  const serve = async (request: FastifyRequest, reply: FastifyReply, body: Buffer | ProtocolViolation) => {
    const arrival = arrivals.get(request);
    if (arrival === undefined) throw new Error('Failed to serve a request: its arrival was not noticed.');
    const { answer, fault, delayMs } = await model.serve(arrival, body);
    if (delayMs > 0 && answer !== undefined) await sleep(delayMs);
    if (typeof fault === 'function') sendBytes(reply, arrival, answer, fault);
    else send(reply, arrival, fault ?? answer);
    model.notify();
  };

  app.setNotFoundHandler((request, reply) =>
    serve(request, reply, Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)),
  );
  // What fastify itself refuses, such as a body that is too large; a client that went away has broken no rule.
  app.setErrorHandler(async (error: Error & { statusCode?: number }, request, reply) => {
    if (request.raw.destroyed && !request.raw.complete) {
      reply.hijack();
      return;
    }
    await serve(request, reply, new ProtocolViolation(error.statusCode ?? 500, error.message));
  });
  return app;
}

/** Leaves the answer to a fault, which gets the right one to spoil. */
function sendBytes(reply: FastifyReply, arrival: Arrival, answer: Answer | undefined, fault: WireFault): void {
  reply.hijack();
  arrival.release();
  const written = writtenOf(answer ?? { status: 200 });
  arrival.entry.status = written.status;
  fault(reply.raw, { ...written, headers: { 'content-type': 'application/json', ...written.headers } });
}

function send(
  reply: FastifyReply,
  arrival: Arrival,
  answer: Answer | Exclude<FaultAnswer, WireFault> | undefined,
): void {
  if (answer === undefined || answer === 'hang') {
    reply.hijack();
    return;
  }
  if (answer === 'reset') {
    reply.hijack();
    arrival.isCut = true;
    reply.raw.socket?.resetAndDestroy();
    return;
  }
  // Released before the answer is on its way, so that the client's next call can't overlap with this one.
  arrival.release();
  arrival.entry.status = answer.status;
  const { status, headers, text } = writtenOf(answer);
  reply.code(status).headers({ ...headers });
  if (answer.body === undefined) reply.removeHeader('content-type').send();
  else reply.send(text);
}
