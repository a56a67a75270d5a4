export const id = 476;
export const ids = [476];
export const modules = {

/***/ 33656:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   p: () => (/* binding */ CANCELLED_EXIT_CODE)
/* harmony export */ });
const CANCELLED_EXIT_CODE = 130;


/***/ }),

/***/ 80476:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  main: () => (/* binding */ main)
});

// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(58500);
// EXTERNAL MODULE: ../../main/node_modules/@actions/core/lib/core.js + 11 modules
var core = __webpack_require__(42077);
;// CONCATENATED MODULE: ./lib/log/secret-forms.js
const SHORTEST_SECRET = 4;
const SHORTEST_PART = 8;
const LONGEST_RARE = 4_096;
function unicodeEscaped(text, signs) {
    return text.replace(signs, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
function jsonForms(value) {
    const plain = JSON.stringify(value).slice(1, -1);
    const slashes = plain.replaceAll('/', '\\/');
    const ascii = [plain, slashes].map((form) => unicodeEscaped(form, /[^ -~]/g));
    return [plain, unicodeEscaped(plain, /[<>&]/g), unicodeEscaped(plain, /[<>&=']/g), slashes, ...ascii];
}
const KEPT_IN_URLS = (/* unused pure expression or super */ null && (['*', '~', "~!*'()"]));
const KEPT_RARELY = (/* unused pure expression or super */ null && (['~/', "~!*'();/?:@&=+$,#", '~$&+,;=', '~$&+=:@', '~$&+,/:;=@', "~!$%&'()*+,"]));
function urlForms(value) {
    const alphabets = value.length > LONGEST_RARE ? KEPT_IN_URLS : [...KEPT_IN_URLS, ...KEPT_RARELY];
    return alphabets.flatMap((kept) => {
        const form = percentEncoded(value.toWellFormed(), kept);
        const forms = [form, form.replaceAll('%20', '+')];
        return [...forms, ...forms.map((each) => each.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
    });
}
function percentEncoded(value, kept) {
    return value.replace(/[^\w.-]/gu, (sign) => kept.includes(sign) ? sign : Buffer.from(sign).toString('hex').toUpperCase().replace(/../g, '%$&'));
}
const BASE64_WIDTHS = (/* unused pure expression or super */ null && ([76, 64]));
function base64Forms(value) {
    const bytes = Buffer.from(value, 'utf8');
    const forms = [bytes.toString('base64').replace(/=+$/, ''), ...shiftedForms(bytes)];
    const alone = bytes.toString('base64').slice(0, Math.floor((bytes.length * 8) / 6));
    for (const width of BASE64_WIDTHS) {
        for (let at = 0; alone.length > width && at < alone.length; at += width)
            forms.push(alone.slice(at, at + width));
    }
    const json = JSON.stringify(value).slice(1, -1);
    if (json !== value && json.length <= LONGEST_RARE)
        forms.push(...shiftedForms(Buffer.from(json)));
    return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}
function shiftedForms(bytes) {
    return [0, 1, 2].map((before) => {
        const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
        return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    });
}
const HEX_WIDTH = 60;
function hexForms(value) {
    const hex = Buffer.from(value, 'utf8').toString('hex');
    const forms = [hex, hex.toUpperCase()];
    for (let at = 0; hex.length > HEX_WIDTH && at < hex.length; at += HEX_WIDTH)
        forms.push(hex.slice(at, at + HEX_WIDTH));
    return forms;
}
function lineForms(value) {
    return value.split(/\r?\n/).flatMap((line) => {
        const bare = line.trim();
        if (bare.length >= SHORTEST_PART)
            return [bare];
        return line.length >= SHORTEST_PART && bare.length >= SHORTEST_SECRET ? [line] : [];
    });
}
function secretForms(value) {
    if (value.trim().length < SHORTEST_SECRET)
        return [];
    const forms = new Set([value]);
    const bare = value.replace(/[\r\n]+$/, '');
    const unix = bare.replaceAll('\r\n', '\n');
    for (const form of [bare, unix, unix.replaceAll('\n', '\r\n')])
        forms.add(form);
    if (unix.includes('\n'))
        for (const line of lineForms(unix))
            forms.add(line);
    for (const encode of [jsonForms, urlForms, base64Forms, hexForms]) {
        for (const form of [...encode(bare), ...(bare === unix ? [] : encode(unix))]) {
            if (form.length >= SHORTEST_PART)
                forms.add(form);
        }
    }
    return [...forms];
}

;// CONCATENATED MODULE: ./lib/log/plain-names.js

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
        .filter((value) => value.trim().length >= SHORTEST_SECRET);
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

// EXTERNAL MODULE: ./lib/action/id-token.js
var id_token = __webpack_require__(72054);
// EXTERNAL MODULE: ./lib/action/input-text.js
var input_text = __webpack_require__(60379);
// EXTERNAL MODULE: ./lib/action/job.js
var action_job = __webpack_require__(33656);
// EXTERNAL MODULE: ./lib/action/own-trust.js
var own_trust = __webpack_require__(44224);
// EXTERNAL MODULE: ./lib/action/run-folder.js
var run_folder = __webpack_require__(55459);
;// CONCATENATED MODULE: ./lib/action/main.js








const REQUEST_LEAVES_MS = 15;
async function main(job) {
    let folder;
    try {
        const early = request(job, (0,input_text/* plainAudience */.vZ)(job));
        folder = await (0,run_folder/* createRunFolder */.kg)(job.temporaryDirectory);
        (0,run_folder/* savePrivateDirectory */.o0)(folder);
        await requestLeaves(early.token);
        const { readInputs } = await __webpack_require__.e(/* import() */ 893).then(__webpack_require__.bind(__webpack_require__, 54893));
        const inputs = await readInputs({ ...job, idTokenFile: folder.idTokenFile });
        const requested = early.audience === inputs.idTokenAudience ? early.token : request(job, inputs.idTokenAudience).token;
        maskSecrets(job, inputs);
        await tell(inputs.warnings);
        if (inputs.doctor) {
            const { doctor } = await Promise.all(/* import() */[__webpack_require__.e(838), __webpack_require__.e(893), __webpack_require__.e(376)]).then(__webpack_require__.bind(__webpack_require__, 11376));
            const exitCode = await doctor({ job, inputs, folder, idToken: requested });
            await (0,run_folder/* removePrivate */.Ws)(folder.privateDirectory);
            return exitCode;
        }
        const { run } = await Promise.all(/* import() */[__webpack_require__.e(838), __webpack_require__.e(893), __webpack_require__.e(498), __webpack_require__.e(30)]).then(__webpack_require__.bind(__webpack_require__, 4030));
        const idToken = await requested;
        if (idToken !== undefined)
            await (0,id_token/* writeIdToken */.KT)(folder.idTokenFile, idToken);
        job.cancelled.throwIfAborted();
        const end = await run({ job, inputs, folder, idToken });
        if (end.agentEnded)
            await (0,run_folder/* removePrivate */.Ws)(folder.privateDirectory);
        return end.exitCode;
    }
    catch (error) {
        if (folder !== undefined)
            await (0,run_folder/* removePrivate */.Ws)(folder.privateDirectory).catch(() => undefined);
        if (job.cancelled.aborted) {
            core/* info */.pq('The CI job was cancelled before the agent was started.');
            core/* setOutput */.uH('outcome', 'interrupted');
            return action_job/* CANCELLED_EXIT_CODE */.p;
        }
        const { refuse } = await __webpack_require__.e(/* import() */ 594).then(__webpack_require__.bind(__webpack_require__, 23594));
        return await refuse(error, folder?.runDirectory ?? '', job.environment);
    }
}
function request(job, audience) {
    if (audience === undefined)
        return { audience, token: Promise.resolve(undefined) };
    const token = (0,id_token/* requestIdToken */.gj)({
        audience,
        environment: job.environment,
        signal: job.cancelled,
        trustMore: () => (0,own_trust/* trustAsTheAgent */.P)(job.environment, job.checkoutDirectory),
    });
    token.catch(() => undefined);
    return { audience, token };
}
function maskSecrets({ environment }, { config }) {
    const forwarded = config.envForwardAllowlist.map((name) => [name, environment[name] ?? '']);
    const values = [config.token ?? '', config.accessToken ?? '', ...secretValues(Object.fromEntries(forwarded))];
    for (const value of values)
        if (value.trim() !== '')
            core/* setSecret */.Pq(value);
}
async function tell(warnings) {
    if (warnings.length === 0)
        return;
    const { plainText } = await __webpack_require__.e(/* import() */ 0).then(__webpack_require__.bind(__webpack_require__, 9000));
    for (const warning of warnings)
        core/* warning */.$e(plainText(warning));
}
async function requestLeaves(requested) {
    const answered = new AbortController();
    const answer = () => answered.abort();
    requested.then(answer, answer);
    await (0,promises_.setTimeout)(REQUEST_LEAVES_MS, undefined, { signal: answered.signal }).catch(() => undefined);
}


/***/ })

};
