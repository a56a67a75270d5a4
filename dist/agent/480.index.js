export const id = 480;
export const ids = [480];
export const modules = {

/***/ 9616:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   F: () => (/* binding */ secretsOf),
/* harmony export */   k: () => (/* binding */ loadAgentConfig)
/* harmony export */ });
/* harmony import */ var node_os__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8161);
/* harmony import */ var _config_load_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7732);
/* harmony import */ var _log_plain_names_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(2664);



function loadAgentConfig(flags, { environment, workingDirectory, agentDirectory }, more = {}) {
    return (0,_config_load_js__WEBPACK_IMPORTED_MODULE_1__/* .loadConfig */ .Z)({
        environment,
        workingDirectory,
        homeDirectory: environment['HOME'] ?? (0,node_os__WEBPACK_IMPORTED_MODULE_0__.homedir)(),
        agentDirectory,
        ...(flags.file === undefined ? {} : { file: flags.file }),
        defaults: flags.defaults,
        overrides: flags.overrides,
        ...more,
    });
}
function secretsOf(config, environment) {
    const forwarded = config.envForwardAllowlist.map((name) => [name, environment[name] ?? '']);
    const tokens = [config.token, config.accessToken].filter((token) => token !== undefined);
    return [...tokens, ...(0,_log_plain_names_js__WEBPACK_IMPORTED_MODULE_2__/* .secretValues */ .VX)(Object.fromEntries(forwarded))];
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

/***/ 6926:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   f: () => (/* binding */ withSession)
/* harmony export */ });
/* harmony import */ var _cloud_organization_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2109);
/* harmony import */ var _log_redactor_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(741);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(4792);
/* harmony import */ var _access_token_source_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(1910);
/* harmony import */ var _configuration_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(9616);
/* harmony import */ var _connect_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(6539);
/* harmony import */ var _logging_agent_log_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(2704);







const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
async function withSession(sources, work) {
    const { environment, flags, purpose, process } = sources;
    const stop = new AbortController();
    const onSignal = () => stop.abort(new _outcome_js__WEBPACK_IMPORTED_MODULE_1__/* .OutcomeError */ .Rz('interrupted', 'The agent was asked to stop before it was done.'));
    for (const signal of SIGNALS)
        process.on(signal, onSignal);
    try {
        const { config, warnings } = await (0,_configuration_js__WEBPACK_IMPORTED_MODULE_3__/* .loadAgentConfig */ .k)(flags, sources, { purpose });
        const redactor = new _log_redactor_js__WEBPACK_IMPORTED_MODULE_6__/* .Redactor */ .p();
        redactor.add((0,_configuration_js__WEBPACK_IMPORTED_MODULE_3__/* .secretsOf */ .F)(config, environment));
        const redact = (text) => redactor.text(text);
        const log = (0,_logging_agent_log_js__WEBPACK_IMPORTED_MODULE_5__/* .openAgentLog */ .q)({ now: () => Date.now(), redact, level: config.logLevel, format: config.logFormat });
        for (const warning of warnings)
            log('warning', warning);
        const { http, close } = await (0,_connect_js__WEBPACK_IMPORTED_MODULE_4__/* .connect */ .N)(config, { environment, log, redactor });
        try {
            const api = new _cloud_organization_js__WEBPACK_IMPORTED_MODULE_0__/* .OrganizationApi */ .U(http, (0,_access_token_source_js__WEBPACK_IMPORTED_MODULE_2__/* .accessTokenSource */ .z)(config, http, redactor));
            return await work({ config, api, log, redact, signal: stop.signal });
        }
        finally {
            await close();
        }
    }
    finally {
        for (const signal of SIGNALS)
            process.removeListener(signal, onSignal);
    }
}


/***/ }),

/***/ 7953:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   trigger: () => (/* binding */ trigger)
/* harmony export */ });
/* harmony import */ var _clock_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8398);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(4792);
/* harmony import */ var _version_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(644);
/* harmony import */ var _organization_session_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(6926);
/* harmony import */ var _queue_work_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(9197);





async function trigger({ command, process, ...surroundings }) {
    return (0,_organization_session_js__WEBPACK_IMPORTED_MODULE_2__/* .withSession */ .f)({ ...surroundings, flags: command, purpose: 'trigger', process }, async (session) => {
        const starts = await (0,_queue_work_js__WEBPACK_IMPORTED_MODULE_3__/* .queueWork */ .N)({ ...session, clock: _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .ml, random: Math.random });
        const { outcome, message } = (0,_queue_work_js__WEBPACK_IMPORTED_MODULE_3__/* .outcomeOf */ .s)(starts);
        const exitCode = (0,_outcome_js__WEBPACK_IMPORTED_MODULE_1__/* .exitCodeOf */ .FO)(outcome);
        const report = {
            schema: 1,
            version: _version_js__WEBPACK_IMPORTED_MODULE_4__/* .VERSION */ .x,
            outcome,
            exitCode,
            message: session.redact(message),
            started: [...starts.started],
            failed: starts.failed.map((each) => ({ ...each, message: session.redact(each.message) })),
        };
        if (command.json)
            process.stdout.write(`${JSON.stringify(report)}\n`);
        session.log(exitCode === 0 ? 'info' : 'error', message);
        return exitCode;
    });
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

/***/ 2664:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   VX: () => (/* binding */ secretValues),
/* harmony export */   fA: () => (/* binding */ isPlainVariable)
/* harmony export */ });
/* unused harmony export isPlainName */
/* harmony import */ var _secret_forms_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(51);

const PLAIN_NAMES = names(`
  CI COLUMNS DEBIAN_FRONTEND EDITOR FORCE_COLOR HOME HOSTNAME LANG LANGUAGE LINES LOGNAME NO_COLOR OLDPWD PAGER PATH PWD
  SHELL SHLVL TEMP TERM TMP TMPDIR TZ USER XDG_CACHE_HOME XDG_CONFIG_HOME NO_PROXY no_proxy SSL_CERT_DIR SSL_CERT_FILE
  NODE_ENV NODE_EXTRA_CA_CERTS DOTNET_ROOT GOARCH GOCACHE GOMODCACHE GOOS GOPATH GOROOT JAVA_HOME VIRTUAL_ENV

  AWS_DEFAULT_OUTPUT AWS_DEFAULT_REGION AWS_PARTITION AWS_PROFILE AWS_REGION AWS_SDK_LOAD_CONFIG
  ARM_ENVIRONMENT ARM_LOCATION AZURE_ENVIRONMENT AZURE_LOCATION
  CLOUDSDK_COMPUTE_REGION CLOUDSDK_COMPUTE_ZONE GOOGLE_REGION GOOGLE_ZONE

  PULUMI_AUTOMATION_API PULUMI_CI_SYSTEM PULUMI_DEBUG_COMMANDS PULUMI_ENV_FILE PULUMI_EXPERIMENTAL PULUMI_HOME PULUMI_ORG
  PULUMI_ORGANIZATION PULUMI_PARALLEL PULUMI_PROJECT PULUMI_SKIP_CONFIRMATIONS PULUMI_SKIP_UPDATE_CHECK PULUMI_STACK

  GITHUB_ACTIONS GITHUB_ACTOR GITHUB_BASE_REF GITHUB_EVENT_NAME GITHUB_HEAD_REF GITHUB_JOB GITHUB_REF GITHUB_REF_NAME
  GITHUB_REF_TYPE GITHUB_REPOSITORY GITHUB_REPOSITORY_OWNER GITHUB_RUN_ATTEMPT GITHUB_RUN_ID GITHUB_RUN_NUMBER
  GITHUB_SERVER_URL GITHUB_SHA GITHUB_WORKFLOW GITHUB_WORKSPACE RUNNER_ARCH RUNNER_NAME RUNNER_OS RUNNER_TEMP
`);
const URL_NAMES = names(`
  PULUMI_API PULUMI_BACKEND_URL PULUMI_SERVICE_URL DOCKER_HOST
  ALL_PROXY HTTPS_PROXY HTTP_PROXY all_proxy https_proxy http_proxy
`);
function isPlainName(name) {
    return PLAIN_NAMES.has(name) || /^LC_[A-Z]+$/.test(name);
}
function isPlainVariable(name, value) {
    return isPlainName(name) || (URL_NAMES.has(name) && isBareUrl(value));
}
function secretValues(environment) {
    return Object.entries(environment)
        .filter(([name, value]) => !isPlainVariable(name, value) && !/^(?:true|false)$/i.test(value))
        .flatMap(([, value]) => [value, ...urlPasswords(value)])
        .filter((value) => value.trim().length >= _secret_forms_js__WEBPACK_IMPORTED_MODULE_0__/* .SHORTEST_SECRET */ .c3);
}
function isBareUrl(value) {
    const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? URL.parse(value) : null;
    return url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}
function urlPasswords(value) {
    const password = URL.parse(value)?.password ?? '';
    if (password === '')
        return [];
    try {
        return [password, decodeURIComponent(password)];
    }
    catch {
        return [password];
    }
}
function names(list) {
    return new Set(list.trim().split(/\s+/));
}


/***/ })

};
