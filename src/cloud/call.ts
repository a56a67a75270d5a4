import type { Dispatcher } from 'undici';

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
  /**
   * Success says something that is needed, and asking again does no harm: a 2xx that isn't JSON, such as half an answer, is
   * worth another try. After the last one it is the answer.
   */
  readonly needsJson?: boolean;
  /** The answer is to tell Pulumi Cloud's time. */
  readonly needsTime?: boolean;
  readonly signal: AbortSignal;
  /**
   * Once this aborts, no other try is begun, but one in flight is finished: the answer to a poll may be a claim, and a claim
   * whose answer nobody reads is lost.
   */
  readonly noMoreTries?: AbortSignal;
}

/** An answer that isn't worth another try: any 2xx or 4xx but 408 and 429, and 501. */
export interface CloudAnswer {
  readonly status: number;
  /** Milliseconds that `Retry-After` asks for. */
  readonly retryAfterMs?: number;
  readonly text: string;
  /** When it was sent by Pulumi Cloud's clock, in milliseconds since the epoch, to a second; where it was asked for and told. */
  readonly serverTime?: number;
  /** The body as JSON; undefined when it isn't. */
  readonly json: unknown;
}

export interface CloudHttpOptions {
  /** Without trailing slashes. */
  readonly serviceUrl: string;
  /** Milliseconds for one try, redirects and body included. */
  readonly requestTimeoutMs: number;
  readonly retryCount: number;
  readonly retryWaitMs: number;
  /** Milliseconds that no retry waits longer, whatever `Retry-After` asks for. */
  readonly retryMaxWaitMs: number;
  readonly circuitBreakerFailures: number;
  readonly circuitBreakerTimeoutMs: number;
  readonly userAgent: string;
  readonly dispatcher: Dispatcher;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A number from 0 up to 1 that spreads the retries. */
  readonly random?: () => number;
  /** `again`: no call of this purpose has had an answer since the one before was retried. */
  readonly onRetry?: (purpose: string, reason: string, waitMs: number, again: boolean) => void;
}
