import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  DelegateBackoff,
  handleType,
  type IBackoffFactory,
  retry,
} from 'cockatiel';
import { settledBefore, systemClock } from '../clock.ts';
import { attempt, TransientError } from './attempt.ts';
import { retryWait } from './backoff.ts';
import type { CloudAnswer, CloudCall, CloudHttpOptions } from './call.ts';
import { CloudUnreachableError } from './errors.ts';

export type { CloudAnswer, CloudCall, CloudHttpOptions } from './call.ts';

/** Calls Pulumi Cloud over HTTP: a deadline for each try, bounded answers, retries and a circuit breaker where asked for. */
export class CloudHttp {
  readonly #options: CloudHttpOptions;
  readonly #breaker: CircuitBreakerPolicy;
  /** When the breaker opened last, by the steady clock. */
  #openedAt = Number.NEGATIVE_INFINITY;
  /** Purposes whose last call had to be tried again. */
  readonly #troubled = new Set<string>();

  constructor(options: CloudHttpOptions) {
    this.#options = options;
    this.#breaker = circuitBreaker(handleType(CloudUnreachableError), {
      halfOpenAfter: holdingFor(options.circuitBreakerTimeoutMs, (at) => {
        this.#openedAt = at;
      }),
      breaker: new ConsecutiveBreaker(options.circuitBreakerFailures),
    });
  }

  /** Milliseconds for which calls still fail at once, without a request; 0 while they don't. */
  get restMs(): number {
    if (this.#breaker.state === CircuitState.Closed) return 0;
    const left = this.#openedAt + this.#options.circuitBreakerTimeoutMs - systemClock.steady();
    // A timer may be early by a fraction of a millisecond.
    return left > 0 ? Math.ceil(left) + 1 : 0;
  }

  /**
   * Calls with the configured retries, behind the circuit breaker. For calls that no other loop repeats.
   * Throws CloudUnreachableError when no try got an answer, and the signal's reason when aborted.
   */
  async call(call: CloudCall): Promise<CloudAnswer> {
    const { retryCount, retryMaxWaitMs, random = Math.random, onRetry } = this.#options;
    const retries = retry(handleType(TransientError), {
      maxAttempts: retryCount,
      backoff: new DelegateBackoff(({ attempt, result }: { attempt: number; result: unknown }) => {
        const error = (result as { error?: unknown }).error;
        const asked = error instanceof TransientError ? error.retryAfterMs : undefined;
        return retryWait(attempt, asked, { ...this.#options, random });
      }),
    });
    retries.onRetry((event) => {
      const error = 'error' in event && event.error instanceof TransientError ? event.error : undefined;
      const asked = error?.retryAfterMs ?? 0;
      const cut =
        asked > retryMaxWaitMs ? ` (its Retry-After of ${asked / 1000} s is cut by request_retry_max_wait)` : '';
      const again = this.#troubled.has(call.purpose);
      this.#troubled.add(call.purpose);
      onRetry?.(call.purpose, `${error?.message ?? 'no usable answer'}${cut}`, event.delay, again);
    });
    const waiting = new AbortController();
    let tries = 0;
    const tryOnce = async () => {
      call.noMoreTries?.throwIfAborted();
      tries += 1;
      try {
        const answer = await attempt(call, this.#options);
        this.#troubled.delete(call.purpose);
        return answer;
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
        return await retries.execute(tryOnce, call.signal);
      } catch (error) {
        return this.#lastAnswer(call, error);
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
      return await abortable(() => attempt(call, this.#options), call.signal);
    } catch (error) {
      return this.#lastAnswer(call, error);
    }
  }

  /** What the last try brought, if it was an answer at all. Throws CloudUnreachableError otherwise, and what is no try's error. */
  #lastAnswer(call: CloudCall, error: unknown): CloudAnswer {
    if (!(error instanceof TransientError)) throw error;
    if (error.answer !== undefined) return error.answer;
    throw new CloudUnreachableError(
      `Failed to ${call.purpose} for ${this.#options.serviceUrl}: ${error.message}. Check the network path and Pulumi Cloud's status.`,
      { cause: error, retryAfterMs: error.retryAfterMs, status: error.status },
    );
  }
}

/** A breaker's time by the steady clock: cockatiel compares wall times, and calls would rest for as long as the clock is set back. */
function holdingFor(ms: number, onOpen: (at: number) => void): IBackoffFactory<unknown> {
  const next = () => {
    const opened = systemClock.steady();
    onOpen(opened);
    return {
      get duration() {
        return systemClock.steady() - opened < ms ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
      },
      next,
    };
  };
  return { next };
}

/** Begins `work` unless `signal` has aborted, and leaves it to itself as soon as it does: a retry's wait can't be woken otherwise. */
function abortable<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return settledBefore(work(), signal);
}
