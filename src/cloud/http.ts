/*
 * Pulumi Cloud's API: the only room that calls it. Read in this order:
 *
 *   http.ts            calls with retries and a circuit breaker, each try by attempt.ts; errors.ts and refusal.ts
 *                      have the errors
 *   token.ts           calls with a token, fixed or exchanged for the CI job's ID token (token-exchange.ts)
 *   four clients       pool-api.ts polls, job-api.ts runs a claimed job, organization-api.ts starts deployments,
 *                      deployment-api.ts follows them; the *-wire.ts files parse the answers
 *   identification.ts  the name of a claimed deployment, from identity.ts; work-kind.ts tells other work apart
 *   fence.ts           when a job must stop, as no heartbeat was accepted
 *   deployments/       start-deployments.ts and own-deployments.ts start and follow a run's own deployments
 */

import { systemClock } from '../base/clock.ts';
import { retry } from '../base/retry.ts';
import { attempt, type CloudAnswer, type CloudCall, type Endpoint, unreachable } from './attempt.ts';
import { retryWait } from './backoff.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { CloudUnreachableError } from './errors.ts';

export interface CloudHttpOptions extends Endpoint {
  readonly retryCount: number;
  readonly retryWaitMs: number;
  readonly retryMaxWaitMs: number;
  readonly circuitBreakerFailures: number;
  readonly circuitBreakerTimeoutMs: number;
  /** `again` is true if no call with this purpose has been answered since the last retry of one. */
  readonly onRetry?: ((purpose: string, reason: string, waitMs: number, again: boolean) => void) | undefined;
  /** Called as the circuit breaker begins to hold back calls. */
  readonly onPause?: (() => void) | undefined;
}

/**
 * Calls Pulumi Cloud over HTTP, with a deadline for each try, bounded answers, retries and a
 * circuit breaker.
 */
export class CloudHttp {
  readonly #options: CloudHttpOptions;
  readonly #breaker: CircuitBreaker;
  /** Purposes retried since their last answer. */
  readonly #retried = new Set<string>();

  constructor(options: CloudHttpOptions) {
    this.#options = options;

    this.#breaker = new CircuitBreaker({
      failures: options.circuitBreakerFailures,
      pauseMs: options.circuitBreakerTimeoutMs,
      clock: systemClock,
      isFailure: (error) => error instanceof CloudUnreachableError,
      onPause: () => options.onPause?.(),
    });
  }

  /** How long the breaker still fails calls without a request; 0 while it is closed. */
  get restMs(): number {
    return this.#breaker.restMs;
  }

  /**
   * Calls with retries, behind the breaker. Throws CloudUnreachableError if all fail, and the
   * signal's reason.
   */
  async call(call: CloudCall): Promise<CloudAnswer> {
    const { signal, noMoreTries } = call;
    const retrying = noMoreTries === undefined ? signal : AbortSignal.any([signal, noMoreTries]);

    retrying.throwIfAborted();

    if (this.#breaker.isOpen) {
      const reason = 'too many calls failed, so calls are paused for a while';
      throw unreachable(call, this.#options.serviceUrl, reason);
    }

    return await this.#breaker.watch(() => this.#repeated(call, retrying));
  }

  /**
   * Calls once, bypassing the breaker, for loops that retry. Throws CloudUnreachableError and the
   * signal's reason.
   */
  once(call: CloudCall): Promise<CloudAnswer> {
    return attempt(call, this.#options);
  }

  async #repeated(call: CloudCall, retrying: AbortSignal): Promise<CloudAnswer> {
    const { retryCount, retryWaitMs, retryMaxWaitMs, onRetry } = this.#options;
    const { purpose } = call;

    const pauseMs = (error: unknown, failures: number) => {
      if (!(error instanceof CloudUnreachableError) || error.reason === undefined || failures > retryCount)
        return undefined;
      if (call.mayClaim === true && error.isAnswerLost) return undefined;

      retrying.throwIfAborted();

      const { reason, retryAfterMs = 0 } = error;
      const wait = retryWait(failures, error.retryAfterMs, {
        retryWaitMs,
        retryMaxWaitMs,
        random: Math.random,
      });

      const cut =
        retryAfterMs > retryMaxWaitMs
          ? ` (its Retry-After of ${retryAfterMs / 1000} s is capped by request_retry_max_wait)`
          : '';

      onRetry?.(purpose, `${reason}${cut}`, wait, this.#retried.has(purpose));
      this.#retried.add(purpose);
      return wait;
    };

    const answer = await retry(() => this.once(call), pauseMs, { clock: systemClock, signal: retrying });

    this.#retried.delete(purpose);
    return answer;
  }
}
