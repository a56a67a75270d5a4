export const id = 377;
export const ids = [377];
export const modules = {

/***/ 4051:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   D: () => (/* binding */ linesOf),
/* harmony export */   m: () => (/* binding */ allTried)
/* harmony export */ });
async function allTried(work) {
    const results = await Promise.allSettled(work);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined)
        throw failed.reason;
    return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}
async function linesOf(removals) {
    return (await allTried(removals)).flatMap((told) => told ?? []);
}


/***/ }),

/***/ 2936:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Z: () => (/* binding */ removeNetwork),
/* harmony export */   z: () => (/* binding */ makeNetwork)
/* harmony export */ });
/* harmony import */ var node_timers_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8500);
/* harmony import */ var _deadline_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(4429);
/* harmony import */ var _target_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(1568);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(3119);




const CREATE_MS = 120_000;
const RETRY_MS = 200;
const SPARE_TRIES = 20;
const SPARE_RANGE = { first: [198, 19], parts: 2_048 };
async function makeNetwork(engine, name, labels) {
    try {
        await create(engine, name, labels);
    }
    catch (error) {
        if (!isExhausted(error))
            throw failure(error);
        await createOfSpareRange(engine, name, labels, error);
    }
}
async function removeNetwork(engine, network, { ms }) {
    for (const end = performance.now() + ms;; await (0,node_timers_promises__WEBPACK_IMPORTED_MODULE_0__.setTimeout)(RETRY_MS)) {
        try {
            await engine.call((docker, abortSignal) => docker.getNetwork(network).remove({ abortSignal }), {
                signal: _deadline_js__WEBPACK_IMPORTED_MODULE_1__/* .NEVER */ .tm,
            });
            return true;
        }
        catch (error) {
            if ((0,_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .refusedWith */ .P0)(error, 404))
                return false;
            const passing = !(error instanceof _errors_js__WEBPACK_IMPORTED_MODULE_3__/* .EngineRefusedError */ .ZI) || error.status >= 500 || (0,_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .refusedWith */ .P0)(error, 403, 409);
            if (passing && performance.now() + RETRY_MS < end)
                continue;
            throw new _target_js__WEBPACK_IMPORTED_MODULE_2__/* .ContainerError */ .OJ(`Failed to remove network ${network} for the job: ${(0,_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .textOf */ .b6)(error)}. Remove it by hand: docker network rm ${network}.`, { cause: error });
        }
    }
}
async function create(engine, name, labels, subnet) {
    const options = {
        Name: name,
        Driver: 'bridge',
        EnableIPv6: false,
        Labels: { ...labels },
        ...(subnet === undefined ? {} : { IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] } }),
    };
    await engine.call((docker, abortSignal) => docker.createNetwork({ ...options, abortSignal }), {
        signal: _deadline_js__WEBPACK_IMPORTED_MODULE_1__/* .NEVER */ .tm,
        ms: CREATE_MS,
    });
}
async function createOfSpareRange(engine, name, labels, exhausted) {
    for (let tries = 1;; tries += 1) {
        try {
            await create(engine, name, labels, spareSubnet(Math.floor(Math.random() * SPARE_RANGE.parts)));
            return;
        }
        catch (error) {
            if (!isTaken(error))
                throw failure(error);
            if (tries === SPARE_TRIES)
                throw failure(exhausted);
        }
    }
}
function spareSubnet(part) {
    return `${SPARE_RANGE.first.join('.')}.${part >> 4}.${(part & 15) << 4}/28`;
}
function isExhausted(error) {
    return error instanceof _errors_js__WEBPACK_IMPORTED_MODULE_3__/* .EngineRefusedError */ .ZI && /available, non-overlapping|fully subnetted/i.test(error.message);
}
function isTaken(error) {
    return error instanceof _errors_js__WEBPACK_IMPORTED_MODULE_3__/* .EngineRefusedError */ .ZI && /overlap/i.test(error.message);
}
function failure(error) {
    if (!(error instanceof _errors_js__WEBPACK_IMPORTED_MODULE_3__/* .EngineRefusedError */ .ZI))
        return error;
    const cause = (0,_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .textOf */ .b6)(error);
    const message = `Failed to make a network for the job: ${cause}. Remove networks that nobody uses, or set container_network to one that is there.`;
    return new _target_js__WEBPACK_IMPORTED_MODULE_2__/* .ContainerError */ .OJ(message, { cause: error });
}


/***/ }),

/***/ 3190:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   o: () => (/* binding */ removeContainer)
/* harmony export */ });
/* harmony import */ var node_timers_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8500);
/* harmony import */ var _target_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(1568);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(3119);



const POLL_MS = 50;
const RETRY_MS = 500;
async function removeContainer(engine, container, { ms, signal }) {
    const end = performance.now() + ms;
    const left = () => Math.max(1, end - performance.now());
    let failure;
    for (let pause = 0; pause < left() || failure === undefined; pause = RETRY_MS) {
        if (pause > 0)
            await (0,node_timers_promises__WEBPACK_IMPORTED_MODULE_0__.setTimeout)(pause, undefined, { signal });
        try {
            await engine.call((docker, abortSignal) => docker.getContainer(container).remove({ force: true, v: true, abortSignal }), { signal, ms: left() });
            return true;
        }
        catch (error) {
            signal.throwIfAborted();
            if ((0,_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .refusedWith */ .P0)(error, 404))
                return false;
            failure = error;
            if ((0,_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .refusedWith */ .P0)(error, 409) && (await isGoneWithin(engine, container, left(), signal)))
                return true;
            if (error instanceof _errors_js__WEBPACK_IMPORTED_MODULE_2__/* .EngineRefusedError */ .ZI && error.status < 500 && error.status !== 409)
                break;
        }
    }
    throw new _target_js__WEBPACK_IMPORTED_MODULE_1__/* .ContainerError */ .OJ(`Failed to remove container ${container} for the job: ${(0,_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .textOf */ .b6)(failure)}. Remove it by hand: docker rm -f ${container}.`, { cause: failure });
}
async function isGoneWithin(engine, container, ms, signal) {
    const end = performance.now() + ms;
    while (performance.now() < end) {
        try {
            await engine.call((docker, abortSignal) => docker.getContainer(container).inspect({ abortSignal }), { signal });
        }
        catch (error) {
            if ((0,_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .refusedWith */ .P0)(error, 404))
                return true;
            signal.throwIfAborted();
        }
        await (0,node_timers_promises__WEBPACK_IMPORTED_MODULE_0__.setTimeout)(POLL_MS, undefined, { signal });
    }
    return false;
}


/***/ }),

/***/ 4758:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   sweepObjects: () => (/* binding */ sweepObjects)
/* harmony export */ });
/* harmony import */ var node_timers_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8500);
/* harmony import */ var _all_tried_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(4051);
/* harmony import */ var _deadline_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(4429);
/* harmony import */ var _target_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(1568);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(3119);
/* harmony import */ var _network_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(2936);
/* harmony import */ var _removal_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(3190);







const LOOK_MS = 250;
async function sweepObjects(engine, labels, limits) {
    const label = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
    if (label.length === 0)
        throw new Error('a sweep needs labels');
    const { only = () => true, graceMs = 0, ms, signal } = limits;
    const containers = await afterGrace(() => listContainers(engine, label, only, signal), graceMs, limits);
    const lines = await (0,_all_tried_js__WEBPACK_IMPORTED_MODULE_6__/* .linesOf */ .D)(containers.map(async ({ id, name }) => {
        const removed = await (0,_removal_js__WEBPACK_IMPORTED_MODULE_5__/* .removeContainer */ .o)(engine, id, { ms, signal: _deadline_js__WEBPACK_IMPORTED_MODULE_1__/* .NEVER */ .tm });
        return removed ? `Removed container ${name} (${id.slice(0, 12)}).` : undefined;
    }));
    const networks = await listNetworks(engine, label, only, signal);
    const more = await (0,_all_tried_js__WEBPACK_IMPORTED_MODULE_6__/* .linesOf */ .D)(networks.map(async ({ id, name }) => {
        const removed = await removeUnused(engine, id, limits);
        return removed ? `Removed network ${name} (${id.slice(0, 12)}).` : undefined;
    }));
    return [...lines, ...more];
}
async function afterGrace(look, graceMs, { hurry, signal }) {
    const end = performance.now() + graceMs;
    for (;;) {
        const found = await look();
        if (graceMs === 0 || !found.some(({ running }) => running))
            return found;
        if (hurry?.aborted)
            return found.filter(({ running }) => !running);
        if (performance.now() >= end)
            return found;
        const woken = AbortSignal.any([signal, ...(hurry === undefined ? [] : [hurry])]);
        await (0,node_timers_promises__WEBPACK_IMPORTED_MODULE_0__.setTimeout)(LOOK_MS, undefined, { signal: woken }).catch(() => signal.throwIfAborted());
    }
}
async function listContainers(engine, label, only, signal) {
    const listed = await engine.call((docker, abortSignal) => docker.listContainers({ all: true, filters: { label: [...label] }, abortSignal }), { signal });
    return listed
        .filter(({ Labels: labels }) => only(labels))
        .map(({ Id: id, Names: names, State: state }) => ({
        id,
        name: names[0]?.slice(1) ?? '',
        running: state === 'running',
    }));
}
async function listNetworks(engine, label, only, signal) {
    const listed = await engine.call((docker, abortSignal) => docker.listNetworks({ filters: { label: [...label] }, abortSignal }), { signal });
    return listed
        .filter(({ Labels: labels }) => only(labels ?? {}))
        .map(({ Id: id, Name: name }) => ({ id, name, running: false }));
}
async function removeUnused(engine, id, { hurry, ms }) {
    const hurried = hurry?.aborted === true;
    try {
        return await (0,_network_js__WEBPACK_IMPORTED_MODULE_4__/* .removeNetwork */ .Z)(engine, id, { ms: hurried ? 0 : ms });
    }
    catch (error) {
        if (hurried && error instanceof _target_js__WEBPACK_IMPORTED_MODULE_2__/* .ContainerError */ .OJ && (0,_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .refusedWith */ .P0)(error.cause, 403, 409))
            return false;
        throw error;
    }
}


/***/ })

};
