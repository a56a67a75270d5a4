export const id = 30;
export const ids = [30];
export const modules = {

/***/ 6076:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   P: () => (/* binding */ labelsOf)
/* harmony export */ });
function labelsOf({ environment }) {
    const { GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_JOB, GITHUB_RUN_ATTEMPT } = environment;
    if (GITHUB_REPOSITORY === undefined || GITHUB_RUN_ID === undefined)
        return {};
    return {
        'pulumi-runner.ci-run': `${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`,
        'pulumi-runner.ci-job': GITHUB_JOB ?? '',
        'pulumi-runner.ci-attempt': GITHUB_RUN_ATTEMPT ?? '',
    };
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

/***/ 4030:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   run: () => (/* binding */ run)
/* harmony export */ });
/* harmony import */ var _actions_core__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(42077);
/* harmony import */ var _record_owner_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7047);
/* harmony import */ var _agent_process_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(57458);
/* harmony import */ var _console_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(74994);
/* harmony import */ var _death_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(29397);
/* harmony import */ var _follow_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(54753);
/* harmony import */ var _id_token_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(72054);
/* harmony import */ var _inputs_js__WEBPACK_IMPORTED_MODULE_7__ = __webpack_require__(54893);
/* harmony import */ var _job_js__WEBPACK_IMPORTED_MODULE_16__ = __webpack_require__(33656);
/* harmony import */ var _labels_js__WEBPACK_IMPORTED_MODULE_14__ = __webpack_require__(6076);
/* harmony import */ var _own_trust_js__WEBPACK_IMPORTED_MODULE_8__ = __webpack_require__(44224);
/* harmony import */ var _publish_outputs_js__WEBPACK_IMPORTED_MODULE_9__ = __webpack_require__(86745);
/* harmony import */ var _publish_publish_js__WEBPACK_IMPORTED_MODULE_10__ = __webpack_require__(79164);
/* harmony import */ var _report_js__WEBPACK_IMPORTED_MODULE_11__ = __webpack_require__(72165);
/* harmony import */ var _state_js__WEBPACK_IMPORTED_MODULE_12__ = __webpack_require__(86662);
/* harmony import */ var _stdout_js__WEBPACK_IMPORTED_MODULE_15__ = __webpack_require__(79008);
/* harmony import */ var _verdict_js__WEBPACK_IMPORTED_MODULE_13__ = __webpack_require__(23594);

















const EXIT_MS = 10_000;
const SWEEP_MS = 70_000;
const ARTIFACT_MS = 300_000;
async function run({ job, inputs, folder, idToken }) {
    const { runDirectory } = folder;
    const environment = (0,_agent_process_js__WEBPACK_IMPORTED_MODULE_2__/* .agentEnvironment */ .FV)(job.environment, inputs.agentVariables, inputs.config.envForwardAllowlist);
    const state = {
        runDirectory,
        main: job.owner,
        position: { events: 0 },
        ended: false,
        died: false,
        published: false,
    };
    (0,_state_js__WEBPACK_IMPORTED_MODULE_12__/* .saveRunState */ .i)(state);
    const onCancel = () => {
        state.cancelledAt = job.now();
        (0,_state_js__WEBPACK_IMPORTED_MODULE_12__/* .saveRunState */ .i)(state);
    };
    job.cancelled.addEventListener('abort', onCancel, { once: true });
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .setOutput */ .uH('run-directory', runDirectory);
    const agent = await (0,_agent_process_js__WEBPACK_IMPORTED_MODULE_2__/* .startAgent */ .Ih)({
        nodePath: job.nodePath,
        script: job.agentScript,
        runDirectory,
        ...(inputs.configFile !== undefined && { configFile: inputs.configFile }),
        defaults: _inputs_js__WEBPACK_IMPORTED_MODULE_7__/* .ACTION_DEFAULTS */ .O5,
        labels: (0,_labels_js__WEBPACK_IMPORTED_MODULE_14__/* .labelsOf */ .P)(job),
        environment,
    }).catch((error) => {
        (0,_state_js__WEBPACK_IMPORTED_MODULE_12__/* .saveRunState */ .i)({ ...state, ended: true, published: true });
        throw error;
    });
    state.owner = agent.owner;
    (0,_state_js__WEBPACK_IMPORTED_MODULE_12__/* .saveRunState */ .i)(state);
    const following = new AbortController();
    const freshToken = keepFresh({ job, inputs, folder, idToken }, AbortSignal.any([job.cancelled, following.signal]));
    const shown = new _console_js__WEBPACK_IMPORTED_MODULE_3__/* .Console */ .C7({
        directory: runDirectory,
        write: (0,_stdout_js__WEBPACK_IMPORTED_MODULE_15__/* .writerOf */ .b)(job.stdout, job.cancelled),
        now: job.now,
        place: (0,_console_js__WEBPACK_IMPORTED_MODULE_3__/* .wholeLogPlace */ .$z)(inputs),
    });
    try {
        const end = await (0,_follow_js__WEBPACK_IMPORTED_MODULE_5__/* .follow */ .e6)({
            directory: runDirectory,
            position: state.position,
            listener: shown,
            isAlive: () => (0,_record_owner_js__WEBPACK_IMPORTED_MODULE_1__/* .isAlive */ ._n)(agent.owner),
            signal: job.cancelled,
            onEvent: _publish_outputs_js__WEBPACK_IMPORTED_MODULE_9__/* .setKnownOutputs */ .eU,
        });
        shown.close();
        if (end.kind === 'stopped')
            return await leave(agent.owner, runDirectory);
        const gone = await (0,_agent_process_js__WEBPACK_IMPORTED_MODULE_2__/* .waitForEnd */ .kh)(agent.owner, EXIT_MS, job.cancelled);
        if (!gone && !job.cancelled.aborted)
            (0,_record_owner_js__WEBPACK_IMPORTED_MODULE_1__/* .signalOwner */ .E7)(agent.owner, 'SIGKILL');
        const report = end.kind === 'finished'
            ? await (0,_report_js__WEBPACK_IMPORTED_MODULE_11__/* .reportOf */ .EI)(runDirectory, end.result)
            : await (0,_death_js__WEBPACK_IMPORTED_MODULE_4__/* .reportDead */ .l)({
                nodePath: job.nodePath,
                script: job.agentScript,
                runDirectory,
                environment,
                deadlineMs: SWEEP_MS,
                signal: job.cancelled,
                pid: agent.owner.pid,
                exit: agent.exit(),
            });
        if (job.cancelled.aborted)
            return { exitCode: _job_js__WEBPACK_IMPORTED_MODULE_16__/* .CANCELLED_EXIT_CODE */ .p, agentEnded: true };
        state.ended = true;
        state.died = end.kind === 'died';
        (0,_publish_outputs_js__WEBPACK_IMPORTED_MODULE_9__/* .setRunOutputs */ .iB)(report, runDirectory);
        const artifact = await (0,_publish_publish_js__WEBPACK_IMPORTED_MODULE_10__/* .publish */ .m)({
            report,
            runDirectory,
            inputs,
            red: (0,_verdict_js__WEBPACK_IMPORTED_MODULE_13__/* .isRed */ .i)(report, inputs.onNoWork),
            environment: job.environment,
            artifactDeadlineMs: ARTIFACT_MS,
            trustMore: () => (0,_own_trust_js__WEBPACK_IMPORTED_MODULE_8__/* .trustAsTheAgent */ .P)(job.environment, job.checkoutDirectory),
            signal: job.cancelled,
        });
        state.artifact = artifact;
        (0,_publish_outputs_js__WEBPACK_IMPORTED_MODULE_9__/* .setArtifactOutputs */ .Jg)(artifact);
        state.published = !job.cancelled.aborted;
        if (!state.published)
            _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .info */ .pq('The CI job was cancelled: the post step publishes the run.');
        return { exitCode: (0,_verdict_js__WEBPACK_IMPORTED_MODULE_13__/* .conclude */ .E)(report, inputs.onNoWork), agentEnded: true };
    }
    finally {
        job.cancelled.removeEventListener('abort', onCancel);
        following.abort();
        await freshToken;
        (0,_state_js__WEBPACK_IMPORTED_MODULE_12__/* .saveRunState */ .i)(state);
    }
}
async function leave(owner, runDirectory) {
    (0,_agent_process_js__WEBPACK_IMPORTED_MODULE_2__/* .requestStop */ .Y6)(owner);
    _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .info */ .pq('The CI job was cancelled: the agent was asked to stop; the post step waits for it and publishes the rest.');
    (0,_publish_outputs_js__WEBPACK_IMPORTED_MODULE_9__/* .setRunOutputs */ .iB)(await (0,_report_js__WEBPACK_IMPORTED_MODULE_11__/* .reportWithout */ .Vq)(runDirectory, { outcome: 'interrupted', message: 'The CI job was cancelled.' }), runDirectory);
    return { exitCode: _job_js__WEBPACK_IMPORTED_MODULE_16__/* .CANCELLED_EXIT_CODE */ .p, agentEnded: false };
}
async function keepFresh(sources, signal) {
    const { job, inputs, folder, idToken } = sources;
    if (idToken === undefined || inputs.idTokenAudience === undefined)
        return;
    await (0,_id_token_js__WEBPACK_IMPORTED_MODULE_6__/* .keepIdTokenFresh */ .qd)({
        path: folder.idTokenFile,
        token: idToken,
        audience: inputs.idTokenAudience,
        environment: job.environment,
        signal,
        now: job.now,
        warn: (sentence) => _actions_core__WEBPACK_IMPORTED_MODULE_0__/* .warning */ .$e(sentence),
    });
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
