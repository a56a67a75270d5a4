export const id = 949;
export const ids = [949];
export const modules = {

/***/ 21101:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  WK: () => (/* binding */ consoleLine),
  wh: () => (/* binding */ plainText),
  fd: () => (/* binding */ uncolouredLine)
});

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
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/gu;
function consoleLine(text) {
    return defused(stripControl(visibleBreaks(text), { colours: true }));
}
function uncolouredLine(text) {
    return defused(stripControl(visibleBreaks(text)));
}
function plainText(text, maxLength = 500) {
    const stripped = stripControl(text.slice(0, maxLength * 4).replace(/\s+/g, ' ')).replace(DIRECTION, '');
    const plain = defused(stripped.replace(/\s+/g, ' ').trim());
    return plain.length > maxLength ? `${plain.slice(0, maxLength - 1)}…` : plain;
}
function visibleBreaks(text) {
    return text
        .replace(/\r+$/, '')
        .replaceAll('\r', '␍')
        .replace(/[\u2028\u2029]/g, '␤');
}
function defused(line) {
    return line.replace(COMMAND_AT_START, '$1 ').replace(COMMAND_ANYWHERE, '$& ');
}


/***/ }),

/***/ 56923:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   C7: () => (/* binding */ Console),
/* harmony export */   r6: () => (/* binding */ TAIL_LINES)
/* harmony export */ });
/* unused harmony export MAX_STEP_BYTES */
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(76760);
/* harmony import */ var _actions_core__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(33838);
/* harmony import */ var _console_text_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(21101);
/* harmony import */ var _growing_lines_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(8137);
/* harmony import */ var _quantity_text_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(45237);





const MAX_STEP_BYTES = 10 * 1024 * 1024;
const TAIL_LINES = 20;
const MAX_TAIL_CHARACTERS = 3_500;
const WAITING_EVERY_MS = 60_000;
class Console {
    #directory;
    #write;
    #now;
    #maxStepBytes;
    #stepBytes = 0;
    #inGroup = false;
    #waitingShown = Number.NEGATIVE_INFINITY;
    constructor({ directory, write, now, maxStepBytes = MAX_STEP_BYTES }) {
        this.#directory = directory;
        this.#write = write;
        this.#now = now;
        this.#maxStepBytes = maxStepBytes;
    }
    async resumed(step) {
        this.#openGroup(`${stepTitle(step.index, step.name)} (continued)`);
    }
    async lines(step, lines) {
        const shown = [];
        for (const line of lines) {
            const text = `${(0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__/* .consoleLine */ .WK)(line.text)}${pointer(line, step)}\n`;
            this.#stepBytes += Buffer.byteLength(text);
            if (this.#stepBytes > this.#maxStepBytes) {
                shown.push(`… The console shows no more of this step; all of it is in ${step.log} of the run directory.\n`);
                await this.#write(shown.join(''));
                return false;
            }
            shown.push(text);
        }
        await this.#write(shown.join(''));
        return true;
    }
    async trouble(message) {
        _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .warning */ .$e((0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__/* .plainText */ .wh)(message));
    }
    close() {
        if (this.#inGroup)
            _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .endGroup */ .N4();
        this.#inGroup = false;
    }
    async event(event, step) {
        switch (event.type) {
            case 'agent-started':
                return this.#say(`Agent ${event.version} started (process ${event.owner.pid}).`);
            case 'health-listening':
                return this.#say(`Health: ${event.url}`);
            case 'target-ready':
                return this.#say(`Jobs run on ${event.target}: ${event.detail}`);
            case 'authenticated':
                return this.#say(`Signed in to Pulumi Cloud with ${event.method === 'oidc' ? "this job's ID token" : 'a pool token'}.`);
            case 'waiting':
                return this.#waiting(event.nextPollSeconds);
            case 'claimed':
                return this.#say(`Claimed deployment ${event.deploymentId} after ${(0,_quantity_text_js__WEBPACK_IMPORTED_MODULE_4__/* .duration */ .p)(event.waitSeconds)}.`);
            case 'job-loaded':
                return this.#say(`Image ${event.image}, ${event.steps.length} steps.`);
            case 'step-started':
                this.#stepBytes = 0;
                return this.#openGroup(stepTitle(event.index, event.step));
            case 'step-finished':
                return this.#stepFinished(event, step?.log);
            case 'stopping':
                return this.#say(`Stopping: ${event.reason}`);
            case 'notice':
                if (event.level === 'info')
                    return this.#say(event.message);
                _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .warning */ .$e((0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__/* .plainText */ .wh)(event.message));
                return;
            case 'outcome':
                return this.close();
        }
    }
    #say(sentence) {
        _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .info */ .pq((0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__/* .plainText */ .wh)(sentence, 2_000));
    }
    #waiting(nextPollSeconds) {
        const now = this.#now();
        if (now - this.#waitingShown < WAITING_EVERY_MS)
            return;
        this.#waitingShown = now;
        this.#say(`Waiting for a deployment; asking again in ${(0,_quantity_text_js__WEBPACK_IMPORTED_MODULE_4__/* .duration */ .p)(nextPollSeconds)}.`);
    }
    #openGroup(title) {
        this.close();
        _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .startGroup */ .Oh(title);
        this.#inGroup = true;
    }
    async #stepFinished(event, log) {
        this.close();
        const title = stepTitle(event.index, event.step);
        const figures = `${(0,_quantity_text_js__WEBPACK_IMPORTED_MODULE_4__/* .duration */ .p)(event.seconds)}, ${(0,_quantity_text_js__WEBPACK_IMPORTED_MODULE_4__/* .lineCount */ .I)(event.lines)}`;
        if (event.status === 'succeeded')
            return this.#say(`${title} succeeded (${figures}).`);
        const code = event.exitCode === undefined ? '' : ` with exit code ${event.exitCode}`;
        const reason = event.reason === undefined ? '' : `: ${event.reason}`;
        const tail = log === undefined ? [] : await this.#tail(log);
        _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .error */ .z3([(0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__/* .plainText */ .wh)(`${title} failed${code} (${figures})${reason}`, 500), ...tail].join('\n'), {
            title: (0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__/* .plainText */ .wh)(`${event.step} failed`, 100),
        });
    }
    async #tail(log) {
        const lines = await (0,_growing_lines_js__WEBPACK_IMPORTED_MODULE_3__/* .lastLines */ .w)((0,node_path__WEBPACK_IMPORTED_MODULE_0__.join)(this.#directory, log), TAIL_LINES);
        const shown = lines.map((line) => (0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__/* .uncolouredLine */ .fd)(line).slice(0, 500));
        while (shown.join('\n').length > MAX_TAIL_CHARACTERS)
            shown.shift();
        return shown;
    }
}
function stepTitle(index, name) {
    return `Step ${index}: ${(0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__/* .plainText */ .wh)(name, 200)}`;
}
function pointer(line, step) {
    return line.cutBytes === 0 ? '' : ` … (${line.cutBytes} more bytes: see ${step.log} of the run directory)`;
}


/***/ }),

/***/ 8137:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   w: () => (/* binding */ lastLines),
/* harmony export */   x: () => (/* binding */ GrowingLines)
/* harmony export */ });
/* harmony import */ var node_fs_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(51455);

const CHUNK_BYTES = 64 * 1024;
const LF = 0x0a;
class GrowingLines {
    #path;
    #maxLineBytes;
    #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    #file;
    #read;
    #done;
    #kept = [];
    #keptBytes = 0;
    constructor(path, offset, maxLineBytes) {
        this.#path = path;
        this.#read = offset;
        this.#done = offset;
        this.#maxLineBytes = maxLineBytes;
    }
    get offset() {
        return this.#done;
    }
    async size() {
        const file = await this.#opened();
        return file === undefined ? 0 : (await file.stat()).size;
    }
    async next(until = Number.POSITIVE_INFINITY) {
        const file = await this.#opened();
        const wanted = Math.min(CHUNK_BYTES, until - this.#read);
        if (file === undefined || wanted <= 0)
            return undefined;
        const { bytesRead } = await file.read(this.#chunk, 0, wanted, this.#read);
        if (bytesRead === 0)
            return undefined;
        return this.#split(this.#chunk.subarray(0, bytesRead));
    }
    flush() {
        return this.#read === this.#done ? undefined : this.#take(this.#read);
    }
    async skip() {
        this.#read = Math.max(this.#read, await this.size());
        this.#take(this.#read);
    }
    async [Symbol.asyncDispose]() {
        await this.#file?.close();
        this.#file = undefined;
    }
    async #opened() {
        if (this.#file !== undefined)
            return this.#file;
        try {
            this.#file = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.open)(this.#path, 'r');
            return this.#file;
        }
        catch (error) {
            if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
                return undefined;
            throw error;
        }
    }
    #split(bytes) {
        const lines = [];
        let start = 0;
        for (let lf = bytes.indexOf(LF); lf >= 0; lf = bytes.indexOf(LF, start)) {
            this.#keep(bytes.subarray(start, lf), false);
            start = lf + 1;
            lines.push(this.#take(this.#read + start, 1));
        }
        this.#keep(bytes.subarray(start), true);
        this.#read += bytes.length;
        return lines;
    }
    #keep(bytes, copy) {
        const room = bytes.subarray(0, this.#maxLineBytes - this.#keptBytes);
        if (room.length === 0)
            return;
        this.#kept.push(copy ? Buffer.from(room) : room);
        this.#keptBytes += room.length;
    }
    #take(end, lineEndBytes = 0) {
        const cutBytes = end - this.#done - lineEndBytes - this.#keptBytes;
        const text = Buffer.concat(this.#kept).toString('utf8');
        const line = { text: cutBytes > 0 ? text.replace(/\ufffd+$/, '') : text, cutBytes, end };
        this.#kept = [];
        this.#keptBytes = 0;
        this.#done = end;
        return line;
    }
}
async function lastLines(path, count, maxBytes = CHUNK_BYTES) {
    let file;
    try {
        file = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.open)(path, 'r');
    }
    catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
            return [];
        throw error;
    }
    try {
        const { size } = await file.stat();
        const start = Math.max(0, size - maxBytes);
        const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
        const lines = buffer.subarray(0, bytesRead).toString('utf8').split('\n');
        if (lines.at(-1) === '')
            lines.pop();
        if (start > 0 && lines.length > 1)
            lines.shift();
        return lines.slice(-count);
    }
    finally {
        await file.close();
    }
}


/***/ }),

/***/ 64949:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  m: () => (/* binding */ publish),
  I: () => (/* binding */ publishSummary)
});

// EXTERNAL MODULE: ./node_modules/@actions/core/lib/core.js + 7 modules
var core = __webpack_require__(33838);
// EXTERNAL MODULE: ./lib/action/console-text.js + 1 modules
var console_text = __webpack_require__(21101);
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
        const cause = (0,console_text/* plainText */.wh)(messageOf(error));
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

// EXTERNAL MODULE: ./lib/action/console.js
var console = __webpack_require__(56923);
// EXTERNAL MODULE: ./lib/action/growing-lines.js
var growing_lines = __webpack_require__(8137);
// EXTERNAL MODULE: ./lib/action/quantity-text.js
var quantity_text = __webpack_require__(45237);
;// CONCATENATED MODULE: ./lib/action/publish/summary.js






const MAX_SUMMARY_BYTES = (/* unused pure expression or super */ null && (1024 * 1024));
const MAX_MESSAGE_LINES = 50;
const MAX_ROWS = 100;
const MAX_NAMES = 100;
const MAX_NOTICES = 20;
const MAX_TAIL_LINE = 500;
const TITLES = {
    succeeded: 'Pulumi workflow succeeded',
    'no-work': 'No Pulumi workflow was queued',
    failed: 'Pulumi workflow failed',
    'config-error': 'The configuration cannot be used',
    'auth-error': 'Pulumi Cloud refused the credentials',
    'cloud-unreachable': 'Pulumi Cloud could not be reached',
    'target-error': 'The job could not be run here',
    cancelled: 'Pulumi workflow was cancelled in Pulumi Cloud',
    interrupted: 'Pulumi workflow was interrupted by the CI job',
    'lease-lost': 'Pulumi workflow was stopped: no heartbeat was accepted',
};
async function writeSummary({ file, report, runDirectory, artifact }) {
    const log = failedStep(report)?.log;
    const tail = log === undefined ? [] : await (0,growing_lines/* lastLines */.w)((0,external_node_path_.join)(runDirectory, log), console/* TAIL_LINES */.r6);
    await (0,promises_.appendFile)(file, renderSummary({ report, tail, ...(artifact !== undefined && { artifact }) }));
}
function renderSummary({ report, artifact, tail }) {
    const parts = [
        `## ${TITLES[report.outcome]}`,
        message(report.message),
        facts(report, artifact),
        stepTable(report.steps),
        tailBlock(failedStep(report), tail),
        notices(report.notices),
    ];
    return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
function escapeHtml(text) {
    const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
    return text.toWellFormed().replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
function message(value) {
    const lines = value.split('\n').slice(0, MAX_MESSAGE_LINES);
    return `<p>${lines.map((line) => escapeHtml((0,console_text/* plainText */.wh)(line))).join('<br>')}</p>`;
}
function code(value, maxLength = 200) {
    return `<code>${escapeHtml((0,console_text/* plainText */.wh)(value, maxLength))}</code>`;
}
function facts(report, artifact) {
    const images = [report.image, report.imageDigest].filter((name) => name !== undefined);
    const rows = [];
    if (report.deploymentId !== undefined)
        rows.push(['Deployment', summary_link(report.deploymentId, report.consoleUrl)]);
    if (report.jobId !== undefined)
        rows.push(['Job', code(report.jobId)]);
    if (images.length > 0)
        rows.push(['Image', images.map((name) => code(name, 500)).join('<br>')]);
    if (report.waitSeconds !== undefined)
        rows.push(['Waited', (0,quantity_text/* duration */.p)(report.waitSeconds)]);
    if (report.runSeconds !== undefined)
        rows.push(['Ran', (0,quantity_text/* duration */.p)(report.runSeconds)]);
    if (report.forwarded.length > 0)
        rows.push(['Forwarded variables', names(report.forwarded)]);
    if (artifact !== undefined)
        rows.push(['Logs', summary_link(artifact.name, artifact.url)]);
    return table(rows.map(([name, value]) => [`<b>${name}</b>`, value]));
}
function names(all) {
    const more = all.length > MAX_NAMES ? ` and ${all.length - MAX_NAMES} more` : '';
    return `${all
        .slice(0, MAX_NAMES)
        .map((name) => code(name))
        .join(' ')}${more}`;
}
function summary_link(label, address) {
    if (address === undefined || address.length > 2_000 || !/^https?:\/\/[^\s\p{Cc}]+$/u.test(address))
        return code(label);
    return `<a href="${escapeHtml(address)}">${code(label)}</a>`;
}
function stepTable(steps) {
    if (steps.length === 0)
        return '';
    const reasons = steps.some(({ reason }) => reason !== undefined) ? ['Reason'] : [];
    const header = ['Step', 'Status', 'Duration', 'Lines', 'Exit code', ...reasons].map((title) => `<b>${title}</b>`);
    const rows = steps
        .slice(0, MAX_ROWS)
        .map((step) => [
        `${step.index} ${code(step.name)}`,
        step.status,
        step.seconds === undefined ? '' : (0,quantity_text/* duration */.p)(step.seconds),
        step.lines === undefined ? '' : String(step.lines),
        step.exitCode === undefined ? '' : String(step.exitCode),
        ...reasons.map(() => escapeHtml((0,console_text/* plainText */.wh)(step.reason ?? '', 300))),
    ]);
    const more = steps.length > MAX_ROWS ? [[`… and ${steps.length - MAX_ROWS} more steps`]] : [];
    return table([header, ...rows, ...more]);
}
function table(rows) {
    if (rows.length === 0)
        return '';
    const cells = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
    return `<table>${cells.join('')}</table>`;
}
function failedStep(report) {
    return report.steps.find((step) => step.status === 'failed');
}
function tailBlock(step, tail) {
    if (step === undefined || tail.length === 0)
        return '';
    const lines = tail.slice(-console/* TAIL_LINES */.r6).map((line) => escapeHtml((0,console_text/* uncolouredLine */.fd)(line).slice(0, MAX_TAIL_LINE)));
    const title = `The end of ${code(step.name)}: ${(0,quantity_text/* lineCount */.I)(lines.length)}`;
    return `<details open><summary>${title}</summary><pre>${lines.join('&#10;')}</pre></details>`;
}
function notices(all) {
    if (all.length === 0)
        return '';
    const items = all.slice(0, MAX_NOTICES).map((notice) => `<li>${escapeHtml((0,console_text/* plainText */.wh)(notice))}</li>`);
    return `<ul>${items.join('')}</ul>`;
}

;// CONCATENATED MODULE: ./lib/action/publish/publish.js




async function publish(publication) {
    const { report, runDirectory, inputs, red, environment, artifactDeadlineMs: deadlineMs, signal } = publication;
    const wanted = inputs.uploadArtifact === 'always' || (inputs.uploadArtifact === 'on-failure' && red);
    const { artifactRetentionDays: retentionDays } = inputs;
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
async function publishSummary({ GITHUB_STEP_SUMMARY: file }, summary) {
    try {
        if (!file)
            throw new Error('the runner offers no file for it');
        await writeSummary({ file, ...summary });
    }
    catch (error) {
        const cause = (0,console_text/* plainText */.wh)(error instanceof Error ? error.message : String(error));
        core/* warning */.$e(`Failed to write the summary for this step: ${cause}. The console has the same facts.`);
    }
}


/***/ }),

/***/ 45237:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   I: () => (/* binding */ lineCount),
/* harmony export */   p: () => (/* binding */ duration)
/* harmony export */ });
function duration(seconds) {
    if (seconds < 9.95)
        return `${Math.round(seconds * 10) / 10} s`;
    const whole = Math.round(seconds);
    return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
function lineCount(count) {
    return count === 1 ? '1 line' : `${count} lines`;
}


/***/ })

};
