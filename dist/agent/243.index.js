export const id = 243;
export const ids = [243];
export const modules = {

/***/ 2002:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   J: () => (/* binding */ containerSettings)
/* harmony export */ });
/* harmony import */ var _config_volume_setting_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(5899);
/* harmony import */ var _target_image_policy_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(9687);


function containerSettings(config) {
    const policy = (0,_target_image_policy_js__WEBPACK_IMPORTED_MODULE_1__/* .imagePolicy */ .aw)({ allowed: config.allowedImages, requireDigest: config.requireDigest });
    return {
        ...(policy === undefined ? {} : { policy }),
        ...(config.cacheVolume === undefined
            ? {}
            : { cache: { ...(0,_config_volume_setting_js__WEBPACK_IMPORTED_MODULE_0__/* .readVolume */ .jg)(config.cacheVolume), owner: cacheOwner(config) } }),
    };
}
function cacheOwner({ organizationName, runnerPoolId }) {
    return organizationName === undefined || runnerPoolId === undefined
        ? 'static-token'
        : `${organizationName}/${runnerPoolId}`;
}


/***/ }),

/***/ 9766:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $N: () => (/* binding */ runDirectories),
/* harmony export */   As: () => (/* binding */ isRunDirectoryName),
/* harmony export */   Xc: () => (/* binding */ runsFolder)
/* harmony export */ });
/* harmony import */ var node_os__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8161);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6760);


function runDirectories(config, environment) {
    const base = runsFolder(config, environment);
    if (config.singleRun && config.runDirectory !== undefined)
        return () => base;
    const fresh = () => (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(base, new Date().toISOString().replaceAll(':', '-'));
    if (!config.singleRun)
        return fresh;
    const only = fresh();
    return () => only;
}
function runsFolder({ runDirectory }, environment) {
    const home = environment['HOME'];
    const state = environment['XDG_STATE_HOME'] ?? (home === undefined ? (0,node_os__WEBPACK_IMPORTED_MODULE_0__.tmpdir)() : (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(home, '.local', 'state'));
    return runDirectory ?? (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(state, 'pulumi-runner-agent', 'runs');
}
function isRunDirectoryName(name) {
    const [, day, hour, minute, second] = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})Z$/.exec(name) ?? [];
    if (day === undefined)
        return false;
    const time = `${day}T${hour}:${minute}:${second}Z`;
    const ms = Date.parse(time);
    return !Number.isNaN(ms) && new Date(ms).toISOString() === time;
}


/***/ }),

/***/ 5298:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   a: () => (/* binding */ Outage)
/* harmony export */ });
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3259);

class Outage {
    #options;
    #failures = 0;
    #since = 0;
    constructor(options) {
        this.#options = options;
    }
    failed(error) {
        const { say, clock } = this.#options;
        if (this.#failures === 0)
            this.#since = clock.steady();
        this.#failures += 1;
        say(this.#failures === 1 ? 'warning' : 'debug', (0,_outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .messageOf */ .bD)(error));
    }
    over() {
        if (this.#failures === 0)
            return;
        const { what, say, clock } = this.#options;
        const failures = this.#failures === 1 ? '1 failure' : `${this.#failures} failures`;
        const seconds = Math.round((clock.steady() - this.#since) / 1000);
        this.#failures = 0;
        say('info', `${what} works again after ${failures} in ${seconds} s.`);
    }
}


/***/ }),

/***/ 7025:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  _: () => (/* binding */ DEFAULT_IMAGE),
  b: () => (/* binding */ runJob)
});

// EXTERNAL MODULE: ./lib/clock.js
var lib_clock = __webpack_require__(5233);
// EXTERNAL MODULE: ./lib/config/duration.js
var duration = __webpack_require__(6804);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(3259);
// EXTERNAL MODULE: ./lib/cloud/errors.js
var errors = __webpack_require__(2398);
// EXTERNAL MODULE: ./lib/cloud/outage.js
var cloud_outage = __webpack_require__(5298);
;// CONCATENATED MODULE: ./lib/job/pause.js

const FIRST_MS = 500;
const LONGEST_MS = 30_000;
async function pauseAfter(failures, error, clock, signal) {
    const backoff = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS) * (0.5 + Math.random() / 2);
    const asked = error instanceof errors/* CloudUnreachableError */.s8 || error instanceof errors/* CloudRefusedError */.GW ? (error.retryAfterMs ?? 0) : 0;
    await clock.sleep(Math.min(Math.max(backoff, asked), LONGEST_MS), signal).catch(() => undefined);
}

;// CONCATENATED MODULE: ./lib/job/definition.js




const PATIENCE_MS = 8 * 60_000;
async function readDefinition({ api, clock, stop, say }) {
    const { signal } = stop;
    const outage = new cloud_outage/* Outage */.a({ what: 'Reading the job definition', say, clock });
    const started = clock.steady();
    for (let failures = 1;; failures += 1) {
        try {
            const definition = await api.definition(signal);
            outage.over();
            return definition;
        }
        catch (error) {
            signal.throwIfAborted();
            if (error instanceof errors/* JobDefinitionError */.p2)
                throw error;
            outage.failed(error);
            if (clock.steady() - started >= PATIENCE_MS) {
                throw new errors/* JobDefinitionError */.p2(`${(0,outcome/* messageOf */.bD)(error)} It was asked for during 8 minutes: start the deployment again.`, {
                    cause: error,
                });
            }
            await pauseAfter(failures, error, clock, signal);
            signal.throwIfAborted();
        }
    }
}

;// CONCATENATED MODULE: ./lib/job/environment.js
const OIDC_FILE = '/mnt/pulumi/pulumi.oidc';
const CA_FILE = '/mnt/pulumi/ca-certificates.crt';
const CA_VARIABLES = [
    'SSL_CERT_FILE',
    'NODE_EXTRA_CA_CERTS',
    'REQUESTS_CA_BUNDLE',
    'CURL_CA_BUNDLE',
    'GIT_SSL_CAINFO',
    'AWS_CA_BUNDLE',
];
const ENVIRONMENT_FILE = '/PULUMI_ENV';
function jobEnvironment(sources) {
    const { definition, claim, serviceUrl, caBundle, allowlist, host } = sources;
    const variables = {};
    const marked = [];
    for (const [name, { value, secret }] of Object.entries(definition.env)) {
        variables[name] = value;
        if (secret)
            marked.push(value);
    }
    variables['PULUMI_SERVICE_URL'] ??= `${serviceUrl}/api`;
    const files = [];
    if (claim.oidcToken !== undefined) {
        variables['PULUMI_OIDC_TOKEN'] = claim.oidcToken;
        files.push({ path: OIDC_FILE, mode: 0o600, content: claim.oidcToken });
    }
    if (caBundle !== undefined) {
        for (const name of CA_VARIABLES)
            variables[name] ??= CA_FILE;
        files.push({ path: CA_FILE, mode: 0o644, content: caBundle });
    }
    const forwarded = [];
    const warnings = [];
    for (const name of new Set([...allowlist, 'DOCKER_HOST'])) {
        const value = host[name];
        if (value === undefined) {
            if (allowlist.includes(name))
                warnings.push(`${name} is on the allowlist but not set here, so it was not forwarded.`);
            continue;
        }
        if (name === 'PULUMI_ACCESS_TOKEN' && variables[name] !== undefined && variables[name] !== value) {
            warnings.push("PULUMI_ACCESS_TOKEN from the runner replaces the job's own: the job acts as somebody else than Pulumi Cloud chose.");
        }
        variables[name] = value;
        forwarded.push(name);
    }
    const environmentFile = variables['PULUMI_ENV_FILE'] || ENVIRONMENT_FILE;
    files.push({ path: environmentFile, mode: 0o600, content: '' });
    return { variables, files, environmentFile, forwarded, marked, warnings };
}
function parseEnvironmentFile(text) {
    const variables = {};
    for (const raw of text.split('\n')) {
        const line = raw.replaceAll('\r', '');
        const at = line.indexOf('=');
        if (at <= 0 || line.startsWith('#'))
            continue;
        const name = line.slice(0, at).trim();
        if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !line.includes('\0'))
            variables[name] = line.slice(at + 1);
    }
    return variables;
}

// EXTERNAL MODULE: ./lib/job/stop.js
var job_stop = __webpack_require__(3531);
;// CONCATENATED MODULE: ./lib/job/job-end.js


const UNREPORTED = "The workflow's steps succeeded, but Pulumi Cloud took no report of the last one: it fails the deployment 10 minutes after the last heartbeat. The stack holds what the steps did; start the deployment again if Pulumi Cloud should show it as well.";
function reportedEnd(verdict, reported) {
    if (reported || verdict.outcome !== 'succeeded')
        return { ...verdict, reported };
    return { outcome: 'unreported', message: UNREPORTED, reported };
}
const STOPPED = {
    cloud: 'cancelled',
    signal: 'interrupted',
    lease: 'lease-lost',
    timeout: 'failed',
};
function verdictOn(error, stop, left, where = 'the workflow') {
    const asked = error instanceof job_stop/* StopRequested */.v ? error.stop : stop;
    if (asked !== undefined) {
        return { outcome: STOPPED[asked.by], message: `Failed to finish ${where}: ${(0,outcome/* clause */.sb)(asked.reason)}. ${left}` };
    }
    if (error instanceof outcome/* OutcomeError */.Rz)
        return { outcome: error.outcome, message: error.message };
    const reason = (0,outcome/* clause */.sb)((0,outcome/* messageOf */.bD)(error));
    return { outcome: 'failed', message: `Failed to run ${where}: ${reason}. Report this with the run's artifact.` };
}
function verdictOnStep(name, end, stop) {
    if (stop !== undefined && stop.by !== 'timeout') {
        return verdictOn(new job_stop/* StopRequested */.v(stop), stop, 'The stack may need a refresh.', name);
    }
    const how = (0,outcome/* clause */.sb)(end.reason ?? `exit code ${end.exitCode}`);
    return { outcome: 'failed', message: `Failed to run ${name} of the workflow: ${how}. Its log says more.` };
}

;// CONCATENATED MODULE: ./lib/job/owned-container.js

const AGAIN_MS = [1_000, 5_000];
class OwnedContainer {
    #options;
    #container;
    #removal;
    constructor(options) {
        this.#options = options;
    }
    get imageDigest() {
        return this.#container?.imageDigest;
    }
    get running() {
        if (this.#container === undefined)
            throw new Error('a step was started without a container');
        return this.#container;
    }
    async prepare({ image, definition, environment }, how) {
        const { target, container, pullImage: pull, labels } = this.#options;
        const { os, architecture } = definition;
        const { credentials } = definition.image;
        const { files, environmentFile } = environment;
        const spec = {
            ...container,
            image,
            ...(credentials === undefined ? {} : { credentials }),
            ...(os === undefined || architecture === undefined ? {} : { platform: `${os}/${architecture}` }),
            pull,
            labels,
            files,
            environmentFile,
            whileStarting: how.whileStarting,
        };
        this.#container = await target.prepare(spec, how.progress, how.signal);
    }
    async environmentFile(signal) {
        return this.running.readEnvironmentFile(signal);
    }
    remove() {
        this.#removal ??= this.#remove();
        return this.#removal;
    }
    async #remove() {
        const { clock } = this.#options;
        for (let tries = 0;; tries += 1) {
            try {
                await this.#container?.remove();
                return undefined;
            }
            catch (error) {
                const wait = AGAIN_MS[tries];
                if (wait === undefined)
                    return (0,outcome/* messageOf */.bD)(error);
                await clock.sleep(wait, new AbortController().signal);
            }
        }
    }
}

;// CONCATENATED MODULE: ./lib/log/lines.js
const LONGEST_LINE = 64 * 1024;
const LINE_FEED = 0x0a;
class LineSplitter {
    #pending = Buffer.alloc(0);
    #held = 0;
    get unfinished() {
        return this.#held > 0;
    }
    push(bytes, take) {
        let from = 0;
        if (this.#held > 0) {
            const end = bytes.indexOf(LINE_FEED);
            from = end === -1 ? bytes.length : end + 1;
            this.#hold(bytes, 0, from);
            this.#cut(end === -1 ? LONGEST_LINE : LONGEST_LINE + 1, take);
            if (end === -1)
                return;
            take(this.#pending.subarray(0, this.#held), 1, false);
            this.#held = 0;
        }
        let [lines, start] = [0, from];
        for (let end = bytes.indexOf(LINE_FEED, start); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
            if (end - start > LONGEST_LINE) {
                if (start > from)
                    take(bytes.subarray(from, start), lines, false);
                this.#hold(bytes, start, end + 1);
                this.#cut(LONGEST_LINE + 1, take);
                take(this.#pending.subarray(0, this.#held), 1, false);
                this.#held = 0;
                lines = 0;
                from = end + 1;
            }
            else {
                lines++;
            }
            start = end + 1;
        }
        if (start > from)
            take(bytes.subarray(from, start), lines, false);
        if (start === bytes.length)
            return;
        this.#hold(bytes, start, bytes.length);
        this.#cut(LONGEST_LINE, take);
    }
    end(take) {
        if (this.#held > 0)
            take(this.#pending.subarray(0, this.#held), 1, false);
        this.#held = 0;
    }
    #hold(bytes, from, to) {
        const size = this.#held + to - from;
        if (size > this.#pending.length) {
            const larger = Buffer.allocUnsafeSlow(Math.max(1024, size * 2));
            this.#pending.copy(larger, 0, 0, this.#held);
            this.#pending = larger;
        }
        bytes.copy(this.#pending, this.#held, from, to);
        this.#held = size;
    }
    #cut(rest, take) {
        let start = 0;
        while (this.#held - start > rest) {
            const at = characterStart(this.#pending, start + LONGEST_LINE);
            take(this.#pending.subarray(start, at), 1, true);
            start = at;
        }
        if (start > 0)
            this.#pending.copy(this.#pending, 0, start, this.#held);
        this.#held -= start;
    }
}
function characterStart(bytes, at) {
    let start = at;
    while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80)
        start--;
    return start;
}

;// CONCATENATED MODULE: ./lib/job/log-batch.js

const LARGEST_CALL = { lines: 1_000, bytes: 256 * 1024 };
const SMALLEST_PIECE = 1024;
const ENVELOPE_BYTES = 48;
const LINE_BYTES = 44;
const log_batch_LINE_FEED = 0x0a;
async function batchAt(file, position, limits) {
    const { isWhole } = file;
    const bytes = await file.read(position, limits.bytes);
    const isEnd = isWhole && position + bytes.length === file.size;
    const timeAt = timesOf(file, position);
    let longest = Math.min(LONGEST_LINE, limits.bytes - ENVELOPE_BYTES - LINE_BYTES);
    for (let most = limits.lines;;) {
        const ends = pieceEnds(bytes, { limits: { lines: most, bytes: limits.bytes }, longest, isEnd });
        const taken = ends.at(-1);
        if (taken === undefined)
            return undefined;
        const lines = ends.map((end, index) => lineOf(bytes, { start: ends[index - 1] ?? 0, end, isEnd }, timeAt));
        const size = ENVELOPE_BYTES + Buffer.byteLength(JSON.stringify(lines));
        const isSmall = ends.length === 1 && taken <= SMALLEST_PIECE;
        if (size <= limits.bytes || isSmall) {
            const ended = ends.filter((end) => bytes[end - 1] === log_batch_LINE_FEED || (isEnd && end === bytes.length)).length;
            return { lines, bytes: taken, ended, size, isFull: position + taken < file.size };
        }
        if (ends.length > 1)
            most = Math.floor(ends.length / 2);
        else
            longest = Math.floor(taken / 2);
    }
}
function pieceEnds(bytes, { limits, longest, isEnd }) {
    const ends = [];
    let size = ENVELOPE_BYTES;
    for (let start = 0; start < bytes.length && ends.length < limits.lines;) {
        let end = bytes.indexOf(log_batch_LINE_FEED, start) + 1;
        if (end === 0 ? bytes.length - start > longest : end - start > longest + 1) {
            end = characterStart(bytes, start + longest);
        }
        else if (end === 0) {
            if (!isEnd)
                break;
            end = bytes.length;
        }
        size += LINE_BYTES + end - start;
        if (size > limits.bytes && ends.length > 0)
            break;
        ends.push(end);
        start = end;
    }
    return ends;
}
function lineOf(bytes, { start, end, isEnd }, timeAt) {
    const text = bytes.toString('utf8', start, end).replaceAll('\0', '\ufffd');
    const isCut = bytes[end - 1] !== log_batch_LINE_FEED && !(isEnd && end === bytes.length);
    return { t: timeAt(start), l: isCut ? `${text}\n` : text };
}
function timesOf(file, position) {
    let [latest, text] = [Number.NaN, ''];
    return (start) => {
        const time = file.timeAt(position + start);
        if (time !== latest)
            [latest, text] = [time, new Date(time).toISOString()];
        return text;
    };
}

;// CONCATENATED MODULE: ./lib/job/upload.js




const INTERVAL_MS = 1_000;
const USUAL_LINES = 100;
const SUSPICION_MS = 30_000;
const TRIES_ALONE = 3;
const TOO_LARGE = 'Failed to send log lines of the step: Pulumi Cloud refuses one of them alone. A sentence takes its place.';
const NOTHING_SENT = { sent: 0, undelivered: 0, batches: 0, retries: 0, failures: 0 };
class Upload {
    #options;
    #position = 0;
    #offset = 0;
    #ended = 0;
    #counts = { sent: 0, undelivered: 0, batches: 0, retries: 0, failures: 0 };
    #size = USUAL_LINES;
    #limits = LARGEST_CALL;
    #suspected;
    #refusedSince;
    #lastCall = Number.NEGATIVE_INFINITY;
    #isFull = false;
    constructor(options) {
        this.#options = options;
    }
    async run() {
        const { file, signal } = this.#options;
        while (await this.#due()) {
            const { version } = file.change;
            const batch = await batchAt(file, this.#position, this.#callLimits);
            if (batch === undefined)
                await file.change.after(version, signal);
            else
                await this.#deliver(batch);
        }
    }
    get delivery() {
        const undelivered = this.#options.file.totals.lines - this.#ended + this.#counts.undelivered;
        return { ...this.#counts, undelivered };
    }
    get #callLimits() {
        const { lines, bytes } = this.#suspected?.limits ?? this.#limits;
        return { lines: Math.min(this.#size, lines), bytes };
    }
    async #due() {
        const { file, clock, signal } = this.#options;
        while (!signal.aborted) {
            const wait = this.#isFull ? 0 : this.#lastCall + INTERVAL_MS - clock.steady();
            if (file.size === this.#position) {
                if (file.isWhole)
                    return false;
                await file.change.after(file.change.version, signal);
            }
            else if (file.ended.aborted || wait <= 0) {
                return true;
            }
            else {
                await (0,lib_clock/* sleepUntil */.Kc)(wait, clock, [signal, file.ended]);
            }
        }
        return false;
    }
    async #deliver(batch) {
        const { clock, signal } = this.#options;
        for (let failures = 1, alone = 0; !signal.aborted; failures += 1) {
            const [answer, error] = await this.#call(batch.lines);
            if (answer === 'taken')
                return this.#taken(batch, batch.lines.length);
            if (answer === 'not-yet')
                this.#refusedSince = undefined;
            else if (this.#isSuspect(answer)) {
                if (this.#narrow(batch, answer))
                    return;
                if (answer === 'too-large')
                    this.#options.onFailure(error);
                alone += 1;
                if (alone % TRIES_ALONE === 0 && (await this.#replace(batch, error)))
                    return;
            }
            await pauseAfter(failures, error, clock, signal);
            if (!signal.aborted)
                this.#counts.retries += 1;
        }
    }
    async #call(lines) {
        const { api, index, clock, signal, onFailure } = this.#options;
        this.#lastCall = clock.steady();
        try {
            const answer = await api.logs(index, { offset: this.#offset, lines }, signal);
            if (answer === 'too-large')
                return [answer, new errors/* CloudRefusedError */.GW(413, TOO_LARGE)];
            return ['taken', undefined];
        }
        catch (error) {
            if (signal.aborted)
                return ['not-yet', error];
            this.#counts.failures += 1;
            onFailure(error);
            return [isForContent(error) ? 'refused' : 'not-yet', error];
        }
    }
    #taken(batch, sent) {
        const { file, onTaken } = this.#options;
        this.#position += batch.bytes;
        this.#offset += batch.lines.length;
        this.#ended += batch.ended;
        this.#counts.sent += sent;
        this.#counts.batches += 1;
        this.#refusedSince = undefined;
        this.#suspected = this.#position >= (this.#suspected?.until ?? 0) ? undefined : widened(this.#suspected);
        this.#isFull = batch.isFull;
        this.#size = batch.isFull ? Math.min(this.#size * 2, LARGEST_CALL.lines) : USUAL_LINES;
        file.release(this.#position);
        onTaken(sent);
    }
    #isSuspect(answer) {
        const { clock, heartbeatSince } = this.#options;
        if (answer === 'too-large' || this.#suspected !== undefined)
            return true;
        this.#refusedSince ??= (0,lib_clock/* momentOf */.Et)(clock);
        return (0,lib_clock/* passedSince */.Pd)(this.#refusedSince, clock).surely >= SUSPICION_MS && heartbeatSince(this.#refusedSince);
    }
    #narrow(batch, answer) {
        const { lines, bytes } = batch;
        if (lines.length === 1 && bytes <= SMALLEST_PIECE) {
            this.#limits = LARGEST_CALL;
            this.#suspected ??= { limits: { lines: 1, bytes: SMALLEST_PIECE }, until: this.#position + bytes };
            return false;
        }
        const half = lines.length > 1
            ? { lines: Math.floor(lines.length / 2), bytes: Math.max(SMALLEST_PIECE, Math.floor(batch.size / 2)) }
            : { lines: (this.#suspected?.limits ?? this.#limits).lines, bytes: Math.floor(bytes / 2) };
        if (this.#suspected !== undefined || answer === 'refused') {
            this.#suspected = { limits: half, until: this.#suspected?.until ?? this.#position + bytes };
        }
        else {
            this.#limits = half;
        }
        return true;
    }
    async #replace(batch, refusal) {
        const [line] = batch.lines;
        const l = `[agent] A line of ${batch.bytes} bytes is missing here: Pulumi Cloud refused it with HTTP ${(0,errors/* refusedStatus */.PH)(refusal)}.\n`;
        const [answer] = await this.#call([{ t: line?.t ?? '', l }]);
        if (answer !== 'taken')
            return false;
        this.#counts.undelivered += 1;
        this.#taken(batch, 0);
        return true;
    }
}
function widened(suspicion) {
    if (suspicion === undefined)
        return undefined;
    const { limits, until } = suspicion;
    const lines = Math.min(limits.lines * 2, LARGEST_CALL.lines);
    return { limits: { lines, bytes: Math.min(limits.bytes * 2, LARGEST_CALL.bytes) }, until };
}
function isForContent(error) {
    const status = (0,errors/* refusedStatus */.PH)(error);
    if (status === undefined)
        return false;
    return status === 500 || (status >= 400 && status < 500 && ![401, 404, 408, 429].includes(status));
}

;// CONCATENATED MODULE: ./lib/job/reports.js






const STATUSES_MS = 2 * 60_000;
const SKIP_MS = 60_000;
const ENDED_MS = 30_000;
class Reports {
    #options;
    #over = new AbortController();
    #linesOver = new AbortController();
    #statusOutage;
    #logOutage;
    #tail = Promise.resolve();
    #lastTaken;
    #refusedSince;
    #newest = -1;
    #isEnded = false;
    #isTold = false;
    constructor(options) {
        this.#options = options;
        const { clock, say, over } = options;
        this.#lastTaken = clock.steady();
        this.#statusOutage = new cloud_outage/* Outage */.a({ what: 'Reporting the status of steps', say, clock });
        this.#logOutage = new cloud_outage/* Outage */.a({ what: 'Sending log lines', say, clock });
        over.addEventListener('abort', this.#end, { once: true });
        if (over.aborted)
            this.#end();
    }
    begin(index, file) {
        this.#newest = index;
        const final = Promise.withResolvers();
        const reported = this.#tail.then(() => this.#report(index, file, final.promise));
        this.#tail = reported;
        return {
            finish: (status) => {
                final.resolve(status);
                return reported;
            },
        };
    }
    async settled() {
        this.#isEnded = true;
        const done = new AbortController();
        const watch = this.#watchTime(done.signal);
        await this.#tail;
        done.abort();
        await watch;
        this.#options.over.removeEventListener('abort', this.#end);
        return this.#isTold;
    }
    async #report(index, file, final) {
        const { api, clock, heartbeatSince, say, onTaken } = this.#options;
        await this.#tell(index, 'running');
        const upload = new Upload({
            index,
            file,
            api,
            clock,
            signal: this.#linesOver.signal,
            heartbeatSince,
            onTaken: (lines) => {
                this.#taken(this.#logOutage);
                onTaken(lines);
            },
            onFailure: (error) => this.#failed(error, this.#logOutage),
        });
        await upload.run().catch((error) => say('warning', (0,outcome/* messageOf */.bD)(error)));
        const status = await final;
        file.close();
        const { delivery } = upload;
        if (delivery.undelivered > 0) {
            say('warning', `${delivery.undelivered} log lines of step ${index} did not reach Pulumi Cloud; they are in the artifact.`);
        }
        const isTold = await this.#tell(index, status);
        if (index === this.#newest)
            this.#isTold = isTold;
        return delivery;
    }
    async #tell(index, status) {
        const { api, clock, heartbeatSince, say } = this.#options;
        const { signal } = this.#over;
        let refusedSince;
        for (let failures = 1; !signal.aborted; failures += 1) {
            try {
                await api.stepStatus(index, status, signal);
                this.#taken(this.#statusOutage);
                return true;
            }
            catch (error) {
                if (signal.aborted)
                    break;
                this.#failed(error, this.#statusOutage);
                refusedSince = isRefusal(error) ? (refusedSince ?? (0,lib_clock/* momentOf */.Et)(clock)) : undefined;
                const isLast = this.#isEnded && index === this.#newest && status !== 'running';
                const isRefused = refusedSince !== undefined && (0,lib_clock/* passedSince */.Pd)(refusedSince, clock).surely >= SKIP_MS;
                if (!isLast && isRefused && refusedSince !== undefined && heartbeatSince(refusedSince)) {
                    say('warning', `Pulumi Cloud was not told that step ${index} is ${status}: ${(0,outcome/* messageOf */.bD)(error)}`);
                    return false;
                }
                await pauseAfter(failures, error, clock, signal);
            }
        }
        return false;
    }
    #taken(outage) {
        this.#lastTaken = this.#options.clock.steady();
        this.#refusedSince = undefined;
        outage.over();
    }
    #failed(error, outage) {
        const { clock, hasEnded } = this.#options;
        outage.failed(error);
        this.#refusedSince = hasEnded() && isRefusal(error) ? (this.#refusedSince ?? clock.steady()) : undefined;
        if (clock.steady() - (this.#refusedSince ?? clock.steady()) >= ENDED_MS)
            this.#end();
    }
    async #watchTime(signal) {
        const { clock, timeoutMs } = this.#options;
        const ended = clock.steady();
        while (!signal.aborted) {
            const left = Math.max(ended, this.#lastTaken) + timeoutMs - clock.steady();
            const linesLeft = left - Math.min(STATUSES_MS, timeoutMs / 2);
            if (linesLeft <= 0)
                this.#linesOver.abort();
            if (left <= 0)
                return this.#end();
            await clock.sleep(linesLeft > 0 ? linesLeft : left, signal).catch(() => undefined);
        }
    }
    #end = () => {
        this.#linesOver.abort();
        this.#over.abort();
    };
}
function isRefusal(error) {
    const status = (0,errors/* refusedStatus */.PH)(error) ?? 503;
    return status <= 501 && status !== 408 && status !== 429;
}

// EXTERNAL MODULE: ./lib/log/plain-names.js
var plain_names = __webpack_require__(8491);
;// CONCATENATED MODULE: ./lib/job/secrets.js

const SECRET_NAME = /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE|(?:^|_)(?:PG)?PASS(?:_|$)|_PWD$/i;
const PLAIN_VALUE = /^(?:\d{1,6}|[A-Za-z]{1,20}(?:[-_/][A-Za-z]{1,20}){0,3})$/;
function suspectedSecrets(variables) {
    const suspect = Object.entries(variables).filter(([name, value]) => SECRET_NAME.test(name) || !((0,plain_names/* isPlainVariable */.fA)(name, value) || PLAIN_VALUE.test(value)));
    return (0,plain_names/* secretValues */.VX)(Object.fromEntries(suspect));
}
function jobSecrets({ definition, claim, environment }) {
    const forwarded = environment.forwarded.map((name) => [name, environment.variables[name] ?? '']);
    const unmarked = Object.entries(definition.env).map(([name, { value }]) => [name, value]);
    return [
        ...environment.marked,
        ...(definition.image.credentials === undefined ? [] : [definition.image.credentials.password]),
        ...(claim.oidcToken === undefined ? [] : [claim.oidcToken]),
        ...(0,plain_names/* secretValues */.VX)(Object.fromEntries(forwarded)),
        ...suspectedSecrets(Object.fromEntries(unmarked)),
    ];
}

// EXTERNAL MODULE: ./lib/target/target.js
var target = __webpack_require__(1568);
;// CONCATENATED MODULE: ./lib/job/interrupt.js
const TERM_MS = 10_000;
const KILL_MS = 10_000;
const DELIVERY_MS = 360_000;
const REMOVAL_MS = 10_000;
const GRACEFUL_REMOVAL_MS = 90_000;
async function interrupt(step, { clock, graceMs, stop, onSignal }) {
    const waits = [
        ['SIGINT', graceMs, TERM_MS + KILL_MS + REMOVAL_MS],
        ['SIGTERM', TERM_MS, KILL_MS + REMOVAL_MS],
        ['SIGKILL', KILL_MS, REMOVAL_MS],
    ];
    const before = (ms, rest, promises) => firstBefore({ clock, at: clock.steady() + ms, rest, stop }, promises);
    try {
        for (const [signal, ms, rest] of waits) {
            onSignal(signal);
            const sent = step
                .signal(signal)
                .catch(() => undefined)
                .then(() => 'sent');
            const delivery = signal === 'SIGINT' ? GRACEFUL_REMOVAL_MS : rest;
            const first = await before(DELIVERY_MS, delivery, [step.exit, sent]);
            if (first !== 'sent')
                return first;
            const exit = await before(ms, rest, [step.exit]);
            if (exit !== undefined)
                return exit;
        }
    }
    catch {
    }
    return undefined;
}
async function firstBefore({ clock, at, rest, stop }, promises) {
    const left = () => Math.max(0, Math.min(at, stop.endBy - rest) - clock.steady());
    for (;;) {
        const settled = new AbortController();
        const woken = clock.sleep(left(), AbortSignal.any([settled.signal, stop.hurry])).catch(() => undefined);
        try {
            const first = await Promise.race([...promises, woken.then(() => undefined)]);
            if (first !== undefined || left() === 0)
                return first;
        }
        finally {
            settled.abort();
        }
    }
}

;// CONCATENATED MODULE: ./lib/job/step.js




const KILLED_BUT_WELL = 'The kernel ended a process of the step for want of memory; the step itself succeeded. Look whether its work is whole.';
async function runStep(options) {
    const { container, spec, log, stop, clock, graceMs } = options;
    const ended = new AbortController();
    const expired = Promise.withResolvers();
    const timer = (0,lib_clock/* deadline */.nl)(options.timeoutMs, () => expired.resolve(`timed out after ${options.timeoutText}`));
    const stopped = Promise.withResolvers();
    const onStop = () => stopped.resolve(stop.stop?.reason ?? 'stopped');
    stop.signal.addEventListener('abort', onStop, { once: true });
    if (stop.signal.aborted)
        onStop();
    try {
        const process = await container.start(spec, (chunk) => log.write(chunk), ended.signal);
        process.exit.catch(() => undefined);
        const first = await Promise.race([process.exit, expired.promise, stopped.promise]);
        if (typeof first !== 'string') {
            if (first.code === 0 && first.outOfMemory) {
                void log.line(`[agent] ${KILLED_BUT_WELL}`);
                options.onNote?.(KILLED_BUT_WELL);
            }
            return exited(first);
        }
        const exit = await interrupt(process, {
            clock,
            graceMs,
            stop,
            onSignal: (signal) => void log.line(`[agent] Stopping the step: ${first}. Sending ${signal}.`),
        });
        if (exit === undefined)
            return { status: 'failed', reason: `${first}; the step did not end, so its container was removed` };
        if (exit.code === 0 && stop.stop !== undefined)
            return exited({ code: 0, outOfMemory: false });
        return { status: 'failed', exitCode: exit.code, reason: first };
    }
    catch (error) {
        if (error instanceof target/* ContainerLostError */.kL)
            return { status: 'failed', reason: error.reason ?? error.message };
        if (error instanceof job_stop/* StopRequested */.v)
            return { status: 'failed', reason: error.stop.reason };
        throw error;
    }
    finally {
        timer.clear();
        ended.abort();
        stop.signal.removeEventListener('abort', onStop);
    }
}
function exited({ code: exitCode, outOfMemory, interruption }) {
    if (exitCode === 0)
        return { status: 'succeeded', exitCode };
    if (outOfMemory)
        return { status: 'failed', exitCode, reason: `ran out of memory (exit code ${exitCode})` };
    return { status: 'failed', exitCode, ...(interruption === undefined ? {} : { reason: interruption }) };
}

// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(7598);
// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: external "node:util"
var external_node_util_ = __webpack_require__(7975);
;// CONCATENATED MODULE: ./lib/log/change.js
class Change {
    #waiting = new Set();
    #version = 0;
    get version() {
        return this.#version;
    }
    tell() {
        this.#version += 1;
        for (const wake of this.#waiting)
            wake();
    }
    async after(version, signal) {
        if (this.#version !== version || signal.aborted)
            return;
        const { promise, resolve } = Promise.withResolvers();
        const wake = () => resolve();
        this.#waiting.add(wake);
        signal.addEventListener('abort', wake, { once: true });
        await promise;
        signal.removeEventListener('abort', wake);
        this.#waiting.delete(wake);
    }
}

;// CONCATENATED MODULE: ./lib/log/line-times.js
const MOST_ENTRIES = 16_384;
class LineTimes {
    #positions = [];
    #times = [];
    add(position, time) {
        if (this.#times.at(-1) === time)
            return;
        if (this.#positions.length === MOST_ENTRIES)
            this.#thin();
        this.#positions.push(position);
        this.#times.push(time);
    }
    at(position) {
        return this.#times[this.#entry(position)] ?? 0;
    }
    forget(position) {
        const entry = this.#entry(position);
        if (entry === 0)
            return;
        this.#positions.splice(0, entry);
        this.#times.splice(0, entry);
    }
    #entry(position) {
        let low = 0;
        for (let high = this.#positions.length; low < high;) {
            const middle = (low + high) >> 1;
            if ((this.#positions[middle] ?? 0) <= position)
                low = middle + 1;
            else
                high = middle;
        }
        return Math.max(0, low - 1);
    }
    #thin() {
        const isKept = (_, index) => index % 2 === 0;
        this.#positions = this.#positions.filter(isKept);
        this.#times = this.#times.filter(isKept);
    }
}

;// CONCATENATED MODULE: ./lib/log/waiting-bytes.js
const START_BYTES = 64 * 1024;
class WaitingBytes {
    #bytes = Buffer.allocUnsafeSlow(START_BYTES);
    #spare = Buffer.allocUnsafeSlow(START_BYTES);
    #length = 0;
    get length() {
        return this.#length;
    }
    add(bytes) {
        const length = this.#length + bytes.length;
        if (length > this.#bytes.length) {
            const larger = Buffer.allocUnsafeSlow(length * 2);
            this.#bytes.copy(larger, 0, 0, this.#length);
            this.#bytes = larger;
        }
        bytes.copy(this.#bytes, this.#length);
        this.#length = length;
    }
    take() {
        const taken = this.#bytes.subarray(0, this.#length);
        [this.#bytes, this.#spare] = [this.#spare, this.#bytes];
        this.#length = 0;
        return taken;
    }
    putBack(bytes) {
        const all = Buffer.concat([bytes, this.#bytes.subarray(0, this.#length)]);
        this.#bytes = all;
        this.#length = all.length;
    }
    dropFirst(count) {
        this.#bytes.copyWithin(0, count, this.#length);
        this.#length -= count;
    }
    copy(start, end) {
        return Buffer.from(this.#bytes.subarray(start, Math.min(end, this.#length)));
    }
}

;// CONCATENATED MODULE: ./lib/log/step-file.js







const HIGH_WATER = 64 * 1024;
const MOST_WAITING = 4 * 1024 * 1024;
const step_file_AGAIN_MS = 1_000;
const readSome = (0,external_node_util_.promisify)(external_node_fs_.read);
const writeSome = (0,external_node_util_.promisify)(external_node_fs_.write);
class StepFileError extends Error {
    name = 'StepFileError';
    constructor(action, path, cause) {
        super(`Failed to ${action} the step log ${path}: ${(0,outcome/* messageOf */.bD)(cause)}. Check the disk's free space and the folder's permissions.`, { cause });
    }
}
class StepFile {
    change = new Change();
    #options;
    #descriptor;
    #hash = (0,external_node_crypto_.createHash)('sha256');
    #times = new LineTimes();
    #pending = new WaitingBytes();
    #written = 0;
    #bytes = 0;
    #lines = 0;
    #lost = 0;
    #lostHere = 0;
    #trouble;
    #flushing;
    #room;
    #ended = new AbortController();
    #ending;
    #isWhole = false;
    #sha256;
    constructor(options) {
        this.#options = options;
        try {
            this.#descriptor = (0,external_node_fs_.openSync)(options.path, 'ax+', 0o600);
        }
        catch (error) {
            this.#fail(new StepFileError('create', options.path, error));
        }
    }
    get totals() {
        return { lines: this.#lines, bytes: this.#bytes, lost: this.#lost };
    }
    get sha256() {
        return this.#sha256;
    }
    get size() {
        return this.#written + (this.#trouble === undefined ? 0 : this.#pending.length);
    }
    get isWhole() {
        return this.#isWhole;
    }
    get ended() {
        return this.#ended.signal;
    }
    write(bytes, lines, time) {
        if (this.#trouble !== undefined && this.#pending.length + bytes.length > MOST_WAITING) {
            this.#lost += Math.max(1, lines);
            this.#lostHere += Math.max(1, lines);
            return undefined;
        }
        this.#sayLoss(time);
        this.#append(bytes, lines, time);
        this.#flush();
        if (this.#trouble !== undefined || this.#pending.length <= HIGH_WATER)
            return undefined;
        this.#room ??= Promise.withResolvers();
        return this.#room.promise;
    }
    end(time) {
        this.#ending ??= this.#finish(time);
        return this.#ending;
    }
    async read(position, most) {
        if (this.#descriptor === undefined || position >= this.#written) {
            const start = position - this.#written;
            return this.#pending.copy(start, start + most);
        }
        const length = Math.min(most, this.#written - position);
        const { bytesRead, buffer } = await readSome(this.#descriptor, Buffer.allocUnsafe(length), 0, length, position);
        return buffer.subarray(0, bytesRead);
    }
    timeAt(position) {
        return this.#times.at(position);
    }
    release(position) {
        this.#times.forget(position);
        if (this.#descriptor !== undefined)
            return;
        this.#pending.dropFirst(position - this.#written);
        this.#written = position;
    }
    close() {
        if (this.#descriptor !== undefined)
            (0,external_node_fs_.closeSync)(this.#descriptor);
        this.#descriptor = undefined;
    }
    #append(bytes, lines, time) {
        this.#times.add(this.#bytes, time);
        this.#bytes += bytes.length;
        this.#lines += lines;
        this.#pending.add(bytes);
        if (this.#trouble !== undefined)
            this.change.tell();
    }
    #sayLoss(time) {
        if (this.#lostHere === 0)
            return;
        const sentence = `[agent] ${this.#lostHere} lines are missing here: ${(0,outcome/* messageOf */.bD)(this.#trouble?.cause ?? 'the disk took nothing')}.\n`;
        this.#lostHere = 0;
        this.#append(Buffer.from(sentence), 1, time);
    }
    #flush() {
        if (this.#descriptor !== undefined)
            this.#flushing ??= this.#run(this.#descriptor);
    }
    async #run(descriptor) {
        while (this.#pending.length > 0) {
            const isLastTry = this.#ended.signal.aborted;
            try {
                await this.#writeAll(descriptor, this.#pending.take());
            }
            catch (error) {
                this.#fail(new StepFileError('write', this.#options.path, error));
                if (isLastTry)
                    break;
                await this.#options.clock.sleep(step_file_AGAIN_MS, this.#ended.signal).catch(() => undefined);
            }
        }
        this.#flushing = undefined;
        this.change.tell();
    }
    async #writeAll(descriptor, bytes) {
        let done = 0;
        try {
            while (done < bytes.length) {
                const { bytesWritten } = await writeSome(descriptor, bytes, done, bytes.length - done, null);
                this.#hash.update(bytes.subarray(done, done + bytesWritten));
                done += bytesWritten;
                this.#written += bytesWritten;
            }
            this.#trouble = undefined;
            this.#makeRoom();
        }
        catch (error) {
            this.#pending.putBack(bytes.subarray(done));
            throw error;
        }
        finally {
            this.change.tell();
        }
    }
    #fail(error) {
        const isNew = this.#trouble === undefined;
        this.#trouble = error;
        this.#makeRoom();
        if (isNew)
            this.#options.onTrouble(error);
    }
    #makeRoom() {
        this.#room?.resolve();
        this.#room = undefined;
    }
    async #finish(time) {
        this.#sayLoss(time);
        this.#ended.abort();
        await this.#flushing;
        this.#flush();
        await this.#flushing;
        const isAll = this.#descriptor !== undefined && this.#pending.length === 0;
        if (isAll)
            this.#sha256 = this.#hash.digest('hex');
        this.#isWhole = true;
        this.change.tell();
        if (!isAll && this.#bytes > 0 && this.#trouble !== undefined)
            throw this.#trouble;
    }
}

// EXTERNAL MODULE: external "node:buffer"
var external_node_buffer_ = __webpack_require__(4573);
;// CONCATENATED MODULE: ./lib/log/redacted-text.js

class RedactedText {
    #stream;
    #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    #torn = false;
    constructor(redactor) {
        this.#stream = redactor.stream();
    }
    push(chunk) {
        if (!this.#torn && (0,external_node_buffer_.isAscii)(chunk)) {
            const out = this.#stream.pushAscii(chunk);
            return typeof out === 'string' ? Buffer.from(out) : out;
        }
        this.#torn = (chunk.at(-1) ?? (this.#torn ? 0x80 : 0)) >= 0x80;
        return Buffer.from(this.#stream.push(this.#decoder.decode(chunk, { stream: true })));
    }
    end() {
        return Buffer.from(this.#stream.push(this.#decoder.decode()) + this.#stream.end());
    }
}

;// CONCATENATED MODULE: ./lib/log/step-log.js


class StepLog {
    #options;
    #text;
    #splitter = new LineSplitter();
    #ending;
    #latest = 0;
    constructor(options) {
        this.#options = options;
        this.#text = new RedactedText(options.redactor);
    }
    write(chunk) {
        if (this.#ending !== undefined)
            return undefined;
        return this.#hand((take) => this.#splitter.push(this.#text.push(chunk), take));
    }
    line(text) {
        if (this.#ending !== undefined)
            return undefined;
        const before = this.#splitter.unfinished ? '\n' : '';
        const bytes = Buffer.from(`${before}${this.#options.redactor.text(text)}\n`);
        return this.#hand((take) => this.#splitter.push(bytes, take));
    }
    end() {
        this.#ending ??= this.#finish();
        return this.#ending;
    }
    async #finish() {
        await this.#hand((take) => {
            this.#splitter.push(this.#text.end(), take);
            this.#splitter.end(take);
        });
        await this.#options.file.end(this.#now());
    }
    #now() {
        this.#latest = Math.max(this.#latest, this.#options.now());
        return this.#latest;
    }
    #hand(make) {
        const { file, onBytes } = this.#options;
        const now = this.#now();
        let wait;
        make((bytes, count, isPartial) => {
            onBytes?.(bytes.length);
            wait = file.write(bytes, isPartial ? 0 : count, now) ?? wait;
        });
        return wait;
    }
}

;// CONCATENATED MODULE: ./lib/job/step-journal.js




class StepJournal {
    #options;
    #results = new Map();
    #deliveries = new Map();
    #names = [];
    constructor(options) {
        this.#options = options;
    }
    get names() {
        return this.#names;
    }
    expect(names) {
        this.#names = names;
    }
    begin(index) {
        const { reports, redactor, clock, stepLog, event, notice, onLog } = this.#options;
        const name = this.#names[index] ?? `Step ${index}`;
        const { relative, absolute } = stepLog(index, name);
        const file = new StepFile({ path: absolute, clock, onTrouble: (error) => notice(error.message) });
        const report = reports.begin(index, file);
        const log = new StepLog({ redactor, file, now: () => clock.now(), onBytes: (bytes) => onLog?.({ bytes }) });
        const started = (0,lib_clock/* momentOf */.Et)(clock);
        event({ type: 'step-started', index, step: name, log: relative });
        return {
            log,
            finish: async (end) => {
                await log.end().catch(() => undefined);
                const { lost, ...totals } = file.totals;
                if (lost > 0)
                    notice(`${lost} lines of step ${index} were lost: neither disk nor memory could hold them.`);
                const { sha256 } = file;
                const delivery = report.finish(end.status);
                delivery.then(({ undelivered }) => onLog?.({ undelivered })).catch(() => undefined);
                this.#deliveries.set(index, delivery);
                const seconds = (0,lib_clock/* passedSince */.Pd)(started, clock).surely / 1000;
                event({ type: 'step-finished', index, step: name, seconds, lines: totals.lines, ...end });
                this.#results.set(index, {
                    index,
                    name,
                    ...end,
                    startedAt: new Date(started.now).toISOString(),
                    finishedAt: new Date(clock.now()).toISOString(),
                    log: relative,
                    ...totals,
                    ...(lost > 0 && { lost }),
                    ...(sha256 !== undefined && { sha256 }),
                    cloud: NOTHING_SENT,
                });
            },
        };
    }
    async results() {
        return Promise.all(this.#names.map(async (name, index) => {
            const result = this.#results.get(index);
            if (result === undefined)
                return { index, name, status: 'not-started', lines: 0, bytes: 0, cloud: NOTHING_SENT };
            const cloud = (await this.#deliveries.get(index)) ?? { ...NOTHING_SENT, undelivered: result.lines };
            return { ...result, cloud };
        }));
    }
}

;// CONCATENATED MODULE: ./lib/job/timeout.js


function timeoutMs(timeout, of) {
    if (timeout === undefined)
        return undefined;
    try {
        return (0,duration/* durationFromJob */.SO)(timeout) || undefined;
    }
    catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new errors/* JobDefinitionError */.p2(`Failed to read the timeout for ${of}: ${reason}. Correct it in the stack's deployment settings.`, { cause });
    }
}
function checkTimeouts(definition) {
    timeoutMs(definition.timeout, 'the job');
    for (const [index, step] of definition.steps.entries())
        timeoutMs(step.timeout, `step ${index}`);
}

;// CONCATENATED MODULE: ./lib/job/job.js













const DEFAULT_IMAGE = 'pulumi/pulumi:latest';
const NOTHING_RUN = 'No step was run.';
async function runJob(options) {
    return new Job(options).run();
}
class Job {
    #options;
    #reports;
    #journal;
    #container;
    #forwarded = [];
    #image;
    constructor(options) {
        this.#options = options;
        const { reportTimeoutMs: timeoutMs, onLog, say } = options;
        this.#reports = new Reports({ ...options, timeoutMs, onTaken: (sent) => onLog?.({ sent }) });
        this.#journal = new StepJournal({
            ...options,
            reports: this.#reports,
            notice: (message) => say('warning', message),
        });
        this.#container = new OwnedContainer(options);
    }
    async run() {
        let end;
        try {
            end = await this.#run();
        }
        catch (error) {
            end = this.#verdict(error, 'The stack may need a refresh.');
        }
        this.#options.onStepsEnded();
        const left = await this.#container.remove();
        if (left !== undefined)
            this.#options.say('warning', left);
        const isReported = await this.#reports.settled();
        const { imageDigest } = this.#container;
        return {
            ...reportedEnd(end, isReported),
            steps: await this.#journal.results(),
            forwarded: this.#forwarded,
            ...(this.#image === undefined ? {} : { image: this.#image }),
            ...(imageDigest === undefined ? {} : { imageDigest }),
        };
    }
    async #run() {
        const { stop, event, image: override } = this.#options;
        let definition;
        try {
            definition = await readDefinition(this.#options);
            checkTimeouts(definition);
        }
        catch (error) {
            return this.#failedBeforeSteps(error);
        }
        const environment = this.#environment(definition);
        const image = override ?? definition.image.reference ?? DEFAULT_IMAGE;
        this.#image = image;
        this.#journal.expect(definition.steps.map((step, index) => step.name ?? `Step ${index}`));
        event({ type: 'job-loaded', image, steps: this.#journal.names });
        const limit = timeoutMs(definition.timeout, 'the job');
        const timer = (0,lib_clock/* deadline */.nl)(limit, () => {
            stop.request({ by: 'timeout', reason: `the job timed out after ${(0,duration/* formatDuration */.a3)(limit ?? 0)}` });
        });
        try {
            const prepared = await this.#prepare(image, definition, environment);
            if (prepared !== undefined)
                return prepared;
            return await this.#steps(definition, environment);
        }
        finally {
            timer.clear();
        }
    }
    #environment(definition) {
        const { claim, secrets, say } = this.#options;
        const environment = jobEnvironment({ ...this.#options, definition });
        secrets.add(jobSecrets({ definition, claim, environment }));
        this.#forwarded = environment.forwarded;
        for (const warning of environment.warnings)
            say('warning', warning);
        return environment;
    }
    async #prepare(image, definition, environment) {
        const { stop, redactor } = this.#options;
        const step = this.#journal.begin(0);
        try {
            await this.#container.prepare({ image, definition, environment }, {
                progress: async (line) => step.log.line(line),
                whileStarting: () => redactor.prepare(),
                signal: stop.signal,
            });
        }
        catch (error) {
            return await this.#failed(step, error);
        }
        await step.finish({ status: 'succeeded' });
        return undefined;
    }
    async #steps(definition, environment) {
        const { stop } = this.#options;
        const variables = { ...environment.variables };
        const last = definition.steps.length - 1;
        for (const [index, step] of definition.steps.entries()) {
            if (index === 0)
                continue;
            const { log, finish } = this.#journal.begin(index);
            let end = stop.stop === undefined ? await this.#step(definition, step, variables, log) : notRun(stop);
            if (end.status === 'succeeded' && index < last)
                end = await this.#takeEnvironment(end, variables);
            if (end.reason !== undefined)
                await log.line(`[agent] The step failed: ${(0,outcome/* clause */.sb)(end.reason)}.`);
            if (end.status === 'failed' || index === last)
                void this.#container.remove();
            await finish(end);
            if (end.status === 'failed') {
                return verdictOnStep(`step ${index} "${this.#journal.names[index]}"`, end, stop.stop);
            }
        }
        if (stop.stop?.by === 'cloud')
            return this.#verdict(new job_stop/* StopRequested */.v(stop.stop), 'Every step had succeeded.');
        return { outcome: 'succeeded', message: 'Every step of the workflow succeeded.' };
    }
    async #takeEnvironment(end, variables) {
        const { stop, secrets } = this.#options;
        try {
            const written = parseEnvironmentFile(await this.#container.environmentFile(stop.signal));
            secrets.add(suspectedSecrets(written));
            Object.assign(variables, written);
            return end;
        }
        catch (error) {
            return stop.stop === undefined ? { ...end, status: 'failed', reason: (0,outcome/* messageOf */.bD)(error) } : end;
        }
    }
    async #step(definition, step, variables, log) {
        const { stop, clock, graceMs } = this.#options;
        const limit = timeoutMs(step.timeout, 'the step');
        const running = runStep({
            container: this.#container.running,
            spec: {
                shell: definition.shell,
                script: step.run,
                environment: variables,
                ...(step.workingDir === undefined ? {} : { workingDirectory: step.workingDir }),
            },
            log,
            stop,
            clock,
            graceMs,
            onNote: (note) => this.#options.say('warning', `${step.name ?? 'A step'}: ${note}`),
            ...(limit === undefined ? {} : { timeoutMs: limit, timeoutText: (0,duration/* formatDuration */.a3)(limit) }),
        });
        return running.catch((error) => ({
            status: 'failed',
            reason: (0,outcome/* messageOf */.bD)(error),
        }));
    }
    async #failedBeforeSteps(error) {
        this.#journal.expect(['Setup']);
        return this.#failed(this.#journal.begin(0), error);
    }
    async #failed(setup, error) {
        const end = this.#verdict(error, NOTHING_RUN);
        await setup.log.line(end.message);
        await setup.finish({ status: 'failed', reason: end.message });
        return end;
    }
    #verdict(error, left) {
        return verdictOn(error, this.#options.stop.stop, left);
    }
}
function notRun(stop) {
    return { status: 'failed', reason: `not run: ${stop.stop?.reason ?? 'the run was stopped'}` };
}


/***/ }),

/***/ 3531:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   G: () => (/* binding */ StopSource),
/* harmony export */   v: () => (/* binding */ StopRequested)
/* harmony export */ });
class StopSource {
    #controller = new AbortController();
    #abandoned = new AbortController();
    #hurry = new AbortController();
    #stop;
    #endBy = Number.POSITIVE_INFINITY;
    get signal() {
        return this.#controller.signal;
    }
    get stop() {
        return this.#stop;
    }
    get endBy() {
        return this.#endBy;
    }
    get hurry() {
        return this.#hurry.signal;
    }
    get reportsAbandoned() {
        return this.#abandoned.signal;
    }
    request(stop) {
        const { endBy = Number.POSITIVE_INFINITY } = stop;
        if (endBy < this.#endBy) {
            const moved = this.#hurry;
            this.#endBy = endBy;
            this.#hurry = new AbortController();
            moved.abort();
        }
        if (this.#stop !== undefined)
            return;
        this.#stop = stop;
        this.#controller.abort(new StopRequested(stop));
    }
    abandonReports() {
        this.#abandoned.abort();
    }
}
class StopRequested extends Error {
    name = 'StopRequested';
    stop;
    constructor(stop) {
        super(stop.reason);
        this.stop = stop;
    }
}


/***/ })

};
