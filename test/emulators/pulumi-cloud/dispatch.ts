import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Answer, Route } from './call.ts';
import type { Changes } from './changes.ts';
import type { FaultAnswer, Faults, Script } from './faults.ts';
import { guard, readToken } from './guard.ts';
import type { OpenEntry } from './journal.ts';
import type { TokenStore } from './tokens.ts';
import { ProtocolViolation, Refusal } from './violations.ts';
import type { WireFault } from './wire-faults.ts';

/** Bodies beyond this many bytes are not read: far more than a log call may have. */
const BODY_LIMIT = 8 * 1024 * 1024;

/** What all calls share. */
export interface Surroundings {
  readonly tokens: TokenStore;
  readonly faults: Faults;
  readonly journal: OpenEntry[];
  readonly violations: string[];
  readonly changes: Changes;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Brings time-dependent state up to date before a call is processed. */
  readonly sweep: () => void;
}

/** A request that arrived and is not answered yet. */
interface Arrival {
  readonly entry: OpenEntry;
  readonly script: Script | undefined;
  readonly overlapping: number;
  /** Says that it is no longer in flight; may be called twice. */
  readonly release: () => void;
}

type Process = (arrival: Arrival) => Promise<Answer>;

/** Builds the server: every request is journalled, faulted as scripted, checked, handled, and violations are recorded. */
export function buildServer(routes: readonly Route[], around: Surroundings): FastifyInstance {
  const arrivals = new WeakMap<FastifyRequest, Arrival>();
  const inFlight = new Map<string, Set<ServerResponse>>();
  const app = fastify({ bodyLimit: BODY_LIMIT, exposeHeadRoutes: false, forceCloseConnections: true });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  app.addHook('onRequest', async (request, reply) => {
    const arrival = arrive(request, reply.raw, around, inFlight);
    arrivals.set(request, arrival);
    reply.raw.once('close', () => {
      arrival.release();
      const ours = ['reset', 'close'].includes(String(arrival.script?.answer));
      arrival.entry.abandoned = arrival.entry.status === 0 && !ours;
      around.changes.notify();
    });
    around.changes.notify();
  });

  const serve = async (request: FastifyRequest, reply: FastifyReply, process: Process): Promise<void> => {
    const arrival = arrivals.get(request);
    if (arrival === undefined) throw new Error('Failed to serve a request: its arrival was not noticed.');
    const { entry, script } = arrival;
    entry.bodyBytes = Buffer.isBuffer(request.body) ? request.body.length : 0;
    entry.scripted = script && (script.when ?? 'before');
    const answer = entry.scripted === 'before' ? undefined : await recorded(process, arrival, around);
    if (typeof script?.answer === 'function') sendBytes(reply, arrival, answer, script.answer);
    else send(reply, arrival, script === undefined ? answer : script.answer);
    around.changes.notify();
  };

  for (const route of routes) {
    app.route({
      method: route.method,
      url: route.path,
      handler: (request, reply) => serve(request, reply, (arrival) => handle(route, request, arrival, around)),
    });
  }
  app.setNotFoundHandler((request, reply) =>
    serve(request, reply, async () => {
      throw new ProtocolViolation(404, 'there is no such call');
    }),
  );
  // What fastify itself refuses, such as a body that is too large; a client that went away has broken no rule.
  app.setErrorHandler(async (error: Error & { statusCode?: number }, request, reply) => {
    if (request.raw.destroyed && !request.raw.complete) {
      reply.hijack();
      return;
    }
    await serve(request, reply, async () => {
      throw new ProtocolViolation(error.statusCode ?? 500, error.message);
    });
  });
  return app;
}

function arrive(
  request: FastifyRequest,
  response: ServerResponse,
  around: Surroundings,
  inFlight: Map<string, Set<ServerResponse>>,
): Arrival {
  const { method } = request;
  const path = request.url.split('?', 1).join();
  const token = readToken(request.headers, around.tokens);
  const entry: OpenEntry = {
    at: around.clock(),
    method,
    path,
    status: 0,
    tokenKind: token?.kind ?? 'none',
    tokenId: token?.id,
    userAgent: request.headers['user-agent'],
    bodyBytes: 0,
    scripted: undefined,
    abandoned: false,
    violation: undefined,
  };
  around.journal.push(entry);
  const key = `${method} ${path}`;
  const same = inFlight.get(key) ?? new Set();
  // The end of one that its client gave up before is known already, but told only after what else has come in.
  const overlapping = [...same].filter(({ socket }) => socket?.destroyed === false && !socket.readableEnded).length;
  inFlight.set(key, same.add(response));
  return {
    entry,
    overlapping,
    script: around.faults.take({ method, path, headers: request.headers }),
    release: () => {
      same.delete(response);
    },
  };
}

async function handle(route: Route, request: FastifyRequest, arrival: Arrival, around: Surroundings): Promise<Answer> {
  around.sweep();
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const token = guard(route, request.headers, body.length, around.tokens, around.clock());
  const answer = await route.handle({
    method: request.method,
    path: request.url.split('?', 1).join(),
    params: request.params as Record<string, string>,
    query: request.query as Record<string, string>,
    headers: request.headers,
    body,
    token,
    overlapping: arrival.overlapping,
  });
  if (route.answerDelayMs !== undefined) await sleep(route.answerDelayMs);
  return answer;
}

/** Turns a refusal into its answer and records a violation, an own failure being one too: no test may pass over it. */
async function recorded(process: Process, arrival: Arrival, around: Surroundings): Promise<Answer> {
  try {
    return await process(arrival);
  } catch (error) {
    const refusal =
      error instanceof Refusal ? error : new ProtocolViolation(500, `the emulator failed: ${String(error)}`);
    if (refusal instanceof ProtocolViolation) {
      const { entry } = arrival;
      entry.violation = refusal.message;
      around.violations.push(`${entry.method} ${entry.path}: ${refusal.message}`);
    }
    return { status: refusal.status, body: refusal.body };
  }
}

/** Leaves the answer to a fault, which gets the right one to spoil. */
function sendBytes(reply: FastifyReply, arrival: Arrival, answer: Answer | undefined, fault: WireFault): void {
  reply.hijack();
  arrival.release();
  const { status = 200, headers = {}, body } = answer ?? {};
  arrival.entry.status = status;
  const text = body === undefined ? '' : JSON.stringify(body);
  fault(reply.raw, { status, headers: { ...headers, 'content-type': 'application/json' }, text });
  answer?.onDelivered?.();
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
    reply.raw.socket?.resetAndDestroy();
    return;
  }
  if (answer === 'close') {
    reply.hijack();
    reply.raw.socket?.end();
    return;
  }
  // Released before the answer is on its way, so that the client's next call can't overlap with this one.
  arrival.release();
  arrival.entry.status = answer.status;
  const { body, headers = {} } = answer;
  const verbatim = typeof body === 'string' && 'content-type' in headers;
  reply.code(answer.status).headers({ 'content-type': 'application/json', ...headers });
  if (body === undefined) reply.removeHeader('content-type').send();
  else reply.send(verbatim ? body : JSON.stringify(body));
  if ('onDelivered' in answer) answer.onDelivered?.();
}
