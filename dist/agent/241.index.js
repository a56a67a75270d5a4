export const id = 241;
export const ids = [241,556,539];
export const modules = {

/***/ 3241:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  doctor: () => (/* binding */ doctor)
});

// EXTERNAL MODULE: ./lib/log/redactor.js + 1 modules
var log_redactor = __webpack_require__(1591);
// EXTERNAL MODULE: ./lib/outcome.js
var lib_outcome = __webpack_require__(3259);
// EXTERNAL MODULE: ./node_modules/zod/v4/classic/schemas.js + 9 modules
var schemas = __webpack_require__(7597);
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
    passed: '\u2714',
    warning: '!',
    failed: '\u2718',
    unknown: '?',
    skipped: '\u2013',
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

// EXTERNAL MODULE: ./lib/version.js
var version = __webpack_require__(3411);
// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(1455);
// EXTERNAL MODULE: ./lib/cloud/id-token.js
var id_token = __webpack_require__(2960);
// EXTERNAL MODULE: ./lib/cloud/refusal.js
var refusal = __webpack_require__(9969);
// EXTERNAL MODULE: ./lib/agent/connect.js + 1 modules
var connect = __webpack_require__(6729);
// EXTERNAL MODULE: ./lib/agent/token-source.js + 1 modules
var token_source = __webpack_require__(9101);
;// CONCATENATED MODULE: ./lib/agent/doctor/examination.js

class Examination {
    #signal;
    #redact;
    #checks = [];
    #running = new Set();
    constructor(signal, redact) {
        this.#signal = signal;
        this.#redact = redact;
    }
    check(spec, needs, run) {
        const done = this.#examine(spec, needs, run);
        const checked = {
            id: spec.id,
            title: spec.title,
            report: done.then(({ report }) => report),
            value: done.then(({ finding }) => (finding === undefined ? undefined : { of: finding.value })),
            missing: done.then(({ missing }) => missing),
        };
        this.#checks.push(checked);
        return checked;
    }
    async *reports() {
        for (const { report } of this.#checks)
            yield await report;
    }
    get width() {
        return Math.max(...this.#checks.map(({ title }) => title.length));
    }
    async settled(ms) {
        const { promise: enough, resolve } = Promise.withResolvers();
        const timer = setTimeout(resolve, ms);
        await Promise.race([Promise.allSettled(this.#running), enough]);
        clearTimeout(timer);
    }
    async #examine({ id, title, outcome, deadlineMs }, needs, run) {
        const values = [];
        for (const need of needs) {
            const value = await need.value;
            if (value === undefined) {
                const missing = await need.missing;
                return { report: { id, title, status: 'skipped', detail: `skipped: ${missing}`, seconds: 0 }, missing };
            }
            values.push(value.of);
        }
        const began = performance.now();
        const told = (status, detail) => {
            const seconds = Math.round(performance.now() - began) / 1000;
            return { id, title, status, detail: this.#line(detail), seconds };
        };
        try {
            const finding = await within(deadlineMs, this.#signal, (signal) => this.#tracked(run(signal, ...values)));
            return { report: told(finding.status, finding.detail), finding, missing: '' };
        }
        catch (error) {
            const report = told('failed', (0,lib_outcome/* messageOf */.bD)(error));
            const ended = this.#signal.aborted ? 'interrupted' : error instanceof lib_outcome/* OutcomeError */.Rz ? error.outcome : outcome;
            return { report: { ...report, outcome: ended }, missing: `"${title}" failed` };
        }
    }
    #tracked(work) {
        const running = Promise.resolve(work).finally(() => this.#running.delete(running));
        running.catch(() => undefined);
        this.#running.add(running);
        return running;
    }
    #line(detail) {
        return this.#redact(detail)
            .split('\n')
            .map((line) => line.trim())
            .filter((line) => line !== '')
            .join(' | ');
    }
}
function reasonOf(error) {
    if (error instanceof AggregateError && error.errors.length > 0)
        return error.errors.map(reasonOf).join('; ');
    return (0,lib_outcome/* clause */.sb)((0,lib_outcome/* messageOf */.bD)(error));
}
async function within(ms, outer, run) {
    const inner = new AbortController();
    const { promise: ended, reject } = Promise.withResolvers();
    const end = (reason) => {
        reject(reason);
        inner.abort(reason);
    };
    const onAbort = () => end(new Error('interrupted'));
    const timer = setTimeout(() => end(new Error(`It took longer than ${ms / 1000} s, so it was given up. Whatever it asked may be overloaded.`)), ms);
    outer.addEventListener('abort', onAbort, { once: true });
    if (outer.aborted)
        onAbort();
    try {
        return await Promise.race([Promise.resolve(inner.signal).then(run), ended]);
    }
    finally {
        clearTimeout(timer);
        outer.removeEventListener('abort', onAbort);
        ended.catch(() => undefined);
    }
}

;// CONCATENATED MODULE: ./lib/agent/doctor/quantities.js
function span(ms) {
    const seconds = Math.round(Math.abs(ms) / 1000);
    const [count, unit] = seconds < 120
        ? [seconds, 'second']
        : seconds < 7200
            ? [Math.round(seconds / 60), 'minute']
            : seconds < 172_800
                ? [Math.round(seconds / 3600), 'hour']
                : [Math.round(seconds / 86_400), 'day'];
    return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

// EXTERNAL MODULE: external "node:diagnostics_channel"
var external_node_diagnostics_channel_ = __webpack_require__(3053);
;// CONCATENATED MODULE: ./lib/agent/doctor/server-clock.js

const HEADERS = (0,external_node_diagnostics_channel_.channel)('undici:request:headers');
class ServerClock {
    #origin;
    #skewMs;
    get skewMs() {
        return this.#skewMs;
    }
    listenTo(serviceUrl) {
        this.#origin = new URL(serviceUrl).origin;
        HEADERS.subscribe(this.#onHeaders);
    }
    close() {
        HEADERS.unsubscribe(this.#onHeaders);
    }
    #onHeaders = (message) => {
        const { request, response } = message;
        if (this.#skewMs !== undefined || request?.method === 'CONNECT' || String(request?.origin) !== this.#origin)
            return;
        const headers = (response?.headers ?? []).map(String);
        const at = headers.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === 'date');
        const told = at < 0 ? Number.NaN : Date.parse(headers[at + 1] ?? '');
        if (!Number.isNaN(told))
            this.#skewMs = told - Date.now();
    };
}

;// CONCATENATED MODULE: ./lib/agent/doctor/cloud-checks.js









const CALL_MS = 15_000;
const EXCHANGE_MS = 2 * CALL_MS + 5_000;
const SKEW_MS = 60_000;
function cloudChecks(examination, { config, reached, environment, redactor }) {
    const auth = { outcome: 'auth-error', deadlineMs: CALL_MS };
    const clock = new ServerClock();
    let connection;
    const idToken = examination.check({ ...auth, id: 'id-token', title: 'ID token' }, [config], (_, known) => readIdToken(known, redactor));
    const exchanged = examination.check({ ...auth, id: 'token-exchange', title: 'Pool token', deadlineMs: EXCHANGE_MS }, [config, idToken, reached], async (signal, known) => {
        clock.listenTo(known.serviceUrl);
        connection = await (0,connect/* connect */.N)(oneTry(known), { environment, log: () => undefined, redactor });
        const tokens = (0,token_source/* tokenSource */.Z)(known, connection.http, redactor);
        return exchange({ connection, tokens }, signal);
    });
    const pool = examination.check({ ...auth, id: 'pool', title: 'Pool' }, [exchanged], askPool);
    examination.check({ outcome: 'failed', id: 'clock', title: 'Clock', deadlineMs: EXCHANGE_MS + 2 * CALL_MS }, [reached], async () => {
        await Promise.all([exchanged.report, pool.report]);
        return compared(clock.skewMs);
    });
    return {
        close: async () => {
            clock.close();
            await connection?.close();
        },
    };
}
function oneTry(config) {
    return { ...config, requestRetryCount: 0, requestTimeoutMs: Math.min(config.requestTimeoutMs, CALL_MS) };
}
async function readIdToken(config, redactor) {
    const { oidcTokenFile: file, organizationName = '', oidcAudience = `urn:pulumi:org:${organizationName}` } = config;
    const value = undefined;
    if (file === undefined)
        return { status: 'skipped', detail: 'a static pool token is configured', value };
    const keeper = 'Whoever starts the agent must write oidc_token_file and keep it fresh.';
    let token;
    try {
        token = (await (0,promises_.readFile)(file, 'utf8')).trim();
    }
    catch (cause) {
        const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
        throw notUsable(`${missing ? `${file} does not exist` : reasonOf(cause)}. ${keeper}`, cause);
    }
    if (token === '')
        throw notUsable(`${file} is empty. ${keeper}`);
    redactor.add([token]);
    if (token.split('.').length !== 3)
        throw notUsable(`${file} does not hold a JWT. ${keeper}`);
    const { iss, aud, sub, exp } = (0,id_token/* idTokenClaims */.e)(token);
    const left = exp === undefined ? undefined : exp * 1000 - Date.now();
    const end = left === undefined ? 'no expiry' : left > 0 ? `good for ${span(left)}` : `expired ${span(left)} ago`;
    const detail = `iss=${iss} aud=${aud} sub=${sub}, ${end}`;
    if (left !== undefined && left <= 0)
        return { status: 'warning', detail: `${detail}. ${keeper}`, value };
    if (!aud.split(',').includes(oidcAudience)) {
        return {
            status: 'warning',
            detail: `${detail}. Pulumi Cloud expects aud=${oidcAudience}: ask the CI for that.`,
            value,
        };
    }
    return { status: 'passed', detail, value };
}
function notUsable(reason, cause) {
    return new lib_outcome/* OutcomeError */.Rz('auth-error', `Failed to read the ID token for the pool: ${reason}`, { cause });
}
async function exchange(cloud, signal) {
    await cloud.tokens.get(signal);
    const { method, expiresAt } = cloud.tokens;
    if (method === 'token')
        return { status: 'passed', detail: 'the configured one, as it is', value: cloud };
    const left = expiresAt === undefined ? '' : `, good for ${span(Date.parse(expiresAt) - Date.now())}`;
    return { status: 'passed', detail: `Pulumi Cloud gave one for the ID token${left}`, value: cloud };
}
async function askPool(signal, { connection, tokens }) {
    const answer = await connection.http.once({
        method: 'GET',
        path: '/api/background-activities/token',
        purpose: 'ask what the pool token may do',
        token: await tokens.get(signal),
        signal,
    });
    if (answer.status < 300) {
        return { status: 'passed', detail: 'Pulumi Cloud knows the token as one of a runner pool', value: undefined };
    }
    const [reason, advice] = poolRefusal(answer, tokens.method);
    if (reason === undefined)
        return { status: 'unknown', detail: advice, value: undefined };
    throw new lib_outcome/* OutcomeError */.Rz('auth-error', `Failed to use the token for the pool: ${(0,refusal/* refusal */.x)(answer)}: ${reason}. ${advice}`);
}
function poolRefusal(answer, method) {
    switch (answer.status) {
        case 401:
            return [
                'Pulumi Cloud does not know the token',
                method === 'token'
                    ? 'Copy it again from the pool it was made for, or make a new pool token: it may have been deleted with its pool.'
                    : 'Check that the pool still exists.',
            ];
        case 403:
            return [
                'the token may not do the work of a pool',
                method === 'token'
                    ? 'Use the token of a runner pool (Settings \u2192 Deployment runners): a personal, team or organization token is another kind.'
                    : 'Check the pool and its policy.',
            ];
        case 402:
            return ["the organization's edition has no customer-managed runners", 'Ask for an edition that has them.'];
        default:
            return [undefined, `could not tell without asking for work: ${(0,refusal/* refusal */.x)(answer)}. A run would find out.`];
    }
}
function compared(skewMs) {
    const value = undefined;
    if (skewMs === undefined)
        return { status: 'unknown', detail: 'no answer told the time', value };
    if (Math.abs(skewMs) < SKEW_MS)
        return { status: 'passed', detail: `within ${span(SKEW_MS)} of Pulumi Cloud's`, value };
    const way = skewMs > 0 ? 'behind' : 'ahead of';
    const detail = `this machine's is ${span(skewMs)} ${way} Pulumi Cloud's, and ID tokens live for 5 minutes. Set it (chrony, systemd-timesyncd).`;
    return { status: 'warning', detail, value };
}

// EXTERNAL MODULE: external "node:net"
var external_node_net_ = __webpack_require__(7030);
// EXTERNAL MODULE: external "node:os"
var external_node_os_ = __webpack_require__(8161);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./lib/config/problem.js
var problem = __webpack_require__(7109);
// EXTERNAL MODULE: ./lib/config/search-path.js
var search_path = __webpack_require__(8658);
// EXTERNAL MODULE: ./lib/agent/configuration.js
var configuration = __webpack_require__(8351);
// EXTERNAL MODULE: ./lib/agent/logging/configured-log.js
var configured_log = __webpack_require__(928);
// EXTERNAL MODULE: ./lib/agent/run-directories.js
var run_directories = __webpack_require__(9766);
;// CONCATENATED MODULE: ./lib/quantity.js
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
function byteCount(bytes) {
    let value = bytes;
    let unit = 0;
    while (value >= 1_000 && unit < UNITS.length - 1) {
        value /= 1024;
        unit += 1;
    }
    return `${value < 9.95 ? Math.round(value * 10) / 10 : Math.round(value)} ${UNITS[unit]}`;
}

;// CONCATENATED MODULE: ./lib/agent/doctor/run-directory-check.js
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





const ROOM = 512 * 1024 ** 2;
const PROBE = 1024 ** 2;
async function writable(directory) {
    let made;
    try {
        made = await (0,promises_.mkdir)(directory, { recursive: true, mode: 0o700 });
        const probe = (0,external_node_path_.join)(directory, `.doctor-${process.pid}`);
        try {
            const env_1 = { stack: [], error: void 0, hasError: false };
            try {
                const file = __addDisposableResource(env_1, await (0,promises_.open)(probe, 'wx', 0o600), true);
                await file.writeFile(Buffer.alloc(PROBE, 'doctor'));
                await file.sync();
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
        finally {
            await (0,promises_.rm)(probe, { force: true });
        }
        const { bavail, bsize } = await (0,promises_.statfs)(directory);
        const free = `${directory}, ${byteCount(bavail * bsize)} free`;
        if (bavail * bsize >= ROOM)
            return { status: 'passed', detail: free, value: undefined };
        return { status: 'warning', detail: `${free}. Free some space: the logs of a run go there.`, value: undefined };
    }
    catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined;
        const full = code === 'ENOSPC' || code === 'EDQUOT';
        const reason = full ? `the disk of ${directory} is full` : reasonOf(error);
        const advice = full
            ? 'Free some space, or set run_directory to a folder on another disk.'
            : 'Set run_directory to a folder that the agent can write to.';
        throw new lib_outcome/* OutcomeError */.Rz('config-error', `Failed to write to the run directory: ${reason}. ${advice}`, {
            cause: error,
        });
    }
    finally {
        if (made !== undefined)
            await removeEmpty(directory, made);
    }
}
async function removeEmpty(folder, top) {
    const removed = await (0,promises_.rmdir)(folder).then(() => true, () => false);
    if (removed && folder !== top)
        await removeEmpty((0,external_node_path_.dirname)(folder), top);
}

;// CONCATENATED MODULE: ./lib/agent/doctor/config-checks.js










const LOCAL_MS = 10_000;
function configChecks(examination, sources) {
    const { redactor, surroundings } = sources;
    const { environment } = surroundings;
    const spec = { outcome: 'config-error', deadlineMs: LOCAL_MS };
    const config = examination.check({ ...spec, id: 'configuration', title: 'Configuration' }, [], () => loaded(sources));
    examination.check({ ...spec, id: 'forwarded-variables', title: 'Forwarded variables' }, [config], (_, { envForwardAllowlist }) => forwarded(envForwardAllowlist, environment));
    examination.check({ ...spec, id: 'run-directory', title: 'Run directory' }, [config], (_, known) => writable(known.runDirectory ?? (0,external_node_path_.dirname)((0,run_directories/* runDirectories */.$N)(known, environment)())));
    examination.check({ ...spec, id: 'log', title: 'Log' }, [config], (_, known) => logged(known, redactor, environment));
    examination.check({ ...spec, id: 'health-port', title: 'Health port' }, [config], (_, { httpServerPort, httpServerAddress }) => listening(httpServerPort, httpServerAddress));
    return config;
}
async function loaded({ flags, surroundings, redactor }) {
    let found;
    try {
        found = await (0,configuration/* loadAgentConfig */.k)(flags, surroundings);
    }
    catch (error) {
        if (!(error instanceof problem/* ConfigError */.x))
            throw error;
        const said = [...error.problems.map(problem/* describeProblem */.B), ...error.warnings.map(lib_outcome/* clause */.sb)];
        throw new lib_outcome/* OutcomeError */.Rz('config-error', said.join('; ').replace(/[^.?]$/, '$&.'), { cause: error });
    }
    const { config, file, warnings, notices } = found;
    const { environment } = surroundings;
    redactor.add((0,configuration/* secretsOf */.F)(config, environment));
    const searched = (0,search_path/* searchDirectories */._I)({ ...surroundings, homeDirectory: environment['HOME'] ?? (0,external_node_os_.homedir)() });
    const where = file ?? `no ${search_path/* CONFIG_FILE_NAME */.au} in ${searched.join(', ')}; environment and flags alone`;
    const told = notices.filter((notice) => !notice.startsWith('the default of '));
    const detail = [where, ...warnings, ...told].map(lib_outcome/* clause */.sb).join('. ');
    return { status: warnings.length > 0 ? 'warning' : 'passed', detail, value: config };
}
function forwarded(names, environment) {
    const value = undefined;
    if (names.length === 0)
        return { status: 'skipped', detail: 'none are configured', value };
    const unset = names.filter((name) => environment[name] === undefined);
    if (unset.length > 0) {
        const detail = `not set here, so not forwarded: ${unset.join(', ')}. Set them for the agent, or take them off env_forward_allowlist.`;
        return { status: 'warning', detail, value };
    }
    if (names.includes('PULUMI_ACCESS_TOKEN')) {
        const detail = `all are set; PULUMI_ACCESS_TOKEN replaces the deployment's own, which then acts as somebody else than Pulumi Cloud chose. Take it off env_forward_allowlist if that isn't meant.`;
        return { status: 'warning', detail, value };
    }
    return { status: 'passed', detail: names.join(', '), value };
}
async function logged(config, redactor, { PATH: path }) {
    const redact = (text) => redactor.text(text);
    const { close } = await (0,configured_log/* configuredLog */.H)(config, {
        file: undefined,
        redact,
        ids: () => undefined,
        pid: process.pid,
        path,
    });
    await close();
    const place = config.syslog ? `syslog, by ${config.syslogSocket}` : `standard error, as ${config.logFormat}`;
    return { status: 'passed', detail: `${place}, from ${config.logLevel} on`, value: undefined };
}
async function listening(port, host) {
    const value = undefined;
    if (port === 0)
        return { status: 'skipped', detail: 'any free one', value };
    const server = (0,external_node_net_.createServer)();
    const { promise: tried, resolve } = Promise.withResolvers();
    server.once('error', resolve);
    server.listen({ port, host }, () => resolve(undefined));
    const error = await tried;
    server.close();
    if (error === undefined)
        return { status: 'passed', detail: `${port} is free`, value };
    const detail = `${port} can't be taken: ${(0,lib_outcome/* clause */.sb)(error.message)}. Unless that is this agent itself, set http_server_port to a free port, or to 0 for any.`;
    return { status: 'warning', detail, value };
}

// EXTERNAL MODULE: ./lib/job/job.js + 20 modules
var job = __webpack_require__(7025);
// EXTERNAL MODULE: ./lib/record/owner.js
var owner = __webpack_require__(1218);
// EXTERNAL MODULE: ./lib/target/docker/errors.js
var errors = __webpack_require__(3119);
// EXTERNAL MODULE: ./lib/target/image-policy.js
var image_policy = __webpack_require__(9687);
// EXTERNAL MODULE: ./lib/target/target.js
var target_target = __webpack_require__(1568);
// EXTERNAL MODULE: ./lib/agent/container-settings.js
var container_settings = __webpack_require__(2002);
// EXTERNAL MODULE: ./lib/agent/labels.js
var agent_labels = __webpack_require__(3850);
;// CONCATENATED MODULE: ./lib/agent/doctor/permission-checks.js


function permissionChecks(examination, permissions, deadlineMs) {
    for (const permission of permissions) {
        const { resource } = permission;
        const id = `permission-${resource.replace('/', '-')}`;
        examination.check({ id, title: `May use ${resource}`, outcome: 'target-error', deadlineMs }, [], (signal) => reviewed(permission, signal));
    }
}
async function reviewed(permission, signal) {
    const { resource, needed, useful, purpose } = permission;
    const value = undefined;
    let review;
    try {
        review = await permission.review(signal);
    }
    catch (cause) {
        signal.throwIfAborted();
        return { status: 'unknown', detail: `could not ask: ${reasonOf(cause)}.`, value };
    }
    const { refused, remedy } = review;
    if (refused.length === 0)
        return { status: 'passed', detail: [...needed, ...useful].join(', '), value };
    const may = `this account may not ${refused.join(', ')}`;
    if (refused.some((verb) => needed.includes(verb))) {
        throw new lib_outcome/* OutcomeError */.Rz('target-error', `Failed to get access to ${resource} for jobs: ${may}. ${remedy}.`);
    }
    return { status: 'warning', detail: `${may}: without it, ${purpose}. ${remedy}.`, value };
}

;// CONCATENATED MODULE: ./lib/agent/doctor/engine-checks.js










const ENGINE_MS = 15_000;
const CLUSTER_MS = 30_000;
const PULL_MS = 30 * 60_000;
const engine_checks_ROOM = 2 * 1024 ** 3;
const ENVIRONMENT_FILE = '/PULUMI_ENV';
const NEEDED = ['bash', 'curl', 'pulumi'];
function engineChecks(examination, { config, target, startMs, labels, pull }) {
    const isCluster = target.permissions !== undefined;
    const spec = { outcome: 'target-error', deadlineMs: isCluster ? CLUSTER_MS : ENGINE_MS };
    const title = isCluster ? 'Kubernetes' : 'Docker';
    const engine = examination.check({ ...spec, id: title.toLowerCase(), title }, [], async (signal) => {
        return { status: 'passed', detail: await target.check(signal), value: undefined };
    });
    if (target.permissions === undefined) {
        examination.check({ ...spec, id: 'engine-disk', title: 'Engine disk' }, [engine], (signal) => room(target, signal));
    }
    else {
        permissionChecks(examination, target.permissions(), spec.deadlineMs);
    }
    const deadlineMs = pull === undefined || isCluster ? startMs : PULL_MS;
    examination.check({ ...spec, id: 'container', title: isCluster ? 'Pod' : 'Container', deadlineMs }, [engine, config], (signal, _, settings) => made(target, {
        ...(0,container_settings/* containerSettings */.J)(settings),
        image: pull ?? settings.image ?? job/* DEFAULT_IMAGE */._,
        pull: !isCluster && (pull !== undefined || (settings.image !== undefined && settings.pullImage)),
        isNamed: pull !== undefined || settings.image !== undefined,
        labels,
        signal,
    }));
}
async function room(target, signal) {
    const value = undefined;
    const directory = await target.dataDirectory?.(signal);
    const space = directory === undefined ? undefined : await (0,promises_.statfs)(directory).catch(() => undefined);
    if (space === undefined)
        return { status: 'unknown', detail: "the engine's disk can't be seen from here", value };
    const free = space.bavail * space.bsize;
    const detail = `${directory}, ${byteCount(free)} free`;
    if (free >= engine_checks_ROOM)
        return { status: 'passed', detail, value };
    return { status: 'warning', detail: `${detail}. Free some: images and containers go there.`, value };
}
async function made(target, { image, pull, isNamed, labels, signal, ...settings }) {
    const value = undefined;
    let container;
    try {
        container = await target.prepare({
            ...settings,
            image,
            pull,
            labels: { ...labels, ...(0,agent_labels/* ownLabels */.ct)((0,owner/* ownOwner */.CR)()), 'pulumi-runner.run': 'doctor' },
            files: [{ path: ENVIRONMENT_FILE, mode: 0o600, content: '' }],
            environmentFile: ENVIRONMENT_FILE,
        }, async () => undefined, signal);
    }
    catch (error) {
        if (isNamed || !(error instanceof target_target/* ImageError */.C8))
            throw error;
        if (error instanceof image_policy/* ImageNotAllowedError */.xu) {
            const detail = `could not tell: ${image}, which would be tried, is not among the images that may run. --pull IMAGE tries another.`;
            return { status: 'unknown', detail, value };
        }
        const isCluster = target.permissions !== undefined;
        if (!isCluster && !(0,errors/* refusedWith */.P0)(error.cause, 404))
            throw error;
        const detail = `could not tell: the ${isCluster ? 'node' : 'engine'} doesn't have ${image} yet, and a job pulls its own. --pull IMAGE tries it.`;
        return { status: 'unknown', detail, value };
    }
    let missing;
    try {
        missing = await missingPrograms(container, signal);
    }
    finally {
        await container.remove();
    }
    const done = `${container.imageDigest} ${pull ? 'pulled, ' : ''}started, used and removed`;
    if (missing.length === 0)
        return { status: 'passed', detail: done, value };
    const detail = `${done}; it lacks ${missing.join(', ')}, which Pulumi Cloud's steps call. Use an image such as pulumi/pulumi.`;
    return { status: 'warning', detail, value };
}
async function missingPrograms(container, signal) {
    let output = '';
    const script = `for program in ${NEEDED.join(' ')}; do command -v "$program" >/dev/null 2>&1 || echo "$program"; done`;
    const step = await container.start({ shell: 'sh', script, environment: {} }, (chunk) => {
        output += chunk.toString('utf8');
    }, signal);
    await step.exit;
    const words = new Set(output.split('\n'));
    return NEEDED.filter((program) => words.has(program));
}

// EXTERNAL MODULE: external "node:dns/promises"
var external_node_dns_promises_ = __webpack_require__(1553);
// EXTERNAL MODULE: external "node:http"
var external_node_http_ = __webpack_require__(7067);
// EXTERNAL MODULE: external "node:tls"
var external_node_tls_ = __webpack_require__(1692);
;// CONCATENATED MODULE: ./lib/agent/doctor/unreachable.js

function unreachable(what, reason, advice, cause) {
    return new lib_outcome/* OutcomeError */.Rz('cloud-unreachable', `Failed to ${what} for Pulumi Cloud: ${reason}. ${advice}`, { cause });
}

// EXTERNAL MODULE: ./lib/network/proxy.js + 1 modules
var network_proxy = __webpack_require__(3556);
// EXTERNAL MODULE: ./lib/network/trust.js + 1 modules
var trust = __webpack_require__(4539);
;// CONCATENATED MODULE: ./lib/agent/doctor/way.js


const ANSWER_MS = 8_000;
function wayTo({ serviceUrl, caCertificate, requestTimeoutMs }, environment) {
    const service = new URL(serviceUrl);
    const { proxy, exempted } = (0,network_proxy.routeTo)(service, environment);
    const encrypted = service.protocol === 'https:' || proxy?.address.startsWith('https:') === true;
    const sources = {
        environment,
        platform: process.platform,
        ...(caCertificate === undefined ? {} : { caCertificate }),
    };
    const { certificates, notices } = encrypted ? (0,trust.trusted)(sources) : { certificates: [], notices: [] };
    return {
        service,
        ...placeOf(service),
        ...(proxy === undefined ? {} : { proxy }),
        ...(exempted === undefined ? {} : { exempted }),
        ...(encrypted ? { trust: (0,trust.contextOf)(certificates) } : {}),
        timeoutMs: Math.min(ANSWER_MS, requestTimeoutMs),
        secrets: proxy?.secrets ?? [],
        notices,
    };
}
function placeOf({ hostname, port, protocol }) {
    const usual = protocol === 'https:' ? 443 : 80;
    return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? usual : Number(port) };
}

;// CONCATENATED MODULE: ./lib/agent/doctor/dial.js






async function dial(way, outer) {
    const { proxy, service, host, port, timeoutMs } = way;
    const signal = AbortSignal.any([outer, AbortSignal.timeout(timeoutMs)]);
    if (proxy === undefined) {
        return opened({ host, port }, signal).catch((cause) => {
            outer.throwIfAborted();
            const advice = "Check service_url, and that this network's firewall lets the agent out; where a proxy leads out, set HTTPS_PROXY.";
            throw unreachable(`connect to ${host} port ${port}`, dialReason(cause), advice, cause);
        });
    }
    const socket = await toProxy(way, proxy, signal);
    return service.protocol === 'https:' ? throughProxy(socket, way, proxy, signal) : socket;
}
async function toProxy({ trust, service }, proxy, signal) {
    const url = new URL(proxy.address);
    const place = placeOf(url);
    try {
        const socket = await opened(place, signal);
        if (url.protocol !== 'https:')
            return socket;
        const servername = (0,external_node_net_.isIP)(place.host) === 0 ? { servername: place.host } : {};
        const tls = (0,external_node_tls_.connect)({ socket, host: place.host, ...servername, ...(trust ? { secureContext: trust } : {}) });
        return await settled(tls, 'secureConnect', signal);
    }
    catch (cause) {
        const advice = `Check that it runs and that ${proxy.variable} names it, or add ${service.hostname} to NO_PROXY if this machine reaches it directly.`;
        throw unreachable(`connect to the proxy ${proxy.address}`, dialReason(cause), advice, cause);
    }
}
function throughProxy(socket, { host, port }, proxy, signal) {
    const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const { address, authorization, variable } = proxy;
    return new Promise((resolve, reject) => {
        const fail = (reason, advice, cause) => {
            socket.destroy();
            reject(unreachable(`get through the proxy ${address}`, reason, advice, cause));
        };
        const call = (0,external_node_http_.request)({
            method: 'CONNECT',
            path: target,
            createConnection: () => socket,
            signal,
            headers: { host: target, ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }) },
        });
        call.once('connect', ({ statusCode = 0 }) => {
            if (statusCode >= 200 && statusCode < 300)
                resolve(socket);
            else
                fail(`it refuses to connect us to ${target} (HTTP ${statusCode})`, proxyAdvice(statusCode, proxy, host));
        });
        call.once('error', (cause) => {
            const reason = signal.aborted ? 'it gives no answer' : reasonOf(cause);
            fail(reason, `Check that ${variable} names an HTTP proxy.`, cause);
        });
        call.end();
    });
}
function proxyAdvice(status, { authorization, variable }, host) {
    const exempt = `or add ${host} to NO_PROXY if this machine reaches it directly`;
    if (status === 403)
        return `Have it allow that, ${exempt}.`;
    if (status !== 407)
        return `See its log, ${exempt}.`;
    return authorization === undefined
        ? `Put its user and password into ${variable}, as in http://USER:PASSWORD@HOST:PORT.`
        : `Correct the user and password in ${variable}, their special characters written as %XX.`;
}
function opened(place, signal) {
    return settled((0,external_node_net_.connect)(place), 'connect', signal);
}
function settled(socket, event, signal) {
    return new Promise((resolve, reject) => {
        const onAbort = () => socket.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' }));
        signal.addEventListener('abort', onAbort, { once: true });
        const end = () => signal.removeEventListener('abort', onAbort);
        socket.once('error', (error) => {
            end();
            reject(error);
        });
        socket.once(event, () => {
            end();
            socket.on('error', () => undefined);
            resolve(socket);
        });
        if (signal.aborted)
            onAbort();
    });
}
function dialReason(error) {
    const causes = error instanceof AggregateError ? error.errors : [error];
    const codes = new Set(causes.map((cause) => (cause instanceof Error && 'code' in cause ? cause.code : undefined)));
    if (codes.has('ECONNREFUSED'))
        return 'nothing accepts connections there (ECONNREFUSED)';
    if (codes.has('ETIMEDOUT'))
        return 'the host does not answer (ETIMEDOUT)';
    if (codes.has('EHOSTUNREACH') || codes.has('ENETUNREACH'))
        return 'no route leads there';
    return reasonOf(error);
}

;// CONCATENATED MODULE: ./lib/agent/doctor/tls-check.js






const SOON_DAYS = 14;
const DAY_MS = 86_400_000;
async function certificate(socket, options) {
    const { host, signal } = options;
    let tls;
    try {
        tls = await shaken(socket, options);
    }
    catch (cause) {
        signal.throwIfAborted();
        throw refused(host, ...handshakeReason(cause), cause);
    }
    const chain = chainOf(tls.getPeerCertificate(true));
    const problem = tls.authorizationError;
    tls.destroy();
    const [own] = chain;
    if (own === undefined)
        throw refused(host, 'it showed no certificate', 'Correct service_url.');
    if (problem)
        throw refused(host, ...distrust(String(problem), host, chain));
    const ends = Date.parse(own.valid_to);
    const left = Math.floor((ends - Date.now()) / DAY_MS);
    const detail = `${nameOf(own.subject)}, issued by ${issuerOf(own)}, good until ${day(ends)} (${left} days left)`;
    if (left >= SOON_DAYS)
        return { status: 'passed', detail, value: undefined };
    return { status: 'warning', detail: `${detail}. Whoever runs the service should renew it soon.`, value: undefined };
}
function shaken(socket, { host, trust, timeoutMs, signal }) {
    const name = (0,external_node_net_.isIP)(host) === 0 ? { servername: host } : {};
    const tls = (0,external_node_tls_.connect)({ socket, host, ...name, secureContext: trust, rejectUnauthorized: false });
    return settled(tls, 'secureConnect', AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
}
function chainOf(first) {
    const chain = [];
    let next = first;
    while (next?.fingerprint256 !== undefined && !chain.some((seen) => seen.fingerprint256 === next?.fingerprint256)) {
        chain.push(next);
        next = next.issuerCertificate;
    }
    return chain;
}
function distrust(code, host, chain) {
    const [own] = chain;
    const top = chain.at(-1);
    switch (code) {
        case 'CERT_HAS_EXPIRED': {
            const expired = chain.find(({ valid_to }) => Date.parse(valid_to) < Date.now()) ?? own;
            const ended = Date.parse(expired?.valid_to ?? '');
            return [
                `the certificate of ${nameOf(expired?.subject)} expired on ${day(ended)}, ${span(Date.now() - ended)} ago`,
                "Have it renewed by whoever runs the service or the proxy before it; if this machine's clock is wrong, set it.",
            ];
        }
        case 'CERT_NOT_YET_VALID':
            return [`the certificate of ${nameOf(own?.subject)} is not valid yet`, "Set this machine's clock."];
        case 'ERR_TLS_CERT_ALTNAME_INVALID':
            return [
                `the certificate is for ${own?.subjectaltname?.replace(/(?:DNS|IP Address):/g, '') ?? nameOf(own?.subject)}, not for ${host}`,
                'Correct service_url, or have the name added to the certificate.',
            ];
        default:
            return [
                `the certificate is issued by ${top === undefined ? 'nobody known' : issuerOf(top)}, whom this machine does not trust (${code})`,
                TRUST,
            ];
    }
}
const TRUST = "If that is your own authority's, or an inspecting proxy's, set ca_certificate to it; if it is neither, somebody is in between.";
function handshakeReason(error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ETIMEDOUT') {
        return [
            `the TLS handshake was ${code === 'ETIMEDOUT' ? 'never answered' : 'cut'} (${code})`,
            'A firewall or an inspecting proxy on the way may do that: have the host allowed there.',
        ];
    }
    if (code.startsWith('ERR_SSL_') || code === 'EPROTO') {
        return [`what answers there does not speak TLS as we do (${reasonOf(error)})`, 'Check the port in service_url.'];
    }
    return [reasonOf(error), 'Check what stands between here and there.'];
}
function refused(host, reason, advice, cause) {
    return unreachable(`trust ${host}`, reason, advice, cause);
}
function nameOf(name) {
    const { CN, O } = name ?? {};
    return [CN ?? O ?? '(no name)'].flat().join(', ');
}
function issuerOf({ issuer }) {
    const { CN, O } = issuer;
    const words = [O, CN].flat().filter((word) => word !== undefined);
    return words.length === 0 ? '(no name)' : [...new Set(words)].join(' ');
}
function day(ms) {
    return Number.isFinite(ms) ? new Date(ms).toISOString().slice(0, 10) : 'an unknown day';
}

;// CONCATENATED MODULE: ./lib/agent/doctor/network-checks.js







const spec = { outcome: 'cloud-unreachable', deadlineMs: 10_000 };
function networkChecks(examination, { config, environment, redactor }) {
    const way = examination.check({ ...spec, id: 'proxy', title: 'Proxy' }, [config], (_, known) => {
        const found = wayTo(known, environment);
        redactor.add(found.secrets);
        return proxyOf(found);
    });
    const named = examination.check({ ...spec, id: 'dns', title: 'DNS' }, [way], (_, known) => resolved(known));
    const connected = examination.check({ ...spec, id: 'connection', title: 'Connection' }, [way, named], (signal, known) => reached(known, signal));
    return examination.check({ ...spec, id: 'tls', title: 'TLS' }, [way, connected], (signal, known) => encrypted(known, signal));
}
function proxyOf(way) {
    const { proxy, exempted, host, notices } = way;
    const use = proxy === undefined ? undefined : `${proxy.address} (${proxy.variable})`;
    const none = exempted === undefined ? 'none is set for this service' : `none: ${exempted} lists ${host}`;
    if (notices.length > 0)
        return { status: 'warning', detail: [use ?? none, ...notices].join('. '), value: way };
    return { status: use === undefined ? 'skipped' : 'passed', detail: use ?? none, value: way };
}
async function resolved({ host, proxy }) {
    const name = proxy === undefined ? host : placeOf(new URL(proxy.address)).host;
    const whose = proxy === undefined ? '' : "the proxy's ";
    if ((0,external_node_net_.isIP)(name) !== 0) {
        return { status: 'skipped', detail: `${whose}${name} is an address already`, value: undefined };
    }
    try {
        const found = await (0,external_node_dns_promises_.lookup)(name, { all: true });
        const addresses = [...new Set(found.map(({ address }) => address))].slice(0, 6);
        return { status: 'passed', detail: `${whose}${name} is ${addresses.join(', ')}`, value: undefined };
    }
    catch (cause) {
        const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
        const said = {
            ENOTFOUND: 'there is no such name (ENOTFOUND)',
            EAI_AGAIN: 'the name server gave no answer (EAI_AGAIN)',
        }[code];
        const setting = proxy === undefined ? 'service_url' : proxy.variable;
        const advice = `Correct ${setting}, or this machine's DNS (/etc/resolv.conf).`;
        throw unreachable(`look up ${whose}${name}`, said ?? reasonOf(cause), advice, cause);
    }
}
async function reached(way, signal) {
    const { host, port, proxy, service } = way;
    const began = performance.now();
    const socket = await dial(way, signal);
    const ms = Math.round(performance.now() - began);
    const peer = `${socket.remoteAddress ?? host} port ${socket.remotePort ?? port}`;
    socket.destroy();
    const passes = service.protocol === 'https:' ? `connects us to ${host} port ${port}` : 'accepts connections';
    const detail = proxy === undefined ? `${peer} in ${ms} ms` : `${proxy.address} ${passes} in ${ms} ms`;
    return { status: 'passed', detail, value: undefined };
}
async function encrypted(way, signal) {
    const { service, host, trust, timeoutMs } = way;
    if (service.protocol !== 'https:' || trust === undefined) {
        return { status: 'skipped', detail: `${service.origin} is not https`, value: undefined };
    }
    const socket = await dial(way, signal);
    try {
        return await certificate(socket, { host, trust, timeoutMs, signal });
    }
    finally {
        socket.destroy();
    }
}

// EXTERNAL MODULE: ./lib/log/terminal-text.js
var terminal_text = __webpack_require__(2442);
// EXTERNAL MODULE: ./lib/troubleshooting.js
var troubleshooting = __webpack_require__(7433);
;// CONCATENATED MODULE: ./lib/agent/doctor/table.js



const COLOURS = { passed: 32, warning: 33, failed: 31, unknown: 2, skipped: 2 };
function checkLine({ status, title, detail }, width, colours) {
    const sign = CHECK_SIGNS[status];
    const shown = colours ? `\u001b[${COLOURS[status]}m${sign}\u001b[0m` : sign;
    return `${shown} ${title.padEnd(width)}  ${(0,terminal_text/* stripControl */.k)(detail)}\n`;
}
function entryLines(checks) {
    const lines = checks.map(({ status, title, detail }) => {
        const entry = status === 'failed' ? (0,troubleshooting/* entryFor */.cy)(detail) : undefined;
        return entry === undefined ? '' : `${title}: see ${entry}\n`;
    });
    return lines.join('');
}

// EXTERNAL MODULE: ./lib/target/docker/docker-target.js + 5 modules
var docker_target = __webpack_require__(9549);
// EXTERNAL MODULE: ./lib/agent/target-choice.js + 1 modules
var target_choice = __webpack_require__(490);
;// CONCATENATED MODULE: ./lib/agent/doctor/trial-target.js


const START_MS = 120_000;
const USE_MS = 60_000;
async function trialTarget(config, { pull, ...sources }) {
    if (config === undefined)
        return { target: (0,docker_target.createDockerTarget)(sources), startMs: START_MS };
    if (config.deployTarget !== 'kubernetes')
        return { target: await (0,target_choice/* targetFor */.x)(config, sources), startMs: START_MS };
    const isNamed = pull !== undefined || config.image !== undefined;
    const tried = { ...config, debugPod: false, ...(isNamed ? {} : { imagePullPolicy: 'Never' }) };
    return { target: await (0,target_choice/* targetFor */.x)(tried, sources), startMs: config.podStartTimeoutMs + USE_MS };
}

;// CONCATENATED MODULE: ./lib/agent/doctor/doctor.js











const CLEAN_UP_MS = 30_000;
async function doctor({ command, process, ...surroundings }) {
    const interrupted = new AbortController();
    const onSignal = () => interrupted.abort();
    for (const signal of SIGNALS)
        process.on(signal, onSignal);
    process.stdout.on('error', onSignal);
    const { environment } = surroundings;
    const redactor = new log_redactor/* Redactor */.p();
    const examination = new Examination(interrupted.signal, (text) => redactor.text(text));
    let target;
    try {
        const config = configChecks(examination, { flags: command, surroundings, redactor });
        const reached = networkChecks(examination, { config, environment, redactor });
        const cloud = cloudChecks(examination, { config, reached, environment, redactor });
        const pull = command.pull === undefined ? {} : { pull: command.pull };
        const trial = await trialTarget((await config.value)?.of, {
            ...pull,
            environment,
            onSecret: (secret) => redactor.add([secret]),
        });
        ({ target } = trial);
        engineChecks(examination, { ...trial, ...pull, config, labels: command.labels });
        const checks = await told(examination, command.json, process.stdout, environment);
        await cloud.close();
        const failed = checks.find(({ status }) => status === 'failed');
        const outcome = interrupted.signal.aborted ? 'interrupted' : (failed?.outcome ?? 'succeeded');
        const report = { schema: 1, version: version/* VERSION */.x, outcome, exitCode: (0,lib_outcome/* exitCodeOf */.FO)(outcome), checks };
        const last = failed === undefined ? '' : ` A run would end as ${outcome}.`;
        process.stdout.write(command.json
            ? `${JSON.stringify(report, undefined, 2)}\n`
            : `\n${countChecks(checks)}${last}\n${entryLines(checks)}`);
        return report.exitCode;
    }
    finally {
        await examination.settled(CLEAN_UP_MS);
        await target?.close();
        for (const signal of SIGNALS)
            process.removeListener(signal, onSignal);
    }
}
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
async function told(examination, json, stdout, environment) {
    const colours = stdout.isTTY === true && (environment['NO_COLOR'] ?? '') === '';
    const checks = [];
    for await (const check of examination.reports()) {
        checks.push(check);
        if (!json)
            stdout.write(checkLine(check, examination.width, colours));
    }
    return checks;
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

/***/ 9101:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  G: () => (/* binding */ KEPT_TOKENS),
  Z: () => (/* binding */ tokenSource)
});

// EXTERNAL MODULE: ./lib/clock.js
var clock = __webpack_require__(5233);
// EXTERNAL MODULE: ./lib/cloud/token-exchange.js
var token_exchange = __webpack_require__(1244);
;// CONCATENATED MODULE: ./lib/cloud/pool-token.js

class OidcToken extends token_exchange/* ExchangedToken */.h {
    constructor(options) {
        const { organization, poolId, poolName, scope, expirationSeconds } = options;
        const pools = [poolId, ...(poolName === undefined ? [] : [poolName])];
        super(options, {
            whom: `pool ${poolId}`,
            type: 'runner',
            scopes: scope === undefined ? pools.map((pool) => `runner:${pool}`) : [scope],
            ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
            refused: {
                whom: `pool ${poolId} of ${organization}`,
                policy: `runnerID: ${poolId}`,
                advice: '; tokens for runners need an edition with customer-managed workflow runners.',
            },
        });
    }
}

// EXTERNAL MODULE: ./lib/cloud/token.js
var cloud_token = __webpack_require__(1204);
;// CONCATENATED MODULE: ./lib/agent/token-source.js



const KEPT_TOKENS = 4;
function tokenSource(config, http, redactor) {
    const { oidcTokenFile, organizationName, runnerPoolId, token } = config;
    if (oidcTokenFile !== undefined && organizationName !== undefined && runnerPoolId !== undefined) {
        return new OidcToken({
            http,
            tokenFile: oidcTokenFile,
            organization: organizationName,
            poolId: runnerPoolId,
            ...(config.runnerPoolName === undefined ? {} : { poolName: config.runnerPoolName }),
            ...(config.oidcScope === undefined ? {} : { scope: config.oidcScope }),
            ...(config.oidcAudience === undefined ? {} : { audience: config.oidcAudience }),
            ...(config.tokenExpirationSeconds === undefined ? {} : { expirationSeconds: config.tokenExpirationSeconds }),
            clock: clock/* systemClock */.ml,
            onSecret: redactor.recent(KEPT_TOKENS),
        });
    }
    return new cloud_token/* StaticToken */.A(token ?? '');
}


/***/ }),

/***/ 2960:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   e: () => (/* binding */ idTokenClaims),
/* harmony export */   x: () => (/* binding */ readIdToken)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2398);


function readIdToken(whom, { tokenFile, onSecret }) {
    const advice = 'The CI job that starts the agent must write oidc_token_file and keep it fresh.';
    let token;
    try {
        token = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)(tokenFile, 'utf8').trim();
    }
    catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .AuthError */ .lR(`Failed to read the ID token for ${whom}: ${reason}. ${advice}`, { cause });
    }
    if (token === '')
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .AuthError */ .lR(`Failed to read the ID token for ${whom}: ${tokenFile} is empty. ${advice}`);
    onSecret(token);
    return token;
}
function idTokenClaims(token) {
    let claims = {};
    try {
        const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
        if (typeof payload === 'object' && payload !== null)
            claims = payload;
    }
    catch {
    }
    const said = (name) => {
        const value = claims[name];
        const shown = Array.isArray(value) ? value.join(',') : typeof value === 'string' ? value : '(not in the token)';
        return shown.replace(/\s+/g, ' ').slice(0, 300);
    };
    const exp = claims['exp'];
    return { iss: said('iss'), aud: said('aud'), sub: said('sub'), exp: typeof exp === 'number' ? exp : undefined };
}


/***/ }),

/***/ 1244:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   h: () => (/* binding */ ExchangedToken)
/* harmony export */ });
/* harmony import */ var _clock_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(5233);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2398);
/* harmony import */ var _exchange_answer_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(9155);
/* harmony import */ var _id_token_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(2960);
/* harmony import */ var _refusal_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(9969);





const DEFAULT_LIFETIME_SECONDS = 7200;
const RENEWAL_RETRY_MS = 60_000;
class ExchangedToken {
    method = 'oidc';
    #options;
    #wanted;
    #token;
    #exchange;
    constructor(options, wanted) {
        this.#options = options;
        this.#wanted = wanted;
    }
    get expiresAt() {
        const held = this.#token;
        return held === undefined ? undefined : new Date(held.since.now + held.lifetimeMs).toISOString();
    }
    async get(signal) {
        const { clock } = this.#options;
        const held = this.#token;
        if (held !== undefined && (0,_clock_js__WEBPACK_IMPORTED_MODULE_0__/* .passedSince */ .Pd)(held.since, clock).perhaps < held.renewAfterMs)
            return held.value;
        this.#exchange ??= {
            signal,
            done: this.#exchanged(signal).finally(() => {
                this.#exchange = undefined;
            }),
        };
        const exchange = this.#exchange;
        try {
            return await exchange.done;
        }
        catch (error) {
            if (exchange.signal.aborted && !signal.aborted)
                return this.get(signal);
            if (signal.aborted || held === undefined || held !== this.#token)
                throw error;
            const { surely } = (0,_clock_js__WEBPACK_IMPORTED_MODULE_0__/* .passedSince */ .Pd)(held.since, clock);
            if (surely >= held.lifetimeMs)
                throw error;
            held.since = { now: clock.now() - surely, steady: held.since.steady };
            held.renewAfterMs = Math.min(surely + RENEWAL_RETRY_MS, held.lifetimeMs);
            return held.value;
        }
    }
    renew(refused, signal) {
        if (this.#token?.value === refused)
            this.#token = undefined;
        return this.get(signal);
    }
    async #exchanged(signal) {
        const { clock, onSecret } = this.#options;
        const { whom, scopes } = this.#wanted;
        if (this.#token !== undefined)
            onSecret(this.#token.value);
        const idToken = (0,_id_token_js__WEBPACK_IMPORTED_MODULE_3__/* .readIdToken */ .x)(whom, this.#options);
        const answers = [await this.#ask(scopes[0], idToken, signal)];
        for (const scope of scopes.slice(1)) {
            if (![400, 401, 403].includes(answers.at(-1)?.status ?? 0))
                break;
            answers.push(await this.#ask(scope, idToken, signal));
        }
        const answer = answers.at(-1);
        if (answer === undefined || answer.status >= 300)
            throw this.#refused(answers, idToken);
        const parsed = _exchange_answer_js__WEBPACK_IMPORTED_MODULE_2__/* .exchangeSchema */ .V.safeParse(answer.json, _exchange_answer_js__WEBPACK_IMPORTED_MODULE_2__/* .SELDOM */ .$);
        if (!parsed.success) {
            throw new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .AuthError */ .lR(`Failed to exchange the ID token for ${whom}: the answer holds no access_token. Check that the service URL is Pulumi Cloud's API.`);
        }
        const value = parsed.data.access_token;
        onSecret(value);
        const lifetimeMs = (parsed.data.expires_in ?? DEFAULT_LIFETIME_SECONDS) * 1000;
        const ahead = Math.min(lifetimeMs / 2, Math.max(60_000, lifetimeMs / 10));
        this.#token = { value, since: (0,_clock_js__WEBPACK_IMPORTED_MODULE_0__/* .momentOf */ .Et)(clock), lifetimeMs, renewAfterMs: lifetimeMs - ahead };
        return value;
    }
    #ask(scope, idToken, signal) {
        const { http, organization, audience } = this.#options;
        const { type, expirationSeconds } = this.#wanted;
        return http.call({
            method: 'POST',
            path: '/api/oauth/token',
            purpose: 'exchange the ID token',
            needsJson: true,
            signal,
            body: {
                audience: audience ?? `urn:pulumi:org:${organization}`,
                grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
                subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
                requested_token_type: `urn:pulumi:token-type:access_token:${type}`,
                ...(scope === undefined ? {} : { scope }),
                ...(expirationSeconds === undefined ? {} : { expiration: expirationSeconds }),
                subject_token: idToken,
            },
        });
    }
    #refused(answers, idToken) {
        const { type, refused } = this.#wanted;
        const { iss, aud, sub, exp } = (0,_id_token_js__WEBPACK_IMPORTED_MODULE_3__/* .idTokenClaims */ .e)(idToken);
        const said = [...new Set(answers.map(_refusal_js__WEBPACK_IMPORTED_MODULE_4__/* .refusal */ .x))].join(', then by its name ');
        const stale = exp !== undefined && exp * 1000 < this.#options.clock.now()
            ? ' The ID token has expired: whoever writes oidc_token_file must refresh it.'
            : '';
        const policy = `tokenType: ${type}, ${refused.policy === undefined ? '' : `${refused.policy}, `}rules: {aud: ${aud}, sub: ${sub}}`;
        return new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .AuthError */ .lR(`Failed to exchange the ID token for ${refused.whom}: ${said}.${stale} The token says iss=${iss}, aud=${aud}, sub=${sub}. ` +
            `In Pulumi Cloud, register that issuer and add a policy {decision: allow, ${policy}}${refused.advice}`);
    }
}


/***/ }),

/***/ 1204:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   A: () => (/* binding */ StaticToken),
/* harmony export */   n: () => (/* binding */ currentToken)
/* harmony export */ });
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2398);

function currentToken(tokens, signal, refused) {
    return refused === undefined ? tokens.get(signal) : tokens.renew(refused, signal);
}
class StaticToken {
    method = 'token';
    expiresAt = undefined;
    #token;
    #refused;
    constructor(token, refused = 'Failed to authenticate for the pool: Pulumi Cloud refused the pool token (HTTP 401). Check that the token belongs to an existing pool and was not deleted.') {
        this.#token = token;
        this.#refused = refused;
    }
    get() {
        return Promise.resolve(this.#token);
    }
    renew() {
        return Promise.reject(new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .AuthError */ .lR(this.#refused));
    }
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

/***/ 3556:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  fixedProxy: () => (/* binding */ fixedProxy),
  routeTo: () => (/* binding */ routeTo)
});

// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(3259);
// EXTERNAL MODULE: external "node:net"
var external_node_net_ = __webpack_require__(7030);
// EXTERNAL MODULE: external "node:url"
var external_node_url_ = __webpack_require__(3136);
;// CONCATENATED MODULE: ./lib/network/no-proxy.js


const LOOPBACK = new external_node_net_.BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');
const MAPPED = new external_node_net_.BlockList();
MAPPED.addSubnet('::ffff:0:0', 96, 'ipv6');
function isLoopback({ hostname }) {
    const host = bare(hostname);
    return (host === 'localhost' || host.endsWith('.localhost') || ((0,external_node_net_.isIP)(host) !== 0 && LOOPBACK.check(host, family(host))));
}
function isListed(noProxy, place) {
    const entries = noProxy.toLowerCase().split(/[\s,]+/);
    return entries.some((entry) => entry !== '' && (entry === '*' || matches(entry, place)));
}
function matches(entry, { hostname, port }) {
    const host = bare(hostname);
    const [, network, bits] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
    if (network !== undefined)
        return isInBlock(host, network, Number(bits));
    const named = split(entry);
    if (named === undefined || (named.port !== '' && named.port !== String(port)))
        return false;
    const { name } = named;
    if ((0,external_node_net_.isIP)(name) !== 0)
        return isInBlock(host, name, (0,external_node_net_.isIP)(name) === 4 ? 32 : 128);
    const domain = name.replace(/^\*\./, '.');
    if (domain.startsWith('.'))
        return host.endsWith(`.${ascii(domain.slice(1))}`);
    return domain !== '' && (host === ascii(domain) || host.endsWith(`.${ascii(domain)}`));
}
function split(entry) {
    if ((0,external_node_net_.isIP)(entry) !== 0)
        return { name: entry, port: '' };
    const [, inBrackets, plain, port = ''] = /^(?:\[(.*)\]|([^:]*))(?::([^:]*))?$/.exec(entry) ?? [];
    const name = inBrackets ?? plain;
    return name === undefined ? undefined : { name, port };
}
function isInBlock(host, network, bits) {
    if ((0,external_node_net_.isIP)(host) === 0 || (0,external_node_net_.isIP)(network) === 0 || bits > ((0,external_node_net_.isIP)(network) === 4 ? 32 : 128))
        return false;
    if (isIpv4(host) !== isIpv4(network))
        return false;
    const block = new external_node_net_.BlockList();
    block.addSubnet(network, bits, family(network));
    return block.check(host, family(host));
}
function isIpv4(address) {
    return (0,external_node_net_.isIP)(address) === 4 || MAPPED.check(address, 'ipv6');
}
function family(address) {
    return (0,external_node_net_.isIP)(address) === 4 ? 'ipv4' : 'ipv6';
}
function bare(hostname) {
    return hostname.replace(/^\[(.*)\]$/, '$1');
}
function ascii(name) {
    return (0,external_node_url_.domainToASCII)(name) || name;
}

// EXTERNAL MODULE: ./lib/network/proxy-variable.js
var proxy_variable = __webpack_require__(2263);
;// CONCATENATED MODULE: ./lib/network/proxy.js



function routeTo(url, environment) {
    const found = (0,proxy_variable/* proxyVariable */.r)(url, environment);
    const place = { hostname: url.hostname, port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80) };
    if (found === undefined || isLoopback(place))
        return {};
    const exempting = (0,proxy_variable/* firstSet */.v)(environment, 'NO_PROXY');
    if (exempting !== undefined && isListed(exempting.text, place))
        return { exempted: exempting.name };
    return { proxy: readProxy(found) };
}
function fixedProxy(name, text) {
    return { ...readProxy({ name, text }), isFixed: true };
}
function readProxy({ name, text }) {
    const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
    if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
        throw new outcome/* OutcomeError */.Rz('config-error', `Failed to read ${name} for the agent: it is not the address of an HTTP proxy. Write one such as http://proxy.example.com:3128, a user and a password before an @, their special characters as %XX.`);
    }
    const [user, password] = [decoded(url.username), decoded(url.password)];
    const address = `${url.protocol}//${url.host}`;
    if (user === '' && password === '')
        return { address, secrets: [], variable: name };
    const credentials = Buffer.from(`${user}:${password}`).toString('base64');
    return {
        address,
        authorization: `Basic ${credentials}`,
        secrets: [credentials, url.password, password].filter((secret) => secret !== ''),
        variable: name,
    };
}
function decoded(text) {
    try {
        return decodeURIComponent(text);
    }
    catch {
        return text;
    }
}


/***/ }),

/***/ 4539:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  contextOf: () => (/* binding */ contextOf),
  trusted: () => (/* binding */ trusted)
});

// UNUSED EXPORTS: configuredCertificates

// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: external "node:tls"
var external_node_tls_ = __webpack_require__(1692);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(3259);
// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(7598);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
;// CONCATENATED MODULE: ./lib/network/certificates.js




const BUNDLES = [
    '/etc/ssl/certs/ca-certificates.crt',
    '/etc/pki/tls/certs/ca-bundle.crt',
    '/etc/ssl/ca-bundle.pem',
    '/etc/pki/tls/cacert.pem',
    '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
    '/etc/ssl/cert.pem',
];
const FOLDERS = ['/etc/ssl/certs', '/etc/pki/tls/certs'];
function certificatesIn(pem) {
    const blocks = pem.matchAll(/-----BEGIN CERTIFICATE-----([\sA-Za-z0-9+/=]+)-----END CERTIFICATE-----/g);
    return Array.from(blocks, ([, body = '']) => {
        const lines = body.replace(/\s+/g, '').match(/.{1,64}/g) ?? [];
        return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----'].join('\n');
    });
}
function isReadable(certificate) {
    try {
        return new external_node_crypto_.X509Certificate(certificate).raw.length > 0;
    }
    catch {
        return false;
    }
}
function systemCertificates(platform) {
    if (platform === 'darwin' || platform === 'win32')
        return (0,external_node_tls_.getCACertificates)('system').flatMap(certificatesIn);
    const certificates = [];
    for (const bundle of BUNDLES) {
        const text = readable(() => (0,external_node_fs_.readFileSync)(bundle, 'utf8'));
        if (text === undefined)
            continue;
        certificates.push(...certificatesIn(text));
        break;
    }
    for (const folder of FOLDERS) {
        certificates.push(...(readable(() => certificatesInFolder(folder)) ?? []));
    }
    return certificates;
}
function certificatesInFolder(folder) {
    return (0,external_node_fs_.readdirSync)(folder, { withFileTypes: true }).flatMap((entry) => {
        const path = (0,external_node_path_.join)(folder, entry.name);
        if (entry.isSymbolicLink() && readable(() => (0,external_node_fs_.readlinkSync)(path))?.includes('/') === false)
            return [];
        const text = readable(() => (0,external_node_fs_.readFileSync)(path, 'utf8'));
        return text === undefined ? [] : certificatesIn(text);
    });
}
function readable(read) {
    try {
        return read();
    }
    catch {
        return undefined;
    }
}

;// CONCATENATED MODULE: ./lib/network/trust.js




function trusted({ caCertificate, environment, platform }) {
    const notices = [];
    const named = (variable, read, separator) => {
        const text = environment[variable]?.trim() ?? '';
        const paths = separator === undefined ? [text] : text.split(separator);
        return paths.flatMap((path) => {
            if (path === '')
                return [];
            try {
                return read(path);
            }
            catch (error) {
                const reason = (0,outcome/* messageOf */.bD)(error);
                notices.push(`${variable} names what can't be read, so nothing of it is trusted: ${reason}.`);
                return [];
            }
        });
    };
    const certificates = new Set([
        ...(0,external_node_tls_.getCACertificates)('bundled').flatMap(certificatesIn),
        ...systemCertificates(platform),
        ...named('NODE_EXTRA_CA_CERTS', certificatesOf),
        ...named('SSL_CERT_FILE', certificatesOf),
        ...named('SSL_CERT_DIR', certificatesInFolder, ':'),
        ...(caCertificate === undefined ? [] : configuredCertificates(caCertificate)),
    ]);
    return { certificates: [...certificates], notices };
}
function configuredCertificates(caCertificate) {
    const isText = caCertificate.includes('-----BEGIN');
    const name = isText ? 'ca_certificate' : `ca_certificate ${caCertificate}`;
    const refused = (reason, cause) => new outcome/* OutcomeError */.Rz('config-error', `Failed to read ${name} for the agent: ${reason}. Give the certificate of the authority in PEM form, from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----, or the path of such a file.`, { cause });
    let certificates;
    try {
        certificates = isText ? certificatesIn(caCertificate) : certificatesOf(caCertificate);
    }
    catch (cause) {
        throw refused(cause instanceof Error ? cause.message : String(cause), cause);
    }
    if (certificates.length === 0)
        throw refused('there is no certificate in it');
    const bad = certificates.findIndex((certificate) => !isReadable(certificate));
    if (bad !== -1) {
        throw refused(`${certificates.length === 1 ? 'its certificate' : `certificate ${bad + 1} in it`} is damaged`);
    }
    return certificates;
}
function contextOf(certificates) {
    return (0,external_node_tls_.createSecureContext)({ ca: [...certificates], allowPartialTrustChain: true });
}
function certificatesOf(path) {
    return certificatesIn((0,external_node_fs_.readFileSync)(path, 'utf8'));
}


/***/ })

};
