export const id = 754;
export const ids = [754];
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

/***/ 3754:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   trigger: () => (/* binding */ trigger)
/* harmony export */ });
/* harmony import */ var _clock_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(5233);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(3259);
/* harmony import */ var _version_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(3411);
/* harmony import */ var _organization_session_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(1347);
/* harmony import */ var _advice_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(1824);
/* harmony import */ var _queue_work_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(7424);






async function trigger({ command, process, ...surroundings }) {
    return (0,_organization_session_js__WEBPACK_IMPORTED_MODULE_2__/* .withSession */ .f)({ ...surroundings, flags: command, purpose: 'trigger', process }, async (session) => {
        const clock = _clock_js__WEBPACK_IMPORTED_MODULE_0__/* .systemClock */ .ml;
        const load = (0,_advice_js__WEBPACK_IMPORTED_MODULE_3__/* .loadReader */ .y)(session.api, { ...session, clock });
        const starts = await (0,_queue_work_js__WEBPACK_IMPORTED_MODULE_4__/* .queueWork */ .N)({ ...session, clock, load, random: Math.random });
        const { outcome, message } = (0,_queue_work_js__WEBPACK_IMPORTED_MODULE_4__/* .outcomeOf */ .s)(starts);
        const exitCode = (0,_outcome_js__WEBPACK_IMPORTED_MODULE_1__/* .exitCodeOf */ .FO)(outcome);
        const report = {
            schema: 1,
            version: _version_js__WEBPACK_IMPORTED_MODULE_5__/* .VERSION */ .x,
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


/***/ })

};
