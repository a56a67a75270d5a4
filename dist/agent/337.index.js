export const id = 337;
export const ids = [337];
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

/***/ 8337:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   WorkerHeartbeat: () => (/* binding */ WorkerHeartbeat)
/* harmony export */ });
/* harmony import */ var node_worker_threads__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(5919);
/* harmony import */ var _clock_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(8398);
/* harmony import */ var _cloud_token_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(8487);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(4792);
/* harmony import */ var _argument_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(7846);
/* harmony import */ var _messages_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(81);






const READY_MS = 60_000;
const LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 1 };
class WorkerHeartbeat {
    #options;
    #worker;
    #signs = new _messages_js__WEBPACK_IMPORTED_MODULE_4__/* .Signs */ .j();
    #ended = new AbortController();
    #ready = Promise.withResolvers();
    #failed = Promise.withResolvers();
    #watch;
    constructor(options) {
        this.#options = options;
        const workerData = { serves: 'heartbeats', signs: this.#signs.memory };
        this.#worker = new node_worker_threads__WEBPACK_IMPORTED_MODULE_0__.Worker(options.program, {
            argv: [_argument_js__WEBPACK_IMPORTED_MODULE_5__/* .THREAD_ARGUMENT */ .J],
            workerData,
            resourceLimits: LIMITS,
            name: 'heartbeats',
        });
        this.#worker.on('message', (message) => this.#take(message));
        this.#worker.on('error', (error) => this.#fail(error));
        this.#worker.on('exit', () => this.#fail(new Error('the thread ended')));
        this.#worker.unref();
        this.#ready.promise.catch(() => undefined);
        this.#failed.promise.catch(() => undefined);
    }
    get lastAccepted() {
        return this.#signs.accepted;
    }
    async ready(signal) {
        await (0,_clock_js__WEBPACK_IMPORTED_MODULE_1__/* .settledBefore */ .ZQ)(this.#ready.promise, AbortSignal.any([signal, AbortSignal.timeout(READY_MS)]));
    }
    begin(inMs) {
        const { config, claim, times } = this.#options;
        const { token: _, ...known } = config;
        this.#tell({ type: 'begin', config: known, claim: { ...claim, oidcToken: '' }, inMs, times });
        const { intervalMs, fenceMs } = times;
        const beats = new _messages_js__WEBPACK_IMPORTED_MODULE_4__/* .Standstill */ .R(() => this.#signs.beats, intervalMs);
        this.#watch = setInterval(() => {
            this.#signs.countTurn();
            if (beats.look() >= fenceMs / 2)
                this.#fail(new Error('the thread is stuck'));
        }, intervalMs).unref();
    }
    failure(signal) {
        return (0,_clock_js__WEBPACK_IMPORTED_MODULE_1__/* .settledBefore */ .ZQ)(this.#failed.promise, signal);
    }
    async stop() {
        this.#ended.abort();
        clearInterval(this.#watch);
        this.#worker.removeAllListeners('message');
        await this.#worker.terminate();
    }
    #tell(message) {
        this.#worker.postMessage(message);
    }
    #fail(reason) {
        const error = new Error(`Failed to keep the heartbeats' own thread for job ${this.#options.claim.jobId}: ${reason.message}. They go on from the main thread; nothing is lost.`, { cause: reason });
        this.#ready.reject(error);
        this.#failed.reject(error);
    }
    #take(message) {
        const { onAccepted, onFailure, onGone, log } = this.#options;
        switch (message.type) {
            case 'ready':
                this.#ready.resolve();
                break;
            case 'accepted':
                onAccepted();
                break;
            case 'failed':
                onFailure(new Error(message.reason));
                break;
            case 'gone':
                onGone();
                break;
            case 'log':
                log(message.level, message.message);
                break;
            case 'want-pool-token':
                void this.#tellPoolToken(message.refused);
        }
    }
    async #tellPoolToken(refused) {
        try {
            const token = await (0,_cloud_token_js__WEBPACK_IMPORTED_MODULE_2__/* .currentToken */ .n)(this.#options.tokens, this.#ended.signal, refused);
            this.#tell({ type: 'pool-token', token });
        }
        catch (error) {
            this.#tell({ type: 'no-pool-token', reason: (0,_outcome_js__WEBPACK_IMPORTED_MODULE_3__/* .messageOf */ .bD)(error) });
        }
    }
}


/***/ })

};
