import type { Dispatcher } from 'undici';
import type { CloudAnswer, CloudCall, CloudHttpOptions } from './call.ts';
import { CloudUnreachableError } from './errors.ts';
import { refusal } from './refusal.ts';
import { retryAfter } from './retry-after.ts';

/** Bytes of an answer that are read at most: a job definition with long scripts fits many times over. */
const ANSWER_LIMIT = 16 * 1024 * 1024;
/** Redirects of one GET that are followed. */
const MOST_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** One try that another may mend. */
export class TransientError extends Error {
  override readonly name = 'TransientError';
  readonly retryAfterMs: number | undefined;
  /** What came, where it is an answer of a kind. */
  readonly answer: CloudAnswer | undefined;
  /** HTTP's, of an answer that came. */
  readonly status: number | undefined;
  constructor(
    message: string,
    options?: ErrorOptions & { retryAfterMs?: number | undefined; answer?: CloudAnswer; status?: number },
  ) {
    super(message, options);
    this.retryAfterMs = options?.retryAfterMs;
    this.answer = options?.answer;
    this.status = options?.status;
  }
}

type Wire = Pick<CloudHttpOptions, 'serviceUrl' | 'requestTimeoutMs' | 'userAgent' | 'dispatcher' | 'now'>;

/**
 * Tries a call once. A GET is sent on within the configured origin; nothing is ever sent to another one, because it would take
 * the token along. Throws TransientError, CloudUnreachableError for a redirect, and the signal's reason when aborted.
 */
export async function attempt(call: CloudCall, wire: Wire): Promise<CloudAnswer> {
  const url = new URL(`${wire.serviceUrl}${call.path}`);
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(wire.requestTimeoutMs)]);
  let exchanged = await exchange(call, url, wire, signal);
  for (let redirects = 0; REDIRECTS.has(exchanged.status); redirects += 1) {
    const target = redirectTarget(exchanged.headers['location'], url);
    if (call.method !== 'GET' || target?.origin !== url.origin || redirects === MOST_REDIRECTS)
      throw sentElsewhere(call, wire.serviceUrl, exchanged.status, target);
    exchanged = await exchange(call, target, wire, signal);
  }
  const { status, headers, text } = exchanged;
  const sentAt = Date.parse(String(headers['date']));
  // A date that is waited for is of the clock that the answer tells, not of this machine's.
  const retryAfterMs = retryAfter(headers['retry-after'], Number.isNaN(sentAt) ? wire.now() : sentAt);
  const json = parseJson(text);
  const serverTime = call.needsTime === true ? sentAt : Number.NaN;
  const answer = {
    status,
    text,
    json,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(Number.isNaN(serverTime) ? {} : { serverTime }),
  };
  if (status === 408 || status === 429 || (status >= 500 && status !== 501))
    throw new TransientError(refusal(answer), { retryAfterMs, status });
  // A login or maintenance page comes from something on the way: Pulumi Cloud has not seen the call.
  if (status < 300 && /^\s*</.test(text))
    throw new TransientError(`a page came instead of an answer: ${refusal(answer)}`, { retryAfterMs });
  if (status < 300 && call.needsJson === true && json === undefined)
    throw new TransientError(`HTTP ${status} without JSON`, { retryAfterMs, answer });
  return answer;
}

interface Exchanged {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly text: string;
}

/** A body in bytes is JSON already. */
function bodyOf({ body }: CloudCall): string | Uint8Array | null {
  if (body === undefined) return null;
  return body instanceof Uint8Array ? body : JSON.stringify(body);
}

async function exchange(call: CloudCall, url: URL, wire: Wire, signal: AbortSignal): Promise<Exchanged> {
  const headers: Record<string, string> = { accept: 'application/vnd.pulumi+8', 'user-agent': wire.userAgent };
  if (call.token !== undefined) headers['authorization'] = `token ${call.token}`;
  if (call.body !== undefined && call.withoutContentType !== true) headers['content-type'] = 'application/json';
  try {
    const answer = await wire.dispatcher.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: call.method,
      headers,
      body: bodyOf(call),
      signal,
    });
    return { status: answer.statusCode, headers: answer.headers, text: await bounded(answer.body) };
  } catch (error) {
    if (call.signal.aborted) throw call.signal.reason;
    throw new TransientError(networkReason(error), { cause: error });
  }
}

/** Where a redirect leads; undefined when it doesn't say so. */
function redirectTarget(location: string | string[] | undefined, from: URL): URL | undefined {
  return typeof location === 'string' && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
}

/** Names the target's origin only: the rest of its address may hold what only its owner should know. */
function sentElsewhere(call: CloudCall, serviceUrl: string, status: number, target: URL | undefined) {
  const where = target === undefined ? 'nowhere' : target.origin === 'null' ? target.protocol : target.origin;
  return new CloudUnreachableError(
    `Failed to ${call.purpose} for ${serviceUrl}: HTTP ${status} sends it on to ${where}, and a token is only sent where service_url says. ` +
      'Correct service_url, or what redirects on the way to it.',
  );
}

/** Says what went wrong on the wire, without undici's wrapping. */
function networkReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'no answer in time';
  if (error instanceof AggregateError) return error.errors.map(networkReason).join('; ');
  return error.message === '' ? error.name : error.message;
}

async function bounded(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > ANSWER_LIMIT) throw new Error(`the answer is over ${ANSWER_LIMIT} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
