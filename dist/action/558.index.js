export const id = 558;
export const ids = [558];
export const modules = {

/***/ 47583:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   FV: () => (/* binding */ agentEnvironment),
/* harmony export */   Ih: () => (/* binding */ startAgent),
/* harmony export */   Y6: () => (/* binding */ requestStop),
/* harmony export */   kh: () => (/* binding */ waitForEnd)
/* harmony export */ });
/* harmony import */ var node_child_process__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(31421);
/* harmony import */ var node_fs_promises__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(51455);
/* harmony import */ var node_os__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(48161);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(76760);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(63259);
/* harmony import */ var _record_owner_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(61218);
/* harmony import */ var _record_schema_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(41293);
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
async function startAgent(command) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const { nodePath, script, runDirectory, configFile, defaults, labels, environment } = command;
        const args = [script, 'run', '--run-directory', runDirectory];
        if (configFile !== undefined)
            args.push('--config', configFile);
        for (const [key, value] of Object.entries(defaults))
            args.push('--default', `${key}=${value}`);
        for (const [key, value] of Object.entries(labels))
            args.push('--label', `${key}=${value}`);
        const log = __addDisposableResource(env_1, await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.open)((0,node_path__WEBPACK_IMPORTED_MODULE_3__.join)(runDirectory, _record_schema_js__WEBPACK_IMPORTED_MODULE_6__/* .RUN_FILES */ .al.log), 'a', 0o600), true);
        const child = (0,node_child_process__WEBPACK_IMPORTED_MODULE_0__.spawn)(nodePath, args, {
            cwd: (0,node_path__WEBPACK_IMPORTED_MODULE_3__.dirname)(script),
            detached: true,
            stdio: ['ignore', log.fd, log.fd],
            env: environment,
        });
        let exit;
        child.once('exit', (code, signal) => {
            exit = { code, signal };
        });
        await new Promise((resolve, reject) => {
            child.once('spawn', resolve);
            child.once('error', (cause) => {
                reject(new _outcome_js__WEBPACK_IMPORTED_MODULE_4__/* .OutcomeError */ .Rz('failed', `Failed to start the agent with ${nodePath}: ${cause.message}.`, { cause }));
            });
        });
        child.unref();
        const pid = child.pid ?? 0;
        return { owner: (0,_record_owner_js__WEBPACK_IMPORTED_MODULE_5__/* .ownerOf */ .bf)(pid) ?? { host: (0,node_os__WEBPACK_IMPORTED_MODULE_2__.hostname)(), pid, started: 'gone' }, exit: () => exit };
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
    return (0,_record_owner_js__WEBPACK_IMPORTED_MODULE_5__/* .signalOwner */ .E7)(owner, 'SIGINT');
}
async function waitForEnd(owner, ms, signal) {
    const deadline = performance.now() + ms;
    while ((0,_record_owner_js__WEBPACK_IMPORTED_MODULE_5__/* .isAlive */ ._n)(owner)) {
        if (performance.now() >= deadline || signal?.aborted)
            return false;
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return true;
}


/***/ }),

/***/ 71352:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   l: () => (/* binding */ reportDead)
/* harmony export */ });
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(76760);
/* harmony import */ var _actions_core__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(33838);
/* harmony import */ var _record_schema_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(41293);
/* harmony import */ var _console_text_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(21101);
/* harmony import */ var _growing_lines_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(8137);
/* harmony import */ var _report_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(87058);
/* harmony import */ var _sweep_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(57938);







const LOG_LINES = 30;
async function reportDead(agent) {
    const log = await (0,_growing_lines_js__WEBPACK_IMPORTED_MODULE_4__/* .lastLines */ .w)((0,node_path__WEBPACK_IMPORTED_MODULE_0__.join)(agent.runDirectory, _record_schema_js__WEBPACK_IMPORTED_MODULE_2__/* .RUN_FILES */ .al.log), LOG_LINES);
    _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .startGroup */ .Oh("The end of the agent's own log");
    for (const line of log)
        _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .info */ .pq((0,_console_text_js__WEBPACK_IMPORTED_MODULE_3__/* .consoleLine */ .WK)(line));
    _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .endGroup */ .N4();
    const swept = await (0,_sweep_js__WEBPACK_IMPORTED_MODULE_6__/* .sweep */ .X)(agent);
    const report = await (0,_report_js__WEBPACK_IMPORTED_MODULE_5__/* .reportWithout */ .Vq)(agent.runDirectory, { outcome: 'failed', message: '' });
    if (report.deploymentId === undefined && agent.stopping === true) {
        const message = `The CI job was cancelled before the agent (process ${agent.pid}) had claimed anything. ${(0,_sweep_js__WEBPACK_IMPORTED_MODULE_6__/* .describeSweep */ .Y)(swept)}`;
        return { ...report, outcome: 'interrupted', message };
    }
    const claimed = report.deploymentId === undefined
        ? ''
        : ' Pulumi Cloud will fail the deployment by itself when no heartbeat has come for 10 minutes; its container ends ' +
            'with the agent.';
    return { ...report, message: `${howItEnded(agent)}${claimed} ${(0,_sweep_js__WEBPACK_IMPORTED_MODULE_6__/* .describeSweep */ .Y)(swept)}` };
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

/***/ 38979:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  e: () => (/* binding */ follow)
});

// UNUSED EXPORTS: MAX_LINE_BYTES

// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(76760);
// EXTERNAL MODULE: ./lib/record/reader.js
var record_reader = __webpack_require__(63442);
// EXTERNAL MODULE: ./lib/record/schema.js + 1 modules
var schema = __webpack_require__(41293);
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
var growing_lines = __webpack_require__(8137);
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

/***/ 87058:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   EI: () => (/* binding */ reportOf),
/* harmony export */   Vq: () => (/* binding */ reportWithout),
/* harmony export */   XL: () => (/* binding */ eventsOf)
/* harmony export */ });
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(76760);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(63259);
/* harmony import */ var _record_reader_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(63442);
/* harmony import */ var _record_schema_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(41293);
/* harmony import */ var _growing_lines_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(8137);
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
    const { deploymentId, runId, jobId, consoleUrl, image, imageDigest } = result;
    return {
        outcome: result.outcome,
        message: result.message === '' ? _outcome_js__WEBPACK_IMPORTED_MODULE_1__/* .OUTCOMES */ .im[result.outcome].sentence : result.message,
        ...(deploymentId !== undefined && { deploymentId }),
        ...(runId !== undefined && { runId }),
        ...(jobId !== undefined && { jobId }),
        ...(consoleUrl !== undefined && { consoleUrl }),
        ...(healthUrl !== undefined && { healthUrl }),
        ...(image !== undefined && { image }),
        ...(imageDigest !== undefined && { imageDigest }),
        waitSeconds: result.waitSeconds,
        runSeconds: result.runSeconds,
        forwarded: result.forwarded,
        notices: result.notices,
        steps: result.steps.map(({ startedAt, finishedAt, exitCode, reason, log, ...step }) => ({
            index: step.index,
            name: step.name,
            status: step.status,
            lines: step.lines,
            ...(exitCode !== undefined && { exitCode }),
            ...(reason !== undefined && { reason }),
            ...(log !== undefined && { log }),
            ...(startedAt !== undefined &&
                finishedAt !== undefined && { seconds: (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000 }),
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
        if (event.type === 'claimed') {
            const { deploymentId, runId, jobId, waitSeconds } = event;
            Object.assign(report, { deploymentId, runId, jobId, waitSeconds });
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
            steps.set(index, { index, name, status: 'running', log });
        }
        else if (event.type === 'step-finished') {
            const { index, step: name, status, seconds, lines, exitCode, reason } = event;
            const log = steps.get(index)?.log;
            steps.set(index, {
                index,
                name,
                status,
                seconds,
                lines,
                ...(exitCode !== undefined && { exitCode }),
                ...(reason !== undefined && { reason }),
                ...(log !== undefined && { log }),
            });
        }
    }
    return { ...report, notices, steps: [...steps.values()].sort((a, b) => a.index - b.index) };
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

/***/ 62287:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   i: () => (/* binding */ saveRunState),
/* harmony export */   x: () => (/* binding */ readRunState)
/* harmony export */ });
/* harmony import */ var _actions_core__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(33838);
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(9691);
/* harmony import */ var _record_schema_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(41293);



const STATE_NAME = 'run';
const stepSchema = zod__WEBPACK_IMPORTED_MODULE_2__/* .object */ .Ikc({
    index: zod__WEBPACK_IMPORTED_MODULE_2__/* .number */ .aig().int(),
    name: zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP(),
    log: zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP(),
    offset: zod__WEBPACK_IMPORTED_MODULE_2__/* .number */ .aig().int().nonnegative(),
    muted: zod__WEBPACK_IMPORTED_MODULE_2__/* .boolean */ .zMY(),
});
const stateSchema = zod__WEBPACK_IMPORTED_MODULE_2__/* .object */ .Ikc({
    runDirectory: zod__WEBPACK_IMPORTED_MODULE_2__/* .string */ .YjP(),
    owner: _record_schema_js__WEBPACK_IMPORTED_MODULE_1__/* .ownerSchema */ .$K.optional(),
    position: zod__WEBPACK_IMPORTED_MODULE_2__/* .object */ .Ikc({ events: zod__WEBPACK_IMPORTED_MODULE_2__/* .number */ .aig().int().nonnegative(), step: stepSchema.optional() }),
    ended: zod__WEBPACK_IMPORTED_MODULE_2__/* .boolean */ .zMY(),
    died: zod__WEBPACK_IMPORTED_MODULE_2__/* .boolean */ .zMY(),
    published: zod__WEBPACK_IMPORTED_MODULE_2__/* .boolean */ .zMY(),
});
function saveRunState(state) {
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .saveState */ .LZ(STATE_NAME, JSON.stringify(state));
}
function readRunState() {
    try {
        return stateSchema.parse(JSON.parse(_actions_core__WEBPACK_IMPORTED_MODULE_0__/* .getState */ .Gu(STATE_NAME)));
    }
    catch {
        return undefined;
    }
}


/***/ }),

/***/ 57938:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   X: () => (/* binding */ sweep),
/* harmony export */   Y: () => (/* binding */ describeSweep)
/* harmony export */ });
/* harmony import */ var _actions_exec__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(81260);

async function sweep(command) {
    const { nodePath, script, runDirectory, environment, deadlineMs, signal } = command;
    const run = (0,_actions_exec__WEBPACK_IMPORTED_MODULE_0__/* .getExecOutput */ .H)(`"${nodePath}"`, [script, 'sweep', '--run-directory', runDirectory], {
        env: { ...environment },
        silent: true,
        ignoreReturnCode: true,
    });
    const { promise: givenUp, resolve: giveUp } = Promise.withResolvers();
    const onAbort = () => giveUp(undefined);
    const timer = setTimeout(onAbort, deadlineMs);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
        const output = await Promise.race([run, givenUp]);
        if (output === undefined)
            return { problem: `it took longer than ${deadlineMs / 1000} s` };
        if (output.exitCode !== 0) {
            return { problem: lines(output.stderr).at(-1) ?? `it ended with exit code ${output.exitCode}` };
        }
        return { removed: lines(output.stdout) };
    }
    catch (error) {
        return { problem: error instanceof Error ? error.message : String(error) };
    }
    finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        run.catch(() => undefined);
    }
}
function describeSweep(result) {
    if ('problem' in result) {
        return `What the run may have left could not be looked for: ${result.problem}. Look for containers with \`docker ps -a\`.`;
    }
    if (result.removed.length === 0)
        return 'Nothing was left to remove.';
    return result.removed.join(' ');
}
function lines(text) {
    return text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
}


/***/ }),

/***/ 61218:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   E7: () => (/* binding */ signalOwner),
/* harmony export */   _n: () => (/* binding */ isAlive),
/* harmony export */   bf: () => (/* binding */ ownerOf)
/* harmony export */ });
/* unused harmony export ownOwner */
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(73024);
/* harmony import */ var node_os__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(48161);


function startOf(pid) {
    if (process.platform === 'linux') {
        try {
            const fields = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)(`/proc/${pid}/stat`, 'utf8')
                .replace(/^.*\) /s, '')
                .split(' ');
            return fields[0] === 'Z' ? undefined : fields[19];
        }
        catch {
            return undefined;
        }
    }
    try {
        const { execFileSync } = process.getBuiltinModule('node:child_process');
        const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
            encoding: 'utf8',
            timeout: 5_000,
        }).trim();
        return started === '' ? undefined : started;
    }
    catch {
        return undefined;
    }
}
function ownerOf(pid) {
    const started = startOf(pid);
    return started === undefined ? undefined : { host: (0,node_os__WEBPACK_IMPORTED_MODULE_1__.hostname)(), pid, started };
}
function ownOwner() {
    return ownerOf(process.pid) ?? { host: hostname(), pid: process.pid, started: 'unknown' };
}
function isAlive(owner) {
    return owner.host === (0,node_os__WEBPACK_IMPORTED_MODULE_1__.hostname)() && startOf(owner.pid) === owner.started;
}
function signalOwner(owner, signal) {
    if (!isAlive(owner))
        return false;
    try {
        return process.kill(owner.pid, signal);
    }
    catch {
        return false;
    }
}


/***/ }),

/***/ 63442:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Uv: () => (/* binding */ readResult),
/* harmony export */   W1: () => (/* binding */ RecordError),
/* harmony export */   wj: () => (/* binding */ parseEvent)
/* harmony export */ });
/* harmony import */ var node_fs_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(51455);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(76760);
/* harmony import */ var _schema_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(41293);



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

/***/ 41293:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  al: () => (/* reexport */ RUN_FILES),
  $K: () => (/* binding */ ownerSchema),
  HA: () => (/* binding */ recordEventSchema),
  sp: () => (/* binding */ runResultSchema)
});

// UNUSED EXPORTS: stepResultSchema

// EXTERNAL MODULE: ./node_modules/zod/v4/classic/schemas.js + 15 modules
var schemas = __webpack_require__(9691);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(63259);
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
const eventBodies = schemas/* discriminatedUnion */.gMt('type', [
    schemas/* object */.Ikc({ type: schemas/* literal */.euz('agent-started'), version: schemas/* string */.YjP(), owner: ownerSchema }),
    schemas/* object */.Ikc({ type: schemas/* literal */.euz('health-listening'), url: schemas/* string */.YjP() }),
    schemas/* object */.Ikc({ type: schemas/* literal */.euz('target-ready'), target: schemas/* string */.YjP(), detail: schemas/* string */.YjP() }),
    schemas/* object */.Ikc({ type: schemas/* literal */.euz('authenticated'), method: schemas/* enum */.k5n(['oidc', 'token']), expiresAt: schemas/* string */.YjP().optional() }),
    schemas/* object */.Ikc({ type: schemas/* literal */.euz('waiting'), polls: schemas/* number */.aig(), nextPollSeconds: schemas/* number */.aig() }),
    schemas/* object */.Ikc({
        type: schemas/* literal */.euz('claimed'),
        deploymentId: schemas/* string */.YjP(),
        runId: schemas/* string */.YjP(),
        jobId: schemas/* string */.YjP(),
        waitSeconds: schemas/* number */.aig(),
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
    cloud: schemas/* object */.Ikc({ sent: schemas/* number */.aig().int(), undelivered: schemas/* number */.aig().int() }),
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
    startedAt: schemas/* string */.YjP(),
    claimedAt: schemas/* string */.YjP().optional(),
    finishedAt: schemas/* string */.YjP(),
    waitSeconds: schemas/* number */.aig(),
    runSeconds: schemas/* number */.aig(),
    image: schemas/* string */.YjP().optional(),
    imageDigest: schemas/* string */.YjP().optional(),
    forwarded: schemas/* array */.YOg(schemas/* string */.YjP()),
    notices: schemas/* array */.YOg(schemas/* string */.YjP()),
    steps: schemas/* array */.YOg(stepResultSchema),
});


/***/ })

};
