export const id = 632;
export const ids = [632];
export const modules = {

/***/ 8991:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   C: () => (/* binding */ METRICS),
/* harmony export */   a: () => (/* binding */ metricOf)
/* harmony export */ });
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3259);

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

/***/ 6454:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   b: () => (/* binding */ jobSettings)
/* harmony export */ });
/* harmony import */ var _container_settings_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2002);

function jobSettings({ config, environment, caBundle }) {
    return {
        serviceUrl: config.serviceUrl,
        ...(config.image === undefined ? {} : { image: config.image }),
        pullImage: config.pullImage,
        container: (0,_container_settings_js__WEBPACK_IMPORTED_MODULE_0__/* .containerSettings */ .J)(config),
        allowlist: config.envForwardAllowlist,
        graceMs: config.cancelGracePeriodMs,
        reportTimeoutMs: config.reportTimeoutMs,
        host: environment,
        ...(caBundle === undefined ? {} : { caBundle }),
    };
}


/***/ }),

/***/ 928:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   H: () => (/* binding */ configuredLog)
/* harmony export */ });
/* harmony import */ var _agent_log_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8901);

async function configuredLog(config, sources) {
    const { file, redact, ids, pid, path } = sources;
    const common = {
        ...(file === undefined ? {} : { file }),
        now: () => Date.now(),
        redact,
        level: config.logLevel,
        format: config.logFormat,
        ids,
    };
    if (!config.syslog)
        return (0,_agent_log_js__WEBPACK_IMPORTED_MODULE_0__/* .openAgentLog */ .q)(common);
    const { Syslog } = await __webpack_require__.e(/* import() */ 46).then(__webpack_require__.bind(__webpack_require__, 5046));
    const stderr = (0,_agent_log_js__WEBPACK_IMPORTED_MODULE_0__/* .openAgentLog */ .q)({ now: common.now, redact: (text) => text, level: 'debug' });
    const syslog = await Syslog.open({
        socket: config.syslogSocket,
        ...(config.syslogFormat === undefined ? {} : { format: config.syslogFormat }),
        pid,
        path,
        onTrouble: (message) => {
            own.log('warning', message);
            stderr.log('warning', redact(message));
        },
        onUndelivered: stderr.log,
    });
    const own = (0,_agent_log_js__WEBPACK_IMPORTED_MODULE_0__/* .openAgentLog */ .q)({ ...common, syslog: (level, text) => syslog.write(level, text) });
    return {
        log: own.log,
        close: async () => {
            await syslog.close();
            await Promise.all([own.close(), stderr.close()]);
        },
    };
}


/***/ }),

/***/ 5502:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   AU: () => (/* binding */ sweepOrphans),
/* harmony export */   BY: () => (/* binding */ ORPHAN_GRACE_MS),
/* harmony export */   T7: () => (/* binding */ OrphanSweep)
/* harmony export */ });
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3259);
/* harmony import */ var _record_fate_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(3903);
/* harmony import */ var _labels_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(3850);



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
        const { target, steady, random, onRemoved, outage } = this.#options;
        this.#dueAt = Number.POSITIVE_INFINITY;
        try {
            for (const line of await sweep())
                onRemoved(line);
            outage.over();
        }
        catch (cause) {
            const message = `What dead agents left could not be looked for: ${(0,_outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .messageOf */ .bD)(cause)}`;
            if (!this.#stop.signal.aborted)
                outage.failed(new Error(message, { cause }));
        }
        if (target.sweepAbandoned !== undefined)
            this.#dueAt = steady() + LOOK_AGAIN_MS * (0.75 + random() / 2);
    }
}


/***/ }),

/***/ 3806:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $: () => (/* binding */ placeOf),
/* harmony export */   t: () => (/* binding */ targetAt)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var node_os__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(8161);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(6760);
/* harmony import */ var _target_target_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(1568);




async function placeOf({ deployTarget, kubeconfig, kubeContext, namespace }, environment) {
    if (deployTarget !== 'kubernetes')
        return { target: 'docker' };
    try {
        const file = kubeconfig ?? kubeconfigOf(environment);
        const { Cluster } = await __webpack_require__.e(/* import() */ 273).then(__webpack_require__.bind(__webpack_require__, 7273));
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
        const { createDockerTarget } = await Promise.resolve(/* import() */).then(__webpack_require__.bind(__webpack_require__, 9549));
        return createDockerTarget(sources);
    }
    const { kubeconfig, context, namespace } = place;
    const settings = { ...(kubeconfig === undefined ? {} : { kubeconfig }), context, namespace };
    await requireSame(place, settings);
    const { createKubernetesTarget } = await __webpack_require__.e(/* import() */ 609).then(__webpack_require__.bind(__webpack_require__, 1609));
    const { clusterProxy } = await __webpack_require__.e(/* import() */ 350).then(__webpack_require__.bind(__webpack_require__, 3350));
    return createKubernetesTarget({ ...settings, findProxy: clusterProxy(sources), startTimeoutMs: 0, graceMs: 0 });
}
async function requireSame({ server }, settings) {
    const { Cluster } = await __webpack_require__.e(/* import() */ 273).then(__webpack_require__.bind(__webpack_require__, 7273));
    const now = bare(await new Cluster(settings).server());
    if (now === server)
        return;
    const { kubeconfig = 'the kubeconfig', context, namespace } = settings;
    throw new _target_target_js__WEBPACK_IMPORTED_MODULE_3__/* .TargetUnavailableError */ .qc(`Failed to find the cluster for jobs in ${kubeconfig}: its context "${context}" leads to ${now} now, and the run's pods are at ${server}. Look there: kubectl get pods -n ${namespace} -l app.kubernetes.io/managed-by=pulumi-runner-agent.`);
}


/***/ }),

/***/ 6066:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  d: () => (/* binding */ RunRecord),
  r: () => (/* binding */ agentLogPath)
});

// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(3259);
// EXTERNAL MODULE: ./lib/record/files.js
var files = __webpack_require__(4810);
// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: ./lib/record/appended-file.js
var appended_file = __webpack_require__(9963);
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
        this.#events = new appended_file/* AppendedFile */.S((0,external_node_fs_.openSync)((0,external_node_path_.join)(directory, files/* RUN_FILES */.a.events), 'a', 0o600));
        this.#health = new appended_file/* AppendedFile */.S((0,external_node_fs_.openSync)((0,external_node_path_.join)(directory, files/* RUN_FILES */.a.health), 'a', 0o600));
    }
    time() {
        return new Date(this.#now()).toISOString();
    }
    event(event) {
        this.#events.append(`${this.#line({ t: this.time(), ...event })}\n`);
    }
    health(snapshot) {
        this.#health.append(`${this.#line(snapshot)}\n`);
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
        this.#events.close();
        this.#health.close();
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
const KEPT_NOTICES = 100;
class RunRecord {
    #options;
    #startedAt;
    #notices = [];
    #unkept = 0;
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
            this.#keep(message);
        this.event({ type: 'notice', level, message });
    }
    #keep(warning) {
        if (this.#notices.length < KEPT_NOTICES)
            this.#notices.push(warning);
        else
            this.#unkept += 1;
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
                notices: this.#unkept === 0 ? this.#notices : [...this.#notices, unkept(this.#unkept)],
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
            this.#keep(`Failed to write an event for the run: ${reason}. Some events are missing.`);
        }
    }
}
function unkept(count) {
    return count === 1 ? "One more warning is in the agent's log." : `${count} more warnings are in the agent's log.`;
}
function agentLogPath(directory) {
    return (0,external_node_path_.join)(directory, files/* RUN_FILES */.a.log);
}


/***/ }),

/***/ 3632:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  run: () => (/* binding */ run)
});

// EXTERNAL MODULE: ./lib/clock.js
var lib_clock = __webpack_require__(5233);
// EXTERNAL MODULE: ./lib/cloud/authorized-http.js
var authorized_http = __webpack_require__(1933);
// EXTERNAL MODULE: ./lib/cloud/errors.js
var errors = __webpack_require__(2398);
// EXTERNAL MODULE: ./lib/cloud/exchange-answer.js
var exchange_answer = __webpack_require__(9155);
// EXTERNAL MODULE: ./lib/cloud/refusal.js
var refusal = __webpack_require__(9969);
// EXTERNAL MODULE: ./lib/cloud/wire.js
var wire = __webpack_require__(9220);
;// CONCATENATED MODULE: ./lib/cloud/deployments.js





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
        const claim = wire/* claimSchema */.qy.safeParse(answer.json, exchange_answer/* SELDOM */.$);
        if (!claim.success) {
            const reason = answer.json === undefined ? 'not JSON' : (0,wire/* complaints */.ZL)(claim.error);
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
        return this.#state({ method: 'GET', path, purpose: "read the deployment's status", signal });
    }
    async check(deploymentId, signal) {
        const path = `/api/agent-workflows/deployment:${encodeURIComponent(deploymentId)}/check`;
        return this.#state({ method: 'POST', path, purpose: "read the deployment's status", body: {}, signal });
    }
    async #state(call) {
        const answer = await this.#http.once(call);
        if (answer.status < 300)
            return statusText(answer);
        const sentence = `Failed to ${call.purpose} for the pool: ${(0,refusal/* refusal */.x)(answer)}. The job goes on.`;
        throw new errors/* CloudRefusedError */.GW(answer.status, sentence, { retryAfterMs: answer.retryAfterMs });
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

// EXTERNAL MODULE: ./lib/log/redactor.js + 1 modules
var log_redactor = __webpack_require__(1591);
// EXTERNAL MODULE: ./lib/outcome.js
var lib_outcome = __webpack_require__(3259);
// EXTERNAL MODULE: ./lib/record/owner.js
var record_owner = __webpack_require__(1218);
// EXTERNAL MODULE: ./lib/version.js
var version = __webpack_require__(3411);
;// CONCATENATED MODULE: ./lib/cloud/console-url.js
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

// EXTERNAL MODULE: ./lib/cloud/outage.js
var cloud_outage = __webpack_require__(5298);
// EXTERNAL MODULE: ./lib/record/fate.js
var fate = __webpack_require__(3903);
;// CONCATENATED MODULE: ./lib/cloud/absence.js
const PROOF_MS = 60_000;
class Absence {
    #clock;
    #onProven;
    #since;
    #isProven = false;
    constructor(clock, onProven) {
        this.#clock = clock;
        this.#onProven = onProven;
    }
    note(status) {
        if (status !== 404 && status !== 410) {
            this.#since = undefined;
            return;
        }
        this.#since ??= this.#clock.steady();
        if (this.#isProven || this.#clock.steady() - this.#since < PROOF_MS)
            return;
        this.#isProven = true;
        this.#onProven();
    }
}

;// CONCATENATED MODULE: ./lib/cloud/jobs.js



const NOT_FOR_THIS_TOKEN = new Set([401, 403, 404]);
const AGAIN = 'It is sent again';
class JobApi {
    #http;
    #claim;
    #poolToken;
    #absence;
    #usesPool = false;
    #isSettled = false;
    #withoutContentType = false;
    constructor(http, claim, poolToken, absence) {
        this.#http = http;
        this.#claim = claim;
        this.#poolToken = poolToken;
        this.#absence = absence;
    }
    async definition(signal) {
        const purpose = 'read the job definition';
        const answer = await this.#call({ method: 'GET', path: '', purpose, needsJson: true, signal }, 'It is asked for again');
        if (answer.json === undefined) {
            throw new errors/* CloudUnreachableError */.s8(`Failed to ${purpose} for job ${this.#claim.jobId}: the answer is not JSON.`);
        }
        return (0,wire/* parseJobDefinition */.yL)(answer.json, this.#claim.jobId);
    }
    async stepStatus(index, status, signal) {
        const purpose = `report step ${index} as ${status}`;
        await this.#call({ method: 'PATCH', path: `/${index}/status`, purpose, body: { status }, signal }, AGAIN);
    }
    async logs(index, body, signal) {
        const purpose = `send log lines of step ${index}`;
        const call = { method: 'POST', path: `/${index}/logs`, purpose, body, signal };
        try {
            await this.#call({ ...call, withoutContentType: this.#withoutContentType }, AGAIN);
        }
        catch (error) {
            const status = (0,errors/* refusedStatus */.PH)(error);
            if (status === 413 || status === 400)
                return 'too-large';
            if (status !== 415 || this.#withoutContentType)
                throw error;
            this.#withoutContentType = true;
            return this.logs(index, body, signal);
        }
        return 'accepted';
    }
    async heartbeat(signal) {
        const call = { method: 'POST', path: '/heartbeat', purpose: 'send a heartbeat', body: {}, signal };
        await this.#call(call, 'The job is stopped if none is accepted for 8 minutes');
    }
    async #call(call, then) {
        const answer = await this.#answer(call).catch((error) => {
            if (!call.signal.aborted)
                this.#absence.note((0,errors/* refusedStatus */.PH)(error));
            throw error;
        });
        this.#absence.note(answer.status);
        if (answer.status < 300)
            return answer;
        const sentence = `Failed to ${call.purpose} for job ${this.#claim.jobId}: ${(0,refusal/* refusal */.x)(answer)}. ${then}.`;
        throw new errors/* CloudRefusedError */.GW(answer.status, sentence, { retryAfterMs: answer.retryAfterMs });
    }
    async #answer(call) {
        const path = `/api/workflow/jobs/${encodeURIComponent(this.#claim.jobId)}${call.path}`;
        const usedPool = this.#usesPool;
        const token = usedPool ? await this.#poolToken(call.signal) : this.#claim.jobToken;
        const answer = await this.#http.once({ ...call, path, token });
        if (answer.status !== 401) {
            this.#isSettled = true;
            return answer;
        }
        if (usedPool) {
            const renewed = await this.#poolToken(call.signal, token);
            return renewed === token ? answer : this.#http.once({ ...call, path, token: renewed });
        }
        if (this.#isSettled && !this.#usesPool)
            return answer;
        const other = await this.#http.once({ ...call, path, token: await this.#poolToken(call.signal) });
        if (NOT_FOR_THIS_TOKEN.has(other.status))
            return answer;
        this.#usesPool = true;
        this.#isSettled = true;
        return other;
    }
}

// EXTERNAL MODULE: ./lib/cloud/token.js
var token = __webpack_require__(1204);
;// CONCATENATED MODULE: ./lib/job/cancellation.js


const CONFIRM_MS = 1_000;
const ENDED = new Set(['failed', 'skipped', 'cancelled', 'canceled']);
const NOT_SERVED = new Set([404, 405, 500, 501]);
const NOT_SERVED_TIMES = 3;
class Cancellation {
    #options;
    #call = 'state';
    #wasRunning = false;
    #seen = 0;
    #notServed = 0;
    #notServedSince;
    constructor(options) {
        this.#options = options;
    }
    async seen(signal) {
        const { intervalMs, clock } = this.#options;
        while (this.#seen < 2) {
            await clock.sleep(this.#seen > 0 ? Math.min(CONFIRM_MS, intervalMs) : intervalMs, signal).catch(() => undefined);
            if (signal.aborted)
                return false;
            await this.#look(signal);
        }
        return true;
    }
    async #look(signal) {
        const { pool, deploymentId, onAnswer, outage } = this.#options;
        try {
            const state = await pool[this.#call](deploymentId, signal);
            onAnswer(200);
            outage.over();
            this.#notServed = 0;
            if (state !== undefined)
                this.#judge(state);
        }
        catch (error) {
            if (signal.aborted)
                return;
            const status = (0,errors/* refusedStatus */.PH)(error);
            onAnswer(status);
            this.#fail(error, status);
        }
    }
    #judge(state) {
        if (state === 'running')
            this.#wasRunning = true;
        const isTakenAway = this.#call === 'check' && state === 'not-started' && this.#wasRunning;
        this.#seen = ENDED.has(state) || isTakenAway ? this.#seen + 1 : 0;
    }
    #fail(error, status) {
        const { clock, heartbeatSince, onFallback, outage } = this.#options;
        if (this.#call === 'check' || status === undefined || !NOT_SERVED.has(status)) {
            this.#notServed = 0;
            outage.failed(error);
            return;
        }
        if (this.#notServed === 0)
            this.#notServedSince = (0,lib_clock/* momentOf */.Et)(clock);
        this.#notServed += 1;
        const since = this.#notServedSince;
        if (this.#notServed < NOT_SERVED_TIMES || since === undefined || !heartbeatSince(since))
            return;
        this.#call = 'check';
        onFallback();
    }
}

// EXTERNAL MODULE: ./lib/job/job.js + 20 modules
var job = __webpack_require__(7025);
;// CONCATENATED MODULE: ./lib/job/lease.js

const OVER_MS = 10 * 60_000;
const FENCE_MS = OVER_MS - 2 * 60_000;
const INTERVAL_MS = 30_000;
const RETRY_MS = 5_000;
const LOOK_MS = 5_000;
const DOUBT = 1 / 8;
const LEAST_MS = 60_000;
class Lease {
    #options;
    #ended = new AbortController();
    #over = new AbortController();
    #lastAccepted;
    #loops;
    constructor(options) {
        const { intervalMs = INTERVAL_MS, retryMs = RETRY_MS, fenceMs = FENCE_MS, overMs = OVER_MS } = options;
        this.#options = { ...options, intervalMs, retryMs, fenceMs, overMs };
        this.#lastAccepted = (0,lib_clock/* momentOf */.Et)(options.clock);
    }
    get lastAccepted() {
        return this.#lastAccepted;
    }
    get leftMs() {
        const { clock, fenceMs } = this.#options;
        return fenceMs - (0,lib_clock/* passedSince */.Pd)(this.#lastAccepted, clock).surely;
    }
    get over() {
        return this.#over.signal;
    }
    start() {
        this.#loops ??= Promise.all([this.#beat(), this.#watch()]);
    }
    async stop() {
        this.#ended.abort();
        await this.#loops;
    }
    async #beat() {
        const { beat, clock, onAccepted, onFailure, intervalMs, retryMs } = this.#options;
        const { signal } = this.#ended;
        while (!signal.aborted) {
            const asked = (0,lib_clock/* momentOf */.Et)(clock);
            let next = [asked, intervalMs];
            try {
                await beat(signal);
                this.#lastAccepted = asked;
                onAccepted();
            }
            catch (error) {
                if (signal.aborted)
                    return;
                onFailure(error);
                next = [(0,lib_clock/* momentOf */.Et)(clock), Math.min(intervalMs, retryMs)];
            }
            await this.#until(...next);
        }
    }
    async #until(since, ms) {
        const { clock } = this.#options;
        const { signal } = this.#ended;
        while (!signal.aborted) {
            const left = ms - (0,lib_clock/* passedSince */.Pd)(since, clock).perhaps;
            if (left <= 0)
                return;
            await clock.sleep(Math.min(left, LOOK_MS), signal).catch(() => undefined);
        }
    }
    async #watch() {
        const { clock, overMs, onLost } = this.#options;
        const { signal } = this.#ended;
        await this.#fence();
        if (signal.aborted)
            return;
        const passed = (0,lib_clock/* passedSince */.Pd)(this.#lastAccepted, clock);
        onLost(passed, clock.steady() + Math.max(overMs - passed.perhaps, LEAST_MS));
        while (!signal.aborted) {
            const left = overMs - (0,lib_clock/* passedSince */.Pd)(this.#lastAccepted, clock).surely;
            if (left <= 0) {
                this.#over.abort();
                return;
            }
            await clock.sleep(Math.min(left, LOOK_MS), signal).catch(() => undefined);
        }
    }
    async #fence() {
        const { clock, fenceMs } = this.#options;
        const { signal } = this.#ended;
        for (let doubted; !signal.aborted;) {
            const passed = (0,lib_clock/* passedSince */.Pd)(this.#lastAccepted, clock);
            doubted = passed.perhaps < fenceMs * (1 - DOUBT) ? undefined : (doubted ?? (0,lib_clock/* momentOf */.Et)(clock));
            const answer = doubted === undefined ? fenceMs : fenceMs * DOUBT - (0,lib_clock/* passedSince */.Pd)(doubted, clock).surely;
            const left = Math.min(fenceMs - passed.surely, answer);
            if (left <= 0)
                return;
            await clock.sleep(Math.min(left, LOOK_MS), signal).catch(() => undefined);
        }
    }
}

// EXTERNAL MODULE: ./lib/job/stop.js
var job_stop = __webpack_require__(3531);
// EXTERNAL MODULE: ./lib/agent/job-settings.js
var job_settings = __webpack_require__(6454);
// EXTERNAL MODULE: ./lib/agent/labels.js
var labels = __webpack_require__(3850);
// EXTERNAL MODULE: ./lib/agent/place.js
var place = __webpack_require__(3806);
// EXTERNAL MODULE: external "node:v8"
var external_node_v8_ = __webpack_require__(8877);
;// CONCATENATED MODULE: ./lib/agent/small-heap.js

function keepHeapSmall() {
    (0,external_node_v8_.setFlagsFromString)('--semi-space-growth-factor=1');
    (0,external_node_v8_.setFlagsFromString)('--heap-growing-percent=25');
}

;// CONCATENATED MODULE: ./lib/agent/claimed-run.js













async function runClaim(claim, options) {
    const { clock, log, notice, secrets, tokens, pool, record, health } = options;
    keepHeapSmall();
    secrets.add([claim.jobToken]);
    health.become('running');
    const say = (level, message) => (level === 'warning' ? notice(message) : log(level, message));
    const stop = new job_stop/* StopSource */.G();
    stop.signal.addEventListener('abort', () => tellStop(stop, options), { once: true });
    options.onStopSource(stop);
    const gone = new AbortController();
    const absence = new Absence(clock, () => {
        gone.abort();
        stop.request({ by: 'cloud', reason: 'Pulumi Cloud no longer knows the job' });
    });
    const api = new JobApi(options.http, claim, (signal, refused) => (0,token/* currentToken */.n)(tokens, signal, refused), absence);
    const lease = leaseOf(api, stop, say, options);
    const watchdog = options.watchdog?.(() => lease.leftMs);
    const heartbeatSince = ({ steady }) => lease.lastAccepted.steady > steady;
    const told = new AbortController();
    let areStepsRunning = true;
    const cancellation = new Cancellation({
        pool,
        deploymentId: claim.deploymentId,
        intervalMs: options.config.jobStatusLoopIntervalMs,
        clock,
        heartbeatSince,
        onAnswer: (status) => {
            absence.note(status);
            if (status === 200)
                health.active();
        },
        onFallback: () => log('info', "Pulumi Cloud does not serve the deployment's status: check is asked instead, as by Pulumi's agent."),
        outage: new cloud_outage/* Outage */.a({ what: "Reading the deployment's status", say, clock }),
    });
    let hasEnded = false;
    const watch = cancellation.seen(told.signal).then((isCancelled) => {
        hasEnded = isCancelled;
        if (isCancelled && areStepsRunning)
            stop.request({ by: 'cloud', reason: 'the deployment was cancelled in Pulumi Cloud' });
    });
    lease.start();
    void pool.acknowledge(claim, told.signal).catch((error) => {
        if (!told.signal.aborted)
            say('warning', (0,lib_outcome/* messageOf */.bD)(error));
    });
    const placed = (0,place/* placeOf */.$)(options.config, options.environment).then((place) => {
        if (place !== undefined)
            record.event({ type: 'place', place });
    });
    const end = await (0,job/* runJob */.b)({
        ...(0,job_settings/* jobSettings */.b)(options),
        claim,
        api,
        target: options.target,
        stop,
        clock,
        redactor: options.redactor,
        secrets,
        labels: {
            ...options.labels,
            ...(0,labels/* ownLabels */.ct)(options.owner),
            'pulumi-runner.run': claim.runId,
            'pulumi-runner.job': claim.jobId,
        },
        stepLog: (index, name) => record.stepLog(index, name),
        event: (event) => record.event(event),
        onLog: (figures) => health.log(figures),
        over: AbortSignal.any([gone.signal, lease.over, stop.reportsAbandoned]),
        heartbeatSince,
        hasEnded: () => hasEnded,
        say,
        onStepsEnded: () => {
            areStepsRunning = false;
        },
    });
    told.abort();
    await Promise.all([lease.stop(), watch, placed, watchdog?.stop()]);
    return end;
}
function leaseOf(api, stop, say, { clock, health, heartbeats }) {
    const outage = new cloud_outage/* Outage */.a({ what: 'Sending heartbeats', say, clock });
    return new Lease({
        ...heartbeats,
        clock,
        beat: (signal) => api.heartbeat(signal),
        onAccepted: () => {
            health.heartbeat('accepted');
            outage.over();
        },
        onFailure: (error) => {
            health.heartbeat('failed');
            outage.failed(error);
        },
        onLost: (passed, endBy) => stop.request({ by: 'lease', reason: lossOf(passed), endBy }),
    });
}
function lossOf({ surely, perhaps }) {
    const minutes = Math.round((perhaps - surely) / 60_000);
    if (minutes === 0)
        return 'no heartbeat was accepted for 8 minutes, and Pulumi Cloud gives a run up after 10';
    return `this machine was suspended, or its clock set forward, by about ${minutes} min, and no heartbeat has been accepted since; Pulumi Cloud gives a run up after 10 minutes without one`;
}
function tellStop({ stop }, { health, log, record }) {
    if (stop === undefined)
        return;
    health.become('stopping');
    log('warning', `Stopping: ${stop.reason}.`);
    record.event({ type: 'stopping', by: stop.by, reason: stop.reason });
}

// EXTERNAL MODULE: ./lib/agent/container-settings.js
var container_settings = __webpack_require__(2002);
;// CONCATENATED MODULE: ./lib/agent/greeting.js
async function greet({ pool, drain, outage }) {
    try {
        await pool.bootstrap(drain);
        outage.over();
    }
    catch (error) {
        if (!drain.aborted)
            outage.failed(error);
    }
}

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
        const pages = new Map([
            ['/livez', () => jsonPage(200, { status: 'alive' })],
            ['/healthz', () => this.#healthz()],
        ]);
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

// EXTERNAL MODULE: ./lib/agent/orphans.js
var orphans = __webpack_require__(5502);
;// CONCATENATED MODULE: ./lib/agent/prepuller.js


const REFRESH_MS = 60 * 60_000;
const prepuller_RETRY_MS = 60_000;
class Prepuller {
    #options;
    #outages;
    #dueAt = Number.NEGATIVE_INFINITY;
    #busy = false;
    #resting = false;
    constructor(options) {
        this.#options = options;
        const outage = (image) => new cloud_outage/* Outage */.a({ ...options, what: `Pulling ${image} ahead` });
        this.#outages = new Map(options.images.map((image) => [image, outage(image)]));
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
        const { images, policy, target, clock, drain, say } = this.#options;
        let pause = REFRESH_MS;
        for (const image of images) {
            if (drain.aborted)
                return;
            if (this.#resting)
                return;
            try {
                const line = await target.prepull?.(image, policy, drain);
                this.#outages.get(image)?.over();
                if (line !== undefined)
                    say('info', `Image ${line} is there for the next job.`);
            }
            catch (error) {
                if (drain.aborted || this.#resting)
                    return;
                pause = prepuller_RETRY_MS;
                const advice = 'An image could not be pulled ahead; a job that wants it tries again.';
                this.#outages.get(image)?.failed(new Error(`${advice} ${(0,lib_outcome/* messageOf */.bD)(error)}`, { cause: error }));
            }
        }
        this.#dueAt = clock.steady() + pause;
    }
}

;// CONCATENATED MODULE: ./lib/agent/back-off.js
const LONGEST_PAUSE_MS = 5 * 60_000;
const JITTER = 0.1;
function pauseAfter(failures, firstMs) {
    return Math.max(firstMs, Math.min(LONGEST_PAUSE_MS, firstMs * 2 ** Math.min(failures - 1, 30)));
}
function spread(ms, random) {
    return ms * (1 + JITTER * random());
}

// EXTERNAL MODULE: ./lib/agent/run-failure.js
var run_failure = __webpack_require__(8319);
;// CONCATENATED MODULE: ./lib/agent/readiness.js





const FIRST_PAUSE_MS = 5_000;
class Readiness {
    #options;
    #credentials;
    #target;
    #usable = false;
    constructor(options) {
        this.#options = options;
        const { clock, say } = options;
        const outage = (what) => new cloud_outage/* Outage */.a({ what, clock, say });
        this.#credentials = { outage: outage('Signing in to Pulumi Cloud'), prove: () => this.#signIn() };
        this.#target = { outage: outage('The place where jobs run'), prove: () => this.#checkTarget() };
    }
    get usable() {
        return this.#usable;
    }
    async prove() {
        const { config, health, log, event } = this.#options;
        const url = await health.listen({ port: config.httpServerPort, address: config.httpServerAddress });
        log('info', `Health is served at ${url}.`);
        event({ type: 'health-listening', url });
        await this.#untilProved([this.#credentials, this.#target]);
    }
    proveTarget() {
        return this.#untilProved([this.#target]);
    }
    async #untilProved(proofs) {
        const { config, clock, drain, random } = this.#options;
        const { singleRun, maxWaitMs = Number.POSITIVE_INFINITY } = config;
        const started = clock.steady();
        for (let tries = 1, left = proofs;; tries += 1) {
            const failures = await this.#prove(left);
            if (drain.aborted && !singleRun)
                return;
            if (drain.aborted)
                throw new lib_outcome/* OutcomeError */.Rz('interrupted', 'The agent was asked to stop before it was ready.');
            if (failures.size === 0)
                return;
            const pause = spread(pauseAfter(tries, FIRST_PAUSE_MS), random);
            const errors = [...failures.values()];
            const end = singleRun ? errors[0] : errors.find(run_failure/* endsLastingAgent */.iR);
            const isLate = clock.steady() - started + pause > maxWaitMs;
            if (end !== undefined || isLate)
                throw this.#toldButOne(errors, end ?? errors[0]);
            for (const [{ outage }, error] of failures)
                outage.failed(error);
            left = [...failures.keys()];
            await clock.sleep(pause, drain).catch(() => undefined);
        }
    }
    async #prove(proofs) {
        const failures = new Map();
        const results = await Promise.allSettled(proofs.map(({ prove }) => prove()));
        for (const [index, proof] of proofs.entries()) {
            const result = results[index];
            if (result?.status === 'rejected')
                failures.set(proof, result.reason);
            else
                proof.outage.over();
        }
        return failures;
    }
    #toldButOne(errors, one) {
        for (const other of errors)
            if (other !== one)
                this.#options.say('warning', (0,lib_outcome/* messageOf */.bD)(other));
        return one;
    }
    async #signIn() {
        const { tokens, drain, event } = this.#options;
        await tokens.get(drain);
        const { method, expiresAt } = tokens;
        event({ type: 'authenticated', method, ...(expiresAt === undefined ? {} : { expiresAt }) });
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
    const page = consoleUrl(config.serviceUrl, config.organizationName);
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

// EXTERNAL MODULE: ./lib/agent/run-record.js + 1 modules
var run_record = __webpack_require__(6066);
;// CONCATENATED MODULE: ./lib/agent/waiting.js



const SHORTEST_PAUSE_MS = 1_000;
class Waiting {
    #options;
    #notBefore = Number.NEGATIVE_INFINITY;
    #refusals = 0;
    constructor(options) {
        this.#options = options;
    }
    async forWork() {
        const { clock, drain, maxWaitMs = Number.POSITIVE_INFINITY, onWait } = this.#options;
        const mostRest = Math.max(maxWaitMs, LONGEST_PAUSE_MS);
        if (this.#askedMs() > mostRest)
            return { ended: 'no-work' };
        const rest = Math.max(this.#askedMs(), this.#options.restMs());
        if (rest <= mostRest)
            await this.#sleep(rest);
        const started = clock.steady();
        for (let polls = 1; !drain.aborted; polls += 1) {
            const polled = await this.#poll();
            if ('result' in polled && polled.result.claim !== undefined)
                return { claim: polled.result.claim };
            if (drain.aborted)
                break;
            const asked = this.#askedMs();
            const left = maxWaitMs - (clock.steady() - started);
            if (left <= 0 || asked > left) {
                if ('failure' in polled)
                    throw polled.failure;
                return { ended: 'no-work' };
            }
            const pause = Math.min(this.#pauseMs(asked), left);
            onWait(polls, pause / 1000);
            await this.#sleep(pause);
        }
        return { ended: 'drained' };
    }
    async #poll() {
        const { poll, drain, outage, onAnswer, singleRun, restMs } = this.#options;
        const never = new AbortController().signal;
        try {
            const result = await poll(never, drain);
            this.#answered(result.retryAfterMs);
            this.#refusals = 0;
            onAnswer();
            outage.over();
            return { result };
        }
        catch (failure) {
            if (drain.aborted)
                return { failure };
            const answered = failure instanceof errors/* CloudUnreachableError */.s8 || failure instanceof errors/* CloudRefusedError */.GW;
            if (singleRun ? !answered : (0,run_failure/* endsLastingAgent */.iR)(failure))
                throw failure;
            this.#answered(answered ? failure.retryAfterMs : undefined);
            this.#refusals = failure instanceof errors/* CloudUnreachableError */.s8 ? 0 : this.#refusals + 1;
            outage.failed(failure);
            if (singleRun && restMs() > 0)
                throw failure;
            return { failure };
        }
    }
    #answered(retryAfterMs) {
        const { clock, pollingIntervalOverride } = this.#options;
        const isAsked = retryAfterMs !== undefined && !pollingIntervalOverride;
        this.#notBefore = isAsked ? clock.steady() + Math.max(retryAfterMs, SHORTEST_PAUSE_MS) : Number.NEGATIVE_INFINITY;
    }
    #askedMs() {
        return Math.max(0, this.#notBefore - this.#options.clock.steady());
    }
    #pauseMs(asked) {
        const { pollingIntervalMs, singleRun, restMs, random } = this.#options;
        const usual = singleRun || this.#refusals === 0 ? pollingIntervalMs : pauseAfter(this.#refusals, pollingIntervalMs);
        return spread(Math.max(asked > 0 ? asked : usual, restMs()), random);
    }
    async #sleep(ms) {
        if (ms > 0)
            await this.#options.clock.sleep(ms, this.#options.drain).catch(() => undefined);
    }
}

;// CONCATENATED MODULE: ./lib/agent/agent.js
















class Agent {
    #options;
    #health;
    #readiness;
    #orphans;
    #prepuller;
    #secrets;
    #waiting;
    #greeting;
    #record;
    #pages;
    #undone;
    constructor(options) {
        this.#options = options;
        this.#secrets = options.redactor.scope();
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
            say: this.#say,
            random: Math.random,
        });
        this.#orphans = new orphans/* OrphanSweep */.T7({
            target: options.target,
            host: options.owner.host,
            steady: () => options.clock.steady(),
            random: Math.random,
            onRemoved: (line) => this.#say('info', `${line} The agent that it belonged to is dead.`),
            outage: new cloud_outage/* Outage */.a({ what: 'Looking for what dead agents left', say: options.log, clock: options.clock }),
        });
        this.#prepuller = new Prepuller({
            ...options,
            images: options.config.prepullImages,
            policy: (0,container_settings/* containerSettings */.J)(options.config).policy,
            say: this.#say,
        });
        this.#greeting = new cloud_outage/* Outage */.a({ what: 'Greeting Pulumi Cloud', say: this.#say, clock: options.clock });
        this.#waiting = this.#newWaiting();
    }
    async run() {
        const { config, drain, target } = this.#options;
        try {
            for (let last;;) {
                const { outcome, claimedAt } = await this.#once(last);
                if (config.singleRun || drain.aborted || claimedAt === undefined)
                    return (0,lib_outcome/* exitCodeOf */.FO)(outcome, config);
                last = outcome;
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
    #newWaiting() {
        const { config, clock, metrics, pool, http, drain } = this.#options;
        return new Waiting({
            ...config,
            poll: (signal, noMoreTries) => metrics.timedPoll(() => pool.poll(signal, noMoreTries), noMoreTries),
            restMs: () => http.restMs,
            clock,
            drain,
            outage: new cloud_outage/* Outage */.a({ what: 'Polling for work', say: this.#say, clock }),
            onAnswer: () => this.#health.active(),
            onWait: (polls, nextPollSeconds) => {
                this.#record.event({ type: 'waiting', polls, nextPollSeconds });
                this.#orphans.waiting();
                this.#prepuller.waiting();
                if (polls === 1)
                    void greet({ ...this.#options, outage: this.#greeting });
            },
            random: Math.random,
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
            await this.#getReady(last);
            this.#health.become('waiting');
            const waitingSince = clock.steady();
            const waited = await this.#waiting.forWork();
            this.#prepuller.rest();
            const waitSeconds = (clock.steady() - waitingSince) / 1000;
            end = 'claim' in waited ? await this.#runClaim(waited.claim, waitSeconds) : this.#idleEnd(waited, waitSeconds);
        }
        catch (error) {
            end = this.#end((0,run_failure/* runFailure */.A9)(error), { waitSeconds: (clock.steady() - started) / 1000 });
        }
        const fault = this.#options.fault?.();
        if (fault !== undefined)
            end = { ...end, ...(0,run_failure/* runFailure */.A9)(fault), exitCode: 1 };
        if (config.singleRun && this.#readiness.usable && !drain.aborted)
            this.#orphans.start();
        if (config.singleRun)
            await this.#orphans.end();
        this.#health.become('stopped');
        log(end.exitCode === 0 ? 'info' : 'error', `${end.outcome}: ${(0,run_failure/* explained */.to)(end)}`);
        this.#options.onRun?.(undefined);
        try {
            this.#record.close(end);
        }
        catch (error) {
            log('error', `Failed to write the result for the run: ${(0,lib_outcome/* messageOf */.bD)(error)}.`);
        }
        this.#secrets.forget();
        this.#options.keptRuns?.ended();
        return end;
    }
    async #getReady(last) {
        const { beforeWaiting, config, drain } = this.#options;
        if (last === 'target-error') {
            this.#health.become('starting');
            await this.#readiness.proveTarget();
        }
        if (last !== undefined)
            return;
        await this.#readiness.prove();
        if (drain.aborted || beforeWaiting === undefined)
            return;
        try {
            this.#pages = await beforeWaiting(this.#say, this.#health);
        }
        catch (error) {
            if (config.singleRun || drain.aborted || (0,run_failure/* endsLastingAgent */.iR)(error))
                throw error;
            this.#say('warning', `${(0,lib_outcome/* clause */.sb)((0,lib_outcome/* messageOf */.bD)(error))}. The agent serves its pool all the same.`);
            this.#undone = { error };
        }
    }
    #idleEnd(waited, waitSeconds) {
        if (waited.ended === 'no-work') {
            if (this.#undone !== undefined)
                return this.#end((0,run_failure/* runFailure */.A9)(this.#undone.error), { waitSeconds });
            return this.#end({ outcome: 'no-work', message: lib_outcome/* OUTCOMES */.im['no-work'].sentence }, { waitSeconds });
        }
        const message = 'The agent was asked to stop while it waited; nothing had been claimed.';
        return this.#end({ outcome: this.#options.config.singleRun ? 'interrupted' : 'no-work', message }, { waitSeconds });
    }
    async #runClaim(claim, waitSeconds) {
        const { config, clock, runDirectory } = this.#options;
        const claimedAt = (0,lib_clock/* momentOf */.Et)(clock);
        try {
            if (!config.singleRun)
                this.#openRecord(runDirectory());
        }
        catch (error) {
            this.#say('warning', (0,lib_outcome/* messageOf */.bD)(error));
        }
        const { deploymentId, runId, jobId } = claim;
        const page = this.#pages?.get(deploymentId);
        const known = { deploymentId, runId, jobId, waitSeconds, ...(page === undefined ? {} : { deploymentUrl: page }) };
        this.#options.onRun?.({ runId, jobId, deploymentId });
        this.#orphans.startSoon();
        this.#options.log('info', `Claimed deployment ${deploymentId} (job ${jobId}).`);
        const all = consoleUrl(config.serviceUrl, config.organizationName);
        this.#record.event({ type: 'claimed', ...known, ...(all === undefined ? {} : { consoleUrl: all }) });
        const end = await runClaim(claim, {
            ...this.#options,
            health: this.#health,
            secrets: this.#secrets,
            record: this.#record,
            notice: (message) => this.#say('warning', message),
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
    #say = (level, message) => {
        this.#options.log(level, message);
        if (level !== 'debug')
            this.#record.notice(level, message);
    };
}

// EXTERNAL MODULE: ./lib/agent/configuration.js
var configuration = __webpack_require__(8351);
// EXTERNAL MODULE: ./lib/agent/connect.js + 1 modules
var connect = __webpack_require__(6729);
// EXTERNAL MODULE: ./lib/agent/health/metric-table.js
var metric_table = __webpack_require__(8991);
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
        this.#loading ??= __webpack_require__.e(/* import() */ 762).then(__webpack_require__.bind(__webpack_require__, 5762)).then(({ Prometheus }) => {
            const prometheus = new Prometheus();
            for (const sample of this.#held.splice(0))
                sample(prometheus);
            this.#prometheus = prometheus;
            return prometheus;
        });
        return this.#loading;
    }
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
            const { pruneRuns } = await __webpack_require__.e(/* import() */ 458).then(__webpack_require__.bind(__webpack_require__, 3458));
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

// EXTERNAL MODULE: ./lib/agent/logging/agent-log.js + 3 modules
var agent_log = __webpack_require__(8901);
// EXTERNAL MODULE: ./lib/agent/logging/configured-log.js
var configured_log = __webpack_require__(928);
// EXTERNAL MODULE: ./lib/agent/run-directories.js
var run_directories = __webpack_require__(9766);
// EXTERNAL MODULE: ./lib/agent/signals.js
var agent_signals = __webpack_require__(3248);
// EXTERNAL MODULE: ./lib/agent/target-choice.js + 1 modules
var target_choice = __webpack_require__(490);
// EXTERNAL MODULE: ./lib/agent/token-source.js + 1 modules
var token_source = __webpack_require__(9101);
// EXTERNAL MODULE: ./lib/cloud/organization.js + 2 modules
var organization = __webpack_require__(7159);
// EXTERNAL MODULE: ./lib/config/stack-pattern.js
var stack_pattern = __webpack_require__(8885);
// EXTERNAL MODULE: ./lib/agent/access-token-source.js + 1 modules
var access_token_source = __webpack_require__(9281);
// EXTERNAL MODULE: ./lib/agent/trigger/advice.js
var advice = __webpack_require__(1824);
// EXTERNAL MODULE: ./lib/agent/trigger/elsewhere.js
var elsewhere = __webpack_require__(3910);
// EXTERNAL MODULE: ./lib/agent/trigger/queue-work.js + 3 modules
var queue_work = __webpack_require__(7424);
;// CONCATENATED MODULE: ./lib/agent/trigger/trigger-first.js








const SIGN_OF_LIFE_MS = 5_000;
async function triggerFirst({ http, redactor, config, clock, signal, health }, notice) {
    const api = new organization/* OrganizationApi */.U(http, (0,access_token_source/* accessTokenSource */.z)(config, http, redactor));
    const log = (level, message) => notice(level === 'info' ? 'info' : 'warning', message);
    const lively = {
        now: () => clock.now(),
        steady: () => clock.steady(),
        sleep: async (ms, aborted) => {
            for (let left = ms; left > 0; left -= SIGN_OF_LIFE_MS) {
                health.active();
                await clock.sleep(Math.min(left, SIGN_OF_LIFE_MS), aborted);
            }
            health.active();
        },
    };
    try {
        const load = (0,advice/* loadReader */.y)(api, { clock, log, signal });
        const starts = await (0,queue_work/* queueWork */.N)({ api, config, load, clock: lively, signal, log, random: Math.random });
        const { outcome, message } = (0,queue_work/* outcomeOf */.s)(starts);
        if (outcome !== 'succeeded')
            throw new lib_outcome/* OutcomeError */.Rz(outcome, message);
        const misplaced = await notForUs(starts.started, api, config, { clock, log, signal });
        if (misplaced !== undefined)
            notice('warning', misplaced);
        if (config.singleRun && starts.started.length > 1) {
            const others = starts.started.length - 1;
            notice('warning', `This run serves one deployment, the oldest that waits for the pool: ${others === 1 ? 'another one is' : `${others} others are`} left to other jobs. Plan a matrix with the action's plan/.`);
        }
        return pagesOf(starts.started, config.serviceUrl);
    }
    catch (error) {
        if (!signal.aborted || error instanceof lib_outcome/* OutcomeError */.Rz)
            throw error;
        throw new lib_outcome/* OutcomeError */.Rz('interrupted', 'The agent was asked to stop before it had started the deployments.');
    }
}
function pagesOf(started, serviceUrl) {
    const pages = new Map();
    for (const { deploymentId, stack, ...known } of started) {
        const page = deploymentUrl(serviceUrl, (0,stack_pattern/* stackNamed */.G8)(stack), known);
        if (page !== undefined)
            pages.set(deploymentId, page);
    }
    return pages;
}
async function notForUs(started, api, { runnerPoolId }, options) {
    const [first] = started;
    if (runnerPoolId === undefined || first === undefined)
        return undefined;
    const organization = (0,stack_pattern/* organizationOf */.d1)(first.stack);
    const ask = (signal) => api.deployments(organization, 1, signal);
    const page = await (0,advice/* advice */.v)(`The queue of ${organization}`, ask, options);
    return page && (0,elsewhere/* elsewhere */.J)(started, new Map(page.deployments.map((each) => [each.id, each])), runnerPoolId);
}

;// CONCATENATED MODULE: ./lib/agent/uncaught.js


const uncaught_END_MS = 120_000;
class Uncaught {
    #options;
    #drain = new AbortController();
    #error;
    #job;
    #end;
    constructor(options) {
        this.#options = options;
        options.process.on('uncaughtException', this.#onError);
    }
    get error() {
        return this.#error;
    }
    get drain() {
        return this.#drain.signal;
    }
    attach(job) {
        this.#job = job;
        this.#pass();
    }
    close() {
        this.#end?.clear();
        this.#options.process.removeListener('uncaughtException', this.#onError);
    }
    #onError = (error) => {
        if (this.#error !== undefined)
            return;
        const { log, graceMs, exit } = this.#options;
        this.#error = new Error((0,lib_outcome/* messageOf */.bD)(error), { cause: error });
        this.#end = (0,lib_clock/* deadline */.nl)(graceMs + uncaught_END_MS, () => exit(1));
        this.#drain.abort();
        this.#pass();
        log('error', `Nobody caught an error: ${(0,lib_outcome/* messageOf */.bD)(error)}. A running step is interrupted, and the agent ends.`);
        if (error instanceof Error && error.stack !== undefined)
            log('info', error.stack);
    };
    #pass() {
        if (this.#error !== undefined)
            this.#job?.request({ by: 'signal', reason: 'the agent failed, as its log says' });
    }
}

// EXTERNAL MODULE: external "node:worker_threads"
var external_node_worker_threads_ = __webpack_require__(5919);
;// CONCATENATED MODULE: ./lib/agent/watchdog.js


const watchdog_LOOK_MS = 5_000;
const watchdog_LEAST_MS = 30_000;
const LAST_WORDS_MS = 1_000;
const LIMITS = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 };
const THREAD = `
const { write } = require('node:fs');
const { workerData: { looks, lookMs, lastWords, lastWordsMs } } = require('node:worker_threads');
const watch = setInterval(() => {
  if (Atomics.sub(looks, 0, 1) > 1) return;
  clearInterval(watch);
  write(2, lastWords, () => undefined);
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), lastWordsMs);
}, lookMs);
`;
function startWatchdog({ leftMs, onFailure, lookMs = watchdog_LOOK_MS, leastMs = watchdog_LEAST_MS }) {
    const looks = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const wind = () => void Atomics.store(looks, 0, Math.ceil(Math.max(leftMs(), leastMs) / lookMs));
    const failed = (error) => onFailure(`Failed to watch the agent's main thread: ${(0,lib_outcome/* clause */.sb)((0,lib_outcome/* messageOf */.bD)(error))}. The job goes on; should the agent hang, end it by hand.`);
    wind();
    let worker;
    try {
        worker = new external_node_worker_threads_.Worker(THREAD, {
            eval: true,
            workerData: {
                looks,
                lookMs,
                lastWords: 'The agent hangs: it ends itself, and its job with it.\n',
                lastWordsMs: LAST_WORDS_MS,
            },
            resourceLimits: LIMITS,
            execArgv: [],
            env: {},
            name: 'watchdog',
        });
    }
    catch (error) {
        failed(error);
        return { stop: () => Promise.resolve() };
    }
    worker.on('error', failed);
    worker.unref();
    const winding = setInterval(wind, lookMs).unref();
    return {
        stop: async () => {
            clearInterval(winding);
            await worker.terminate();
        },
    };
}

;// CONCATENATED MODULE: ./lib/agent/run.js























const KEPT_LOGINS = 16;
async function run(sources) {
    const redactor = new log_redactor/* Redactor */.p();
    try {
        return await runWith(redactor, sources);
    }
    catch (cause) {
        const message = redactor.text((0,lib_outcome/* messageOf */.bD)(cause));
        throw cause instanceof lib_outcome/* OutcomeError */.Rz
            ? new lib_outcome/* OutcomeError */.Rz(cause.outcome, message, { cause })
            : new Error(message, { cause });
    }
}
async function runWith(redactor, { command, environment, workingDirectory, agentDirectory, process, exit }) {
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
    const uncaught = new Uncaught({
        process,
        log,
        graceMs: config.cancelGracePeriodMs,
        exit,
    });
    const drain = AbortSignal.any([signals.drain, uncaught.drain]);
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
            onSecret: redactor.recent(KEPT_LOGINS),
        }),
        environment,
        labels: command.labels,
        ...(caBundle === undefined ? {} : { caBundle }),
        runDirectory: directory,
        ...(!config.singleRun &&
            config.keptRuns !== undefined && {
            keptRuns: new KeptRuns({ folder: (0,run_directories/* runsFolder */.Xc)(config, environment), kept: config.keptRuns, log }),
        }),
        drain,
        fault: () => uncaught.error,
        onStopSource: (stop) => {
            signals.attach(stop);
            uncaught.attach(stop);
        },
        watchdog: (leftMs) => startWatchdog({ leftMs, onFailure: (message) => log('warning', message) }),
        ...(config.trigger.length > 0 && {
            beforeWaiting: (notice, health) => triggerFirst({ config, http, redactor, clock, signal: drain, health }, notice),
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
        uncaught.close();
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
    let ownLog;
    try {
        ownLog = open(directory);
        if (directory !== undefined)
            record.open(directory);
    }
    catch {
        ownLog = open(undefined);
    }
    const exitCode = (0,lib_outcome/* exitCodeOf */.FO)(error.outcome);
    ownLog.log('error', (0,run_failure/* explained */.to)({ exitCode, message: error.message }));
    record.close({
        outcome: error.outcome,
        exitCode,
        message: error.message,
        waitSeconds: 0,
        runSeconds: 0,
        forwarded: [],
        steps: [],
    });
    await ownLog.close();
    return exitCode;
}


/***/ }),

/***/ 3248:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   U: () => (/* binding */ Signals)
/* harmony export */ });
const DRAINS = 'a running job is finished, nothing more is claimed';
const INTERRUPTS = 'a running step is interrupted, nothing more is claimed';
const ABANDONS = 'what Pulumi Cloud has not been told yet is dropped';
class Signals {
    #drain = new AbortController();
    #process;
    #onSignal;
    #interrupt;
    #isAbandoned = false;
    #job;
    constructor(process, onSignal) {
        this.#process = process;
        this.#onSignal = onSignal;
        process.on('SIGINT', this.#onInterrupt);
        process.on('SIGTERM', this.#onTerminate);
        process.on('SIGHUP', this.#onTerminate);
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
        this.#process.removeListener('SIGTERM', this.#onTerminate);
        this.#process.removeListener('SIGHUP', this.#onTerminate);
    }
    #onInterrupt = (signal) => {
        this.#onSignal(signal, INTERRUPTS);
        this.#interrupt ??= signal;
        this.#drain.abort();
        this.#pass();
    };
    #onTerminate = (signal) => {
        if (!this.#drain.signal.aborted) {
            this.#drainAt(signal);
        }
        else if (this.#interrupt === undefined) {
            this.#onInterrupt(signal);
        }
        else {
            this.#onSignal(signal, ABANDONS);
            this.#isAbandoned = true;
            this.#pass();
        }
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
        if (this.#isAbandoned)
            this.#job?.abandonReports();
    }
}


/***/ }),

/***/ 3910:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   J: () => (/* binding */ elsewhere)
/* harmony export */ });
const MOST_NAMES = 5;
function elsewhere(started, listed, poolId) {
    const stacks = started
        .filter(({ deploymentId }) => (listed.get(deploymentId)?.poolId ?? '') !== poolId && listed.has(deploymentId))
        .map(({ stack }) => stack);
    if (stacks.length === 0)
        return undefined;
    const more = stacks.length > MOST_NAMES ? ` and ${stacks.length - MOST_NAMES} more` : '';
    const some = `${stacks.slice(0, MOST_NAMES).join(', ')}${more}`;
    return `The deployments of ${some} are not for pool ${poolId}: choose it in their stacks' settings under Settings \u2192 Deploy.`;
}


/***/ }),

/***/ 9220:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Mc: () => (/* binding */ jobDefinitionSchema),
/* harmony export */   ZL: () => (/* binding */ complaints),
/* harmony export */   qy: () => (/* binding */ claimSchema),
/* harmony export */   yL: () => (/* binding */ parseJobDefinition)
/* harmony export */ });
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(7597);
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(8532);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2398);
/* harmony import */ var _exchange_answer_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(9155);



const text = zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP().min(1);
const optionalText = zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP()
    .nullish()
    .transform((value) => (value === '' || value === null ? undefined : value));
const claimSchema = zod__WEBPACK_IMPORTED_MODULE_2__/* .object */ .Ikc({
    jobID: text,
    jobToken: text,
    oidcToken: optionalText,
    runID: optionalText,
    typeSpecificID: optionalText,
    deploymentID: optionalText,
})
    .transform((claim, context) => {
    const deploymentId = claim.typeSpecificID ?? claim.deploymentID;
    if (deploymentId === undefined) {
        context.addIssue({ code: 'custom', message: 'neither typeSpecificID nor deploymentID' });
        return zod__WEBPACK_IMPORTED_MODULE_3__/* .NEVER */ .tm;
    }
    return {
        jobId: claim.jobID,
        jobToken: claim.jobToken,
        oidcToken: claim.oidcToken,
        runId: claim.runID ?? deploymentId,
        deploymentId,
    };
});
const scalar = zod__WEBPACK_IMPORTED_MODULE_2__/* .union */ .KCZ([zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP(), zod__WEBPACK_IMPORTED_MODULE_2__/* .number */ .aig(), zod__WEBPACK_IMPORTED_MODULE_2__/* .boolean */ .zMY()]).transform(String);
const jobValue = zod__WEBPACK_IMPORTED_MODULE_2__/* .union */ .KCZ([
    scalar.transform((value) => ({ value, secret: false })),
    zod__WEBPACK_IMPORTED_MODULE_2__/* .object */ .Ikc({ secret: scalar }).transform(({ secret }) => ({ value: secret, secret: true })),
    zod__WEBPACK_IMPORTED_MODULE_2__/* .object */ .Ikc({ value: scalar, isSecret: zod__WEBPACK_IMPORTED_MODULE_2__/* .boolean */ .zMY().optional() })
        .transform(({ value, isSecret }) => ({ value, secret: isSecret ?? true })),
]);
const ciphertext = zod__WEBPACK_IMPORTED_MODULE_2__/* .object */ .Ikc({ ciphertext: zod__WEBPACK_IMPORTED_MODULE_2__/* .unknown */ .L5J() }).loose();
const unreadable = 'is encrypted (ciphertext), which only Pulumi Cloud can read';
function readableValue(value, context, path) {
    const parsed = jobValue.safeParse(value);
    if (parsed.success)
        return parsed.data;
    const message = ciphertext.safeParse(value).success ? unreadable : 'is not a text, {secret} or {isSecret, value}';
    context.addIssue({ code: 'custom', message, path });
    return undefined;
}
const timeout = zod__WEBPACK_IMPORTED_MODULE_2__/* .union */ .KCZ([zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP(), zod__WEBPACK_IMPORTED_MODULE_2__/* .number */ .aig()])
    .nullish()
    .transform((value) => (value === null || value === '' || value === 0 ? undefined : value));
const image = zod__WEBPACK_IMPORTED_MODULE_2__/* .union */ .KCZ([
    zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP().transform((reference) => ({ reference, credentials: undefined })),
    zod__WEBPACK_IMPORTED_MODULE_2__/* .object */ .Ikc({ reference: optionalText, credentials: zod__WEBPACK_IMPORTED_MODULE_2__/* .unknown */ .L5J().optional() }),
])
    .nullish()
    .transform((value) => ({ reference: value?.reference || undefined, credentials: value?.credentials }))
    .transform(({ reference, credentials }, context) => {
    const given = zod__WEBPACK_IMPORTED_MODULE_2__/* .object */ .Ikc({ username: text, password: zod__WEBPACK_IMPORTED_MODULE_2__/* .unknown */ .L5J() }).safeParse(credentials);
    if (!given.success)
        return { reference, credentials: undefined };
    const password = readableValue(given.data.password, context, ['credentials', 'password']);
    return { reference, credentials: { username: given.data.username, password: password?.value ?? '' } };
});
const step = zod__WEBPACK_IMPORTED_MODULE_2__/* .object */ .Ikc({
    name: optionalText,
    run: zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP()
        .nullish()
        .transform((run) => run ?? ''),
    workingDir: optionalText,
    timeout,
});
const jobDefinitionSchema = zod__WEBPACK_IMPORTED_MODULE_2__/* .object */ .Ikc({
    os: optionalText,
    architecture: optionalText,
    image,
    shell: optionalText.transform((shell) => shell ?? 'bash'),
    timeout,
    env: zod__WEBPACK_IMPORTED_MODULE_2__/* .record */ .g1P(zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP(), zod__WEBPACK_IMPORTED_MODULE_2__/* .unknown */ .L5J())
        .nullish()
        .transform((environment, context) => {
        const values = {};
        for (const [key, value] of Object.entries(environment ?? {})) {
            const readable = readableValue(value, context, [key]);
            if (readable !== undefined)
                values[key] = readable;
        }
        return values;
    }),
    steps: zod__WEBPACK_IMPORTED_MODULE_2__/* .array */ .YOg(step).min(1),
});
function complaints(error) {
    return error.issues
        .slice(0, 5)
        .map((issue) => {
        const path = issue.path.reduce((written, key) => `${written}${typeof key === 'number' ? `[${key}]` : `${written === '' ? '' : '.'}${String(key)}`}`, '');
        return path === '' ? issue.message : `${path}: ${issue.message}`;
    })
        .join('; ');
}
function parseJobDefinition(json, jobId) {
    const parsed = jobDefinitionSchema.safeParse(json, _exchange_answer_js__WEBPACK_IMPORTED_MODULE_1__/* .SELDOM */ .$);
    if (parsed.success)
        return parsed.data;
    const reason = json === undefined ? 'the answer is not JSON' : complaints(parsed.error);
    throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .JobDefinitionError */ .p2(`Failed to read the job definition for job ${jobId}: ${reason}. Start the deployment again; if it stays, report it with the run's artifact.`, { cause: parsed.error });
}


/***/ }),

/***/ 4810:
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
