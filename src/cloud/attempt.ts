import type { Dispatcher } from 'undici';
import type { ErrorCode } from '../base/error-codes.ts';
import { decompressed, readAtMost } from '../base/http-body.ts';
import { parsedJson } from '../base/json.ts';
import { reasonOf } from '../base/outcome.ts';
import { CloudRefusedError, CloudUnreachableError } from './errors.ts';
import { isPulumis, refusal } from './refusal.ts';

/** The most bytes read of an answer: many times the size of a job definition with long scripts. */
const ANSWER_LIMIT = 16 * 1024 * 1024;

/** A server that asks for more than a day is mistaken, and no timer can wait beyond 24 days. */
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000;

/** Advice about an answer that Pulumi Cloud did not send. */
const NOT_PULUMIS = "Check service_url, the network path and Pulumi Cloud's status.";

/** Advice about an answer of a service that isn't Pulumi Cloud's API. */
export const CHECK_SERVICE = "Check that the service URL is Pulumi Cloud's API.";
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The version of Pulumi Cloud's API that every call asks for. */
export const API_VERSION = 8;

/** A call: errors say "Failed to <purpose>" and carry `code`. */
export interface CloudCall {
  /** A verb phrase such as "poll for work". */
  readonly purpose: string;
  readonly code: ErrorCode;
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Path below the service URL, with a leading slash. */
  readonly path: string;
  readonly body?: unknown;
  /** The body as JSON, instead of `body`. */
  readonly json?: Buffer | undefined;
  /** Protocol section 5: some servers refuse a body that carries a Content-Type. */
  readonly withoutContentType?: boolean | undefined;

  /**
   * The caller needs the answer and may safely ask again: a 2xx without valid JSON, such as half an
   * answer, fails.
   */
  readonly needsJson?: boolean | undefined;

  /**
   * The answer may contain a claim, which is delivered once: when it is lost, or isn't JSON, the call fails and is not
   * repeated, as another claim would be lost with it.
   */
  readonly mayClaim?: boolean | undefined;

  /**
   * A refusal counts only as the JSON that Pulumi Cloud sends: a router's 404 fails like no answer.
   */
  readonly refusesInJson?: boolean | undefined;
  readonly signal: AbortSignal;
  /**
   * Once this aborts, no further try begins, but one in flight finishes: the answer to a poll may
   * be a claim.
   */
  readonly noMoreTries?: AbortSignal | undefined;
  readonly token?: string | undefined;
}

/** The part of a call that its errors name. */
export type CallPurpose = Pick<CloudCall, 'purpose' | 'code'>;

/** An answer that a retry would not change: any 2xx or 4xx except 408 and 429, and 501. */
export interface CloudAnswer {
  readonly status: number;
  /** What `Retry-After` asks for. */
  readonly retryAfterMs?: number | undefined;
  readonly text: string;
  /**
   * When Pulumi Cloud sent it, by its own clock: milliseconds since the epoch, accurate to a
   * second.
   */
  readonly serverTime?: number | undefined;

  /** The parsed body; undefined if it isn't JSON. */
  readonly json: unknown;
}

/** A request to Pulumi Cloud that has ended. */
export interface RequestEnd {
  readonly method: string;
  /** Without the query; contains IDs but no secrets. */
  readonly path: string;
  /** The HTTP status; undefined if no complete answer arrived. */
  readonly status: number | undefined;
  /** From sending to the end of the answer. */
  readonly ms: number;
  /** As in CloudAnswer. */
  readonly serverTime?: number | undefined;
}

/** The service that calls go to, and the way there. */
export interface Endpoint {
  /** Without a trailing slash. */
  readonly serviceUrl: string;
  /** For one try, including the body. */
  readonly requestTimeoutMs: number;
  readonly userAgent: string;
  readonly dispatcher: Dispatcher;
  readonly onRequest?: ((request: RequestEnd) => void) | undefined;
}

/** The error for a call that may succeed when retried. */
export function unreachable(
  { purpose, code }: CallPurpose,
  serviceUrl: string,
  reason: string,
  facts: Partial<Pick<CloudUnreachableError, 'status' | 'retryAfterMs' | 'wasSent' | 'cause'>> = {},
  advice = "Check the network path and Pulumi Cloud's status.",
): CloudUnreachableError {
  return new CloudUnreachableError(`Failed to ${purpose} for ${serviceUrl}: ${reason}. ${advice}`, {
    ...facts,
    reason,
    code,
  });
}

/**
 * The error for a final answer: a refusal or, with a `reason`, one that can't be used. `advice` is
 * a sentence.
 */
export function refused(
  { purpose, code }: CallPurpose,
  whom: string,
  answer: CloudAnswer,
  advice = '',
  reason = refusal(answer),
): CloudRefusedError {
  const { status, retryAfterMs } = answer;
  const sentence = `Failed to ${purpose} for ${whom}: ${reason}. ${advice}`.trimEnd();
  return new CloudRefusedError(status, sentence, { retryAfterMs, code });
}

/**
 * Tries once. Follows no redirect, which would leak the token. Throws CloudUnreachableError or the
 * signal's reason.
 */
export async function attempt(call: CloudCall, endpoint: Endpoint): Promise<CloudAnswer> {
  const { status, headers, text, serverTime } = await exchange(call, endpoint);
  if (REDIRECTS.has(status)) throw redirected(call, endpoint.serviceUrl, status, headers['location']);

  // A date in Retry-After is by the server's clock, not by this machine's.
  const retryAfterMs = retryAfter(headers['retry-after'], serverTime ?? Date.now());
  const answer = { status, text, json: parsedJson(text), retryAfterMs, serverTime };
  const failed = (reason: string, advice?: string) =>
    unreachable(call, endpoint.serviceUrl, reason, { retryAfterMs, wasSent: true }, advice);
  const failedWithStatus = (reason: string, advice?: string) =>
    unreachable(call, endpoint.serviceUrl, reason, { retryAfterMs, wasSent: true, status }, advice);
  if (status === 408 || status === 429 || (status >= 500 && status !== 501))
    throw failedWithStatus(refusal(answer));

  // A login or maintenance page comes from an intermediary; Pulumi Cloud may have had the call all the same.
  if (status < 300 && /^\s*</.test(text))
    throw failed(`a web page came instead of an answer: ${refusal(answer)}`, NOT_PULUMIS);
  if (status >= 400 && call.refusesInJson === true && !isPulumis(answer.json))
    throw failedWithStatus(`${refusal(answer)}, which Pulumi Cloud did not send`, NOT_PULUMIS);
  if (status < 300 && call.needsJson === true && answer.json === undefined)
    throw failed(`HTTP ${status} without JSON`);
  if (status < 300 && call.mayClaim === true && answer.json === undefined && text.trim() !== '')
    throw failed(`HTTP ${status} with an answer that isn't JSON`);

  return answer;
}

async function exchange(call: CloudCall, endpoint: Endpoint) {
  const url = new URL(`${endpoint.serviceUrl}${call.path}`);

  const headers: Record<string, string> = {
    accept: `application/vnd.pulumi+${API_VERSION}`,
    'accept-encoding': 'identity',
    'user-agent': endpoint.userAgent,
  };

  if (call.token !== undefined) headers['authorization'] = `token ${call.token}`;

  const body = call.json ?? (call.body === undefined ? null : JSON.stringify(call.body));
  if (body !== null && call.withoutContentType !== true) headers['content-type'] = 'application/json';

  const began = performance.now();
  let status: number | undefined;
  let serverTime: number | undefined;
  let wasSent = false;

  try {
    const answer = await noting(endpoint.dispatcher, () => {
      wasSent = true;
    }).request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: call.method,
      headers,
      body,
      signal: AbortSignal.any([call.signal, AbortSignal.timeout(endpoint.requestTimeoutMs)]),
    });

    const received = await readAtMost(answer.body, ANSWER_LIMIT);
    if (received === undefined) throw new Error(`the answer is over ${ANSWER_LIMIT} bytes`);

    // A proxy may compress what the server didn't.
    const whole = decompressed(received, answer.headers['content-encoding']?.toString(), ANSWER_LIMIT);

    status = answer.statusCode;

    const sentAt = Date.parse(String(answer.headers['date']));
    serverTime = Number.isNaN(sentAt) ? undefined : sentAt;

    return { status, headers: answer.headers, text: whole.toString('utf8'), serverTime };
  } catch (error) {
    if (call.signal.aborted) throw call.signal.reason;
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    throw unreachable(call, endpoint.serviceUrl, isLate ? 'no answer in time' : reasonOf(error), {
      cause: error,
      wasSent,
    });
  } finally {
    const ms = performance.now() - began;
    endpoint.onRequest?.({ method: call.method, path: url.pathname, status, ms, serverTime });
  }
}

/** `dispatcher`, which calls `onSent` as it begins to write a request to a connection. */
function noting(dispatcher: Dispatcher, onSent: () => void): Dispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => {
    return dispatch(options, {
      onRequestStart: (...values) => {
        onSent();
        handler.onRequestStart?.(...values);
      },
      onResponseStart: (...values) => handler.onResponseStart?.(...values),
      onResponseData: (...values) => handler.onResponseData?.(...values),
      onResponseEnd: (...values) => handler.onResponseEnd?.(...values),
      onResponseError: (...values) => handler.onResponseError?.(...values),
    });
  });
}

/** Names only the redirect's origin: the rest of the URL may contain secrets. */
function redirected(call: CloudCall, serviceUrl: string, status: number, location: unknown) {
  const to = typeof location === 'string' ? URL.parse(location, serviceUrl) : null;
  const where = to === null ? 'nowhere' : to.origin === 'null' ? to.protocol : to.origin;
  const reason = `HTTP ${status} redirects to ${where}, but tokens are only sent to service_url`;
  const advice = 'Correct service_url, or the proxy that redirects its requests.';
  return new CloudUnreachableError(`Failed to ${call.purpose} for ${serviceUrl}: ${reason}. ${advice}`, {
    code: call.code,
  });
}

/**
 * Parses `Retry-After` (RFC 9110, 10.2.3) to milliseconds, at most a day. `now`: milliseconds since
 * the epoch.
 */
export function retryAfter(header: string | string[] | undefined, now: number): number | undefined {
  const [value = ''] = [header ?? []].flat();
  const isDate = /^\w{3}, .+ GMT$/.test(value);
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : isDate ? Date.parse(value) - now : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), LONGEST_RETRY_AFTER_MS);
}
