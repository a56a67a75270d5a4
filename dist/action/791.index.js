export const id = 791;
export const ids = [791];
export const modules = {

/***/ 46308:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   J: () => (/* binding */ setArtifactOutputs),
/* harmony export */   i: () => (/* binding */ setRunOutputs)
/* harmony export */ });
/* harmony import */ var _actions_core__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(33838);

function setRunOutputs(report, runDirectory) {
    const seconds = (value) => value === undefined ? '' : String(Math.round(value * 10) / 10);
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('outcome', report.outcome);
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('deployment-id', report.deploymentId ?? '');
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('run-id', report.runId ?? '');
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('job-id', report.jobId ?? '');
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('console-url', report.consoleUrl ?? '');
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('wait-seconds', seconds(report.waitSeconds));
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('run-seconds', seconds(report.runSeconds));
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('run-directory', runDirectory);
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('health-url', report.healthUrl ?? '');
}
function setArtifactOutputs(artifact) {
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('artifact-id', artifact?.id ?? '');
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('artifact-url', artifact?.url ?? '');
}


/***/ }),

/***/ 75791:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   E: () => (/* binding */ conclude),
/* harmony export */   i: () => (/* binding */ isRed),
/* harmony export */   refuse: () => (/* binding */ refuse)
/* harmony export */ });
/* harmony import */ var _actions_core__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(33838);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(63259);
/* harmony import */ var _console_text_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(21101);
/* harmony import */ var _publish_outputs_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(46308);
/* harmony import */ var _publish_publish_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(64949);





function isRed({ outcome }, onNoWork) {
    return outcome === 'no-work' ? onNoWork === 'fail' : outcome !== 'succeeded';
}
function conclude(report, onNoWork) {
    const sentence = shown(report.message);
    if (isRed(report, onNoWork)) {
        _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setFailed */ .C1(sentence);
        return 1;
    }
    if (report.outcome === 'no-work' && onNoWork === 'warn')
        _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .warning */ .$e(sentence);
    else
        _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .info */ .pq(sentence);
    return 0;
}
async function refuse(error, runDirectory, environment) {
    const outcome = error instanceof _outcome_js__WEBPACK_IMPORTED_MODULE_1__/* .OutcomeError */ .Rz ? error.outcome : 'failed';
    const cause = error instanceof Error ? error.message : String(error);
    const message = error instanceof _outcome_js__WEBPACK_IMPORTED_MODULE_1__/* .OutcomeError */ .Rz ? cause : `Failed to run the action for this job: ${cause}.`;
    const report = { outcome, message, forwarded: [], notices: [], steps: [] };
    try {
        (0,_publish_outputs_js__WEBPACK_IMPORTED_MODULE_3__/* .setRunOutputs */ .i)(report, runDirectory);
        (0,_publish_outputs_js__WEBPACK_IMPORTED_MODULE_3__/* .setArtifactOutputs */ .J)(undefined);
    }
    catch {
    }
    await (0,_publish_publish_js__WEBPACK_IMPORTED_MODULE_4__/* .publishSummary */ .I)(environment, { report, runDirectory });
    return conclude(report, 'fail');
}
function shown(message) {
    return message.split('\n').map(_console_text_js__WEBPACK_IMPORTED_MODULE_2__/* .uncolouredLine */ .fd).join('\n');
}


/***/ })

};
