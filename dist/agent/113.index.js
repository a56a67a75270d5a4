export const id = 113;
export const ids = [113];
export const modules = {

/***/ 8351:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   F: () => (/* binding */ secretsOf),
/* harmony export */   k: () => (/* binding */ loadAgentConfig)
/* harmony export */ });
/* harmony import */ var node_os__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8161);
/* harmony import */ var _config_load_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(8754);
/* harmony import */ var _log_plain_names_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(8491);



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

/***/ 6113:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   runSweep: () => (/* binding */ runSweep)
/* harmony export */ });
/* unused harmony exports sweep, tracesOf */
/* harmony import */ var node_fs_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1455);
/* harmony import */ var node_os__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(8161);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(6760);
/* harmony import */ var _record_files_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(4810);
/* harmony import */ var _record_owner_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(1218);
/* harmony import */ var _record_reader_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(2553);
/* harmony import */ var _configuration_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(8351);
/* harmony import */ var _labels_js__WEBPACK_IMPORTED_MODULE_7__ = __webpack_require__(3850);
/* harmony import */ var _orphans_js__WEBPACK_IMPORTED_MODULE_8__ = __webpack_require__(5502);
/* harmony import */ var _place_js__WEBPACK_IMPORTED_MODULE_9__ = __webpack_require__(3806);
/* harmony import */ var _target_choice_js__WEBPACK_IMPORTED_MODULE_10__ = __webpack_require__(490);











const SWEEP_MS = 60_000;
async function runSweep({ command, process, ...surroundings }) {
    const { runDirectory, graceMs = _orphans_js__WEBPACK_IMPORTED_MODULE_8__/* .ORPHAN_GRACE_MS */ .BY } = command;
    const { owner, place } = await tracesOf(runDirectory);
    const target = place === undefined ? await configuredTarget(surroundings) : await (0,_place_js__WEBPACK_IMPORTED_MODULE_9__/* .targetAt */ .t)(place, surroundings);
    try {
        for (const line of await sweep(owner, target, graceMs))
            process.stdout.write(`${line}\n`);
    }
    finally {
        await target.close();
    }
    return 0;
}
async function configuredTarget(surroundings) {
    const flags = { defaults: {}, overrides: {}, labels: {} };
    const { config } = await (0,_configuration_js__WEBPACK_IMPORTED_MODULE_6__/* .loadAgentConfig */ .k)(flags, surroundings, { offline: true });
    return (0,_target_choice_js__WEBPACK_IMPORTED_MODULE_10__/* .targetFor */ .x)(config, surroundings);
}
async function sweep(owner, target, graceMs) {
    const signal = AbortSignal.timeout(SWEEP_MS + graceMs);
    const hurry = AbortSignal.timeout(graceMs);
    const own = owner === undefined || (0,_record_owner_js__WEBPACK_IMPORTED_MODULE_4__/* .isAlive */ ._n)(owner) ? [] : await target.sweep((0,_labels_js__WEBPACK_IMPORTED_MODULE_7__/* .ownerLabels */ .H0)(owner), signal, { graceMs });
    const how = { signal, graceMs: _orphans_js__WEBPACK_IMPORTED_MODULE_8__/* .ORPHAN_GRACE_MS */ .BY, hurry };
    return [...own, ...(await (0,_orphans_js__WEBPACK_IMPORTED_MODULE_8__/* .sweepOrphans */ .AU)(target, (0,node_os__WEBPACK_IMPORTED_MODULE_1__.hostname)(), how))];
}
async function tracesOf(runDirectory) {
    let events;
    try {
        events = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.readFile)((0,node_path__WEBPACK_IMPORTED_MODULE_2__.join)(runDirectory, _record_files_js__WEBPACK_IMPORTED_MODULE_3__/* .RUN_FILES */ .a.events), 'utf8');
    }
    catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
            return {};
        throw error;
    }
    const traces = {};
    for (const line of events.split('\n').slice(0, -1)) {
        const event = readable(line);
        if (event?.type === 'agent-started')
            traces.owner ??= event.owner;
        else if (event?.type === 'place')
            traces.place ??= event.place;
        if (traces.owner !== undefined && traces.place !== undefined)
            break;
    }
    return traces;
}
function readable(line) {
    try {
        return (0,_record_reader_js__WEBPACK_IMPORTED_MODULE_5__/* .parseEvent */ .wj)(line);
    }
    catch {
        return undefined;
    }
}


/***/ }),

/***/ 8491:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   VX: () => (/* binding */ secretValues),
/* harmony export */   fA: () => (/* binding */ isPlainVariable)
/* harmony export */ });
/* unused harmony export isPlainName */
/* harmony import */ var _secret_forms_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3490);

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


/***/ }),

/***/ 3490:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   c3: () => (/* binding */ SHORTEST_SECRET),
/* harmony export */   eo: () => (/* binding */ secretForms)
/* harmony export */ });
/* unused harmony export SHORTEST_PART */
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
const KEPT_IN_URLS = ['*', '~', "~!*'()"];
const KEPT_RARELY = ['~/', "~!*'();/?:@&=+$,#", '~$&+,;=', '~$&+=:@', '~$&+,/:;=@', "~!$%&'()*+,"];
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
const BASE64_WIDTHS = [76, 64];
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


/***/ }),

/***/ 2553:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  wj: () => (/* binding */ parseEvent),
  Uv: () => (/* binding */ readResult)
});

// UNUSED EXPORTS: RecordError

// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(1455);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./node_modules/zod/v4/classic/schemas.js + 9 modules
var schemas = __webpack_require__(7597);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(3259);
// EXTERNAL MODULE: ./lib/record/files.js
var files = __webpack_require__(4810);
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

;// CONCATENATED MODULE: ./lib/record/reader.js



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
    const parsed = recordEventSchema.safeParse(value);
    return parsed.success ? parsed.data : undefined;
}
async function readResult(directory) {
    const path = (0,external_node_path_.join)(directory, files/* RUN_FILES */.a.result);
    let text;
    try {
        text = await (0,promises_.readFile)(path, 'utf8');
    }
    catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
            return undefined;
        throw error;
    }
    try {
        return runResultSchema.parse(JSON.parse(text));
    }
    catch (cause) {
        throw new RecordError(`Failed to read the result for ${directory}: ${files/* RUN_FILES */.a.result} is not what this version writes.`, {
            cause,
        });
    }
}


/***/ })

};
