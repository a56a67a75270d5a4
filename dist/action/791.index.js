export const id = 791;
export const ids = [791,499];
export const modules = {

/***/ 71499:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   WK: () => (/* binding */ consoleLine),
/* harmony export */   fd: () => (/* binding */ uncolouredLine),
/* harmony export */   plainText: () => (/* binding */ plainText),
/* harmony export */   wv: () => (/* binding */ pageLine)
/* harmony export */ });
/* harmony import */ var _log_terminal_text_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(62442);

const COLOUR = String.raw `\u001b\[[0-9;:]*m`;
const IGNORED = String.raw `\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}`;
const UNSEEN = String.raw `(?:${COLOUR}|(?!\u001b)[${IGNORED}])*`;
const COMMAND_AT_START = new RegExp(`^((?:${COLOUR}|(?!\\u001b)[\\s${IGNORED}])*:${UNSEEN})(?=:)`, 'u');
const COMMAND_ANYWHERE = new RegExp(`#${UNSEEN}#${UNSEEN}(?=\\[)`, 'gu');
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/gu;
function consoleLine(text) {
    return defused((0,_log_terminal_text_js__WEBPACK_IMPORTED_MODULE_0__/* .stripControl */ .k)(visibleBreaks(text), { colours: true }));
}
function uncolouredLine(text) {
    return defused(pageLine(text));
}
function pageLine(text) {
    return (0,_log_terminal_text_js__WEBPACK_IMPORTED_MODULE_0__/* .stripControl */ .k)(visibleBreaks(text));
}
function plainText(text, maxLength = 500) {
    const stripped = (0,_log_terminal_text_js__WEBPACK_IMPORTED_MODULE_0__/* .stripControl */ .k)(text.slice(0, maxLength * 4).replace(/\s+/g, ' ')).replace(DIRECTION, '');
    const plain = defused(stripped.replace(/\s+/g, ' ').trim());
    return plain.length > maxLength ? `${plain.slice(0, maxLength - 1)}…` : plain;
}
function visibleBreaks(text) {
    return text
        .replace(/\r+$/, '')
        .replaceAll('\r', '␍')
        .replace(/[\u2028\u2029]/g, '␤')
        .replace(DIRECTION, '');
}
function defused(line) {
    return line.replace(COMMAND_AT_START, '$1 ').replace(COMMAND_ANYWHERE, '$& ');
}


/***/ }),

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

/***/ 61397:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  m: () => (/* binding */ publish),
  I: () => (/* binding */ publishSummary)
});

// EXTERNAL MODULE: ./node_modules/@actions/core/lib/core.js + 7 modules
var core = __webpack_require__(33838);
// EXTERNAL MODULE: ./lib/action/console-text.js
var console_text = __webpack_require__(71499);
// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(77598);
// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(51455);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(76760);
;// CONCATENATED MODULE: ./lib/action/publish/artifact.js





const MAX_NAME = 200;
const COMPRESSION_LEVEL = 1;
function artifactName(given, deploymentId, environment) {
    const { GITHUB_RUN_ID, GITHUB_JOB = 'job', GITHUB_RUN_ATTEMPT = '1' } = environment;
    const made = ['pulumi-runner', deploymentId ?? GITHUB_RUN_ID ?? 'run', GITHUB_JOB, GITHUB_RUN_ATTEMPT];
    const name = given ?? [...made, (0,external_node_crypto_.randomBytes)(3).toString('hex')].join('-');
    return name.replace(/[\p{Cc}":<>|*?\\/]+/gu, '-').slice(0, MAX_NAME);
}
function noArtifactService(environment) {
    const { ACTIONS_RUNTIME_TOKEN, ACTIONS_RESULTS_URL, GITHUB_SERVER_URL = 'https://github.com' } = environment;
    const host = URL.canParse(GITHUB_SERVER_URL) ? new URL(GITHUB_SERVER_URL).hostname.toLowerCase() : '';
    if (host !== 'github.com' && !host.endsWith('.ghe.com') && !host.endsWith('.localhost')) {
        return 'GitHub Enterprise Server does not take artifacts of this kind';
    }
    if (!ACTIONS_RUNTIME_TOKEN || !ACTIONS_RESULTS_URL)
        return 'the runner offers no artifact service to this job';
    return undefined;
}
async function uploadRunDirectory(upload) {
    const { runDirectory, name, environment } = upload;
    const reason = noArtifactService(environment);
    if (reason !== undefined) {
        core/* notice */.lm(`No artifact was uploaded: ${reason}. The run directory is ${runDirectory} on this runner.`);
        return undefined;
    }
    core/* startGroup */.Oh(`Artifact ${name}`);
    try {
        const { id, name: sent } = await beforeDeadline(sendTwice(upload), upload);
        core/* endGroup */.N4();
        const { GITHUB_SERVER_URL = 'https://github.com', GITHUB_REPOSITORY = '', GITHUB_RUN_ID = '' } = environment;
        const url = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}/artifacts/${id}`;
        return { id: String(id), url, name: sent };
    }
    catch (error) {
        core/* endGroup */.N4();
        if (upload.signal.aborted) {
            core/* info */.pq(`The step was stopped before the artifact ${name} was uploaded; the run lies in ${runDirectory} on this runner.`);
            return undefined;
        }
        const cause = (0,console_text.plainText)(messageOf(error));
        core/* warning */.$e(`Failed to upload the artifact ${name} for this run: ${cause}. Logs and events of the run are not kept with the ` +
            `workflow run; they lie in ${runDirectory} on this runner until the job ends.`);
        return undefined;
    }
}
async function sendTwice(upload) {
    try {
        return await send(upload);
    }
    catch (error) {
        if (upload.signal.aborted || !/ECONNRESET|socket hang up|ETIMEDOUT/.test(messageOf(error)))
            throw error;
        core/* info */.pq('The artifact service reset the connection; trying once more.');
        if (/CreateArtifact/.test(messageOf(error))) {
            try {
                return await send(upload);
            }
            catch (again) {
                if (!/\(409\)|already exists/i.test(messageOf(again)))
                    throw again;
            }
        }
        return await send({ ...upload, name: `${upload.name}-2` });
    }
}
async function send({ runDirectory, name, retentionDays }) {
    const { DefaultArtifactClient } = await __webpack_require__.e(/* import() */ 833).then(__webpack_require__.bind(__webpack_require__, 58833));
    const files = await filesOf(runDirectory);
    const { id } = await new DefaultArtifactClient().uploadArtifact(name, files, runDirectory, {
        compressionLevel: COMPRESSION_LEVEL,
        ...(retentionDays !== undefined && { retentionDays }),
    });
    if (id === undefined)
        throw new Error('GitHub gave it no number');
    return { id, name };
}
function messageOf(error) {
    return error instanceof Error ? error.message : String(error);
}
async function filesOf(directory) {
    const entries = await (0,promises_.readdir)(directory, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => (0,external_node_path_.join)(entry.parentPath, entry.name));
}
async function beforeDeadline(work, { deadlineMs, signal }) {
    work.catch(() => undefined);
    const { promise, reject } = Promise.withResolvers();
    const timer = setTimeout(() => reject(new Error(`it took longer than ${deadlineMs / 1000} s`)), deadlineMs);
    const onAbort = () => reject(new Error('the step was stopped'));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted)
        onAbort();
    try {
        return await Promise.race([work, promise]);
    }
    finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
    }
}

;// CONCATENATED MODULE: ./lib/action/publish/publish.js



async function publish(publication) {
    const { report, runDirectory, inputs, red, environment, artifactDeadlineMs: deadlineMs, signal } = publication;
    const wanted = inputs.uploadArtifact === 'always' || (inputs.uploadArtifact === 'on-failure' && red);
    const { artifactRetentionDays: retentionDays } = inputs;
    await publishPage(runDirectory, report, signal);
    if (wanted && environment['ACTIONS_RESULTS_URL']?.startsWith('https:') === true)
        await publication.trustMore();
    const artifact = wanted
        ? await uploadRunDirectory({
            runDirectory,
            name: artifactName(inputs.artifactName, report.deploymentId, environment),
            ...(retentionDays !== undefined && { retentionDays }),
            environment,
            deadlineMs,
            signal,
        })
        : undefined;
    if (!signal.aborted)
        await publishSummary(environment, { report, runDirectory, artifact });
    return artifact;
}
async function publishPage(directory, report, signal) {
    if (signal.aborted)
        return;
    try {
        const { writeReportPage } = await Promise.all(/* import() */[__webpack_require__.e(691), __webpack_require__.e(978)]).then(__webpack_require__.bind(__webpack_require__, 58978));
        await writeReportPage({ directory, report, signal });
    }
    catch (error) {
        if (signal.aborted)
            return;
        const cause = (0,console_text.plainText)(error instanceof Error ? error.message : String(error));
        core/* warning */.$e(`Failed to write report.html for this run: ${cause}. The files beside it have the same facts.`);
    }
}
async function publishSummary({ GITHUB_STEP_SUMMARY: file }, summary) {
    try {
        if (!file)
            throw new Error('the runner offers no file for it');
        const { writeSummary } = await __webpack_require__.e(/* import() */ 513).then(__webpack_require__.bind(__webpack_require__, 14513));
        await writeSummary({ file, ...summary });
    }
    catch (error) {
        const cause = (0,console_text.plainText)(error instanceof Error ? error.message : String(error));
        core/* warning */.$e(`Failed to write the summary for this step: ${cause}. The console has the same facts.`);
    }
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
/* harmony import */ var _console_text_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(71499);
/* harmony import */ var _publish_outputs_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(46308);
/* harmony import */ var _publish_publish_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(61397);





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


/***/ }),

/***/ 62442:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   k: () => (/* binding */ stripControl)
/* harmony export */ });
const SGR = String.raw `\u001b\[[0-9;:]*m`;
const STRING_BODY = String.raw `[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)`;
const CONTROL = new RegExp([
    `(?<sgr>${SGR})`,
    String.raw `(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])${STRING_BODY}`,
    String.raw `(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]`,
    String.raw `\u001b[ -/]+[0-~]`,
    String.raw `\u001b[0-OQ-WYZ\\\x60-~]`,
    String.raw `(?!\t)\p{Cc}`,
].join('|'), 'gu');
function stripControl(text, { colours = false } = {}) {
    return text.replace(CONTROL, colours ? '$<sgr>' : '');
}


/***/ })

};
