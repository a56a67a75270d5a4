export const id = 594;
export const ids = [594,0];
export const modules = {

/***/ 9000:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   WK: () => (/* binding */ consoleLine),
/* harmony export */   fd: () => (/* binding */ uncolouredLine),
/* harmony export */   plainText: () => (/* binding */ plainText),
/* harmony export */   wv: () => (/* binding */ pageLine)
/* harmony export */ });
/* harmony import */ var _log_terminal_text_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(58105);

const COLOUR = String.raw `\u001b\[[0-9;:]*m`;
const IGNORED = String.raw `\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}`;
const UNSEEN = String.raw `(?:${COLOUR}|(?!\u001b)[${IGNORED}])*`;
const COMMAND_AT_START = new RegExp(`^((?:${COLOUR}|(?!\\u001b)[\\s${IGNORED}])*:${UNSEEN})(?=:)`, 'u');
const COMMAND_ANYWHERE = new RegExp(`#${UNSEEN}#${UNSEEN}(?=\\[)`, 'gu');
const MAX_STATES = 3;
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/gu;
function consoleLine(text) {
    return defused((0,_log_terminal_text_js__WEBPACK_IMPORTED_MODULE_0__/* .stripControl */ .k)(visibleBreaks(fewStates(text)), { colours: true }));
}
function uncolouredLine(text) {
    return defused(pageLine(fewStates(text)));
}
function pageLine(text) {
    return (0,_log_terminal_text_js__WEBPACK_IMPORTED_MODULE_0__/* .stripControl */ .k)(visibleBreaks(text));
}
function plainText(text, maxLength = 500) {
    const stripped = (0,_log_terminal_text_js__WEBPACK_IMPORTED_MODULE_0__/* .stripControl */ .k)(text.slice(0, maxLength * 4).replace(/\s+/g, ' ')).replace(DIRECTION, '');
    const plain = defused(stripped.replace(/\s+/g, ' ').trim());
    return plain.length > maxLength ? `${plain.slice(0, maxLength - 1)}…` : plain;
}
function fewStates(text) {
    if (!text.includes('\r'))
        return text;
    const states = text.split('\r').filter((state) => (0,_log_terminal_text_js__WEBPACK_IMPORTED_MODULE_0__/* .stripControl */ .k)(state).trim() !== '');
    if (states.length <= MAX_STATES)
        return states.join('\r');
    return [states[0], ` … ${states.length - 2} states … `, states.at(-1)].join('\r');
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

/***/ 86745:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Jg: () => (/* binding */ setArtifactOutputs),
/* harmony export */   eU: () => (/* binding */ setKnownOutputs),
/* harmony export */   iB: () => (/* binding */ setRunOutputs)
/* harmony export */ });
/* harmony import */ var _actions_core__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(42077);

function setKnownOutputs(event) {
    try {
        if (event.type === 'health-listening')
            _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('health-url', event.url);
        if (event.type !== 'claimed')
            return;
        _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('deployment-id', event.deploymentId);
        _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('run-id', event.runId);
        _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('job-id', event.jobId);
        _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('console-url', event.deploymentUrl ?? event.consoleUrl ?? '');
        _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('wait-seconds', seconds(event.waitSeconds));
    }
    catch {
    }
}
function setRunOutputs(report, runDirectory) {
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('outcome', report.outcome);
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('reported', report.reported === undefined ? '' : String(report.reported));
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('deployment-id', report.deploymentId ?? '');
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('run-id', report.runId ?? '');
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('job-id', report.jobId ?? '');
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('console-url', report.deploymentUrl ?? report.consoleUrl ?? '');
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('wait-seconds', seconds(report.waitSeconds));
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('run-seconds', seconds(report.runSeconds));
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('run-directory', runDirectory);
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('health-url', report.healthUrl ?? '');
}
function setArtifactOutputs(artifact) {
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('artifact-id', artifact?.id ?? '');
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('artifact-url', artifact?.url ?? '');
}
function seconds(value) {
    return value === undefined ? '' : String(Math.round(value * 10) / 10);
}


/***/ }),

/***/ 79164:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  m: () => (/* binding */ publish),
  I: () => (/* binding */ publishSummary)
});

// EXTERNAL MODULE: ../../main/node_modules/@actions/core/lib/core.js + 11 modules
var core = __webpack_require__(42077);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(54792);
// EXTERNAL MODULE: ./lib/action/console-text.js
var console_text = __webpack_require__(9000);
// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(77598);
// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(51455);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(76760);
;// CONCATENATED MODULE: ./lib/action/publish/artifact.js






const MAX_NAME = 200;
const MAX_PART = 75;
const MOST_TRIES = 3;
const COMPRESSION_LEVEL = 1;
const TAKEN = /\(409\)|already exists/i;
const RESET = /ECONNRESET|socket hang up|ETIMEDOUT/;
function artifactName(given, deploymentId, environment) {
    const { GITHUB_RUN_ID, GITHUB_JOB = 'job', GITHUB_RUN_ATTEMPT = '1' } = environment;
    const made = ['pulumi-runner', deploymentId ?? GITHUB_RUN_ID ?? 'run', GITHUB_JOB, GITHUB_RUN_ATTEMPT];
    const name = given ?? [...made, randomSuffix()].map((part) => part.slice(0, MAX_PART)).join('-');
    return name
        .replace(/[\p{Cc}":<>|*?\\/]+/gu, '-')
        .slice(0, MAX_NAME)
        .toWellFormed();
}
function randomSuffix() {
    return (0,external_node_crypto_.randomBytes)(3).toString('hex');
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
        const { id, name: sent } = await beforeDeadline(sendPatiently(upload), upload);
        core/* endGroup */.N4();
        const { GITHUB_SERVER_URL = 'https://github.com', GITHUB_REPOSITORY = '', GITHUB_RUN_ID = '' } = environment;
        const url = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}/artifacts/${id}`;
        return { id: String(id), url, name: sent };
    }
    catch (error) {
        core/* endGroup */.N4();
        if (upload.signal.aborted && !upload.last) {
            core/* info */.pq(`The step was stopped before the artifact ${name} was uploaded; the run lies in ${runDirectory} on this runner.`);
            return undefined;
        }
        const cause = (0,outcome/* clause */.sb)((0,console_text.plainText)((0,outcome/* messageOf */.bD)(error)));
        core/* warning */.$e(`Failed to upload the artifact ${name} for this run: ${cause}. Logs and events of the run are not kept with the ` +
            `workflow run; they lie in ${runDirectory} on this runner until the job ends.`);
        return undefined;
    }
}
async function sendPatiently(upload) {
    let name = upload.name;
    let wasReset = false;
    for (let tries = 1;; tries += 1) {
        try {
            return await send({ ...upload, name });
        }
        catch (error) {
            const reason = (0,outcome/* messageOf */.bD)(error);
            const taken = TAKEN.test(reason);
            const reset = !taken && RESET.test(reason);
            if (upload.signal.aborted || tries === MOST_TRIES || !(taken || reset))
                throw error;
            if (taken || !/CreateArtifact/.test(reason))
                name = `${upload.name}-${randomSuffix()}`;
            if (reset)
                core/* info */.pq('The artifact service reset the connection; trying once more.');
            else if (!wasReset)
                core/* notice */.lm(`The workflow run has an artifact ${upload.name} already: this one is called ${name}.`);
            wasReset ||= reset;
        }
    }
}
async function send({ runDirectory, name, retentionDays }) {
    const { DefaultArtifactClient } = await __webpack_require__.e(/* import() */ 31).then(__webpack_require__.bind(__webpack_require__, 2031));
    const files = await filesOf(runDirectory);
    const { id } = await new DefaultArtifactClient().uploadArtifact(name, files, runDirectory, {
        compressionLevel: COMPRESSION_LEVEL,
        ...(retentionDays !== undefined && { retentionDays }),
    });
    if (id === undefined)
        throw new Error('GitHub gave it no number');
    return { id, name };
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
    const { report, runDirectory, environment, signal, last = false, uploaded } = publication;
    const artifact = uploaded ?? (await pageAndArtifact(publication));
    if (last || !signal.aborted)
        await publishSummary(environment, { report, runDirectory, artifact });
    return artifact;
}
async function pageAndArtifact(publication) {
    const { report, runDirectory, inputs, red, environment, artifactDeadlineMs: deadlineMs, signal } = publication;
    const { last = false } = publication;
    const wanted = inputs.uploadArtifact === 'always' || (inputs.uploadArtifact === 'on-failure' && red);
    const { artifactRetentionDays: retentionDays } = inputs;
    await publishPage(runDirectory, report, signal);
    if (wanted && environment['ACTIONS_RESULTS_URL']?.startsWith('https:') === true)
        await publication.trustMore();
    return wanted
        ? await uploadRunDirectory({
            runDirectory,
            name: artifactName(inputs.artifactName, report.deploymentId, environment),
            ...(retentionDays !== undefined && { retentionDays }),
            environment,
            deadlineMs,
            signal,
            last,
        })
        : undefined;
}
async function publishPage(directory, report, signal) {
    if (signal.aborted)
        return;
    try {
        const { writeReportPage } = await Promise.all(/* import() */[__webpack_require__.e(838), __webpack_require__.e(805), __webpack_require__.e(71)]).then(__webpack_require__.bind(__webpack_require__, 96071));
        await writeReportPage({ directory, report, signal });
    }
    catch (error) {
        if (signal.aborted)
            return;
        const cause = (0,console_text.plainText)((0,outcome/* messageOf */.bD)(error));
        core/* warning */.$e(`Failed to write report.html for this run: ${cause}. The files beside it have the same facts.`);
    }
}
async function publishSummary({ GITHUB_STEP_SUMMARY: file }, summary) {
    try {
        if (!file)
            throw new Error('the runner offers no file for it');
        const { writeSummary } = await Promise.all(/* import() */[__webpack_require__.e(805), __webpack_require__.e(17)]).then(__webpack_require__.bind(__webpack_require__, 71017));
        await writeSummary({ file, ...summary });
    }
    catch (error) {
        const cause = (0,console_text.plainText)((0,outcome/* messageOf */.bD)(error));
        core/* warning */.$e(`Failed to write the summary for this step: ${cause}. The console has the same facts.`);
    }
}


/***/ }),

/***/ 23594:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   E: () => (/* binding */ conclude),
/* harmony export */   i: () => (/* binding */ isRed),
/* harmony export */   refuse: () => (/* binding */ refuse)
/* harmony export */ });
/* harmony import */ var _actions_core__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(42077);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(54792);
/* harmony import */ var _troubleshooting_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(83066);
/* harmony import */ var _console_text_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(9000);
/* harmony import */ var _publish_outputs_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(86745);
/* harmony import */ var _publish_publish_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(79164);






function isRed({ outcome }, onNoWork) {
    return outcome === 'no-work' ? onNoWork === 'fail' : outcome !== 'succeeded';
}
function conclude(report, onNoWork) {
    const sentence = shown(report.message);
    if (isRed(report, onNoWork)) {
        _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setFailed */ .C1((0,_troubleshooting_js__WEBPACK_IMPORTED_MODULE_5__/* .withEntry */ .rM)(sentence));
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
    const cause = (0,_outcome_js__WEBPACK_IMPORTED_MODULE_1__/* .messageOf */ .bD)(error);
    const message = error instanceof _outcome_js__WEBPACK_IMPORTED_MODULE_1__/* .OutcomeError */ .Rz ? cause : `Failed to run the action for this job: ${cause}.`;
    const report = { outcome, message, forwarded: [], notices: [], steps: [] };
    try {
        (0,_publish_outputs_js__WEBPACK_IMPORTED_MODULE_3__/* .setRunOutputs */ .iB)(report, runDirectory);
        (0,_publish_outputs_js__WEBPACK_IMPORTED_MODULE_3__/* .setArtifactOutputs */ .Jg)(undefined);
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

/***/ 58105:
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


/***/ }),

/***/ 83066:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   cy: () => (/* binding */ entryFor),
/* harmony export */   rM: () => (/* binding */ withEntry)
/* harmony export */ });
/* unused harmony exports TROUBLESHOOTING_PAGE, BEGINNINGS, beginningOf, anchorOf */
const TROUBLESHOOTING_PAGE = 'https://github.com/org/pulumi-runner-action/blob/v1/TROUBLESHOOTING.md';
const BEGINNINGS = [
    "Failed to load the agent's configuration",
    'Failed to read the command line',
    'Failed to read … for the agent',
    'Failed to open the log for the agent',
    'Failed to open syslog for the agent',
    'Failed to serve /healthz for the agent',
    'Failed to make the directory for the run',
    'Failed to write to the run directory',
    'Failed to write the configuration',
    'Failed to start the agent',
    'Failed to run the agent for the pool',
    'Failed to run … for this job',
    'Failed to plan for this job',
    'The agent (process …) was killed',
    'The agent (process …) ended with exit code',
    "Failed to get this job's ID token",
    'Failed to read the ID token',
    'Failed to exchange the ID token',
    'Failed to authenticate',
    'Failed to use the token for the pool',
    'Failed to ask what the pool token may do',
    'Failed to look up',
    'Failed to connect to',
    'Failed to get through the proxy',
    'Failed to trust',
    'Failed to poll for work',
    'Failed to greet Pulumi Cloud',
    'Failed to read the claim',
    'Failed to acknowledge the claim',
    "Failed to read the deployment's status",
    'Failed to read the job definition',
    'Failed to read the timeout',
    'Failed to report step',
    'Failed to send log lines',
    'Failed to send a heartbeat',
    "Failed to keep the heartbeats' own thread",
    'Failed to reach the Docker engine',
    'Failed to use the Docker engine',
    'Failed to read the Docker context',
    'Failed to read … for the Docker target',
    'Failed to read … for the encrypted connection',
    'Failed to read the Docker configuration',
    'Failed to ask … for the login of',
    'Failed to use the image for the job',
    "Failed to read the image's name",
    'Failed to pull the image for the job',
    'Failed to find the image for the job',
    'Failed to start a container for the job',
    'Failed to make a network for the job',
    'Failed to start the step in its container',
    'Failed to follow the step in its container',
    'Failed to finish the step in container',
    'Failed to read the environment file',
    'Failed to remove container',
    'Failed to remove network',
    'Failed to run … of the workflow',
    'Failed to run the workflow',
    'Failed to finish',
    "The workflow's steps succeeded, but Pulumi Cloud",
    'Failed to find the cluster for jobs',
    'Failed to read … for the cluster',
    'Failed to reach the Kubernetes API server',
    'Failed to get access to',
    'Failed to … for the job: the cluster does not accept these credentials',
    'Failed to … for the job: the cluster forbids it',
    "Failed to … for the job: the namespace's quota is used up",
    "Failed to … for the job: the namespace's quota wants to know",
    'Failed to … for the job: an admission rule of the cluster refused it',
    'Failed to … for the job: the cluster calls it invalid',
    'Failed to … for the job: the API server answered',
    'Failed to read the pod template',
    'Failed to use the pod template',
    'Failed to start pod',
    'Failed to schedule pod',
    'Failed to pull image … for the job',
    'Failed to find image … for the job',
    'Failed to enter the pod',
    'Failed to put file',
    'Failed to start the step for the job',
    'Failed to finish the step in pod',
    'Failed to remove pod',
    'Failed to start … for',
    'Failed to start … deployments for their stacks',
    'Failed to choose the stacks',
    'Failed to list the stacks',
    "Failed to read the organization's load",
    'Failed to read the deployments',
    'Failed to upload the artifact',
    'Failed to write the summary',
    'Failed to write report.html',
    'Failed to write the result',
    'Failed to look for old run directories',
    'Failed to remove the run directory',
    'Failed to write an event',
    'Failed to read an event',
    'Failed to read the result',
    'Failed to … the step log',
    'Failed to write to syslog',
    'Failed to finish the run in the post step',
    'Failed to remove … after the run',
    'Failed to read the job for debug workflow-runner',
];
function beginningOf(message) {
    const open = (beginning) => Number(beginning.includes('…'));
    return BEGINNINGS.filter((beginning) => startsWith(message, beginning)).sort((a, b) => open(a) - open(b) || b.length - a.length)[0];
}
function entryFor(message) {
    const beginning = beginningOf(message);
    return beginning === undefined ? undefined : `${TROUBLESHOOTING_PAGE}#${anchorOf(beginning)}`;
}
function withEntry(message) {
    const entry = entryFor(message);
    return entry === undefined ? message : `${message}${message.includes('\n') ? '\n' : ' '}See ${entry}`;
}
function anchorOf(heading) {
    return heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
        .replaceAll(' ', '-');
}
const MAX_NAME = 300;
function startsWith(message, beginning) {
    const [first = '', rest] = beginning.split('…');
    if (!message.startsWith(first))
        return false;
    if (rest === undefined)
        return true;
    const at = message.indexOf(rest, first.length + 1);
    return at !== -1 && at - first.length <= MAX_NAME && !message.slice(first.length, at).includes('\n');
}


/***/ })

};
