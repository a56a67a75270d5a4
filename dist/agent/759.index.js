export const id = 759;
export const ids = [759,622,241];
export const modules = {

/***/ 6651:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   J: () => (/* binding */ containerSettings)
/* harmony export */ });
/* harmony import */ var _config_volume_setting_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2616);
/* harmony import */ var _target_image_policy_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(9956);


function containerSettings(config) {
    const policy = (0,_target_image_policy_js__WEBPACK_IMPORTED_MODULE_1__/* .imagePolicy */ .aw)({ allowed: config.allowedImages, requireDigest: config.requireDigest });
    return {
        ...(policy === undefined ? {} : { policy }),
        ...(config.cacheVolume === undefined
            ? {}
            : { cache: { ...(0,_config_volume_setting_js__WEBPACK_IMPORTED_MODULE_0__/* .readVolume */ .jg)(config.cacheVolume), owner: cacheOwner(config) } }),
    };
}
function cacheOwner({ organizationName, runnerPoolId }) {
    return organizationName === undefined || runnerPoolId === undefined
        ? 'static-token'
        : `${organizationName}/${runnerPoolId}`;
}


/***/ }),

/***/ 3759:
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
var consumers_ = __webpack_require__(702);
// EXTERNAL MODULE: ./lib/clock.js
var clock = __webpack_require__(8398);
// EXTERNAL MODULE: ./lib/job/job.js + 20 modules
var job_job = __webpack_require__(5219);
// EXTERNAL MODULE: ./lib/job/stop.js
var job_stop = __webpack_require__(5850);
// EXTERNAL MODULE: ./lib/log/redactor.js + 2 modules
var log_redactor = __webpack_require__(741);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(4792);
// EXTERNAL MODULE: ./lib/record/owner.js
var record_owner = __webpack_require__(7047);
// EXTERNAL MODULE: ./lib/version.js
var version = __webpack_require__(644);
// EXTERNAL MODULE: ./lib/agent/configuration.js
var configuration = __webpack_require__(9616);
// EXTERNAL MODULE: ./lib/agent/connect.js + 1 modules
var connect = __webpack_require__(6539);
// EXTERNAL MODULE: ./lib/agent/job-settings.js
var job_settings = __webpack_require__(8999);
// EXTERNAL MODULE: ./lib/agent/labels.js
var labels = __webpack_require__(6775);
// EXTERNAL MODULE: ./lib/agent/logging/agent-log.js + 2 modules
var agent_log = __webpack_require__(2704);
// EXTERNAL MODULE: ./lib/agent/place.js
var agent_place = __webpack_require__(3037);
// EXTERNAL MODULE: ./lib/agent/run-directories.js
var run_directories = __webpack_require__(877);
// EXTERNAL MODULE: ./lib/agent/run-failure.js
var run_failure = __webpack_require__(7512);
// EXTERNAL MODULE: ./lib/agent/run-record.js + 1 modules
var run_record = __webpack_require__(1395);
// EXTERNAL MODULE: ./lib/agent/signals.js
var agent_signals = __webpack_require__(4023);
// EXTERNAL MODULE: ./lib/agent/target-choice.js + 1 modules
var target_choice = __webpack_require__(3911);
// EXTERNAL MODULE: ./lib/cloud/wire.js
var wire = __webpack_require__(2241);
;// CONCATENATED MODULE: ./lib/agent/debug/job.js


function readJob(text, { from = 1, to }) {
    let json;
    try {
        json = JSON.parse(text);
    }
    catch (cause) {
        throw refused(text.trim() === '' ? 'it is empty' : 'it is not JSON', cause);
    }
    const parsed = wire.jobDefinitionSchema.safeParse(json);
    if (!parsed.success)
        throw refused((0,wire.complaints)(parsed.error), parsed.error);
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
var terminal_text = __webpack_require__(8105);
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
    async stepStatus(index, status) {
        const { job, log, stdout } = this.#options;
        if (this.#unfinished && stdout.isTTY === true)
            await this.#write('\n');
        const name = (0,terminal_text/* stripControl */.k)(job.steps[index]?.name ?? '');
        const title = `Step ${index}${name === '' ? '' : ` "${name}"`}`;
        log(status === 'failed' ? 'error' : 'info', status === 'running' ? `${title}:` : `${title} ${status}.`);
    }
    async logs(index, { lines }) {
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
        await this.#write(shown.join(''));
        return 'accepted';
    }
    async #write(text) {
        if (text === '')
            return;
        this.#unfinished = !text.endsWith('\n');
        await new Promise((resolve) => this.#options.stdout.write(text, () => resolve()));
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
    const log = (0,agent_log/* openAgentLog */.q)({
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
            labels: { ...command.labels, ...(0,labels/* ownLabels */.ct)(owner), 'pulumi-runner.run': CLAIM.runId },
            stepLog: (index, name) => record.stepLog(index, name),
            event: (event) => record.event(event),
            notice: (message) => {
                log('warning', message);
                record.notice('warning', message);
            },
            beforeLastStatus: () => Promise.resolve(),
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
    log(exitCode === 0 ? 'info' : 'error', `${end.outcome}: ${await (0,run_failure/* explained */.t)({ exitCode, message: end.message })}`);
    log('info', `Logs, events and the result are in ${directory}.`);
    record.close({
        ...end,
        exitCode,
        waitSeconds: 0,
        runSeconds: (now() - began) / 1000,
        forwarded: [...(end.forwarded ?? [])],
        steps: [...(end.steps ?? [])],
    });
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

/***/ 2704:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  q: () => (/* binding */ openAgentLog),
  T: () => (/* binding */ openStderrLog)
});

// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(4792);
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

;// CONCATENATED MODULE: ./lib/agent/logging/whole-lines.js

const WAIT_MS = 10_000;
const RETRY_MS = 10;
class WholeLines {
    #target;
    #lost;
    #waiting = Buffer.alloc(0);
    #count = 0;
    constructor(target, lost) {
        this.#target = target;
        this.#lost = lost;
    }
    write(line) {
        if (!this.#push(0)) {
            this.#count += 1;
            return;
        }
        this.#waiting = Buffer.from(this.#count === 0 ? line : this.#lost(this.#count) + line);
        this.#count = 0;
        this.#push(WAIT_MS);
    }
    #push(ms) {
        const end = performance.now() + ms;
        while (this.#waiting.length > 0) {
            try {
                this.#waiting = this.#waiting.subarray((0,external_node_fs_.writeSync)(this.#target, this.#waiting));
            }
            catch (error) {
                if (!isFull(error))
                    this.#waiting = Buffer.alloc(0);
                else if (performance.now() >= end)
                    return false;
                else
                    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
            }
        }
        return true;
    }
}
function isFull(error) {
    return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}

;// CONCATENATED MODULE: ./lib/agent/logging/agent-log.js





const STDERR = 2;
function openAgentLog(options) {
    const { file, now, redact, level: least = 'info', format = 'text', ids, syslog } = options;
    const said = (entry) => (format === 'json' ? jsonLine(entry, ids?.()) : textLine(entry));
    const opened = file === undefined ? undefined : new WholeLines(openedFor(file), (count) => textLine(lost(count, now())));
    const isElsewhere = syslog !== undefined || (file !== undefined && sameFile(file));
    const stderr = isElsewhere ? undefined : new WholeLines(STDERR, (count) => said(lost(count, now())));
    return (level, message) => {
        if (!matters(level, least))
            return;
        const entry = { at: now(), level, message: redact(message) };
        stderr?.write(said(entry));
        opened?.write(textLine(entry));
        syslog?.(level, onOneLine(entry.message));
    };
}
function openStderrLog() {
    const lines = new WholeLines(STDERR, (count) => textLine(lost(count, Date.now())));
    return (level, message) => lines.write(textLine({ at: Date.now(), level, message }));
}
function lost(count, at) {
    const lines = count === 1 ? '1 line of this log is' : `${count} lines of this log are`;
    return { at, level: 'warning', message: `${lines} lost: nobody read it for a while.` };
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

/***/ 877:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $N: () => (/* binding */ runDirectories),
/* harmony export */   As: () => (/* binding */ isRunDirectoryName),
/* harmony export */   Xc: () => (/* binding */ runsFolder)
/* harmony export */ });
/* harmony import */ var node_os__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8161);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6760);


function runDirectories(config, environment) {
    const base = runsFolder(config, environment);
    if (config.singleRun && config.runDirectory !== undefined)
        return () => base;
    const fresh = () => (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(base, new Date().toISOString().replaceAll(':', '-'));
    if (!config.singleRun)
        return fresh;
    const only = fresh();
    return () => only;
}
function runsFolder({ runDirectory }, environment) {
    const home = environment['HOME'];
    const state = environment['XDG_STATE_HOME'] ?? (home === undefined ? (0,node_os__WEBPACK_IMPORTED_MODULE_0__.tmpdir)() : (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(home, '.local', 'state'));
    return runDirectory ?? (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(state, 'pulumi-runner-agent', 'runs');
}
function isRunDirectoryName(name) {
    const [, day, hour, minute, second] = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})Z$/.exec(name) ?? [];
    if (day === undefined)
        return false;
    const time = `${day}T${hour}:${minute}:${second}Z`;
    const ms = Date.parse(time);
    return !Number.isNaN(ms) && new Date(ms).toISOString() === time;
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

/***/ 7428:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  $: () => (/* binding */ SELDOM),
  V: () => (/* binding */ exchangeSchema)
});

// EXTERNAL MODULE: ../../main/node_modules/zod/v4/classic/schemas.js + 9 modules
var classic_schemas = __webpack_require__(1579);
// EXTERNAL MODULE: ../../main/node_modules/zod/v4/core/api.js
var api = __webpack_require__(5985);
;// CONCATENATED MODULE: ../../main/node_modules/zod/v4/classic/coerce.js


function string(params) {
    return core._coercedString(schemas.ZodString, params);
}
function number(params) {
    return api/* _coercedNumber */.qG(classic_schemas/* ZodNumber */.rSt, params);
}
function coerce_boolean(params) {
    return core._coercedBoolean(schemas.ZodBoolean, params);
}
function bigint(params) {
    return core._coercedBigint(schemas.ZodBigInt, params);
}
function date(params) {
    return core._coercedDate(schemas.ZodDate, params);
}

;// CONCATENATED MODULE: ./lib/cloud/exchange-answer.js

const SELDOM = { jitless: true };
const exchangeSchema = classic_schemas/* object */.Ikc({
    access_token: classic_schemas/* string */.YjP().min(1),
    expires_in: number().positive().max(1e9).optional().catch(undefined),
});


/***/ }),

/***/ 2241:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

__webpack_require__.r(__webpack_exports__);
/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   claimSchema: () => (/* binding */ claimSchema),
/* harmony export */   complaints: () => (/* binding */ complaints),
/* harmony export */   jobDefinitionSchema: () => (/* binding */ jobDefinitionSchema),
/* harmony export */   parseJobDefinition: () => (/* binding */ parseJobDefinition)
/* harmony export */ });
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(1579);
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(270);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2871);
/* harmony import */ var _exchange_answer_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7428);



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

/***/ 8105:
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


/***/ }),

/***/ 9956:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   aw: () => (/* binding */ imagePolicy),
/* harmony export */   fq: () => (/* binding */ fullName),
/* harmony export */   xu: () => (/* binding */ ImageNotAllowedError)
/* harmony export */ });
/* harmony import */ var _reference_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(9373);
/* harmony import */ var _target_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9327);


class ImageNotAllowedError extends _target_js__WEBPACK_IMPORTED_MODULE_0__/* .ImageError */ .C8 {
    name = 'ImageNotAllowedError';
}
const REGISTRY = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/;
const COMPONENT = /^[a-z0-9]+((\.|_{1,2}|-+)[a-z0-9]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
function imagePolicy({ allowed, requireDigest }) {
    if (allowed.length === 0 && !requireDigest)
        return undefined;
    const patterns = allowed.map((text) => (0,_reference_js__WEBPACK_IMPORTED_MODULE_1__/* .parseReference */ .F2)(text));
    return {
        check(image) {
            const reference = (0,_reference_js__WEBPACK_IMPORTED_MODULE_1__/* .parseReference */ .F2)(image);
            const refused = (why, advice) => new ImageNotAllowedError(`Failed to use the image for the job: image ${image} is not allowed: ${why}. ${advice}`);
            if (!isStrict(reference)) {
                throw refused('its name is not written as registries have it', 'Write it in lower case, in the deployment settings or the key image.');
            }
            if (requireDigest && reference.digest === undefined) {
                throw refused('require_digest wants it named by its digest', `Name it as ${shown(reference.repository)}@sha256:\u2026, in the deployment settings or the key image.`);
            }
            const full = fullName(reference);
            if (patterns.length > 0 && !patterns.some((pattern) => matches(pattern, reference))) {
                throw refused(`no pattern of allowed_images (${allowed.join(', ')}) takes ${full}`, 'Choose another image in the deployment settings or the key image, or have a pattern added.');
            }
            return full;
        },
    };
}
function fullName({ repository, tag, digest }) {
    return digest === undefined ? `${repository}:${tag ?? 'latest'}` : `${repository}@${digest}`;
}
function isStrict(reference) {
    const { registry, tag, digest } = reference;
    return (REGISTRY.test(registry) &&
        componentsOf(reference).every((component) => COMPONENT.test(component)) &&
        (tag === undefined || TAG.test(tag)) &&
        (digest === undefined || DIGEST.test(digest)));
}
function matches(pattern, reference) {
    return (registryMatches(pattern.registry, reference.registry) &&
        sequenceMatches(componentsOf(pattern).flatMap(wildcards), componentsOf(reference), glob) &&
        versionMatches(pattern, reference));
}
function componentsOf({ registry, repository }) {
    return repository.slice(registry.length + 1).split('/');
}
function wildcards(component) {
    return component === '**' ? ['*', ANY] : [component];
}
function registryMatches(pattern, registry) {
    const [wanted, found] = [pattern, registry].map((text) => text.split(/([.:])/));
    return wanted.length === found.length && wanted.every((part, index) => glob(part, found[index] ?? ''));
}
function versionMatches(pattern, { tag, digest }) {
    if (pattern.digest !== undefined)
        return digest !== undefined && glob(pattern.digest, digest);
    return pattern.tag === undefined || (digest === undefined && glob(pattern.tag, tag ?? 'latest'));
}
function glob(pattern, text) {
    return sequenceMatches([...pattern].map((character) => (character === '*' ? ANY : character)), [...text], (wanted, found) => wanted === found);
}
const ANY = Symbol('any');
function sequenceMatches(pattern, items, same) {
    let [at, next, any, taken] = [0, 0, -1, 0];
    while (next < items.length) {
        const wanted = pattern[at];
        if (wanted === ANY) {
            any = at;
            taken = next;
            at += 1;
        }
        else if (wanted !== undefined && same(wanted, items[next] ?? '')) {
            at += 1;
            next += 1;
        }
        else if (any >= 0) {
            taken += 1;
            next = taken;
            at = any + 1;
        }
        else {
            return false;
        }
    }
    return pattern.slice(at).every((left) => left === ANY);
}
function shown(repository) {
    return repository.replace(/^docker\.io\/(library\/)?/, '');
}


/***/ }),

/***/ 9373:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   A_: () => (/* binding */ isReference),
/* harmony export */   F2: () => (/* binding */ parseReference),
/* harmony export */   ol: () => (/* binding */ digestOf)
/* harmony export */ });
function isReference(text) {
    return /^[a-z0-9][\w./:@-]*$/i.test(text) && !text.includes('..') && text.length <= 1024;
}
function parseReference(text) {
    const [name = '', digest] = text.split('@', 2);
    const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
    const path = colon < 0 ? name : name.slice(0, colon);
    const slash = path.indexOf('/');
    const first = slash < 0 ? '' : path.slice(0, slash);
    const named = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
    const registry = !named || first === 'index.docker.io' ? 'docker.io' : first;
    const rest = named ? path.slice(slash + 1) : path;
    const inLibrary = registry === 'docker.io' && !rest.includes('/') && rest !== '**';
    return {
        registry,
        repository: `${registry}/${inLibrary ? 'library/' : ''}${rest}`,
        pullable: colon < 0 && digest === undefined ? `${text}:latest` : text,
        ...(colon < 0 ? {} : { tag: name.slice(colon + 1) }),
        ...(digest === undefined ? {} : { digest }),
    };
}
function digestOf(text, image) {
    const wanted = parseReference(text);
    const own = image.repoDigests.filter((entry) => parseReference(entry).repository === wanted.repository);
    return own.find((entry) => wanted.digest !== undefined && entry.endsWith(`@${wanted.digest}`)) ?? own[0] ?? image.id;
}


/***/ })

};
