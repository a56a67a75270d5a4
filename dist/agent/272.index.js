export const id = 272;
export const ids = [272];
export const modules = {

/***/ 81:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   R: () => (/* binding */ Standstill),
/* harmony export */   j: () => (/* binding */ Signs)
/* harmony export */ });
class Signs {
    #cells;
    constructor(memory = new SharedArrayBuffer(4 * BigInt64Array.BYTES_PER_ELEMENT)) {
        this.#cells = new BigInt64Array(memory);
    }
    get memory() {
        return this.#cells.buffer;
    }
    get accepted() {
        const steady = Number(Atomics.load(this.#cells, 0));
        return steady === 0 ? undefined : { now: Number(Atomics.load(this.#cells, 3)), steady };
    }
    set accepted({ now, steady }) {
        Atomics.store(this.#cells, 3, BigInt(Math.floor(now)));
        Atomics.store(this.#cells, 0, BigInt(Math.floor(steady)));
    }
    get beats() {
        return Number(Atomics.load(this.#cells, 1));
    }
    countBeat() {
        Atomics.add(this.#cells, 1, 1n);
    }
    get turns() {
        return Number(Atomics.load(this.#cells, 2));
    }
    countTurn() {
        Atomics.add(this.#cells, 2, 1n);
    }
}
class Standstill {
    #count;
    #everyMs;
    #last;
    #ms = 0;
    constructor(count, everyMs) {
        this.#count = count;
        this.#everyMs = everyMs;
        this.#last = count();
    }
    look() {
        const now = this.#count();
        this.#ms = now === this.#last ? this.#ms + this.#everyMs : 0;
        this.#last = now;
        return this.#ms;
    }
}


/***/ }),

/***/ 2205:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   serveHeartbeats: () => (/* binding */ serveHeartbeats)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var node_worker_threads__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(5919);
/* harmony import */ var _clock_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(8398);
/* harmony import */ var _cloud_jobs_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(6312);
/* harmony import */ var _job_heartbeat_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(776);
/* harmony import */ var _log_redactor_js__WEBPACK_IMPORTED_MODULE_8__ = __webpack_require__(741);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(4792);
/* harmony import */ var _connect_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(6539);
/* harmony import */ var _messages_js__WEBPACK_IMPORTED_MODULE_7__ = __webpack_require__(81);









const TOKEN_MS = 5_000;
const STDERR = 2;
const LAST_WORDS_MS = 1_000;
function serveHeartbeats({ environment }) {
    if (node_worker_threads__WEBPACK_IMPORTED_MODULE_1__.parentPort === null)
        throw new Error('the heartbeats are served by a thread of the agent');
    const { signs } = node_worker_threads__WEBPACK_IMPORTED_MODULE_1__.workerData;
    const thread = new Thread(node_worker_threads__WEBPACK_IMPORTED_MODULE_1__.parentPort, new _messages_js__WEBPACK_IMPORTED_MODULE_7__/* .Signs */ .j(signs), environment);
    node_worker_threads__WEBPACK_IMPORTED_MODULE_1__.parentPort.on('message', (message) => void thread.take(message));
    thread.tell({ type: 'ready' });
}
class Thread {
    #port;
    #signs;
    #environment;
    #poolToken;
    #wanted;
    #still = 0;
    constructor(port, signs, environment) {
        this.#port = port;
        this.#signs = signs;
        this.#environment = environment;
    }
    tell(message) {
        this.#port.postMessage(message);
    }
    async take(message) {
        switch (message.type) {
            case 'begin':
                await this.#begin(message);
                break;
            case 'pool-token':
                this.#poolToken = message.token;
                this.#wanted?.resolve(message.token);
                break;
            case 'no-pool-token':
                this.#wanted?.reject(new Error(message.reason));
        }
    }
    async #begin({ config, claim, inMs, times }) {
        const { http } = await (0,_connect_js__WEBPACK_IMPORTED_MODULE_6__/* .connect */ .N)(config, {
            environment: this.#environment,
            log: (level, message) => {
                if (level !== 'info')
                    this.tell({ type: 'log', level, message });
            },
            redactor: new _log_redactor_js__WEBPACK_IMPORTED_MODULE_8__/* .Redactor */ .p(),
        });
        const api = new _cloud_jobs_js__WEBPACK_IMPORTED_MODULE_3__/* .JobApi */ .m(http, claim, (_, refused) => this.#askedPoolToken(refused));
        const { fenceMs } = times;
        new _job_heartbeat_js__WEBPACK_IMPORTED_MODULE_4__/* .Heartbeat */ .XE({
            ...times,
            clock: _clock_js__WEBPACK_IMPORTED_MODULE_2__/* .systemClock */ .ml,
            beat: async (signal) => {
                this.#signs.countBeat();
                if (this.#still >= fenceMs)
                    throw new Error('the main thread stands still');
                await api.heartbeat(signal);
            },
            onAccepted: (asked) => {
                this.#signs.accepted = asked;
                this.tell({ type: 'accepted' });
            },
            onFailure: (error) => {
                this.tell({ type: 'failed', reason: (0,_outcome_js__WEBPACK_IMPORTED_MODULE_5__/* .messageOf */ .bD)(error) });
            },
            onGone: () => this.tell({ type: 'gone' }),
        }).start(inMs);
        this.#watchMain(times.intervalMs, fenceMs);
    }
    #watchMain(everyMs, fenceMs) {
        const standstill = new _messages_js__WEBPACK_IMPORTED_MODULE_7__/* .Standstill */ .R(() => this.#signs.turns, everyMs);
        const watch = setInterval(() => {
            this.#still = standstill.look();
            if (this.#still < 2 * fenceMs)
                return;
            clearInterval(watch);
            (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.write)(STDERR, 'The agent stands still and the lease is lost: it ends itself.\n', () => undefined);
            setTimeout(() => process.kill(process.pid, 'SIGKILL'), LAST_WORDS_MS);
        }, everyMs);
    }
    async #askedPoolToken(refused) {
        const { promise, resolve, reject } = Promise.withResolvers();
        this.#wanted = { resolve, reject };
        this.tell({ type: 'want-pool-token', ...(refused === undefined ? {} : { refused }) });
        const timer = setTimeout(() => {
            if (this.#poolToken === undefined)
                reject(new Error('the main thread gave no pool token in time'));
            else
                resolve(this.#poolToken);
        }, TOKEN_MS);
        try {
            return await promise;
        }
        finally {
            clearTimeout(timer);
        }
    }
}


/***/ }),

/***/ 2871:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   GW: () => (/* binding */ CloudRefusedError),
/* harmony export */   Vp: () => (/* binding */ JobGoneError),
/* harmony export */   lR: () => (/* binding */ AuthError),
/* harmony export */   p2: () => (/* binding */ JobDefinitionError),
/* harmony export */   s8: () => (/* binding */ CloudUnreachableError)
/* harmony export */ });
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(4792);

class CloudUnreachableError extends _outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .OutcomeError */ .Rz {
    name = 'CloudUnreachableError';
    retryAfterMs;
    constructor(message, options) {
        super('cloud-unreachable', message, options);
        this.retryAfterMs = options?.retryAfterMs;
    }
}
class AuthError extends _outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .OutcomeError */ .Rz {
    name = 'AuthError';
    constructor(message, options) {
        super('auth-error', message, options);
    }
}
class CloudRefusedError extends Error {
    name = 'CloudRefusedError';
    status;
    retryAfterMs;
    constructor(status, message, options) {
        super(message, options);
        this.status = status;
        this.retryAfterMs = options?.retryAfterMs;
    }
}
class JobGoneError extends Error {
    name = 'JobGoneError';
}
class JobDefinitionError extends _outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .OutcomeError */ .Rz {
    name = 'JobDefinitionError';
    constructor(message, options) {
        super('failed', message, options);
    }
}


/***/ }),

/***/ 6312:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   m: () => (/* binding */ JobApi)
/* harmony export */ });
/* harmony import */ var _clock_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8398);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2871);
/* harmony import */ var _refusal_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(8974);



const CONFIRM_MS = [1_000];
const CONFIRM_YOUNG_MS = [1_000, 2_000, 4_000];
const YOUNG_MS = 30_000;
const NOT_FOR_THIS_TOKEN = new Set([401, 403, 404]);
class JobApi {
    #http;
    #claim;
    #poolToken;
    #clock;
    #claimedAt;
    #usesPool = false;
    #settled = false;
    #withoutContentType = false;
    constructor(http, claim, poolToken, clock = _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .ml) {
        this.#http = http;
        this.#claim = claim;
        this.#poolToken = poolToken;
        this.#clock = clock;
        this.#claimedAt = clock.steady();
    }
    async definition(signal) {
        const { jobId } = this.#claim;
        const purpose = 'read the job definition';
        const answer = await this.#call({ method: 'GET', path: '', purpose, needsJson: true, signal }, 'call');
        if (answer.status >= 300) {
            throw new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .JobDefinitionError */ .p2(`Failed to read the job definition for job ${jobId}: ${(0,_refusal_js__WEBPACK_IMPORTED_MODULE_2__/* .refusal */ .x)(answer)}. Start the deployment again; if it stays, report it with the run's artifact.`);
        }
        const { parseJobDefinition } = await Promise.all(/* import() */[__webpack_require__.e(579), __webpack_require__.e(622)]).then(__webpack_require__.bind(__webpack_require__, 2241));
        return parseJobDefinition(answer.json, jobId);
    }
    async stepStatus(index, status, signal) {
        const path = `/${index}/status`;
        const answer = await this.#call({
            method: 'PATCH',
            path,
            purpose: `report step ${index} as ${status}`,
            body: { status },
            signal,
        });
        this.#accepted(answer, `report step ${index} as ${status}`, 'The job goes on');
    }
    async logs(index, batch, signal) {
        const purpose = `send log lines of step ${index}`;
        const body = batch.json ?? batch;
        const call = { method: 'POST', path: `/${index}/logs`, purpose, body, signal };
        let answer = await this.#call({ ...call, withoutContentType: this.#withoutContentType });
        if (answer.status === 415 && !this.#withoutContentType) {
            this.#withoutContentType = true;
            answer = await this.#call({ ...call, withoutContentType: true });
        }
        if (answer.status === 413 || answer.status === 400)
            return 'too-large';
        this.#accepted(answer, purpose, "The lines are in the run's artifact");
        return 'accepted';
    }
    async heartbeat(signal) {
        const answer = await this.#call({
            method: 'POST',
            path: '/heartbeat',
            purpose: 'send a heartbeat',
            body: {},
            signal,
        });
        this.#accepted(answer, 'send a heartbeat', 'The job is stopped if none is accepted for 8 minutes');
    }
    #accepted(answer, purpose, then) {
        if (answer.status < 300)
            return;
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .CloudRefusedError */ .GW(answer.status, `Failed to ${purpose} for job ${this.#claim.jobId}: ${(0,_refusal_js__WEBPACK_IMPORTED_MODULE_2__/* .refusal */ .x)(answer)}. ${then}.`);
    }
    async #call(call, how = 'once') {
        const path = `/api/workflow/jobs/${encodeURIComponent(this.#claim.jobId)}${call.path}`;
        const usedPool = this.#usesPool;
        const token = usedPool ? await this.#poolToken(call.signal) : this.#claim.jobToken;
        let answer = await this.#http[how]({ ...call, path, token });
        if (answer.status === 401 && !usedPool && (this.#usesPool || !this.#settled)) {
            const other = await this.#http[how]({ ...call, path, token: await this.#poolToken(call.signal) });
            if (!NOT_FOR_THIS_TOKEN.has(other.status)) {
                this.#usesPool = true;
                answer = other;
            }
        }
        if (answer.status === 401 && usedPool) {
            const renewed = await this.#poolToken(call.signal, token).catch(() => token);
            call.signal.throwIfAborted();
            if (renewed !== token)
                answer = await this.#http[how]({ ...call, path, token: renewed });
        }
        this.#settled = true;
        const young = this.#clock.steady() - this.#claimedAt < YOUNG_MS;
        for (const wait of young ? CONFIRM_YOUNG_MS : CONFIRM_MS) {
            const isPassing = young && (answer.status === 401 || (call.path === '' && answer.status >= 300 && answer.status !== 410));
            if (answer.status !== 404 && !isPassing)
                break;
            await this.#clock.sleep(wait, call.signal);
            const same = this.#usesPool ? await this.#poolToken(call.signal) : this.#claim.jobToken;
            answer = await this.#http[how]({ ...call, path, token: same });
        }
        if (answer.status === 404 || answer.status === 410) {
            throw new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .JobGoneError */ .Vp(`Failed to ${call.purpose} for job ${this.#claim.jobId}: ${(0,_refusal_js__WEBPACK_IMPORTED_MODULE_2__/* .refusal */ .x)(answer)}. Pulumi Cloud no longer knows the job.`);
        }
        return answer;
    }
}


/***/ }),

/***/ 776:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Fo: () => (/* binding */ INTERVAL_MS),
/* harmony export */   XE: () => (/* binding */ Heartbeat),
/* harmony export */   bK: () => (/* binding */ LOOK_MS),
/* harmony export */   ex: () => (/* binding */ RETRY_MS)
/* harmony export */ });
/* harmony import */ var _clock_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8398);
/* harmony import */ var _cloud_errors_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2871);


const INTERVAL_MS = 30_000;
const RETRY_MS = 5_000;
const LOOK_MS = 5_000;
class Heartbeat {
    #options;
    #ended = new AbortController();
    #loop;
    constructor(options) {
        this.#options = options;
    }
    start(inMs = 0) {
        this.#loop ??= this.#run(inMs);
    }
    async stop() {
        this.#ended.abort();
        await this.#loop;
    }
    async #run(inMs) {
        const { beat, clock, onAccepted, onGone, onFailure, intervalMs = INTERVAL_MS, retryMs = RETRY_MS } = this.#options;
        const { signal } = this.#ended;
        if (inMs > 0)
            await this.#until((0,_clock_js__WEBPACK_IMPORTED_MODULE_0__/* .momentOf */ .Et)(clock), inMs);
        while (!signal.aborted) {
            const asked = (0,_clock_js__WEBPACK_IMPORTED_MODULE_0__/* .momentOf */ .Et)(clock);
            let next = [asked, intervalMs];
            try {
                await beat(signal);
                onAccepted(asked);
            }
            catch (error) {
                if (signal.aborted)
                    return;
                onFailure(error);
                if (error instanceof _cloud_errors_js__WEBPACK_IMPORTED_MODULE_1__/* .JobGoneError */ .Vp)
                    onGone();
                else
                    next = [(0,_clock_js__WEBPACK_IMPORTED_MODULE_0__/* .momentOf */ .Et)(clock), Math.min(intervalMs, retryMs)];
            }
            await this.#until(...next);
        }
    }
    async #until(since, ms) {
        const { clock } = this.#options;
        const { signal } = this.#ended;
        while (!signal.aborted) {
            const left = ms - (0,_clock_js__WEBPACK_IMPORTED_MODULE_0__/* .passedSince */ .Pd)(since, clock).perhaps;
            if (left <= 0)
                return;
            await clock.sleep(Math.min(left, LOOK_MS), signal).catch(() => undefined);
        }
    }
}


/***/ }),

/***/ 4792:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   FO: () => (/* binding */ exitCodeOf),
/* harmony export */   Rz: () => (/* binding */ OutcomeError),
/* harmony export */   _m: () => (/* binding */ OUTCOME_NAMES),
/* harmony export */   bD: () => (/* binding */ messageOf),
/* harmony export */   im: () => (/* binding */ OUTCOMES),
/* harmony export */   sb: () => (/* binding */ clause)
/* harmony export */ });
/* unused harmony exports NO_WORK_EXIT_CODE, isOutcome */
const OUTCOMES = {
    succeeded: { exitCode: 0, sentence: 'The workflow ran and every step succeeded.' },
    'no-work': { exitCode: 0, sentence: 'No workflow was queued for the pool in time.' },
    failed: { exitCode: 1, sentence: 'The workflow failed.' },
    'config-error': { exitCode: 2, sentence: 'The configuration cannot be used.' },
    'auth-error': { exitCode: 3, sentence: 'Pulumi Cloud refused the credentials.' },
    'cloud-unreachable': { exitCode: 4, sentence: 'Pulumi Cloud could not be reached.' },
    'target-error': { exitCode: 5, sentence: 'The place where the job should run could not be used.' },
    cancelled: { exitCode: 6, sentence: 'The workflow was cancelled in Pulumi Cloud.' },
    interrupted: { exitCode: 7, sentence: 'The CI job interrupted the run.' },
    'lease-lost': { exitCode: 8, sentence: 'No heartbeat was accepted in time, so the job was stopped.' },
    unreported: {
        exitCode: 9,
        sentence: "The workflow's steps succeeded, but Pulumi Cloud took no report of it and will show it as failed.",
    },
};
const NO_WORK_EXIT_CODE = 75;
const OUTCOME_NAMES = Object.keys(OUTCOMES);
function isOutcome(value) {
    return typeof value === 'string' && Object.hasOwn(OUTCOMES, value);
}
function exitCodeOf(outcome, { failOnNoWork = false } = {}) {
    return outcome === 'no-work' && failOnNoWork ? NO_WORK_EXIT_CODE : OUTCOMES[outcome].exitCode;
}
class OutcomeError extends Error {
    name = 'OutcomeError';
    outcome;
    constructor(outcome, message, options) {
        super(message, options);
        this.outcome = outcome;
    }
}
function clause(sentence) {
    return sentence.replace(/\.$/, '');
}
function messageOf(error) {
    return error instanceof Error ? error.message : String(error);
}


/***/ }),

/***/ 644:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   x: () => (/* binding */ VERSION)
/* harmony export */ });
const VERSION = '0.1.0';


/***/ })

};
