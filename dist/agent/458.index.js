export const id = 458;
export const ids = [458];
export const modules = {

/***/ 3458:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   pruneRuns: () => (/* binding */ pruneRuns)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var node_fs_promises__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(1455);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(6760);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(3259);
/* harmony import */ var _record_fate_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(3903);
/* harmony import */ var _record_files_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(4810);
/* harmony import */ var _record_owner_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(1218);
/* harmony import */ var _record_reader_js__WEBPACK_IMPORTED_MODULE_7__ = __webpack_require__(2553);
/* harmony import */ var _run_directories_js__WEBPACK_IMPORTED_MODULE_8__ = __webpack_require__(9766);









async function pruneRuns({ folder, kept, known, current, goesOn, onFailure }) {
    const entries = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.readdir)(folder, { withFileTypes: true }).catch(whenGone([]));
    const names = entries
        .filter((entry) => entry.isDirectory() && (0,_run_directories_js__WEBPACK_IMPORTED_MODULE_8__/* .isRunDirectoryName */ .As)(entry.name))
        .map(({ name }) => name);
    for (const name of known)
        if (!names.includes(name))
            known.delete(name);
    if (names.length <= kept)
        return 0;
    const self = { owner: (0,_record_owner_js__WEBPACK_IMPORTED_MODULE_6__/* .ownOwner */ .CR)(), space: (0,_record_fate_js__WEBPACK_IMPORTED_MODULE_4__/* .processSpace */ .S)() };
    const own = (name) => (0,node_path__WEBPACK_IMPORTED_MODULE_2__.join)(folder, name) === current();
    for (const name of names)
        if (!known.has(name) && !own(name) && (await hasEnded((0,node_path__WEBPACK_IMPORTED_MODULE_2__.join)(folder, name), self)))
            known.add(name);
    const oldest = [...known].sort().slice(0, Math.max(0, known.size - kept));
    let removed = 0;
    for (const name of oldest) {
        if (!goesOn(removed))
            break;
        const directory = (0,node_path__WEBPACK_IMPORTED_MODULE_2__.join)(folder, name);
        try {
            if (!(await hasEnded(directory, self)) || own(name))
                continue;
            await remove(directory);
            known.delete(name);
            removed += 1;
        }
        catch (error) {
            onFailure(`Failed to remove the run directory ${directory} for kept_runs: ${(0,_outcome_js__WEBPACK_IMPORTED_MODULE_3__/* .messageOf */ .bD)(error)}. Remove it yourself, or correct its permissions.`);
        }
    }
    return removed;
}
async function hasEnded(directory, self) {
    try {
        const stats = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.lstat)(directory);
        if (!stats.isDirectory() || stats.uid !== process.geteuid?.())
            return false;
        const result = await readResultFile(directory);
        const begun = await whoBegan(directory);
        const isOver = ({ owner, space }) => (result !== undefined && isSame(owner, result.owner)) ||
            (space !== undefined && space === self.space && isSame(owner, self.owner)) ||
            (0,_record_fate_js__WEBPACK_IMPORTED_MODULE_4__/* .fateOf */ ._)(owner, space, self.space) === 'dead';
        return (result !== undefined || begun.length > 0) && begun.every(isOver);
    }
    catch {
        return false;
    }
}
async function whoBegan(directory) {
    const flags = node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_RDONLY | node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_NOFOLLOW | node_fs__WEBPACK_IMPORTED_MODULE_0__.constants.O_NONBLOCK;
    const file = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.open)((0,node_path__WEBPACK_IMPORTED_MODULE_2__.join)(directory, _record_files_js__WEBPACK_IMPORTED_MODULE_5__/* .RUN_FILES */ .a.events), flags).catch(whenGone(undefined));
    if (file === undefined)
        return [];
    const begun = [];
    try {
        if (!(await file.stat()).isFile())
            throw new Error('not a file');
        for await (const line of file.readLines({ autoClose: false })) {
            if (!line.includes('"type":"agent-started"'))
                continue;
            const event = (0,_record_reader_js__WEBPACK_IMPORTED_MODULE_7__/* .parseEvent */ .wj)(line);
            if (event?.type !== 'agent-started')
                throw new Error('not told as this version does');
            begun.push(event);
        }
    }
    finally {
        await file.close();
    }
    return begun;
}
async function readResultFile(directory) {
    const stats = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.lstat)((0,node_path__WEBPACK_IMPORTED_MODULE_2__.join)(directory, _record_files_js__WEBPACK_IMPORTED_MODULE_5__/* .RUN_FILES */ .a.result)).catch(whenGone(undefined));
    if (stats === undefined)
        return undefined;
    if (!stats.isFile())
        throw new Error('not a file');
    return (0,_record_reader_js__WEBPACK_IMPORTED_MODULE_7__/* .readResult */ .Uv)(directory);
}
function isSame(one, other) {
    return one.host === other.host && one.pid === other.pid && one.started === other.started;
}
async function remove(directory) {
    const proofs = [_record_files_js__WEBPACK_IMPORTED_MODULE_5__/* .RUN_FILES */ .a.events, _record_files_js__WEBPACK_IMPORTED_MODULE_5__/* .RUN_FILES */ .a.result];
    const names = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.readdir)(directory).catch(whenGone([]));
    for (const name of [...names.filter((each) => !proofs.includes(each)), ...proofs])
        await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.rm)((0,node_path__WEBPACK_IMPORTED_MODULE_2__.join)(directory, name), { recursive: true, force: true });
    await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.rmdir)(directory).catch(whenGone(undefined));
}
function whenGone(value) {
    return (error) => {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
            return value;
        throw error;
    };
}


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
