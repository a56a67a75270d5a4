export const id = 471;
export const ids = [471];
export const modules = {

/***/ 6539:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  N: () => (/* binding */ connect)
});

// EXTERNAL MODULE: ../../main/node_modules/undici/lib/dispatcher/agent.js
var agent = __webpack_require__(5539);
// EXTERNAL MODULE: ../../main/node_modules/cockatiel/dist/Policy.js + 11 modules
var Policy = __webpack_require__(9113);
// EXTERNAL MODULE: ../../main/node_modules/cockatiel/dist/breaker/ConsecutiveBreaker.js
var ConsecutiveBreaker = __webpack_require__(712);
// EXTERNAL MODULE: ../../main/node_modules/cockatiel/dist/backoff/DelegateBackoff.js
var DelegateBackoff = __webpack_require__(9245);
// EXTERNAL MODULE: ../../main/node_modules/cockatiel/dist/errors/BrokenCircuitError.js
var BrokenCircuitError = __webpack_require__(5785);
// EXTERNAL MODULE: ./lib/clock.js
var clock = __webpack_require__(8398);
// EXTERNAL MODULE: ./lib/cloud/attempt.js + 1 modules
var cloud_attempt = __webpack_require__(893);
// EXTERNAL MODULE: ./lib/cloud/backoff.js
var backoff = __webpack_require__(3354);
// EXTERNAL MODULE: ./lib/cloud/errors.js
var errors = __webpack_require__(2871);
;// CONCATENATED MODULE: ./lib/cloud/http.js





class CloudHttp {
    #options;
    #breaker;
    constructor(options) {
        this.#options = options;
        this.#breaker = (0,Policy/* circuitBreaker */.sL)((0,Policy/* handleType */.n_)(errors/* CloudUnreachableError */.s8), {
            halfOpenAfter: holdingFor(options.circuitBreakerTimeoutMs),
            breaker: new ConsecutiveBreaker/* ConsecutiveBreaker */.N(options.circuitBreakerFailures),
        });
    }
    get broken() {
        return this.#breaker.state !== 0;
    }
    async call(call) {
        const { retryCount, retryMaxWaitMs, random = Math.random, onRetry } = this.#options;
        const retries = (0,Policy/* retry */.L5)((0,Policy/* handleType */.n_)(cloud_attempt/* TransientError */.N), {
            maxAttempts: retryCount,
            backoff: new DelegateBackoff/* DelegateBackoff */.W(({ attempt, result }) => {
                const error = result.error;
                const asked = error instanceof cloud_attempt/* TransientError */.N ? error.retryAfterMs : undefined;
                return (0,backoff/* retryWait */.y)(attempt, asked, { ...this.#options, random });
            }),
        });
        retries.onRetry((event) => {
            const error = 'error' in event && event.error instanceof cloud_attempt/* TransientError */.N ? event.error : undefined;
            const asked = error?.retryAfterMs ?? 0;
            const cut = asked > retryMaxWaitMs ? ` (its Retry-After of ${asked / 1000} s is cut by request_retry_max_wait)` : '';
            onRetry?.(call.purpose, `${error?.message ?? 'no usable answer'}${cut}`, event.delay);
        });
        const waiting = new AbortController();
        let tries = 0;
        const tryOnce = async () => {
            call.noMoreTries?.throwIfAborted();
            tries += 1;
            try {
                return await (0,cloud_attempt/* attempt */.C)(call, this.#options);
            }
            catch (error) {
                if (call.noMoreTries?.aborted === true)
                    waiting.abort(call.noMoreTries.reason);
                throw error;
            }
            finally {
                tries -= 1;
            }
        };
        const stopWaiting = () => {
            if (tries === 0)
                waiting.abort(call.noMoreTries?.reason);
        };
        call.noMoreTries?.addEventListener('abort', stopWaiting, { once: true });
        const attempts = async () => {
            try {
                return await retries.execute(tryOnce, call.signal);
            }
            catch (error) {
                return this.#lastAnswer(call, error);
            }
        };
        const alive = setInterval(() => undefined, 60_000);
        try {
            const signal = AbortSignal.any([call.signal, waiting.signal]);
            return await abortable(() => this.#breaker.execute(attempts, signal), signal);
        }
        catch (error) {
            if (error instanceof BrokenCircuitError/* BrokenCircuitError */.b) {
                throw new errors/* CloudUnreachableError */.s8(`Failed to ${call.purpose} for ${this.#options.serviceUrl}: too many calls failed, so no more are made for a while. Check the network path and Pulumi Cloud's status.`, { cause: error });
            }
            throw error;
        }
        finally {
            clearInterval(alive);
            call.noMoreTries?.removeEventListener('abort', stopWaiting);
        }
    }
    async once(call) {
        try {
            return await abortable(() => (0,cloud_attempt/* attempt */.C)(call, this.#options), call.signal);
        }
        catch (error) {
            return this.#lastAnswer(call, error);
        }
    }
    #lastAnswer(call, error) {
        if (!(error instanceof cloud_attempt/* TransientError */.N))
            throw error;
        if (error.answer !== undefined)
            return error.answer;
        throw new errors/* CloudUnreachableError */.s8(`Failed to ${call.purpose} for ${this.#options.serviceUrl}: ${error.message}. Check the network path and Pulumi Cloud's status.`, { cause: error, retryAfterMs: error.retryAfterMs });
    }
}
function holdingFor(ms) {
    const next = () => {
        const opened = clock/* systemClock */.ml.steady();
        return {
            get duration() {
                return clock/* systemClock */.ml.steady() - opened < ms ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
            },
            next,
        };
    };
    return { next };
}
function abortable(work, signal) {
    signal.throwIfAborted();
    return (0,clock/* settledBefore */.ZQ)(work(), signal);
}

// EXTERNAL MODULE: ./lib/network/proxy-variable.js
var proxy_variable = __webpack_require__(6326);
// EXTERNAL MODULE: ./lib/version.js
var version = __webpack_require__(644);
;// CONCATENATED MODULE: ./lib/agent/connect.js




async function connect(config, sources) {
    const { log } = sources;
    const { dispatcher, caBundle } = await openDispatcher(config, sources);
    const http = new CloudHttp({
        serviceUrl: config.serviceUrl,
        requestTimeoutMs: config.requestTimeoutMs,
        retryCount: config.requestRetryCount,
        retryWaitMs: config.requestRetryWaitMs,
        retryMaxWaitMs: config.requestRetryMaxWaitMs,
        circuitBreakerFailures: config.circuitBreakerFailures,
        circuitBreakerTimeoutMs: config.circuitBreakerTimeoutMs,
        userAgent: `pulumi-runner-agent/${version/* VERSION */.x} (${globalThis.process.platform}; ${globalThis.process.arch})`,
        dispatcher,
        now: () => Date.now(),
        onRetry: (purpose, reason, waitMs) => log('warning', `Failed to ${purpose}: ${reason}. Trying again in ${(waitMs / 1000).toFixed(1)} s.`),
    });
    return { http, ...(caBundle === undefined ? {} : { caBundle }), close: () => dispatcher.destroy() };
}
async function openDispatcher(config, { environment, log, redactor }) {
    const { serviceUrl, caCertificate, caCertificateInJobs } = config;
    const connectTimeoutMs = Math.min(10_000, config.requestTimeoutMs);
    const url = new URL(serviceUrl);
    const plain = url.protocol === 'http:' && (0,proxy_variable/* proxyVariable */.r)(url, environment) === undefined;
    if (plain && caCertificate === undefined && !caCertificateInJobs)
        return { dispatcher: new agent({ connect: { timeout: connectTimeoutMs } }) };
    const { openWay } = await __webpack_require__.e(/* import() */ 587).then(__webpack_require__.bind(__webpack_require__, 7587));
    const { dispatcher, notices, secrets, certificates } = await openWay({
        serviceUrl,
        connectTimeoutMs,
        ...(caCertificate === undefined ? {} : { caCertificate }),
        wantsCertificates: caCertificateInJobs,
        environment,
        platform: globalThis.process.platform,
    });
    redactor.add(secrets);
    for (const notice of notices)
        log('info', notice);
    return caCertificateInJobs && certificates !== undefined
        ? { dispatcher, caBundle: `${certificates.join('\n')}\n` }
        : { dispatcher };
}


/***/ }),

/***/ 8398:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Et: () => (/* binding */ momentOf),
/* harmony export */   Pd: () => (/* binding */ passedSince),
/* harmony export */   ZQ: () => (/* binding */ settledBefore),
/* harmony export */   ml: () => (/* binding */ systemClock),
/* harmony export */   nl: () => (/* binding */ deadline)
/* harmony export */ });
/* harmony import */ var node_timers_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8500);

const LONGEST_TIMER_MS = 2 ** 31 - 1;
const systemClock = {
    now: () => Date.now(),
    steady: () => Number(process.hrtime.bigint()) / 1e6,
    sleep: async (ms, signal) => {
        try {
            await (0,node_timers_promises__WEBPACK_IMPORTED_MODULE_0__.setTimeout)(Math.min(ms, LONGEST_TIMER_MS), undefined, { signal });
        }
        catch (error) {
            throw signal.aborted ? signal.reason : error;
        }
    },
};
function momentOf(clock) {
    return { now: clock.now(), steady: clock.steady() };
}
function passedSince(since, clock) {
    const surely = clock.steady() - since.steady;
    return { surely, perhaps: Math.max(surely, clock.now() - since.now) };
}
function deadline(ms, onExpire) {
    if (ms === undefined)
        return { clear: () => undefined };
    const timer = setTimeout(onExpire, Math.min(ms, LONGEST_TIMER_MS));
    return { clear: () => clearTimeout(timer) };
}
async function settledBefore(promise, signal) {
    promise.catch(() => undefined);
    signal.throwIfAborted();
    const { promise: aborted, reject } = Promise.withResolvers();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
        return await Promise.race([promise, aborted]);
    }
    finally {
        signal.removeEventListener('abort', onAbort);
    }
}


/***/ }),

/***/ 893:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  N: () => (/* binding */ TransientError),
  C: () => (/* binding */ attempt)
});

// EXTERNAL MODULE: ../../main/node_modules/undici/lib/api/api-request.js
var api_request = __webpack_require__(865);
// EXTERNAL MODULE: ./lib/cloud/errors.js
var errors = __webpack_require__(2871);
// EXTERNAL MODULE: ./lib/cloud/refusal.js
var refusal = __webpack_require__(8974);
;// CONCATENATED MODULE: ./lib/cloud/retry-after.js
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000;
const TIME = String.raw `\d{2}:\d{2}:\d{2}`;
const DATE = new RegExp(String.raw `^(?:\w{3}, \d{2} \w{3} \d{4} ${TIME} GMT|\w{6,9}, \d{2}-\w{3}-\d{2} ${TIME} GMT|\w{3} \w{3} [ \d]\d ${TIME} \d{4})$`);
function retryAfter(header, now) {
    const waits = [header ?? []].flat().flatMap((value) => {
        const parts = /^[\d\s,]+$/.test(value) ? value.split(',') : [value];
        return parts.flatMap((part) => milliseconds(part.trim(), now) ?? []);
    });
    return waits.length === 0 ? undefined : Math.min(Math.max(0, ...waits), LONGEST_RETRY_AFTER_MS);
}
function milliseconds(value, now) {
    if (/^\d+$/.test(value))
        return Number(value) * 1000;
    if (!DATE.test(value))
        return undefined;
    const date = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
    return Number.isNaN(date) ? undefined : date - now;
}

;// CONCATENATED MODULE: ./lib/cloud/attempt.js




const ANSWER_LIMIT = 16 * 1024 * 1024;
const MOST_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
class TransientError extends Error {
    name = 'TransientError';
    retryAfterMs;
    answer;
    status;
    constructor(message, options) {
        super(message, options);
        this.retryAfterMs = options?.retryAfterMs;
        this.answer = options?.answer;
        this.status = options?.status;
    }
}
async function attempt(call, wire) {
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
        throw new TransientError((0,refusal/* refusal */.x)(answer), { retryAfterMs, status });
    if (status < 300 && /^\s*</.test(text))
        throw new TransientError(`a page came instead of an answer: ${(0,refusal/* refusal */.x)(answer)}`, { retryAfterMs });
    if (status < 300 && call.needsJson === true && json === undefined)
        throw new TransientError(`HTTP ${status} without JSON`, { retryAfterMs, answer });
    return answer;
}
function bodyOf({ body }) {
    if (body === undefined)
        return null;
    return body instanceof Uint8Array ? body : JSON.stringify(body);
}
async function exchange(call, url, wire, signal) {
    const headers = { accept: 'application/vnd.pulumi+8', 'user-agent': wire.userAgent };
    if (call.token !== undefined)
        headers['authorization'] = `token ${call.token}`;
    if (call.body !== undefined && call.withoutContentType !== true)
        headers['content-type'] = 'application/json';
    try {
        const answer = await api_request.call(wire.dispatcher, {
            origin: url.origin,
            path: `${url.pathname}${url.search}`,
            method: call.method,
            headers,
            body: bodyOf(call),
            signal,
        });
        return { status: answer.statusCode, headers: answer.headers, text: await bounded(answer.body) };
    }
    catch (error) {
        if (call.signal.aborted)
            throw call.signal.reason;
        throw new TransientError(networkReason(error), { cause: error });
    }
}
function redirectTarget(location, from) {
    return typeof location === 'string' && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
}
function sentElsewhere(call, serviceUrl, status, target) {
    const where = target === undefined ? 'nowhere' : target.origin === 'null' ? target.protocol : target.origin;
    return new errors/* CloudUnreachableError */.s8(`Failed to ${call.purpose} for ${serviceUrl}: HTTP ${status} sends it on to ${where}, and a token is only sent where service_url says. ` +
        'Correct service_url, or what redirects on the way to it.');
}
function networkReason(error) {
    if (!(error instanceof Error))
        return String(error);
    if (error.name === 'TimeoutError')
        return 'no answer in time';
    if (error instanceof AggregateError)
        return error.errors.map(networkReason).join('; ');
    return error.message === '' ? error.name : error.message;
}
async function bounded(body) {
    const chunks = [];
    let bytes = 0;
    for await (const chunk of body) {
        bytes += chunk.length;
        if (bytes > ANSWER_LIMIT)
            throw new Error(`the answer is over ${ANSWER_LIMIT} bytes`);
        chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
}
function parseJson(text) {
    try {
        return JSON.parse(text);
    }
    catch {
        return undefined;
    }
}


/***/ }),

/***/ 3354:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   y: () => (/* binding */ retryWait)
/* harmony export */ });
const FLOOR_MS = 500;
function retryWait(attempt, askedMs, options) {
    const { retryWaitMs, retryMaxWaitMs, random } = options;
    const full = Math.min(retryMaxWaitMs, retryWaitMs * 2 ** (attempt - 1));
    const least = Math.min(FLOOR_MS, full);
    return Math.min(retryMaxWaitMs, Math.max(least, askedMs ?? full * random()));
}


/***/ }),

/***/ 8974:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   x: () => (/* binding */ refusal)
/* harmony export */ });
const REFUSAL_LIMIT = 8 * 1024;
function refusal(answer) {
    const fields = typeof answer.json === 'object' && answer.json !== null ? answer.json : {};
    const said = [fields['message'], fields['error_description'], fields['error']].find((field) => typeof field === 'string');
    const read = (typeof said === 'string' ? said : answer.text).slice(0, REFUSAL_LIMIT);
    const text = (typeof said === 'string' ? read : read.replace(/<(style|script)[^>]*>.*?<\/\1>|<[^>]*>/gis, ' '))
        .replace(/(?:pul-|eyJ)[\w.-]+/g, '***')
        .replace(/\s+/g, ' ')
        .trim();
    return `HTTP ${answer.status}${text === '' ? '' : ` ${text.length > 300 ? `${text.slice(0, 300)}\u2026` : text}`}`;
}


/***/ }),

/***/ 741:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  p: () => (/* binding */ Redactor)
});

// UNUSED EXPORTS: RedactionStream

;// CONCATENATED MODULE: ./lib/log/aho-corasick.js
const DENSE_ENTRIES = 2 ** 18;
class AhoCorasick {
    #classOf;
    #width;
    #firstChild;
    #label;
    #fail;
    #depth;
    #longest;
    #dense = 0;
    #table = new Int32Array(0);
    #looks = 0;
    constructor(patterns) {
        const sorted = patterns.toSorted();
        const bound = sorted.reduce((sum, pattern) => sum + pattern.length, 1);
        this.#classOf = new Int32Array(2 ** 16);
        this.#firstChild = new Int32Array(bound + 1);
        this.#label = new Int32Array(bound);
        this.#fail = new Int32Array(bound);
        this.#depth = new Int32Array(bound);
        this.#longest = new Int32Array(bound);
        this.#width = this.#classify(sorted);
        const states = this.#grow(sorted, bound);
        this.#fill(Math.min(states, Math.max(1, Math.floor(DENSE_ENTRIES / this.#width))));
    }
    get looks() {
        return this.#looks;
    }
    depth(state) {
        return this.#depth[state];
    }
    scanText(text, state, found) {
        const table = this.#table;
        const classOf = this.#classOf;
        const length = text.length;
        let current = state;
        let at = 0;
        while (at < length) {
            if (current < this.#dense) {
                let row = current * this.#width;
                let next = 0;
                while (at < length) {
                    next = table[row + classOf[text.charCodeAt(at)]];
                    if (next < 0)
                        break;
                    row = next;
                    at++;
                }
                if (at === length)
                    return row / this.#width;
                current = ~next;
            }
            else {
                current = this.#step(current, classOf[text.charCodeAt(at)]);
            }
            at++;
            const longest = this.#longest[current];
            if (longest > 0)
                found(at, longest);
        }
        return current;
    }
    scan(text, state, found) {
        const table = this.#table;
        const classOf = this.#classOf;
        const length = text.length;
        let current = state;
        let at = 0;
        while (at < length) {
            if (current < this.#dense) {
                let row = current * this.#width;
                let next = 0;
                while (at < length) {
                    next = table[row + classOf[text[at]]];
                    if (next < 0)
                        break;
                    row = next;
                    at++;
                }
                if (at === length)
                    return row / this.#width;
                current = ~next;
            }
            else {
                current = this.#step(current, classOf[text[at]]);
            }
            at++;
            const longest = this.#longest[current];
            if (longest > 0)
                found(at, longest);
        }
        return current;
    }
    #classify(patterns) {
        let classes = 1;
        for (const pattern of patterns) {
            for (let at = 0; at < pattern.length; at++) {
                const code = pattern.charCodeAt(at);
                if (this.#classOf[code] === 0)
                    this.#classOf[code] = classes++;
            }
        }
        return classes;
    }
    #grow(sorted, bound) {
        const low = new Int32Array(bound);
        const high = new Int32Array(bound);
        high[0] = sorted.length;
        let states = 1;
        for (let state = 0; state < states; state++) {
            const depth = this.#depth[state];
            const end = high[state];
            let from = low[state];
            this.#firstChild[state] = states;
            this.#longest[state] = this.#longest[this.#fail[state]];
            if (from < end && sorted[from]?.length === depth) {
                this.#longest[state] = depth;
                from++;
            }
            while (from < end) {
                const code = sorted[from]?.charCodeAt(depth);
                let to = from + 1;
                while (to < end && sorted[to]?.charCodeAt(depth) === code)
                    to++;
                const label = this.#classOf[code];
                low[states] = from;
                high[states] = to;
                this.#depth[states] = depth + 1;
                this.#label[states] = label;
                this.#fail[states] = state === 0 ? 0 : this.#step(this.#fail[state], label);
                states++;
                from = to;
            }
        }
        this.#firstChild[states] = states;
        return states;
    }
    #step(state, label) {
        let current = state;
        for (;;) {
            this.#looks++;
            if (current < this.#dense) {
                const next = this.#table[current * this.#width + label];
                return next < 0 ? ~next : next / this.#width;
            }
            const end = this.#firstChild[current + 1];
            for (let child = this.#firstChild[current]; child < end; child++) {
                this.#looks++;
                if (this.#label[child] === label)
                    return child;
            }
            if (current === 0)
                return 0;
            current = this.#fail[current];
        }
    }
    #fill(dense) {
        const width = this.#width;
        const table = new Int32Array(dense * width);
        for (let state = 0; state < dense; state++) {
            const row = state * width;
            if (state > 0) {
                const inherited = this.#fail[state] * width;
                table.copyWithin(row, inherited, inherited + width);
            }
            const end = this.#firstChild[state + 1];
            for (let child = this.#firstChild[state]; child < end; child++) {
                const plain = child < dense && this.#longest[child] === 0;
                table[row + this.#label[child]] = plain ? child * width : ~child;
            }
        }
        this.#table = table;
        this.#dense = dense;
    }
}

;// CONCATENATED MODULE: ./lib/log/mask.js
const MASK = '***';
function masked(text, forms) {
    const covered = [];
    for (const form of forms) {
        for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) {
            covered.push({ start: at, end: at + form.length });
        }
    }
    if (covered.length === 0)
        return text;
    let out = '';
    let done = -1;
    for (const { start, end } of covered.toSorted((a, b) => a.start - b.start)) {
        if (start > done)
            out += text.slice(Math.max(done, 0), start) + MASK;
        done = Math.max(done, end);
    }
    return out + text.slice(done);
}

// EXTERNAL MODULE: ./lib/log/secret-forms.js
var secret_forms = __webpack_require__(51);
;// CONCATENATED MODULE: ./lib/log/redactor.js



const SHORT_TEXT = 4096;
class Redactor {
    #forms = new Set();
    #automaton;
    add(values) {
        for (const value of values) {
            for (const form of (0,secret_forms/* secretForms */.eo)(value)) {
                if (this.#forms.has(form))
                    continue;
                this.#forms.add(form);
                this.#automaton = undefined;
            }
        }
    }
    text(value) {
        if (this.#automaton === undefined && value.length <= SHORT_TEXT)
            return masked(value, this.#forms);
        const stream = this.stream();
        return stream.push(value) + stream.end();
    }
    stream() {
        return new RedactionStream(() => this.#current());
    }
    prepare() {
        this.#current();
    }
    #current() {
        if (this.#automaton === undefined && this.#forms.size > 0)
            this.#automaton = new AhoCorasick([...this.#forms]);
        return this.#automaton;
    }
}
class RedactionStream {
    #current;
    #automaton;
    #state = 0;
    #held = '';
    #maskedUntil = -1;
    #starts = [];
    #ends = [];
    constructor(current) {
        this.#current = current;
    }
    push(text) {
        this.#follow();
        const automaton = this.#automaton;
        if (automaton === undefined)
            return text;
        this.#scan(automaton, text, this.#held.length);
        const input = this.#held + text;
        return this.#release(input, input.length - automaton.depth(this.#state));
    }
    pushAscii(bytes) {
        this.#follow();
        const automaton = this.#automaton;
        if (automaton === undefined)
            return bytes;
        this.#state = automaton.scan(bytes, this.#state, this.#covering(this.#held.length));
        const depth = automaton.depth(this.#state);
        if (depth === 0 && this.#held === '' && this.#starts.length === 0 && this.#maskedUntil < 0)
            return bytes;
        const input = this.#held + bytes.toString('latin1');
        return this.#release(input, input.length - depth);
    }
    end() {
        this.#follow();
        const rest = this.#release(this.#held, this.#held.length);
        this.#state = 0;
        this.#maskedUntil = -1;
        return rest;
    }
    #follow() {
        const current = this.#current();
        if (current === undefined || current === this.#automaton)
            return;
        this.#automaton = current;
        this.#state = 0;
        this.#starts = [];
        this.#ends = [];
        this.#scan(current, this.#held, 0);
    }
    #scan(automaton, text, base) {
        this.#state = automaton.scanText(text, this.#state, this.#covering(base));
    }
    #covering(base) {
        return (end, length) => this.#cover(base + end - length, base + end);
    }
    #cover(start, end) {
        let first = start;
        while ((this.#ends.at(-1) ?? -1) >= first) {
            this.#ends.pop();
            first = Math.min(first, this.#starts.pop() ?? first);
        }
        this.#starts.push(first);
        this.#ends.push(end);
    }
    #release(input, safe) {
        let out = '';
        let at = Math.max(0, this.#maskedUntil);
        let done = 0;
        for (; done < this.#starts.length; done++) {
            const start = this.#starts[done];
            if (start > safe)
                break;
            if (start > this.#maskedUntil)
                out += input.slice(at, start) + MASK;
            at = this.#maskedUntil = Math.max(this.#maskedUntil, this.#ends[done]);
        }
        if (at < safe)
            out += at === 0 && safe === input.length ? input : input.slice(at, safe);
        this.#starts = this.#starts.slice(done).map((start) => start - safe);
        this.#ends = this.#ends.slice(done).map((end) => end - safe);
        this.#held = input.slice(safe);
        this.#maskedUntil -= safe;
        return out;
    }
}


/***/ }),

/***/ 51:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   c3: () => (/* binding */ SHORTEST_SECRET),
/* harmony export */   eo: () => (/* binding */ secretForms)
/* harmony export */ });
/* unused harmony export SHORTEST_PART */
const SHORTEST_SECRET = 4;
const SHORTEST_PART = 8;
const LONGEST_RARE = 4_096;
function unicodeEscaped(text, signs) {
    return text.replace(signs, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
function jsonForms(value) {
    const plain = JSON.stringify(value).slice(1, -1);
    const slashes = plain.replaceAll('/', '\\/');
    const ascii = [plain, slashes].map((form) => unicodeEscaped(form, /[^ -~]/g));
    return [plain, unicodeEscaped(plain, /[<>&]/g), unicodeEscaped(plain, /[<>&=']/g), slashes, ...ascii];
}
const KEPT_IN_URLS = ['*', '~', "~!*'()"];
const KEPT_RARELY = ['~/', "~!*'();/?:@&=+$,#", '~$&+,;=', '~$&+=:@', '~$&+,/:;=@', "~!$%&'()*+,"];
function urlForms(value) {
    const alphabets = value.length > LONGEST_RARE ? KEPT_IN_URLS : [...KEPT_IN_URLS, ...KEPT_RARELY];
    return alphabets.flatMap((kept) => {
        const form = percentEncoded(value.toWellFormed(), kept);
        const forms = [form, form.replaceAll('%20', '+')];
        return [...forms, ...forms.map((each) => each.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
    });
}
function percentEncoded(value, kept) {
    return value.replace(/[^\w.-]/gu, (sign) => kept.includes(sign) ? sign : Buffer.from(sign).toString('hex').toUpperCase().replace(/../g, '%$&'));
}
const BASE64_WIDTHS = [76, 64];
function base64Forms(value) {
    const bytes = Buffer.from(value, 'utf8');
    const forms = [bytes.toString('base64').replace(/=+$/, ''), ...shiftedForms(bytes)];
    const alone = bytes.toString('base64').slice(0, Math.floor((bytes.length * 8) / 6));
    for (const width of BASE64_WIDTHS) {
        for (let at = 0; alone.length > width && at < alone.length; at += width)
            forms.push(alone.slice(at, at + width));
    }
    const json = JSON.stringify(value).slice(1, -1);
    if (json !== value && json.length <= LONGEST_RARE)
        forms.push(...shiftedForms(Buffer.from(json)));
    return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}
function shiftedForms(bytes) {
    return [0, 1, 2].map((before) => {
        const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
        return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    });
}
const HEX_WIDTH = 60;
function hexForms(value) {
    const hex = Buffer.from(value, 'utf8').toString('hex');
    const forms = [hex, hex.toUpperCase()];
    for (let at = 0; hex.length > HEX_WIDTH && at < hex.length; at += HEX_WIDTH)
        forms.push(hex.slice(at, at + HEX_WIDTH));
    return forms;
}
function lineForms(value) {
    return value.split(/\r?\n/).flatMap((line) => {
        const bare = line.trim();
        if (bare.length >= SHORTEST_PART)
            return [bare];
        return line.length >= SHORTEST_PART && bare.length >= SHORTEST_SECRET ? [line] : [];
    });
}
function secretForms(value) {
    if (value.trim().length < SHORTEST_SECRET)
        return [];
    const forms = new Set([value]);
    const bare = value.replace(/[\r\n]+$/, '');
    const unix = bare.replaceAll('\r\n', '\n');
    for (const form of [bare, unix, unix.replaceAll('\n', '\r\n')])
        forms.add(form);
    if (unix.includes('\n'))
        for (const line of lineForms(unix))
            forms.add(line);
    for (const encode of [jsonForms, urlForms, base64Forms, hexForms]) {
        for (const form of [...encode(bare), ...(bare === unix ? [] : encode(unix))]) {
            if (form.length >= SHORTEST_PART)
                forms.add(form);
        }
    }
    return [...forms];
}


/***/ }),

/***/ 6326:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   r: () => (/* binding */ proxyVariable),
/* harmony export */   v: () => (/* binding */ firstSet)
/* harmony export */ });
function proxyVariable(url, environment) {
    return firstSet(environment, url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
}
function firstSet(environment, name) {
    for (const each of [name, name.toLowerCase()]) {
        const text = environment[each]?.trim();
        if (text)
            return { name: each, text };
    }
    return undefined;
}


/***/ })

};
