export const id = 629;
export const ids = [629];
export const modules = {

/***/ 31629:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  post: () => (/* binding */ post)
});

// EXTERNAL MODULE: ../../main/node_modules/@actions/core/lib/core.js + 11 modules
var core = __webpack_require__(42077);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(54792);
// EXTERNAL MODULE: ./lib/record/owner.js
var record_owner = __webpack_require__(7047);
// EXTERNAL MODULE: ./lib/action/agent-process.js
var agent_process = __webpack_require__(57458);
// EXTERNAL MODULE: ./lib/action/cancel-window.js
var cancel_window = __webpack_require__(57022);
// EXTERNAL MODULE: ./lib/action/console.js
var console = __webpack_require__(74994);
// EXTERNAL MODULE: ./lib/action/console-text.js
var console_text = __webpack_require__(9000);
// EXTERNAL MODULE: ./lib/action/death.js
var death = __webpack_require__(29397);
// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(58500);
// EXTERNAL MODULE: ./lib/action/report.js
var action_report = __webpack_require__(72165);
;// CONCATENATED MODULE: ./lib/action/find-agent.js


const FIRST_EVENT_MS = 5_000;
const LOOK_MS = 50;
async function findAgent(runDirectory, signal) {
    for (const end = performance.now() + FIRST_EVENT_MS; performance.now() < end && !signal.aborted;) {
        for await (const event of (0,action_report/* eventsOf */.XL)(runDirectory))
            if (event.type === 'agent-started')
                return event.owner;
        await (0,promises_.setTimeout)(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
}

// EXTERNAL MODULE: ./lib/action/follow.js + 1 modules
var follow = __webpack_require__(54753);
// EXTERNAL MODULE: ./lib/action/inputs.js + 18 modules
var inputs = __webpack_require__(54893);
// EXTERNAL MODULE: ./lib/action/own-trust.js
var own_trust = __webpack_require__(44224);
// EXTERNAL MODULE: ./lib/action/publish/publish.js + 1 modules
var publish = __webpack_require__(79164);
// EXTERNAL MODULE: ./lib/action/run-folder.js
var run_folder = __webpack_require__(55459);
// EXTERNAL MODULE: ./lib/action/state.js
var state = __webpack_require__(86662);
// EXTERNAL MODULE: ./lib/action/stdout.js
var stdout = __webpack_require__(79008);
// EXTERNAL MODULE: ./lib/action/sweep.js
var sweep = __webpack_require__(64007);
;// CONCATENATED MODULE: ./lib/action/post.js


















const POST_TIMES = {
    jobMs: cancel_window/* JOB_MS */.RY,
    publishMs: cancel_window/* PUBLISH_MS */.VU,
    forceMs: cancel_window/* FORCE_MS */.Zc,
    leaveMs: 5_000,
    terminateMs: 8_000,
};
const KILL_MS = 2_000;
const SWEEP_MS = { least: 10_000, most: 70_000 };
const LEAST_ARTIFACT_MS = 6_000;
const SUMMARY_MS = 5_000;
async function post(job, times = POST_TIMES) {
    try {
        const { state, left } = await takeOver(job, times);
        if (state === undefined || state.ended)
            core/* info */.pq('The run is over; removing its temporary files.');
        if (state !== undefined && !(state.ended && state.published))
            await finish(job, state, times, left);
        else if (state?.died)
            core/* info */.pq((0,console_text.plainText)((0,sweep/* describeSweep */.YL)(await (0,sweep/* sweep */.X0)(sweepOf(job, state, SWEEP_MS.most)))));
    }
    catch (error) {
        core/* warning */.$e((0,console_text.plainText)(`Failed to finish the run in the post step: ${(0,outcome/* messageOf */.bD)(error)}`));
    }
    const privateDirectory = (0,run_folder/* readPrivateDirectory */.Te)();
    try {
        if (privateDirectory !== undefined)
            await (0,run_folder/* removePrivate */.Ws)(privateDirectory);
    }
    catch (error) {
        core/* warning */.$e((0,console_text.plainText)(`Failed to remove ${privateDirectory} after the run: ${(0,outcome/* messageOf */.bD)(error)}. Remove it by hand.`));
    }
}
async function takeOver(job, { jobMs, leaveMs }) {
    const began = performance.now();
    const found = (0,state/* readRunState */.x)();
    const { cancelledAt = job.now() - cancel_window/* KILLED_MAIN_MS */.Ze } = found ?? {};
    const sinceCancel = Math.min(jobMs, Math.max(0, job.now() - cancelledAt));
    const left = () => Math.ceil(jobMs - sinceCancel - (performance.now() - began));
    if (found === undefined || !(0,record_owner/* signalOwner */.E7)(found.main, 'SIGINT'))
        return { state: found, left };
    core/* info */.pq(`The step itself still runs (process ${found.main.pid}): told it to leave.`);
    if (!(await (0,agent_process/* waitForEnd */.kh)(found.main, leaveMs))) {
        (0,record_owner/* signalOwner */.E7)(found.main, 'SIGKILL');
        await (0,agent_process/* waitForEnd */.kh)(found.main, KILL_MS);
    }
    return { state: (0,state/* readRunState */.x)(), left };
}
async function finish(job, state, times, left) {
    const { runDirectory } = state;
    const owner = state.owner ?? (await findAgent(runDirectory, job.cancelled));
    if (owner === undefined) {
        core/* info */.pq('No agent was started.');
        return;
    }
    const end = await waitForAgent(job, { ...state, owner }, left() - times.publishMs - times.forceMs, times);
    const report = end.kind === 'finished'
        ? await (0,action_report/* reportOf */.EI)(runDirectory, end.result)
        : await (0,death/* reportDead */.l)({ ...sweepOf(job, state, left() - times.publishMs), pid: owner.pid, stopping: true });
    core/* info */.pq((0,console_text.plainText)(`${report.outcome}: ${report.message}`, 2_000));
    await (0,publish/* publish */.m)({
        report,
        runDirectory,
        inputs: (0,inputs/* readPublishingInputs */.ts)(job.environment),
        red: report.outcome !== 'succeeded' && report.outcome !== 'no-work',
        environment: job.environment,
        artifactDeadlineMs: Math.max(LEAST_ARTIFACT_MS, left() - SUMMARY_MS),
        trustMore: () => (0,own_trust/* trustAsTheAgent */.P)(job.environment, job.checkoutDirectory),
        signal: job.cancelled,
        uploaded: state.artifact,
        last: true,
    });
}
function sweepOf({ nodePath, agentScript, environment, checkoutDirectory }, { runDirectory }, leftMs) {
    return {
        nodePath,
        script: agentScript,
        runDirectory,
        environment: (0,agent_process/* agentEnvironment */.FV)(environment, (0,inputs/* agentVariablesOf */.Qm)(environment, checkoutDirectory), (0,inputs/* forwardedNames */.V6)(environment)),
        deadlineMs: Math.min(SWEEP_MS.most, Math.max(SWEEP_MS.least, leftMs)),
        signal: new AbortController().signal,
    };
}
async function waitForAgent(job, state, windowMs, { terminateMs }) {
    const { owner, runDirectory: directory, position } = state;
    if ((0,agent_process/* requestStop */.Y6)(owner)) {
        const most = `${Math.max(0, Math.round(windowMs / 1000))} s`;
        core/* info */.pq(`The agent is still running (process ${owner.pid}): asked it to stop, waiting at most ${most} for it.`);
    }
    const closed = AbortSignal.any([job.cancelled, AbortSignal.timeout(Math.max(0, windowMs))]);
    const place = (0,console/* wholeLogPlace */.$z)((0,inputs/* readPublishingInputs */.ts)(job.environment));
    const listener = new console/* Console */.C7({ directory, write: (0,stdout/* writerOf */.b)(job.stdout, closed), now: job.now, place });
    const alive = () => (0,record_owner/* isAlive */._n)(owner);
    const end = await (0,follow/* follow */.e6)({ directory, position, listener, isAlive: alive, signal: closed });
    if (end.kind !== 'stopped') {
        listener.close();
        await (0,agent_process/* waitForEnd */.kh)(owner, terminateMs, closed);
        return end;
    }
    await endByForce(owner, terminateMs);
    const rest = await (0,follow/* follow */.e6)({ directory, position, listener, isAlive: alive, signal: AbortSignal.timeout(KILL_MS) });
    listener.close();
    return rest;
}
async function endByForce(owner, terminateMs) {
    (0,record_owner/* signalOwner */.E7)(owner, 'SIGTERM');
    if (await (0,agent_process/* waitForEnd */.kh)(owner, terminateMs))
        return;
    (0,record_owner/* signalOwner */.E7)(owner, 'SIGKILL');
    await (0,agent_process/* waitForEnd */.kh)(owner, KILL_MS);
    core/* warning */.$e(`The agent (process ${owner.pid}) did not stop in time and was killed. The stack it worked on may be left locked: ` +
        'see `pulumi cancel`.');
}


/***/ })

};
