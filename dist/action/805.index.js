export const id = 805;
export const ids = [805];
export const modules = {

/***/ 96256:
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

/***/ 46471:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   JE: () => (/* binding */ deploymentText),
/* harmony export */   No: () => (/* binding */ titledTable),
/* harmony export */   ZD: () => (/* binding */ escapeHtml),
/* harmony export */   aY: () => (/* binding */ code),
/* harmony export */   bM: () => (/* binding */ entryLink),
/* harmony export */   nf: () => (/* binding */ link),
/* harmony export */   tp: () => (/* binding */ table)
/* harmony export */ });
/* harmony import */ var _troubleshooting_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(83066);
/* harmony import */ var _console_text_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9000);


function escapeHtml(text) {
    const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
    return text.toWellFormed().replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
function code(value, maxLength = 200) {
    return `<code>${escapeHtml((0,_console_text_js__WEBPACK_IMPORTED_MODULE_0__.plainText)(value, maxLength))}</code>`;
}
function link(label, address) {
    if (address === undefined || address.length > 2_000 || !/^https?:\/\/[^\s\p{Cc}]+$/u.test(address))
        return label;
    return `<a href="${escapeHtml(address)}">${label}</a>`;
}
function entryLink(message) {
    const entry = (0,_troubleshooting_js__WEBPACK_IMPORTED_MODULE_1__/* .entryFor */ .cy)(message);
    return entry === undefined ? '' : ` ${link('Causes and remedies', entry)}`;
}
function deploymentText({ deploymentId, deploymentUrl, consoleUrl }) {
    const name = code(deploymentId);
    const linked = link(name, deploymentUrl);
    if (linked !== name)
        return `Deployment ${linked} in Pulumi Cloud`;
    const page = 'the organization’s deployments in Pulumi Cloud';
    const among = link(page, consoleUrl);
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


/***/ }),

/***/ 94471:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   qU: () => (/* binding */ receiptBlock)
/* harmony export */ });
/* unused harmony exports receiptOf, receiptSentence */
/* harmony import */ var _quantity_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(82943);
/* harmony import */ var _quantity_text_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(71604);
/* harmony import */ var _markup_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(46471);



const MAX_ROWS = 100;
function receiptOf(report) {
    const begun = begunSteps(report);
    if (begun.length === 0 || begun.some(({ cloud }) => cloud === undefined))
        return undefined;
    const sum = (figure) => begun.reduce((total, step) => total + (figure(step) ?? 0), 0);
    return {
        lines: sum(({ lines }) => lines),
        bytes: sum(({ bytes }) => bytes),
        sent: sum(({ cloud }) => cloud?.sent),
        undelivered: sum(({ cloud }) => cloud?.undelivered),
        lost: sum(({ lost }) => lost),
    };
}
function receiptSentence({ lost, ...receipt }) {
    const kept = keptSentence(receipt);
    return lost > 0 ? `${kept}; ${(0,_quantity_text_js__WEBPACK_IMPORTED_MODULE_1__/* .lineCount */ .I)(lost)} lost, as the disk took none` : kept;
}
function keptSentence({ lines, bytes, sent, undelivered }) {
    const written = `${(0,_quantity_text_js__WEBPACK_IMPORTED_MODULE_1__/* .lineCount */ .I)(lines)} (${(0,_quantity_js__WEBPACK_IMPORTED_MODULE_2__/* .byteCount */ .G)(bytes)})`;
    if (undelivered > 0)
        return `${written}: Pulumi Cloud took ${sent}, ${undelivered} did not reach it`;
    return sent >= lines ? `${written}, all of them taken by Pulumi Cloud` : `${written}: Pulumi Cloud took ${sent}`;
}
function receiptBlock(report) {
    const receipt = receiptOf(report);
    if (receipt === undefined)
        return '';
    const { undelivered, lost } = receipt;
    const titles = [
        ...['Step', 'Lines', 'Size', 'Taken by Pulumi Cloud', 'Not delivered'],
        ...(lost > 0 ? ['Lost'] : []),
        ...['Calls', 'SHA-256 of the file'],
    ];
    const rows = begunSteps(report).map(({ index, name, lines = 0, bytes = 0, cloud, sha256, lost: none = 0 }) => [
        `${index} ${(0,_markup_js__WEBPACK_IMPORTED_MODULE_0__/* .code */ .aY)(name)}`,
        String(lines),
        (0,_quantity_js__WEBPACK_IMPORTED_MODULE_2__/* .byteCount */ .G)(bytes),
        String(cloud?.sent ?? ''),
        String(cloud?.undelivered ?? ''),
        ...(lost > 0 ? [String(none)] : []),
        calls(cloud),
        sha256 === undefined ? '' : (0,_markup_js__WEBPACK_IMPORTED_MODULE_0__/* .code */ .aY)(sha256, 64),
    ]);
    const figures = (0,_markup_js__WEBPACK_IMPORTED_MODULE_0__/* .titledTable */ .No)(titles, rows, { maxRows: MAX_ROWS, what: 'steps' });
    const open = undelivered + lost > 0 ? ' open' : '';
    return `<details${open}><summary>Log receipt: ${receiptSentence(receipt)}</summary>${figures}</details>`;
}
function calls({ batches, retries = 0, failures = 0 } = {}) {
    if (batches === undefined)
        return '';
    return [
        String(batches),
        ...(failures > 0 ? [`${failures} failed`] : []),
        ...(retries > 0 ? [`${retries} repeated`] : []),
    ].join(', ');
}
function begunSteps({ steps }) {
    return steps.filter(({ startedAt }) => startedAt !== undefined);
}


/***/ }),

/***/ 6599:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   A: () => (/* binding */ resourceChanges)
/* harmony export */ });
/* unused harmony export statedChanges */
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(76760);
/* harmony import */ var _log_terminal_text_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(58105);
/* harmony import */ var _growing_lines_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(96256);



const MAX_BYTES = 256 * 1024;
const MAX_LINES = 5_000;
const MAX_PARTS = 12;
async function resourceChanges(directory, steps) {
    const found = [];
    for (const { index, name, log } of steps) {
        if (index === 0 || log === undefined)
            continue;
        const changes = statedChanges(await (0,_growing_lines_js__WEBPACK_IMPORTED_MODULE_2__/* .lastLines */ .w)((0,node_path__WEBPACK_IMPORTED_MODULE_0__.join)(directory, log), MAX_LINES, MAX_BYTES));
        if (changes !== undefined)
            found.push({ index, name, changes });
    }
    return found;
}
function statedChanges(lines) {
    for (let at = lines.length - 1; at >= 0; at--) {
        const line = plainLine(lines[at]);
        const stated = /^(?:Apply complete! Resources|Destroy complete! Resources|Plan): (.+)\.$/.exec(line)?.[1];
        const parts = stated === undefined ? pulumiParts(line, lines, at) : stated.split(', ').filter(isPart);
        if (parts.length > 0)
            return parts.slice(0, MAX_PARTS).join(', ');
    }
    return undefined;
}
function pulumiParts(line, lines, at) {
    if (line !== 'Resources:')
        return [];
    const parts = [];
    for (const below of lines.slice(at + 1, at + 1 + MAX_PARTS)) {
        const entry = /^ {4}(?:[^\p{L}\p{N}\s]{1,2} ?)?(\d+ [^.]+)(?:\. (\d+ unchanged))?$/u.exec(plainLine(below));
        const pieces = [entry?.[1], entry?.[2]].filter((piece) => piece !== undefined);
        if (pieces.length === 0)
            break;
        parts.push(...pieces.filter((piece) => isPart(piece) && !/^\d+ changes?$/.test(piece)));
    }
    return parts;
}
function isPart(part) {
    return /^\d{1,9} (?:to )?[a-z]+(?:[ -][a-z]+){0,3}$/.test(part);
}
function plainLine(line) {
    return (0,_log_terminal_text_js__WEBPACK_IMPORTED_MODULE_1__/* .stripControl */ .k)(line?.slice(0, 500) ?? '').trimEnd();
}


/***/ }),

/***/ 1584:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   P: () => (/* binding */ stepTable)
/* harmony export */ });
/* harmony import */ var _console_text_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(9000);
/* harmony import */ var _quantity_text_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(71604);
/* harmony import */ var _markup_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(46471);
/* harmony import */ var _titles_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(72984);




const MAX_TEXT = 300;
function stepTable(steps, changes, { maxRows, linked = false }) {
    const changed = new Map(changes.map((change) => [change.index, change.changes]));
    const resources = changed.size > 0 ? ['Resources, as its output says'] : [];
    const reasons = steps.some(({ reason }) => reason !== undefined) ? ['Reason'] : [];
    const titles = ['Step', 'Status', 'Duration', 'Lines', 'Exit code', ...resources, ...reasons];
    const rows = steps.map((step) => {
        const name = `${step.index} ${(0,_markup_js__WEBPACK_IMPORTED_MODULE_1__/* .code */ .aY)(step.name)}`;
        return [
            linked && step.log !== undefined ? `<a href="#step-${step.index}">${name}</a>` : name,
            _titles_js__WEBPACK_IMPORTED_MODULE_2__/* .STEP_STATUS */ .o[step.status],
            step.seconds === undefined ? '' : (0,_quantity_text_js__WEBPACK_IMPORTED_MODULE_3__/* .duration */ .p)(step.seconds),
            step.lines === undefined ? '' : String(step.lines),
            step.exitCode === undefined ? '' : String(step.exitCode),
            ...resources.map(() => (0,_markup_js__WEBPACK_IMPORTED_MODULE_1__/* .escapeHtml */ .ZD)((0,_console_text_js__WEBPACK_IMPORTED_MODULE_0__.plainText)(changed.get(step.index) ?? '', MAX_TEXT))),
            ...reasons.map(() => (0,_markup_js__WEBPACK_IMPORTED_MODULE_1__/* .escapeHtml */ .ZD)((0,_console_text_js__WEBPACK_IMPORTED_MODULE_0__.plainText)(step.reason ?? '', MAX_TEXT))),
        ];
    });
    return (0,_markup_js__WEBPACK_IMPORTED_MODULE_1__/* .titledTable */ .No)(titles, rows, { maxRows, what: 'steps' });
}


/***/ }),

/***/ 72984:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   e: () => (/* binding */ TITLES),
/* harmony export */   o: () => (/* binding */ STEP_STATUS)
/* harmony export */ });
const TITLES = {
    succeeded: 'Pulumi workflow succeeded ✅',
    'no-work': 'No Pulumi workflow was queued',
    failed: 'Pulumi workflow failed ❌',
    'config-error': 'The configuration cannot be used ❌',
    'auth-error': 'Pulumi Cloud refused the credentials ❌',
    'cloud-unreachable': 'Pulumi Cloud could not be reached ❌',
    'target-error': 'The job could not be run here ❌',
    cancelled: 'Pulumi workflow was cancelled in Pulumi Cloud ⏹️',
    interrupted: 'Pulumi workflow was interrupted by the CI job ⏹️',
    'lease-lost': 'Pulumi workflow was stopped: no heartbeat was accepted ❌',
    unreported: 'Pulumi workflow succeeded, and Pulumi Cloud was not told ❌',
};
const STEP_STATUS = {
    'not-started': '⏸ not started',
    running: '▶ was running',
    succeeded: '✅ succeeded',
    failed: '❌ failed',
};


/***/ }),

/***/ 71604:
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


/***/ }),

/***/ 70840:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   h: () => (/* binding */ timelineOf)
/* harmony export */ });
const LEAST_START_MS = 100;
function timelineOf(report) {
    const { startedAt, claimedAt, finishedAt, waitSeconds, steps } = report;
    const claimed = claimedAt ?? steps.find((step) => step.startedAt !== undefined)?.startedAt;
    if (claimed === undefined)
        return undefined;
    const first = Math.min(startedAt ?? claimed, claimed);
    const bars = [];
    const add = (phase, name, from, to, status) => {
        const start = Math.max(0, from - first);
        bars.push({ phase, name, start, end: Math.max(start, to - first), status });
    };
    if (startedAt !== undefined) {
        const waiting = claimed - (waitSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
        const ready = waiting - startedAt >= LEAST_START_MS ? waiting : startedAt;
        if (ready > startedAt)
            add('queue', 'Start and sign-in', startedAt, ready, 'done');
        add('queue', 'Waiting for a deployment', ready, claimed, 'done');
    }
    let lastEnd;
    for (const step of steps) {
        if (step.startedAt === undefined)
            continue;
        const end = step.finishedAt ?? finishedAt ?? step.startedAt;
        add(step.index === 0 ? 'preparation' : 'steps', `${step.index} ${step.name}`, step.startedAt, end, statusOf(step));
        lastEnd = step.finishedAt === undefined ? undefined : Math.max(lastEnd ?? 0, end);
    }
    if (lastEnd !== undefined && finishedAt !== undefined && finishedAt > lastEnd) {
        add('reporting', 'Last reports and clearing up', lastEnd, finishedAt, 'done');
    }
    return { bars, length: Math.max(...bars.map(({ end }) => end), 0) };
}
function statusOf({ status }) {
    if (status === 'failed')
        return 'failed';
    return status === 'succeeded' ? 'done' : 'unfinished';
}


/***/ }),

/***/ 82943:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   G: () => (/* binding */ byteCount)
/* harmony export */ });
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
function byteCount(bytes) {
    let value = bytes;
    let unit = 0;
    while (value >= 1_000 && unit < UNITS.length - 1) {
        value /= 1024;
        unit += 1;
    }
    return `${value < 9.95 ? Math.round(value * 10) / 10 : Math.round(value)} ${UNITS[unit]}`;
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
