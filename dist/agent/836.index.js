export const id = 836;
export const ids = [836];
export const modules = {

/***/ 8864:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  c: () => (/* binding */ CircuitBreakerPolicy),
  v: () => (/* binding */ CircuitState)
});

// EXTERNAL MODULE: ./node_modules/cockatiel/dist/backoff/ConstantBackoff.js
var ConstantBackoff = __webpack_require__(8730);
// EXTERNAL MODULE: ./node_modules/cockatiel/dist/common/abort.js
var abort = __webpack_require__(957);
;// CONCATENATED MODULE: ./node_modules/cockatiel/dist/common/defer.js
const defer = () => {
    let resolve;
    let reject;
    const promise = new Promise((res, rej) => {
        resolve = res;
        reject = rej;
    });
    // eslint-disable-next-line @typescript-eslint/no-non-null-assertion
    return { resolve: resolve, reject: reject, promise };
};
//# sourceMappingURL=defer.js.map
// EXTERNAL MODULE: ./node_modules/cockatiel/dist/common/Event.js
var Event = __webpack_require__(8663);
// EXTERNAL MODULE: ./node_modules/cockatiel/dist/common/Executor.js
var Executor = __webpack_require__(3529);
;// CONCATENATED MODULE: ./node_modules/cockatiel/dist/errors/HydratingCircuitError.js
class HydratingCircuitError extends Error {
    isHydratingCircuitError = true;
    /**
     * Exception thrown from {@link CircuitBreakerPolicy.execute} when the
     * circuit breaker is open.
     */
    constructor(message = 'Execution prevented because the circuit breaker is open') {
        super(message);
    }
}
//# sourceMappingURL=HydratingCircuitError.js.map
// EXTERNAL MODULE: ./node_modules/cockatiel/dist/errors/BrokenCircuitError.js
var BrokenCircuitError = __webpack_require__(155);
// EXTERNAL MODULE: ./node_modules/cockatiel/dist/errors/TaskCancelledError.js
var TaskCancelledError = __webpack_require__(6703);
;// CONCATENATED MODULE: ./node_modules/cockatiel/dist/errors/IsolatedCircuitError.js

class IsolatedCircuitError extends BrokenCircuitError/* BrokenCircuitError */.b {
    isIsolatedCircuitError = true;
    /**
     * Exception thrown from {@link CircuitBreakerPolicy.execute} when the
     * circuit breaker is open.
     */
    constructor() {
        super(`Execution prevented because the circuit breaker is open`);
    }
}
//# sourceMappingURL=IsolatedCircuitError.js.map
;// CONCATENATED MODULE: ./node_modules/cockatiel/dist/CircuitBreakerPolicy.js







var CircuitState;
(function (CircuitState) {
    /**
     * Normal operation. Execution of actions allowed.
     */
    CircuitState[CircuitState["Closed"] = 0] = "Closed";
    /**
     * The automated controller has opened the circuit. Execution of actions blocked.
     */
    CircuitState[CircuitState["Open"] = 1] = "Open";
    /**
     * Recovering from open state, after the automated break duration has
     * expired. Execution of actions permitted. Success of subsequent action/s
     * controls onward transition to Open or Closed state.
     */
    CircuitState[CircuitState["HalfOpen"] = 2] = "HalfOpen";
    /**
     * Circuit held manually in an open state. Execution of actions blocked.
     */
    CircuitState[CircuitState["Isolated"] = 3] = "Isolated";
})(CircuitState || (CircuitState = {}));
class CircuitBreakerPolicy {
    options;
    executor;
    breakEmitter = new Event/* EventEmitter */.bk();
    resetEmitter = new Event/* EventEmitter */.bk();
    halfOpenEmitter = new Event/* EventEmitter */.bk();
    stateChangeEmitter = new Event/* EventEmitter */.bk();
    halfOpenAfterBackoffFactory;
    halfOpenSampling;
    innerLastFailure;
    innerState = { value: CircuitState.Closed };
    /**
     * Event emitted when the circuit breaker opens.
     */
    onBreak = this.breakEmitter.addListener;
    /**
     * Event emitted when the circuit breaker resets.
     */
    onReset = this.resetEmitter.addListener;
    /**
     * Event emitted when the circuit breaker is half open (running a test call).
     * Either `onBreak` on `onReset` will subsequently fire.
     */
    onHalfOpen = this.halfOpenEmitter.addListener;
    /**
     * Fired whenever the circuit breaker state changes.
     */
    onStateChange = this.stateChangeEmitter.addListener;
    /**
     * @inheritdoc
     */
    get onSuccess() {
        return this.executor.onSuccess;
    }
    /**
     * @inheritdoc
     */
    get onFailure() {
        return this.executor.onFailure;
    }
    /**
     * Gets the current circuit breaker state.
     */
    get state() {
        return this.innerState.value;
    }
    /**
     * Gets the last reason the circuit breaker failed.
     */
    get lastFailure() {
        return this.innerLastFailure;
    }
    constructor(options, executor) {
        this.options = options;
        this.executor = executor;
        this.halfOpenAfterBackoffFactory =
            typeof options.halfOpenAfter === 'number'
                ? new ConstantBackoff/* ConstantBackoff */.j(options.halfOpenAfter)
                : options.halfOpenAfter;
        this.halfOpenSampling = this.createHalfOpenSamplingOptions(options.halfOpenSampling);
        if (options.initialState) {
            const initialState = options.initialState;
            this.innerState = initialState.ownState;
            this.options.breaker.state = initialState.breakerState;
            if (this.innerState.value === CircuitState.Open ||
                this.innerState.value === CircuitState.HalfOpen) {
                this.innerLastFailure = { error: new HydratingCircuitError() };
                let backoff = this.halfOpenAfterBackoffFactory.next({
                    attempt: 1,
                    result: this.innerLastFailure,
                    signal: abort/* neverAbortedSignal */._2,
                });
                for (let i = 2; i <= this.innerState.attemptNo; i++) {
                    backoff = backoff.next({
                        attempt: i,
                        result: this.innerLastFailure,
                        signal: abort/* neverAbortedSignal */._2,
                    });
                }
                this.innerState.backoff = backoff;
            }
        }
    }
    /**
     * Manually holds open the circuit breaker.
     * @returns A handle that keeps the breaker open until `.dispose()` is called.
     */
    isolate() {
        if (this.innerState.value !== CircuitState.Isolated) {
            if (this.innerState.value === CircuitState.HalfOpen) {
                this.innerState.decision.resolve();
            }
            this.innerState = { value: CircuitState.Isolated, counters: 0 };
            this.breakEmitter.emit({ isolated: true });
            this.stateChangeEmitter.emit(CircuitState.Isolated);
        }
        this.innerState.counters++;
        let disposed = false;
        return {
            dispose: () => {
                if (disposed) {
                    return;
                }
                disposed = true;
                if (this.innerState.value === CircuitState.Isolated && !--this.innerState.counters) {
                    this.innerState = { value: CircuitState.Closed };
                    this.resetEmitter.emit();
                    this.stateChangeEmitter.emit(CircuitState.Closed);
                }
            },
        };
    }
    /**
     * Executes the given function.
     * @param fn Function to run
     * @throws a {@link BrokenCircuitError} if the circuit is open
     * @throws a {@link IsolatedCircuitError} if the circuit is held
     * open via {@link CircuitBreakerPolicy.isolate}
     * @returns a Promise that resolves or rejects with the function results.
     */
    async execute(fn, signal = abort/* neverAbortedSignal */._2) {
        const state = this.innerState;
        switch (state.value) {
            case CircuitState.Closed:
                const result = await this.executor.invoke(fn, { signal });
                if ('success' in result) {
                    this.options.breaker.success(state.value);
                }
                else {
                    this.innerLastFailure = result;
                    if (this.options.breaker.failure(state.value)) {
                        this.open(result, signal);
                    }
                }
                return (0,Executor/* returnOrThrow */.O)(result);
            case CircuitState.HalfOpen:
                return this.executeHalfOpen(fn, signal, state);
            case CircuitState.Open:
                if (Date.now() - state.openedAt < state.backoff.duration) {
                    throw new BrokenCircuitError/* BrokenCircuitError */.b();
                }
                const halfOpenState = {
                    value: CircuitState.HalfOpen,
                    backoff: state.backoff,
                    attemptNo: state.attemptNo + 1,
                    decision: defer(),
                    inFlight: 0,
                    successes: 0,
                    failures: 0,
                };
                this.innerState = halfOpenState;
                this.halfOpenEmitter.emit();
                this.stateChangeEmitter.emit(CircuitState.HalfOpen);
                return this.executeHalfOpen(fn, signal, halfOpenState);
            case CircuitState.Isolated:
                throw new IsolatedCircuitError();
            default:
                throw new Error(`Unexpected circuit state ${state}`);
        }
    }
    async executeHalfOpen(fn, signal, state) {
        if (this.innerState !== state) {
            return this.execute(fn, signal);
        }
        if (state.successes + state.failures + state.inFlight >= this.halfOpenSampling.calls) {
            await state.decision.promise;
            if (this.state === CircuitState.Closed && signal.aborted) {
                throw new TaskCancelledError/* TaskCancelledError */.X();
            }
            return this.execute(fn, signal);
        }
        state.inFlight++;
        let result;
        try {
            result = await this.executor.invoke(fn, { signal });
        }
        catch (err) {
            // It's an error, but not one the circuit is meant to retry, so
            // for our purposes it's a success. Task failed successfully!
            this.recordHalfOpenSuccess(state);
            throw err;
        }
        if ('success' in result) {
            this.recordHalfOpenSuccess(state);
        }
        else {
            this.innerLastFailure = result;
            this.recordHalfOpenFailure(state, result, signal);
        }
        return (0,Executor/* returnOrThrow */.O)(result);
    }
    /**
     * Captures circuit breaker state that can later be used to recreate the
     * breaker by passing `state` to the `circuitBreaker` function. This is
     * useful in cases like serverless functions where you may want to keep
     * the breaker state across multiple executions.
     */
    toJSON() {
        const state = this.innerState;
        let ownState;
        if (state.value === CircuitState.HalfOpen) {
            ownState = {
                value: CircuitState.Open,
                openedAt: 0,
                attemptNo: state.attemptNo,
            };
        }
        else if (state.value === CircuitState.Open) {
            ownState = {
                value: CircuitState.Open,
                openedAt: state.openedAt,
                attemptNo: state.attemptNo,
            };
        }
        else {
            ownState = state;
        }
        return { ownState, breakerState: this.options.breaker.state };
    }
    recordHalfOpenSuccess(state) {
        if (this.innerState !== state) {
            return;
        }
        state.inFlight--;
        state.successes++;
        this.maybeCompleteHalfOpen(state);
    }
    recordHalfOpenFailure(state, reason, signal) {
        if (this.innerState !== state) {
            return;
        }
        state.inFlight--;
        state.failures++;
        if (state.failures > this.halfOpenSampling.threshold * this.halfOpenSampling.calls) {
            this.options.breaker.failure(CircuitState.HalfOpen);
            this.open(reason, signal);
            return;
        }
        this.maybeCompleteHalfOpen(state);
    }
    maybeCompleteHalfOpen(state) {
        if (state.successes + state.failures < this.halfOpenSampling.calls || state.inFlight) {
            return;
        }
        this.close();
    }
    open(reason, signal) {
        if (this.state === CircuitState.Isolated || this.state === CircuitState.Open) {
            return;
        }
        const previousState = this.innerState;
        const attemptNo = this.innerState.value === CircuitState.HalfOpen ? this.innerState.attemptNo : 1;
        const context = { attempt: attemptNo, result: reason, signal };
        const backoff = this.innerState.value === CircuitState.HalfOpen
            ? this.innerState.backoff.next(context)
            : this.halfOpenAfterBackoffFactory.next(context);
        this.innerState = { value: CircuitState.Open, openedAt: Date.now(), backoff, attemptNo };
        if (previousState.value === CircuitState.HalfOpen) {
            previousState.decision.resolve();
        }
        this.breakEmitter.emit(reason);
        this.stateChangeEmitter.emit(CircuitState.Open);
    }
    close() {
        if (this.innerState.value === CircuitState.HalfOpen) {
            const state = this.innerState;
            this.options.breaker.success(CircuitState.HalfOpen);
            this.innerState = { value: CircuitState.Closed };
            state.decision.resolve();
            this.resetEmitter.emit();
            this.stateChangeEmitter.emit(CircuitState.Closed);
        }
    }
    createHalfOpenSamplingOptions(options) {
        const halfOpenSampling = options ?? { calls: 1, threshold: 0 };
        if (!Number.isSafeInteger(halfOpenSampling.calls) || halfOpenSampling.calls < 1) {
            throw new RangeError(`CircuitBreaker halfOpenSampling.calls should be a positive integer, got ${halfOpenSampling.calls}`);
        }
        if (!Number.isFinite(halfOpenSampling.threshold) ||
            halfOpenSampling.threshold < 0 ||
            halfOpenSampling.threshold >= 1) {
            throw new RangeError(`CircuitBreaker halfOpenSampling.threshold should be between [0, 1), got ${halfOpenSampling.threshold}`);
        }
        return { calls: halfOpenSampling.calls, threshold: halfOpenSampling.threshold };
    }
}
//# sourceMappingURL=CircuitBreakerPolicy.js.map

/***/ }),

/***/ 7891:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  sL: () => (/* binding */ circuitBreaker),
  n_: () => (/* binding */ handleType),
  L5: () => (/* binding */ retry)
});

// UNUSED EXPORTS: Policy, bulkhead, fallback, handleAll, handleResultType, handleWhen, handleWhenResult, noop, timeout, usePolicy, wrap

// EXTERNAL MODULE: ./node_modules/cockatiel/dist/backoff/ConstantBackoff.js
var ConstantBackoff = __webpack_require__(8730);
// EXTERNAL MODULE: ./node_modules/cockatiel/dist/CircuitBreakerPolicy.js + 3 modules
var CircuitBreakerPolicy = __webpack_require__(8864);
// EXTERNAL MODULE: ./node_modules/cockatiel/dist/common/Executor.js
var Executor = __webpack_require__(3529);
// EXTERNAL MODULE: ./node_modules/cockatiel/dist/common/abort.js
var abort = __webpack_require__(957);
;// CONCATENATED MODULE: ./node_modules/cockatiel/dist/NoopPolicy.js


/**
 * A no-op policy, useful for unit tests and stubs.
 */
class NoopPolicy {
    executor = new Executor/* ExecuteWrapper */.B();
    onSuccess = this.executor.onSuccess;
    onFailure = this.executor.onFailure;
    async execute(fn, signal = abort/* neverAbortedSignal */._2) {
        return (0,Executor/* returnOrThrow */.O)(await this.executor.invoke(fn, { signal }));
    }
}
//# sourceMappingURL=NoopPolicy.js.map
// EXTERNAL MODULE: ./node_modules/cockatiel/dist/common/Event.js
var Event = __webpack_require__(8663);
;// CONCATENATED MODULE: ./node_modules/cockatiel/dist/RetryPolicy.js



const delay = (duration, unref) => new Promise(resolve => {
    const timer = setTimeout(resolve, duration);
    if (unref) {
        timer.unref();
    }
});
class RetryPolicy {
    options;
    executor;
    onGiveUpEmitter = new Event/* EventEmitter */.bk();
    onRetryEmitter = new Event/* EventEmitter */.bk();
    /**
     * @inheritdoc
     */
    get onSuccess() {
        return this.executor.onSuccess;
    }
    /**
     * @inheritdoc
     */
    get onFailure() {
        return this.executor.onFailure;
    }
    /**
     * Emitter that fires when we retry a call, before any backoff.
     *
     */
    onRetry = this.onRetryEmitter.addListener;
    /**
     * Emitter that fires when we're no longer retrying a call and are giving up.
     */
    onGiveUp = this.onGiveUpEmitter.addListener;
    constructor(options, executor) {
        this.options = options;
        this.executor = executor;
    }
    /**
     * When retrying, a referenced timer is created. This means the Node.js event
     * loop is kept active while we're delaying a retried call. Calling this
     * method on the retry builder will unreference the timer, allowing the
     * process to exit even if a retry might still be pending.
     */
    dangerouslyUnref() {
        return new RetryPolicy({ ...this.options, unref: true }, this.executor.clone());
    }
    /**
     * Executes the given function with retries.
     * @param fn Function to run
     * @returns a Promise that resolves or rejects with the function results.
     */
    async execute(fn, signal = abort/* neverAbortedSignal */._2) {
        const factory = this.options.backoff || new ConstantBackoff/* ConstantBackoff */.j(0);
        let backoff;
        for (let retries = 0;; retries++) {
            const result = await this.executor.invoke(fn, { attempt: retries, signal });
            if ('success' in result) {
                return result.success;
            }
            if (!signal.aborted && retries < this.options.maxAttempts) {
                const context = { attempt: retries + 1, signal, result };
                backoff = backoff ? backoff.next(context) : factory.next(context);
                const delayDuration = backoff.duration;
                const delayPromise = delay(delayDuration, !!this.options.unref);
                // A little sneaky reordering here lets us use Sinon's fake timers
                // when we get an emission in our tests.
                this.onRetryEmitter.emit({ ...result, delay: delayDuration, attempt: retries + 1 });
                await delayPromise;
                continue;
            }
            this.onGiveUpEmitter.emit(result);
            if ('error' in result) {
                throw result.error;
            }
            return result.value;
        }
    }
}
//# sourceMappingURL=RetryPolicy.js.map
;// CONCATENATED MODULE: ./node_modules/cockatiel/dist/Policy.js








const typeFilter = (cls, predicate) => predicate ? (v) => v instanceof cls && predicate(v) : (v) => v instanceof cls;
const always = () => true;
const never = () => false;
class Policy {
    options;
    /**
     * Factory that builds a base set of filters that can be used in circuit
     * breakers, retries, etc.
     */
    constructor(options) {
        this.options = options;
    }
    /**
     * Allows the policy to additionally handles errors of the given type.
     *
     * @param cls Class constructor to check that the error is an instance of.
     * @param predicate If provided, a function to be called with the error
     * which should return "true" if we want to handle this error.
     * @example
     * ```js
     * // retry both network errors and response errors with a 503 status code
     * new Policy()
     *  .orType(NetworkError)
     *  .orType(ResponseError, err => err.statusCode === 503)
     *  .retry()
     *  .attempts(3)
     *  .execute(() => getJsonFrom('https://example.com'));
     * ```
     */
    orType(cls, predicate) {
        const filter = typeFilter(cls, predicate);
        return new Policy({
            ...this.options,
            errorFilter: e => this.options.errorFilter(e) || filter(e),
        });
    }
    /**
     * Allows the policy to additionally handles errors that pass the given
     * predicate function.
     *
     * @param predicate Takes any thrown error, and returns true if it should
     * be retried by this policy.
     * @example
     * ```js
     * // only retry if the error has a "shouldBeRetried" property set
     * new Policy()
     *  .orWhen(err => err.shouldBeRetried === true)
     *  .retry()
     *  .attempts(3)
     *  .execute(() => getJsonFrom('https://example.com'));
     * ```
     */
    orWhen(predicate) {
        return new Policy({
            ...this.options,
            errorFilter: e => this.options.errorFilter(e) || predicate(e),
        });
    }
    /**
     * Adds handling for return values. The predicate will be called with
     * the return value of the executed function,
     *
     * @param predicate Takes the returned value, and returns true if it
     * should be retried by this policy.
     * @example
     * ```js
     * // retry when the response status code is a 5xx
     * new Policy()
     *  .orResultWhen(res => res.statusCode >= 500)
     *  .retry()
     *  .attempts(3)
     *  .execute(() => getJsonFrom('https://example.com'));
     * ```
     */
    orWhenResult(predicate) {
        return new Policy({
            ...this.options,
            resultFilter: r => this.options.resultFilter(r) || predicate(r),
        });
    }
    /**
     * Adds handling for return values. The predicate will be called with
     * the return value of the executed function,
     *
     * @param predicate Takes the returned value, and returns true if it
     * should be retried by this policy.
     * @example
     * ```js
     * // retry when the response status code is a 5xx
     * new Policy()
     *  .orResultType(res => res.statusCode >= 500)
     *  .retry()
     *  .attempts(3)
     *  .execute(() => getJsonFrom('https://example.com'));
     * ```
     */
    orResultType(cls, predicate) {
        const filter = typeFilter(cls, predicate);
        return new Policy({
            ...this.options,
            resultFilter: r => this.options.resultFilter(r) || filter(r),
        });
    }
}
const noop = new NoopPolicy();
/**
 * A policy that handles all errors.
 */
const handleAll = new Policy({ errorFilter: always, resultFilter: never });
/**
 * See {@link Policy.orType} for usage.
 */
function handleType(cls, predicate) {
    return new Policy({ errorFilter: typeFilter(cls, predicate), resultFilter: never });
}
/**
 * See {@link Policy.orWhen} for usage.
 */
function handleWhen(predicate) {
    return new Policy({ errorFilter: predicate, resultFilter: never });
}
/**
 * See {@link Policy.orResultType} for usage.
 */
function handleResultType(cls, predicate) {
    return new Policy({ errorFilter: never, resultFilter: typeFilter(cls, predicate) });
}
/**
 * See {@link Policy.orWhenResult} for usage.
 */
function handleWhenResult(predicate) {
    return new Policy({ errorFilter: never, resultFilter: predicate });
}
/**
 * Creates a bulkhead--a policy that limits the number of concurrent calls.
 */
function bulkhead(limit, queue = 0) {
    return new BulkheadPolicy(limit, queue);
}
/**
 * A decorator that can be used to wrap class methods and apply the given
 * policy to them. It also adds the last argument normally given in
 * {@link Policy.execute} as the last argument in the function call.
 * For example:
 *
 * ```ts
 * import { usePolicy, retry, handleAll } from 'cockatiel';
 *
 * const retry = retry(handleAll, { maxAttempts: 3 });
 *
 * class Database {
 *   @usePolicy(retry)
 *   public getUserInfo(userId, context, cancellationToken) {
 *     console.log('Retry attempt number', context.attempt);
 *     // implementation here
 *   }
 * }
 *
 * const db = new Database();
 * db.getUserInfo(3).then(info => console.log('User 3 info:', info))
 * ```
 *
 * Note that it will force the return type to be a Promise, since that's
 * what policies return.
 */
function usePolicy(policy) {
    return (_target, _key, descriptor) => {
        const inner = descriptor.value;
        if (typeof inner !== 'function') {
            throw new Error(`Can only decorate functions with @cockatiel, got ${typeof inner}`);
        }
        descriptor.value = function (...args) {
            const signal = args[args.length - 1] instanceof AbortSignal ? args.pop() : undefined;
            return policy.execute(context => inner.apply(this, [...args, context]), signal);
        };
    };
}
/**
 * Creates a timeout policy.
 * @param duration - How long to wait before timing out execute()'d functions
 * @param strategy - Strategy for timeouts, "Cooperative" or "Aggressive".
 * A {@link CancellationToken} will be pass to any executed function, and in
 * cooperative timeouts we'll simply wait for that function to return or
 * throw. In aggressive timeouts, we'll immediately throw a
 * {@link TaskCancelledError} when the timeout is reached, in addition to
 * marking the passed token as failed.
 */
function timeout(duration, strategyOrOpts) {
    return new TimeoutPolicy(duration, typeof strategyOrOpts === 'string' ? { strategy: strategyOrOpts } : strategyOrOpts);
}
function wrap(...p) {
    return {
        _altReturn: undefined,
        onFailure: p[0].onFailure,
        onSuccess: p[0].onSuccess,
        wrapped: p,
        execute(fn, signal) {
            const run = (context, i) => i === p.length
                ? fn(context)
                : p[i].execute(next => run({ ...context, ...next }, i + 1), context.signal);
            return Promise.resolve(run({ signal }, 0));
        },
    };
}
/**
 * Creates a retry policy. The options should contain the backoff strategy to
 * use. Included strategies are:
 *  - {@link ConstantBackoff}
 *  - {@link ExponentialBackoff}
 *  - {@link IterableBackoff}
 *  - {@link DelegateBackoff} (advanced)
 *
 * For example:
 *
 * ```
 * import { handleAll, retry } from 'cockatiel';
 *
 * const policy = retry(handleAll, { backoff: new ExponentialBackoff() });
 * ```
 *
 * You can optionally pass in the `attempts` to limit the maximum number of
 * retry attempts per call.
 */
function retry(policy, opts) {
    return new RetryPolicy({ backoff: opts.backoff || new ConstantBackoff/* ConstantBackoff */.j(0), maxAttempts: opts.maxAttempts ?? Infinity }, new Executor/* ExecuteWrapper */.B(policy.options.errorFilter, policy.options.resultFilter));
}
/**
 * Returns a circuit breaker for the policy. **Important**: you should share
 * your circuit breaker between executions of whatever function you're
 * wrapping for it to function!
 *
 * ```ts
 * import { SamplingBreaker, Policy } from 'cockatiel';
 *
 * // Break if more than 20% of requests fail in a 30 second time window:
 * const breaker = Policy
 *  .handleAll()
 *  .circuitBreaker(10_000, new SamplingBreaker(0.2, 30 * 1000));
 *
 * export function handleRequest() {
 *   return breaker.execute(() => getInfoFromDatabase());
 * }
 * ```
 *
 * @param halfOpenAfter Time after failures to try to open the circuit
 * breaker again.
 * @param breaker The circuit breaker to use. This package exports
 * ConsecutiveBreaker and SamplingBreakers for you to use.
 */
function circuitBreaker(policy, opts) {
    return new CircuitBreakerPolicy/* CircuitBreakerPolicy */.c(opts, new Executor/* ExecuteWrapper */.B(policy.options.errorFilter, policy.options.resultFilter));
}
/**
 * Falls back to the given value in the event of an error.
 *
 * ```ts
 * import { Policy } from 'cockatiel';
 *
 * const fallback = Policy
 *  .handleType(DatabaseError)
 *  .fallback(() => getStaleData());
 *
 * export function handleRequest() {
 *   return fallback.execute(() => getInfoFromDatabase());
 * }
 * ```
 *
 * @param toValue Value to fall back to, or a function that creates the
 * value to return (any may return a promise)
 */
function fallback(policy, valueOrFactory) {
    return new FallbackPolicy(new ExecuteWrapper(policy.options.errorFilter, policy.options.resultFilter), 
    // not technically type-safe, since if they actually want to _return_
    // a function, that gets lost here. We'll just advice in the docs to
    // use a higher-order function if necessary.
    (typeof valueOrFactory === 'function' ? valueOrFactory : () => valueOrFactory));
}
//# sourceMappingURL=Policy.js.map

/***/ }),

/***/ 8730:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   j: () => (/* binding */ ConstantBackoff)
/* harmony export */ });
class ConstantBackoff {
    interval;
    /**
     * Backoff that returns a constant interval.
     */
    constructor(interval) {
        this.interval = interval;
    }
    /**
     * @inheritdoc
     */
    next() {
        return instance(this.interval);
    }
}
const instance = (interval) => ({
    duration: interval,
    next() {
        return this;
    },
});
//# sourceMappingURL=ConstantBackoff.js.map

/***/ }),

/***/ 4263:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   W: () => (/* binding */ DelegateBackoff)
/* harmony export */ });
class DelegateBackoff {
    fn;
    /**
     * Backoff that delegates to a user-provided function. The function takes
     * the backoff context, and can optionally take (and return) a state value
     * that will be passed into subsequent backoff requests.
     */
    constructor(fn) {
        this.fn = fn;
    }
    /**
     * @inheritdoc
     */
    next(context) {
        return instance(this.fn).next(context);
    }
}
const instance = (fn, state, current = 0) => ({
    duration: current,
    next(context) {
        const result = fn(context, state);
        return typeof result === 'number'
            ? instance(fn, state, result)
            : instance(fn, result.state, result.delay);
    },
});
//# sourceMappingURL=DelegateBackoff.js.map

/***/ }),

/***/ 1786:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   N: () => (/* binding */ ConsecutiveBreaker)
/* harmony export */ });
class ConsecutiveBreaker {
    threshold;
    /**
     * @inheritdoc
     */
    state = 0;
    /**
     * ConsecutiveBreaker breaks if more than `threshold` exceptions are received
     * over a time period.
     */
    constructor(threshold) {
        this.threshold = threshold;
    }
    /**
     * @inheritdoc
     */
    success() {
        this.state = 0;
    }
    /**
     * @inheritdoc
     */
    failure() {
        return ++this.state >= this.threshold;
    }
}
//# sourceMappingURL=ConsecutiveBreaker.js.map

/***/ }),

/***/ 8663:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   bk: () => (/* binding */ EventEmitter)
/* harmony export */ });
/* unused harmony exports noopDisposable, Event, onAbort, MemorizingEventEmitter */
/* harmony import */ var _errors_TaskCancelledError_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(6703);

const noopDisposable = { dispose: () => undefined };
var Event;
(function (Event) {
    /**
     * Adds a handler that handles one event on the emitter.
     */
    Event.once = (event, listener) => {
        let syncDispose = false;
        let disposable;
        disposable = event(value => {
            listener(value);
            if (disposable) {
                disposable.dispose();
            }
            else {
                syncDispose = true; // callback can fire before disposable is returned
            }
        });
        if (syncDispose) {
            disposable.dispose();
            return noopDisposable; // no reason to keep the ref around
        }
        return disposable;
    };
    /**
     * Returns a promise that resolves when the event fires, or when cancellation
     * is requested, whichever happens first.
     */
    Event.toPromise = (event, signal) => {
        if (!signal) {
            return new Promise(resolve => Event.once(event, resolve));
        }
        if (signal.aborted) {
            return Promise.reject(new _errors_TaskCancelledError_js__WEBPACK_IMPORTED_MODULE_0__/* .TaskCancelledError */ .X());
        }
        const toDispose = [];
        return new Promise((resolve, reject) => {
            const abortEvt = onAbort(signal);
            toDispose.push(abortEvt);
            toDispose.push(abortEvt.event(() => {
                reject(new _errors_TaskCancelledError_js__WEBPACK_IMPORTED_MODULE_0__/* .TaskCancelledError */ .X());
            }));
            toDispose.push(Event.once(event, data => {
                resolve(data);
            }));
        }).finally(() => {
            for (const d of toDispose) {
                d.dispose();
            }
        });
    };
})(Event || (Event = {}));
/** Creates an Event that fires when the signal is aborted. */
const onAbort = (signal) => {
    const evt = new OneShotEvent();
    if (signal.aborted) {
        evt.emit(signal.reason);
        return { event: evt.addListener, dispose: () => { } };
    }
    const dispose = () => signal.removeEventListener('abort', l);
    // @types/node is currently missing the event types on AbortSignal
    const l = () => {
        evt.emit(signal.reason);
        dispose();
    };
    signal.addEventListener('abort', l);
    return { event: evt.addListener, dispose };
};
/**
 * Base event emitter. Calls listeners when data is emitted.
 */
class EventEmitter {
    listeners;
    /**
     * Event<T> function.
     */
    addListener = listener => this.addListenerInner(listener);
    /**
     * Gets the number of event listeners.
     */
    get size() {
        if (!this.listeners) {
            return 0;
        }
        else if (typeof this.listeners === 'function') {
            return 1;
        }
        else {
            return this.listeners.length;
        }
    }
    /**
     * Emits event data.
     */
    emit(value) {
        if (!this.listeners) {
            // no-op
        }
        else if (typeof this.listeners === 'function') {
            this.listeners(value);
        }
        else {
            for (const listener of this.listeners) {
                listener(value);
            }
        }
    }
    addListenerInner(listener) {
        if (!this.listeners) {
            this.listeners = listener;
        }
        else if (typeof this.listeners === 'function') {
            this.listeners = [this.listeners, listener];
        }
        else {
            this.listeners.push(listener);
        }
        return { dispose: () => this.removeListener(listener) };
    }
    removeListener(listener) {
        if (!this.listeners) {
            return;
        }
        if (typeof this.listeners === 'function') {
            if (this.listeners === listener) {
                this.listeners = undefined;
            }
            return;
        }
        const index = this.listeners.indexOf(listener);
        if (index === -1) {
            return;
        }
        if (this.listeners.length === 2) {
            this.listeners = index === 0 ? this.listeners[1] : this.listeners[0];
        }
        else {
            this.listeners = this.listeners.slice(0, index).concat(this.listeners.slice(index + 1));
        }
    }
}
/**
 * An event emitter that memorizes and instantly re-emits its last value
 * to attached listeners.
 */
class MemorizingEventEmitter extends (/* unused pure expression or super */ null && (EventEmitter)) {
    /**
     * Last emitted value, wrapped in an object so that we can correctly detect
     * emission of 'undefined' values.
     */
    lastValue;
    /**
     * Gets whether this emitter has yet emitted any event.
     */
    get hasEmitted() {
        return !!this.lastValue;
    }
    /**
     * @inheritdoc
     */
    addListener = listener => {
        const disposable = this.addListenerInner(listener);
        if (this.lastValue) {
            listener(this.lastValue.value);
        }
        return disposable;
    };
    /**
     * @inheritdoc
     */
    emit(value) {
        this.lastValue = { value };
        super.emit(value);
    }
}
/**
 * An event emitter that fires a value once and removes all
 * listeners automatically after doing so.
 */
class OneShotEvent extends EventEmitter {
    /**
     * Last emitted value, wrapped in an object so that we can correctly detect
     * emission of 'undefined' values.
     */
    lastValue;
    /**
     * @inheritdoc
     */
    addListener = listener => {
        if (this.lastValue) {
            listener(this.lastValue.value);
            return noopDisposable;
        }
        else {
            return this.addListenerInner(listener);
        }
    };
    /**
     * @inheritdoc
     */
    emit(value) {
        this.lastValue = { value };
        super.emit(value);
        this.listeners = undefined;
    }
}
//# sourceMappingURL=Event.js.map

/***/ }),

/***/ 3529:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   B: () => (/* binding */ ExecuteWrapper),
/* harmony export */   O: () => (/* binding */ returnOrThrow)
/* harmony export */ });
/* harmony import */ var _Event_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8663);

const returnOrThrow = (failure) => {
    if ('error' in failure) {
        throw failure.error;
    }
    if ('success' in failure) {
        return failure.success;
    }
    return failure.value;
};
const makeStopwatch = () => {
    if (typeof performance !== 'undefined') {
        const start = performance.now();
        return () => performance.now() - start;
    }
    else {
        const start = process.hrtime.bigint();
        return () => Number(process.hrtime.bigint() - start) / 1000000; // ns->ms
    }
};
class ExecuteWrapper {
    errorFilter;
    resultFilter;
    successEmitter = new _Event_js__WEBPACK_IMPORTED_MODULE_0__/* .EventEmitter */ .bk();
    failureEmitter = new _Event_js__WEBPACK_IMPORTED_MODULE_0__/* .EventEmitter */ .bk();
    onSuccess = this.successEmitter.addListener;
    onFailure = this.failureEmitter.addListener;
    constructor(errorFilter = () => false, resultFilter = () => false) {
        this.errorFilter = errorFilter;
        this.resultFilter = resultFilter;
    }
    clone() {
        return new ExecuteWrapper(this.errorFilter, this.resultFilter);
    }
    async invoke(fn, ...args) {
        const stopwatch = this.successEmitter.size || this.failureEmitter.size ? makeStopwatch() : null;
        try {
            const value = await fn(...args);
            if (!this.resultFilter(value)) {
                if (stopwatch) {
                    this.successEmitter.emit({ duration: stopwatch() });
                }
                return { success: value };
            }
            if (stopwatch) {
                this.failureEmitter.emit({ duration: stopwatch(), handled: true, reason: { value } });
            }
            return { value };
        }
        catch (error) {
            const handled = this.errorFilter(error);
            if (stopwatch) {
                this.failureEmitter.emit({ duration: stopwatch(), handled, reason: { error } });
            }
            if (!handled) {
                throw error;
            }
            return { error };
        }
    }
}
//# sourceMappingURL=Executor.js.map

/***/ }),

/***/ 957:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   _2: () => (/* binding */ neverAbortedSignal)
/* harmony export */ });
/* unused harmony exports abortedSignal, deriveAbortController */

const neverAbortedSignal = new AbortController().signal;
const cancelledSrc = new AbortController();
cancelledSrc.abort();
const abortedSignal = cancelledSrc.signal;
const noop = () => { };
/**
 * Creates a new AbortController that is aborted when the parent signal aborts.
 * @private
 */
const deriveAbortController = (signal) => {
    const ctrl = new AbortController();
    let dispose = noop;
    if (!signal) {
        return { ctrl, dispose };
    }
    if (signal.aborted) {
        ctrl.abort(signal.reason);
    }
    else {
        const abortEvt = onAbort(signal);
        abortEvt.event((reason) => ctrl.abort(reason));
        dispose = abortEvt.dispose;
    }
    return { ctrl, dispose };
};
//# sourceMappingURL=abort.js.map

/***/ }),

/***/ 155:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   b: () => (/* binding */ BrokenCircuitError)
/* harmony export */ });
class BrokenCircuitError extends Error {
    isBrokenCircuitError = true;
    /**
     * Exception thrown from {@link CircuitBreakerPolicy.execute} when the
     * circuit breaker is open.
     */
    constructor(message = 'Execution prevented because the circuit breaker is open') {
        super(message);
    }
}
//# sourceMappingURL=BrokenCircuitError.js.map

/***/ }),

/***/ 6703:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   X: () => (/* binding */ TaskCancelledError)
/* harmony export */ });
class TaskCancelledError extends Error {
    message;
    isTaskCancelledError = true;
    /**
     * Error thrown when a task is cancelled.
     */
    constructor(message = 'Operation cancelled') {
        super(message);
        this.message = message;
    }
}
//# sourceMappingURL=TaskCancelledError.js.map

/***/ }),

/***/ 9567:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   ai: () => (/* binding */ number)
/* harmony export */ });
/* unused harmony exports string, boolean, bigint, date */
/* harmony import */ var _core_index_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3759);
/* harmony import */ var _schemas_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7597);


function string(params) {
    return core._coercedString(schemas.ZodString, params);
}
function number(params) {
    return _core_index_js__WEBPACK_IMPORTED_MODULE_0__/* ._coercedNumber */ .qG(_schemas_js__WEBPACK_IMPORTED_MODULE_1__/* .ZodNumber */ .rSt, params);
}
function boolean(params) {
    return core._coercedBoolean(schemas.ZodBoolean, params);
}
function bigint(params) {
    return core._coercedBigint(schemas.ZodBigInt, params);
}
function date(params) {
    return core._coercedDate(schemas.ZodDate, params);
}


/***/ })

};
