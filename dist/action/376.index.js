export const id = 376;
export const ids = [376,0];
export const modules = {

/***/ 57458:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   FV: () => (/* binding */ agentEnvironment),
/* harmony export */   Ih: () => (/* binding */ startAgent),
/* harmony export */   Y6: () => (/* binding */ requestStop),
/* harmony export */   kh: () => (/* binding */ waitForEnd),
/* harmony export */   qi: () => (/* binding */ requireProgram)
/* harmony export */ });
/* harmony import */ var node_child_process__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(31421);
/* harmony import */ var node_fs_promises__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(51455);
/* harmony import */ var node_net__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(77030);
/* harmony import */ var node_os__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(48161);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(76760);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(54792);
/* harmony import */ var _record_owner_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(7047);
/* harmony import */ var _record_schema_js__WEBPACK_IMPORTED_MODULE_7__ = __webpack_require__(16526);
var __addDisposableResource = (undefined && undefined.__addDisposableResource) || function (env, value, async) {
    if (value !== null && value !== void 0) {
        if (typeof value !== "object" && typeof value !== "function") throw new TypeError("Object expected.");
        var dispose, inner;
        if (async) {
            if (!Symbol.asyncDispose) throw new TypeError("Symbol.asyncDispose is not defined.");
            dispose = value[Symbol.asyncDispose];
        }
        if (dispose === void 0) {
            if (!Symbol.dispose) throw new TypeError("Symbol.dispose is not defined.");
            dispose = value[Symbol.dispose];
            if (async) inner = dispose;
        }
        if (typeof dispose !== "function") throw new TypeError("Object not disposable.");
        if (inner) dispose = function() { try { inner.call(this); } catch (e) { return Promise.reject(e); } };
        env.stack.push({ value: value, dispose: dispose, async: async });
    }
    else if (async) {
        env.stack.push({ async: true });
    }
    return value;
};
var __disposeResources = (undefined && undefined.__disposeResources) || (function (SuppressedError) {
    return function (env) {
        function fail(e) {
            env.error = env.hasError ? new SuppressedError(e, env.error, "An error was suppressed during disposal.") : e;
            env.hasError = true;
        }
        var r, s = 0;
        function next() {
            while (r = env.stack.pop()) {
                try {
                    if (!r.async && s === 1) return s = 0, env.stack.push(r), Promise.resolve().then(next);
                    if (r.dispose) {
                        var result = r.dispose.call(r.value);
                        if (r.async) return s |= 2, Promise.resolve(result).then(next, function(e) { fail(e); return next(); });
                    }
                    else s |= 1;
                }
                catch (e) {
                    fail(e);
                }
            }
            if (s === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
            if (env.hasError) throw env.error;
        }
        return next();
    };
})(typeof SuppressedError === "function" ? SuppressedError : function (error, suppressed, message) {
    var e = new Error(message);
    return e.name = "SuppressedError", e.error = error, e.suppressed = suppressed, e;
});








function agentEnvironment(step, agentVariables, forwarded) {
    const kept = Object.entries(step).filter((entry) => entry[1] !== undefined && (!/^(INPUT|ACTIONS)_/i.test(entry[0]) || forwarded.includes(entry[0])));
    return { ...Object.fromEntries(kept), ...agentVariables };
}
const FEW_HEAPS = { MALLOC_ARENA_MAX: '2' };
async function requireProgram(script) {
    try {
        await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.access)(script, node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.constants.R_OK);
    }
    catch (cause) {
        const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
        const reason = missing ? `its program ${script} is missing` : (0,_outcome_js__WEBPACK_IMPORTED_MODULE_5__/* .messageOf */ .bD)(cause);
        const advice = 'Use the action at a released version, or build its dist folder (`npm run build`).';
        throw new _outcome_js__WEBPACK_IMPORTED_MODULE_5__/* .OutcomeError */ .Rz('failed', `Failed to start the agent for this job: ${reason}. ${advice}`, { cause });
    }
}
async function startAgent(command) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const { nodePath, script, runDirectory, configFile, defaults, labels, environment } = command;
        await requireProgram(script);
        const args = [script, 'run', '--drain-on-stdin-end', '--run-directory', runDirectory];
        if (configFile !== undefined)
            args.push('--config', configFile);
        for (const [key, value] of Object.entries(defaults))
            args.push('--default', `${key}=${value}`);
        for (const [key, value] of Object.entries(labels))
            args.push('--label', `${key}=${value}`);
        const log = __addDisposableResource(env_1, await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.open)((0,node_path__WEBPACK_IMPORTED_MODULE_4__.join)(runDirectory, _record_schema_js__WEBPACK_IMPORTED_MODULE_7__/* .RUN_FILES */ .al.log), 'a', 0o600), true);
        const child = (0,node_child_process__WEBPACK_IMPORTED_MODULE_0__.spawn)(nodePath, args, {
            cwd: (0,node_path__WEBPACK_IMPORTED_MODULE_4__.dirname)(script),
            detached: true,
            stdio: ['pipe', log.fd, log.fd],
            env: { ...FEW_HEAPS, ...environment },
        });
        let exit;
        child.once('exit', (code, signal) => {
            exit = { code, signal };
        });
        await new Promise((resolve, reject) => {
            child.once('spawn', resolve);
            child.once('error', (cause) => {
                reject(new _outcome_js__WEBPACK_IMPORTED_MODULE_5__/* .OutcomeError */ .Rz('failed', `Failed to start the agent with ${nodePath}: ${cause.message}.`, { cause }));
            });
        });
        child.stdin?.on('error', () => undefined);
        if (child.stdin instanceof node_net__WEBPACK_IMPORTED_MODULE_2__.Socket)
            child.stdin.unref();
        child.unref();
        const pid = child.pid ?? 0;
        return { owner: (0,_record_owner_js__WEBPACK_IMPORTED_MODULE_6__/* .ownerOf */ .bf)(pid) ?? { host: (0,node_os__WEBPACK_IMPORTED_MODULE_3__.hostname)(), pid, started: 'gone' }, exit: () => exit };
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        const result_1 = __disposeResources(env_1);
        if (result_1)
            await result_1;
    }
}
function requestStop(owner) {
    return (0,_record_owner_js__WEBPACK_IMPORTED_MODULE_6__/* .signalOwner */ .E7)(owner, 'SIGINT');
}
async function waitForEnd(owner, ms, signal) {
    const deadline = performance.now() + ms;
    while ((0,_record_owner_js__WEBPACK_IMPORTED_MODULE_6__/* .isAlive */ ._n)(owner)) {
        if (performance.now() >= deadline || signal?.aborted)
            return false;
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return true;
}


/***/ }),

/***/ 9000:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   WK: () => (/* binding */ consoleLine),
/* harmony export */   fd: () => (/* binding */ uncolouredLine),
/* harmony export */   plainText: () => (/* binding */ plainText),
/* harmony export */   wv: () => (/* binding */ pageLine)
/* harmony export */ });
/* harmony import */ var _log_terminal_text_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(58105);

const COLOUR = String.raw `\u001b\[[0-9;:]*m`;
const IGNORED = String.raw `\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}`;
const UNSEEN = String.raw `(?:${COLOUR}|(?!\u001b)[${IGNORED}])*`;
const COMMAND_AT_START = new RegExp(`^((?:${COLOUR}|(?!\\u001b)[\\s${IGNORED}])*:${UNSEEN})(?=:)`, 'u');
const COMMAND_ANYWHERE = new RegExp(`#${UNSEEN}#${UNSEEN}(?=\\[)`, 'gu');
const MAX_STATES = 3;
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/gu;
function consoleLine(text) {
    return defused((0,_log_terminal_text_js__WEBPACK_IMPORTED_MODULE_0__/* .stripControl */ .k)(visibleBreaks(fewStates(text)), { colours: true }));
}
function uncolouredLine(text) {
    return defused(pageLine(fewStates(text)));
}
function pageLine(text) {
    return (0,_log_terminal_text_js__WEBPACK_IMPORTED_MODULE_0__/* .stripControl */ .k)(visibleBreaks(text));
}
function plainText(text, maxLength = 500) {
    const stripped = (0,_log_terminal_text_js__WEBPACK_IMPORTED_MODULE_0__/* .stripControl */ .k)(text.slice(0, maxLength * 4).replace(/\s+/g, ' ')).replace(DIRECTION, '');
    const plain = defused(stripped.replace(/\s+/g, ' ').trim());
    return plain.length > maxLength ? `${plain.slice(0, maxLength - 1)}…` : plain;
}
function fewStates(text) {
    if (!text.includes('\r'))
        return text;
    const states = text.split('\r').filter((state) => (0,_log_terminal_text_js__WEBPACK_IMPORTED_MODULE_0__/* .stripControl */ .k)(state).trim() !== '');
    if (states.length <= MAX_STATES)
        return states.join('\r');
    return [states[0], ` … ${states.length - 2} states … `, states.at(-1)].join('\r');
}
function visibleBreaks(text) {
    return text
        .replace(/\r+$/, '')
        .replaceAll('\r', '␍')
        .replace(/[\u2028\u2029]/g, '␤')
        .replace(DIRECTION, '');
}
function defused(line) {
    return line.replace(COMMAND_AT_START, '$1 ').replace(COMMAND_ANYWHERE, '$& ');
}


/***/ }),

/***/ 11376:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  doctor: () => (/* binding */ doctor)
});

// EXTERNAL MODULE: ../../main/node_modules/@actions/core/lib/core.js + 11 modules
var core = __webpack_require__(42077);
// EXTERNAL MODULE: ./lib/outcome.js
var lib_outcome = __webpack_require__(54792);
// EXTERNAL MODULE: ../../main/node_modules/zod/v4/classic/schemas.js + 17 modules
var schemas = __webpack_require__(47838);
;// CONCATENATED MODULE: ./lib/record/doctor-report.js


const CHECK_STATUSES = ['passed', 'warning', 'failed', 'unknown', 'skipped'];
const outcome = schemas/* enum */.k5n(lib_outcome/* OUTCOME_NAMES */._m);
const doctorCheckSchema = schemas/* object */.Ikc({
    id: schemas/* string */.YjP(),
    title: schemas/* string */.YjP(),
    status: schemas/* enum */.k5n(CHECK_STATUSES),
    detail: schemas/* string */.YjP(),
    seconds: schemas/* number */.aig(),
    outcome: outcome.optional(),
});
const doctorReportSchema = schemas/* object */.Ikc({
    schema: schemas/* literal */.euz(1),
    version: schemas/* string */.YjP(),
    outcome,
    exitCode: schemas/* number */.aig().int(),
    checks: schemas/* array */.YOg(doctorCheckSchema),
});
const CHECK_SIGNS = {
    passed: '✔',
    warning: '!',
    failed: '✘',
    unknown: '?',
    skipped: '–',
};
function countChecks(checks) {
    const words = {
        passed: 'passed',
        warning: 'with a warning',
        failed: 'failed',
        unknown: 'could not be told',
        skipped: 'skipped',
    };
    const counts = CHECK_STATUSES.map((status) => [checks.filter((check) => check.status === status).length, status]);
    const said = counts
        .filter(([count]) => count !== 0)
        .map(([count, status]) => `${count} ${words[status]}`);
    return `${checks.length} checks: ${said.join(', ')}.`;
}

// EXTERNAL MODULE: ./lib/troubleshooting.js
var troubleshooting = __webpack_require__(83066);
// EXTERNAL MODULE: ./lib/action/agent-process.js
var agent_process = __webpack_require__(57458);
// EXTERNAL MODULE: external "node:child_process"
var external_node_child_process_ = __webpack_require__(31421);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(76760);
// EXTERNAL MODULE: ./lib/action/console-text.js
var console_text = __webpack_require__(9000);
;// CONCATENATED MODULE: ./lib/action/agent-report.js





const LEAVE_MS = 1_000;
const MAX_OUTPUT = 1024 * 1024;
const MAX_QUOTED = 2_000;
async function agentReport(command) {
    const { job, args, environment, deadlineMs, onLogLine } = command;
    const { nodePath, agentScript: script, cancelled } = job;
    await (0,agent_process/* requireProgram */.qi)(script);
    const child = (0,external_node_child_process_.spawn)(nodePath, [script, ...args], {
        cwd: (0,external_node_path_.dirname)(script),
        stdio: ['ignore', 'pipe', 'pipe'],
        env: environment,
    });
    let [printed, said] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text) => {
        printed = `${printed}${text}`.slice(0, MAX_OUTPUT);
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
        said = `${said}${text}`.slice(-MAX_QUOTED);
    });
    if (onLogLine !== undefined)
        onLines(child.stderr, onLogLine);
    const ended = new Promise((resolve, reject) => {
        child.once('error', (cause) => reject(unreported(command, `it could not be started: ${cause.message}`, cause)));
        child.once('close', resolve);
    });
    const { promise: left, resolve: leave } = Promise.withResolvers();
    const onCancel = () => {
        child.kill('SIGINT');
        setTimeout(() => leave(null), LEAVE_MS);
    };
    const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMs);
    cancelled.addEventListener('abort', onCancel, { once: true });
    if (cancelled.aborted)
        onCancel();
    try {
        const code = await Promise.race([ended, left]);
        if (cancelled.aborted)
            return undefined;
        const otherwise = `it ended with ${code ?? 'a signal'} and said: ${said}`;
        try {
            return command.read(JSON.parse(printed));
        }
        catch (cause) {
            throw unreported(command, otherwise, cause);
        }
    }
    finally {
        clearTimeout(timer);
        cancelled.removeEventListener('abort', onCancel);
    }
}
function unreported({ name }, reason, cause) {
    const shown = (0,console_text.plainText)(reason, MAX_QUOTED + 100);
    return new lib_outcome/* OutcomeError */.Rz('failed', `Failed to run ${name} for this job: ${shown}.`, { cause });
}
function onLines(stream, onLine) {
    let rest = '';
    stream.on('data', (text) => {
        const lines = `${rest}${text}`.split('\n');
        rest = (lines.pop() ?? '').slice(0, MAX_OUTPUT);
        for (const line of lines)
            onLine(line);
    });
    stream.on('end', () => {
        if (rest !== '')
            onLine(rest);
    });
}

// EXTERNAL MODULE: ./lib/action/id-token.js
var id_token = __webpack_require__(72054);
// EXTERNAL MODULE: ./lib/action/inputs.js + 18 modules
var action_inputs = __webpack_require__(54893);
// EXTERNAL MODULE: ./lib/action/job.js
var action_job = __webpack_require__(33656);
// EXTERNAL MODULE: ./lib/action/labels.js
var labels = __webpack_require__(6076);
// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(51455);
// EXTERNAL MODULE: ./lib/action/publish/markup.js
var markup = __webpack_require__(46471);
;// CONCATENATED MODULE: ./lib/action/publish/doctor-summary.js






const MAX_ROWS = 50;
const MAX_DETAIL = 3_000;
function renderDoctorSummary({ checks, outcome }) {
    const rows = checks.map(({ status, title, detail }) => [
        `${CHECK_SIGNS[status]}&nbsp;${status}`,
        (0,markup/* escapeHtml */.ZD)((0,console_text.plainText)(title)),
        `${(0,markup/* escapeHtml */.ZD)((0,console_text.plainText)(detail, MAX_DETAIL))}${status === 'failed' ? (0,markup/* entryLink */.bM)(detail) : ''}`,
    ]);
    const failed = checks.some(({ status }) => status === 'failed');
    const end = failed ? ` A run would end as <code>${(0,markup/* escapeHtml */.ZD)(outcome)}</code>.` : '';
    return `## ${failed ? 'Something is in the way of a run' : 'A run has all that it needs'}

<p>${(0,markup/* escapeHtml */.ZD)(countChecks(checks))}${end} Nothing was claimed.</p>

${(0,markup/* titledTable */.No)(['', 'Check', 'Finding'], rows, { maxRows: MAX_ROWS, what: 'checks' })}
`;
}
async function publishDoctorSummary({ GITHUB_STEP_SUMMARY: file }, report) {
    try {
        if (!file)
            throw new Error('the runner offers no file for it');
        await (0,promises_.appendFile)(file, renderDoctorSummary(report));
    }
    catch (error) {
        const cause = (0,console_text.plainText)((0,lib_outcome/* messageOf */.bD)(error));
        core/* warning */.$e(`Failed to write the summary for this step: ${cause}. The console has the same facts.`);
    }
}

// EXTERNAL MODULE: ./lib/action/publish/outputs.js
var outputs = __webpack_require__(86745);
// EXTERNAL MODULE: ./lib/action/stdout.js
var stdout = __webpack_require__(79008);
;// CONCATENATED MODULE: ./lib/action/doctor.js














const DOCTOR_MS = 40 * 60_000;
async function doctor(sources) {
    const { job, folder } = sources;
    const refusal = await writtenIdToken(sources);
    job.cancelled.throwIfAborted();
    const found = await diagnosis(sources);
    const report = found === undefined || refusal === undefined ? found : explained(found, refusal);
    if (report === undefined) {
        core/* info */.pq('The CI job was cancelled: the checks were left.');
        core/* setOutput */.uH('outcome', 'interrupted');
        return action_job/* CANCELLED_EXIT_CODE */.p;
    }
    const { checks, outcome } = report;
    const width = Math.max(...checks.map(({ title }) => title.length));
    const lines = checks.map(({ status, title, detail }) => `${(0,console_text/* consoleLine */.WK)(`${CHECK_SIGNS[status]} ${title.padEnd(width)}  ${detail}`)}\n`);
    await (0,stdout/* writerOf */.b)(job.stdout, job.cancelled)(`${lines.join('')}\n`);
    const failed = checks.filter(({ status }) => status === 'failed');
    const message = failed.length === 0 ? countChecks(checks) : `${countChecks(checks)} ${lib_outcome/* OUTCOMES */.im[outcome].sentence}`;
    (0,outputs/* setRunOutputs */.iB)({ outcome, message, forwarded: [], notices: [], steps: [] }, folder.runDirectory);
    (0,outputs/* setArtifactOutputs */.Jg)(undefined);
    await publishDoctorSummary(job.environment, report);
    for (const { title, detail } of checks.filter(({ status }) => status === 'warning')) {
        core/* warning */.$e((0,console_text.plainText)(detail, 2_000), { title: (0,console_text.plainText)(title) });
    }
    for (const { title, detail } of failed)
        core/* error */.z3((0,troubleshooting/* withEntry */.rM)((0,console_text.plainText)(detail, 2_000)), { title: (0,console_text.plainText)(title) });
    if (failed.length === 0)
        core/* info */.pq(message);
    else
        core/* setFailed */.C1(message);
    return failed.length === 0 ? 0 : 1;
}
async function writtenIdToken({ folder, idToken }) {
    try {
        const token = await idToken;
        if (token !== undefined)
            await (0,id_token/* writeIdToken */.KT)(folder.idTokenFile, token);
        return undefined;
    }
    catch (error) {
        return (0,lib_outcome/* messageOf */.bD)(error);
    }
}
function explained(report, refusal) {
    const checks = report.checks.map((check) => check.id === 'id-token' && check.status === 'failed' ? { ...check, detail: (0,console_text.plainText)(refusal, 2_000) } : check);
    return { ...report, checks };
}
function diagnosis({ job, inputs, folder }) {
    const args = ['doctor', '--json', '--run-directory', folder.runDirectory];
    if (inputs.configFile !== undefined)
        args.push('--config', inputs.configFile);
    for (const [key, value] of Object.entries(action_inputs/* ACTION_DEFAULTS */.O5))
        args.push('--default', `${key}=${value}`);
    for (const [key, value] of Object.entries((0,labels/* labelsOf */.P)(job)))
        args.push('--label', `${key}=${value}`);
    return agentReport({
        job,
        name: 'the doctor',
        args,
        environment: (0,agent_process/* agentEnvironment */.FV)(job.environment, inputs.agentVariables, inputs.config.envForwardAllowlist),
        deadlineMs: DOCTOR_MS,
        read: (json) => doctorReportSchema.parse(json),
    });
}


/***/ }),

/***/ 6076:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   P: () => (/* binding */ labelsOf)
/* harmony export */ });
function labelsOf({ environment }) {
    const { GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_JOB, GITHUB_RUN_ATTEMPT } = environment;
    if (GITHUB_REPOSITORY === undefined || GITHUB_RUN_ID === undefined)
        return {};
    return {
        'pulumi-runner.ci-run': `${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`,
        'pulumi-runner.ci-job': GITHUB_JOB ?? '',
        'pulumi-runner.ci-attempt': GITHUB_RUN_ATTEMPT ?? '',
    };
}


/***/ }),

/***/ 46471:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   JE: () => (/* binding */ deploymentText),
/* harmony export */   No: () => (/* binding */ titledTable),
/* harmony export */   ZD: () => (/* binding */ escapeHtml),
/* harmony export */   aY: () => (/* binding */ code),
/* harmony export */   bM: () => (/* binding */ entryLink),
/* harmony export */   nf: () => (/* binding */ link),
/* harmony export */   tp: () => (/* binding */ table)
/* harmony export */ });
/* harmony import */ var _troubleshooting_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(83066);
/* harmony import */ var _console_text_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9000);


function escapeHtml(text) {
    const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
    return text.toWellFormed().replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
function code(value, maxLength = 200) {
    return `<code>${escapeHtml((0,_console_text_js__WEBPACK_IMPORTED_MODULE_0__.plainText)(value, maxLength))}</code>`;
}
function link(label, address) {
    if (address === undefined || address.length > 2_000 || !/^https?:\/\/[^\s\p{Cc}]+$/u.test(address))
        return label;
    return `<a href="${escapeHtml(address)}">${label}</a>`;
}
function entryLink(message) {
    const entry = (0,_troubleshooting_js__WEBPACK_IMPORTED_MODULE_1__/* .entryFor */ .cy)(message);
    return entry === undefined ? '' : ` ${link('Causes and remedies', entry)}`;
}
function deploymentText({ deploymentId, deploymentUrl, consoleUrl }) {
    const name = code(deploymentId);
    const linked = link(name, deploymentUrl);
    if (linked !== name)
        return `Deployment ${linked} in Pulumi Cloud`;
    const page = 'the organization’s deployments in Pulumi Cloud';
    const among = link(page, consoleUrl);
    return `Deployment ${name}${among === page ? '' : `, among ${among}`}`;
}
function table(rows) {
    if (rows.length === 0)
        return '';
    const cells = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
    return `<table>${cells.join('')}</table>`;
}
function titledTable(titles, rows, { maxRows, what }) {
    if (rows.length === 0)
        return '';
    const more = rows.length > maxRows ? [[`… and ${rows.length - maxRows} more ${what}`]] : [];
    return table([titles.map((title) => `<b>${title}</b>`), ...rows.slice(0, maxRows), ...more]);
}


/***/ }),

/***/ 86745:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Jg: () => (/* binding */ setArtifactOutputs),
/* harmony export */   eU: () => (/* binding */ setKnownOutputs),
/* harmony export */   iB: () => (/* binding */ setRunOutputs)
/* harmony export */ });
/* harmony import */ var _actions_core__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(42077);

function setKnownOutputs(event) {
    try {
        if (event.type === 'health-listening')
            _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('health-url', event.url);
        if (event.type !== 'claimed')
            return;
        _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('deployment-id', event.deploymentId);
        _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('run-id', event.runId);
        _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('job-id', event.jobId);
        _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('console-url', event.deploymentUrl ?? event.consoleUrl ?? '');
        _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('wait-seconds', seconds(event.waitSeconds));
    }
    catch {
    }
}
function setRunOutputs(report, runDirectory) {
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('outcome', report.outcome);
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('reported', report.reported === undefined ? '' : String(report.reported));
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('deployment-id', report.deploymentId ?? '');
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('run-id', report.runId ?? '');
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('job-id', report.jobId ?? '');
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('console-url', report.deploymentUrl ?? report.consoleUrl ?? '');
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('wait-seconds', seconds(report.waitSeconds));
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('run-seconds', seconds(report.runSeconds));
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('run-directory', runDirectory);
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('health-url', report.healthUrl ?? '');
}
function setArtifactOutputs(artifact) {
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('artifact-id', artifact?.id ?? '');
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('artifact-url', artifact?.url ?? '');
}
function seconds(value) {
    return value === undefined ? '' : String(Math.round(value * 10) / 10);
}


/***/ }),

/***/ 79008:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   b: () => (/* binding */ writerOf)
/* harmony export */ });
function writerOf(stream, signal) {
    return async (text) => {
        if (stream.destroyed || stream.write(text) || signal.aborted)
            return;
        await new Promise((resolve) => {
            const end = () => {
                stream.off('drain', end);
                stream.off('close', end);
                signal.removeEventListener('abort', end);
                resolve();
            };
            stream.once('drain', end);
            stream.once('close', end);
            signal.addEventListener('abort', end, { once: true });
        });
    };
}


/***/ }),

/***/ 58105:
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

/***/ 16526:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  al: () => (/* reexport */ RUN_FILES),
  $K: () => (/* binding */ ownerSchema),
  HA: () => (/* binding */ recordEventSchema),
  sp: () => (/* binding */ runResultSchema)
});

// UNUSED EXPORTS: placeSchema, stepResultSchema

// EXTERNAL MODULE: ../../main/node_modules/zod/v4/classic/schemas.js + 17 modules
var schemas = __webpack_require__(47838);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(54792);
;// CONCATENATED MODULE: ./lib/record/files.js
const RUN_FILES = {
    log: 'agent.log',
    events: 'events.ndjson',
    health: 'health.ndjson',
    steps: 'steps',
    result: 'run.json',
};

;// CONCATENATED MODULE: ./lib/record/schema.js



const schema_outcome = schemas/* enum */.k5n(outcome/* OUTCOME_NAMES */._m);
const stepStatus = schemas/* enum */.k5n(['succeeded', 'failed']);
const ownerSchema = schemas/* object */.Ikc({
    host: schemas/* string */.YjP(),
    pid: schemas/* number */.aig().int().positive(),
    started: schemas/* string */.YjP(),
});
const placeSchema = schemas/* discriminatedUnion */.gMt('target', [
    schemas/* object */.Ikc({ target: schemas/* literal */.euz('docker') }),
    schemas/* object */.Ikc({
        target: schemas/* literal */.euz('kubernetes'),
        kubeconfig: schemas/* string */.YjP().optional(),
        context: schemas/* string */.YjP(),
        server: schemas/* string */.YjP(),
        namespace: schemas/* string */.YjP(),
    }),
]);
const eventBodies = schemas/* discriminatedUnion */.gMt('type', [
    schemas/* object */.Ikc({
        type: schemas/* literal */.euz('agent-started'),
        version: schemas/* string */.YjP(),
        owner: ownerSchema,
        space: schemas/* string */.YjP().optional(),
    }),
    schemas/* object */.Ikc({ type: schemas/* literal */.euz('health-listening'), url: schemas/* string */.YjP() }),
    schemas/* object */.Ikc({ type: schemas/* literal */.euz('target-ready'), target: schemas/* string */.YjP(), detail: schemas/* string */.YjP() }),
    schemas/* object */.Ikc({ type: schemas/* literal */.euz('authenticated'), method: schemas/* enum */.k5n(['oidc', 'token']), expiresAt: schemas/* string */.YjP().optional() }),
    schemas/* object */.Ikc({ type: schemas/* literal */.euz('waiting'), polls: schemas/* number */.aig(), nextPollSeconds: schemas/* number */.aig() }),
    schemas/* object */.Ikc({ type: schemas/* literal */.euz('place'), place: placeSchema }),
    schemas/* object */.Ikc({
        type: schemas/* literal */.euz('claimed'),
        deploymentId: schemas/* string */.YjP(),
        runId: schemas/* string */.YjP(),
        jobId: schemas/* string */.YjP(),
        waitSeconds: schemas/* number */.aig(),
        deploymentUrl: schemas/* string */.YjP().optional(),
        consoleUrl: schemas/* string */.YjP().optional(),
    }),
    schemas/* object */.Ikc({ type: schemas/* literal */.euz('job-loaded'), image: schemas/* string */.YjP(), steps: schemas/* array */.YOg(schemas/* string */.YjP()) }),
    schemas/* object */.Ikc({ type: schemas/* literal */.euz('step-started'), index: schemas/* number */.aig().int(), step: schemas/* string */.YjP(), log: schemas/* string */.YjP() }),
    schemas/* object */.Ikc({
        type: schemas/* literal */.euz('step-finished'),
        index: schemas/* number */.aig().int(),
        step: schemas/* string */.YjP(),
        status: stepStatus,
        exitCode: schemas/* number */.aig().optional(),
        seconds: schemas/* number */.aig(),
        lines: schemas/* number */.aig().int(),
        reason: schemas/* string */.YjP().optional(),
    }),
    schemas/* object */.Ikc({ type: schemas/* literal */.euz('stopping'), by: schemas/* enum */.k5n(['cloud', 'signal', 'lease', 'timeout']), reason: schemas/* string */.YjP() }),
    schemas/* object */.Ikc({ type: schemas/* literal */.euz('notice'), level: schemas/* enum */.k5n(['info', 'warning']), message: schemas/* string */.YjP() }),
    schemas/* object */.Ikc({ type: schemas/* literal */.euz('outcome'), outcome: schema_outcome, exitCode: schemas/* number */.aig().int(), message: schemas/* string */.YjP() }),
]);
const recordEventSchema = schemas/* intersection */.E$q(eventBodies, schemas/* object */.Ikc({ t: schemas/* string */.YjP() }));
const stepResultSchema = schemas/* object */.Ikc({
    index: schemas/* number */.aig().int(),
    name: schemas/* string */.YjP(),
    status: schemas/* enum */.k5n(['not-started', 'succeeded', 'failed']),
    exitCode: schemas/* number */.aig().optional(),
    startedAt: schemas/* string */.YjP().optional(),
    finishedAt: schemas/* string */.YjP().optional(),
    reason: schemas/* string */.YjP().optional(),
    log: schemas/* string */.YjP().optional(),
    lines: schemas/* number */.aig().int(),
    bytes: schemas/* number */.aig().int(),
    sha256: schemas/* string */.YjP().optional(),
    cloud: schemas/* object */.Ikc({
        sent: schemas/* number */.aig().int(),
        undelivered: schemas/* number */.aig().int(),
        batches: schemas/* number */.aig().int().optional(),
        retries: schemas/* number */.aig().int().optional(),
        failures: schemas/* number */.aig().int().optional(),
    }),
    lost: schemas/* number */.aig().int().optional(),
});
const runResultSchema = schemas/* object */.Ikc({
    schema: schemas/* literal */.euz(1),
    outcome: schema_outcome,
    exitCode: schemas/* number */.aig().int(),
    message: schemas/* string */.YjP(),
    version: schemas/* string */.YjP(),
    owner: ownerSchema,
    serviceUrl: schemas/* string */.YjP().optional(),
    deploymentId: schemas/* string */.YjP().optional(),
    runId: schemas/* string */.YjP().optional(),
    jobId: schemas/* string */.YjP().optional(),
    consoleUrl: schemas/* string */.YjP().optional(),
    deploymentUrl: schemas/* string */.YjP().optional(),
    startedAt: schemas/* string */.YjP(),
    claimedAt: schemas/* string */.YjP().optional(),
    finishedAt: schemas/* string */.YjP(),
    waitSeconds: schemas/* number */.aig(),
    runSeconds: schemas/* number */.aig(),
    image: schemas/* string */.YjP().optional(),
    imageDigest: schemas/* string */.YjP().optional(),
    reported: schemas/* boolean */.zMY().optional(),
    forwarded: schemas/* array */.YOg(schemas/* string */.YjP()),
    notices: schemas/* array */.YOg(schemas/* string */.YjP()),
    steps: schemas/* array */.YOg(stepResultSchema),
});


/***/ }),

/***/ 83066:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   cy: () => (/* binding */ entryFor),
/* harmony export */   rM: () => (/* binding */ withEntry)
/* harmony export */ });
/* unused harmony exports TROUBLESHOOTING_PAGE, BEGINNINGS, beginningOf, anchorOf */
const TROUBLESHOOTING_PAGE = 'https://github.com/org/pulumi-runner-action/blob/v1/TROUBLESHOOTING.md';
const BEGINNINGS = [
    "Failed to load the agent's configuration",
    'Failed to read the command line',
    'Failed to read … for the agent',
    'Failed to open the log for the agent',
    'Failed to open syslog for the agent',
    'Failed to serve /healthz for the agent',
    'Failed to make the directory for the run',
    'Failed to write to the run directory',
    'Failed to write the configuration',
    'Failed to start the agent',
    'Failed to run the agent for the pool',
    'Failed to run … for this job',
    'Failed to plan for this job',
    'The agent (process …) was killed',
    'The agent (process …) ended with exit code',
    "Failed to get this job's ID token",
    'Failed to read the ID token',
    'Failed to exchange the ID token',
    'Failed to authenticate',
    'Failed to use the token for the pool',
    'Failed to ask what the pool token may do',
    'Failed to look up',
    'Failed to connect to',
    'Failed to get through the proxy',
    'Failed to trust',
    'Failed to poll for work',
    'Failed to greet Pulumi Cloud',
    'Failed to read the claim',
    'Failed to acknowledge the claim',
    "Failed to read the deployment's status",
    'Failed to read the job definition',
    'Failed to read the timeout',
    'Failed to report step',
    'Failed to send log lines',
    'Failed to send a heartbeat',
    "Failed to keep the heartbeats' own thread",
    'Failed to reach the Docker engine',
    'Failed to use the Docker engine',
    'Failed to read the Docker context',
    'Failed to read … for the Docker target',
    'Failed to read … for the encrypted connection',
    'Failed to read the Docker configuration',
    'Failed to ask … for the login of',
    'Failed to use the image for the job',
    "Failed to read the image's name",
    'Failed to pull the image for the job',
    'Failed to find the image for the job',
    'Failed to start a container for the job',
    'Failed to make a network for the job',
    'Failed to start the step in its container',
    'Failed to follow the step in its container',
    'Failed to finish the step in container',
    'Failed to read the environment file',
    'Failed to remove container',
    'Failed to remove network',
    'Failed to run … of the workflow',
    'Failed to run the workflow',
    'Failed to finish',
    "The workflow's steps succeeded, but Pulumi Cloud",
    'Failed to find the cluster for jobs',
    'Failed to read … for the cluster',
    'Failed to reach the Kubernetes API server',
    'Failed to get access to',
    'Failed to … for the job: the cluster does not accept these credentials',
    'Failed to … for the job: the cluster forbids it',
    "Failed to … for the job: the namespace's quota is used up",
    "Failed to … for the job: the namespace's quota wants to know",
    'Failed to … for the job: an admission rule of the cluster refused it',
    'Failed to … for the job: the cluster calls it invalid',
    'Failed to … for the job: the API server answered',
    'Failed to read the pod template',
    'Failed to use the pod template',
    'Failed to start pod',
    'Failed to schedule pod',
    'Failed to pull image … for the job',
    'Failed to find image … for the job',
    'Failed to enter the pod',
    'Failed to put file',
    'Failed to start the step for the job',
    'Failed to finish the step in pod',
    'Failed to remove pod',
    'Failed to start … for',
    'Failed to start … deployments for their stacks',
    'Failed to choose the stacks',
    'Failed to list the stacks',
    "Failed to read the organization's load",
    'Failed to read the deployments',
    'Failed to upload the artifact',
    'Failed to write the summary',
    'Failed to write report.html',
    'Failed to write the result',
    'Failed to look for old run directories',
    'Failed to remove the run directory',
    'Failed to write an event',
    'Failed to read an event',
    'Failed to read the result',
    'Failed to … the step log',
    'Failed to write to syslog',
    'Failed to finish the run in the post step',
    'Failed to remove … after the run',
    'Failed to read the job for debug workflow-runner',
];
function beginningOf(message) {
    const open = (beginning) => Number(beginning.includes('…'));
    return BEGINNINGS.filter((beginning) => startsWith(message, beginning)).sort((a, b) => open(a) - open(b) || b.length - a.length)[0];
}
function entryFor(message) {
    const beginning = beginningOf(message);
    return beginning === undefined ? undefined : `${TROUBLESHOOTING_PAGE}#${anchorOf(beginning)}`;
}
function withEntry(message) {
    const entry = entryFor(message);
    return entry === undefined ? message : `${message}${message.includes('\n') ? '\n' : ' '}See ${entry}`;
}
function anchorOf(heading) {
    return heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
        .replaceAll(' ', '-');
}
const MAX_NAME = 300;
function startsWith(message, beginning) {
    const [first = '', rest] = beginning.split('…');
    if (!message.startsWith(first))
        return false;
    if (rest === undefined)
        return true;
    const at = message.indexOf(rest, first.length + 1);
    return at !== -1 && at - first.length <= MAX_NAME && !message.slice(first.length, at).includes('\n');
}


/***/ })

};
