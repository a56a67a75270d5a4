export const id = 95;
export const ids = [95];
export const modules = {

/***/ 8351:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   F: () => (/* binding */ secretsOf),
/* harmony export */   k: () => (/* binding */ loadAgentConfig)
/* harmony export */ });
/* harmony import */ var node_os__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8161);
/* harmony import */ var _config_load_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(8754);
/* harmony import */ var _log_plain_names_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(8491);



function loadAgentConfig(flags, { environment, workingDirectory, agentDirectory }, more = {}) {
    return (0,_config_load_js__WEBPACK_IMPORTED_MODULE_1__/* .loadConfig */ .Z)({
        environment,
        workingDirectory,
        homeDirectory: environment['HOME'] ?? (0,node_os__WEBPACK_IMPORTED_MODULE_0__.homedir)(),
        agentDirectory,
        ...(flags.file === undefined ? {} : { file: flags.file }),
        defaults: flags.defaults,
        overrides: flags.overrides,
        ...more,
    });
}
function secretsOf(config, environment) {
    const forwarded = config.envForwardAllowlist.map((name) => [name, environment[name] ?? '']);
    const tokens = [config.token, config.accessToken].filter((token) => token !== undefined);
    return [...tokens, ...(0,_log_plain_names_js__WEBPACK_IMPORTED_MODULE_2__/* .secretValues */ .VX)(Object.fromEntries(forwarded))];
}


/***/ }),

/***/ 6729:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  N: () => (/* binding */ connect)
});

// EXTERNAL MODULE: ./node_modules/undici/lib/dispatcher/agent.js
var agent = __webpack_require__(7405);
// EXTERNAL MODULE: ./node_modules/cockatiel/dist/Policy.js + 2 modules
var Policy = __webpack_require__(7891);
// EXTERNAL MODULE: ./node_modules/cockatiel/dist/breaker/ConsecutiveBreaker.js
var ConsecutiveBreaker = __webpack_require__(1786);
// EXTERNAL MODULE: ./node_modules/cockatiel/dist/CircuitBreakerPolicy.js + 3 modules
var CircuitBreakerPolicy = __webpack_require__(8864);
// EXTERNAL MODULE: ./node_modules/cockatiel/dist/backoff/DelegateBackoff.js
var DelegateBackoff = __webpack_require__(4263);
// EXTERNAL MODULE: ./node_modules/cockatiel/dist/errors/BrokenCircuitError.js
var BrokenCircuitError = __webpack_require__(155);
// EXTERNAL MODULE: ./lib/clock.js
var clock = __webpack_require__(5233);
// EXTERNAL MODULE: ./lib/cloud/attempt.js + 1 modules
var cloud_attempt = __webpack_require__(2861);
// EXTERNAL MODULE: ./lib/cloud/backoff.js
var backoff = __webpack_require__(2777);
// EXTERNAL MODULE: ./lib/cloud/errors.js
var errors = __webpack_require__(2398);
;// CONCATENATED MODULE: ./lib/cloud/http.js





class CloudHttp {
    #options;
    #breaker;
    #openedAt = Number.NEGATIVE_INFINITY;
    #troubled = new Set();
    constructor(options) {
        this.#options = options;
        this.#breaker = (0,Policy/* circuitBreaker */.sL)((0,Policy/* handleType */.n_)(errors/* CloudUnreachableError */.s8), {
            halfOpenAfter: holdingFor(options.circuitBreakerTimeoutMs, (at) => {
                this.#openedAt = at;
            }),
            breaker: new ConsecutiveBreaker/* ConsecutiveBreaker */.N(options.circuitBreakerFailures),
        });
    }
    get restMs() {
        if (this.#breaker.state === CircuitBreakerPolicy/* CircuitState */.v.Closed)
            return 0;
        const left = this.#openedAt + this.#options.circuitBreakerTimeoutMs - clock/* systemClock */.ml.steady();
        return left > 0 ? Math.ceil(left) + 1 : 0;
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
                const answer = await (0,cloud_attempt/* attempt */.C)(call, this.#options);
                this.#troubled.delete(call.purpose);
                return answer;
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
        throw new errors/* CloudUnreachableError */.s8(`Failed to ${call.purpose} for ${this.#options.serviceUrl}: ${error.message}. Check the network path and Pulumi Cloud's status.`, { cause: error, retryAfterMs: error.retryAfterMs, status: error.status });
    }
}
function holdingFor(ms, onOpen) {
    const next = () => {
        const opened = clock/* systemClock */.ml.steady();
        onOpen(opened);
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
var proxy_variable = __webpack_require__(2263);
// EXTERNAL MODULE: ./lib/version.js
var version = __webpack_require__(3411);
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
        onRetry: (purpose, reason, waitMs, again) => log(again ? 'debug' : 'warning', `Failed to ${purpose}: ${reason}. Trying again in ${(waitMs / 1000).toFixed(1)} s.`),
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
    const { openWay } = await __webpack_require__.e(/* import() */ 138).then(__webpack_require__.bind(__webpack_require__, 4138));
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

/***/ 8901:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  q: () => (/* binding */ openAgentLog)
});

// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(3259);
// EXTERNAL MODULE: external "node:stream"
var external_node_stream_ = __webpack_require__(7075);
// EXTERNAL MODULE: external "node:stream/promises"
var promises_ = __webpack_require__(6466);
;// CONCATENATED MODULE: ./lib/agent/logging/line-queue.js


const MOST_LINES = 1_000;
class LineQueue {
    #waiting;
    #lostLine;
    #lost = 0;
    constructor(outlet, lostLine) {
        this.#lostLine = lostLine;
        this.#waiting = new external_node_stream_.Writable({
            objectMode: true,
            highWaterMark: MOST_LINES,
            write: ({ text, lines }, _encoding, done) => outlet(text, (error) => {
                if (error)
                    this.#lost += lines;
                done();
            }),
            final: (done) => (this.#lost === 0 ? done() : outlet(lostLine(this.#lost), () => done())),
        });
        this.#waiting.on('drain', () => this.#tellLost());
    }
    write(line) {
        if (this.#waiting.writableEnded)
            return;
        if (this.#waiting.writableNeedDrain) {
            this.#lost += 1;
            return;
        }
        this.#tellLost();
        this.#waiting.write({ text: line, lines: 1 });
    }
    async close(ms) {
        this.#waiting.end();
        await (0,promises_.finished)(this.#waiting, { signal: AbortSignal.timeout(ms) }).catch(() => undefined);
    }
    #tellLost() {
        if (this.#lost === 0)
            return;
        const lines = this.#lost;
        this.#lost = 0;
        this.#waiting.write({ text: this.#lostLine(lines), lines });
    }
}

;// CONCATENATED MODULE: ./lib/agent/logging/log-line.js
const LEVELS = ['debug', 'info', 'warning', 'error'];
function matters(level, least) {
    return LEVELS.indexOf(level) >= LEVELS.indexOf(least);
}
function onOneLine(text) {
    return text.replace(/[\r\n]+/g, ' | ');
}
function textLine({ at, level, message }) {
    return `${new Date(at).toISOString()} ${level.padEnd(7)} ${onOneLine(message)}\n`;
}
function jsonLine({ at, level, message }, ids) {
    return `${JSON.stringify({ time: new Date(at).toISOString(), level, message, ...ids })}\n`;
}

// EXTERNAL MODULE: ./lib/record/appended-file.js
var appended_file = __webpack_require__(9963);
;// CONCATENATED MODULE: ./lib/agent/logging/outlets.js


const STDERR = 2;
function outletOf(descriptor) {
    const kind = statsOf(descriptor);
    if (kind?.isFile())
        return fileOutlet(new appended_file/* AppendedFile */.S(descriptor));
    if (descriptor === STDERR && (kind?.isFIFO() || kind?.isSocket()))
        return pipeOutlet(process.stderr);
    return (text, done) => (0,external_node_fs_.appendFile)(descriptor, text, done);
}
function fileOutlet(file) {
    return (text, done) => {
        try {
            file.append(text);
        }
        catch (error) {
            done(error instanceof Error ? error : new Error(String(error)));
            return;
        }
        done();
    };
}
function pipeOutlet(stream) {
    stream.on('error', () => undefined);
    return (text, done) => {
        const more = stream.write(text, (error) => {
            if (!more)
                done(error);
        });
        if (more)
            done();
    };
}
function statsOf(descriptor) {
    try {
        return (0,external_node_fs_.fstatSync)(descriptor);
    }
    catch {
        return undefined;
    }
}

;// CONCATENATED MODULE: ./lib/agent/logging/agent-log.js






const CLOSE_MS = 5_000;
function openAgentLog(options) {
    const { file, now, redact, level: least = 'info', format = 'text', ids, syslog } = options;
    const said = (entry) => (format === 'json' ? jsonLine(entry, ids?.()) : textLine(entry));
    const queue = (descriptor, line) => new LineQueue(outletOf(descriptor), (count) => line(lost(count, now())));
    const opened = file === undefined ? undefined : queue(openedFor(file), textLine);
    const isElsewhere = syslog !== undefined || (file !== undefined && sameFile(file));
    const stderr = isElsewhere ? undefined : queue(STDERR, said);
    const log = (level, message) => {
        if (!matters(level, least))
            return;
        const entry = { at: now(), level, message: redact(message) };
        stderr?.write(said(entry));
        opened?.write(textLine(entry));
        syslog?.(level, onOneLine(entry.message));
    };
    return { log, close: async () => void (await Promise.all([stderr?.close(CLOSE_MS), opened?.close(CLOSE_MS)])) };
}
function lost(count, at) {
    const lines = count === 1 ? '1 line' : `${count} lines`;
    const message = `Lost ${lines} of this log: nobody read it for a while, or the disk was full.`;
    return { at, level: 'warning', message };
}
function openedFor(file) {
    try {
        (0,external_node_fs_.mkdirSync)((0,external_node_path_.dirname)(file), { recursive: true, mode: 0o700 });
        return (0,external_node_fs_.openSync)(file, 'a', 0o600);
    }
    catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        const advice = 'Set run_directory to a folder that the agent can write to.';
        throw new outcome/* OutcomeError */.Rz('config-error', `Failed to open the log for the agent: ${reason}. ${advice}`, { cause });
    }
}
function sameFile(file) {
    try {
        const [stderr, log] = [(0,external_node_fs_.fstatSync)(STDERR), (0,external_node_fs_.statSync)(file)];
        return stderr.dev === log.dev && stderr.ino === log.ino;
    }
    catch {
        return false;
    }
}


/***/ }),

/***/ 5233:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Et: () => (/* binding */ momentOf),
/* harmony export */   Kc: () => (/* binding */ sleepUntil),
/* harmony export */   Pd: () => (/* binding */ passedSince),
/* harmony export */   ZQ: () => (/* binding */ settledBefore),
/* harmony export */   ml: () => (/* binding */ systemClock),
/* harmony export */   nl: () => (/* binding */ deadline)
/* harmony export */ });
/* harmony import */ var node_timers_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8500);

const LONGEST_TIMER_MS = 2 ** 31 - 1;
const systemClock = {
    now: () => Date.now(),
    steady: () => performance.now(),
    sleep: async (ms, signal) => {
        try {
            await (0,node_timers_promises__WEBPACK_IMPORTED_MODULE_0__.setTimeout)(Math.min(ms, LONGEST_TIMER_MS), undefined, { signal });
        }
        catch (error) {
            throw signal.aborted ? signal.reason : error;
        }
    },
};
async function sleepUntil(ms, clock, signals) {
    const over = new AbortController();
    const wake = () => over.abort();
    for (const signal of signals) {
        signal.addEventListener('abort', wake, { once: true });
        if (signal.aborted)
            wake();
    }
    await clock.sleep(ms, over.signal).catch(() => undefined);
    for (const signal of signals)
        signal.removeEventListener('abort', wake);
}
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

/***/ 2861:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  N: () => (/* binding */ TransientError),
  C: () => (/* binding */ attempt)
});

// EXTERNAL MODULE: ./node_modules/undici/lib/api/api-request.js
var api_request = __webpack_require__(4043);
// EXTERNAL MODULE: ./lib/cloud/errors.js
var errors = __webpack_require__(2398);
// EXTERNAL MODULE: ./lib/cloud/refusal.js
var refusal = __webpack_require__(9969);
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

/***/ 2777:
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

/***/ 9155:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $: () => (/* binding */ SELDOM),
/* harmony export */   V: () => (/* binding */ exchangeSchema)
/* harmony export */ });
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7597);
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(9567);

const SELDOM = { jitless: true };
const exchangeSchema = zod__WEBPACK_IMPORTED_MODULE_0__/* .object */ .Ikc({
    access_token: zod__WEBPACK_IMPORTED_MODULE_0__/* .string */ .YjP().min(1),
    expires_in: zod__WEBPACK_IMPORTED_MODULE_1__/* .number */ .ai().positive().max(1e9).optional().catch(undefined),
});


/***/ }),

/***/ 9969:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   x: () => (/* binding */ refusal)
/* harmony export */ });
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3259);

const REFUSAL_LIMIT = 8 * 1024;
const SENTENCE_LIMIT = 300;
function refusal(answer) {
    const { message, error_description, error } = fieldsOf(answer.json);
    const said = [message, error_description, error, fieldsOf(error)['message']].find((field) => typeof field === 'string');
    const text = typeof said === 'string' ? readable(said) : withoutTags(readable(answer.text));
    const sentence = firstSentence(text.replace(/(?:pul-|eyJ)[\w.-]+/g, '***'));
    return sentence === '' ? `HTTP ${answer.status}` : `HTTP ${answer.status} ${sentence}`;
}
function fieldsOf(value) {
    return typeof value === 'object' && value !== null ? value : {};
}
function readable(text) {
    if (!/^\s{0,99}Traceback \(/.test(text))
        return text.slice(0, REFUSAL_LIMIT);
    return text.slice(-REFUSAL_LIMIT).trim().split('\n').at(-1) ?? '';
}
function withoutTags(text) {
    const [, title = ''] = /<title[^>]*>([^<]*)/i.exec(text) ?? [];
    const shown = text
        .replace(/<(style|script|title)[^>]*>.*?<\/\1>/gis, ' ')
        .replace(/<\/?(?:a|b|code|em|i|small|span|strong)\b[^>]*>/gi, '')
        .replace(/<[^>]*>/g, '\n\n');
    return `${shown}\n\n${title}`;
}
const TRACE_LINE = /^\s*(?:at \S|from \S+:\d+:in|File ".*", line \d|Caused by:|Traceback \(|goroutine \d+ \[|created by \S+\(?|\S+\.go:\d+|#\d+ \S|\d+: 0x|stack ?(?:back)?trace\b)/i;
const TRACE = / at (?:async |new )?[^ ()]{1,300}(?: ?\([^()]{0,300}:\d+\)|:\d+:\d+)| File "[^"]{0,300}", line \d| goroutine \d+ \[/;
function firstSentence(text) {
    for (const paragraph of text.split(/\r?\n[^\S\n]*\r?\n/)) {
        const lines = paragraph.split(/\r?\n/);
        const end = lines.findIndex((line) => TRACE_LINE.test(line));
        const said = lines.slice(0, end === -1 ? undefined : end).join(' ');
        const line = said.replace(/\s+/g, ' ').split(TRACE, 1).join().trim();
        if (line === '')
            continue;
        const [sentence = ''] = line.split(/(?<=[.!?]) (?=["'(]?\p{Lu})/u, 1);
        const shown = (0,_outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .clause */ .sb)(sentence).replace(/:$/, '');
        return shown.length > SENTENCE_LIMIT ? `${shown.slice(0, SENTENCE_LIMIT)}\u2026` : shown;
    }
    return '';
}


/***/ }),

/***/ 8491:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   VX: () => (/* binding */ secretValues),
/* harmony export */   fA: () => (/* binding */ isPlainVariable)
/* harmony export */ });
/* unused harmony export isPlainName */
/* harmony import */ var _secret_forms_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3490);

const PLAIN_NAMES = names(`
  CI COLUMNS DEBIAN_FRONTEND EDITOR FORCE_COLOR HOME HOSTNAME LANG LANGUAGE LINES LOGNAME NO_COLOR OLDPWD PAGER PATH PWD
  SHELL SHLVL TEMP TERM TMP TMPDIR TZ USER XDG_CACHE_HOME XDG_CONFIG_HOME NO_PROXY no_proxy SSL_CERT_DIR SSL_CERT_FILE
  NODE_ENV NODE_EXTRA_CA_CERTS DOTNET_ROOT GOARCH GOCACHE GOMODCACHE GOOS GOPATH GOROOT JAVA_HOME VIRTUAL_ENV

  AWS_DEFAULT_OUTPUT AWS_DEFAULT_REGION AWS_PARTITION AWS_PROFILE AWS_REGION AWS_SDK_LOAD_CONFIG
  ARM_ENVIRONMENT ARM_LOCATION AZURE_ENVIRONMENT AZURE_LOCATION
  CLOUDSDK_COMPUTE_REGION CLOUDSDK_COMPUTE_ZONE GOOGLE_REGION GOOGLE_ZONE

  PULUMI_AUTOMATION_API PULUMI_CI_SYSTEM PULUMI_DEBUG_COMMANDS PULUMI_ENV_FILE PULUMI_EXPERIMENTAL PULUMI_HOME PULUMI_ORG
  PULUMI_ORGANIZATION PULUMI_PARALLEL PULUMI_PROJECT PULUMI_SKIP_CONFIRMATIONS PULUMI_SKIP_UPDATE_CHECK PULUMI_STACK

  GITHUB_ACTIONS GITHUB_ACTOR GITHUB_BASE_REF GITHUB_EVENT_NAME GITHUB_HEAD_REF GITHUB_JOB GITHUB_REF GITHUB_REF_NAME
  GITHUB_REF_TYPE GITHUB_REPOSITORY GITHUB_REPOSITORY_OWNER GITHUB_RUN_ATTEMPT GITHUB_RUN_ID GITHUB_RUN_NUMBER
  GITHUB_SERVER_URL GITHUB_SHA GITHUB_WORKFLOW GITHUB_WORKSPACE RUNNER_ARCH RUNNER_NAME RUNNER_OS RUNNER_TEMP
`);
const URL_NAMES = names(`
  PULUMI_API PULUMI_BACKEND_URL PULUMI_SERVICE_URL DOCKER_HOST
  ALL_PROXY HTTPS_PROXY HTTP_PROXY all_proxy https_proxy http_proxy
`);
function isPlainName(name) {
    return PLAIN_NAMES.has(name) || /^LC_[A-Z]+$/.test(name);
}
function isPlainVariable(name, value) {
    return isPlainName(name) || (URL_NAMES.has(name) && isBareUrl(value));
}
function secretValues(environment) {
    return Object.entries(environment)
        .filter(([name, value]) => !isPlainVariable(name, value) && !/^(?:true|false)$/i.test(value))
        .flatMap(([, value]) => [value, ...urlPasswords(value)])
        .filter((value) => value.trim().length >= _secret_forms_js__WEBPACK_IMPORTED_MODULE_0__/* .SHORTEST_SECRET */ .c3);
}
function isBareUrl(value) {
    const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? URL.parse(value) : null;
    return url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}
function urlPasswords(value) {
    const password = URL.parse(value)?.password ?? '';
    if (password === '')
        return [];
    try {
        return [password, decodeURIComponent(password)];
    }
    catch {
        return [password];
    }
}
function names(list) {
    return new Set(list.trim().split(/\s+/));
}


/***/ }),

/***/ 1591:
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

// EXTERNAL MODULE: ./lib/log/secret-forms.js
var secret_forms = __webpack_require__(3490);
;// CONCATENATED MODULE: ./lib/log/redactor.js


const MASK = '***';
class Redactor {
    #holders = new Map();
    #own = this.scope();
    #automaton;
    add(values) {
        this.#own.add(values);
    }
    scope() {
        const held = new Set();
        return {
            add: (values) => {
                for (const form of [...values].flatMap(secret_forms/* secretForms */.eo)) {
                    if (!held.has(form))
                        this.#hold(form);
                    held.add(form);
                }
            },
            forget: () => {
                for (const form of held)
                    this.#release(form);
                held.clear();
            },
        };
    }
    recent(kept) {
        const scopes = new Map();
        return (value) => {
            const scope = scopes.get(value) ?? this.scope();
            scope.add([value]);
            scopes.delete(value);
            scopes.set(value, scope);
            const [oldest] = scopes;
            if (scopes.size <= kept || oldest === undefined)
                return;
            scopes.delete(oldest[0]);
            oldest[1].forget();
        };
    }
    text(value) {
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
        this.#automaton ??= new AhoCorasick([...this.#holders.keys()]);
        return this.#automaton;
    }
    #hold(form) {
        const holders = this.#holders.get(form) ?? 0;
        this.#holders.set(form, holders + 1);
        if (holders === 0)
            this.#automaton = undefined;
    }
    #release(form) {
        const holders = this.#holders.get(form) ?? 0;
        if (holders > 1) {
            this.#holders.set(form, holders - 1);
            return;
        }
        this.#holders.delete(form);
        this.#automaton = undefined;
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
        const automaton = this.#follow();
        this.#state = automaton.scanText(text, this.#state, this.#covering(this.#held.length));
        const input = this.#held + text;
        return this.#release(input, input.length - automaton.depth(this.#state));
    }
    pushAscii(bytes) {
        const automaton = this.#follow();
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
        if (current === this.#automaton)
            return current;
        this.#automaton = current;
        const covered = this.#starts.map((start, index) => ({ start, end: this.#ends[index] }));
        this.#state = current.scanText(this.#held, 0, (end, length) => covered.push({ start: end - length, end }));
        this.#starts = [];
        this.#ends = [];
        for (const { start, end } of covered.toSorted((a, b) => a.end - b.end))
            this.#cover(start, end);
        return current;
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

/***/ 3490:
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

/***/ 2263:
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


/***/ }),

/***/ 9963:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   S: () => (/* binding */ AppendedFile)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);

class AppendedFile {
    #descriptor;
    #rest = Buffer.alloc(0);
    constructor(descriptor) {
        this.#descriptor = descriptor;
    }
    append(line) {
        this.#push();
        const bytes = Buffer.from(line);
        this.#rest = bytes;
        try {
            this.#push();
        }
        catch (error) {
            if (this.#rest.length < bytes.length)
                return;
            this.#rest = Buffer.alloc(0);
            throw error;
        }
    }
    close() {
        (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.closeSync)(this.#descriptor);
    }
    #push() {
        while (this.#rest.length > 0)
            this.#rest = this.#rest.subarray((0,node_fs__WEBPACK_IMPORTED_MODULE_0__.writeSync)(this.#descriptor, this.#rest));
    }
}


/***/ })

};
