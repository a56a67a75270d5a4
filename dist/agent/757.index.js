export const id = 757;
export const ids = [757];
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

/***/ 8273:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   H: () => (/* binding */ configuredLog)
/* harmony export */ });
/* harmony import */ var _agent_log_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2704);

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
        return { log: (0,_agent_log_js__WEBPACK_IMPORTED_MODULE_0__/* .openAgentLog */ .q)(common), close: () => Promise.resolve() };
    const { Syslog } = await __webpack_require__.e(/* import() */ 224).then(__webpack_require__.bind(__webpack_require__, 7224));
    const sayOnStderr = (0,_agent_log_js__WEBPACK_IMPORTED_MODULE_0__/* .openStderrLog */ .T)();
    const syslog = await Syslog.open({
        socket: config.syslogSocket,
        ...(config.syslogFormat === undefined ? {} : { format: config.syslogFormat }),
        pid,
        path,
        onTrouble: (message) => {
            log('warning', message);
            sayOnStderr('warning', redact(message));
        },
        onUndelivered: sayOnStderr,
    });
    const log = (0,_agent_log_js__WEBPACK_IMPORTED_MODULE_0__/* .openAgentLog */ .q)({ ...common, syslog: (level, text) => syslog.write(level, text) });
    return { log, close: () => syslog.close() };
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

/***/ 3631:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  Z: () => (/* binding */ tokenSource)
});

// EXTERNAL MODULE: ./lib/clock.js
var clock = __webpack_require__(8398);
// EXTERNAL MODULE: ./lib/cloud/token-exchange.js
var token_exchange = __webpack_require__(8849);
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
var cloud_token = __webpack_require__(8487);
;// CONCATENATED MODULE: ./lib/agent/token-source.js



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
            onSecret: (secret) => redactor.add([secret]),
        });
    }
    return new cloud_token/* StaticToken */.A(token ?? '');
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

/***/ 4889:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   e: () => (/* binding */ idTokenClaims),
/* harmony export */   x: () => (/* binding */ readIdToken)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2871);


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

/***/ 8849:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   h: () => (/* binding */ ExchangedToken)
/* harmony export */ });
/* harmony import */ var _clock_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8398);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2871);
/* harmony import */ var _exchange_answer_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(7428);
/* harmony import */ var _id_token_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(4889);
/* harmony import */ var _refusal_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(8974);





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

/***/ 8487:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   A: () => (/* binding */ StaticToken),
/* harmony export */   n: () => (/* binding */ currentToken)
/* harmony export */ });
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2871);

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
