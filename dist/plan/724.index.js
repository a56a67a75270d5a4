export const id = 724;
export const ids = [724];
export const modules = {

/***/ 9724:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  plan: () => (/* binding */ plan)
});

// EXTERNAL MODULE: ../../main/node_modules/@actions/core/lib/core.js + 14 modules
var lib_core = __webpack_require__(4559);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(4792);
// EXTERNAL MODULE: ../../main/node_modules/zod/v4/classic/schemas.js + 17 modules
var schemas = __webpack_require__(7838);
;// CONCATENATED MODULE: ./lib/record/plan-report.js


const plan_report_outcome = schemas/* enum */.k5n(outcome/* OUTCOME_NAMES */._m);
const startedDeploymentSchema = schemas/* object */.Ikc({
    stack: schemas/* string */.YjP(),
    operation: schemas/* string */.YjP(),
    deploymentId: schemas/* string */.YjP(),
    version: schemas/* number */.aig().optional(),
    consoleUrl: schemas/* string */.YjP().optional(),
    assumed: schemas/* literal */.euz(true).optional(),
});
const failedStartSchema = schemas/* object */.Ikc({ stack: schemas/* string */.YjP(), outcome: plan_report_outcome, message: schemas/* string */.YjP() });
const triggerReportSchema = schemas/* object */.Ikc({
    schema: schemas/* literal */.euz(1),
    version: schemas/* string */.YjP(),
    outcome: plan_report_outcome,
    exitCode: schemas/* number */.aig().int(),
    message: schemas/* string */.YjP(),
    started: schemas/* array */.YOg(startedDeploymentSchema),
    failed: schemas/* array */.YOg(failedStartSchema),
});
const planReportSchema = triggerReportSchema.extend({
    queued: schemas/* number */.aig().int(),
    count: schemas/* number */.aig().int(),
    matrix: schemas/* object */.Ikc({ include: schemas/* array */.YOg(schemas/* object */.Ikc({ index: schemas/* number */.aig().int() })) }),
    notices: schemas/* array */.YOg(schemas/* string */.YjP()),
});

;// CONCATENATED MODULE: ./lib/troubleshooting.js
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

// EXTERNAL MODULE: external "node:child_process"
var external_node_child_process_ = __webpack_require__(1421);
// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(1455);
// EXTERNAL MODULE: external "node:net"
var external_node_net_ = __webpack_require__(7030);
// EXTERNAL MODULE: external "node:os"
var external_node_os_ = __webpack_require__(8161);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./lib/record/owner.js
var owner = __webpack_require__(7047);
;// CONCATENATED MODULE: ./lib/record/files.js
const files_RUN_FILES = {
    log: 'agent.log',
    events: 'events.ndjson',
    health: 'health.ndjson',
    steps: 'steps',
    result: 'run.json',
};

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

;// CONCATENATED MODULE: ./lib/action/agent-process.js
var __addDisposableResource = (undefined && undefined.__addDisposableResource) || function (env, value, async) {
    if (value !== null && value !== void 0) {
        if (typeof value !== "object" && typeof value !== "function") throw new TypeError("Object expected.");
        var dispose, inner;
        if (async) {
            if (!Symbol.asyncDispose) throw new TypeError("Symbol.asyncDispose is not defined.");
            dispose = value[Symbol.asyncDispose];
        }
        if (dispose === void 0) {
            if (!Symbol.dispose) throw new TypeError("Symbol.dispose is not defined.");
            dispose = value[Symbol.dispose];
            if (async) inner = dispose;
        }
        if (typeof dispose !== "function") throw new TypeError("Object not disposable.");
        if (inner) dispose = function() { try { inner.call(this); } catch (e) { return Promise.reject(e); } };
        env.stack.push({ value: value, dispose: dispose, async: async });
    }
    else if (async) {
        env.stack.push({ async: true });
    }
    return value;
};
var __disposeResources = (undefined && undefined.__disposeResources) || (function (SuppressedError) {
    return function (env) {
        function fail(e) {
            env.error = env.hasError ? new SuppressedError(e, env.error, "An error was suppressed during disposal.") : e;
            env.hasError = true;
        }
        var r, s = 0;
        function next() {
            while (r = env.stack.pop()) {
                try {
                    if (!r.async && s === 1) return s = 0, env.stack.push(r), Promise.resolve().then(next);
                    if (r.dispose) {
                        var result = r.dispose.call(r.value);
                        if (r.async) return s |= 2, Promise.resolve(result).then(next, function(e) { fail(e); return next(); });
                    }
                    else s |= 1;
                }
                catch (e) {
                    fail(e);
                }
            }
            if (s === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
            if (env.hasError) throw env.error;
        }
        return next();
    };
})(typeof SuppressedError === "function" ? SuppressedError : function (error, suppressed, message) {
    var e = new Error(message);
    return e.name = "SuppressedError", e.error = error, e.suppressed = suppressed, e;
});








function agentEnvironment(step, agentVariables, forwarded) {
    const kept = Object.entries(step).filter((entry) => entry[1] !== undefined && (!/^(INPUT|ACTIONS)_/i.test(entry[0]) || forwarded.includes(entry[0])));
    return { ...Object.fromEntries(kept), ...agentVariables };
}
const FEW_HEAPS = { MALLOC_ARENA_MAX: '2' };
async function requireProgram(script) {
    try {
        await (0,promises_.access)(script, promises_.constants.R_OK);
    }
    catch (cause) {
        const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
        const reason = missing ? `its program ${script} is missing` : (0,outcome/* messageOf */.bD)(cause);
        const advice = 'Use the action at a released version, or build its dist folder (`npm run build`).';
        throw new outcome/* OutcomeError */.Rz('failed', `Failed to start the agent for this job: ${reason}. ${advice}`, { cause });
    }
}
async function startAgent(command) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const { nodePath, script, runDirectory, configFile, defaults, labels, environment } = command;
        await requireProgram(script);
        const args = [script, 'run', '--drain-on-stdin-end', '--run-directory', runDirectory];
        if (configFile !== undefined)
            args.push('--config', configFile);
        for (const [key, value] of Object.entries(defaults))
            args.push('--default', `${key}=${value}`);
        for (const [key, value] of Object.entries(labels))
            args.push('--label', `${key}=${value}`);
        const log = __addDisposableResource(env_1, await open(join(runDirectory, RUN_FILES.log), 'a', 0o600), true);
        const child = spawn(nodePath, args, {
            cwd: dirname(script),
            detached: true,
            stdio: ['pipe', log.fd, log.fd],
            env: { ...FEW_HEAPS, ...environment },
        });
        let exit;
        child.once('exit', (code, signal) => {
            exit = { code, signal };
        });
        await new Promise((resolve, reject) => {
            child.once('spawn', resolve);
            child.once('error', (cause) => {
                reject(new OutcomeError('failed', `Failed to start the agent with ${nodePath}: ${cause.message}.`, { cause }));
            });
        });
        child.stdin?.on('error', () => undefined);
        if (child.stdin instanceof Socket)
            child.stdin.unref();
        child.unref();
        const pid = child.pid ?? 0;
        return { owner: ownerOf(pid) ?? { host: hostname(), pid, started: 'gone' }, exit: () => exit };
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        const result_1 = __disposeResources(env_1);
        if (result_1)
            await result_1;
    }
}
function requestStop(owner) {
    return signalOwner(owner, 'SIGINT');
}
async function waitForEnd(owner, ms, signal) {
    const deadline = performance.now() + ms;
    while (isAlive(owner)) {
        if (performance.now() >= deadline || signal?.aborted)
            return false;
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return true;
}

;// CONCATENATED MODULE: ./lib/log/terminal-text.js
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

;// CONCATENATED MODULE: ./lib/action/console-text.js

const COLOUR = String.raw `\u001b\[[0-9;:]*m`;
const IGNORED = String.raw `\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}`;
const UNSEEN = String.raw `(?:${COLOUR}|(?!\u001b)[${IGNORED}])*`;
const COMMAND_AT_START = new RegExp(`^((?:${COLOUR}|(?!\\u001b)[\\s${IGNORED}])*:${UNSEEN})(?=:)`, 'u');
const COMMAND_ANYWHERE = new RegExp(`#${UNSEEN}#${UNSEEN}(?=\\[)`, 'gu');
const MAX_STATES = 3;
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/gu;
function consoleLine(text) {
    return defused(stripControl(visibleBreaks(fewStates(text)), { colours: true }));
}
function uncolouredLine(text) {
    return defused(pageLine(fewStates(text)));
}
function pageLine(text) {
    return stripControl(visibleBreaks(text));
}
function plainText(text, maxLength = 500) {
    const stripped = stripControl(text.slice(0, maxLength * 4).replace(/\s+/g, ' ')).replace(DIRECTION, '');
    const plain = defused(stripped.replace(/\s+/g, ' ').trim());
    return plain.length > maxLength ? `${plain.slice(0, maxLength - 1)}…` : plain;
}
function fewStates(text) {
    if (!text.includes('\r'))
        return text;
    const states = text.split('\r').filter((state) => stripControl(state).trim() !== '');
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

;// CONCATENATED MODULE: ./lib/action/agent-report.js





const LEAVE_MS = 1_000;
const MAX_OUTPUT = 1024 * 1024;
const MAX_QUOTED = 2_000;
async function agentReport(command) {
    const { job, args, environment, deadlineMs, onLogLine } = command;
    const { nodePath, agentScript: script, cancelled } = job;
    await requireProgram(script);
    const child = (0,external_node_child_process_.spawn)(nodePath, [script, ...args], {
        cwd: (0,external_node_path_.dirname)(script),
        stdio: ['ignore', 'pipe', 'pipe'],
        env: environment,
    });
    let [printed, said] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text) => {
        printed = `${printed}${text}`.slice(0, MAX_OUTPUT);
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
        said = `${said}${text}`.slice(-MAX_QUOTED);
    });
    if (onLogLine !== undefined)
        onLines(child.stderr, onLogLine);
    const ended = new Promise((resolve, reject) => {
        child.once('error', (cause) => reject(unreported(command, `it could not be started: ${cause.message}`, cause)));
        child.once('close', resolve);
    });
    const { promise: left, resolve: leave } = Promise.withResolvers();
    const onCancel = () => {
        child.kill('SIGINT');
        setTimeout(() => leave(null), LEAVE_MS);
    };
    const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMs);
    cancelled.addEventListener('abort', onCancel, { once: true });
    if (cancelled.aborted)
        onCancel();
    try {
        const code = await Promise.race([ended, left]);
        if (cancelled.aborted)
            return undefined;
        const otherwise = `it ended with ${code ?? 'a signal'} and said: ${said}`;
        try {
            return command.read(JSON.parse(printed));
        }
        catch (cause) {
            throw unreported(command, otherwise, cause);
        }
    }
    finally {
        clearTimeout(timer);
        cancelled.removeEventListener('abort', onCancel);
    }
}
function unreported({ name }, reason, cause) {
    const shown = plainText(reason, MAX_QUOTED + 100);
    return new outcome/* OutcomeError */.Rz('failed', `Failed to run ${name} for this job: ${shown}.`, { cause });
}
function onLines(stream, onLine) {
    let rest = '';
    stream.on('data', (text) => {
        const lines = `${rest}${text}`.split('\n');
        rest = (lines.pop() ?? '').slice(0, MAX_OUTPUT);
        for (const line of lines)
            onLine(line);
    });
    stream.on('end', () => {
        if (rest !== '')
            onLine(rest);
    });
}

// EXTERNAL MODULE: external "node:timers/promises"
var external_node_timers_promises_ = __webpack_require__(8500);
;// CONCATENATED MODULE: ./lib/action/id-token.js




const ID_TOKEN_FILE = 'id-token';
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;
const ATTEMPT_DEADLINE_MS = 20_000;
const REFRESH_AT = 0.6;
const REFRESH_AGAIN_MS = 10_000;
const ASSUMED_LIFE_MS = 300_000;
const LONGEST_REFRESH_MS = 3_600_000;
const NO_PERMISSION = "Failed to get this job's ID token: the job may not ask for one. Add `permissions: id-token: write` to the workflow " +
    'or the job; GitHub never grants it to pull requests from forks.';
async function requestIdToken(source) {
    const { audience, environment, signal, getIdToken = lib_core/* getIDToken */.V9, firstPauseMs = FIRST_PAUSE_MS } = source;
    const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken } = environment;
    if (!url || !requestToken)
        throw new outcome/* OutcomeError */.Rz('auth-error', NO_PERMISSION);
    let { trustMore } = source;
    for (let attempt = 1;; attempt++) {
        signal.throwIfAborted();
        try {
            return await abortable(getIdToken(audience), signal, ATTEMPT_DEADLINE_MS);
        }
        catch (cause) {
            signal.throwIfAborted();
            const text = cause instanceof Error ? cause.message.replace(/\s+/g, ' ').trim() : String(cause);
            if (CERTIFICATE.test(text) && trustMore !== undefined) {
                await trustMore();
                trustMore = undefined;
                continue;
            }
            if (attempt === ATTEMPTS || !isPassing(text)) {
                const sentence = `Failed to get this job's ID token for ${audience}: ${text}. ${adviceOn(text)}`;
                throw new outcome/* OutcomeError */.Rz('auth-error', sentence, { cause });
            }
            await (0,external_node_timers_promises_.setTimeout)(firstPauseMs * 2 ** (attempt - 1), undefined, { signal });
        }
    }
}
const CERTIFICATE = /certificate|altnames/i;
function adviceOn(text) {
    if (CERTIFICATE.test(text))
        return "Set the input ca-certificate to the certificate of the authority that signed GitHub's, or the proxy's.";
    if (/tunneling socket/.test(text))
        return 'Check the proxy that HTTPS_PROXY names, and what it allows.';
    return 'Run the job again; if it stays, see githubstatus.com.';
}
function isPassing(message) {
    const status = /Error Code : (\d+)/.exec(message)?.[1];
    return status === undefined
        ? !(/do not have ID Token/.test(message) || CERTIFICATE.test(message))
        : status === '429' || status.startsWith('5');
}
async function abortable(work, signal, ms) {
    const stopped = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
    work.catch(() => undefined);
    let onAbort = () => undefined;
    const aborted = new Promise((_, reject) => {
        onAbort = () => reject(signal.aborted ? signal.reason : new Error(`no answer within ${ms / 1000} s`));
        stopped.addEventListener('abort', onAbort, { once: true });
    });
    try {
        return await Promise.race([work, aborted]);
    }
    finally {
        stopped.removeEventListener('abort', onAbort);
    }
}
async function writeIdToken(path, token) {
    await (0,promises_.writeFile)(`${path}.part`, token, { mode: 0o600 });
    await (0,promises_.rename)(`${path}.part`, path);
}
function refreshDelay(token, now) {
    const { iat = now / 1000, exp = iat + ASSUMED_LIFE_MS / 1000 } = timesOf(token);
    return Math.min(Math.max(1_000, REFRESH_AT * (exp - iat) * 1000), LONGEST_REFRESH_MS);
}
function timesOf(token) {
    try {
        const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
        if (typeof claims !== 'object' || claims === null)
            return {};
        const { iat, exp } = claims;
        return { ...(typeof iat === 'number' && { iat }), ...(typeof exp === 'number' && { exp }) };
    }
    catch {
        return {};
    }
}
async function keepIdTokenFresh(file) {
    const { path, signal, now, warn, retryMs = REFRESH_AGAIN_MS } = file;
    let wait = refreshDelay(file.token, now());
    let warned = false;
    while (!signal.aborted) {
        try {
            await (0,external_node_timers_promises_.setTimeout)(wait, undefined, { signal });
            const token = await requestIdToken(file);
            await writeIdToken(path, token);
            wait = refreshDelay(token, now());
            warned = false;
        }
        catch (error) {
            if (signal.aborted)
                return;
            if (!warned)
                warn((0,outcome/* messageOf */.bD)(error));
            warned = true;
            wait = retryMs;
        }
    }
}

;// CONCATENATED MODULE: ./lib/action/job.js
const CANCELLED_EXIT_CODE = 130;

;// CONCATENATED MODULE: ./lib/config/keys/container.js
const CAPABILITY_NAMES = [
    ...[
        'AUDIT_CONTROL',
        'AUDIT_READ',
        'AUDIT_WRITE',
        'BLOCK_SUSPEND',
        'BPF',
        'CHECKPOINT_RESTORE',
        'CHOWN',
        'DAC_OVERRIDE',
    ],
    ...['DAC_READ_SEARCH', 'FOWNER', 'FSETID', 'IPC_LOCK', 'IPC_OWNER', 'KILL', 'LEASE', 'LINUX_IMMUTABLE', 'MAC_ADMIN'],
    ...[
        'MAC_OVERRIDE',
        'MKNOD',
        'NET_ADMIN',
        'NET_BIND_SERVICE',
        'NET_BROADCAST',
        'NET_RAW',
        'PERFMON',
        'SETFCAP',
        'SETGID',
    ],
    ...['SETPCAP', 'SETUID', 'SYSLOG', 'SYS_ADMIN', 'SYS_BOOT', 'SYS_CHROOT', 'SYS_MODULE', 'SYS_NICE', 'SYS_PACCT'],
    ...['SYS_PTRACE', 'SYS_RAWIO', 'SYS_RESOURCE', 'SYS_TIME', 'SYS_TTY_CONFIG', 'WAKE_ALARM'],
];
const CONTAINER_KEYS = {
    memory: {
        type: 'quantity',
        extension: true,
        unsetMeans: 'no limit',
        environment: ['PULUMI_AGENT_MEMORY', 'PULUMI_AGENT_MEM_QUANTITY'],
        plainUnit: { PULUMI_AGENT_MEM_QUANTITY: 'Gi' },
        help: 'Memory of a job: 512Mi, 4Gi, 2G. Without a unit the second variable counts in Gi.',
    },
    num_cpus: { type: 'decimal', extension: true, unsetMeans: 'no limit', help: 'CPUs of a job, as in 1.5.' },
    pids_limit: {
        type: 'count',
        extension: true,
        target: 'docker',
        minimum: 100,
        default: '8192',
        help: 'Processes and threads of a job, together.',
    },
    extra_capabilities: {
        type: 'choices',
        extension: true,
        target: 'docker',
        choices: CAPABILITY_NAMES,
        default: '',
        help: 'Linux capabilities that a job gets besides the few it has. In the environment split by commas.',
    },
    container_network: {
        type: 'network',
        extension: true,
        target: 'docker',
        unsetMeans: 'a network of its own for each job',
        help: 'Network that jobs are on: one that the Docker engine knows, bridge or none.',
    },
    dns_servers: {
        type: 'addresses',
        extension: true,
        target: 'docker',
        default: '',
        help: "Addresses of the name servers that jobs ask; empty: the Docker engine's.",
    },
    allow_metadata: {
        type: 'boolean',
        extension: true,
        target: 'docker',
        default: 'false',
        help: "Let jobs ask the cloud's metadata service, and so act with the machine's own credentials.",
    },
};

;// CONCATENATED MODULE: ./lib/config/keys/images.js
const IMAGE_KEYS = {
    allowed_images: {
        type: 'image-patterns',
        extension: true,
        default: '',
        help: 'Patterns of the images that may run, without a registry on Docker Hub; empty: any.',
    },
    require_digest: {
        type: 'boolean',
        extension: true,
        default: 'false',
        help: 'Run only images that are named by their digest, as in name@sha256:….',
    },
    prepull_images: {
        type: 'images',
        extension: true,
        target: 'docker',
        default: '',
        help: 'Images to pull while waiting for work, so that a job finds them there.',
    },
    cache_volume: {
        type: 'volume',
        extension: true,
        target: 'docker',
        help: 'name=/path of a volume that stays when its job goes; jobs can hand each other files in it.',
    },
};

;// CONCATENATED MODULE: ./lib/config/keys/kubernetes.js
const KUBERNETES_KEYS = {
    kubeconfig: {
        type: 'path',
        extension: true,
        target: 'kubernetes',
        unsetMeans: "KUBECONFIG's, the home directory's, or the pod's own service account",
        help: 'Kubeconfig of the cluster where jobs run.',
    },
    kube_context: {
        type: 'text',
        extension: true,
        target: 'kubernetes',
        unsetMeans: "the kubeconfig's current one",
        help: 'Context of the kubeconfig.',
    },
    namespace: {
        type: 'word',
        extension: true,
        target: 'kubernetes',
        unsetMeans: "the context's, or the agent's own",
        help: "Namespace of jobs' pods.",
    },
    pod_template: {
        type: 'template',
        extension: true,
        target: 'kubernetes',
        help: "Strategic merge patch over each job's pod: YAML, or the path of such a file.",
    },
    service_account: {
        type: 'word',
        extension: true,
        target: 'kubernetes',
        environment: ['PULUMI_AGENT_SERVICE_ACCOUNT_NAME', 'PULUMI_AGENT_SERVICE_ACCOUNT'],
        unsetMeans: "the namespace's default, without its token",
        help: "Service account of jobs' pods.",
    },
    image_pull_policy: {
        type: 'choice',
        extension: true,
        target: 'kubernetes',
        choices: ['Always', 'IfNotPresent', 'Never'],
        default: 'IfNotPresent',
        help: "When nodes pull a job's image.",
    },
    pod_start_timeout: {
        type: 'duration',
        extension: true,
        target: 'kubernetes',
        default: '10m',
        help: "Time that a job's pod may take until it runs.",
    },
    debug_pod: {
        type: 'boolean',
        extension: true,
        target: 'kubernetes',
        default: 'false',
        help: 'Keep pods when their jobs are over, and say how to enter them.',
    },
    agent_image: {
        type: 'none',
        environmentOnly: true,
        environment: ['PULUMI_AGENT_IMAGE'],
        noEffect: "has no effect: a job's pod needs nothing of the agent's image; to replace the image of jobs set PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE",
        help: 'Accepted without effect.',
    },
};

;// CONCATENATED MODULE: ./lib/config/keys/pulumi.js
const PULUMI_KEYS = {
    token: { type: 'secret', help: 'Token of the pool, shown once when it is created. Required unless OIDC is used.' },
    service_url: {
        type: 'url',
        default: 'https://api.pulumi.com',
        help: 'API of Pulumi Cloud, or of a self-hosted one.',
    },
    working_directory: {
        type: 'path',
        computedDefault: "the agent's own directory",
        noEffect: 'has no effect: this agent loads no runner binaries',
        help: 'Where the official agent loads its runner binaries from. No effect here.',
    },
    shared_volume_directory: {
        type: 'path',
        noEffect: 'has no effect: nothing of the host is mounted into jobs',
        help: 'Where the official agent makes the directories it mounts into jobs. No effect here.',
    },
    deploy_target: {
        type: 'choice',
        choices: ['docker', 'kubernetes', 'ecs'],
        default: 'docker',
        unbuilt: ['ecs'],
        help: 'Where jobs run.',
    },
    single_run: { type: 'boolean', default: 'false', help: 'Exit after one job.' },
    pull_image: {
        type: 'boolean',
        target: 'docker',
        default: 'true',
        help: "Pull a job's image each time; false: use the local one.",
    },
    enabled_workflow_types: {
        type: 'choices',
        choices: ['deployment', 'insights_scan', 'policy_evaluation'],
        default: 'deployment,insights_scan,policy_evaluation',
        help: 'Kinds of work to take; only deployment is served. In the environment split by commas.',
    },
    env_forward_allowlist: {
        type: 'names',
        default: '',
        help: "Variables of the agent's environment given to jobs. In the environment split by spaces.",
    },
    oidc_token_file: {
        type: 'path',
        help: 'File with an OIDC token to exchange for a Pulumi token; read again for each exchange.',
    },
    organization_name: { type: 'word', help: 'Pulumi organization. Required with OIDC.' },
    runner_pool_id: { type: 'word', help: 'ID of the pool. Required with OIDC; a token implies its pool.' },
    token_expiration: { type: 'lifetime', help: 'Lifetime to ask for at the OIDC exchange: a duration, or seconds.' },
    polling_interval: { type: 'duration', default: '1m', help: 'Time between two polls for work.' },
    polling_interval_override: {
        type: 'boolean',
        default: 'false',
        help: "Ignore the server's Retry-After and keep to polling_interval.",
    },
    job_status_loop_interval: {
        type: 'duration',
        default: '30s',
        help: 'How often a running job is checked for cancellation.',
    },
    request_timeout: { type: 'duration', default: '30s', help: 'Longest time one API call may take.' },
    request_retry_count: {
        type: 'count',
        default: '2',
        help: 'Retries of an API call that was rate-limited or failed for a passing reason.',
    },
    request_retry_wait: { type: 'duration', zero: true, default: '20s', help: 'Wait before the first retry.' },
    request_retry_max_wait: { type: 'duration', zero: true, default: '2m', help: 'Longest wait between two retries.' },
    circuit_breaker_failures: {
        type: 'count',
        minimum: 1,
        default: '2',
        help: 'Failed calls in a row, retries included in each, after which polling pauses.',
    },
    circuit_breaker_timeout: { type: 'duration', default: '10m', help: 'How long polling then pauses.' },
    http_server_port: { type: 'port', default: '8080', help: 'Port of /healthz and /metrics; 0: any free one.' },
    health_threshold: {
        type: 'duration',
        untimed: true,
        computedDefault: 'twice the longer of polling_interval and job_status_loop_interval',
        help: 'Time without progress after which /healthz says unhealthy.',
    },
    syslog: { type: 'boolean', default: 'false', help: 'Log to syslog instead of stderr.' },
    version: {
        type: 'none',
        noEffect: 'is a key of old configuration files and has no effect',
        help: 'Accepted from old configuration files. No effect.',
    },
};

;// CONCATENATED MODULE: ./lib/config/keys/run.js
const RUN_KEYS = {
    runner_pool_name: { type: 'text', extension: true, help: 'Name of the pool, tried when OIDC refuses the ID.' },
    oidc_scope: { type: 'text', extension: true, help: 'Scope of the OIDC exchange instead of runner:<pool>.' },
    oidc_audience: {
        type: 'word',
        extension: true,
        help: 'Audience of the OIDC exchange instead of urn:pulumi:org:<organization>.',
    },
    allow_insecure_service_url: {
        type: 'boolean',
        extension: true,
        default: 'false',
        help: 'Allow http:// for a service_url that is not on this machine.',
    },
    ca_certificate: {
        type: 'certificates',
        extension: true,
        help: "Certificates of authorities to trust besides the system's and Node.js's own.",
    },
    ca_certificate_in_jobs: {
        type: 'boolean',
        extension: true,
        default: 'false',
        help: 'Give jobs everything that is trusted as a file, and name it to their programs.',
    },
    max_wait: {
        type: 'duration',
        extension: true,
        zero: true,
        unsetMeans: 'for ever',
        help: 'How long to wait for work before giving up; 0s: one poll.',
    },
    fail_on_no_work: {
        type: 'boolean',
        extension: true,
        default: 'false',
        help: 'Exit with code 75 when there was no work.',
    },
    image: {
        type: 'word',
        extension: true,
        environment: ['PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE'],
        help: "Image to run jobs in, whatever image they name. (PULUMI_AGENT_IMAGE is another of Pulumi's settings.)",
    },
    cancel_grace_period: {
        type: 'duration',
        extension: true,
        zero: true,
        default: '2m',
        help: 'Time a cancelled step has between being interrupted and being killed.',
    },
    report_timeout: {
        type: 'duration',
        extension: true,
        default: '10m',
        help: "How long reports are repeated that Pulumi Cloud doesn't take, from the last step's end on.",
    },
    http_server_address: {
        type: 'address',
        extension: true,
        unsetMeans: 'every address of the machine',
        help: 'IP address that /healthz and /metrics listen on.',
    },
    run_directory: {
        type: 'path',
        extension: true,
        unsetMeans: "a fresh folder below the user's state folder",
        help: 'Where logs, events and the result are written.',
    },
    kept_runs: {
        type: 'count',
        minimum: 1,
        extension: true,
        unsetMeans: 'all of them',
        help: "How many ended runs' directories a lasting agent keeps; it removes older ones.",
    },
    log_format: {
        type: 'choice',
        extension: true,
        choices: ['text', 'json'],
        default: 'text',
        help: "Form of the agent's own log on stderr.",
    },
    log_level: {
        type: 'choice',
        extension: true,
        choices: ['debug', 'info', 'warning', 'error'],
        default: 'info',
        help: "The least that the agent's own log says.",
    },
    syslog_socket: { type: 'path', extension: true, default: '/dev/log', help: "The syslog daemon's socket." },
    syslog_format: {
        type: 'choice',
        extension: true,
        choices: ['rfc5424', 'local'],
        unsetMeans: "rfc5424, and local for journald's socket",
        help: "Form of messages to syslog; local is the C library's, which journald reads.",
    },
};

;// CONCATENATED MODULE: ./lib/config/keys/trigger.js
const TRIGGER_KEYS = {
    trigger: {
        type: 'stacks',
        extension: true,
        default: '',
        help: 'Stacks to start a deployment of, once, before waiting: org/project/stack; * stands for any name.',
    },
    operation: {
        type: 'choice',
        extension: true,
        choices: ['update', 'preview', 'refresh', 'destroy', 'detect-drift', 'remediate-drift'],
        unsetMeans: 'none: trigger needs one',
        help: 'What the started deployments do; destroy takes stacks that are named in full only.',
    },
    trigger_jitter: {
        type: 'duration',
        extension: true,
        zero: true,
        default: '0s',
        help: 'Each deployment is started at a moment of its own within this time, by chance.',
    },
    access_token: {
        type: 'secret',
        extension: true,
        unsetMeans: 'the OIDC token is exchanged for one',
        help: "Access token that starts deployments and reads the queue; a pool's token can do neither.",
    },
    access_token_scope: {
        type: 'text',
        extension: true,
        unsetMeans: "the organization's, without admin rights",
        help: 'Scope of the access token that OIDC is exchanged for: admin, team:<name> or user:<login>.',
    },
    plan_max: {
        type: 'count',
        extension: true,
        minimum: 1,
        default: '256',
        help: 'The most jobs that the command plan plans; GitHub takes 256 in a matrix.',
    },
};

;// CONCATENATED MODULE: ./lib/config/schema.js






const KEYS = {
    ...PULUMI_KEYS,
    ...RUN_KEYS,
    ...IMAGE_KEYS,
    ...CONTAINER_KEYS,
    ...TRIGGER_KEYS,
    ...KUBERNETES_KEYS,
};
const KEY_NAMES = Object.keys(KEYS);
function schema_definitionOf(key) {
    return KEYS[key];
}
function environmentNames(key) {
    return schema_definitionOf(key).environment ?? [`PULUMI_AGENT_${key.toUpperCase()}`];
}
function isOfficial(key) {
    return schema_definitionOf(key).extension !== true;
}
function isKey(name) {
    return Object.hasOwn(KEYS, name);
}
function fileKey(name) {
    if (!isKey(name))
        return undefined;
    return schema_definitionOf(name).environmentOnly === true ? undefined : name;
}

// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
;// CONCATENATED MODULE: ./lib/config/search-path.js



const CONFIG_FILE_NAME = 'pulumi-workflow-agent.yaml';
const LEGACY_CONFIG_FILE_NAME = 'pulumi-deployment-agent.yaml';
function searchDirectories({ workingDirectory, homeDirectory, agentDirectory }) {
    return [
        ...new Set([workingDirectory, homeDirectory, '/etc', agentDirectory].filter((directory) => directory !== '')),
    ];
}
function search_path_findConfigFile(sources) {
    const { file, workingDirectory, readFile = file === undefined ? readIfPresent : readNamed } = sources;
    const directories = searchDirectories(sources);
    const candidates = file === undefined
        ? [CONFIG_FILE_NAME, LEGACY_CONFIG_FILE_NAME].flatMap((name) => directories.map((from) => external_node_path_.join(from, name)))
        : [external_node_path_.resolve(workingDirectory, file)];
    for (const candidate of candidates) {
        try {
            const text = readFile(candidate);
            if (text !== undefined)
                return { file: candidate, text, problems: [], notices: legacyNotice(candidate) };
        }
        catch (error) {
            const cause = (0,outcome/* messageOf */.bD)(error);
            const message = `the file cannot be read: ${cause}`;
            return { file: candidate, problems: [{ message, file: candidate }], notices: [] };
        }
    }
    const missing = candidates.map((candidate) => ({ message: 'the file does not exist', file: candidate }));
    return { problems: file === undefined ? [] : missing, notices: [] };
}
function legacyNotice(file) {
    if (external_node_path_.basename(file) !== LEGACY_CONFIG_FILE_NAME)
        return [];
    return [`${file} has the old name of the configuration file; rename it to ${CONFIG_FILE_NAME}.`];
}
function readIfPresent(file) {
    try {
        const found = (0,external_node_fs_.statSync)(file, { throwIfNoEntry: false });
        if (found === undefined || found.isDirectory())
            return undefined;
    }
    catch {
        return undefined;
    }
    return (0,external_node_fs_.readFileSync)(file, 'utf8');
}
function readNamed(file) {
    try {
        return (0,external_node_fs_.readFileSync)(file, 'utf8');
    }
    catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
            return undefined;
        throw error;
    }
}

;// CONCATENATED MODULE: ./lib/action/input-text.js


const input_text_AGENT_INPUTS = {
    organization: 'organization_name',
    'runner-pool-id': 'runner_pool_id',
    'runner-pool-name': 'runner_pool_name',
    'oidc-scope': 'oidc_scope',
    'oidc-audience': 'oidc_audience',
    token: 'token',
    'token-expiration': 'token_expiration',
    'service-url': 'service_url',
    'allow-insecure-service-url': 'allow_insecure_service_url',
    'ca-certificate': 'ca_certificate',
    'ca-certificate-in-jobs': 'ca_certificate_in_jobs',
    'env-forward-allowlist': 'env_forward_allowlist',
    'max-wait': 'max_wait',
    'polling-interval': 'polling_interval',
    'deploy-target': 'deploy_target',
    'pull-image': 'pull_image',
    image: 'image',
    'allowed-images': 'allowed_images',
    'require-digest': 'require_digest',
    'prepull-images': 'prepull_images',
    'cache-volume': 'cache_volume',
    memory: 'memory',
    'num-cpus': 'num_cpus',
    'pids-limit': 'pids_limit',
    'extra-capabilities': 'extra_capabilities',
    'container-network': 'container_network',
    'dns-servers': 'dns_servers',
    'allow-metadata': 'allow_metadata',
    'cancel-grace-period': 'cancel_grace_period',
    'report-timeout': 'report_timeout',
    'http-server-port': 'http_server_port',
    kubeconfig: 'kubeconfig',
    'kube-context': 'kube_context',
    namespace: 'namespace',
    'pod-template': 'pod_template',
    'service-account': 'service_account',
    'image-pull-policy': 'image_pull_policy',
    'pod-start-timeout': 'pod_start_timeout',
    trigger: 'trigger',
    operation: 'operation',
    'trigger-jitter': 'trigger_jitter',
    'access-token': 'access_token',
    'access-token-scope': 'access_token_scope',
};
function input_text_inputText(environment, name) {
    return environment[`INPUT_${name.toUpperCase()}`]?.trim() ?? '';
}
function input_text_agentSettings(environment) {
    const given = Object.entries(input_text_AGENT_INPUTS).map(([name, key]) => [key, input_text_inputText(environment, name)]);
    return Object.fromEntries(given.filter(([, text]) => text !== ''));
}
function writtenText(environment, key) {
    const input = input_text_agentSettings(environment)[key];
    const fromEnvironment = environmentNames(key).map((name) => environment[name]?.trim() ?? '');
    return input ?? fromEnvironment.find((text) => text !== '') ?? '';
}
function plainAudience(sources) {
    const { environment } = sources;
    const said = (key) => writtenText(environment, key);
    if (said('token') !== '' || said('oidc_token_file') !== '' || input_text_inputText(environment, 'config-file') !== '')
        return undefined;
    const audience = said('oidc_audience') || input_text_audienceOf(said('organization_name'));
    return audience === '' || findConfigFile(sources).file !== undefined ? undefined : audience;
}
function input_text_audienceOf(organization) {
    return organization === '' ? '' : `urn:pulumi:org:${organization}`;
}

;// CONCATENATED MODULE: ./lib/action/own-trust.js


function own_trust_caCertificateInput(environment, checkoutDirectory) {
    const given = input_text_inputText(environment, 'ca-certificate');
    return given === '' || given.includes('-----BEGIN') ? given : (0,external_node_path_.resolve)(checkoutDirectory, given);
}
async function trustAsTheAgent(environment, checkoutDirectory) {
    const { trustByDefault } = await __webpack_require__.e(/* import() */ 526).then(__webpack_require__.bind(__webpack_require__, 5526));
    const sources = { environment, platform: process.platform };
    const text = own_trust_caCertificateInput(environment, checkoutDirectory) || writtenText(environment, 'ca_certificate');
    try {
        trustByDefault({ ...sources, ...(text !== '' && { caCertificate: text.replaceAll('\\n', '\n') }) });
    }
    catch {
        trustByDefault(sources);
    }
}

;// CONCATENATED MODULE: ./lib/action/run-folder.js




async function createRunFolder(parent) {
    const base = await (0,promises_.mkdtemp)((0,external_node_path_.join)(parent, 'pulumi-runner-'));
    const privateDirectory = (0,external_node_path_.join)(base, 'private');
    const runDirectory = (0,external_node_path_.join)(base, 'run');
    await (0,promises_.mkdir)(privateDirectory, { mode: 0o700 });
    await (0,promises_.mkdir)(runDirectory, { mode: 0o700 });
    return { privateDirectory, idTokenFile: (0,external_node_path_.join)(privateDirectory, ID_TOKEN_FILE), runDirectory };
}
async function removePrivate(privateDirectory) {
    await (0,promises_.rm)(privateDirectory, { recursive: true, force: true, maxRetries: 2 });
}
const STATE_NAME = 'private-directory';
function savePrivateDirectory({ privateDirectory }) {
    core.saveState(STATE_NAME, privateDirectory);
}
function readPrivateDirectory() {
    const directory = core.getState(STATE_NAME);
    return directory === '' ? undefined : directory;
}

;// CONCATENATED MODULE: ./lib/action/stdout.js
function writerOf(stream, signal) {
    return async (text) => {
        if (stream.destroyed || stream.write(text) || signal.aborted)
            return;
        await new Promise((resolve) => {
            const end = () => {
                stream.off('drain', end);
                stream.off('close', end);
                signal.removeEventListener('abort', end);
                resolve();
            };
            stream.once('drain', end);
            stream.once('close', end);
            signal.addEventListener('abort', end, { once: true });
        });
    };
}

;// CONCATENATED MODULE: ./lib/config/agent-config.js

const CONFIG_KEYS = KEY_NAMES.filter((key) => schema_definitionOf(key).type !== 'none');
function propertyName(key) {
    const { type } = schema_definitionOf(key);
    const unit = type === 'duration' ? 'Ms' : type === 'lifetime' ? 'Seconds' : type === 'quantity' ? 'Bytes' : '';
    const camel = key.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
    return `${camel}${unit}`;
}
function redactedConfig(config) {
    const secrets = new Set(CONFIG_KEYS.filter((key) => definitionOf(key).type === 'secret').map(propertyName));
    return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, secrets.has(name) ? '***' : value]));
}

;// CONCATENATED MODULE: ./lib/config/edit-distance.js
function editDistance(a, b) {
    let beforeLast = [];
    let last = Array.from({ length: b.length + 1 }, (_, j) => j);
    for (let i = 1; i <= a.length; i++) {
        const row = [i];
        for (let j = 1; j <= b.length; j++) {
            const substituted = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
            const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
            const best = Math.min(substituted, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
            row.push(swapped ? Math.min(best, (beforeLast[j - 2] ?? 0) + 1) : best);
        }
        beforeLast = last;
        last = row;
    }
    return last[b.length] ?? 0;
}
const LONGEST_COMPARED = 60;
function nearest(text, candidates) {
    if (text.length > LONGEST_COMPARED)
        return undefined;
    const plain = (name) => name.toLowerCase().replace(/[-. ]/g, '_');
    let best;
    for (const candidate of candidates) {
        const distance = editDistance(plain(text), plain(candidate));
        const near = distance <= Math.max(2, Math.floor(candidate.length / 4));
        if (near && (best === undefined || distance < best.distance))
            best = { candidate, distance };
    }
    return best?.candidate;
}

;// CONCATENATED MODULE: ./lib/config/problem.js

function describeProblem({ message, file, line, column }) {
    const place = [file, line, column].filter((part) => part !== undefined).join(':');
    return place === '' ? message : `${place}: ${message}`;
}
class problem_ConfigError extends outcome/* OutcomeError */.Rz {
    name = 'ConfigError';
    problems;
    warnings;
    constructor(problems, { warnings = [], ...options } = {}) {
        const rank = ({ file, line }) => line ?? (file === undefined ? Number.POSITIVE_INFINITY : 0);
        const ordered = [...problems].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
        const count = ordered.length === 1 ? '1 problem' : `${ordered.length} problems`;
        const passedOver = warnings.map((warning) => `passed over: ${warning}`);
        const lines = [...ordered.map(describeProblem), ...passedOver].map((line) => `\n  ${line}`).join('');
        super('config-error', `Failed to load the agent's configuration: ${count}. Correct what is listed:${lines}`, options);
        this.problems = ordered;
        this.warnings = warnings;
    }
}

;// CONCATENATED MODULE: ./lib/config/quote.js
const LONGEST_SHOWN = 60;
const LONGEST_SEARCHED = 400;
const SECRET_LIKE = /pul-[\w-]+|eyJ[\w.-]+|(?=[A-Za-z_-]*\d)[\w-]{20,}/g;
function maskSecretLike(text) {
    return text
        .slice(0, LONGEST_SEARCHED)
        .replace(SECRET_LIKE, '***')
        .replace(/[\p{C}\u2028\u2029]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}
function quote_quoteValue(value) {
    const masked = maskSecretLike(value);
    return `"${masked.length > LONGEST_SHOWN ? `${masked.slice(0, LONGEST_SHOWN - 1)}…` : masked}"`;
}

;// CONCATENATED MODULE: ./lib/config/template-setting.js

function onlyPiece(text, start, end) {
    return text.slice(0, start).replace(/[^\n]/g, ' ') + text.slice(start, end);
}
function template_setting_readTemplate(text, workingDirectory) {
    return /[\n{]|:\s/.test(text) ? text : external_node_path_.resolve(workingDirectory, text);
}

;// CONCATENATED MODULE: ./lib/config/config-file.js





const MERGE_KEY = '<<';
async function parseConfigFile(file, text) {
    const { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } = await __webpack_require__.e(/* import() */ 645).then(__webpack_require__.t.bind(__webpack_require__, 3645, 19));
    const lines = new LineCounter();
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
    const problems = [];
    const settings = new Map();
    const at = (offset) => {
        const { line, col } = lines.linePos(offset ?? 0);
        return { line: Math.max(line, 1), column: Math.max(col, 1) };
    };
    const warnings = document.warnings.map(({ message, pos }) => describeProblem({ message: `${withoutSource(message)}.`, file, ...at(pos[0]) }));
    for (const { message, pos } of document.errors) {
        problems.push({ message: `not valid YAML: ${withoutSource(message)}`, file, ...at(pos[0]) });
    }
    if (problems.length > 0)
        return { usable: false, settings, problems, warnings };
    if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
        return { usable: true, settings, problems, warnings };
    }
    if (!isMap(document.contents)) {
        const message = 'the file must hold keys and values, one `key: value` a line';
        return { usable: false, settings, problems: [{ message, file, ...at(document.contents.range[0]) }], warnings };
    }
    const scalarText = (node) => {
        if (!isScalar(node) || node.value === null)
            return undefined;
        return typeof node.value === 'string' ? node.value.trim() : (node.source ?? String(node.value));
    };
    const resolved = (node) => (isAlias(node) ? node.resolve(document) : node);
    const sourceOf = (start, end) => {
        let isWhole = true;
        let resolvedText;
        const merging = parseDocument(text, { merge: true, prettyErrors: false, uniqueKeys: false });
        visit(merging, {
            Map: (_, map) => {
                if (map.range?.[0] !== start)
                    return;
                visit(map, {
                    Alias: (__, alias) => {
                        const at = alias.resolve(merging)?.range?.[0] ?? start;
                        if (at < start || at >= end)
                            isWhole = false;
                    },
                });
                try {
                    if (!isWhole)
                        resolvedText = JSON.stringify(map.toJS(merging));
                }
                catch { }
                return visit.BREAK;
            },
        });
        return resolvedText === undefined ? onlyPiece(text, start, end) : onlyPiece(text, start, start) + resolvedText;
    };
    const contentOf = (node) => {
        if (isMap(node))
            return { shape: 'mapping', source: () => sourceOf(node.range?.[0] ?? 0, node.range?.[1] ?? 0) };
        if (!isSeq(node)) {
            const value = scalarText(node);
            return value === undefined || value === '' ? undefined : { text: value };
        }
        const items = [];
        for (const element of node.items) {
            const target = resolved(element);
            if (isMap(target) || isSeq(target))
                return { shape: 'nested list' };
            const position = isScalar(element) || isAlias(element) ? at(element.range?.[0]) : at(node.range?.[0]);
            items.push({ text: scalarText(target) ?? '', ...position });
        }
        return { items };
    };
    const nameOf = (node) => (isScalar(node) ? (scalarText(node) ?? '') : '');
    const firstLines = new Map();
    const merged = [];
    for (const { key: keyNode, value } of document.contents.items) {
        const name = nameOf(keyNode);
        const position = at(keyNode.range[0]);
        const first = firstLines.get(name);
        const key = fileKey(name);
        if (name === MERGE_KEY) {
            const target = resolved(value);
            merged.push(...(isSeq(target) ? target.items.map(resolved) : [target]));
        }
        else if (first !== undefined) {
            const message = `${key ?? quote_quoteValue(name)} is given twice, first on line ${first}; keep one`;
            problems.push({ message, key: maskSecretLike(name), file, ...position });
        }
        else if (key === undefined) {
            warnings.push(describeProblem({ message: unknownKey(name), file, ...position }));
        }
        else {
            const content = contentOf(resolved(value));
            if (content !== undefined)
                settings.set(key, { content, origin: 'file', name: key, file, ...position });
        }
        if (first === undefined)
            firstLines.set(name, position.line);
    }
    for (const mapping of merged) {
        for (const { key: keyNode, value } of isMap(mapping) ? mapping.items : []) {
            const key = fileKey(nameOf(keyNode));
            const content = contentOf(resolved(value));
            if (key === undefined || content === undefined || firstLines.has(key) || settings.has(key))
                continue;
            const position = at(isScalar(keyNode) ? keyNode.range?.[0] : undefined);
            settings.set(key, { content, origin: 'file', name: key, file, ...position });
        }
    }
    return { usable: true, settings, problems, warnings };
}
function withoutSource(message) {
    return maskSecretLike(message.replace(/(?<=\w): .*$/s, ''));
}
function unknownKey(name) {
    const environmentOnly = KEY_NAMES.find((key) => key === name && schema_definitionOf(key).environmentOnly === true);
    if (environmentOnly !== undefined) {
        const variable = environmentNames(environmentOnly).join(' or ');
        return `${name} has no effect in a file; it can only be set in the environment, as ${variable}.`;
    }
    const near = nearest(name, KEY_NAMES.filter((key) => fileKey(key) !== undefined));
    return `${quote_quoteValue(name)} is not a known key and has no effect${near === undefined ? '.' : `; did you mean ${near}?`}`;
}

;// CONCATENATED MODULE: ./lib/config/duration.js

const NANOSECONDS = {
    ns: 1n,
    us: 1000n,
    µs: 1000n,
    μs: 1000n,
    ms: 1000000n,
    s: 1000000000n,
    m: 60000000000n,
    h: 3600000000000n,
};
const INT64_MAX = 2n ** 63n - 1n;
const LARGEST_MAGNITUDE = 2n ** 63n;
const TERM = /^([0-9]*)(?:\.([0-9]*))?([^.0-9]*)/;
class DurationError extends Error {
    name = 'DurationError';
}
function fractionNanoseconds(digits, unit) {
    let value = 0n;
    let scale = 1;
    for (const digit of digits) {
        const next = value * 10n + BigInt(digit);
        if (next > LARGEST_MAGNITUDE)
            break;
        value = next;
        scale *= 10;
    }
    return value === 0n ? 0n : BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}
function parseNanoseconds(text) {
    const shown = quote_quoteValue(text);
    const negative = text.startsWith('-');
    let rest = negative || text.startsWith('+') ? text.slice(1) : text;
    if (rest === '0')
        return 0n;
    if (rest === '')
        throw new DurationError(`${shown} is not a duration; write one such as 30s or 1h30m`);
    let total = 0n;
    while (rest !== '') {
        const [matched = '', whole = '', fraction = '', name = ''] = TERM.exec(rest) ?? [];
        if (whole === '' && fraction === '') {
            throw new DurationError(`${shown} is not a duration; write one such as 30s or 1h30m`);
        }
        if (name === '')
            throw new DurationError(`${shown} has no unit; write a duration such as 30s or 1h30m`);
        const unit = Object.hasOwn(NANOSECONDS, name) ? NANOSECONDS[name] : undefined;
        if (unit === undefined) {
            throw new DurationError(`${shown} has the unknown unit ${quote_quoteValue(name)}; the units are ns, us, ms, s, m and h`);
        }
        const significant = whole.replace(/^0+/, '');
        const amount = significant.length > 19 ? LARGEST_MAGNITUDE + 1n : BigInt(significant) * unit;
        const term = amount + fractionNanoseconds(fraction, unit);
        if (term > LARGEST_MAGNITUDE)
            throw tooLong(shown);
        total = BigInt.asUintN(64, total + term);
        if (total > LARGEST_MAGNITUDE)
            throw tooLong(shown);
        rest = rest.slice(matched.length);
    }
    if (!negative && total > INT64_MAX)
        throw tooLong(shown);
    return negative ? -total : total;
}
function tooLong(shown) {
    return new DurationError(`${shown} is longer than the longest duration, ${duration_formatDuration(INT64_MAX / 1000000n)}`);
}
function toMilliseconds(nanoseconds) {
    const magnitude = nanoseconds < 0n ? -nanoseconds : nanoseconds;
    const milliseconds = Number((magnitude + 999999n) / 1000000n);
    return nanoseconds < 0n ? -milliseconds : milliseconds;
}
function parseDuration(text) {
    return toMilliseconds(parseNanoseconds(text));
}
function parsePositiveDuration(text, { allowZero = false } = {}) {
    const milliseconds = parseDuration(text);
    if (milliseconds < 0)
        throw new DurationError(`${quote_quoteValue(text)} is negative`);
    if (milliseconds === 0 && !allowZero)
        throw new DurationError(`${quote_quoteValue(text)} must be longer than 0s`);
    return milliseconds;
}
function durationFromJob(value) {
    if (value === undefined)
        return undefined;
    if (typeof value === 'string')
        return parsePositiveDuration(value, { allowZero: true });
    const shown = quoteValue(String(value));
    if (!Number.isInteger(value))
        throw new DurationError(`${shown} is not a whole number of nanoseconds`);
    if (value < 0)
        throw new DurationError(`${shown} is negative`);
    if (BigInt(value) > INT64_MAX)
        throw tooLong(shown);
    return toMilliseconds(BigInt(value));
}
function duration_formatDuration(milliseconds) {
    if (typeof milliseconds === 'number' && !Number.isFinite(milliseconds))
        return `${milliseconds}ms`;
    const signed = typeof milliseconds === 'bigint' ? milliseconds * 1000000n : nanosecondsOf(milliseconds);
    const magnitude = signed < 0n ? -signed : signed;
    const sign = signed < 0n ? '-' : '';
    if (magnitude === 0n)
        return '0s';
    if (magnitude < 1000n)
        return `${sign}${magnitude}ns`;
    if (magnitude < 1000000n)
        return `${sign}${decimal(magnitude, 3)}µs`;
    if (magnitude < 1000000000n)
        return `${sign}${decimal(magnitude, 6)}ms`;
    const minutes = magnitude / 60000000000n;
    const seconds = `${decimal(magnitude % 60000000000n, 9)}s`;
    if (minutes === 0n)
        return `${sign}${seconds}`;
    return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}
function decimal(value, places) {
    const digits = value.toString().padStart(places + 1, '0');
    return `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '');
}
function nanosecondsOf(milliseconds) {
    const whole = Math.trunc(milliseconds);
    return BigInt(whole) * 1000000n + BigInt(Math.round((milliseconds - whole) * 1_000_000));
}

;// CONCATENATED MODULE: ./lib/config/service-url.js

function isLoopbackHost(hostname) {
    const host = hostname.toLowerCase();
    return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}
function parseServiceUrl(text) {
    const wrong = (clause) => ({ problem: text.includes('@') ? clause : `${quote_quoteValue(text)} ${clause}` });
    if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
        return wrong('has no scheme; write an address such as https://api.pulumi.com');
    }
    if (!URL.canParse(text))
        return wrong('is not a valid address; write one such as https://api.pulumi.com');
    const url = new URL(text);
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
        return wrong('is not an https:// address');
    }
    if (url.username !== '' || url.password !== '') {
        return { problem: 'holds credentials; remove them, the token is sent by itself' };
    }
    if (text.includes('?') || text.includes('#')) {
        return { problem: 'has a query or a fragment; give only scheme, host, port and path' };
    }
    return { value: `${url.origin}${url.pathname}`.replace(/\/+$/, '') };
}

;// CONCATENATED MODULE: ./lib/config/setting.js
function problemWith(key, { name, file, line, column }, clause, item) {
    return {
        message: `${name} ${clause}`,
        key,
        ...(file !== undefined && { file }),
        ...(line !== undefined && { line: item?.line ?? line }),
        ...(column !== undefined && { column: item?.column ?? column }),
    };
}
function describeSetting({ name, file, line }) {
    return file === undefined ? name : `${name} (${file}:${line ?? 1})`;
}

;// CONCATENATED MODULE: ./lib/config/stack-pattern.js
const NAME = '[A-Za-z0-9._-]+';
const PATTERN = '[A-Za-z0-9._*?-]+';
const STACK_PATTERN = `${NAME}/${PATTERN}/${PATTERN}`;
const WHOLE = new RegExp(`^${STACK_PATTERN}$`);
function stackPatternProblem(text) {
    const [organization = '', ...rest] = text.split('/');
    if (/[*?]/.test(organization) && rest.length === 2)
        return 'organization';
    if (!WHOLE.test(text))
        return 'shape';
    return text.split('/').some((name) => /^\.+$/.test(name)) ? 'shape' : undefined;
}
function isGlob(pattern) {
    return /[*?]/.test(pattern);
}
function organizationOf(pattern) {
    return pattern.split('/', 1).join();
}
function stackText({ organization, project, stack }) {
    return `${organization}/${project}/${stack}`;
}
function stackNamed(text) {
    const [organization = '', project = '', stack = ''] = text.split('/');
    return { organization, project, stack };
}
function matchesStack(pattern, name) {
    const parts = pattern.split('/');
    const names = [name.organization, name.project, name.stack];
    return parts.length === 3 && parts.every((part, index) => matches(part, names[index] ?? ''));
}
function matches(pattern, text) {
    let [p, t] = [0, 0];
    let [star, from] = [-1, 0];
    while (t < text.length) {
        if (pattern[p] === '*') {
            star = p++;
            from = t;
        }
        else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
            p += 1;
            t += 1;
        }
        else if (star >= 0) {
            p = star + 1;
            t = ++from;
        }
        else {
            return false;
        }
    }
    while (pattern[p] === '*')
        p += 1;
    return p === pattern.length;
}

;// CONCATENATED MODULE: ./lib/config/trigger-checks.js




const SCOPE = /^(?:admin|team:\S.*|user:\S.*)$/;
function checkTrigger(config, settings, purpose) {
    const scope = settings.get('access_token_scope');
    const problems = [];
    if (scope !== undefined && config.accessTokenScope !== undefined && !SCOPE.test(config.accessTokenScope)) {
        const clause = `${quote_quoteValue(config.accessTokenScope)} is none of admin, team:<name> and user:<login>`;
        problems.push(problemWith('access_token_scope', scope, clause));
    }
    if (purpose === 'plan')
        problems.push(...missing(settings, ['organization_name', 'runner_pool_id'], 'to plan jobs'));
    if (purpose === 'trigger' && config.trigger?.length === 0)
        problems.push({ message: 'no stack is named: give org/project/stack, or set trigger', key: 'trigger' });
    const trigger = settings.get('trigger');
    const wanted = config.trigger ?? [];
    if (trigger === undefined || wanted.length === 0) {
        return purpose === 'plan' ? once([...problems, ...checkAccess(settings, 'to plan jobs')]) : problems;
    }
    const use = `with ${describeSetting(trigger)}`;
    const operation = settings.get('operation');
    if (operation === undefined)
        problems.push(...missing(settings, ['operation'], use));
    if (operation !== undefined && config.operation === 'destroy' && wanted.some(isGlob)) {
        const pattern = wanted.find(isGlob) ?? '';
        const clause = `is destroy, and ${quote_quoteValue(pattern)} is a pattern; name each stack to destroy in full`;
        problems.push(problemWith('operation', operation, clause));
    }
    return once([...problems, ...checkAccess(settings, use), ...checkOrganization(config, settings, trigger)]);
}
function once(problems) {
    return problems.filter(({ key }, index) => problems.findIndex((other) => other.key === key) === index);
}
function checkAccess(settings, use) {
    if (settings.has('access_token'))
        return [];
    if (settings.has('oidc_token_file'))
        return settings.has('organization_name') ? [] : missing(settings, ['organization_name'], use);
    const [token, file] = [environmentNames('access_token')[0], environmentNames('oidc_token_file')[0]];
    const message = `access_token (${token}) or oidc_token_file (${file}) is required ${use}: a pool's token can't do that`;
    return [{ message, key: 'access_token' }];
}
function checkOrganization(config, settings, trigger) {
    const { organizationName } = config;
    if (settings.has('access_token') || organizationName === undefined)
        return [];
    const other = (config.trigger ?? []).find((pattern) => organizationOf(pattern) !== organizationName);
    if (other === undefined)
        return [];
    const clause = `${quote_quoteValue(other)} is not of ${organizationName}, whose token OIDC gives; set access_token for others`;
    return [problemWith('trigger', trigger, clause)];
}
function missing(settings, keys, use) {
    return keys
        .filter((key) => !settings.has(key))
        .map((key) => ({ message: `${key} is required ${use}; set it (or ${environmentNames(key)[0]})`, key }));
}

;// CONCATENATED MODULE: ./lib/config/cross-checks.js






function checkTogether(config, settings, sources, state) {
    const address = checkServiceUrl(config, settings);
    const work = checkWorkflowTypes(config, settings);
    return {
        problems: [
            ...(state.offline || state.purpose !== 'run' ? [] : checkAuthentication(settings, sources, state)),
            ...(state.offline || !state.fileUsable ? [] : checkTrigger(config, settings, state.purpose)),
            ...work.problems,
            ...address.problems,
        ],
        notices: [...work.notices, ...address.notices, ...checkWaits(config), ...checkImages(config, settings)],
    };
}
function checkAuthentication(settings, sources, { file, fileUsable }) {
    const token = settings.get('token');
    const oidc = settings.get('oidc_token_file');
    if (token !== undefined && oidc !== undefined) {
        const clause = `is one way to authenticate, and ${describeSetting(oidc)} is another; keep one of them`;
        return [problemWith('token', token, clause)];
    }
    if (!fileUsable || token !== undefined)
        return [];
    if (oidc === undefined) {
        const looked = file === undefined
            ? ` (there is no ${CONFIG_FILE_NAME} in ${searchDirectories(sources).join(', ')})`
            : ` (neither the environment nor ${file} does)`;
        const [tokenVariable, oidcVariable] = [environmentNames('token')[0], environmentNames('oidc_token_file')[0]];
        const message = `no way to authenticate: set token (${tokenVariable}) or oidc_token_file (${oidcVariable})${looked}`;
        return [{ message, key: 'token' }];
    }
    return ['organization_name', 'runner_pool_id']
        .filter((key) => !settings.has(key))
        .map((key) => ({
        message: `${key} is required with ${describeSetting(oidc)}; set it (or ${environmentNames(key)[0]})`,
        key,
    }));
}
function checkWorkflowTypes({ enabledWorkflowTypes }, settings) {
    const setting = settings.get('enabled_workflow_types');
    if (setting === undefined || enabledWorkflowTypes === undefined)
        return { problems: [], notices: [] };
    if (!enabledWorkflowTypes.includes('deployment')) {
        const clause = 'leaves out deployment, the only kind of work this agent serves; add it';
        return { problems: [problemWith('enabled_workflow_types', setting, clause)], notices: [] };
    }
    const others = enabledWorkflowTypes.filter((type) => type !== 'deployment');
    if (others.length === 0)
        return { problems: [], notices: [] };
    const names = `${describeSetting(setting)} names ${others.join(' and ')}`;
    return {
        problems: [],
        notices: [`${names}: that work needs Pulumi's own agent on the pool, this one serves deployment only.`],
    };
}
function checkServiceUrl({ serviceUrl, allowInsecureServiceUrl }, settings) {
    const setting = settings.get('service_url');
    if (setting === undefined || serviceUrl === undefined || allowInsecureServiceUrl === undefined) {
        return { problems: [], notices: [] };
    }
    const url = new URL(serviceUrl);
    if (url.protocol === 'https:' || isLoopbackHost(url.hostname))
        return { problems: [], notices: [] };
    if (allowInsecureServiceUrl) {
        return { problems: [], notices: [`${describeSetting(setting)} is not https: tokens cross the network readable.`] };
    }
    const clause = `would send tokens readable to ${url.host}; use https://, or set allow_insecure_service_url to true`;
    return { problems: [problemWith('service_url', setting, clause)], notices: [] };
}
function checkWaits(config) {
    const { requestRetryWaitMs = 0, requestRetryMaxWaitMs = 0, pollingIntervalMs = 0, healthThresholdMs } = config;
    const notices = [];
    if (requestRetryWaitMs > requestRetryMaxWaitMs) {
        const longest = duration_formatDuration(requestRetryMaxWaitMs);
        notices.push(`request_retry_wait (${duration_formatDuration(requestRetryWaitMs)}) is longer than request_retry_max_wait; each wait is ${longest}.`);
    }
    if (healthThresholdMs !== undefined && healthThresholdMs <= pollingIntervalMs) {
        const [threshold, interval] = [duration_formatDuration(healthThresholdMs), duration_formatDuration(pollingIntervalMs)];
        notices.push(`health_threshold (${threshold}) is not longer than polling_interval (${interval}); /healthz will say unhealthy between polls.`);
    }
    return notices;
}
function checkImages({ allowedImages = [], requireDigest }, settings) {
    const setting = settings.get('allowed_images');
    const tagged = allowedImages.filter((pattern) => /:[^/@]*$/.test(pattern.split('@', 1).join()));
    if (requireDigest !== true || setting === undefined || tagged.length === 0)
        return [];
    return [
        `${describeSetting(setting)} has ${tagged.join(' and ')}, which can take no image while require_digest is true: leave the tag out.`,
    ];
}

;// CONCATENATED MODULE: ./lib/config/container-setting.js


const QUANTITY = '[0-9]+(\\.[0-9]+)?([KMGT]i|[kMGT])';
const DECIMAL = '[0-9]+(\\.[0-9]+)?';
const NETWORK = '[A-Za-z0-9][A-Za-z0-9_.-]*';
const ADDRESS = '[0-9A-Fa-f:.]+';
const UNITS = {
    ...{ k: 1e3, M: 1e6, G: 1e9, T: 1e12 },
    ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 },
};
const LEAST_BYTES = 6 * 2 ** 20;
const MOST_CPUS = 1_024;
function parseQuantity(text) {
    const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text) ?? [];
    const quoted = quote_quoteValue(text);
    if (number === '')
        return { problem: `${quoted} is not a quantity such as 512Mi or 4Gi` };
    if (unit === '')
        return { problem: `${quoted} has no unit; write a quantity such as 512Mi or 4Gi` };
    const bytes = UNITS[unit];
    if (bytes === undefined) {
        const ambiguous = /^[kmgt]b?$/i.test(unit)
            ? ` means one thing to Docker and another to Kubernetes`
            : ' has no unit of these';
        return { problem: `${quoted}${ambiguous}; write ${number} with Mi, Gi (1024) or M, G (1000) behind it` };
    }
    const value = Math.round(Number(number) * bytes);
    if (value < LEAST_BYTES)
        return { problem: `${quoted} is less than any job can run with` };
    return Number.isSafeInteger(value) ? { value } : { problem: `${quoted} is more than any machine has` };
}
function parseCpus(text) {
    const quoted = quote_quoteValue(text);
    const [, thousandths] = /^(\d{1,9})m$/.exec(text) ?? [];
    if (thousandths !== undefined)
        return { problem: `${quoted} is Kubernetes' form; write ${Number(thousandths) / 1_000}` };
    const value = new RegExp(`^${DECIMAL}$`).test(text) ? Number(text) : Number.NaN;
    if (value >= 0.01 && value <= MOST_CPUS)
        return { value };
    return { problem: `${quoted} is not a number of CPUs from 0.01 to ${MOST_CPUS}, such as 1.5` };
}
function networkProblem(text) {
    const quoted = quote_quoteValue(text);
    if (text === 'host')
        return `${quoted} would give jobs the machine's own network, with what listens for the machine alone; name another, bridge or none`;
    if (text === 'default')
        return `${quoted} is another name of bridge; write that`;
    return new RegExp(`^${NETWORK}$`).test(text) ? undefined : `${quoted} is not the name of a network`;
}
function addressProblem(text) {
    return (0,external_node_net_.isIP)(text) === 0 ? `${quote_quoteValue(text)} is not an IP address` : undefined;
}

;// CONCATENATED MODULE: ./lib/config/image-setting.js

const IMAGE_NAME = '[A-Za-z0-9][A-Za-z0-9_./:@-]*';
const IMAGE_PATTERN = '[A-Za-z0-9*][A-Za-z0-9_./:@*-]*';
const [WHOLE_NAME, WHOLE_PATTERN] = [IMAGE_NAME, IMAGE_PATTERN].map((text) => new RegExp(`^${text}$`));
function imageNameProblem(text) {
    return WHOLE_NAME.test(text) && !text.includes('..') ? undefined : `${quote_quoteValue(text)} is not an image name`;
}
function imagePatternProblem(text) {
    const [name = '', digest, ...more] = text.split('@');
    const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
    const path = colon < 0 ? name : name.slice(0, colon);
    const tag = colon < 0 ? undefined : name.slice(colon + 1);
    const components = path.split('/');
    if (!WHOLE_PATTERN.test(text) || text.includes('..') || components.includes('') || more.length > 0 || tag === '')
        return `${quote_quoteValue(text)} is not a pattern of images`;
    if (digest !== undefined && !/^sha256:[0-9a-f*]+$/.test(digest))
        return `${quote_quoteValue(text)} has a digest that is none; write sha256: and 64 digits, or sha256:*`;
    if (digest !== undefined && tag !== undefined)
        return `${quote_quoteValue(text)} has a tag and a digest; keep the digest, which alone says what runs`;
    if (path !== path.toLowerCase())
        return `${quote_quoteValue(text)} is in upper case, which names of images never are`;
    if (components.some((component) => component.includes('**') && component !== '**') || tag?.includes('**'))
        return `${quote_quoteValue(text)} holds ** beside other characters; it stands for whole parts of a path`;
    return undefined;
}

;// CONCATENATED MODULE: ./lib/config/volume-setting.js


const VOLUME = '[A-Za-z0-9][A-Za-z0-9_.-]+=/[^\\s:,]*';
const volume_setting_WHOLE = new RegExp(`^${VOLUME}$`);
const AGENTS = ['/mnt/pulumi', '/PULUMI_ENV'];
const SYSTEMS = '/bin /sbin /lib /lib32 /lib64 /libx32 /boot /etc /usr/bin /usr/sbin /usr/lib /usr/local/bin /proc /sys /dev'.split(' ');
const WHOLE_TREES = '/ /usr /usr/local /var /opt /home /root /tmp /run /mnt'.split(' ');
function volumeProblem(text) {
    if (!volume_setting_WHOLE.test(text)) {
        return `${quote_quoteValue(text)} is not name=/path, with a name of letters, digits, _, . and - and an absolute path`;
    }
    const given = text.slice(text.indexOf('=') + 1);
    if (given.split('/').some((part) => part === '.' || part === '..')) {
        return `${quote_quoteValue(text)} has a path with . or ..; write it without`;
    }
    const { path } = readVolume(text);
    const agents = AGENTS.find((own) => isWithin(path, own) || isWithin(own, path));
    if (agents !== undefined && path !== '/')
        return `${quote_quoteValue(text)} takes in ${agents}, which the agent uses`;
    if (SYSTEMS.some((own) => isWithin(path, own)) || WHOLE_TREES.includes(path)) {
        return `${quote_quoteValue(text)} is one of the image's own folders; name a folder of its own, as in name=/root/.pulumi/plugins`;
    }
    return undefined;
}
function readVolume(text) {
    const at = text.indexOf('=');
    const path = external_node_path_.posix.normalize(text.slice(at + 1)).replace(/(?<=.)\/$/, '');
    return { name: text.slice(0, at), path };
}
function isWithin(path, folder) {
    return path === folder || path.startsWith(`${folder}/`);
}

;// CONCATENATED MODULE: ./lib/config/value.js










const LIST_TYPES = ['choices', 'names', 'stacks', 'images', 'image-patterns', 'addresses'];
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const BOOLEANS = new Map([
    ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true]),
    ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false]),
]);
function checked(text, problem, read = (same) => same) {
    return problem === undefined ? { value: read(text) } : { problem };
}
const value_CONTROL = /\p{Cc}/u;
const PEM_BEGIN = '-----BEGIN';
function certificateProblem(text) {
    if (text.includes('PRIVATE KEY'))
        return 'holds a private key; give certificates alone';
    if (text.includes(PEM_BEGIN))
        return text.includes('-----END CERTIFICATE-----')
            ? undefined
            : 'holds no whole certificate; give it to its END line';
    return value_CONTROL.test(text) ? `${quote_quoteValue(text)} is neither a PEM text nor a path` : undefined;
}
function secretProblem(text) {
    return /^[\x21-\x7e]+$/.test(text)
        ? undefined
        : 'holds white space or characters a token cannot have; copy the token again';
}
function wordProblem(text) {
    return /[\s\p{Cc}]/u.test(text) ? `${quote_quoteValue(text)} holds white space` : undefined;
}
function textProblem(text) {
    return value_CONTROL.test(text) ? `${quote_quoteValue(text)} holds control characters` : undefined;
}
function variableProblem(text) {
    return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text)
        ? undefined
        : `${quote_quoteValue(text)} is not a name of an environment variable (letters, digits and _)`;
}
function stackProblem(text) {
    const problem = stackPatternProblem(text);
    if (problem === undefined)
        return undefined;
    return problem === 'organization'
        ? `${quote_quoteValue(text)} has a wildcard for its organization; name the organization in full`
        : `${quote_quoteValue(text)} is not of the form org/project/stack`;
}
function wholeNumber(text, smallest, largest) {
    const fits = /^\d{1,9}$/.test(text) && Number(text) >= smallest && Number(text) <= largest;
    const problem = fits ? undefined : `${quote_quoteValue(text)} is not a whole number from ${smallest} to ${largest}`;
    return checked(text, problem, Number);
}
function oneOf(text, choices = []) {
    if (choices.includes(text))
        return { value: text };
    const near = nearest(text, choices);
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    return { problem: `${quote_quoteValue(text)} is not one of ${choices.join(', ')}${hint}` };
}
function duration(read) {
    try {
        return { value: read() };
    }
    catch (error) {
        if (!(error instanceof DurationError))
            throw error;
        return { problem: error.message };
    }
}
function milliseconds(text, { zero, untimed }) {
    const value = parsePositiveDuration(text, { allowZero: zero === true });
    if (value <= LONGEST_TIMER_MS || untimed === true)
        return value;
    throw new DurationError(`${quote_quoteValue(text)} is longer than the longest wait, ${duration_formatDuration(LONGEST_TIMER_MS)}`);
}
const READERS = {
    secret: (text) => checked(text, secretProblem(text)),
    word: (text) => checked(text, wordProblem(text)),
    text: (text) => checked(text, textProblem(text)),
    path: (text, { workingDirectory }) => checked(text, textProblem(text), (plain) => external_node_path_.resolve(workingDirectory, plain)),
    certificates: (text, { workingDirectory }) => checked(text, certificateProblem(text), (good) => good.includes(PEM_BEGIN) ? good.replaceAll('\\n', '\n') : external_node_path_.resolve(workingDirectory, good)),
    template: (text, { workingDirectory }) => ({ value: template_setting_readTemplate(text, workingDirectory) }),
    url: parseServiceUrl,
    boolean: (text) => {
        const value = BOOLEANS.get(text);
        return value === undefined ? { problem: `${quote_quoteValue(text)} is neither true nor false` } : { value };
    },
    count: (text, { definition }) => wholeNumber(text, definition.minimum ?? 0, 999_999),
    port: (text) => wholeNumber(text, 0, 65_535),
    duration: (text, { definition }) => duration(() => milliseconds(text, definition)),
    lifetime: (text) => duration(() => Math.ceil(parsePositiveDuration(/^\d+$/.test(text) ? `${text}s` : text) / 1000)),
    volume: (text) => checked(text, volumeProblem(text)),
    network: (text) => checked(text, networkProblem(text)),
    quantity: parseQuantity,
    decimal: parseCpus,
    choice: (text, { definition }) => oneOf(text, definition.choices),
    choices: (text, { definition }) => oneOf(text, definition.choices),
    names: (text) => checked(text, variableProblem(text)),
    stacks: (text) => checked(text, stackProblem(text)),
    images: (text) => checked(text, imageNameProblem(text)),
    'image-patterns': (text) => checked(text, imagePatternProblem(text)),
    address: (text) => checked(text, addressProblem(text)),
    addresses: (text) => checked(text, addressProblem(text)),
};
function parseItem(text, reading) {
    return read(text, reading);
}
function isListType(type) {
    return LIST_TYPES.some((list) => list === type);
}
function value_splitList(text) {
    return text.split(/[\s,]+/).filter((item) => item !== '');
}
function value_parseValue(text, reading) {
    return isListType(reading.definition.type) ? { value: text } : read(text, reading);
}
function read(text, reading) {
    const { type } = reading.definition;
    return type === 'none' ? { value: text } : READERS[type](text, reading);
}

;// CONCATENATED MODULE: ./lib/config/load.js










const VARIABLE_PREFIX = 'PULUMI_AGENT_';
async function load_loadConfig(sources) {
    const found = search_path_findConfigFile(sources);
    const contents = found.file !== undefined && found.text !== undefined ? await parseConfigFile(found.file, found.text) : undefined;
    const problems = [...found.problems, ...(contents?.problems ?? []), ...unknownKeys(sources)];
    const warnings = [...(contents?.warnings ?? []), ...unknownVariables(sources.environment)];
    const notices = [...found.notices];
    const settings = new Map();
    for (const key of KEY_NAMES) {
        const setting = written(key, sources) ?? contents?.settings.get(key) ?? fallback(key, sources);
        if (setting !== undefined)
            settings.set(key, setting);
    }
    const values = new Map();
    for (const [key, setting] of settings) {
        const read = readSetting(key, setting, sources.workingDirectory);
        problems.push(...read.problems);
        if (read.value !== undefined)
            values.set(key, read.value);
        const { noEffect } = schema_definitionOf(key);
        if (noEffect !== undefined)
            notices.push(`${describeSetting(setting)} ${noEffect}.`);
    }
    const given = Object.fromEntries(CONFIG_KEYS.filter((key) => values.has(key)).map((key) => [propertyName(key), values.get(key)]));
    notices.push(...onOtherTargets(settings, given.deployTarget));
    const { pollingIntervalMs = 0, jobStatusLoopIntervalMs = 0 } = given;
    const config = {
        workingDirectory: sources.agentDirectory,
        healthThresholdMs: 2 * Math.max(pollingIntervalMs, jobStatusLoopIntervalMs),
        ...given,
    };
    const together = checkTogether(config, settings, sources, {
        ...(found.file !== undefined && { file: found.file }),
        fileUsable: found.problems.length === 0 && contents?.usable !== false,
        offline: sources.offline === true,
        purpose: sources.purpose ?? 'run',
    });
    problems.push(...together.problems);
    if (problems.length > 0)
        throw new problem_ConfigError(problems, { warnings });
    return {
        config: Object.freeze(config),
        warnings,
        notices: [...notices, ...together.notices],
        ...(found.file !== undefined && { file: found.file }),
        origins: Object.fromEntries(CONFIG_KEYS.map((key) => [key, settings.get(key)?.origin ?? 'default'])),
    };
}
function onOtherTargets(settings, used) {
    const names = { docker: 'Docker', kubernetes: 'Kubernetes' };
    return [...settings].flatMap(([key, setting]) => {
        const { target } = schema_definitionOf(key);
        if (target === undefined || target === used || used === undefined || setting.origin === 'default')
            return [];
        return [`${describeSetting(setting)} only acts on the ${names[target]} target, so it has no effect here.`];
    });
}
function written(key, { overrides = {}, environment, overrideName = flagName }) {
    const override = Object.hasOwn(overrides, key) ? overrides[key]?.trim() : undefined;
    if (override)
        return { content: { text: override }, origin: 'override', name: overrideName(key) };
    for (const name of environmentNames(key)) {
        const text = environment[name]?.trim();
        if (text)
            return { content: { text: withUnit(text, schema_definitionOf(key).plainUnit?.[name]) }, origin: 'environment', name };
    }
    return undefined;
}
function withUnit(text, unit) {
    return unit !== undefined && /^\d+(\.\d+)?$/.test(text) ? `${text}${unit}` : text;
}
function fallback(key, { defaults = {} }) {
    const given = Object.hasOwn(defaults, key) ? defaults[key]?.trim() : undefined;
    const text = given || schema_definitionOf(key).default;
    return text === undefined ? undefined : { content: { text }, origin: 'default', name: `the default of ${key}` };
}
function flagName(key) {
    return `--${key.replaceAll('_', '-')}`;
}
function readSetting(key, setting, workingDirectory) {
    const definition = schema_definitionOf(key);
    const { content } = setting;
    const reading = { definition, workingDirectory };
    const wrong = (clause) => ({ problems: [problemWith(key, setting, clause)] });
    if (definition.type === 'none')
        return { problems: [] };
    if ('shape' in content) {
        if (definition.type === 'template' && content.shape === 'mapping')
            return { value: { text: content.source(), name: setting.file ?? setting.name }, problems: [] };
        return wrong(isListType(definition.type) ? 'must be a plain list' : `must be one value, not a ${content.shape}`);
    }
    if (isListType(definition.type)) {
        const items = 'items' in content ? content.items : value_splitList(content.text).map((text) => ({ text }));
        const list = new Set();
        const problems = [];
        for (const item of items) {
            const parsed = parseItem(item.text, reading);
            if ('problem' in parsed)
                problems.push(problemWith(key, setting, parsed.problem, 'line' in item ? item : undefined));
            else
                list.add(item.text);
        }
        return problems.length > 0 ? { problems } : { value: [...list], problems };
    }
    if ('items' in content)
        return wrong('must be one value, not a list');
    const parsed = value_parseValue(content.text, reading);
    if ('problem' in parsed)
        return wrong(parsed.problem);
    if (definition.unbuilt?.some((choice) => choice === parsed.value)) {
        const built = definition.choices?.filter((choice) => definition.unbuilt?.includes(choice) !== true) ?? [];
        return wrong(`${quote_quoteValue(content.text)} is not supported yet; use ${built.join(' or ')}`);
    }
    return { value: parsed.value, problems: [] };
}
function unknownKeys({ overrides = {}, defaults = {}, overrideName = flagName }) {
    const unknown = (given) => Object.keys(given).filter((name) => fileKey(name) === undefined);
    return [
        ...unknown(overrides).map((key) => ({ message: `${overrideName(key)} is not a known setting`, key })),
        ...unknown(defaults).map((key) => ({ message: `the default of ${key} is for no known setting`, key })),
    ];
}
function unknownVariables(environment) {
    const known = KEY_NAMES.flatMap(environmentNames).filter((name) => name.startsWith(VARIABLE_PREFIX));
    const ends = known.map((name) => name.slice(VARIABLE_PREFIX.length));
    return Object.keys(environment)
        .filter((name) => name.startsWith(VARIABLE_PREFIX) && !known.includes(name))
        .sort()
        .map((name) => {
        const near = nearest(name.slice(VARIABLE_PREFIX.length), ends);
        const hint = near === undefined ? '.' : `; did you mean ${VARIABLE_PREFIX}${near}?`;
        return `${name} is not a known setting and has no effect${hint}`;
    });
}

;// CONCATENATED MODULE: ./lib/action/path-inputs.js




function path_inputs_pathInputs(environment, checkoutDirectory) {
    const caCertificate = caCertificateInput(environment, checkoutDirectory);
    const kubeconfig = inputText(environment, 'kubeconfig');
    const podTemplate = inputText(environment, 'pod-template');
    return {
        ...(caCertificate !== '' && { ca_certificate: caCertificate }),
        ...(kubeconfig !== '' && { kubeconfig: resolve(checkoutDirectory, kubeconfig) }),
        ...(podTemplate !== '' && { pod_template: readTemplate(podTemplate, checkoutDirectory) }),
    };
}

;// CONCATENATED MODULE: ./lib/action/inputs.js












const ACTION_INPUTS = {
    'config-file': '',
    'on-no-work': 'succeed',
    'upload-artifact': 'always',
    'artifact-name': '',
    'artifact-retention-days': '',
    doctor: 'false',
};
const ACTION_DEFAULTS = {
    polling_interval: '10s',
    max_wait: '5m',
    http_server_port: '0',
    http_server_address: '127.0.0.1',
};
const ON_NO_WORK = (/* unused pure expression or super */ null && (['succeed', 'warn', 'fail']));
const UPLOAD_ARTIFACT = (/* unused pure expression or super */ null && (['always', 'on-failure', 'never']));
const OIDC_INPUTS = (/* unused pure expression or super */ null && (['runner-pool-id', 'runner-pool-name', 'oidc-scope', 'oidc-audience']));
async function readInputs(sources) {
    const { environment, idTokenFile, checkoutDirectory } = sources;
    const named = inputText(environment, 'config-file');
    const configFile = named === '' ? '' : resolve(checkoutDirectory, named);
    const search = { ...sources, ...(configFile !== '' && { file: configFile }) };
    const hasToken = await isWritten('token', search, environment);
    const usesIdToken = !hasToken && !(await isWritten('oidc_token_file', search, environment));
    const overrides = {
        ...agentSettings(environment),
        ...pathInputs(environment, checkoutDirectory),
        ...(usesIdToken && { oidc_token_file: idTokenFile }),
    };
    const problems = [];
    const publishing = readPublishing(environment, problems);
    const onNoWork = choice(environment, 'on-no-work', ON_NO_WORK, problems);
    const doctor = isOn(environment, 'doctor', problems);
    if (hasToken)
        problems.push(...secondWay(environment));
    let config;
    let warnings = [];
    try {
        ({ config, warnings } = await loadConfig({ ...search, overrides, overrideName, defaults: ACTION_DEFAULTS }));
    }
    catch (error) {
        if (!(error instanceof ConfigError))
            throw error;
        problems.unshift(...error.problems.map(inInputTerms));
        warnings = error.warnings;
    }
    if (config === undefined || problems.length > 0)
        throw new ConfigError(problems, { warnings });
    return {
        ...publishing,
        onNoWork,
        doctor,
        config,
        warnings: [...warnings, ...graceWarning(config)],
        ...(configFile !== '' && { configFile }),
        agentVariables: variables(overrides),
        ...(usesIdToken && { idTokenAudience: config.oidcAudience ?? audienceOf(config.organizationName ?? '') }),
    };
}
function graceWarning({ cancelGracePeriodMs }) {
    if (cancelGracePeriodMs <= LONGEST_GRACE_MS)
        return [];
    const [grace, job, longest] = [cancelGracePeriodMs, JOB_MS, LONGEST_GRACE_MS].map(formatDuration);
    return [
        `A step will not have the ${grace} of cancel-grace-period when the CI job is cancelled: GitHub ends a job ${job} after its ` +
            `cancel, which leaves a step ${longest} at most. A cancel in Pulumi Cloud gives it the whole time.`,
    ];
}
function readPublishingInputs(environment) {
    return readPublishing(environment, []);
}
function agentVariablesOf(environment, checkoutDirectory) {
    return variables({ ...agentSettings(environment), ...pathInputs(environment, checkoutDirectory) });
}
function forwardedNames(environment) {
    const { PULUMI_AGENT_ENV_FORWARD_ALLOWLIST: fromEnvironment = '' } = environment;
    return splitList(inputText(environment, 'env-forward-allowlist') || fromEnvironment);
}
function variables(settings) {
    const named = Object.entries(settings).map(([key, text]) => [environmentNames(key)[0] ?? key, text]);
    return { ...Object.fromEntries(named), PULUMI_AGENT_SINGLE_RUN: 'true' };
}
function overrideName(key) {
    if (key === 'oidc_token_file')
        return "this job's ID token";
    const input = Object.entries(input_text_AGENT_INPUTS).find(([, known]) => known === key)?.[0];
    return input === undefined ? key : `input ${input}`;
}
function inInputTerms(problem) {
    const { key = '', file, message } = problem;
    if (file !== undefined || !message.startsWith(`${key} `))
        return problem;
    return { ...problem, message: `${overrideName(key)}${message.slice(key.length)}` };
}
async function isWritten(key, search, environment) {
    if (writtenText(environment, key) !== '')
        return true;
    const { file, text } = search_path_findConfigFile(search);
    return file !== undefined && text !== undefined && (await parseConfigFile(file, text)).settings.has(key);
}
function secondWay(environment) {
    const token = inputText(environment, 'token') === '' ? 'token' : 'input token';
    return OIDC_INPUTS.filter((name) => inputText(environment, name) !== '').map((name) => ({
        message: `input ${name} is for authenticating with this job's ID token, and ${token} is another way; keep one of them`,
        key: AGENT_INPUTS[name],
    }));
}
function readPublishing(environment, problems) {
    const artifactName = inputText(environment, 'artifact-name');
    const days = inputText(environment, 'artifact-retention-days');
    const retention = /^\d{1,3}$/.test(days) && Number(days) <= 400 ? Number(days) : undefined;
    if (days !== '' && retention === undefined) {
        problems.push({
            message: `input artifact-retention-days ${quoteValue(days)} is not a whole number from 0 to 400`,
        });
    }
    return {
        uploadArtifact: choice(environment, 'upload-artifact', UPLOAD_ARTIFACT, problems),
        ...(artifactName !== '' && { artifactName }),
        ...(retention !== undefined && { artifactRetentionDays: retention }),
    };
}
function choice(environment, name, choices, problems) {
    const text = inputText(environment, name);
    const found = choices.find((known) => known === text);
    if (found === undefined && text !== '') {
        problems.push({ message: `input ${name} ${quoteValue(text)} is not one of ${choices.join(', ')}` });
    }
    return found ?? choices[0];
}
function isOn(environment, name, problems) {
    const text = inputText(environment, name);
    if (text === '')
        return false;
    const parsed = parseValue(text, { definition: { type: 'boolean', help: '' }, workingDirectory: '' });
    if ('problem' in parsed)
        problems.push({ message: `input ${name} ${parsed.problem}` });
    return 'value' in parsed && parsed.value === true;
}

;// CONCATENATED MODULE: ./lib/action/plan/inputs.js






const PLAN_INPUT = { input: 'max', key: 'plan_max' };
async function readPlanInputs(sources) {
    const { environment, idTokenFile, checkoutDirectory } = sources;
    const named = input_text_inputText(environment, 'config-file');
    const configFile = named === '' ? '' : (0,external_node_path_.resolve)(checkoutDirectory, named);
    const search = { ...sources, ...(configFile !== '' && { file: configFile }) };
    const others = await Promise.all(['access_token', 'oidc_token_file'].map((key) => isWritten(key, search, environment)));
    const usesIdToken = !others.includes(true);
    const [caCertificate, max] = [own_trust_caCertificateInput(environment, checkoutDirectory), input_text_inputText(environment, 'max')];
    const overrides = {
        ...input_text_agentSettings(environment),
        ...(caCertificate !== '' && { ca_certificate: caCertificate }),
        ...(max !== '' && { [PLAN_INPUT.key]: max }),
        ...(usesIdToken && { oidc_token_file: idTokenFile }),
    };
    const nameOf = (key) => (key === PLAN_INPUT.key ? `input ${PLAN_INPUT.input}` : overrideName(key));
    try {
        const { config, warnings } = await load_loadConfig({ ...search, overrides, overrideName: nameOf, purpose: 'plan' });
        return {
            config,
            warnings,
            ...(configFile !== '' && { configFile }),
            agentVariables: variables(overrides),
            ...(usesIdToken && { idTokenAudience: config.oidcAudience ?? input_text_audienceOf(config.organizationName ?? '') }),
        };
    }
    catch (error) {
        if (!(error instanceof problem_ConfigError))
            throw error;
        throw new problem_ConfigError(error.problems.map(inInputTerms), { warnings: error.warnings });
    }
}

;// CONCATENATED MODULE: ./lib/action/publish/markup.js


function escapeHtml(text) {
    const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
    return text.toWellFormed().replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
function code(value, maxLength = 200) {
    return `<code>${escapeHtml(plainText(value, maxLength))}</code>`;
}
function markup_link(label, address) {
    if (address === undefined || address.length > 2_000 || !/^https?:\/\/[^\s\p{Cc}]+$/u.test(address))
        return label;
    return `<a href="${escapeHtml(address)}">${label}</a>`;
}
function entryLink(message) {
    const entry = entryFor(message);
    return entry === undefined ? '' : ` ${markup_link('Causes and remedies', entry)}`;
}
function deploymentText({ deploymentId, deploymentUrl, consoleUrl }) {
    const name = code(deploymentId);
    const linked = markup_link(name, deploymentUrl);
    if (linked !== name)
        return `Deployment ${linked} in Pulumi Cloud`;
    const page = 'the organization’s deployments in Pulumi Cloud';
    const among = markup_link(page, consoleUrl);
    return `Deployment ${name}${among === page ? '' : `, among ${among}`}`;
}
function table(rows) {
    if (rows.length === 0)
        return '';
    const cells = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
    return `<table>${cells.join('')}</table>`;
}
function titledTable(titles, rows, { maxRows, what }) {
    if (rows.length === 0)
        return '';
    const more = rows.length > maxRows ? [[`… and ${rows.length - maxRows} more ${what}`]] : [];
    return table([titles.map((title) => `<b>${title}</b>`), ...rows.slice(0, maxRows), ...more]);
}

;// CONCATENATED MODULE: ./lib/action/plan/summary.js





const MAX_ROWS = 300;
const MAX_TEXT = 1_000;
function renderPlanSummary({ message, notices, started, failed }) {
    const shown = (text) => escapeHtml(plainText(text, MAX_TEXT));
    const rows = [
        ...failed.map((each) => [shown(each.stack), `✘ ${shown(each.message)}${entryLink(each.message)}`]),
        ...started.map(({ stack, operation, deploymentId, consoleUrl, assumed }) => [
            shown(stack),
            `${shown(operation)}: ${markup_link(code(deploymentId), consoleUrl)}${assumed === true ? ' (found; the answer was lost)' : ''}`,
        ]),
    ];
    const table = rows.length === 0 ? '' : `\n${titledTable(['Stack', 'Started'], rows, { maxRows: MAX_ROWS, what: 'stacks' })}\n`;
    const lines = [message, ...notices].map((line) => `<p>${shown(line)}${entryLink(line)}</p>\n`);
    return `## Planned jobs\n\n${lines.join('\n')}${table}`;
}
async function publishPlanSummary({ GITHUB_STEP_SUMMARY: file }, report) {
    try {
        if (!file)
            throw new Error('the runner offers no file for it');
        await (0,promises_.appendFile)(file, renderPlanSummary(report));
    }
    catch (error) {
        const cause = plainText((0,outcome/* messageOf */.bD)(error));
        lib_core/* warning */.$e(`Failed to write the summary for this step: ${cause}. The console has the same facts.`);
    }
}

;// CONCATENATED MODULE: ./lib/action/plan/plan.js














const PLAN_MS = 30 * 60_000;
const MOST_ANNOTATIONS = 10;
async function plan(job) {
    let folder;
    try {
        setOutputs({ matrix: { include: [] }, count: 0, queued: 0, started: [] });
        folder = await createRunFolder(job.temporaryDirectory);
        const inputs = await readPlanInputs({ ...job, idTokenFile: folder.idTokenFile });
        const { accessToken, token } = inputs.config;
        for (const secret of [accessToken, token])
            if (secret !== undefined)
                lib_core/* setSecret */.Pq(secret);
        for (const warning of inputs.warnings)
            lib_core/* warning */.$e(plainText(warning));
        const report = await reportWith(job, inputs, folder);
        if (report === undefined)
            return cancelled();
        setOutputs(report);
        await publishPlanSummary(job.environment, report);
        return conclude(report);
    }
    catch (error) {
        if (job.cancelled.aborted)
            return cancelled();
        const sentence = error instanceof outcome/* OutcomeError */.Rz ? error.message : `Failed to plan for this job: ${(0,outcome/* messageOf */.bD)(error)}.`;
        lib_core/* setFailed */.C1(withEntry(sentence.split('\n').map(uncolouredLine).join('\n')));
        return 1;
    }
    finally {
        if (folder !== undefined)
            await removePrivate(folder.privateDirectory).catch(() => undefined);
    }
}
async function reportWith(job, inputs, folder) {
    const ended = new AbortController();
    const fresh = await idTokenFor(job, inputs, folder, AbortSignal.any([job.cancelled, ended.signal]));
    const write = writerOf(job.stdout, job.cancelled);
    try {
        const args = ['plan', ...(inputs.configFile === undefined ? [] : ['--config', inputs.configFile])];
        return await agentReport({
            job,
            name: 'the plan',
            args,
            environment: agentEnvironment(job.environment, inputs.agentVariables, inputs.config.envForwardAllowlist),
            deadlineMs: inputs.config.triggerJitterMs + PLAN_MS,
            read: (json) => planReportSchema.parse(json),
            onLogLine: (line) => void write(`${consoleLine(line)}\n`),
        });
    }
    finally {
        ended.abort();
        await fresh.done;
    }
}
async function idTokenFor(job, inputs, { idTokenFile: path }, signal) {
    const { environment, checkoutDirectory, now } = job;
    const { idTokenAudience: audience } = inputs;
    if (audience === undefined)
        return { done: Promise.resolve() };
    const trustMore = () => trustAsTheAgent(environment, checkoutDirectory);
    const token = await requestIdToken({ audience, environment, signal, trustMore });
    await writeIdToken(path, token);
    const warn = (sentence) => lib_core/* warning */.$e(sentence);
    return { done: keepIdTokenFresh({ path, token, audience, environment, signal, now, warn }) };
}
function setOutputs({ matrix, count, queued, started }) {
    lib_core/* setOutput */.uH('matrix', JSON.stringify(matrix));
    lib_core/* setOutput */.uH('count', String(count));
    lib_core/* setOutput */.uH('queued', String(queued));
    lib_core/* setOutput */.uH('started', JSON.stringify(started));
}
function conclude({ exitCode, message, notices, failed }) {
    for (const notice of notices)
        lib_core/* warning */.$e(plainText(notice, 2_000));
    if (exitCode === 0) {
        lib_core/* info */.pq(plainText(message, 2_000));
        return 0;
    }
    if (failed.length > 1)
        for (const each of failed.slice(0, MOST_ANNOTATIONS - 1))
            lib_core/* error */.z3(plainText(each.message, 2_000));
    lib_core/* setFailed */.C1(withEntry(message.split('\n').map(uncolouredLine).join('\n')));
    return 1;
}
function cancelled() {
    lib_core/* info */.pq('The CI job was cancelled: what was started stays in the queue.');
    return CANCELLED_EXIT_CODE;
}


/***/ }),

/***/ 4792:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Rz: () => (/* binding */ OutcomeError),
/* harmony export */   _m: () => (/* binding */ OUTCOME_NAMES),
/* harmony export */   bD: () => (/* binding */ messageOf)
/* harmony export */ });
/* unused harmony exports OUTCOMES, NO_WORK_EXIT_CODE, isOutcome, exitCodeOf, clause */
const OUTCOMES = {
    succeeded: { exitCode: 0, sentence: 'The workflow ran and every step succeeded.' },
    'no-work': { exitCode: 0, sentence: 'No workflow was queued for the pool in time.' },
    failed: { exitCode: 1, sentence: 'The workflow failed.' },
    'config-error': { exitCode: 2, sentence: 'The configuration cannot be used.' },
    'auth-error': { exitCode: 3, sentence: 'Pulumi Cloud refused the credentials.' },
    'cloud-unreachable': { exitCode: 4, sentence: 'Pulumi Cloud could not be reached.' },
    'target-error': { exitCode: 5, sentence: 'The place where the job should run could not be used.' },
    cancelled: { exitCode: 6, sentence: 'The workflow was cancelled in Pulumi Cloud.' },
    interrupted: { exitCode: 7, sentence: 'The CI job interrupted the run.' },
    'lease-lost': { exitCode: 8, sentence: 'No heartbeat was accepted in time, so the job was stopped.' },
    unreported: {
        exitCode: 9,
        sentence: "The workflow's steps succeeded, but Pulumi Cloud took no report of it and will show it as failed.",
    },
};
const NO_WORK_EXIT_CODE = 75;
const OUTCOME_NAMES = Object.keys(OUTCOMES);
function isOutcome(value) {
    return typeof value === 'string' && Object.hasOwn(OUTCOMES, value);
}
function exitCodeOf(outcome, { failOnNoWork = false } = {}) {
    return outcome === 'no-work' && failOnNoWork ? NO_WORK_EXIT_CODE : OUTCOMES[outcome].exitCode;
}
class OutcomeError extends Error {
    name = 'OutcomeError';
    outcome;
    constructor(outcome, message, options) {
        super(message, options);
        this.outcome = outcome;
    }
}
function clause(sentence) {
    return sentence.replace(/\.$/, '');
}
function messageOf(error) {
    return error instanceof Error ? error.message : String(error);
}


/***/ })

};
