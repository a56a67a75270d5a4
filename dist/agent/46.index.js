export const id = 46;
export const ids = [46];
export const modules = {

/***/ 1045:
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


/***/ }),

/***/ 6046:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   triggerFirst: () => (/* binding */ triggerFirst)
/* harmony export */ });
/* harmony import */ var _cloud_console_url_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(1583);
/* harmony import */ var _cloud_organization_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2109);
/* harmony import */ var _config_stack_pattern_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(3588);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(4792);
/* harmony import */ var _access_token_source_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(1910);
/* harmony import */ var _elsewhere_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(1045);
/* harmony import */ var _queue_work_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(9197);







const SIGN_OF_LIFE_MS = 5_000;
async function triggerFirst({ http, redactor, config, clock, signal, health }, notice) {
    const api = new _cloud_organization_js__WEBPACK_IMPORTED_MODULE_0__/* .OrganizationApi */ .U(http, (0,_access_token_source_js__WEBPACK_IMPORTED_MODULE_3__/* .accessTokenSource */ .z)(config, http, redactor));
    const log = (level, message) => notice(level === 'info' ? 'info' : 'warning', message);
    const lively = {
        now: () => clock.now(),
        steady: () => clock.steady(),
        sleep: async (ms, aborted) => {
            for (let left = ms; left > 0; left -= SIGN_OF_LIFE_MS) {
                health.active();
                await clock.sleep(Math.min(left, SIGN_OF_LIFE_MS), aborted);
            }
            health.active();
        },
    };
    try {
        const starts = await (0,_queue_work_js__WEBPACK_IMPORTED_MODULE_4__/* .queueWork */ .N)({ api, config, clock: lively, signal, log, random: Math.random });
        const { outcome, message } = (0,_queue_work_js__WEBPACK_IMPORTED_MODULE_4__/* .outcomeOf */ .s)(starts);
        if (outcome !== 'succeeded')
            throw new _outcome_js__WEBPACK_IMPORTED_MODULE_2__/* .OutcomeError */ .Rz(outcome, message);
        const misplaced = await notForUs(starts.started, api, config, signal);
        if (misplaced !== undefined)
            notice('warning', misplaced);
        if (config.singleRun && starts.started.length > 1) {
            const others = starts.started.length - 1;
            notice('warning', `This run serves one deployment, the oldest that waits for the pool: ${others === 1 ? 'another one is' : `${others} others are`} left to other jobs. Plan a matrix with the action's plan/.`);
        }
        return pagesOf(starts.started, config.serviceUrl);
    }
    catch (error) {
        if (!signal.aborted || error instanceof _outcome_js__WEBPACK_IMPORTED_MODULE_2__/* .OutcomeError */ .Rz)
            throw error;
        throw new _outcome_js__WEBPACK_IMPORTED_MODULE_2__/* .OutcomeError */ .Rz('interrupted', 'The agent was asked to stop before it had started the deployments.');
    }
}
function pagesOf(started, serviceUrl) {
    const pages = new Map();
    for (const { deploymentId, stack, ...known } of started) {
        const page = (0,_cloud_console_url_js__WEBPACK_IMPORTED_MODULE_5__/* .deploymentUrl */ .P)(serviceUrl, (0,_config_stack_pattern_js__WEBPACK_IMPORTED_MODULE_1__/* .stackNamed */ .G8)(stack), known);
        if (page !== undefined)
            pages.set(deploymentId, page);
    }
    return pages;
}
async function notForUs(started, api, { runnerPoolId }, signal) {
    const [first] = started;
    if (runnerPoolId === undefined || first === undefined)
        return undefined;
    try {
        const { deployments } = await api.deployments((0,_config_stack_pattern_js__WEBPACK_IMPORTED_MODULE_1__/* .organizationOf */ .d1)(first.stack), 1, signal);
        return (0,_elsewhere_js__WEBPACK_IMPORTED_MODULE_6__/* .elsewhere */ .J)(started, new Map(deployments.map((each) => [each.id, each])), runnerPoolId);
    }
    catch {
        return undefined;
    }
}


/***/ })

};
