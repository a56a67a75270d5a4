export const id = 17;
export const ids = [17];
export const modules = {

/***/ 74994:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $z: () => (/* binding */ wholeLogPlace),
/* harmony export */   C7: () => (/* binding */ Console),
/* harmony export */   r6: () => (/* binding */ TAIL_LINES)
/* harmony export */ });
/* unused harmony export MAX_STEP_BYTES */
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(76760);
/* harmony import */ var _actions_core__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(42077);
/* harmony import */ var _console_text_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(9000);
/* harmony import */ var _growing_lines_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(96256);
/* harmony import */ var _quantity_text_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(71604);





const MAX_STEP_BYTES = 10 * 1024 * 1024;
const MAX_RUN_BYTES = 64 * 1024 * 1024;
const TAIL_LINES = 20;
const OPEN_LINES = 100;
const MAX_OPEN_CHARACTERS = 1_000;
const MAX_TAIL_CHARACTERS = 3_500;
const WAITING_EVERY_MS = 60_000;
const WAITING_LONG_MS = 300_000;
function wholeLogPlace({ uploadArtifact }) {
    return uploadArtifact === 'always' ? 'artifact' : 'run directory';
}
class Console {
    #directory;
    #write;
    #now;
    #maxStepBytes;
    #place;
    #stepBytes = 0;
    #runBytesLeft;
    #inGroup = false;
    #waitingSince;
    #waitingShown = Number.NEGATIVE_INFINITY;
    constructor(options) {
        this.#directory = options.directory;
        this.#write = options.write;
        this.#now = options.now;
        this.#maxStepBytes = options.maxStepBytes ?? MAX_STEP_BYTES;
        this.#runBytesLeft = options.maxRunBytes ?? MAX_RUN_BYTES;
        this.#place = options.place ?? 'run directory';
    }
    async resumed(step) {
        this.#openGroup(`${stepTitle(step.index, step.name)} (continued)`);
    }
    async lines(step, lines) {
        const shown = [];
        for (const line of lines) {
            const text = `${(0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__/* .consoleLine */ .WK)(line.text)}${this.#pointer(line, step)}\n`;
            const bytes = Buffer.byteLength(text);
            this.#stepBytes += bytes;
            this.#runBytesLeft -= bytes;
            if (this.#stepBytes > this.#maxStepBytes || this.#runBytesLeft < 0) {
                shown.push(`… The console shows no more of this step; all of it is in ${step.log} of the ${this.#place}.\n`);
                await this.#write(shown.join(''));
                return false;
            }
            shown.push(text);
        }
        await this.#write(shown.join(''));
        return true;
    }
    async trouble(message) {
        _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .warning */ .$e((0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__.plainText)(message));
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
                _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .warning */ .$e((0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__.plainText)(event.message));
                return;
            case 'outcome':
                return this.close();
        }
    }
    #say(sentence) {
        _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .info */ .pq((0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__.plainText)(sentence, 2_000));
    }
    #waiting(nextPollSeconds) {
        const now = this.#now();
        this.#waitingSince ??= now;
        const waited = now - this.#waitingSince;
        if (now - this.#waitingShown < (waited > WAITING_LONG_MS ? WAITING_LONG_MS : WAITING_EVERY_MS))
            return;
        this.#waitingShown = now;
        const waiting = waited === 0 ? 'Waiting for a deployment' : `Still waiting for a deployment after ${(0,_quantity_text_js__WEBPACK_IMPORTED_MODULE_4__/* .duration */ .p)(waited / 1000)}`;
        this.#say(`${waiting}; asking again in ${(0,_quantity_text_js__WEBPACK_IMPORTED_MODULE_4__/* .duration */ .p)(nextPollSeconds)}.`);
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
        const { open, tail } = await this.#end(log);
        if (open.length > 0) {
            const lines = open.map((line) => `${(0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__/* .consoleLine */ .WK)(line.slice(0, MAX_OPEN_CHARACTERS))}\n`);
            await this.#write(`The end of step ${event.index}; its last lines stand in the error below.\n${lines.join('')}`);
        }
        _actions_core__WEBPACK_IMPORTED_MODULE_1__/* .error */ .z3([(0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__.plainText)(`${title} failed${code} (${figures})${reason}`, 500), ...tail].join('\n'), {
            title: (0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__.plainText)(`${event.step} failed`, 100),
        });
    }
    async #end(log) {
        if (log === undefined)
            return { open: [], tail: [] };
        const lines = await (0,_growing_lines_js__WEBPACK_IMPORTED_MODULE_3__/* .lastLines */ .w)((0,node_path__WEBPACK_IMPORTED_MODULE_0__.join)(this.#directory, log), OPEN_LINES + TAIL_LINES);
        const tail = lines.slice(-TAIL_LINES).map((line) => (0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__/* .uncolouredLine */ .fd)(line).slice(0, 500));
        while (tail.join('\n').length > MAX_TAIL_CHARACTERS)
            tail.shift();
        return { open: lines.slice(0, lines.length - tail.length), tail };
    }
    #pointer({ cutBytes }, { log }) {
        return cutBytes === 0 ? '' : ` … (${cutBytes} more bytes: see ${log} of the ${this.#place})`;
    }
}
function stepTitle(index, name) {
    return `Step ${index}: ${(0,_console_text_js__WEBPACK_IMPORTED_MODULE_2__.plainText)(name, 200)}`;
}


/***/ }),

/***/ 71017:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  writeSummary: () => (/* binding */ writeSummary)
});

// UNUSED EXPORTS: MAX_SUMMARY_BYTES, renderSummary

// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(51455);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(76760);
// EXTERNAL MODULE: ./lib/action/console.js
var console = __webpack_require__(74994);
// EXTERNAL MODULE: ./lib/action/console-text.js
var console_text = __webpack_require__(9000);
// EXTERNAL MODULE: ./lib/action/growing-lines.js
var growing_lines = __webpack_require__(96256);
// EXTERNAL MODULE: ./lib/action/quantity-text.js
var quantity_text = __webpack_require__(71604);
// EXTERNAL MODULE: ./lib/action/timeline.js
var action_timeline = __webpack_require__(70840);
;// CONCATENATED MODULE: ./lib/action/publish/gantt.js


const MAX_BARS = 60;
const MAX_NAME = 60;
const LEAST_WIDTH = 0.004;
const SECTIONS = {
    queue: 'Queue',
    preparation: 'Preparation',
    steps: 'Steps',
    reporting: 'Reporting',
};
const TAGS = { done: 'done', failed: 'crit', unfinished: 'active' };
function ganttOf({ bars, length }) {
    const { interval, format } = axisOf(length);
    const axis = [`axisFormat ${format}`, `tickInterval ${interval}`];
    const lines = ['gantt', 'dateFormat YYYY-MM-DD HH:mm:ss.SSS', ...axis, 'todayMarker off'];
    const half = MAX_BARS / 2;
    const shown = bars.length > MAX_BARS ? [...bars.slice(0, half), ...bars.slice(-half)] : bars;
    let section;
    for (const bar of shown) {
        if (bar.phase !== section)
            lines.push(`section ${SECTIONS[bar.phase]}`);
        section = bar.phase;
        lines.push(barLine(bar, Math.max(1, length * LEAST_WIDTH)));
    }
    const left = bars.length - shown.length;
    const note = left > 0 ? `\n\n<p>${left} bars in the middle are left out.</p>` : '';
    return `\`\`\`mermaid\n${lines.join('\n')}\n\`\`\`${note}`;
}
function barLine({ name, start, end, status }, leastMs) {
    const ms = Math.round(Math.max(leastMs, end - start));
    return `${plainLabel(name)} (${(0,quantity_text/* duration */.p)((end - start) / 1000)}) :${TAGS[status]}, ${chartTime(start)}, ${ms}ms`;
}
function chartTime(ms) {
    return new Date(Date.UTC(2001, 0, 1) + Math.round(ms)).toISOString().replace('T', ' ').replace('Z', '');
}
const MAX_TICKS = 8;
const INTERVALS = [
    ...[100, 200, 500].map((ms) => [ms, `${ms}millisecond`, '%-S.%L s']),
    ...[1, 2, 5, 10, 15, 30].map((n) => [n * 1_000, `${n}second`, '%M:%S']),
    ...[1, 2, 5].map((n) => [n * 60_000, `${n}minute`, '%M:%S']),
    ...[10, 15, 30].map((n) => [n * 60_000, `${n}minute`, '%H:%M']),
    ...[1, 2, 3, 6, 12].map((n) => [n * 3_600_000, `${n}hour`, '%H:%M']),
];
function axisOf(length) {
    const [, interval, format] = INTERVALS.find(([ms]) => length <= ms * MAX_TICKS) ?? [0, '1day', '%j'];
    return { interval, format };
}
function plainLabel(name) {
    const plain = (0,console_text.plainText)(name, MAX_NAME)
        .normalize('NFC')
        .replace(/[^\p{L}\p{M}\p{N} _.,/()+=·…-]+/gu, '·')
        .replace(/-{2,}/g, '-')
        .trim();
    return plain === '' ? '·' : plain;
}

// EXTERNAL MODULE: ./lib/action/publish/markup.js
var markup = __webpack_require__(46471);
// EXTERNAL MODULE: ./lib/action/publish/receipt.js
var receipt = __webpack_require__(94471);
// EXTERNAL MODULE: ./lib/action/publish/resource-changes.js
var resource_changes = __webpack_require__(6599);
// EXTERNAL MODULE: ./lib/action/publish/step-table.js
var step_table = __webpack_require__(1584);
// EXTERNAL MODULE: ./lib/action/publish/titles.js
var titles = __webpack_require__(72984);
;// CONCATENATED MODULE: ./lib/action/publish/summary.js













const MAX_SUMMARY_BYTES = (/* unused pure expression or super */ null && (1024 * 1024));
const MAX_MESSAGE_LINES = 50;
const MAX_ROWS = 100;
const MAX_NAMES = 100;
const MAX_NOTICES = 20;
const MAX_TAIL_LINE = 500;
async function writeSummary({ file, report, runDirectory, artifact }) {
    const log = failedStep(report)?.log;
    const tail = log === undefined ? [] : await (0,growing_lines/* lastLines */.w)((0,external_node_path_.join)(runDirectory, log), console/* TAIL_LINES */.r6);
    const changes = await (0,resource_changes/* resourceChanges */.A)(runDirectory, report.steps);
    await (0,promises_.appendFile)(file, renderSummary({ report, tail, changes, ...(artifact !== undefined && { artifact }) }));
}
function renderSummary({ report, artifact, tail, changes = [] }) {
    const timeline = (0,action_timeline/* timelineOf */.h)(report);
    const parts = [
        `## ${titles/* TITLES */.e[report.outcome]}`,
        message(report.message),
        links(report, artifact),
        timeline === undefined ? '' : ganttOf(timeline),
        (0,step_table/* stepTable */.P)(report.steps, changes, { maxRows: MAX_ROWS }),
        tailBlock(failedStep(report), tail),
        notices(report.notices),
        (0,receipt/* receiptBlock */.qU)(report),
        facts(report),
    ];
    return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
function message(value) {
    const lines = value.split('\n').slice(0, MAX_MESSAGE_LINES);
    return `<p>${lines.map((line) => (0,markup/* escapeHtml */.ZD)((0,console_text.plainText)(line))).join('<br>')}${(0,markup/* entryLink */.bM)(value)}</p>`;
}
function links({ deploymentId, ...pages }, artifact) {
    const parts = [];
    if (deploymentId !== undefined)
        parts.push((0,markup/* deploymentText */.JE)({ deploymentId, ...pages }));
    if (artifact !== undefined)
        parts.push(`Logs and report ${(0,markup/* link */.nf)((0,markup/* code */.aY)(artifact.name), artifact.url)}`);
    return parts.length === 0 ? '' : `<p>${parts.join('<br>')}</p>`;
}
function facts(report) {
    const images = [report.image, report.imageDigest].filter((name) => name !== undefined);
    const rows = [];
    if (report.waitSeconds !== undefined)
        rows.push(['Waited', (0,quantity_text/* duration */.p)(report.waitSeconds)]);
    if (report.runSeconds !== undefined && report.deploymentId !== undefined)
        rows.push(['Ran', (0,quantity_text/* duration */.p)(report.runSeconds)]);
    if (images.length > 0)
        rows.push(['Image', images.map((name) => (0,markup/* code */.aY)(name, 500)).join('<br>')]);
    if (report.forwarded.length > 0)
        rows.push(['Forwarded variables (names only)', names(report.forwarded)]);
    if (report.runId !== undefined)
        rows.push(['Workflow run', (0,markup/* code */.aY)(report.runId)]);
    if (report.reported === false)
        rows.push(['Reported to Pulumi Cloud', 'no']);
    if (report.jobId !== undefined)
        rows.push(['Job', (0,markup/* code */.aY)(report.jobId)]);
    return (0,markup/* table */.tp)(rows.map(([name, value]) => [`<b>${name}</b>`, value]));
}
function names(all) {
    const more = all.length > MAX_NAMES ? ` and ${all.length - MAX_NAMES} more` : '';
    return `${all
        .slice(0, MAX_NAMES)
        .map((name) => (0,markup/* code */.aY)(name))
        .join(' ')}${more}`;
}
function failedStep(report) {
    return report.steps.find((step) => step.status === 'failed');
}
function tailBlock(step, tail) {
    if (step === undefined || tail.length === 0)
        return '';
    const lines = tail.slice(-console/* TAIL_LINES */.r6).map((line) => (0,markup/* escapeHtml */.ZD)((0,console_text/* uncolouredLine */.fd)(line).slice(0, MAX_TAIL_LINE)));
    const title = `The end of ${(0,markup/* code */.aY)(step.name)}: ${(0,quantity_text/* lineCount */.I)(lines.length)}`;
    return `<details open><summary>${title}</summary><pre>${lines.join('&#10;')}</pre></details>`;
}
function notices(all) {
    if (all.length === 0)
        return '';
    const items = all.slice(0, MAX_NOTICES).map((notice) => `<li>${(0,markup/* escapeHtml */.ZD)((0,console_text.plainText)(notice))}</li>`);
    return `<ul>${items.join('')}</ul>`;
}


/***/ })

};
