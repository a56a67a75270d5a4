export const id = 502;
export const ids = [502];
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
