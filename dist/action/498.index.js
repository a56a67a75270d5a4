export const id = 498;
export const ids = [498,0];
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

/***/ 74994:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $z: () => (/* binding */ wholeLogPlace),
/* harmony export */   C7: () => (/* binding */ Console),
/* harmony export */   r6: () => (/* binding */ TAIL_LINES)
/* harmony export */ });
/* unused harmony export MAX_STEP_BYTES */
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(76760);
/* harmony import */ var _actions_core__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(42077);
/* harmony import */ var _console_text_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(9000);
/* harmony import */ var _growing_lines_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(96256);
/* harmony import */ var _quantity_text_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(71604);





const MAX_STEP_BYTES = 10 * 1024 * 1024;
const MAX_RUN_BYTES = 64 * 1024 * 1024;
const TAIL_LINES = 20;
const OPEN_LINES = 100;
const MAX_OPEN_CHARACTERS = 1_000;
const MAX_TAIL_CHARACTERS = 3_500;
const WAITING_EVERY_MS = 60_000;
const WAITING_LONG_MS = 300_000;
function wholeLogPlace({ uploadArtifact }) {
    return uploadArtifact === 'always' ? 'artifact' : 'run directory';
}
class Console {
    #directory;
    #write;
    #now;
    #maxStepBytes;
    #place;
    #stepBytes = 0;
    #runBytesLeft;
    #inGroup = false;
    #waitingSince;
    #waitingShown = Number.NEGATIVE_INFINITY;
    constructor(options) {
        this.#directory = options.directory;
        this.#write = options.write;
        this.#now = options.now;
        this.#maxStepBytes = options.maxStepBytes ?? MAX_STEP_BYTES;
        this.#runBytesLeft = options.maxRunBytes ?? MAX_RUN_BYTES;
        this.#place = options.place ?? 'run directory';
    }
    async resumed(step) {
        this.#openGroup(`${stepTitle(step.index, step.name)} (continued)`);
    }
    async lines(step, lines) {
        const shown = [];
        for (const line of lines) {
            const text = `${(0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__/* .consoleLine */ .WK)(line.text)}${this.#pointer(line, step)}\n`;
            const bytes = Buffer.byteLength(text);
            this.#stepBytes += bytes;
            this.#runBytesLeft -= bytes;
            if (this.#stepBytes > this.#maxStepBytes || this.#runBytesLeft < 0) {
                shown.push(`… The console shows no more of this step; all of it is in ${step.log} of the ${this.#place}.\n`);
                await this.#write(shown.join(''));
                return false;
            }
            shown.push(text);
        }
        await this.#write(shown.join(''));
        return true;
    }
    async trouble(message) {
        _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .warning */ .$e((0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__.plainText)(message));
    }
    close() {
        if (this.#inGroup)
            _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .endGroup */ .N4();
        this.#inGroup = false;
    }
    async event(event, step) {
        switch (event.type) {
            case 'agent-started':
                return this.#say(`Agent ${event.version} started (process ${event.owner.pid}).`);
            case 'health-listening':
                return this.#say(`Health: ${event.url}`);
            case 'target-ready':
                return this.#say(`Jobs run on ${event.target}: ${event.detail}`);
            case 'authenticated':
                return this.#say(`Signed in to Pulumi Cloud with ${event.method === 'oidc' ? "this job's ID token" : 'a pool token'}.`);
            case 'waiting':
                return this.#waiting(event.nextPollSeconds);
            case 'claimed':
                return this.#say(`Claimed deployment ${event.deploymentId} after ${(0,_quantity_text_js__WEBPACK_IMPORTED_MODULE_4__/* .duration */ .p)(event.waitSeconds)}.`);
            case 'job-loaded':
                return this.#say(`Image ${event.image}, ${event.steps.length} steps.`);
            case 'step-started':
                this.#stepBytes = 0;
                return this.#openGroup(stepTitle(event.index, event.step));
            case 'step-finished':
                return this.#stepFinished(event, step?.log);
            case 'stopping':
                return this.#say(`Stopping: ${event.reason}`);
            case 'notice':
                if (event.level === 'info')
                    return this.#say(event.message);
                _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .warning */ .$e((0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__.plainText)(event.message));
                return;
            case 'outcome':
                return this.close();
        }
    }
    #say(sentence) {
        _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .info */ .pq((0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__.plainText)(sentence, 2_000));
    }
    #waiting(nextPollSeconds) {
        const now = this.#now();
        this.#waitingSince ??= now;
        const waited = now - this.#waitingSince;
        if (now - this.#waitingShown < (waited > WAITING_LONG_MS ? WAITING_LONG_MS : WAITING_EVERY_MS))
            return;
        this.#waitingShown = now;
        const waiting = waited === 0 ? 'Waiting for a deployment' : `Still waiting for a deployment after ${(0,_quantity_text_js__WEBPACK_IMPORTED_MODULE_4__/* .duration */ .p)(waited / 1000)}`;
        this.#say(`${waiting}; asking again in ${(0,_quantity_text_js__WEBPACK_IMPORTED_MODULE_4__/* .duration */ .p)(nextPollSeconds)}.`);
    }
    #openGroup(title) {
        this.close();
        _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .startGroup */ .Oh(title);
        this.#inGroup = true;
    }
    async #stepFinished(event, log) {
        this.close();
        const title = stepTitle(event.index, event.step);
        const figures = `${(0,_quantity_text_js__WEBPACK_IMPORTED_MODULE_4__/* .duration */ .p)(event.seconds)}, ${(0,_quantity_text_js__WEBPACK_IMPORTED_MODULE_4__/* .lineCount */ .I)(event.lines)}`;
        if (event.status === 'succeeded')
            return this.#say(`${title} succeeded (${figures}).`);
        const code = event.exitCode === undefined ? '' : ` with exit code ${event.exitCode}`;
        const reason = event.reason === undefined ? '' : `: ${event.reason}`;
        const { open, tail } = await this.#end(log);
        if (open.length > 0) {
            const lines = open.map((line) => `${(0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__/* .consoleLine */ .WK)(line.slice(0, MAX_OPEN_CHARACTERS))}\n`);
            await this.#write(`The end of step ${event.index}; its last lines stand in the error below.\n${lines.join('')}`);
        }
        _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .error */ .z3([(0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__.plainText)(`${title} failed${code} (${figures})${reason}`, 500), ...tail].join('\n'), {
            title: (0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__.plainText)(`${event.step} failed`, 100),
        });
    }
    async #end(log) {
        if (log === undefined)
            return { open: [], tail: [] };
        const lines = await (0,_growing_lines_js__WEBPACK_IMPORTED_MODULE_3__/* .lastLines */ .w)((0,node_path__WEBPACK_IMPORTED_MODULE_0__.join)(this.#directory, log), OPEN_LINES + TAIL_LINES);
        const tail = lines.slice(-TAIL_LINES).map((line) => (0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__/* .uncolouredLine */ .fd)(line).slice(0, 500));
        while (tail.join('\n').length > MAX_TAIL_CHARACTERS)
            tail.shift();
        return { open: lines.slice(0, lines.length - tail.length), tail };
    }
    #pointer({ cutBytes }, { log }) {
        return cutBytes === 0 ? '' : ` … (${cutBytes} more bytes: see ${log} of the ${this.#place})`;
    }
}
function stepTitle(index, name) {
    return `Step ${index}: ${(0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__.plainText)(name, 200)}`;
}


/***/ }),

/***/ 29397:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   l: () => (/* binding */ reportDead)
/* harmony export */ });
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(76760);
/* harmony import */ var _actions_core__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(42077);
/* harmony import */ var _record_schema_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(16526);
/* harmony import */ var _console_text_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(9000);
/* harmony import */ var _growing_lines_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(96256);
/* harmony import */ var _report_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(72165);
/* harmony import */ var _sweep_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(64007);







const LOG_LINES = 30;
async function reportDead(agent) {
    const log = await (0,_growing_lines_js__WEBPACK_IMPORTED_MODULE_4__/* .lastLines */ .w)((0,node_path__WEBPACK_IMPORTED_MODULE_0__.join)(agent.runDirectory, _record_schema_js__WEBPACK_IMPORTED_MODULE_2__/* .RUN_FILES */ .al.log), LOG_LINES);
    _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .startGroup */ .Oh("The end of the agent's own log");
    for (const line of log)
        _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .info */ .pq((0,_console_text_js__WEBPACK_IMPORTED_MODULE_3__/* .consoleLine */ .WK)(line));
    _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .endGroup */ .N4();
    const swept = await (0,_sweep_js__WEBPACK_IMPORTED_MODULE_6__/* .sweep */ .X0)(agent);
    const report = await (0,_report_js__WEBPACK_IMPORTED_MODULE_5__/* .reportWithout */ .Vq)(agent.runDirectory, { outcome: 'failed', message: '' });
    if (report.deploymentId === undefined && agent.stopping === true) {
        const message = `The CI job was cancelled before the agent (process ${agent.pid}) had claimed anything. ${(0,_sweep_js__WEBPACK_IMPORTED_MODULE_6__/* .describeSweep */ .YL)(swept)}`;
        return { ...report, outcome: 'interrupted', message };
    }
    const claimed = report.deploymentId === undefined
        ? ''
        : ` Pulumi Cloud will fail the deployment by itself when no heartbeat has come for 10 minutes; ${await howItEnds(agent.runDirectory)}.`;
    return { ...report, message: `${howItEnded(agent)}${claimed} ${(0,_sweep_js__WEBPACK_IMPORTED_MODULE_6__/* .describeSweep */ .YL)(swept)}` };
}
async function howItEnds(runDirectory) {
    const left = await (0,_sweep_js__WEBPACK_IMPORTED_MODULE_6__/* .leftBy */ .jf)(runDirectory);
    const isPod = left !== 'nothing' && left.target === 'kubernetes';
    return isPod ? 'its pod ends by itself within 5 minutes of the agent' : 'its container ends with the agent';
}
function howItEnded({ pid, exit }) {
    const agent = `The agent (process ${pid})`;
    if (exit?.signal)
        return `${agent} was killed by ${exit.signal} before it could report a result.`;
    if (exit === undefined)
        return `${agent} was killed before it could report a result.`;
    return `${agent} ended with exit code ${exit.code} and without a result; the end of its log above says why.`;
}


/***/ }),

/***/ 54753:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  Oc: () => (/* binding */ MAX_LINE_BYTES),
  g: () => (/* binding */ STEP_LOG),
  e6: () => (/* binding */ follow)
});

// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(76760);
// EXTERNAL MODULE: ./lib/record/reader.js
var record_reader = __webpack_require__(83245);
// EXTERNAL MODULE: ./lib/record/schema.js + 1 modules
var schema = __webpack_require__(16526);
// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(73024);
;// CONCATENATED MODULE: ./lib/action/change-watch.js

const POLL_MS = 400;
const SETTLE_MS = 40;
class ChangeWatch {
    #watchers = new Map();
    #changed = false;
    #wake;
    add(directory) {
        if (this.#watchers.has(directory))
            return;
        try {
            const watcher = (0,external_node_fs_.watch)(directory, { persistent: false }, () => this.#notify());
            watcher.on('error', () => this.#drop(directory));
            this.#watchers.set(directory, watcher);
        }
        catch {
        }
    }
    async next(signal) {
        if (!this.#changed)
            await this.#pause(POLL_MS, signal, true);
        await this.#pause(SETTLE_MS, signal, false);
        this.#changed = false;
    }
    [Symbol.dispose]() {
        for (const directory of [...this.#watchers.keys()])
            this.#drop(directory);
    }
    #notify() {
        this.#changed = true;
        this.#wake?.();
    }
    #drop(directory) {
        this.#watchers.get(directory)?.close();
        this.#watchers.delete(directory);
    }
    async #pause(ms, signal, wakes) {
        if (signal.aborted)
            return;
        await new Promise((resolve) => {
            const end = () => {
                clearTimeout(timer);
                signal.removeEventListener('abort', end);
                this.#wake = undefined;
                resolve();
            };
            const timer = setTimeout(end, ms);
            signal.addEventListener('abort', end, { once: true });
            if (wakes)
                this.#wake = end;
        });
    }
}

// EXTERNAL MODULE: ./lib/action/growing-lines.js
var growing_lines = __webpack_require__(96256);
;// CONCATENATED MODULE: ./lib/action/follow.js
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





const MAX_EVENT_BYTES = 4 * 1024 * 1024;
const MAX_LINE_BYTES = 8 * 1024;
const STEP_LOG = /^steps\/[\w.-]+\.log$/;
async function follow(options) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const { directory, isAlive, signal } = options;
        const changes = __addDisposableResource(env_1, new ChangeWatch(), false);
        const reader = __addDisposableResource(env_1, new RunReader(options), true);
        if (options.position.step !== undefined)
            await options.listener.resumed(options.position.step);
        while (!signal.aborted) {
            changes.add(directory);
            changes.add((0,external_node_path_.join)(directory, schema/* RUN_FILES */.al.steps));
            const alive = isAlive();
            const result = await (0,record_reader/* readResult */.Uv)(directory);
            await reader.tell();
            if (signal.aborted)
                break;
            if (result !== undefined || !alive)
                await reader.endStep();
            if (result !== undefined)
                return { kind: 'finished', result };
            if (!alive)
                return { kind: 'died' };
            await changes.next(signal);
        }
        return { kind: 'stopped' };
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
class RunReader {
    #options;
    #position;
    #listener;
    #events;
    #log;
    constructor(options) {
        this.#options = options;
        this.#position = options.position;
        this.#listener = options.listener;
        const events = (0,external_node_path_.join)(options.directory, schema/* RUN_FILES */.al.events);
        this.#events = new growing_lines/* GrowingLines */.x(events, this.#position.events, MAX_EVENT_BYTES);
        this.#openLog();
    }
    async tell() {
        for (;;) {
            const lines = await this.#events.next();
            if (lines === undefined)
                break;
            for (const line of lines) {
                await this.#tellEvent(line);
                if (this.#options.signal.aborted)
                    return;
            }
        }
        await this.#tellStep();
    }
    async endStep() {
        const { step } = this.#position;
        const last = step?.muted ? undefined : this.#log?.flush();
        if (step !== undefined && last !== undefined) {
            await this.#listener.lines(step, [last]);
            step.offset = last.end;
        }
    }
    async [Symbol.asyncDispose]() {
        await this.#events[Symbol.asyncDispose]();
        await this.#log?.[Symbol.asyncDispose]();
    }
    async #tellEvent(line) {
        const event = await this.#parse(line);
        if (event !== undefined)
            this.#options.onEvent?.(event);
        await this.#tellStep();
        if (this.#options.signal.aborted)
            return;
        if (event?.type === 'step-finished')
            await this.endStep();
        if (event !== undefined)
            await this.#listener.event(event, this.#position.step);
        this.#position.events = line.end;
        if (event?.type === 'step-started') {
            this.#position.step = { index: event.index, name: event.step, log: event.log, offset: 0, muted: false };
        }
        else if (event?.type === 'step-finished') {
            delete this.#position.step;
        }
        else {
            return;
        }
        await this.#log?.[Symbol.asyncDispose]();
        this.#log = undefined;
        this.#openLog();
    }
    async #parse(line) {
        try {
            return (0,record_reader/* parseEvent */.wj)(line.text);
        }
        catch (error) {
            if (!(error instanceof record_reader/* RecordError */.W1))
                throw error;
            await this.#listener.trouble(error.message);
            return undefined;
        }
    }
    async #tellStep() {
        const { step } = this.#position;
        if (step === undefined || this.#log === undefined || step.muted)
            return;
        const size = await this.#log.size();
        while (!this.#options.signal.aborted) {
            const lines = await this.#log.next(size);
            if (lines === undefined)
                return;
            if (lines.length === 0)
                continue;
            step.muted = !(await this.#listener.lines(step, lines));
            step.offset = this.#log.offset;
            if (step.muted)
                return;
        }
    }
    #openLog() {
        const { step } = this.#position;
        if (step === undefined || !STEP_LOG.test(step.log))
            return;
        this.#log = new growing_lines/* GrowingLines */.x((0,external_node_path_.join)(this.#options.directory, step.log), step.offset, MAX_LINE_BYTES);
    }
}


/***/ }),

/***/ 96256:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   w: () => (/* binding */ lastLines),
/* harmony export */   x: () => (/* binding */ GrowingLines)
/* harmony export */ });
/* harmony import */ var node_fs_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(51455);

const CHUNK_BYTES = 64 * 1024;
const LF = 0x0a;
class GrowingLines {
    #path;
    #maxLineBytes;
    #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    #file;
    #read;
    #done;
    #kept = [];
    #keptBytes = 0;
    constructor(path, offset, maxLineBytes) {
        this.#path = path;
        this.#read = offset;
        this.#done = offset;
        this.#maxLineBytes = maxLineBytes;
    }
    get offset() {
        return this.#done;
    }
    async size() {
        const file = await this.#opened();
        return file === undefined ? 0 : (await file.stat()).size;
    }
    async next(until = Number.POSITIVE_INFINITY) {
        const file = await this.#opened();
        const wanted = Math.min(CHUNK_BYTES, until - this.#read);
        if (file === undefined || wanted <= 0)
            return undefined;
        const { bytesRead } = await file.read(this.#chunk, 0, wanted, this.#read);
        if (bytesRead === 0)
            return undefined;
        return this.#split(this.#chunk.subarray(0, bytesRead));
    }
    flush() {
        return this.#read === this.#done ? undefined : this.#take(this.#read);
    }
    async skip() {
        this.#read = Math.max(this.#read, await this.size());
        this.#take(this.#read);
    }
    async [Symbol.asyncDispose]() {
        await this.#file?.close();
        this.#file = undefined;
    }
    async #opened() {
        if (this.#file !== undefined)
            return this.#file;
        try {
            this.#file = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.open)(this.#path, 'r');
            return this.#file;
        }
        catch (error) {
            if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
                return undefined;
            throw error;
        }
    }
    #split(bytes) {
        const lines = [];
        let start = 0;
        for (let lf = bytes.indexOf(LF); lf >= 0; lf = bytes.indexOf(LF, start)) {
            this.#keep(bytes.subarray(start, lf), false);
            start = lf + 1;
            lines.push(this.#take(this.#read + start, 1));
        }
        this.#keep(bytes.subarray(start), true);
        this.#read += bytes.length;
        return lines;
    }
    #keep(bytes, copy) {
        const room = bytes.subarray(0, this.#maxLineBytes - this.#keptBytes);
        if (room.length === 0)
            return;
        this.#kept.push(copy ? Buffer.from(room) : room);
        this.#keptBytes += room.length;
    }
    #take(end, lineEndBytes = 0) {
        const cutBytes = end - this.#done - lineEndBytes - this.#keptBytes;
        const text = Buffer.concat(this.#kept).toString('utf8');
        const line = { text: cutBytes > 0 ? text.replace(/\ufffd+$/, '') : text, cutBytes, end };
        this.#kept = [];
        this.#keptBytes = 0;
        this.#done = end;
        return line;
    }
}
async function lastLines(path, count, maxBytes = CHUNK_BYTES) {
    let file;
    try {
        file = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.open)(path, 'r');
    }
    catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
            return [];
        throw error;
    }
    try {
        const { size } = await file.stat();
        const start = Math.max(0, size - maxBytes);
        const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
        const lines = buffer.subarray(0, bytesRead).toString('utf8').split('\n');
        if (lines.at(-1) === '')
            lines.pop();
        if (start > 0 && lines.length > 1)
            lines.shift();
        return lines.slice(-count);
    }
    finally {
        await file.close();
    }
}


/***/ }),

/***/ 79164:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  m: () => (/* binding */ publish),
  I: () => (/* binding */ publishSummary)
});

// EXTERNAL MODULE: ../../main/node_modules/@actions/core/lib/core.js + 11 modules
var core = __webpack_require__(42077);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(54792);
// EXTERNAL MODULE: ./lib/action/console-text.js
var console_text = __webpack_require__(9000);
// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(77598);
// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(51455);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(76760);
;// CONCATENATED MODULE: ./lib/action/publish/artifact.js






const MAX_NAME = 200;
const MAX_PART = 75;
const MOST_TRIES = 3;
const COMPRESSION_LEVEL = 1;
const TAKEN = /\(409\)|already exists/i;
const RESET = /ECONNRESET|socket hang up|ETIMEDOUT/;
function artifactName(given, deploymentId, environment) {
    const { GITHUB_RUN_ID, GITHUB_JOB = 'job', GITHUB_RUN_ATTEMPT = '1' } = environment;
    const made = ['pulumi-runner', deploymentId ?? GITHUB_RUN_ID ?? 'run', GITHUB_JOB, GITHUB_RUN_ATTEMPT];
    const name = given ?? [...made, randomSuffix()].map((part) => part.slice(0, MAX_PART)).join('-');
    return name
        .replace(/[\p{Cc}":<>|*?\\/]+/gu, '-')
        .slice(0, MAX_NAME)
        .toWellFormed();
}
function randomSuffix() {
    return (0,external_node_crypto_.randomBytes)(3).toString('hex');
}
function noArtifactService(environment) {
    const { ACTIONS_RUNTIME_TOKEN, ACTIONS_RESULTS_URL, GITHUB_SERVER_URL = 'https://github.com' } = environment;
    const host = URL.canParse(GITHUB_SERVER_URL) ? new URL(GITHUB_SERVER_URL).hostname.toLowerCase() : '';
    if (host !== 'github.com' && !host.endsWith('.ghe.com') && !host.endsWith('.localhost')) {
        return 'GitHub Enterprise Server does not take artifacts of this kind';
    }
    if (!ACTIONS_RUNTIME_TOKEN || !ACTIONS_RESULTS_URL)
        return 'the runner offers no artifact service to this job';
    return undefined;
}
async function uploadRunDirectory(upload) {
    const { runDirectory, name, environment } = upload;
    const reason = noArtifactService(environment);
    if (reason !== undefined) {
        core/* notice */.lm(`No artifact was uploaded: ${reason}. The run directory is ${runDirectory} on this runner.`);
        return undefined;
    }
    core/* startGroup */.Oh(`Artifact ${name}`);
    try {
        const { id, name: sent } = await beforeDeadline(sendPatiently(upload), upload);
        core/* endGroup */.N4();
        const { GITHUB_SERVER_URL = 'https://github.com', GITHUB_REPOSITORY = '', GITHUB_RUN_ID = '' } = environment;
        const url = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}/artifacts/${id}`;
        return { id: String(id), url, name: sent };
    }
    catch (error) {
        core/* endGroup */.N4();
        if (upload.signal.aborted && !upload.last) {
            core/* info */.pq(`The step was stopped before the artifact ${name} was uploaded; the run lies in ${runDirectory} on this runner.`);
            return undefined;
        }
        const cause = (0,outcome/* clause */.sb)((0,console_text.plainText)((0,outcome/* messageOf */.bD)(error)));
        core/* warning */.$e(`Failed to upload the artifact ${name} for this run: ${cause}. Logs and events of the run are not kept with the ` +
            `workflow run; they lie in ${runDirectory} on this runner until the job ends.`);
        return undefined;
    }
}
async function sendPatiently(upload) {
    let name = upload.name;
    let wasReset = false;
    for (let tries = 1;; tries += 1) {
        try {
            return await send({ ...upload, name });
        }
        catch (error) {
            const reason = (0,outcome/* messageOf */.bD)(error);
            const taken = TAKEN.test(reason);
            const reset = !taken && RESET.test(reason);
            if (upload.signal.aborted || tries === MOST_TRIES || !(taken || reset))
                throw error;
            if (taken || !/CreateArtifact/.test(reason))
                name = `${upload.name}-${randomSuffix()}`;
            if (reset)
                core/* info */.pq('The artifact service reset the connection; trying once more.');
            else if (!wasReset)
                core/* notice */.lm(`The workflow run has an artifact ${upload.name} already: this one is called ${name}.`);
            wasReset ||= reset;
        }
    }
}
async function send({ runDirectory, name, retentionDays }) {
    const { DefaultArtifactClient } = await __webpack_require__.e(/* import() */ 31).then(__webpack_require__.bind(__webpack_require__, 2031));
    const files = await filesOf(runDirectory);
    const { id } = await new DefaultArtifactClient().uploadArtifact(name, files, runDirectory, {
        compressionLevel: COMPRESSION_LEVEL,
        ...(retentionDays !== undefined && { retentionDays }),
    });
    if (id === undefined)
        throw new Error('GitHub gave it no number');
    return { id, name };
}
async function filesOf(directory) {
    const entries = await (0,promises_.readdir)(directory, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => (0,external_node_path_.join)(entry.parentPath, entry.name));
}
async function beforeDeadline(work, { deadlineMs, signal }) {
    work.catch(() => undefined);
    const { promise, reject } = Promise.withResolvers();
    const timer = setTimeout(() => reject(new Error(`it took longer than ${deadlineMs / 1000} s`)), deadlineMs);
    const onAbort = () => reject(new Error('the step was stopped'));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted)
        onAbort();
    try {
        return await Promise.race([work, promise]);
    }
    finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
    }
}

;// CONCATENATED MODULE: ./lib/action/publish/publish.js




async function publish(publication) {
    const { report, runDirectory, environment, signal, last = false, uploaded } = publication;
    const artifact = uploaded ?? (await pageAndArtifact(publication));
    if (last || !signal.aborted)
        await publishSummary(environment, { report, runDirectory, artifact });
    return artifact;
}
async function pageAndArtifact(publication) {
    const { report, runDirectory, inputs, red, environment, artifactDeadlineMs: deadlineMs, signal } = publication;
    const { last = false } = publication;
    const wanted = inputs.uploadArtifact === 'always' || (inputs.uploadArtifact === 'on-failure' && red);
    const { artifactRetentionDays: retentionDays } = inputs;
    await publishPage(runDirectory, report, signal);
    if (wanted && environment['ACTIONS_RESULTS_URL']?.startsWith('https:') === true)
        await publication.trustMore();
    return wanted
        ? await uploadRunDirectory({
            runDirectory,
            name: artifactName(inputs.artifactName, report.deploymentId, environment),
            ...(retentionDays !== undefined && { retentionDays }),
            environment,
            deadlineMs,
            signal,
            last,
        })
        : undefined;
}
async function publishPage(directory, report, signal) {
    if (signal.aborted)
        return;
    try {
        const { writeReportPage } = await Promise.all(/* import() */[__webpack_require__.e(838), __webpack_require__.e(805), __webpack_require__.e(71)]).then(__webpack_require__.bind(__webpack_require__, 96071));
        await writeReportPage({ directory, report, signal });
    }
    catch (error) {
        if (signal.aborted)
            return;
        const cause = (0,console_text.plainText)((0,outcome/* messageOf */.bD)(error));
        core/* warning */.$e(`Failed to write report.html for this run: ${cause}. The files beside it have the same facts.`);
    }
}
async function publishSummary({ GITHUB_STEP_SUMMARY: file }, summary) {
    try {
        if (!file)
            throw new Error('the runner offers no file for it');
        const { writeSummary } = await Promise.all(/* import() */[__webpack_require__.e(805), __webpack_require__.e(17)]).then(__webpack_require__.bind(__webpack_require__, 71017));
        await writeSummary({ file, ...summary });
    }
    catch (error) {
        const cause = (0,console_text.plainText)((0,outcome/* messageOf */.bD)(error));
        core/* warning */.$e(`Failed to write the summary for this step: ${cause}. The console has the same facts.`);
    }
}


/***/ }),

/***/ 71604:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   I: () => (/* binding */ lineCount),
/* harmony export */   p: () => (/* binding */ duration)
/* harmony export */ });
function duration(seconds) {
    if (seconds < 9.95)
        return `${Math.round(seconds * 10) / 10} s`;
    const whole = Math.round(seconds);
    return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
function lineCount(count) {
    return count === 1 ? '1 line' : `${count} lines`;
}


/***/ }),

/***/ 72165:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   EI: () => (/* binding */ reportOf),
/* harmony export */   Vq: () => (/* binding */ reportWithout),
/* harmony export */   XL: () => (/* binding */ eventsOf)
/* harmony export */ });
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(76760);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(54792);
/* harmony import */ var _record_reader_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(83245);
/* harmony import */ var _record_schema_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(16526);
/* harmony import */ var _growing_lines_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(96256);
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





const MAX_EVENT_BYTES = 4 * 1024 * 1024;
async function reportOf(directory, result) {
    const { healthUrl } = await reportWithout(directory, { outcome: result.outcome, message: result.message });
    const { deploymentId, runId, jobId, consoleUrl, deploymentUrl, image, imageDigest, reported } = result;
    return {
        outcome: result.outcome,
        message: result.message === '' ? _outcome_js__WEBPACK_IMPORTED_MODULE_1__/* .OUTCOMES */ .im[result.outcome].sentence : result.message,
        ...(deploymentId !== undefined && { deploymentId }),
        ...(runId !== undefined && { runId }),
        ...(jobId !== undefined && { jobId }),
        ...(consoleUrl !== undefined && { consoleUrl }),
        ...(deploymentUrl !== undefined && { deploymentUrl }),
        ...(reported !== undefined && { reported }),
        ...(healthUrl !== undefined && { healthUrl }),
        ...(image !== undefined && { image }),
        ...(imageDigest !== undefined && { imageDigest }),
        ...moment('startedAt', result.startedAt),
        ...moment('claimedAt', result.claimedAt),
        ...moment('finishedAt', result.finishedAt),
        waitSeconds: result.waitSeconds,
        runSeconds: result.runSeconds,
        forwarded: result.forwarded,
        notices: result.notices,
        steps: result.steps.map(({ startedAt, finishedAt, exitCode, reason, log, sha256, lost, ...step }) => ({
            index: step.index,
            name: step.name,
            status: step.status,
            lines: step.lines,
            bytes: step.bytes,
            cloud: step.cloud,
            ...(lost !== undefined && { lost }),
            ...(sha256 !== undefined && { sha256 }),
            ...moment('startedAt', startedAt),
            ...moment('finishedAt', finishedAt),
            ...(exitCode !== undefined && { exitCode }),
            ...(reason !== undefined && { reason }),
            ...(log !== undefined && { log }),
            ...seconds(startedAt, finishedAt),
        })),
    };
}
async function reportWithout(directory, ending) {
    const report = {
        ...ending,
        forwarded: [],
        notices: [],
        steps: [],
    };
    const steps = new Map();
    const notices = [];
    for await (const event of eventsOf(directory)) {
        Object.assign(report, moment('finishedAt', event.t));
        if (event.type === 'agent-started') {
            Object.assign(report, moment('startedAt', event.t));
        }
        else if (event.type === 'claimed') {
            const { deploymentId, deploymentUrl, consoleUrl, runId, jobId, waitSeconds } = event;
            Object.assign(report, {
                deploymentId,
                runId,
                jobId,
                waitSeconds,
                reported: false,
                ...moment('claimedAt', event.t),
            });
            if (deploymentUrl !== undefined)
                report.deploymentUrl = deploymentUrl;
            if (consoleUrl !== undefined)
                report.consoleUrl = consoleUrl;
        }
        else if (event.type === 'health-listening') {
            report.healthUrl = event.url;
        }
        else if (event.type === 'job-loaded') {
            report.image = event.image;
            for (const [index, name] of event.steps.entries())
                steps.set(index, { index, name, status: 'not-started' });
        }
        else if (event.type === 'notice') {
            notices.push(event.message);
        }
        else if (event.type === 'step-started') {
            const { index, step: name, log } = event;
            steps.set(index, { index, name, status: 'running', log, ...moment('startedAt', event.t) });
        }
        else if (event.type === 'step-finished') {
            const { index, step: name, status, seconds, lines, exitCode, reason } = event;
            const { log, startedAt } = steps.get(index) ?? {};
            steps.set(index, {
                index,
                name,
                status,
                seconds,
                lines,
                ...(startedAt !== undefined && { startedAt }),
                ...moment('finishedAt', event.t),
                ...(exitCode !== undefined && { exitCode }),
                ...(reason !== undefined && { reason }),
                ...(log !== undefined && { log }),
            });
        }
    }
    return { ...report, notices, steps: [...steps.values()].sort((a, b) => a.index - b.index) };
}
function seconds(startedAt = '', finishedAt = '') {
    const ms = Date.parse(finishedAt) - Date.parse(startedAt);
    return Number.isNaN(ms) ? {} : { seconds: ms / 1000 };
}
function moment(key, time) {
    const ms = Date.parse(time ?? '');
    if (Number.isNaN(ms))
        return {};
    return { [key]: ms };
}
async function* eventsOf(directory) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const file = __addDisposableResource(env_1, new _growing_lines_js__WEBPACK_IMPORTED_MODULE_4__/* .GrowingLines */ .x((0,node_path__WEBPACK_IMPORTED_MODULE_0__.join)(directory, _record_schema_js__WEBPACK_IMPORTED_MODULE_3__/* .RUN_FILES */ .al.events), 0, MAX_EVENT_BYTES), true);
        for (let lines = await file.next(); lines !== undefined; lines = await file.next()) {
            for (const { text } of lines) {
                try {
                    const event = (0,_record_reader_js__WEBPACK_IMPORTED_MODULE_2__/* .parseEvent */ .wj)(text);
                    if (event !== undefined)
                        yield event;
                }
                catch {
                }
            }
        }
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


/***/ }),

/***/ 86662:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   i: () => (/* binding */ saveRunState),
/* harmony export */   x: () => (/* binding */ readRunState)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(73024);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(76760);
/* harmony import */ var _actions_core__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(42077);
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(47838);
/* harmony import */ var _record_schema_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(16526);





const STATE_NAME = 'run';
const stepSchema = zod__WEBPACK_IMPORTED_MODULE_4__/* .object */ .Ikc({
    index: zod__WEBPACK_IMPORTED_MODULE_4__/* .number */ .aig().int(),
    name: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP(),
    log: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP(),
    offset: zod__WEBPACK_IMPORTED_MODULE_4__/* .number */ .aig().int().nonnegative(),
    muted: zod__WEBPACK_IMPORTED_MODULE_4__/* .boolean */ .zMY(),
});
const stateSchema = zod__WEBPACK_IMPORTED_MODULE_4__/* .object */ .Ikc({
    runDirectory: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP(),
    main: _record_schema_js__WEBPACK_IMPORTED_MODULE_3__/* .ownerSchema */ .$K,
    owner: _record_schema_js__WEBPACK_IMPORTED_MODULE_3__/* .ownerSchema */ .$K.optional(),
    position: zod__WEBPACK_IMPORTED_MODULE_4__/* .object */ .Ikc({ events: zod__WEBPACK_IMPORTED_MODULE_4__/* .number */ .aig().int().nonnegative(), step: stepSchema.optional() }),
    ended: zod__WEBPACK_IMPORTED_MODULE_4__/* .boolean */ .zMY(),
    died: zod__WEBPACK_IMPORTED_MODULE_4__/* .boolean */ .zMY(),
    artifact: zod__WEBPACK_IMPORTED_MODULE_4__/* .object */ .Ikc({ id: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP(), url: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP(), name: zod__WEBPACK_IMPORTED_MODULE_4__/* .string */ .YjP() }).optional(),
    published: zod__WEBPACK_IMPORTED_MODULE_4__/* .boolean */ .zMY(),
    cancelledAt: zod__WEBPACK_IMPORTED_MODULE_4__/* .number */ .aig().optional(),
});
function saveRunState(state) {
    const text = JSON.stringify(state);
    _actions_core__WEBPACK_IMPORTED_MODULE_2__/* .saveState */ .LZ(STATE_NAME, text);
    const path = fileOf(state);
    try {
        (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.writeFileSync)(`${path}.part`, text, { mode: 0o600 });
        (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.renameSync)(`${path}.part`, path);
    }
    catch {
    }
}
function readRunState() {
    const known = parse(() => _actions_core__WEBPACK_IMPORTED_MODULE_2__/* .getState */ .Gu(STATE_NAME));
    return known && (parse(() => (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)(fileOf(known), 'utf8')) ?? known);
}
function parse(text) {
    try {
        return stateSchema.parse(JSON.parse(text()));
    }
    catch {
        return undefined;
    }
}
function fileOf({ runDirectory }) {
    return (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)((0,node_path__WEBPACK_IMPORTED_MODULE_1__.dirname)(runDirectory), 'state.json');
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

/***/ 64007:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   X0: () => (/* binding */ sweep),
/* harmony export */   YL: () => (/* binding */ describeSweep),
/* harmony export */   jf: () => (/* binding */ leftBy)
/* harmony export */ });
/* harmony import */ var node_child_process__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(31421);
/* harmony import */ var node_events__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(78474);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(76760);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(54792);
/* harmony import */ var _report_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(72165);





const GRACE_MS = 12_000;
const REMOVAL_MS = 2_000;
async function sweep(command) {
    const { nodePath, script, runDirectory, environment, deadlineMs, signal } = command;
    const grace = `${Math.max(0, Math.min(GRACE_MS, deadlineMs - REMOVAL_MS))}ms`;
    const child = (0,node_child_process__WEBPACK_IMPORTED_MODULE_0__.spawn)(nodePath, [script, 'sweep', '--run-directory', runDirectory, '--grace', grace], {
        cwd: (0,node_path__WEBPACK_IMPORTED_MODULE_2__.dirname)(script),
        env: environment,
        stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [printed, said, killed] = ['', '', ''];
    child.stdout.setEncoding('utf8').on('data', (text) => {
        printed += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
        said += text;
    });
    const kill = (reason) => {
        killed = reason;
        child.kill('SIGKILL');
        for (const pipe of [child.stdout, child.stderr])
            pipe.destroy();
    };
    const timer = setTimeout(() => kill(`it took longer than ${deadlineMs / 1000} s`), deadlineMs);
    const onAbort = () => kill('it was given up');
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted)
        onAbort();
    try {
        const [exitCode] = await (0,node_events__WEBPACK_IMPORTED_MODULE_1__.once)(child, 'close');
        if (killed === '' && exitCode === 0)
            return { removed: lines(printed) };
        const problem = killed || (lines(said).at(-1) ?? `it ended with exit code ${exitCode}`);
        return { problem, left: await leftBy(runDirectory) };
    }
    catch (error) {
        return { problem: (0,_outcome_js__WEBPACK_IMPORTED_MODULE_3__/* .messageOf */ .bD)(error), left: await leftBy(runDirectory) };
    }
    finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
    }
}
function describeSweep(result) {
    if ('problem' in result) {
        if (result.left === 'nothing')
            return 'Nothing had been claimed, so there is nothing to remove.';
        return `What the run may have left could not be looked for: ${(0,_outcome_js__WEBPACK_IMPORTED_MODULE_3__/* .clause */ .sb)(result.problem)}. ${look(result.left)}`;
    }
    if (result.removed.length === 0)
        return 'Nothing was left to remove.';
    return result.removed.join(' ');
}
function look(left) {
    if (left.target === 'docker')
        return 'Look for containers with `docker ps -a`.';
    const command = `kubectl get pods -n ${left.namespace} -l app.kubernetes.io/managed-by=pulumi-runner-agent`;
    return `A pod ends by itself within 5 minutes of its agent; \`${command}\` shows those that are there.`;
}
async function leftBy(runDirectory) {
    let left = 'nothing';
    try {
        for await (const event of (0,_report_js__WEBPACK_IMPORTED_MODULE_4__/* .eventsOf */ .XL)(runDirectory)) {
            if (event.type === 'place')
                return event.place;
            if (event.type === 'claimed')
                left = { target: 'docker' };
        }
    }
    catch {
        return { target: 'docker' };
    }
    return left;
}
function lines(text) {
    return text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
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

/***/ 83245:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Uv: () => (/* binding */ readResult),
/* harmony export */   W1: () => (/* binding */ RecordError),
/* harmony export */   wj: () => (/* binding */ parseEvent)
/* harmony export */ });
/* harmony import */ var node_fs_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(51455);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(76760);
/* harmony import */ var _schema_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(16526);



class RecordError extends Error {
    name = 'RecordError';
}
function parseEvent(line) {
    let value;
    try {
        value = JSON.parse(line);
    }
    catch (cause) {
        throw new RecordError(`Failed to read an event for the run: ${line.slice(0, 200)} is not JSON. Report this as a bug.`, {
            cause,
        });
    }
    const parsed = _schema_js__WEBPACK_IMPORTED_MODULE_2__/* .recordEventSchema */ .HA.safeParse(value);
    return parsed.success ? parsed.data : undefined;
}
async function readResult(directory) {
    const path = (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(directory, _schema_js__WEBPACK_IMPORTED_MODULE_2__/* .RUN_FILES */ .al.result);
    let text;
    try {
        text = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.readFile)(path, 'utf8');
    }
    catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
            return undefined;
        throw error;
    }
    try {
        return _schema_js__WEBPACK_IMPORTED_MODULE_2__/* .runResultSchema */ .sp.parse(JSON.parse(text));
    }
    catch (cause) {
        throw new RecordError(`Failed to read the result for ${directory}: ${_schema_js__WEBPACK_IMPORTED_MODULE_2__/* .RUN_FILES */ .al.result} is not what this version writes.`, {
            cause,
        });
    }
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


/***/ })

};
