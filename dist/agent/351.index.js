export const id = 351;
export const ids = [351];
export const modules = {

/***/ 4351:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  debug: () => (/* binding */ debug)
});

// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(1455);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: external "node:stream/consumers"
var consumers_ = __webpack_require__(8321);
// EXTERNAL MODULE: ./lib/clock.js
var clock = __webpack_require__(5233);
// EXTERNAL MODULE: ./lib/job/job.js + 20 modules
var job_job = __webpack_require__(7025);
// EXTERNAL MODULE: ./lib/job/stop.js
var job_stop = __webpack_require__(3531);
// EXTERNAL MODULE: ./lib/log/redactor.js + 1 modules
var log_redactor = __webpack_require__(1591);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(3259);
// EXTERNAL MODULE: ./lib/record/owner.js
var record_owner = __webpack_require__(1218);
// EXTERNAL MODULE: ./lib/version.js
var version = __webpack_require__(3411);
// EXTERNAL MODULE: ./lib/agent/configuration.js
var configuration = __webpack_require__(8351);
// EXTERNAL MODULE: ./lib/agent/connect.js + 1 modules
var connect = __webpack_require__(6729);
// EXTERNAL MODULE: ./lib/agent/job-settings.js
var job_settings = __webpack_require__(6454);
// EXTERNAL MODULE: ./lib/agent/labels.js
var labels = __webpack_require__(3850);
// EXTERNAL MODULE: ./lib/agent/logging/agent-log.js + 3 modules
var agent_log = __webpack_require__(8901);
// EXTERNAL MODULE: ./lib/agent/place.js
var agent_place = __webpack_require__(3806);
// EXTERNAL MODULE: ./lib/agent/run-directories.js
var run_directories = __webpack_require__(9766);
// EXTERNAL MODULE: ./lib/agent/run-failure.js
var run_failure = __webpack_require__(8319);
// EXTERNAL MODULE: ./lib/agent/run-record.js + 1 modules
var run_record = __webpack_require__(6066);
// EXTERNAL MODULE: ./lib/agent/signals.js
var agent_signals = __webpack_require__(3248);
// EXTERNAL MODULE: ./lib/agent/target-choice.js + 1 modules
var target_choice = __webpack_require__(490);
// EXTERNAL MODULE: ./lib/cloud/wire.js
var wire = __webpack_require__(9220);
;// CONCATENATED MODULE: ./lib/agent/debug/job.js


function readJob(text, { from = 1, to }) {
    let json;
    try {
        json = JSON.parse(text);
    }
    catch (cause) {
        throw refused(text.trim() === '' ? 'it is empty' : 'it is not JSON', cause);
    }
    const parsed = wire/* jobDefinitionSchema */.Mc.safeParse(json);
    if (!parsed.success)
        throw refused((0,wire/* complaints */.ZL)(parsed.error), parsed.error);
    const [own, ...steps] = parsed.data.steps;
    if (own === undefined)
        throw refused('it has no steps');
    const last = to ?? steps.length;
    if (from > Math.max(1, steps.length) || last > steps.length || last < from - 1) {
        throw refused(`there are no steps ${from} to ${last}: the last one is ${steps.length}`);
    }
    return { ...parsed.data, steps: [own, ...steps.slice(from - 1, last)] };
}
function refused(reason, cause) {
    const advice = 'Give a job such as {"image":{"reference":"\u2026"},"env":{},"steps":[{"name":"Setup"},{"name":"\u2026","run":"\u2026"}]}.';
    return new outcome/* OutcomeError */.Rz('config-error', `Failed to read the job for debug workflow-runner: ${reason}. ${advice}`, {
        cause,
    });
}

// EXTERNAL MODULE: ./lib/log/terminal-text.js
var terminal_text = __webpack_require__(2442);
;// CONCATENATED MODULE: ./lib/agent/debug/reports.js


class LocalReports {
    #options;
    #unfinished = false;
    constructor(options) {
        this.#options = options;
        options.stdout.on('error', () => options.onUnread('nobody reads the output any more'));
    }
    definition() {
        return Promise.resolve(this.#options.job);
    }
    async stepStatus(index, status, signal) {
        const { job, log, stdout } = this.#options;
        if (this.#unfinished && stdout.isTTY === true)
            await this.#write('\n', signal);
        const name = (0,terminal_text/* stripControl */.k)(job.steps[index]?.name ?? '');
        const title = `Step ${index}${name === '' ? '' : ` "${name}"`}`;
        log(status === 'failed' ? 'error' : 'info', status === 'running' ? `${title}:` : `${title} ${status}.`);
    }
    async logs(index, { lines }, signal) {
        const { stdout, log } = this.#options;
        if (index === 0) {
            for (const { l } of lines)
                log('info', l.trimEnd());
            return 'accepted';
        }
        const colours = stdout.isTTY === true;
        const shown = lines.map(({ l }) => {
            const [text, end] = l.endsWith('\n') ? [l.slice(0, -1), '\n'] : [l, ''];
            return `${(0,terminal_text/* stripControl */.k)(text, { colours })}${end}`;
        });
        await this.#write(shown.join(''), signal);
        return 'accepted';
    }
    async #write(text, signal) {
        if (text === '')
            return;
        this.#unfinished = !text.endsWith('\n');
        const { promise, resolve } = Promise.withResolvers();
        this.#options.stdout.write(text, () => resolve());
        await (0,clock/* settledBefore */.ZQ)(promise, signal);
    }
}

;// CONCATENATED MODULE: ./lib/agent/debug/debug.js























const CLAIM = { jobId: 'debug', jobToken: '', oidcToken: undefined, runId: 'debug', deploymentId: 'debug' };
async function debug({ command, process, ...surroundings }) {
    const { environment, workingDirectory } = surroundings;
    const loaded = await (0,configuration/* loadAgentConfig */.k)(command, surroundings, { offline: true });
    const { config } = loaded;
    const job = readJob(await given(command.job, workingDirectory, process.stdin), command);
    const redactor = new log_redactor/* Redactor */.p();
    redactor.add((0,configuration/* secretsOf */.F)(config, environment));
    const redact = (line) => redactor.text(line);
    const directory = (0,run_directories/* runDirectories */.$N)({ ...config, singleRun: true }, environment)();
    const now = () => Date.now();
    const { log, close: closeLog } = (0,agent_log/* openAgentLog */.q)({
        file: (0,run_record/* agentLogPath */.r)(directory),
        now,
        redact,
        level: config.logLevel,
        format: config.logFormat,
    });
    for (const warning of loaded.warnings)
        log('warning', warning);
    const owner = (0,record_owner/* ownOwner */.CR)();
    const record = new run_record/* RunRecord */.d({ version: version/* VERSION */.x, owner, now, redact });
    record.open(directory);
    record.event({ type: 'agent-started', version: version/* VERSION */.x, owner });
    const stop = new job_stop/* StopSource */.G();
    const signals = new agent_signals/* Signals */.U(process, (signal, meaning) => log('warning', `${signal}: ${meaning}.`));
    signals.attach(stop);
    const target = await (0,target_choice/* targetFor */.x)(config, {
        environment,
        labels: command.labels,
        logger: log,
        onSecret: (secret) => redactor.add([secret]),
    });
    const began = now();
    let end;
    try {
        log('info', await target.check(stop.signal));
        const place = await (0,agent_place/* placeOf */.$)(config, environment);
        if (place !== undefined)
            record.event({ type: 'place', place });
        const caBundle = await certificatesFor(config, { environment, redactor, log });
        end = await (0,job_job/* runJob */.b)({
            ...(0,job_settings/* jobSettings */.b)({ config, environment, caBundle }),
            claim: CLAIM,
            api: new LocalReports({
                job,
                log,
                stdout: process.stdout,
                onUnread: (reason) => stop.request({ by: 'signal', reason }),
            }),
            target,
            stop,
            clock: clock/* systemClock */.ml,
            redactor,
            secrets: redactor,
            labels: { ...command.labels, ...(0,labels/* ownLabels */.ct)(owner), 'pulumi-runner.run': CLAIM.runId },
            stepLog: (index, name) => record.stepLog(index, name),
            event: (event) => record.event(event),
            say: (level, message) => {
                log(level, message);
                if (level === 'warning')
                    record.notice('warning', message);
            },
            over: stop.reportsAbandoned,
            heartbeatSince: () => true,
            hasEnded: () => false,
            onStepsEnded: () => undefined,
        });
    }
    catch (error) {
        end = failure(error, stop);
    }
    finally {
        signals.close();
        await target.close();
    }
    const exitCode = (0,outcome/* exitCodeOf */.FO)(end.outcome);
    log(exitCode === 0 ? 'info' : 'error', `${end.outcome}: ${await (0,run_failure/* explained */.to)({ exitCode, message: end.message })}`);
    log('info', `Logs, events and the result are in ${directory}.`);
    record.close({
        ...end,
        exitCode,
        waitSeconds: 0,
        runSeconds: (now() - began) / 1000,
        forwarded: [...(end.forwarded ?? [])],
        steps: [...(end.steps ?? [])],
    });
    await closeLog();
    return exitCode;
}
async function given(file, workingDirectory, stdin) {
    try {
        return file === '-' ? await (0,consumers_.text)(stdin) : await (0,promises_.readFile)((0,external_node_path_.resolve)(workingDirectory, file), 'utf8');
    }
    catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new outcome/* OutcomeError */.Rz('config-error', `Failed to read the job for debug workflow-runner: ${reason}.`, { cause });
    }
}
async function certificatesFor(config, sources) {
    if (!config.caCertificateInJobs)
        return undefined;
    const { caBundle, close } = await (0,connect/* connect */.N)(config, sources);
    await close();
    return caBundle;
}
function failure(error, stop) {
    if (stop.stop !== undefined)
        return { outcome: 'interrupted', message: `${stop.stop.reason}; nothing was run.` };
    if (error instanceof outcome/* OutcomeError */.Rz)
        return { outcome: error.outcome, message: error.message };
    throw error;
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

/***/ 2442:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   k: () => (/* binding */ stripControl)
/* harmony export */ });
const SGR = String.raw `\u001b\[[0-9;:]*m`;
const STRING_BODY = String.raw `[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)`;
const CONTROL = new RegExp([
    `(?<sgr>${SGR})`,
    String.raw `(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])${STRING_BODY}`,
    String.raw `(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]`,
    String.raw `\u001b[ -/]+[0-~]`,
    String.raw `\u001b[0-OQ-WYZ\\\x60-~]`,
    String.raw `(?!\t)\p{Cc}`,
].join('|'), 'gu');
function stripControl(text, { colours = false } = {}) {
    return text.replace(CONTROL, colours ? '$<sgr>' : '');
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
