export const id = 39;
export const ids = [39,502];
export const modules = {

/***/ 3850:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   H0: () => (/* binding */ ownerLabels),
/* harmony export */   _q: () => (/* binding */ hostLabels),
/* harmony export */   ct: () => (/* binding */ ownLabels),
/* harmony export */   hS: () => (/* binding */ fateByLabels)
/* harmony export */ });
/* harmony import */ var _record_fate_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3903);

const HOST = 'pulumi-runner.owner-host';
const PID = 'pulumi-runner.owner-pid';
const STARTED = 'pulumi-runner.owner-started';
const SPACE = 'pulumi-runner.owner-space';
function ownerLabels(owner) {
    return { [HOST]: owner.host, [PID]: String(owner.pid), [STARTED]: owner.started };
}
function ownLabels(owner) {
    const space = (0,_record_fate_js__WEBPACK_IMPORTED_MODULE_0__/* .processSpace */ .S)();
    return { ...ownerLabels(owner), ...(space === undefined ? {} : { [SPACE]: space }) };
}
function hostLabels(host) {
    return { [HOST]: host };
}
function fateByLabels(labels, here = (0,_record_fate_js__WEBPACK_IMPORTED_MODULE_0__/* .processSpace */ .S)()) {
    const { [HOST]: host, [PID]: pid, [STARTED]: started, [SPACE]: space } = labels;
    if (host === undefined || started === undefined || !/^[1-9]\d{0,9}$/.test(pid ?? ''))
        return 'unknown';
    return (0,_record_fate_js__WEBPACK_IMPORTED_MODULE_0__/* .fateOf */ ._)({ host, pid: Number(pid), started }, space, here);
}


/***/ }),

/***/ 5502:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

__webpack_require__.r(__webpack_exports__);
/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   ORPHAN_GRACE_MS: () => (/* binding */ ORPHAN_GRACE_MS),
/* harmony export */   OrphanSweep: () => (/* binding */ OrphanSweep),
/* harmony export */   sweepOrphans: () => (/* binding */ sweepOrphans)
/* harmony export */ });
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3259);
/* harmony import */ var _record_fate_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(3903);
/* harmony import */ var _labels_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(3850);



const ORPHAN_GRACE_MS = 12_000;
const AFTER_CLAIM_MS = 3_000;
const END_MS = 2_000;
async function sweepOrphans(target, host, how) {
    const here = (0,_record_fate_js__WEBPACK_IMPORTED_MODULE_1__/* .processSpace */ .S)();
    const only = (labels) => (0,_labels_js__WEBPACK_IMPORTED_MODULE_2__/* .fateByLabels */ .hS)(labels, here) === 'dead';
    const ended = (await target.sweepEnded?.(how.signal)) ?? [];
    return [...ended, ...(await target.sweep((0,_labels_js__WEBPACK_IMPORTED_MODULE_2__/* .hostLabels */ ._q)(host), how.signal, { ...how, only }))];
}
class OrphanSweep {
    #options;
    #hurry = new AbortController();
    #stop = new AbortController();
    #timer;
    #run;
    constructor(options) {
        this.#options = options;
    }
    start() {
        this.#run ??= this.#sweep();
    }
    startSoon() {
        this.#timer ??= setTimeout(() => this.start(), AFTER_CLAIM_MS);
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
    async #sweep() {
        const { target, host, onRemoved, onFailure } = this.#options;
        try {
            const how = { signal: this.#stop.signal, hurry: this.#hurry.signal, graceMs: ORPHAN_GRACE_MS };
            for (const line of await sweepOrphans(target, host, how))
                onRemoved(line);
        }
        catch (error) {
            if (!this.#stop.signal.aborted)
                onFailure((0,_outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .messageOf */ .bD)(error));
        }
    }
}


/***/ }),

/***/ 7039:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  sweep: () => (/* binding */ sweep)
});

// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(1455);
// EXTERNAL MODULE: external "node:os"
var external_node_os_ = __webpack_require__(8161);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./lib/record/files.js
var files = __webpack_require__(4810);
// EXTERNAL MODULE: ./lib/record/owner.js
var record_owner = __webpack_require__(1218);
// EXTERNAL MODULE: ./node_modules/zod/v4/classic/schemas.js + 9 modules
var schemas = __webpack_require__(7597);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(3259);
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
    sha256: schemas/* string */.YjP().optional(),
    cloud: schemas/* object */.Ikc({
        sent: schemas/* number */.aig().int(),
        undelivered: schemas/* number */.aig().int(),
        batches: schemas/* number */.aig().int().optional(),
        retries: schemas/* number */.aig().int().optional(),
        failures: schemas/* number */.aig().int().optional(),
    }),
});
const schema_runResultSchema = schemas/* object */.Ikc({
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
    const path = join(directory, RUN_FILES.result);
    let text;
    try {
        text = await readFile(path, 'utf8');
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
        throw new RecordError(`Failed to read the result for ${directory}: ${RUN_FILES.result} is not what this version writes.`, {
            cause,
        });
    }
}

// EXTERNAL MODULE: ./lib/agent/labels.js
var labels = __webpack_require__(3850);
// EXTERNAL MODULE: ./lib/agent/orphans.js
var orphans = __webpack_require__(5502);
;// CONCATENATED MODULE: ./lib/agent/sweep.js








const SWEEP_MS = 60_000;
async function sweep(runDirectory, target, graceMs) {
    const signal = AbortSignal.timeout(SWEEP_MS + graceMs);
    const owner = await ownerOfRun(runDirectory);
    const own = owner === undefined || (0,record_owner/* isAlive */._n)(owner) ? [] : await target.sweep((0,labels/* ownerLabels */.H0)(owner), signal, { graceMs });
    return [...own, ...(await (0,orphans.sweepOrphans)(target, (0,external_node_os_.hostname)(), { signal }))];
}
async function ownerOfRun(runDirectory) {
    let events;
    try {
        events = await (0,promises_.readFile)((0,external_node_path_.join)(runDirectory, files/* RUN_FILES */.a.events), 'utf8');
    }
    catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
            return undefined;
        throw error;
    }
    const lines = events.split('\n').slice(0, -1);
    for (const line of lines) {
        const event = parseEvent(line);
        if (event?.type === 'agent-started')
            return event.owner;
    }
    return undefined;
}


/***/ }),

/***/ 3903:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   S: () => (/* binding */ processSpace),
/* harmony export */   _: () => (/* binding */ fateOf)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var _owner_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(1218);


const INITIAL_PIDS = 'pid:[4026531836]';
function processSpace() {
    try {
        const boot = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)('/proc/sys/kernel/random/boot_id', 'utf8').trim();
        return `${machine()}/${boot}/${(0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readlinkSync)('/proc/self/ns/pid')}`;
    }
    catch {
        return undefined;
    }
}
function machine() {
    try {
        const id = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)('/etc/machine-id', 'utf8').trim();
        const { hash } = process.getBuiltinModule('node:crypto');
        return id === '' ? '' : hash('sha256', `pulumi-runner ${id}`).slice(0, 16);
    }
    catch {
        return '';
    }
}
function fateOf(owner, space, here = processSpace()) {
    if (space === undefined || here === undefined)
        return 'unknown';
    if (space !== here)
        return diedWithItsBoot(space.split('/'), here.split('/')) ? 'dead' : 'unknown';
    const started = (0,_owner_js__WEBPACK_IMPORTED_MODULE_1__/* .startOf */ .GH)(owner.pid);
    if (started !== undefined)
        return started === owner.started ? 'alive' : 'dead';
    return isNumberFree(owner.pid) ? 'dead' : 'unknown';
}
function diedWithItsBoot(there, here) {
    const [machineThere = '', bootThere, pidsThere] = there;
    const [machineHere, bootHere, pidsHere] = here;
    const sameMachine = machineThere !== '' && machineThere === machineHere;
    return sameMachine && bootThere !== bootHere && pidsThere === INITIAL_PIDS && pidsHere === INITIAL_PIDS;
}
function isNumberFree(pid) {
    try {
        process.kill(pid, 0);
        return /^State:\s*Z/m.test((0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)(`/proc/${pid}/status`, 'utf8'));
    }
    catch (error) {
        return error instanceof Error && 'code' in error && error.code === 'ESRCH';
    }
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

/***/ 1218:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   CR: () => (/* binding */ ownOwner),
/* harmony export */   GH: () => (/* binding */ startOf),
/* harmony export */   _n: () => (/* binding */ isAlive)
/* harmony export */ });
/* unused harmony exports ownerOf, signalOwner */
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var node_os__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(8161);


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
    return ownerOf(process.pid) ?? { host: (0,node_os__WEBPACK_IMPORTED_MODULE_1__.hostname)(), pid: process.pid, started: 'unknown' };
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


/***/ })

};
