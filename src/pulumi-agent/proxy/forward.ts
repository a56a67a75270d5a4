import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import type { Dispatcher } from 'undici';
import { momentOf, type TimeSource } from '../../base/clock.ts';
import { messageOf } from '../../base/outcome.ts';
import { Body, type ProxiedCall } from './call.ts';
import { type Endpoint, maxBodyBytes } from './protocol.ts';

/** Headers that belong to a single connection (RFC 9110, 7.6.1), or that each side writes itself. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'host', 'expect'],
]);

export interface Forwarding {
  /** The destination: scheme, host and optionally a path, without a trailing slash. */
  readonly serviceUrl: string;
  readonly dispatcher: Dispatcher;
  readonly clock: TimeSource;
  readonly endpoint: Endpoint;
  /** The request's body, if it was read already. */
  readonly requestBody: Body | undefined;

  /**
   * Called once with the call, before the last of its answer leaves, which waits for the promise.
   * Never rejects. Without it, the call is forwarded and not copied.
   */
  readonly onCall: ((call: ProxiedCall) => void | Promise<void>) | undefined;
}

/**
 * Forwards one call and its answer: unchanged, unbuffered and no faster than the receiver takes
 * them. Answers with a 502 if Pulumi Cloud doesn't; throws if its answer breaks off.
 */
export async function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { serviceUrl, dispatcher, clock, endpoint, requestBody, onCall }: Forwarding,
): Promise<void> {
  const { method = 'GET', url: path = '' } = incoming;
  const { origin, pathname } = new URL(serviceUrl);
  const started = momentOf(clock);
  const maxBytes = onCall === undefined ? 0 : maxBodyBytes(endpoint);
  const [request, response] = [requestBody ?? new Body(maxBytes), new Body(maxBytes)];
  let answer: Pick<ProxiedCall, 'status' | 'responseHeaders'> = { status: undefined, responseHeaders: {} };
  let isReported = false;

  const report = async (failure?: string): Promise<void> => {
    if (isReported) return;
    isReported = true;

    await onCall?.({
      endpoint,
      method,
      path,
      requestHeaders: incoming.headers,
      request,
      ...answer,
      response,
      failure,
      started,
      durationMs: clock.steady() - started.steady,
    });
  };

  const hangUp = new AbortController();
  const { signal } = hangUp;

  outgoing.once('close', () => outgoing.writableFinished || hangUp.abort(new Error('the agent hung up')));

  try {
    const { statusCode, statusText, headers, body } = await dispatcher.request({
      origin,
      // Verbatim: a URL parser would normalize it.
      path: `${pathname.replace(/\/$/, '')}${path}`,
      method: method as Dispatcher.HttpMethod,
      headers: endToEnd(incoming.rawHeaders),
      body: requestBody?.raw ?? (hasBody(incoming) ? streamCopied(incoming, request) : null),
      signal,
      responseHeaders: 'raw',
    });

    const rawHeaders = headers as unknown as readonly string[];

    answer = { status: statusCode, responseHeaders: headersByName(rawHeaders) };

    const { 'content-length': length } = answer.responseHeaders;
    outgoing.sendDate = false;
    outgoing.writeHead(statusCode, statusText, endToEnd(rawHeaders));

    const bytes = length === undefined ? undefined : Number(length);
    for await (const chunk of chunksCopied(body, response, bytes, report))
      if (!outgoing.write(chunk)) await once(outgoing, 'drain', { signal });

    outgoing.end();
  } catch (error) {
    await report(messageOf(error));
    if (outgoing.headersSent) throw error;
    refuse(outgoing, 502, `This runner's relay got no answer from Pulumi Cloud: ${messageOf(error)}`);
  }
}

/** Answers a call with an error, in the shape of Pulumi Cloud's. */
export function refuse(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ code: status, message });
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body);
}

/** Reads the whole body, of which `maxBytes` are kept. */
export async function readBody(source: AsyncIterable<unknown>, maxBytes: number): Promise<Body> {
  const body = new Body(maxBytes);
  for await (const chunk of source) body.add(chunk as Buffer);
  return body;
}

/**
 * Streams `source` on and keeps a copy. The rest is read even if the receiver closes early: an
 * answer may be due.
 */
function streamCopied(source: Readable, copy: Body): Readable {
  const stream = new Transform({
    transform: (chunk: Buffer, _, done) => {
      copy.add(chunk);
      done(null, chunk);
    },
  });

  // The missing answer reports why it was cut.
  stream.on('error', () => undefined).once('close', () => source.resume());
  return source.pipe(stream);
}

/**
 * Yields the chunks of `source` and keeps a copy. Waits for `beforeEnd` ahead of the last of
 * `length` bytes, or of the end.
 */
async function* chunksCopied(
  source: AsyncIterable<Buffer>,
  copy: Body,
  length: number | undefined,
  beforeEnd: () => Promise<void>,
): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    copy.add(chunk);
    if (copy.bytes === length) await beforeEnd();
    yield chunk;
  }
  await beforeEnd();
}

/** Raw headers, alternating names and values, without those of a single connection. */
function endToEnd(raw: readonly string[]): string[] {
  return raw.filter((_, index) => !HOP_BY_HOP.has((raw[index - (index % 2)] ?? '').toLowerCase()));
}

/** Raw headers by lower-case name. */
function headersByName(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < raw.length; at += 2) headers[(raw[at] ?? '').toLowerCase()] = raw[at + 1] ?? '';
  return headers;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
