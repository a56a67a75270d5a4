import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleType,
  type IBackoff,
} from 'cockatiel';
import { systemClock } from '../clock.ts';
import { attempt, type CloudAnswer, type CloudCall, unreachable, type Wire } from './attempt.ts';
import { retryWait } from './backoff.ts';
import { CloudUnreachableError } from './errors.ts';

export type { CloudAnswer, CloudCall, RequestSeen } from './attempt.ts';

export interface CloudHttpOptions extends Wire {
  readonly retryCount: number;
  readonly retryWaitMs: number;
  /** The most milliseconds before a retry, whatever `Retry-After` asks for. */
  readonly retryMaxWaitMs: number;
  readonly circuitBreakerFailures: number;
  readonly circuitBreakerTimeoutMs: number;
  /** `again` is true if no call with this purpose has been answered since the last retry of one. */
  readonly onRetry?: (purpose: string, reason: string, waitMs: number, again: boolean) => void;
}

/** Calls Pulumi Cloud over HTTP, with a deadline for each try, bounded answers, retries and a circuit breaker. */
export class CloudHttp {
  readonly #options: CloudHttpOptions;
  readonly #breaker: CircuitBreakerPolicy;
  /** When the breaker last opened, by the steady clock. */
  #openedAt = Number.NEGATIVE_INFINITY;
  /** Purposes retried since their last answer. */
  readonly #troubled = new Set<string>();

  constructor(options: CloudHttpOptions) {
    this.#options = options;
    const leftMs = () => this.#leftMs;
    // By the steady clock: cockatiel compares wall times, so setting the clock back would keep the breaker open longer.
    const rest: IBackoff<unknown> = {
      next: () => {
        this.#openedAt = systemClock.steady();
        return rest;
      },
      get duration() {
        return leftMs() > 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
      },
    };
    this.#breaker = circuitBreaker(handleType(CloudUnreachableError), {
      halfOpenAfter: rest,
      breaker: new ConsecutiveBreaker(options.circuitBreakerFailures),
    });
  }

  /** Milliseconds for which the breaker still fails calls without a request; 0 while it is closed. */
  get restMs(): number {
    if (this.#breaker.state === CircuitState.Closed) return 0;
    // A timer may fire a fraction of a millisecond early.
    return this.#leftMs > 0 ? Math.ceil(this.#leftMs) + 1 : 0;
  }

  get #leftMs(): number {
    return this.#openedAt + this.#options.circuitBreakerTimeoutMs - systemClock.steady();
  }

  /** Calls with retries, behind the breaker. Throws CloudUnreachableError if all fail, and the signal's reason. */
  async call(call: CloudCall): Promise<CloudAnswer> {
    const { signal, noMoreTries } = call;
    const retrying = noMoreTries === undefined ? signal : AbortSignal.any([signal, noMoreTries]);
    retrying.throwIfAborted();
    try {
      return await this.#breaker.execute(() => this.#repeated(call, retrying));
    } catch (cause) {
      if (!(cause instanceof BrokenCircuitError)) throw cause;
      const reason = 'too many calls failed, so calls are paused for a while';
      throw unreachable(call, this.#options.serviceUrl, reason, { cause });
    }
  }

  /** Calls once, bypassing the breaker, for loops that retry. Throws CloudUnreachableError and the signal's reason. */
  once(call: CloudCall): Promise<CloudAnswer> {
    return attempt(call, this.#options);
  }

  /** Retries by hand: cockatiel's retry waits can't be aborted. */
  async #repeated(call: CloudCall, retrying: AbortSignal): Promise<CloudAnswer> {
    const { retryCount, retryMaxWaitMs, onRetry } = this.#options;
    const { purpose } = call;
    for (let retries = 1; ; retries += 1) {
      try {
        const answer = await this.once(call);
        this.#troubled.delete(purpose);
        return answer;
      } catch (error) {
        if (!(error instanceof CloudUnreachableError) || error.reason === undefined || retries > retryCount)
          throw error;
        retrying.throwIfAborted();
        const { reason, retryAfterMs: asked = 0 } = error;
        const wait = retryWait(retries, error.retryAfterMs, { ...this.#options, random: Math.random });
        const cut =
          asked > retryMaxWaitMs ? ` (its Retry-After of ${asked / 1000} s is capped by request_retry_max_wait)` : '';
        onRetry?.(purpose, `${reason}${cut}`, wait, this.#troubled.has(purpose));
        this.#troubled.add(purpose);
        await systemClock.sleep(wait, retrying);
      }
    }
  }
}
