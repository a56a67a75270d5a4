export const id = 334;
export const ids = [334];
export const modules = {

/***/ 2334:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  runClaim: () => (/* binding */ runClaim)
});

// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(8500);
// EXTERNAL MODULE: ./lib/cloud/jobs.js
var jobs = __webpack_require__(6312);
// EXTERNAL MODULE: ./lib/cloud/token.js
var token = __webpack_require__(8487);
;// CONCATENATED MODULE: ./lib/job/cancellation.js
const CONFIRM_MS = 1_000;
async function cancelled({ state, intervalMs, clock, signal, onFailure, }) {
    let seen = 0;
    while (!signal.aborted) {
        await clock.sleep(seen > 0 ? Math.min(CONFIRM_MS, intervalMs) : intervalMs, signal).catch(() => undefined);
        if (signal.aborted)
            return false;
        try {
            const now = await state(signal);
            if (now === 'ended')
                seen += 1;
            else if (now === 'running')
                seen = 0;
        }
        catch (error) {
            if (signal.aborted)
                return false;
            onFailure(error);
        }
        if (seen >= 2)
            return true;
    }
    return false;
}

// EXTERNAL MODULE: ./lib/job/heartbeat.js
var heartbeat = __webpack_require__(776);
// EXTERNAL MODULE: ./lib/job/job.js + 20 modules
var job_job = __webpack_require__(5219);
// EXTERNAL MODULE: ./lib/clock.js
var lib_clock = __webpack_require__(8398);
;// CONCATENATED MODULE: ./lib/job/lease.js


const FENCE_MS = 8 * 60_000;
const DOUBT = 1 / 8;
const HAND_OVER_MS = 1_000;
class Lease {
    #options;
    #ended = new AbortController();
    #own;
    #thread;
    #lastAccepted;
    #isAccepted = false;
    #handOver;
    constructor(options) {
        this.#options = options;
        this.#lastAccepted = (0,lib_clock/* momentOf */.Et)(options.clock);
        this.#own = this.#heartbeat();
    }
    get lastAccepted() {
        const own = this.#lastAccepted;
        const other = this.#thread?.lastAccepted ?? own;
        return other.steady > own.steady ? other : own;
    }
    start() {
        const { thread } = this.#options;
        void this.#fence();
        this.#own.start();
        if (thread !== undefined)
            this.#handOver = this.#servedBy(thread);
    }
    async stop() {
        this.#ended.abort();
        await Promise.all([this.#own.stop(), this.#handOver]);
    }
    async #fence() {
        const { clock, fenceMs = FENCE_MS, onLost } = this.#options;
        const { signal } = this.#ended;
        for (let doubted; !signal.aborted;) {
            const passed = (0,lib_clock/* passedSince */.Pd)(this.lastAccepted, clock);
            doubted = passed.perhaps < fenceMs * (1 - DOUBT) ? undefined : (doubted ?? (0,lib_clock/* momentOf */.Et)(clock));
            const answer = doubted === undefined ? fenceMs : fenceMs * DOUBT - (0,lib_clock/* passedSince */.Pd)(doubted, clock).surely;
            const left = Math.min(fenceMs - passed.surely, answer);
            if (left <= 0) {
                onLost(passed);
                return;
            }
            await clock.sleep(Math.min(left, heartbeat/* LOOK_MS */.bK), signal).catch(() => undefined);
        }
    }
    #heartbeat() {
        return new heartbeat/* Heartbeat */.XE({
            ...this.#options,
            onAccepted: (asked) => {
                this.#lastAccepted = asked;
                this.#isAccepted = true;
                this.#options.onAccepted();
            },
        });
    }
    async #servedBy(start) {
        const { clock, handOverMs = HAND_OVER_MS, intervalMs = heartbeat/* INTERVAL_MS */.Fo, onThreadFailure } = this.#options;
        const { signal } = this.#ended;
        let thread;
        try {
            await clock.sleep(handOverMs, signal);
            thread = await start();
            await thread.ready(signal);
            await this.#own.stop();
            signal.throwIfAborted();
            this.#thread = thread;
            thread.begin(this.#isAccepted ? Math.max(0, intervalMs - (0,lib_clock/* passedSince */.Pd)(this.#lastAccepted, clock).perhaps) : 0);
            await thread.failure(signal);
        }
        catch (error) {
            if (signal.aborted)
                return;
            if (this.#thread !== undefined) {
                this.#lastAccepted = this.lastAccepted;
                this.#own = this.#heartbeat();
                this.#own.start();
            }
            onThreadFailure?.(error);
        }
        finally {
            await thread?.stop();
        }
    }
}

// EXTERNAL MODULE: ./lib/job/stop.js
var job_stop = __webpack_require__(5850);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(4792);
// EXTERNAL MODULE: ./lib/agent/job-settings.js
var job_settings = __webpack_require__(8999);
// EXTERNAL MODULE: ./lib/agent/labels.js
var labels = __webpack_require__(6775);
// EXTERNAL MODULE: ./lib/agent/place.js
var place = __webpack_require__(3037);
// EXTERNAL MODULE: external "node:v8"
var external_node_v8_ = __webpack_require__(8877);
;// CONCATENATED MODULE: ./lib/agent/small-heap.js

function keepHeapSmall() {
    (0,external_node_v8_.setFlagsFromString)('--semi-space-growth-factor=1');
    (0,external_node_v8_.setFlagsFromString)('--heap-growing-percent=25');
}

;// CONCATENATED MODULE: ./lib/agent/claimed-run.js













async function runClaim(claim, options) {
    const { clock, log, redactor, tokens, pool, record, health, notice } = options;
    keepHeapSmall();
    redactor.add([claim.jobToken]);
    health.become('running');
    const api = new jobs/* JobApi */.m(options.http, claim, (signal, refused) => (0,token/* currentToken */.n)(tokens, signal, refused), clock);
    const stop = new job_stop/* StopSource */.G();
    stop.signal.addEventListener('abort', () => tellStop(stop, options), { once: true });
    options.onStopSource(stop);
    const lease = leaseOf(claim, api, stop, options);
    const ended = new AbortController();
    const watch = watchForCancel(claim, stop, ended.signal, options);
    const job = (0,job_job/* runJob */.b)({
        ...(0,job_settings/* jobSettings */.b)(options),
        claim,
        api,
        target: options.target,
        stop,
        clock,
        redactor,
        labels: {
            ...options.labels,
            ...(0,labels/* ownLabels */.ct)(options.owner),
            'pulumi-runner.run': claim.runId,
            'pulumi-runner.job': claim.jobId,
        },
        stepLog: (index, name) => record.stepLog(index, name),
        event: (event) => record.event(event),
        onLog: (figures) => health.log(figures),
        notice,
        beforeLastStatus: async () => {
            ended.abort();
            await lease.stop();
        },
    });
    await (0,promises_.setImmediate)();
    const placed = (0,place/* placeOf */.$)(options.config, options.environment).then((place) => {
        if (place !== undefined)
            record.event({ type: 'place', place });
    });
    if (!ended.signal.aborted) {
        lease.start();
        void pool.acknowledge(claim, ended.signal).catch((error) => log('debug', String(error)));
    }
    const end = await job;
    ended.abort();
    await Promise.all([lease.stop(), watch, placed]);
    return end;
}
function leaseOf(claim, api, stop, options) {
    const { clock, config, health, heartbeats = {}, log, notice, tokens } = options;
    const { program, handOverMs, ...given } = heartbeats;
    const times = { intervalMs: heartbeat/* INTERVAL_MS */.Fo, retryMs: heartbeat/* RETRY_MS */.ex, fenceMs: FENCE_MS, ...given };
    let failures = 0;
    const events = {
        onAccepted: () => {
            health.heartbeat('accepted');
            if (failures > 0)
                log('info', `Heartbeats are accepted again after ${failures} failures.`);
            failures = 0;
        },
        onFailure: (error) => {
            health.heartbeat('failed');
            failures += 1;
            if (failures === 1)
                notice((0,outcome/* messageOf */.bD)(error));
        },
        onGone: () => stop.request({ by: 'cloud', reason: 'Pulumi Cloud no longer knows the job' }),
    };
    const thread = async (path) => {
        const { WorkerHeartbeat } = await __webpack_require__.e(/* import() */ 337).then(__webpack_require__.bind(__webpack_require__, 8337));
        return new WorkerHeartbeat({ ...events, program: path, config, claim, tokens, log, times });
    };
    return new Lease({
        ...events,
        ...times,
        ...(program === undefined ? {} : { thread: () => thread(program) }),
        ...(handOverMs === undefined ? {} : { handOverMs }),
        clock,
        beat: (signal) => api.heartbeat(signal),
        onThreadFailure: (error) => notice((0,outcome/* messageOf */.bD)(error)),
        onLost: (passed) => stop.request({ by: 'lease', reason: lossOf(passed) }),
    });
}
function lossOf({ surely, perhaps }) {
    const minutes = Math.round((perhaps - surely) / 60_000);
    if (minutes === 0)
        return 'no heartbeat was accepted for 8 minutes, and Pulumi Cloud gives a run up after 10';
    return `this machine was suspended, or its clock set forward, by about ${minutes} min, and no heartbeat has been accepted since; Pulumi Cloud gives a run up after 10 minutes without one`;
}
async function watchForCancel({ deploymentId }, stop, signal, { clock, config, health, pool, log }) {
    const ended = await cancelled({
        state: async (aborted) => {
            const state = await pool.state(deploymentId, aborted);
            health.active();
            return state;
        },
        intervalMs: config.jobStatusLoopIntervalMs,
        clock,
        signal,
        onFailure: (error) => log('warning', (0,outcome/* messageOf */.bD)(error)),
    });
    if (ended)
        stop.request({ by: 'cloud', reason: 'the deployment was cancelled in Pulumi Cloud' });
}
function tellStop({ stop }, { health, log, record }) {
    if (stop === undefined)
        return;
    health.become('stopping');
    log('warning', `Stopping: ${stop.reason}.`);
    record.event({ type: 'stopping', by: stop.by, reason: stop.reason });
}


/***/ }),

/***/ 8999:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   b: () => (/* binding */ jobSettings)
/* harmony export */ });
/* harmony import */ var _container_settings_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(6651);

function jobSettings({ config, environment, caBundle }) {
    return {
        serviceUrl: config.serviceUrl,
        ...(config.image === undefined ? {} : { image: config.image }),
        pullImage: config.pullImage,
        container: (0,_container_settings_js__WEBPACK_IMPORTED_MODULE_0__/* .containerSettings */ .J)(config),
        allowlist: config.envForwardAllowlist,
        graceMs: config.cancelGracePeriodMs,
        host: environment,
        ...(caBundle === undefined ? {} : { caBundle }),
    };
}


/***/ }),

/***/ 3037:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $: () => (/* binding */ placeOf),
/* harmony export */   t: () => (/* binding */ targetAt)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var node_os__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(8161);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(6760);
/* harmony import */ var _target_target_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(9327);




async function placeOf({ deployTarget, kubeconfig, kubeContext, namespace }, environment) {
    if (deployTarget !== 'kubernetes')
        return { target: 'docker' };
    try {
        const file = kubeconfig ?? kubeconfigOf(environment);
        const { Cluster } = await __webpack_require__.e(/* import() */ 586).then(__webpack_require__.bind(__webpack_require__, 9586));
        const cluster = new Cluster({
            ...(file === undefined ? {} : { kubeconfig: file }),
            ...(kubeContext === undefined ? {} : { context: kubeContext }),
            ...(namespace === undefined ? {} : { namespace }),
        });
        return {
            target: 'kubernetes',
            ...(file === undefined ? {} : { kubeconfig: file }),
            context: (await cluster.config()).getCurrentContext(),
            server: bare(await cluster.server()),
            namespace: await cluster.namespace(),
        };
    }
    catch {
        return undefined;
    }
}
function kubeconfigOf(environment) {
    const [named, ...more] = (environment['KUBECONFIG'] ?? '').split(node_path__WEBPACK_IMPORTED_MODULE_2__.delimiter).filter((path) => path !== '');
    if (named !== undefined)
        return more.length > 0 ? undefined : (0,node_path__WEBPACK_IMPORTED_MODULE_2__.resolve)(named);
    const own = (0,node_path__WEBPACK_IMPORTED_MODULE_2__.join)(environment['HOME'] ?? (0,node_os__WEBPACK_IMPORTED_MODULE_1__.homedir)(), '.kube', 'config');
    return (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.existsSync)(own) ? own : undefined;
}
function bare(server) {
    const url = URL.parse(server);
    if (url === null)
        return '';
    url.username = '';
    url.password = '';
    return url.href;
}
async function targetAt(place, sources) {
    if (place.target === 'docker') {
        const { createDockerTarget } = await Promise.resolve(/* import() */).then(__webpack_require__.bind(__webpack_require__, 2858));
        return createDockerTarget(sources);
    }
    const { kubeconfig, context, namespace } = place;
    const settings = { ...(kubeconfig === undefined ? {} : { kubeconfig }), context, namespace };
    await requireSame(place, settings);
    const { createKubernetesTarget } = await __webpack_require__.e(/* import() */ 31).then(__webpack_require__.bind(__webpack_require__, 6031));
    const { clusterProxy } = await __webpack_require__.e(/* import() */ 809).then(__webpack_require__.bind(__webpack_require__, 4809));
    return createKubernetesTarget({ ...settings, findProxy: clusterProxy(sources), startTimeoutMs: 0, graceMs: 0 });
}
async function requireSame({ server }, settings) {
    const { Cluster } = await __webpack_require__.e(/* import() */ 586).then(__webpack_require__.bind(__webpack_require__, 9586));
    const now = bare(await new Cluster(settings).server());
    if (now === server)
        return;
    const { kubeconfig = 'the kubeconfig', context, namespace } = settings;
    throw new _target_target_js__WEBPACK_IMPORTED_MODULE_3__/* .TargetUnavailableError */ .qc(`Failed to find the cluster for jobs in ${kubeconfig}: its context "${context}" leads to ${now} now, and the run's pods are at ${server}. Look there: kubectl get pods -n ${namespace} -l app.kubernetes.io/managed-by=pulumi-runner-agent.`);
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


/***/ })

};
