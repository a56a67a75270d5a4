import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  ConsecutiveBreaker,
  circuitBreaker,
  DelegateBackoff,
  handleType,
  retry,
} from 'cockatiel';
import type { Dispatcher } from 'undici';
import request from 'undici/lib/api/api-request.js';
import { CloudUnreachableError } from './errors.ts';
import { refusal } from './refusal.ts';
import { retryAfter } from './retry-after.ts';

/** Bytes of an answer that are read at most: a job definition with long scripts fits many times over. */
const ANSWER_LIMIT = 16 * 1024 * 1024;

/** One call to Pulumi Cloud. */
export interface CloudCall {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Path below the service URL, with its leading slash. */
  readonly path: string;
  /** What the call is for, as in "poll for work": errors say "Failed to <purpose>". */
  readonly purpose: string;
  readonly token?: string;
  readonly body?: unknown;
  /** Protocol section 5: some servers refuse a body that carries a Content-Type. */
  readonly withoutContentType?: boolean;
  readonly signal: AbortSignal;
  /**
   * Once this aborts, no other try is begun, but one in flight is finished: the answer to a poll may be a claim, and a claim
   * whose answer nobody reads is lost.
   */
  readonly noMoreTries?: AbortSignal;
}

/** An answer that isn't worth another try: any 2xx, 3xx or 4xx but 408 and 429, and 501. */
export interface CloudAnswer {
  readonly status: number;
  /** Milliseconds that `Retry-After` asks for. */
  readonly retryAfterMs?: number;
  readonly text: string;
  /** The body as JSON; undefined when it isn't. */
  readonly json: unknown;
}

export interface CloudHttpOptions {
  /** Without trailing slashes. */
  readonly serviceUrl: string;
  /** Milliseconds for one try, body included. */
  readonly requestTimeoutMs: number;
  readonly retryCount: number;
  readonly retryWaitMs: number;
  readonly retryMaxWaitMs: number;
  readonly circuitBreakerFailures: number;
  readonly circuitBreakerTimeoutMs: number;
  readonly userAgent: string;
  readonly dispatcher: Dispatcher;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onRetry?: (purpose: string, reason: string, waitMs: number) => void;
}

/** One try that another may mend. */
class TransientError extends Error {
  override readonly name = 'TransientError';
  readonly retryAfterMs: number | undefined;
  constructor(message: string, retryAfterMs?: number, options?: ErrorOptions) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Says what went wrong on the wire, without undici's wrapping. */
function networkReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'no answer in time';
  if (error instanceof AggregateError) return error.errors.map(networkReason).join('; ');
  return error.message === '' ? error.name : error.message;
}

/** Calls Pulumi Cloud over HTTP: a deadline for each try, bounded answers, retries and a circuit breaker where asked for. */
export class CloudHttp {
  readonly #options: CloudHttpOptions;
  readonly #breaker: CircuitBreakerPolicy;

  constructor(options: CloudHttpOptions) {
    this.#options = options;
    this.#breaker = circuitBreaker(handleType(CloudUnreachableError), {
      halfOpenAfter: options.circuitBreakerTimeoutMs,
      breaker: new ConsecutiveBreaker(options.circuitBreakerFailures),
    });
  }

  /** True while calls fail at once, without a request. */
  get broken(): boolean {
    return this.#breaker.state !== 0;
  }

  /**
   * Calls with the configured retries, behind the circuit breaker. For calls that no other loop repeats.
   * Throws CloudUnreachableError when no try got an answer, and the signal's reason when aborted.
   */
  async call(call: CloudCall): Promise<CloudAnswer> {
    const { retryCount, retryWaitMs, retryMaxWaitMs, onRetry } = this.#options;
    const retries = retry(handleType(TransientError), {
      maxAttempts: retryCount,
      backoff: new DelegateBackoff(({ attempt, result }: { attempt: number; result: unknown }) => {
        const error = (result as { error?: unknown }).error;
        const asked = error instanceof TransientError ? error.retryAfterMs : undefined;
        const full = Math.min(retryMaxWaitMs, retryWaitMs * 2 ** (attempt - 1));
        // Half fixed, half random: never at once, never all agents together.
        return Math.min(retryMaxWaitMs, asked ?? full / 2 + (Math.random() * full) / 2);
      }),
    });
    retries.onRetry((event) => {
      onRetry?.(call.purpose, 'error' in event ? networkReason(event.error) : 'no usable answer', event.delay);
    });
    const waiting = new AbortController();
    let tries = 0;
    const attempt = async () => {
      call.noMoreTries?.throwIfAborted();
      tries += 1;
      try {
        return await this.#attempt(call);
      } catch (error) {
        if (call.noMoreTries?.aborted === true) waiting.abort(call.noMoreTries.reason);
        throw error;
      } finally {
        tries -= 1;
      }
    };
    const stopWaiting = () => {
      if (tries === 0) waiting.abort(call.noMoreTries?.reason);
    };
    call.noMoreTries?.addEventListener('abort', stopWaiting, { once: true });
    const attempts = async () => {
      try {
        return await retries.execute(attempt, call.signal);
      } catch (error) {
        throw error instanceof TransientError ? this.#unreachable(call, error) : error;
      }
    };
    // The retry's own timer can't be ended by an abort, so it doesn't hold the process; until the call is over this one does.
    const alive = setInterval(() => undefined, 60_000);
    try {
      const signal = AbortSignal.any([call.signal, waiting.signal]);
      return await abortable(() => this.#breaker.execute(attempts, signal), signal);
    } catch (error) {
      if (error instanceof BrokenCircuitError) {
        throw new CloudUnreachableError(
          `Failed to ${call.purpose} for ${this.#options.serviceUrl}: too many calls failed, so no more are made for a while. Check the network path and Pulumi Cloud's status.`,
          { cause: error },
        );
      }
      throw error;
    } finally {
      clearInterval(alive);
      call.noMoreTries?.removeEventListener('abort', stopWaiting);
    }
  }

  /**
   * Calls once: for loops that do their own retrying (logs, heartbeat, status), and that an open breaker must not silence.
   * Throws CloudUnreachableError, and the signal's reason when aborted.
   */
  async once(call: CloudCall): Promise<CloudAnswer> {
    try {
      return await abortable(() => this.#attempt(call), call.signal);
    } catch (error) {
      throw error instanceof TransientError ? this.#unreachable(call, error) : error;
    }
  }

  #unreachable(call: CloudCall, cause: TransientError): CloudUnreachableError {
    return new CloudUnreachableError(
      `Failed to ${call.purpose} for ${this.#options.serviceUrl}: ${cause.message}. Check the network path and Pulumi Cloud's status.`,
      { cause, retryAfterMs: cause.retryAfterMs },
    );
  }

  async #attempt(call: CloudCall): Promise<CloudAnswer> {
    const { serviceUrl, requestTimeoutMs, userAgent, dispatcher, now } = this.#options;
    const url = new URL(`${serviceUrl}${call.path}`);
    const headers: Record<string, string> = { accept: 'application/vnd.pulumi+8', 'user-agent': userAgent };
    if (call.token !== undefined) headers['authorization'] = `token ${call.token}`;
    if (call.body !== undefined && call.withoutContentType !== true) headers['content-type'] = 'application/json';
    let status: number;
    let header: string | string[] | undefined;
    let text: string;
    try {
      const answer = await request.call(dispatcher, {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: call.method,
        headers,
        body: call.body === undefined ? null : JSON.stringify(call.body),
        signal: AbortSignal.any([call.signal, AbortSignal.timeout(requestTimeoutMs)]),
      });
      status = answer.statusCode;
      header = answer.headers['retry-after'];
      text = await bounded(answer.body);
    } catch (error) {
      if (call.signal.aborted) throw call.signal.reason;
      throw new TransientError(networkReason(error), undefined, { cause: error });
    }
    const retryAfterMs = retryAfter(Array.isArray(header) ? header[0] : header, now());
    const answer = { status, text, json: parseJson(text), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
    if (status === 408 || status === 429 || (status >= 500 && status !== 501)) {
      throw new TransientError(refusal(answer), retryAfterMs);
    }
    return answer;
  }
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

/** Settles with `work`, or rejects with the signal's reason as soon as it aborts: a retry's wait can't be woken otherwise. */
async function abortable<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const working = work();
  working.catch(() => undefined);
  try {
    return await Promise.race([working, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
