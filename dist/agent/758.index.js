export const id = 758;
export const ids = [758];
export const modules = {

/***/ 1347:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   f: () => (/* binding */ withSession)
/* harmony export */ });
/* harmony import */ var _cloud_organization_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7159);
/* harmony import */ var _log_redactor_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(1591);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(3259);
/* harmony import */ var _access_token_source_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(9281);
/* harmony import */ var _configuration_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(8351);
/* harmony import */ var _connect_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(6729);
/* harmony import */ var _logging_agent_log_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(8901);







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
        const { logLevel: level, logFormat: format } = config;
        const { log, close: closeLog } = (0,_logging_agent_log_js__WEBPACK_IMPORTED_MODULE_5__/* .openAgentLog */ .q)({ now: () => Date.now(), redact, level, format });
        for (const warning of warnings)
            log('warning', warning);
        const { http, close } = await (0,_connect_js__WEBPACK_IMPORTED_MODULE_4__/* .connect */ .N)(config, { environment, log, redactor });
        try {
            const api = new _cloud_organization_js__WEBPACK_IMPORTED_MODULE_0__/* .OrganizationApi */ .U(http, (0,_access_token_source_js__WEBPACK_IMPORTED_MODULE_2__/* .accessTokenSource */ .z)(config, http, redactor));
            return await work({ config, api, log, redact, signal: stop.signal });
        }
        finally {
            await close();
            await closeLog();
        }
    }
    finally {
        for (const signal of SIGNALS)
            process.removeListener(signal, onSignal);
    }
}


/***/ }),

/***/ 8758:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  plan: () => (/* binding */ plan)
});

// EXTERNAL MODULE: ./lib/clock.js
var lib_clock = __webpack_require__(5233);
// EXTERNAL MODULE: ./lib/outcome.js
var lib_outcome = __webpack_require__(3259);
// EXTERNAL MODULE: ./lib/version.js
var version = __webpack_require__(3411);
// EXTERNAL MODULE: ./lib/agent/organization-session.js
var organization_session = __webpack_require__(1347);
// EXTERNAL MODULE: ./lib/agent/trigger/advice.js
var advice = __webpack_require__(1824);
// EXTERNAL MODULE: ./lib/agent/trigger/elsewhere.js
var elsewhere = __webpack_require__(3910);
// EXTERNAL MODULE: ./lib/agent/trigger/queue-work.js + 3 modules
var queue_work = __webpack_require__(7424);
;// CONCATENATED MODULE: ./lib/agent/plan/queue.js
const MOST_PAGES = 30;
const LONGEST_QUEUED_MS = (7 * 24 + 1) * 3_600_000;
async function readQueue({ organization, poolId, expected }, api, { now, signal }) {
    const listed = new Map();
    const waits = ({ status }) => status === 'not-started';
    let complete = false;
    let received = 0;
    for (let page = 1; page <= MOST_PAGES && !complete; page += 1) {
        const { deployments, total, serverTime } = await api.deployments(organization, page, signal);
        received += deployments.length;
        for (const deployment of deployments)
            listed.set(deployment.id, deployment);
        const found = [...listed.values()].filter(waits).length;
        const oldest = deployments.at(-1)?.createdAt ?? Number.NaN;
        complete =
            deployments.length === 0 ||
                (total !== undefined && received >= total) ||
                (expected !== undefined && found >= expected) ||
                oldest < (serverTime ?? now()) - LONGEST_QUEUED_MS;
    }
    const waiting = [...listed.values()].filter((each) => waits(each) && each.poolId === poolId);
    return { listed, waiting, complete };
}

;// CONCATENATED MODULE: ./lib/agent/plan/size.js
const MOST_JOBS = 256;
function planSize({ queued, max, concurrency, busy, paused }) {
    const free = concurrency === undefined ? Number.POSITIVE_INFINITY : Math.max(0, concurrency - (busy ?? 0));
    const limits = [
        [paused === true ? 0 : Number.POSITIVE_INFINITY, "the organization's deployments are paused"],
        [free, `the organization runs ${concurrency} at a time, and ${busy ?? 0} run`],
        [max, `no more than ${max} were asked for`],
        [MOST_JOBS, `GitHub takes ${MOST_JOBS} jobs in a matrix`],
    ];
    const [most, reason] = limits.reduce((least, limit) => (limit[0] < least[0] ? limit : least));
    return most < queued ? { count: most, reason } : { count: queued };
}

;// CONCATENATED MODULE: ./lib/agent/plan/plan.js









const NOTHING = {
    started: [],
    failed: [],
    queued: 0,
    count: 0,
    matrix: { include: [] },
    notices: [],
};
async function plan({ command, process, ...surroundings }) {
    const print = (report) => process.stdout.write(`${JSON.stringify(report)}\n`);
    try {
        return await (0,organization_session/* withSession */.f)({ ...surroundings, flags: command, purpose: 'plan', process }, async (session) => {
            const report = await planOf(session);
            print(report);
            for (const notice of report.notices)
                session.log('warning', notice);
            session.log(report.exitCode === 0 ? 'info' : 'error', report.message);
            return report.exitCode;
        });
    }
    catch (error) {
        const outcome = error instanceof lib_outcome/* OutcomeError */.Rz ? error.outcome : 'failed';
        const message = (0,lib_outcome/* messageOf */.bD)(error);
        print({ schema: 1, version: version/* VERSION */.x, outcome, exitCode: (0,lib_outcome/* exitCodeOf */.FO)(outcome), message, ...NOTHING });
        throw error;
    }
}
async function planOf({ api, config, log, redact, signal }) {
    const { organizationName: organization = '', runnerPoolId: poolId = '', planMax: max } = config;
    const clock = lib_clock/* systemClock */.ml;
    const readLoad = (0,advice/* loadReader */.y)(api, { clock, log, signal });
    const starts = await (0,queue_work/* queueWork */.N)({ api, config, clock, log, load: readLoad, random: Math.random, signal });
    const load = await readLoad(organization);
    const expected = load?.queued;
    const queue = await readQueue({ organization, poolId, expected }, api, { now: () => clock.now(), signal });
    const queued = queuedFor(starts, queue);
    const others = (0,elsewhere/* elsewhere */.J)(starts.started, queue.listed, poolId);
    const { paused, concurrency, busy } = load ?? {};
    const size = planSize({ queued, max, concurrency, busy, ...(paused === undefined ? {} : { paused }) });
    const notices = [
        ...(others === undefined ? [] : [others]),
        ...(queue.complete ? [] : ['The list of deployments is so long that the oldest were not looked at.']),
        ...(size.reason === undefined ? [] : [`${size.count} of ${queued} get a job now: ${size.reason}.`]),
    ];
    const end = (0,queue_work/* outcomeOf */.s)(starts);
    const message = end.outcome === 'succeeded' ? sentence(queued, size.count, poolId) : end.message;
    return {
        schema: 1,
        version: version/* VERSION */.x,
        outcome: end.outcome,
        exitCode: (0,lib_outcome/* exitCodeOf */.FO)(end.outcome),
        message: redact(message),
        started: [...starts.started],
        failed: starts.failed.map((each) => ({ ...each, message: redact(each.message) })),
        queued,
        count: size.count,
        matrix: { include: Array.from({ length: size.count }, (_, index) => ({ index })) },
        notices: notices.map(redact),
    };
}
function sentence(queued, count, poolId) {
    if (queued === 0)
        return `No deployment waits for pool ${poolId}.`;
    const waiting = queued === 1 ? 'One deployment waits' : `${queued} deployments wait`;
    return `${waiting} for pool ${poolId}: ${count === 1 ? 'one job is' : `${count} jobs are`} planned.`;
}
function queuedFor({ started }, { listed, waiting }) {
    return waiting.length + started.filter(({ deploymentId }) => !listed.has(deploymentId)).length;
}


/***/ }),

/***/ 3910:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   J: () => (/* binding */ elsewhere)
/* harmony export */ });
const MOST_NAMES = 5;
function elsewhere(started, listed, poolId) {
    const stacks = started
        .filter(({ deploymentId }) => (listed.get(deploymentId)?.poolId ?? '') !== poolId && listed.has(deploymentId))
        .map(({ stack }) => stack);
    if (stacks.length === 0)
        return undefined;
    const more = stacks.length > MOST_NAMES ? ` and ${stacks.length - MOST_NAMES} more` : '';
    const some = `${stacks.slice(0, MOST_NAMES).join(', ')}${more}`;
    return `The deployments of ${some} are not for pool ${poolId}: choose it in their stacks' settings under Settings \u2192 Deploy.`;
}


/***/ })

};
