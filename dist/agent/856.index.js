export const id = 856;
export const ids = [856];
export const modules = {

/***/ 1908:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   C: () => (/* binding */ METRICS),
/* harmony export */   a: () => (/* binding */ metricOf)
/* harmony export */ });
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(4792);

const PURPOSES = [
    'token-exchange',
    'poll',
    'greeting',
    'acknowledgement',
    'job-definition',
    'step-status',
    'log-lines',
    'deployment-status',
    'other',
];
const RESULTS = ['1xx', '2xx', '3xx', '4xx', '5xx', 'no-answer'];
const METRICS = {
    pulumi_runner_build_info: {
        type: 'gauge',
        help: 'Always 1; the labels tell the version of the agent and of its Node.js.',
        labels: { version: [], node: [] },
    },
    pulumi_runner_agent_state: {
        type: 'gauge',
        help: '1 for what the agent is doing, 0 for the rest.',
        labels: { state: ['starting', 'waiting', 'running', 'stopping', 'stopped'] },
    },
    pulumi_runner_healthy: { type: 'gauge', help: '1 while /healthz says healthy, 0 while it says unhealthy.' },
    pulumi_runner_last_activity_timestamp_seconds: {
        type: 'gauge',
        help: 'When the agent last got on: the time that /healthz judges by.',
    },
    pulumi_runner_poll_duration_seconds: {
        type: 'histogram',
        help: 'Polls for work, retries and a new token included; result is what a poll brought.',
        labels: { result: ['claim', 'nothing', 'failure'] },
        buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
    },
    pulumi_runner_claims_total: { type: 'counter', help: 'Deployments claimed.' },
    pulumi_runner_claim_to_first_step_seconds: {
        type: 'histogram',
        help: "From a claim to the start of the deployment's first step: definition, pull and container.",
        buckets: [0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600],
    },
    pulumi_runner_jobs_total: {
        type: 'counter',
        help: 'Jobs that have ended, by outcome.',
        labels: { outcome: _outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .OUTCOME_NAMES */ ._m.filter((outcome) => outcome !== 'no-work') },
    },
    pulumi_runner_job_duration_seconds: {
        type: 'histogram',
        help: 'Jobs that have ended, from claim to last report.',
        buckets: [5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400],
    },
    pulumi_runner_steps_total: {
        type: 'counter',
        help: 'Steps that have ended, preparation included.',
        labels: { status: ['succeeded', 'failed'] },
    },
    pulumi_runner_heartbeats_total: {
        type: 'counter',
        help: 'Heartbeats of claimed jobs.',
        labels: { result: ['accepted', 'failed'] },
    },
    pulumi_runner_heartbeat_age_seconds: {
        type: 'gauge',
        help: 'Seconds since the last accepted heartbeat, or since the claim; 0 while no job runs. A job is stopped at 480.',
    },
    pulumi_runner_log_lines_total: {
        type: 'counter',
        help: 'Log lines: sent to Pulumi Cloud, as it takes them, or undelivered when their step was given up, and in the run directory only.',
        labels: { result: ['sent', 'undelivered'] },
    },
    pulumi_runner_output_bytes_total: {
        type: 'counter',
        help: 'Output of steps, redacted, in bytes of UTF-8, while they run.',
    },
    pulumi_runner_requests_total: {
        type: 'counter',
        help: 'Requests to Pulumi Cloud, each try of its own. Heartbeats have a counter of their own.',
        labels: { purpose: PURPOSES, result: RESULTS },
    },
    pulumi_runner_request_duration_seconds: {
        type: 'histogram',
        help: 'Requests to Pulumi Cloud, from sending to the end of the answer.',
        labels: { purpose: PURPOSES },
        buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    },
    process_cpu_seconds_total: { type: 'counter', help: 'Processor time of the agent, user and system.' },
    process_resident_memory_bytes: { type: 'gauge', help: 'Resident memory of the agent.' },
    process_start_time_seconds: { type: 'gauge', help: 'When the agent was started.' },
};
function metricOf(name) {
    return METRICS[name];
}


/***/ }),

/***/ 1437:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   AU: () => (/* binding */ sweepOrphans),
/* harmony export */   BY: () => (/* binding */ ORPHAN_GRACE_MS),
/* harmony export */   T7: () => (/* binding */ OrphanSweep)
/* harmony export */ });
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(4792);
/* harmony import */ var _record_fate_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6708);
/* harmony import */ var _labels_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(6775);



const ORPHAN_GRACE_MS = 12_000;
const AFTER_CLAIM_MS = 3_000;
const LOOK_AGAIN_MS = 15 * 60_000;
const END_MS = 2_000;
async function sweepOrphans(target, host, how) {
    const here = (0,_record_fate_js__WEBPACK_IMPORTED_MODULE_1__/* .processSpace */ .S)();
    const only = (labels) => (0,_labels_js__WEBPACK_IMPORTED_MODULE_2__/* .fateByLabels */ .hS)(labels, here) === 'dead';
    const [elsewhere] = await Promise.allSettled([target.sweepAbandoned?.(how.signal)]);
    const [ours] = await Promise.allSettled([target.sweep((0,_labels_js__WEBPACK_IMPORTED_MODULE_2__/* .hostLabels */ ._q)(host), how.signal, { ...how, only })]);
    if (elsewhere.status === 'rejected')
        throw elsewhere.reason;
    if (ours.status === 'rejected')
        throw ours.reason;
    return [...(elsewhere.value ?? []), ...ours.value];
}
class OrphanSweep {
    #options;
    #hurry = new AbortController();
    #stop = new AbortController();
    #timer;
    #run;
    #dueAt = Number.POSITIVE_INFINITY;
    #failed = false;
    constructor(options) {
        this.#options = options;
    }
    start() {
        const { target, host } = this.#options;
        const how = { signal: this.#stop.signal, hurry: this.#hurry.signal, graceMs: ORPHAN_GRACE_MS };
        this.#run ??= this.#look(() => sweepOrphans(target, host, how));
    }
    startSoon() {
        this.#timer ??= setTimeout(() => this.start(), AFTER_CLAIM_MS);
    }
    waiting() {
        const { target, steady } = this.#options;
        this.start();
        if (steady() < this.#dueAt || this.#hurry.signal.aborted)
            return;
        this.#run = this.#look(async () => (await target.sweepAbandoned?.(this.#stop.signal)) ?? []);
    }
    async end() {
        clearTimeout(this.#timer);
        this.#hurry.abort();
        if (this.#run === undefined)
            return;
        const late = Promise.withResolvers();
        const timer = setTimeout(() => {
            this.#stop.abort();
            late.resolve();
        }, END_MS);
        await Promise.race([this.#run, late.promise]);
        clearTimeout(timer);
    }
    async #look(sweep) {
        const { target, steady, random, onRemoved, onFailure } = this.#options;
        this.#dueAt = Number.POSITIVE_INFINITY;
        try {
            for (const line of await sweep())
                onRemoved(line);
        }
        catch (error) {
            if (!this.#stop.signal.aborted)
                onFailure((0,_outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .messageOf */ .bD)(error), this.#failed);
            this.#failed = true;
        }
        if (target.sweepAbandoned !== undefined)
            this.#dueAt = steady() + LOOK_AGAIN_MS * (0.75 + random() / 2);
    }
}


/***/ }),

/***/ 1395:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  d: () => (/* binding */ RunRecord),
  r: () => (/* binding */ agentLogPath)
});

// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(4792);
// EXTERNAL MODULE: ./lib/record/files.js
var files = __webpack_require__(8603);
// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
;// CONCATENATED MODULE: ./lib/record/writer.js



function stepLogName(index, name) {
    const plain = name
        .normalize('NFKD')
        .replace(/[^A-Za-z0-9]+/g, '-')
        .replace(/^-+|-+$/g, '')
        .toLowerCase()
        .slice(0, 60);
    return `${String(index).padStart(2, '0')}-${plain === '' ? 'step' : plain}.log`;
}
const PLAIN_FIELDS = new Set([
    ...['t', 'startedAt', 'claimedAt', 'finishedAt', 'expiresAt', 'lastActivity', 'started', 'host', 'space', 'version'],
    ...['type', 'outcome', 'status', 'state', 'level', 'by', 'method', 'log', 'url', 'serviceUrl', 'consoleUrl'],
    ...['deploymentId', 'deploymentUrl', 'runId', 'jobId'],
    ...['target', 'kubeconfig', 'context', 'server', 'namespace'],
]);
function stepLogPath(directory, index, name) {
    const relative = `${files/* RUN_FILES */.a.steps}/${stepLogName(index, name)}`;
    return { relative, absolute: (0,external_node_path_.join)(directory, relative) };
}
class RecordWriter {
    directory;
    #now;
    #redact;
    #events;
    #health;
    constructor({ directory, now, redact }) {
        this.directory = directory;
        this.#now = now;
        this.#redact = redact;
        (0,external_node_fs_.mkdirSync)((0,external_node_path_.join)(directory, files/* RUN_FILES */.a.steps), { recursive: true, mode: 0o700 });
        this.#events = (0,external_node_fs_.openSync)((0,external_node_path_.join)(directory, files/* RUN_FILES */.a.events), 'a', 0o600);
        this.#health = (0,external_node_fs_.openSync)((0,external_node_path_.join)(directory, files/* RUN_FILES */.a.health), 'a', 0o600);
    }
    time() {
        return new Date(this.#now()).toISOString();
    }
    event(event) {
        (0,external_node_fs_.writeSync)(this.#events, `${this.#line({ t: this.time(), ...event })}\n`);
    }
    health(snapshot) {
        (0,external_node_fs_.writeSync)(this.#health, `${this.#line(snapshot)}\n`);
    }
    stepLog(index, name) {
        return stepLogPath(this.directory, index, this.#redact(name));
    }
    result(result) {
        const path = (0,external_node_path_.join)(this.directory, files/* RUN_FILES */.a.result);
        (0,external_node_fs_.writeFileSync)(`${path}.part`, `${JSON.stringify(this.#redacted(result), null, 2)}\n`, { mode: 0o600 });
        (0,external_node_fs_.renameSync)(`${path}.part`, path);
    }
    close() {
        (0,external_node_fs_.closeSync)(this.#events);
        (0,external_node_fs_.closeSync)(this.#health);
    }
    #line(value) {
        return JSON.stringify(this.#redacted(value));
    }
    #redacted(value) {
        if (typeof value === 'string')
            return this.#redact(value);
        if (Array.isArray(value))
            return value.map((item) => this.#redacted(item));
        if (typeof value !== 'object' || value === null)
            return value;
        return Object.fromEntries(Object.entries(value).map(([key, item]) => [
            key,
            PLAIN_FIELDS.has(key) && typeof item === 'string' ? item : this.#redacted(item),
        ]));
    }
}

;// CONCATENATED MODULE: ./lib/agent/run-record.js




const HELD_EVENTS = 50;
class RunRecord {
    #options;
    #startedAt;
    #notices = [];
    #held = [];
    #incomplete = false;
    #directory;
    #writer;
    constructor(options) {
        this.#options = options;
        this.#startedAt = options.now();
    }
    open(directory) {
        this.#directory = directory;
        try {
            this.#writer = new RecordWriter({ directory, ...this.#options });
        }
        catch (cause) {
            const reason = cause instanceof Error ? cause.message : String(cause);
            const advice = 'Set run_directory to a folder that the agent can write to.';
            throw new outcome/* OutcomeError */.Rz('config-error', `Failed to make the directory for the run: ${reason}. ${advice}`, {
                cause,
            });
        }
        for (const event of this.#held)
            this.#write((writer) => writer.event(event));
        this.#held = [];
    }
    event(event) {
        this.#options.onEvent?.(event);
        if (this.#writer !== undefined)
            this.#write((writer) => writer.event(event));
        else
            this.#hold(event);
    }
    #hold(event) {
        this.#held.push(event);
        if (this.#held.length > HELD_EVENTS)
            this.#held.splice(1, 1);
    }
    notice(level, message) {
        if (level === 'warning')
            this.#notices.push(message);
        this.event({ type: 'notice', level, message });
    }
    health(snapshot) {
        this.#write((writer) => writer.health(snapshot));
    }
    stepLog(index, name) {
        if (this.#directory === undefined)
            throw new Error('a step was begun before the run directory was opened');
        return stepLogPath(this.#directory, index, this.#options.redact(name));
    }
    close(end) {
        const { version, owner, now } = this.#options;
        this.event({ type: 'outcome', outcome: end.outcome, exitCode: end.exitCode, message: end.message });
        const writer = this.#writer;
        this.#writer = undefined;
        try {
            writer?.result({
                schema: 1,
                ...end,
                version,
                owner,
                startedAt: new Date(this.#startedAt).toISOString(),
                finishedAt: new Date(now()).toISOString(),
                notices: this.#notices,
            });
        }
        finally {
            writer?.close();
        }
    }
    #write(write) {
        if (this.#writer === undefined)
            return;
        try {
            write(this.#writer);
        }
        catch (error) {
            if (this.#incomplete)
                return;
            this.#incomplete = true;
            const reason = (0,outcome/* messageOf */.bD)(error);
            this.#notices.push(`Failed to write an event for the run: ${reason}. Some events are missing.`);
        }
    }
}
function agentLogPath(directory) {
    return (0,external_node_path_.join)(directory, files/* RUN_FILES */.a.log);
}


/***/ }),

/***/ 5856:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  run: () => (/* binding */ run)
});

// EXTERNAL MODULE: ./lib/clock.js
var lib_clock = __webpack_require__(8398);
// EXTERNAL MODULE: ./lib/cloud/authorized-http.js
var authorized_http = __webpack_require__(8202);
// EXTERNAL MODULE: ./lib/cloud/errors.js
var errors = __webpack_require__(2871);
// EXTERNAL MODULE: ./lib/cloud/exchange-answer.js + 1 modules
var exchange_answer = __webpack_require__(7428);
// EXTERNAL MODULE: ./lib/cloud/refusal.js
var refusal = __webpack_require__(8974);
;// CONCATENATED MODULE: ./lib/cloud/deployments.js




const ENDED = new Set(['failed', 'succeeded', 'skipped', 'cancelled', 'canceled']);
const POLL_REFUSALS = {
    402: 'Customer-managed runners need another edition of Pulumi Cloud, or the organization reached its limit.',
    403: 'Check that the pool belongs to the organization and that the token is a pool token.',
    404: 'Check the service URL, and that the pool still exists.',
};
class PoolApi {
    #http;
    constructor(http, tokens) {
        this.#http = new authorized_http/* AuthorizedHttp */._(http, tokens, {
            whom: 'the pool',
            check: 'that the pool exists and that its policy still allows this job',
        });
    }
    async poll(signal, noMoreTries) {
        const answer = await this.#http.call({
            method: 'GET',
            path: '/api/deployments/poll',
            purpose: 'poll for work',
            signal,
            noMoreTries,
        });
        const wait = answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs };
        if (answer.status === 204)
            return wait;
        const refused = POLL_REFUSALS[answer.status];
        if (refused !== undefined)
            throw new errors/* AuthError */.lR(`Failed to poll for work for the pool: ${(0,refusal/* refusal */.x)(answer)}. ${refused}`);
        if (answer.status >= 300) {
            throw new errors/* CloudRefusedError */.GW(answer.status, `Failed to poll for work for the pool: ${(0,refusal/* refusal */.x)(answer)}. Check that the service URL is Pulumi Cloud's API.`, wait);
        }
        if (answer.text.trim() === '' || answer.json === null)
            return wait;
        const { claimSchema, complaints } = await __webpack_require__.e(/* import() */ 241).then(__webpack_require__.bind(__webpack_require__, 2241));
        const claim = claimSchema.safeParse(answer.json, exchange_answer/* SELDOM */.$);
        if (!claim.success) {
            const reason = answer.json === undefined ? 'not JSON' : complaints(claim.error);
            throw new errors/* CloudRefusedError */.GW(answer.status, `Failed to read the claim for the pool: ${reason}. If work was claimed, Pulumi Cloud fails it after 10 minutes without a heartbeat; start it again.`, wait);
        }
        return { claim: claim.data, ...wait };
    }
    async acknowledge(claim, signal) {
        await this.#http.call({
            method: 'POST',
            path: '/api/agent-workflows/deployment',
            purpose: 'acknowledge the claim',
            body: { jobID: claim.jobId, runID: claim.runId, typeSpecificID: claim.deploymentId },
            signal,
        });
    }
    async state(deploymentId, signal) {
        const path = `/api/deployments/${encodeURIComponent(deploymentId)}/status`;
        const answer = await this.#http.once({ method: 'GET', path, purpose: "read the deployment's status", signal });
        if (answer.status === 404 || answer.status === 410)
            return 'ended';
        if (answer.status >= 300)
            return 'unknown';
        const status = statusText(answer);
        if (status === undefined)
            return 'unknown';
        return ENDED.has(status) ? 'ended' : 'running';
    }
    async bootstrap(signal) {
        const purpose = 'greet Pulumi Cloud';
        await this.#http.once({ method: 'GET', path: '/api/background-activities/token', purpose, signal });
        const path = '/api/background-activities/configuration';
        await this.#http.once({ method: 'POST', path, purpose, body: {}, signal });
    }
}
function statusText({ json }) {
    const status = typeof json === 'object' && json !== null ? json['status'] : json;
    return typeof status === 'string' ? status.toLowerCase() : undefined;
}

// EXTERNAL MODULE: ./lib/log/redactor.js + 2 modules
var log_redactor = __webpack_require__(741);
// EXTERNAL MODULE: ./lib/outcome.js
var lib_outcome = __webpack_require__(4792);
// EXTERNAL MODULE: ./lib/record/owner.js
var record_owner = __webpack_require__(7047);
// EXTERNAL MODULE: ./lib/version.js
var version = __webpack_require__(644);
// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(8500);
// EXTERNAL MODULE: ./lib/cloud/console-url.js
var console_url = __webpack_require__(1583);
// EXTERNAL MODULE: ./lib/record/fate.js
var fate = __webpack_require__(6708);
// EXTERNAL MODULE: ./lib/agent/container-settings.js
var container_settings = __webpack_require__(6651);
// EXTERNAL MODULE: external "node:net"
var external_node_net_ = __webpack_require__(7030);
// EXTERNAL MODULE: external "node:http"
var external_node_http_ = __webpack_require__(7067);
;// CONCATENATED MODULE: ./lib/agent/health/http-server.js


const JSON_TYPE = 'application/json';
const EMPTY = '{}\n';
function jsonPage(status, value) {
    return { status, contentType: JSON_TYPE, body: `${JSON.stringify(value)}\n` };
}
async function serveHttp({ port, address }, pages) {
    const server = (0,external_node_http_.createServer)({ requestTimeout: 5_000, keepAliveTimeout: 1_000 }, async (request, response) => {
        const page = pages.get((request.url ?? '').split('?')[0] ?? '');
        const answer = (status, headers, body) => response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers }).end(body);
        if (page === undefined) {
            answer(404, { 'content-type': JSON_TYPE }, EMPTY);
        }
        else if (request.method !== 'GET' && request.method !== 'HEAD') {
            answer(405, { 'content-type': JSON_TYPE, allow: 'GET, HEAD' }, EMPTY);
        }
        else {
            const { status, contentType, body } = await asked(page);
            answer(status, { 'content-type': contentType, 'cache-control': 'no-store' }, body);
        }
    });
    await new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port, host: address }, () => {
            server.removeListener('error', reject);
            resolve();
        });
    }).catch((cause) => {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new lib_outcome/* OutcomeError */.Rz('config-error', `Failed to serve /healthz for the agent: ${reason}. Set http_server_port to a free port, or to 0 for any, and http_server_address to an address of this machine.`, { cause });
    });
    server.on('error', () => undefined);
    server.unref();
    return {
        port: server.address().port,
        close: () => {
            server.close();
            server.closeAllConnections();
        },
    };
}
async function asked(page) {
    try {
        return await page();
    }
    catch (error) {
        return jsonPage(500, { error: (0,lib_outcome/* messageOf */.bD)(error) });
    }
}

;// CONCATENATED MODULE: ./lib/agent/health/health.js



const SNAPSHOT_MS = 30_000;
class Health {
    #options;
    #state = 'starting';
    #lastActivity;
    #lastHeartbeat;
    #server;
    #timer;
    constructor(options) {
        this.#options = options;
        this.#lastActivity = (0,lib_clock/* momentOf */.Et)(options.clock);
    }
    active() {
        this.#lastActivity = (0,lib_clock/* momentOf */.Et)(this.#options.clock);
    }
    heartbeat(result) {
        this.#options.metrics?.heartbeat(result);
        if (result === 'failed')
            return;
        this.active();
        this.#lastHeartbeat = this.#lastActivity;
    }
    log(figures) {
        this.#options.metrics?.log(figures);
    }
    become(state) {
        this.#state = state;
        this.active();
        if (state === 'running')
            this.#lastHeartbeat = this.#lastActivity;
        else if (state !== 'stopping')
            this.#lastHeartbeat = undefined;
        this.#options.onSnapshot(this.snapshot());
    }
    snapshot() {
        const { clock } = this.#options;
        return {
            t: new Date(clock.now()).toISOString(),
            status: this.#healthy ? 'healthy' : 'unhealthy',
            state: this.#state,
            lastActivity: new Date(this.#lastActivity.now).toISOString(),
            rssBytes: process.memoryUsage.rss(),
        };
    }
    async listen({ port, address }) {
        const { metrics } = this.#options;
        const pages = new Map([['/healthz', () => this.#healthz()]]);
        if (metrics !== undefined)
            pages.set('/metrics', () => this.#metrics(metrics));
        this.#server = await serveHttp({ port, address }, pages);
        this.#timer = setInterval(() => this.#options.onSnapshot(this.snapshot()), SNAPSHOT_MS).unref();
        return `http://${hostOf(address)}:${this.#server.port}/healthz`;
    }
    close() {
        clearInterval(this.#timer);
        this.#server?.close();
    }
    get #healthy() {
        const { clock, thresholdMs } = this.#options;
        return (0,lib_clock/* passedSince */.Pd)(this.#lastActivity, clock).surely <= thresholdMs;
    }
    #healthz() {
        const { status, t, lastActivity } = this.snapshot();
        return jsonPage(status === 'healthy' ? 200 : 503, { status, currentTime: t, lastActivity });
    }
    async #metrics(metrics) {
        const { text, contentType } = await metrics.scrape(() => ({
            state: this.#state,
            healthy: this.#healthy,
            lastActivity: this.#lastActivity.now,
            lastHeartbeat: this.#lastHeartbeat?.steady,
        }));
        return { status: 200, contentType, body: text };
    }
}
function hostOf(address) {
    if (address === undefined || address === '0.0.0.0' || address === '::')
        return '127.0.0.1';
    return (0,external_node_net_.isIPv6)(address) ? `[${address}]` : address;
}

// EXTERNAL MODULE: external "node:diagnostics_channel"
var external_node_diagnostics_channel_ = __webpack_require__(3053);
;// CONCATENATED MODULE: ./lib/agent/health/request-watch.js

const PURPOSES = [
    [/\/api\/workflow\/jobs\/[^/]+\/heartbeat$/, undefined],
    [/\/api\/workflow\/jobs\/[^/]+\/\d+\/logs$/, 'log-lines'],
    [/\/api\/workflow\/jobs\/[^/]+\/\d+\/status$/, 'step-status'],
    [/\/api\/workflow\/jobs\/[^/]+$/, 'job-definition'],
    [/\/api\/deployments\/poll$/, 'poll'],
    [/\/api\/deployments\/[^/]+\/status$/, 'deployment-status'],
    [/\/api\/oauth\/token$/, 'token-exchange'],
    [/\/api\/agent-workflows\//, 'acknowledgement'],
    [/\/api\/background-activities\//, 'greeting'],
];
function pathOf({ path }) {
    return path.split('?', 1).join();
}
function purposeOf(path) {
    const match = PURPOSES.find(([pattern]) => pattern.test(path));
    return match === undefined ? 'other' : match[1];
}
function onceSent(purpose, onSent) {
    const channel = 'undici:client:sendHeaders';
    const listener = (message) => {
        if (purposeOf(pathOf(message.request)) !== purpose)
            return;
        end();
        onSent();
    };
    const end = () => void (0,external_node_diagnostics_channel_.unsubscribe)(channel, listener);
    (0,external_node_diagnostics_channel_.subscribe)(channel, listener);
    return end;
}
function watchRequests(onSeen) {
    const begun = new WeakMap();
    const create = (message) => {
        const { request } = message;
        begun.set(request, { at: process.hrtime.bigint() });
    };
    const headers = (message) => {
        const { request, response } = message;
        const known = begun.get(request);
        if (known !== undefined && response !== undefined)
            known.status = response.statusCode;
    };
    const over = (message) => {
        const { request, error } = message;
        const known = begun.get(request);
        begun.delete(request);
        if (known === undefined || request.method === 'CONNECT')
            return;
        const path = pathOf(request);
        const purpose = purposeOf(path);
        if (purpose === undefined)
            return;
        const seconds = Number(process.hrtime.bigint() - known.at) / 1e9;
        const status = error === undefined ? known.status : undefined;
        const result = status === undefined ? 'no-answer' : `${Math.floor(status / 100)}xx`;
        const text = `${request.method} ${path}: ${status ?? 'no answer'} in ${Math.round(seconds * 1000)} ms`;
        onSeen({ purpose, result, seconds, text });
    };
    const channels = [
        ['undici:request:create', create],
        ['undici:request:headers', headers],
        ['undici:request:trailers', over],
        ['undici:request:error', over],
    ];
    for (const [name, listener] of channels)
        (0,external_node_diagnostics_channel_.subscribe)(name, listener);
    return () => {
        for (const [name, listener] of channels)
            (0,external_node_diagnostics_channel_.unsubscribe)(name, listener);
    };
}

// EXTERNAL MODULE: ./lib/agent/orphans.js
var orphans = __webpack_require__(1437);
;// CONCATENATED MODULE: ./lib/agent/prepuller.js

const REFRESH_MS = 60 * 60_000;
const RETRY_MS = 60_000;
class Prepuller {
    #options;
    #told = new Set();
    #dueAt = Number.NEGATIVE_INFINITY;
    #busy = false;
    #resting = false;
    constructor(options) {
        this.#options = options;
    }
    waiting() {
        this.#resting = false;
        const { images, clock, drain } = this.#options;
        if (images.length === 0 || this.#busy || drain.aborted || clock.steady() < this.#dueAt)
            return;
        this.#busy = true;
        void this.#round().finally(() => {
            this.#busy = false;
        });
    }
    rest() {
        this.#resting = true;
    }
    async #round() {
        const { images, policy, target, clock, drain, notice } = this.#options;
        let pause = REFRESH_MS;
        for (const image of images) {
            if (drain.aborted)
                return;
            if (this.#resting)
                return;
            try {
                const line = await target.prepull?.(image, policy, drain);
                if (line !== undefined)
                    notice('info', `Image ${line} is there for the next job.`);
            }
            catch (error) {
                if (drain.aborted || this.#resting)
                    return;
                pause = RETRY_MS;
                this.#trouble((0,lib_outcome/* messageOf */.bD)(error));
            }
        }
        this.#dueAt = clock.steady() + pause;
    }
    #trouble(message) {
        if (this.#told.has(message))
            return;
        this.#told.add(message);
        this.#options.notice('warning', `An image could not be pulled ahead; a job that wants it tries again. ${message}`);
    }
}

;// CONCATENATED MODULE: ./lib/agent/readiness.js



class Readiness {
    #options;
    #usable = false;
    constructor(options) {
        this.#options = options;
    }
    get usable() {
        return this.#usable;
    }
    async prove() {
        const { config, tokens, health, log, event, notice, drain } = this.#options;
        const allowed = tokens.get(drain).then(() => {
            const { method, expiresAt } = tokens;
            event({ type: 'authenticated', method, ...(expiresAt === undefined ? {} : { expiresAt }) });
        });
        const listening = health.listen({ port: config.httpServerPort, address: config.httpServerAddress }).then((url) => {
            log('info', `Health is served at ${url}.`);
            event({ type: 'health-listening', url });
        });
        const usable = (0,promises_.setImmediate)().then(() => this.#checkTarget());
        const results = await Promise.allSettled([listening, allowed, usable]);
        const failed = results.filter((result) => result.status === 'rejected').map((result) => result.reason);
        if (drain.aborted)
            throw new lib_outcome/* OutcomeError */.Rz('interrupted', 'The agent was asked to stop before it was ready.');
        for (const other of failed.slice(1))
            notice('warning', (0,lib_outcome/* messageOf */.bD)(other));
        if (failed.length > 0)
            throw failed[0];
    }
    async proveTarget() {
        try {
            await this.#checkTarget();
        }
        catch (error) {
            if (!this.#options.drain.aborted)
                throw error;
        }
    }
    async #checkTarget() {
        const { config, target, drain, log, event } = this.#options;
        this.#usable = false;
        if (config.image !== undefined)
            (0,container_settings/* containerSettings */.J)(config).policy?.check(config.image);
        const detail = await target.check(drain);
        this.#usable = true;
        log('info', detail);
        event({ type: 'target-ready', target: target.name, detail });
    }
}

;// CONCATENATED MODULE: ./lib/agent/run-end.js



function runEnd(ended, { claimedAt, ...known }, config, clock) {
    const page = (0,console_url/* consoleUrl */.B)(config.serviceUrl, config.organizationName);
    return {
        ...ended,
        exitCode: (0,lib_outcome/* exitCodeOf */.FO)(ended.outcome, config),
        serviceUrl: config.serviceUrl,
        ...(page === undefined ? {} : { consoleUrl: page }),
        ...known,
        ...(claimedAt === undefined ? {} : { claimedAt: new Date(claimedAt.now).toISOString() }),
        runSeconds: claimedAt === undefined ? 0 : (0,lib_clock/* passedSince */.Pd)(claimedAt, clock).surely / 1000,
        forwarded: [...(ended.forwarded ?? [])],
        steps: [...(ended.steps ?? [])],
    };
}

// EXTERNAL MODULE: ./lib/agent/run-failure.js
var run_failure = __webpack_require__(7512);
// EXTERNAL MODULE: ./lib/agent/run-record.js + 1 modules
var run_record = __webpack_require__(1395);
;// CONCATENATED MODULE: ./lib/agent/waiting.js

const JITTER = 0.1;
const SHORTEST_PAUSE_MS = 1_000;
async function waitForWork(options) {
    const { clock, drain, maxWaitMs = Number.POSITIVE_INFINITY, random } = options;
    const started = clock.steady();
    const never = new AbortController().signal;
    for (let polls = 1; !drain.aborted; polls += 1) {
        let result = {};
        let failure;
        try {
            result = await options.poll(never, drain);
            options.onAnswer();
        }
        catch (error) {
            if (drain.aborted)
                break;
            if (!(error instanceof errors/* CloudUnreachableError */.s8 || error instanceof errors/* CloudRefusedError */.GW))
                throw error;
            failure = error;
            options.onFailure(error);
            if (options.singleRun && options.broken())
                throw error;
        }
        if (result.claim !== undefined)
            return { claim: result.claim };
        const said = result.retryAfterMs ?? failure?.retryAfterMs;
        const asked = options.pollingIntervalOverride || said === undefined ? undefined : Math.max(said, SHORTEST_PAUSE_MS);
        const left = maxWaitMs - (clock.steady() - started);
        const wait = (asked ?? options.pollingIntervalMs) * (1 + JITTER * random());
        if (left <= 0 || (asked !== undefined && asked > left)) {
            if (failure !== undefined)
                throw failure;
            return { ended: 'no-work' };
        }
        const pause = Math.min(wait, left);
        options.onWait(polls, pause / 1000);
        await clock.sleep(pause, drain).catch(() => undefined);
    }
    return { ended: 'drained' };
}

;// CONCATENATED MODULE: ./lib/agent/agent.js















class Agent {
    #options;
    #health;
    #readiness;
    #orphans;
    #prepuller;
    #record;
    #pages;
    constructor(options) {
        this.#options = options;
        this.#record = this.#newRecord();
        this.#health = new Health({
            thresholdMs: options.config.healthThresholdMs,
            clock: options.clock,
            onSnapshot: (snapshot) => this.#record.health(snapshot),
            metrics: options.metrics,
        });
        this.#readiness = new Readiness({
            ...options,
            health: this.#health,
            event: (event) => this.#record.event(event),
            notice: this.#notice,
        });
        this.#orphans = new orphans/* OrphanSweep */.T7({
            target: options.target,
            host: options.owner.host,
            steady: () => options.clock.steady(),
            random: Math.random,
            onRemoved: (line) => this.#notice('info', `${line} The agent that it belonged to is dead.`),
            onFailure: (message, again) => options.log(again ? 'debug' : 'warning', `What dead agents left could not be looked for: ${message}`),
        });
        this.#prepuller = new Prepuller({
            ...options,
            images: options.config.prepullImages,
            policy: (0,container_settings/* containerSettings */.J)(options.config).policy,
            notice: this.#notice,
        });
    }
    async run() {
        const { config, drain, target } = this.#options;
        try {
            for (let outcome;;) {
                outcome = await this.#once(outcome);
                const ends = config.singleRun || drain.aborted || !this.#readiness.usable || ENDING.has(outcome);
                if (ends)
                    return (0,lib_outcome/* exitCodeOf */.FO)(outcome, config);
                this.#record = this.#newRecord();
            }
        }
        finally {
            await Promise.all([this.#orphans.end(), this.#options.keptRuns?.end()]);
            this.#health.close();
            await target.close();
        }
    }
    #newRecord() {
        const { version, owner, clock, redactor, metrics } = this.#options;
        return new run_record/* RunRecord */.d({
            version,
            owner,
            now: () => clock.now(),
            redact: (text) => redactor.text(text),
            onEvent: (event) => metrics.event(event),
        });
    }
    async #once(last) {
        const { config, version, owner, clock, log, runDirectory, drain } = this.#options;
        const started = clock.steady();
        const space = config.singleRun ? undefined : (0,fate/* processSpace */.S)();
        this.#record.event({ type: 'agent-started', version, owner, ...(space === undefined ? {} : { space }) });
        let end;
        try {
            if (config.singleRun)
                this.#record.open(runDirectory());
            if (last === undefined) {
                await this.#readiness.prove();
                this.#pages = await this.#options.beforeWaiting?.(this.#notice, this.#health);
            }
            else if (last === 'target-error')
                await this.#readiness.proveTarget();
            end = await this.#waitAndRun();
        }
        catch (error) {
            end = this.#end((0,run_failure/* runFailure */.A)(error), { waitSeconds: (clock.steady() - started) / 1000 });
        }
        if (config.singleRun && this.#readiness.usable && !drain.aborted)
            this.#orphans.start();
        if (config.singleRun)
            await this.#orphans.end();
        this.#health.become('stopped');
        log(end.exitCode === 0 ? 'info' : 'error', `${end.outcome}: ${await (0,run_failure/* explained */.t)(end)}`);
        this.#options.onRun?.(undefined);
        try {
            this.#record.close(end);
        }
        catch (error) {
            log('error', `Failed to write the result for the run: ${(0,lib_outcome/* messageOf */.bD)(error)}.`);
        }
        this.#options.keptRuns?.ended();
        return end.outcome;
    }
    async #waitAndRun() {
        const { config, clock, log, metrics, pool, http, drain } = this.#options;
        const started = clock.steady();
        this.#health.become('waiting');
        const unwatch = onceSent('poll', () => void this.#warmUp());
        const waited = await waitForWork({
            poll: (signal, noMoreTries) => metrics.timedPoll(() => pool.poll(signal, noMoreTries), noMoreTries),
            broken: () => http.broken,
            pollingIntervalMs: config.pollingIntervalMs,
            pollingIntervalOverride: config.pollingIntervalOverride,
            ...(config.maxWaitMs === undefined ? {} : { maxWaitMs: config.maxWaitMs }),
            singleRun: config.singleRun,
            clock,
            drain,
            onAnswer: () => this.#health.active(),
            onWait: (polls, nextPollSeconds) => {
                this.#record.event({ type: 'waiting', polls, nextPollSeconds });
                this.#orphans.waiting();
                this.#prepuller.waiting();
                if (polls === 1)
                    void pool.bootstrap(drain).catch((error) => log('debug', String(error)));
            },
            onFailure: (error) => this.#notice('warning', error.message),
            random: Math.random,
        }).finally(unwatch);
        this.#prepuller.rest();
        const waitSeconds = (clock.steady() - started) / 1000;
        if ('claim' in waited)
            return this.#runClaim(waited.claim, waitSeconds);
        if (waited.ended === 'no-work')
            return this.#end({ outcome: 'no-work', message: lib_outcome/* OUTCOMES */.im['no-work'].sentence }, { waitSeconds });
        const message = 'The agent was asked to stop while it waited; nothing had been claimed.';
        return this.#end({ outcome: config.singleRun ? 'interrupted' : 'no-work', message }, { waitSeconds });
    }
    async #warmUp() {
        await (0,promises_.setImmediate)();
        try {
            await Promise.all([Promise.all(/* import() */[__webpack_require__.e(219), __webpack_require__.e(334)]).then(__webpack_require__.bind(__webpack_require__, 2334)), __webpack_require__.e(/* import() */ 241).then(__webpack_require__.bind(__webpack_require__, 2241)), this.#options.target.warmUp?.()]);
            this.#options.redactor.prepare();
        }
        catch (error) {
            this.#options.log('debug', String(error));
        }
    }
    async #runClaim(claim, waitSeconds) {
        const { config, clock, runDirectory } = this.#options;
        const claimedAt = (0,lib_clock/* momentOf */.Et)(clock);
        try {
            if (!config.singleRun)
                this.#openRecord(runDirectory());
        }
        catch (error) {
            this.#notice('warning', (0,lib_outcome/* messageOf */.bD)(error));
        }
        const { deploymentId, runId, jobId } = claim;
        const page = this.#pages?.get(deploymentId);
        const known = { deploymentId, runId, jobId, waitSeconds, ...(page === undefined ? {} : { deploymentUrl: page }) };
        this.#options.onRun?.({ runId, jobId, deploymentId });
        this.#orphans.startSoon();
        this.#options.log('info', `Claimed deployment ${deploymentId} (job ${jobId}).`);
        const all = (0,console_url/* consoleUrl */.B)(config.serviceUrl, config.organizationName);
        this.#record.event({ type: 'claimed', ...known, ...(all === undefined ? {} : { consoleUrl: all }) });
        const { runClaim } = await Promise.all(/* import() */[__webpack_require__.e(219), __webpack_require__.e(334)]).then(__webpack_require__.bind(__webpack_require__, 2334));
        const end = await runClaim(claim, {
            ...this.#options,
            health: this.#health,
            record: this.#record,
            notice: (message) => this.#notice('warning', message),
        });
        this.#options.metrics.job({ ...end, seconds: (0,lib_clock/* passedSince */.Pd)(claimedAt, clock).surely / 1000 });
        return this.#end(end, { ...known, claimedAt });
    }
    #openRecord(directory) {
        this.#options.keptRuns?.began(directory);
        this.#record.open(directory);
    }
    #end(ended, facts) {
        return runEnd(ended, facts, this.#options.config, this.#options.clock);
    }
    #notice = (level, message) => {
        this.#options.log(level, message);
        this.#record.notice(level, message);
    };
}
const ENDING = new Set(['config-error', 'auth-error', 'no-work']);

// EXTERNAL MODULE: ./lib/agent/configuration.js
var configuration = __webpack_require__(9616);
// EXTERNAL MODULE: ./lib/agent/connect.js + 1 modules
var connect = __webpack_require__(6539);
// EXTERNAL MODULE: ./lib/agent/health/metric-table.js
var metric_table = __webpack_require__(1908);
;// CONCATENATED MODULE: ./lib/agent/health/metrics.js

const HELD_SAMPLES = 200;
class Metrics {
    #options;
    #held = [];
    #prometheus;
    #loading;
    #claimed;
    #log = { bytes: 0, sent: 0, undelivered: 0 };
    constructor(options) {
        this.#options = options;
    }
    request(purpose, result, seconds) {
        this.#sample((to) => {
            to.add('pulumi_runner_requests_total', 1, { purpose, result });
            to.observe('pulumi_runner_request_duration_seconds', seconds, { purpose });
        });
    }
    async timedPoll(poll, noMoreTries) {
        const asked = this.#options.steady();
        const over = (result) => {
            const seconds = (this.#options.steady() - asked) / 1000;
            this.#sample((to) => to.observe('pulumi_runner_poll_duration_seconds', seconds, { result }));
        };
        try {
            const result = await poll();
            over(result.claim === undefined ? 'nothing' : 'claim');
            return result;
        }
        catch (error) {
            if (!noMoreTries.aborted)
                over('failure');
            throw error;
        }
    }
    heartbeat(result) {
        this.#sample((to) => to.add('pulumi_runner_heartbeats_total', 1, { result }));
    }
    event(event) {
        if (event.type === 'claimed') {
            this.#claimed = this.#options.steady();
            this.#sample((to) => to.add('pulumi_runner_claims_total', 1));
        }
        else if (event.type === 'step-started' && event.index > 0 && this.#claimed !== undefined) {
            const seconds = (this.#options.steady() - this.#claimed) / 1000;
            this.#claimed = undefined;
            this.#sample((to) => to.observe('pulumi_runner_claim_to_first_step_seconds', seconds));
        }
        else if (event.type === 'step-finished') {
            const { status } = event;
            this.#sample((to) => to.add('pulumi_runner_steps_total', 1, { status }));
        }
    }
    job({ outcome, seconds }) {
        this.#claimed = undefined;
        this.#sample((to) => {
            to.add('pulumi_runner_jobs_total', 1, { outcome });
            to.observe('pulumi_runner_job_duration_seconds', seconds);
        });
    }
    log({ bytes = 0, sent = 0, undelivered = 0 }) {
        this.#log.bytes += bytes;
        this.#log.sent += sent;
        this.#log.undelivered += undelivered;
    }
    async scrape(readings) {
        const prometheus = await this.#loaded();
        const { bytes, sent, undelivered } = this.#log;
        this.#log = { bytes: 0, sent: 0, undelivered: 0 };
        prometheus.add('pulumi_runner_log_lines_total', sent, { result: 'sent' });
        prometheus.add('pulumi_runner_log_lines_total', undelivered, { result: 'undelivered' });
        prometheus.add('pulumi_runner_output_bytes_total', bytes);
        const { state, healthy, lastActivity, lastHeartbeat } = readings();
        const { steady, version } = this.#options;
        prometheus.set('pulumi_runner_build_info', 1, { version, node: process.version });
        for (const each of metric_table/* METRICS */.C.pulumi_runner_agent_state.labels.state)
            prometheus.set('pulumi_runner_agent_state', each === state ? 1 : 0, { state: each });
        prometheus.set('pulumi_runner_healthy', healthy ? 1 : 0);
        prometheus.set('pulumi_runner_last_activity_timestamp_seconds', lastActivity / 1000);
        const age = lastHeartbeat === undefined ? 0 : Math.max(0, steady() - lastHeartbeat) / 1000;
        prometheus.set('pulumi_runner_heartbeat_age_seconds', age);
        const { user, system } = process.cpuUsage();
        prometheus.setTotal('process_cpu_seconds_total', (user + system) / 1e6);
        prometheus.set('process_resident_memory_bytes', process.memoryUsage.rss());
        prometheus.set('process_start_time_seconds', (Date.now() - performance.now()) / 1000);
        return { text: await prometheus.text(), contentType: prometheus.contentType };
    }
    #sample(sample) {
        if (this.#prometheus !== undefined) {
            sample(this.#prometheus);
            return;
        }
        this.#held.push(sample);
        if (this.#held.length >= HELD_SAMPLES)
            void this.#loaded().catch(() => {
                this.#held = [];
            });
    }
    #loaded() {
        this.#loading ??= __webpack_require__.e(/* import() */ 469).then(__webpack_require__.bind(__webpack_require__, 6469)).then(({ Prometheus }) => {
            const prometheus = new Prometheus();
            for (const sample of this.#held.splice(0))
                sample(prometheus);
            this.#prometheus = prometheus;
            return prometheus;
        });
        return this.#loading;
    }
}

;// CONCATENATED MODULE: ./lib/agent/kept-runs.js

const END_MS = 5_000;
class KeptRuns {
    #options;
    #known = new Set();
    #round = Promise.resolve();
    #current;
    #stopped = false;
    #told = false;
    constructor(options) {
        this.#options = options;
    }
    began(directory) {
        this.#current = directory;
    }
    ended() {
        if (this.#current === undefined)
            return;
        this.#current = undefined;
        this.#round = this.#round.then(() => this.#prune());
    }
    async end() {
        const late = Promise.withResolvers();
        const timer = setTimeout(() => {
            this.#stopped = true;
            late.resolve();
        }, END_MS);
        await Promise.race([this.#round, late.promise]);
        clearTimeout(timer);
    }
    async #prune() {
        const { folder, kept, log } = this.#options;
        const onFailure = (reason) => {
            if (!this.#told)
                log('warning', reason);
            this.#told = true;
        };
        try {
            const { pruneRuns } = await __webpack_require__.e(/* import() */ 541).then(__webpack_require__.bind(__webpack_require__, 541));
            const removed = await pruneRuns({
                folder,
                kept,
                known: this.#known,
                current: () => this.#current,
                goesOn: (count) => !this.#stopped && (count === 0 || this.#current === undefined),
                onFailure,
            });
            if (removed > 0)
                log('info', `Removed the oldest run directories below ${folder}: ${removed}, as kept_runs is ${kept}.`);
        }
        catch (error) {
            onFailure(`Failed to look for old run directories below ${folder}: ${(0,lib_outcome/* messageOf */.bD)(error)}. Remove them yourself, or correct the folder's permissions.`);
        }
    }
}

// EXTERNAL MODULE: ./lib/agent/logging/agent-log.js + 2 modules
var agent_log = __webpack_require__(2704);
// EXTERNAL MODULE: ./lib/agent/logging/configured-log.js
var configured_log = __webpack_require__(8273);
// EXTERNAL MODULE: ./lib/agent/run-directories.js
var run_directories = __webpack_require__(877);
// EXTERNAL MODULE: ./lib/agent/signals.js
var agent_signals = __webpack_require__(4023);
// EXTERNAL MODULE: ./lib/agent/target-choice.js + 1 modules
var target_choice = __webpack_require__(3911);
// EXTERNAL MODULE: ./lib/agent/token-source.js + 1 modules
var token_source = __webpack_require__(3631);
;// CONCATENATED MODULE: ./lib/agent/run.js




















async function run({ command, environment, workingDirectory, agentDirectory, program, process, }) {
    const redactor = new log_redactor/* Redactor */.p();
    const redact = (text) => redactor.text(text);
    const clock = lib_clock/* systemClock */.ml;
    const owner = (0,record_owner/* ownOwner */.CR)();
    const hint = (key) => command.overrides[key] ?? environment[`PULUMI_AGENT_${key.toUpperCase()}`];
    const refusal = { owner, redact, directory: hint('run_directory'), json: hint('log_format')?.trim() === 'json' };
    let loaded;
    try {
        loaded = await (0,configuration/* loadAgentConfig */.k)(command, { environment, workingDirectory, agentDirectory });
    }
    catch (error) {
        return await refuse(error, refusal);
    }
    const { config, warnings, notices, file } = loaded;
    redactor.add((0,configuration/* secretsOf */.F)(config, environment));
    const directory = (0,run_directories/* runDirectories */.$N)(config, environment);
    let ids;
    let ownLog;
    try {
        ownLog = await (0,configured_log/* configuredLog */.H)(config, {
            file: config.singleRun ? (0,run_record/* agentLogPath */.r)(directory()) : undefined,
            redact,
            ids: () => ids,
            pid: owner.pid,
            path: environment['PATH'],
        });
    }
    catch (error) {
        return await refuse(error, { ...refusal, directory: config.singleRun ? directory() : undefined });
    }
    const { log } = ownLog;
    log('info', `pulumi-runner-agent ${version/* VERSION */.x}, ${file === undefined ? 'no configuration file' : `configured by ${file}`}.`);
    for (const warning of warnings)
        log('warning', warning);
    for (const notice of notices)
        log('info', notice);
    let connection;
    try {
        connection = await (0,connect/* connect */.N)(config, { environment, log, redactor });
    }
    catch (error) {
        await ownLog.close();
        return await refuse(error, { ...refusal, directory: config.singleRun ? directory() : undefined });
    }
    const { http, caBundle, close } = connection;
    const signals = new agent_signals/* Signals */.U(process, (signal, meaning) => log('warning', `${signal}: ${meaning}.`));
    const tokens = (0,token_source/* tokenSource */.Z)(config, http, redactor);
    const metrics = new Metrics({ version: version/* VERSION */.x, steady: () => clock.steady() });
    const endWatch = watchRequests(({ purpose, result, seconds, text }) => {
        metrics.request(purpose, result, seconds);
        log('debug', text);
    });
    const agent = new Agent({
        config,
        version: version/* VERSION */.x,
        metrics,
        owner,
        clock,
        log,
        redactor,
        http,
        tokens,
        pool: new PoolApi(http, tokens),
        target: await (0,target_choice/* targetFor */.x)(config, {
            environment,
            labels: command.labels,
            logger: log,
            onSecret: (secret) => redactor.add([secret]),
        }),
        environment,
        labels: command.labels,
        ...(caBundle === undefined ? {} : { caBundle }),
        runDirectory: directory,
        ...(!config.singleRun &&
            config.keptRuns !== undefined && {
            keptRuns: new KeptRuns({ folder: (0,run_directories/* runsFolder */.Xc)(config, environment), kept: config.keptRuns, log }),
        }),
        drain: signals.drain,
        heartbeats: { program },
        onStopSource: (stop) => signals.attach(stop),
        ...(config.trigger.length > 0 && {
            beforeWaiting: async (notice, health) => {
                const { triggerFirst } = await Promise.all(/* import() */[__webpack_require__.e(178), __webpack_require__.e(46)]).then(__webpack_require__.bind(__webpack_require__, 6046));
                return triggerFirst({ config, http, redactor, clock, signal: signals.drain, health }, notice);
            },
        }),
        onRun: (run) => {
            ids = run;
        },
    });
    try {
        const running = agent.run();
        if (command.drainOnStdinEnd === true)
            setImmediate(() => signals.watch(process.stdin));
        return await running;
    }
    finally {
        signals.close();
        await close();
        endWatch();
        await ownLog.close();
    }
}
async function refuse(error, { owner, redact, directory, json }) {
    if (!(error instanceof lib_outcome/* OutcomeError */.Rz))
        throw error;
    const record = new run_record/* RunRecord */.d({ version: version/* VERSION */.x, owner, now: () => Date.now(), redact });
    const open = (place) => (0,agent_log/* openAgentLog */.q)({
        ...(place === undefined ? {} : { file: (0,run_record/* agentLogPath */.r)(place) }),
        now: () => Date.now(),
        redact,
        format: json ? 'json' : 'text',
    });
    let log;
    try {
        log = open(directory);
        if (directory !== undefined)
            record.open(directory);
    }
    catch {
        log = open(undefined);
    }
    const exitCode = (0,lib_outcome/* exitCodeOf */.FO)(error.outcome);
    log('error', await (0,run_failure/* explained */.t)({ exitCode, message: error.message }));
    record.close({
        outcome: error.outcome,
        exitCode,
        message: error.message,
        waitSeconds: 0,
        runSeconds: 0,
        forwarded: [],
        steps: [],
    });
    return exitCode;
}


/***/ }),

/***/ 4023:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   U: () => (/* binding */ Signals)
/* harmony export */ });
const DRAINS = 'a running job is finished, nothing more is claimed';
class Signals {
    #drain = new AbortController();
    #process;
    #onSignal;
    #interrupt;
    #job;
    constructor(process, onSignal) {
        this.#process = process;
        this.#onSignal = onSignal;
        process.on('SIGINT', this.#onInterrupt);
        process.on('SIGTERM', this.#onDrain);
        process.on('SIGHUP', this.#onDrain);
    }
    get drain() {
        return this.#drain.signal;
    }
    attach(job) {
        this.#job = job;
        this.#pass();
    }
    watch(stream) {
        const onEnd = () => this.#drainAt('The end of standard input');
        for (const event of ['end', 'close', 'error'])
            stream.once(event, onEnd);
        stream.resume();
    }
    close() {
        this.#process.removeListener('SIGINT', this.#onInterrupt);
        this.#process.removeListener('SIGTERM', this.#onDrain);
        this.#process.removeListener('SIGHUP', this.#onDrain);
    }
    #onInterrupt = (signal) => {
        this.#onSignal(signal, 'a running step is interrupted, nothing more is claimed');
        this.#interrupt ??= signal;
        this.#drain.abort();
        this.#pass();
    };
    #onDrain = (signal) => {
        if (this.#drain.signal.aborted) {
            this.#onInterrupt(signal);
            return;
        }
        this.#drainAt(signal);
    };
    #drainAt(cause) {
        if (this.#drain.signal.aborted)
            return;
        this.#onSignal(cause, DRAINS);
        this.#drain.abort();
    }
    #pass() {
        if (this.#interrupt !== undefined) {
            this.#job?.request({ by: 'signal', reason: `the agent was interrupted by ${this.#interrupt}` });
        }
    }
}


/***/ }),

/***/ 8202:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   _: () => (/* binding */ AuthorizedHttp)
/* harmony export */ });
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2871);
/* harmony import */ var _refusal_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(8974);


class AuthorizedHttp {
    #http;
    #tokens;
    #caller;
    constructor(http, tokens, caller) {
        this.#http = http;
        this.#tokens = tokens;
        this.#caller = caller;
    }
    call(call) {
        return this.#carried(call, 'call');
    }
    once(call) {
        return this.#carried(call, 'once');
    }
    async #carried(call, how) {
        const signal = call.noMoreTries === undefined ? call.signal : AbortSignal.any([call.signal, call.noMoreTries]);
        const token = await this.#tokens.get(signal);
        const answer = await this.#http[how]({ ...call, token });
        if (answer.status !== 401)
            return answer;
        const again = await this.#http[how]({ ...call, token: await this.#tokens.renew(token, signal) });
        if (again.status !== 401)
            return again;
        const { whom, check } = this.#caller;
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .AuthError */ .lR(`Failed to ${call.purpose} for ${whom}: ${(0,_refusal_js__WEBPACK_IMPORTED_MODULE_1__/* .refusal */ .x)(again)}, twice. Check ${check}.`);
    }
}


/***/ }),

/***/ 1583:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   B: () => (/* binding */ consoleUrl),
/* harmony export */   P: () => (/* binding */ deploymentUrl)
/* harmony export */ });
function consoleUrl(serviceUrl, organization) {
    return organization === undefined ? undefined : page(serviceUrl, [organization]);
}
function deploymentUrl(serviceUrl, stack, known) {
    const { version, consoleUrl: named = '' } = known;
    if (/^https?:\/\/\S+$/.test(named) && URL.canParse(named))
        return named;
    return version === undefined
        ? undefined
        : page(serviceUrl, [stack.organization, stack.project, stack.stack], String(version));
}
function page(serviceUrl, owner, ...further) {
    const { hostname } = new URL(serviceUrl);
    if (!hostname.startsWith('api.'))
        return undefined;
    const path = [...owner.map(encodeURIComponent), 'deployments', ...further].join('/');
    return `https://app.${hostname.slice('api.'.length)}/${path}`;
}


/***/ }),

/***/ 8603:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   a: () => (/* binding */ RUN_FILES)
/* harmony export */ });
const RUN_FILES = {
    log: 'agent.log',
    events: 'events.ndjson',
    health: 'health.ndjson',
    steps: 'steps',
    result: 'run.json',
};


/***/ })

};
