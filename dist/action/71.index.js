export const id = 71;
export const ids = [71];
export const modules = {

/***/ 54753:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  Oc: () => (/* binding */ MAX_LINE_BYTES),
  g: () => (/* binding */ STEP_LOG),
  e6: () => (/* binding */ follow)
});

// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(76760);
// EXTERNAL MODULE: ./lib/record/reader.js
var record_reader = __webpack_require__(83245);
// EXTERNAL MODULE: ./lib/record/schema.js + 1 modules
var schema = __webpack_require__(16526);
// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(73024);
;// CONCATENATED MODULE: ./lib/action/change-watch.js

const POLL_MS = 400;
const SETTLE_MS = 40;
class ChangeWatch {
    #watchers = new Map();
    #changed = false;
    #wake;
    add(directory) {
        if (this.#watchers.has(directory))
            return;
        try {
            const watcher = (0,external_node_fs_.watch)(directory, { persistent: false }, () => this.#notify());
            watcher.on('error', () => this.#drop(directory));
            this.#watchers.set(directory, watcher);
        }
        catch {
        }
    }
    async next(signal) {
        if (!this.#changed)
            await this.#pause(POLL_MS, signal, true);
        await this.#pause(SETTLE_MS, signal, false);
        this.#changed = false;
    }
    [Symbol.dispose]() {
        for (const directory of [...this.#watchers.keys()])
            this.#drop(directory);
    }
    #notify() {
        this.#changed = true;
        this.#wake?.();
    }
    #drop(directory) {
        this.#watchers.get(directory)?.close();
        this.#watchers.delete(directory);
    }
    async #pause(ms, signal, wakes) {
        if (signal.aborted)
            return;
        await new Promise((resolve) => {
            const end = () => {
                clearTimeout(timer);
                signal.removeEventListener('abort', end);
                this.#wake = undefined;
                resolve();
            };
            const timer = setTimeout(end, ms);
            signal.addEventListener('abort', end, { once: true });
            if (wakes)
                this.#wake = end;
        });
    }
}

// EXTERNAL MODULE: ./lib/action/growing-lines.js
var growing_lines = __webpack_require__(96256);
;// CONCATENATED MODULE: ./lib/action/follow.js
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





const MAX_EVENT_BYTES = 4 * 1024 * 1024;
const MAX_LINE_BYTES = 8 * 1024;
const STEP_LOG = /^steps\/[\w.-]+\.log$/;
async function follow(options) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const { directory, isAlive, signal } = options;
        const changes = __addDisposableResource(env_1, new ChangeWatch(), false);
        const reader = __addDisposableResource(env_1, new RunReader(options), true);
        if (options.position.step !== undefined)
            await options.listener.resumed(options.position.step);
        while (!signal.aborted) {
            changes.add(directory);
            changes.add((0,external_node_path_.join)(directory, schema/* RUN_FILES */.al.steps));
            const alive = isAlive();
            const result = await (0,record_reader/* readResult */.Uv)(directory);
            await reader.tell();
            if (signal.aborted)
                break;
            if (result !== undefined || !alive)
                await reader.endStep();
            if (result !== undefined)
                return { kind: 'finished', result };
            if (!alive)
                return { kind: 'died' };
            await changes.next(signal);
        }
        return { kind: 'stopped' };
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
class RunReader {
    #options;
    #position;
    #listener;
    #events;
    #log;
    constructor(options) {
        this.#options = options;
        this.#position = options.position;
        this.#listener = options.listener;
        const events = (0,external_node_path_.join)(options.directory, schema/* RUN_FILES */.al.events);
        this.#events = new growing_lines/* GrowingLines */.x(events, this.#position.events, MAX_EVENT_BYTES);
        this.#openLog();
    }
    async tell() {
        for (;;) {
            const lines = await this.#events.next();
            if (lines === undefined)
                break;
            for (const line of lines) {
                await this.#tellEvent(line);
                if (this.#options.signal.aborted)
                    return;
            }
        }
        await this.#tellStep();
    }
    async endStep() {
        const { step } = this.#position;
        const last = step?.muted ? undefined : this.#log?.flush();
        if (step !== undefined && last !== undefined) {
            await this.#listener.lines(step, [last]);
            step.offset = last.end;
        }
    }
    async [Symbol.asyncDispose]() {
        await this.#events[Symbol.asyncDispose]();
        await this.#log?.[Symbol.asyncDispose]();
    }
    async #tellEvent(line) {
        const event = await this.#parse(line);
        if (event !== undefined)
            this.#options.onEvent?.(event);
        await this.#tellStep();
        if (this.#options.signal.aborted)
            return;
        if (event?.type === 'step-finished')
            await this.endStep();
        if (event !== undefined)
            await this.#listener.event(event, this.#position.step);
        this.#position.events = line.end;
        if (event?.type === 'step-started') {
            this.#position.step = { index: event.index, name: event.step, log: event.log, offset: 0, muted: false };
        }
        else if (event?.type === 'step-finished') {
            delete this.#position.step;
        }
        else {
            return;
        }
        await this.#log?.[Symbol.asyncDispose]();
        this.#log = undefined;
        this.#openLog();
    }
    async #parse(line) {
        try {
            return (0,record_reader/* parseEvent */.wj)(line.text);
        }
        catch (error) {
            if (!(error instanceof record_reader/* RecordError */.W1))
                throw error;
            await this.#listener.trouble(error.message);
            return undefined;
        }
    }
    async #tellStep() {
        const { step } = this.#position;
        if (step === undefined || this.#log === undefined || step.muted)
            return;
        const size = await this.#log.size();
        while (!this.#options.signal.aborted) {
            const lines = await this.#log.next(size);
            if (lines === undefined)
                return;
            if (lines.length === 0)
                continue;
            step.muted = !(await this.#listener.lines(step, lines));
            step.offset = this.#log.offset;
            if (step.muted)
                return;
        }
    }
    #openLog() {
        const { step } = this.#position;
        if (step === undefined || !STEP_LOG.test(step.log))
            return;
        this.#log = new growing_lines/* GrowingLines */.x((0,external_node_path_.join)(this.#options.directory, step.log), step.offset, MAX_LINE_BYTES);
    }
}


/***/ }),

/***/ 96071:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  writeReportPage: () => (/* binding */ writeReportPage)
});

// UNUSED EXPORTS: PAGE_FILE

// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(77598);
// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(51455);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(76760);
// EXTERNAL MODULE: ./lib/record/schema.js + 1 modules
var schema = __webpack_require__(16526);
// EXTERNAL MODULE: ./lib/action/console-text.js
var console_text = __webpack_require__(9000);
// EXTERNAL MODULE: ./lib/action/follow.js + 1 modules
var follow = __webpack_require__(54753);
// EXTERNAL MODULE: ./lib/action/publish/markup.js
var markup = __webpack_require__(46471);
// EXTERNAL MODULE: ./lib/action/publish/receipt.js
var publish_receipt = __webpack_require__(94471);
// EXTERNAL MODULE: ./lib/action/publish/resource-changes.js
var resource_changes = __webpack_require__(6599);
// EXTERNAL MODULE: ./lib/action/publish/step-table.js
var step_table = __webpack_require__(1584);
// EXTERNAL MODULE: ./lib/action/publish/titles.js
var titles = __webpack_require__(72984);
// EXTERNAL MODULE: ./lib/action/quantity-text.js
var quantity_text = __webpack_require__(71604);
// EXTERNAL MODULE: ./lib/action/timeline.js
var action_timeline = __webpack_require__(70840);
// EXTERNAL MODULE: ./lib/quantity.js
var quantity = __webpack_require__(82943);
// EXTERNAL MODULE: ./lib/action/growing-lines.js
var growing_lines = __webpack_require__(96256);
;// CONCATENATED MODULE: ./lib/action/page/health-table.js






const MAX_ROWS = 500;
const MAX_BYTES = 256 * 1024;
async function healthTable(directory) {
    const lines = await (0,growing_lines/* lastLines */.w)((0,external_node_path_.join)(directory, schema/* RUN_FILES */.al.health), MAX_ROWS, MAX_BYTES);
    const snapshots = lines.flatMap(snapshot);
    if (snapshots.length === 0)
        return '<p>The agent left no snapshot of its health.</p>';
    const unhealthy = snapshots.filter(({ status }) => status !== 'healthy').length;
    const memory = (0,quantity/* byteCount */.G)(Math.max(...snapshots.map(({ rss }) => rss)));
    const healthy = `${snapshots.length - unhealthy} of ${snapshots.length}`;
    const sentence = `The agent called itself healthy at ${healthy} looks; most memory it held: ${memory}.`;
    const rows = snapshots.map(({ time, status, state, rss }) => [
        (0,markup/* escapeHtml */.ZD)(time),
        (0,markup/* escapeHtml */.ZD)(status),
        (0,markup/* escapeHtml */.ZD)(state),
        (0,quantity/* byteCount */.G)(rss),
    ]);
    const figures = (0,markup/* titledTable */.No)(['Time', 'Status', 'State', 'Memory'], rows, { maxRows: MAX_ROWS, what: 'snapshots' });
    return `<p>${sentence}</p><details${unhealthy > 0 ? ' open' : ''}><summary>Snapshots</summary>${figures}</details>`;
}
function snapshot(line) {
    try {
        const { t, status, state, rssBytes } = Object(JSON.parse(line));
        if (typeof status !== 'string')
            return [];
        const rss = typeof rssBytes === 'number' ? rssBytes : 0;
        return [
            {
                time: (0,console_text.plainText)(String(t), 40),
                status: (0,console_text.plainText)(status, 40),
                state: (0,console_text.plainText)(String(state), 40),
                rss,
            },
        ];
    }
    catch {
        return [];
    }
}

;// CONCATENATED MODULE: ./lib/action/page/log-data.js
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





const LF = 0x0a;
async function* logData({ path, shownPath, lines, maxBytes, maxLines }) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const head = __addDisposableResource(env_1, new growing_lines/* GrowingLines */.x(path, 0, follow/* MAX_LINE_BYTES */.Oc), true);
        const size = await head.size();
        const halfBytes = Math.floor(maxBytes / 2);
        const halfLines = Math.max(1, Math.floor(maxLines / 2));
        const written = { lines: 0, end: 0 };
        yield '[{"first":1,"lines":[';
        for await (const chunk of chunksUpTo(head, size <= maxBytes ? size : halfBytes)) {
            const taken = chunk.slice(0, halfLines - written.lines);
            yield listOf(taken, shownPath, written.lines === 0);
            written.lines += taken.length;
            written.end = taken.at(-1)?.end ?? written.end;
            if (written.lines === halfLines)
                break;
        }
        if (written.end < size) {
            const env_2 = { stack: [], error: void 0, hasError: false };
            try {
                const begin = await lineStart(path, { from: Math.max(written.end, size - halfBytes), size, maxLines: halfLines });
                const tail = __addDisposableResource(env_2, new growing_lines/* GrowingLines */.x(path, begin, follow/* MAX_LINE_BYTES */.Oc), true);
                const texts = [];
                for await (const chunk of chunksUpTo(tail, size))
                    for (const line of chunk)
                        texts.push(shown(line, shownPath));
                const gap = `${(0,quantity/* byteCount */.G)(begin - written.end)} in the middle are left out here: see ${shownPath}`;
                const isNext = begin === written.end;
                const first = isNext ? written.lines + 1 : (lines ?? 0) - texts.length + 1;
                yield `]}${isNext ? '' : `,{"gap":${json(gap)}}`},{"first":${first > written.lines ? first : null},"lines":[`;
                yield texts.map(json).join(',');
            }
            catch (e_1) {
                env_2.error = e_1;
                env_2.hasError = true;
            }
            finally {
                const result_1 = __disposeResources(env_2);
                if (result_1)
                    await result_1;
            }
        }
        yield ']}]';
    }
    catch (e_2) {
        env_1.error = e_2;
        env_1.hasError = true;
    }
    finally {
        const result_2 = __disposeResources(env_1);
        if (result_2)
            await result_2;
    }
}
async function* chunksUpTo(file, until) {
    for (let lines = await file.next(until); lines !== undefined; lines = await file.next(until)) {
        if (lines.length > 0)
            yield lines;
    }
    const last = file.flush();
    if (last !== undefined)
        yield [last];
}
async function lineStart(path, { from, size, maxLines }) {
    if (from === 0)
        return 0;
    const file = await (0,promises_.open)(path, 'r');
    try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from + 1), 0, size - from + 1, from - 1);
        let start = bytesRead;
        let at = bytesRead - 1;
        for (let count = 0; count < maxLines && at > 0; count++) {
            at = buffer.lastIndexOf(LF, at - 1);
            if (at < 0)
                break;
            start = at + 1;
        }
        return start === bytesRead ? from : from - 1 + start;
    }
    finally {
        await file.close();
    }
}
function listOf(lines, shownPath, isFirst) {
    return `${isFirst || lines.length === 0 ? '' : ','}${lines.map((line) => json(shown(line, shownPath))).join(',')}`;
}
function shown({ text, cutBytes }, shownPath) {
    return `${(0,console_text/* pageLine */.wv)(text)}${cutBytes === 0 ? '' : ` … (${cutBytes} more bytes: see ${shownPath})`}`;
}
function json(value) {
    return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

;// CONCATENATED MODULE: ./lib/action/page/look.js
const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --bad: #d1242f; --good: #2da44e; --mark: #fff3a3 }
@media (prefers-color-scheme: dark) { :root { --mark: #7a6200 } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 0 auto; padding: 16px }
h2 { margin-top: 28px; border-bottom: 1px solid var(--line) }
table { border-collapse: collapse } td { border: 1px solid var(--line); padding: 4px 10px; overflow-wrap: break-word }
code, .lines { font: 13px/1.5 ui-monospace, monospace }
details { border: 1px solid var(--line); border-radius: 6px; margin: 8px 0; padding: 4px 10px }
details.failed { border-color: var(--bad) } summary { cursor: pointer } summary small { opacity: .85 }
svg { font-size: 13px; fill: currentColor } svg line { stroke: var(--line) } svg .tick { font-size: 11px; opacity: .7 }
rect.queue, rect.reporting { fill: #8c959f } rect.preparation { fill: #0969da } rect.steps { fill: var(--good) }
rect.failed { fill: var(--bad) } rect.unfinished { fill: #bf8700 }
#tools { position: sticky; top: 0; background: Canvas; padding: 8px 0; display: flex; gap: 12px; flex-wrap: wrap }
#search { flex: 1; min-width: 12em; font: inherit; padding: 4px 8px }
.lines { overflow: auto; max-height: 65vh; margin-top: 4px } .lines div { display: flex; white-space: pre } .lines div:hover { background: var(--soft) }
.lines i { flex: 0 0 5.5em; text-align: right; padding-right: 1em; opacity: .55; font-style: normal; user-select: none }
.lines div.gap { font-style: italic; padding-left: 5.5em; color: var(--bad) } mark { background: var(--mark); color: inherit }
[hidden] { display: none !important }
`;
const SCRIPT = `
'use strict';
const PAGE = 2000;
const search = document.getElementById('search');
const only = document.getElementById('step');
const hits = document.getElementById('hits');
const steps = [...document.querySelectorAll('details.step')].map((box) => ({
  box, lines: box.querySelector('.lines'), count: box.querySelector('.count'), found: [], hits: 0, from: 0, to: 0, rows: undefined,
}));
function rowsOf(step) {
  if (step.rows) return step.rows;
  step.rows = [];
  for (const part of JSON.parse(document.getElementById('log-' + step.box.dataset.step).textContent)) {
    if (part.gap !== undefined) step.rows.push({ gap: true, number: '', text: part.gap });
    else part.lines.forEach((text, at) => step.rows.push({ number: part.first === null ? '' : part.first + at, text }));
  }
  return step.rows;
}
function element(name, content, className) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(content);
  return made;
}
function rowElement({ gap, number, text }, term) {
  if (gap) return element('div', text, 'gap');
  const row = document.createElement('div');
  const line = document.createElement('span');
  const lower = text.toLowerCase();
  let done = 0;
  // Lower case may be longer than what it is made of; then the places don't fit and nothing is marked.
  for (let at = term && lower.length === text.length ? lower.indexOf(term) : -1; at >= 0; at = lower.indexOf(term, done)) {
    line.append(text.slice(done, at), element('mark', text.slice(at, at + term.length)));
    done = at + term.length;
  }
  line.append(text.slice(done));
  row.append(element('i', String(number)), line);
  return row;
}
function button(label, act) {
  const made = element('button', label);
  made.type = 'button';
  made.addEventListener('click', act);
  return made;
}
function draw(step) {
  const term = search.value.toLowerCase();
  const { found, from, to } = step;
  const rows = found.slice(from, to).map((row) => rowElement(row, term));
  if (from > 0) rows.unshift(button(Math.min(PAGE, from) + ' lines before', () => { step.from = Math.max(0, from - PAGE); draw(step); }));
  if (to < found.length) rows.push(button(Math.min(PAGE, found.length - to) + ' lines more', () => { step.to = Math.min(found.length, to + PAGE); draw(step); }));
  step.lines.replaceChildren(...rows);
}
function show(step) {
  const term = search.value.toLowerCase();
  const rows = rowsOf(step);
  step.found = term ? rows.filter(({ gap, text }) => gap || text.toLowerCase().includes(term)) : rows;
  step.hits = term ? step.found.filter(({ gap }) => !gap).length : 0;
  step.count.textContent = term ? ' ' + step.hits + ' found' : '';
  const fromEnd = !term && step.box.classList.contains('failed');
  step.from = fromEnd ? Math.max(0, step.found.length - PAGE) : 0;
  step.to = fromEnd ? step.found.length : Math.min(PAGE, step.found.length);
  if (step.box.open) draw(step);
  if (fromEnd) step.lines.scrollTop = step.lines.scrollHeight;
}
function filter() {
  const term = search.value;
  let total = 0;
  let cut = false;
  for (const step of steps) {
    const wanted = only.value === '' || only.value === step.box.dataset.step;
    if (wanted && term) {
      show(step);
      total += step.hits;
      cut ||= step.found.length > step.hits;
      step.box.open = step.hits > 0;
    } else if (wanted && step.box.open) show(step);
    else step.count.textContent = '';
    step.box.hidden = !wanted || (term !== '' && step.hits === 0);
  }
  const what = total + (total === 1 ? ' line' : ' lines') + ' found' + (cut ? ' in the part that this page holds' : '');
  hits.textContent = term === '' ? '' : what;
}
let timer;
search.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(filter, 150); });
only.addEventListener('change', () => { if (only.value) steps.find(({ box }) => box.dataset.step === only.value).box.open = true; filter(); });
for (const step of steps) {
  step.box.addEventListener('toggle', () => { if (step.box.open) show(step); });
  if (step.box.open) show(step);
}
addEventListener('hashchange', () => { const at = document.getElementById(location.hash.slice(1)); if (at && at.matches('details')) at.open = true; });
`;

;// CONCATENATED MODULE: ./lib/action/page/timeline-picture.js



const MAX_BARS = 200;
const ROW = 24;
const LEFT = 38;
const WIDTH = 61;
const TICKS = 4;
function timelinePicture({ bars, length }) {
    const shown = bars.slice(0, MAX_BARS);
    const height = (shown.length + 1) * ROW;
    const at = (ms) => (LEFT + (length === 0 ? 0 : (ms / length) * WIDTH)).toFixed(3);
    const ticks = Array.from({ length: TICKS + 1 }, (_, n) => {
        const ms = (length * n) / TICKS;
        const anchor = n === 0 ? 'start' : n === TICKS ? 'end' : 'middle';
        return (`<line x1="${at(ms)}%" x2="${at(ms)}%" y1="0" y2="${height - ROW}"/>` +
            `<text class="tick" x="${at(ms)}%" y="${height - 7}" text-anchor="${anchor}">${(0,quantity_text/* duration */.p)(ms / 1000)}</text>`);
    });
    const rows = shown.map(({ name, phase, status, start, end }, row) => {
        const width = Math.max(0.3, (length === 0 ? 0 : (end - start) / length) * WIDTH).toFixed(3);
        const label = `${(0,console_text.plainText)(name, 40)} · ${(0,quantity_text/* duration */.p)((end - start) / 1000)}`;
        return (`<text x="0" y="${row * ROW + 16}">${(0,markup/* escapeHtml */.ZD)(label)}</text>` +
            `<rect class="${phase} ${status}" x="${at(start)}%" y="${row * ROW + 4}" width="${width}%" height="${ROW - 8}" rx="3"/>`);
    });
    const more = bars.length > MAX_BARS ? `<p>… and ${bars.length - MAX_BARS} more.</p>` : '';
    const title = 'What the run spent its time with';
    return `<svg role="img" aria-label="${title}" width="100%" height="${height}">${ticks.join('')}${rows.join('')}</svg>${more}`;
}

;// CONCATENATED MODULE: ./lib/action/page/page.js

















const PAGE_FILE = 'report.html';
const MAX_LOG_BYTES = 12 * 1024 * 1024;
const MAX_STEP_BYTES = 2 * 1024 * 1024;
const MAX_LOG_LINES = 300_000;
const MAX_STEP_LINES = 50_000;
const MAX_STEPS = 1_000;
const MAX_MESSAGE_LINES = 50;
const CHUNK_CHARACTERS = 64 * 1024;
async function writeReportPage({ directory, report, signal }) {
    const path = (0,external_node_path_.join)(directory, PAGE_FILE);
    const part = `${path}.part`;
    const file = await (0,promises_.open)(part, 'w', 0o600);
    try {
        await writeAll(file, pageOf(directory, report), signal);
        await (0,promises_.rename)(part, path);
    }
    catch (error) {
        await (0,promises_.rm)(part, { force: true });
        throw error;
    }
    finally {
        await file.close();
    }
}
async function writeAll(file, pieces, signal) {
    let kept = '';
    for await (const piece of pieces) {
        kept += piece;
        if (kept.length < CHUNK_CHARACTERS)
            continue;
        signal.throwIfAborted();
        await file.write(kept);
        kept = '';
    }
    await file.write(kept);
}
async function* pageOf(directory, report) {
    const steps = report.steps.slice(0, MAX_STEPS).filter(isLogged);
    const changes = await (0,resource_changes/* resourceChanges */.A)(directory, steps);
    yield head(report);
    const timeline = (0,action_timeline/* timelineOf */.h)(report);
    if (timeline !== undefined)
        yield `<h2>Timeline</h2>${timelinePicture(timeline)}`;
    if (report.steps.length > 0)
        yield `<h2>Steps</h2>${(0,step_table/* stepTable */.P)(report.steps, changes, { maxRows: MAX_STEPS, linked: true })}`;
    if (report.notices.length > 0)
        yield `<h2>Notices</h2><ul>${report.notices.slice(0, 100).map(notice).join('')}</ul>`;
    if (steps.length > 0)
        yield `<h2>Log</h2>${tools(steps)}`;
    const maxBytes = Math.min(MAX_STEP_BYTES, Math.floor(MAX_LOG_BYTES / Math.max(1, steps.length)));
    const maxLines = Math.min(MAX_STEP_LINES, Math.floor(MAX_LOG_LINES / Math.max(1, steps.length)));
    for (const step of steps) {
        yield stepBox(step);
        yield `<script type="application/json" id="log-${step.index}">`;
        yield* logData({ path: (0,external_node_path_.join)(directory, step.log), shownPath: step.log, lines: step.lines, maxBytes, maxLines });
        yield '</script>\n';
    }
    const receipt = (0,publish_receipt/* receiptBlock */.qU)(report);
    if (receipt !== '')
        yield `<h2>Receipt</h2>${receipt}`;
    yield `<h2>Health</h2>${await healthTable(directory)}`;
    const files = [schema/* RUN_FILES */.al.result, schema/* RUN_FILES */.al.events, schema/* RUN_FILES */.al.health, schema/* RUN_FILES */.al.log];
    yield `<h2>Files beside this page</h2><p>${files.map((name) => `<a href="${name}">${name}</a>`).join(' · ')}</p>`;
    yield `<script>${SCRIPT}</script></body></html>\n`;
}
function head(report) {
    const { outcome, message, deploymentId, startedAt, image, forwarded, reported } = report;
    const title = (0,markup/* escapeHtml */.ZD)(titles/* TITLES */.e[outcome]);
    const policy = [
        "default-src 'none'",
        `script-src '${hash(SCRIPT)}'`,
        `style-src '${hash(STYLE)}'`,
        "base-uri 'none'",
        "form-action 'none'",
    ].join('; ');
    const sentences = message.split('\n').slice(0, MAX_MESSAGE_LINES);
    const facts = [];
    if (deploymentId !== undefined)
        facts.push((0,markup/* deploymentText */.JE)({ ...report, deploymentId }));
    if (startedAt !== undefined)
        facts.push(`Began ${new Date(startedAt).toISOString().replace(/T(.*)\..*/, ' $1 UTC')}`);
    if (reported === false)
        facts.push('Pulumi Cloud did not take the last status');
    if (image !== undefined)
        facts.push(`Image ${(0,markup/* code */.aY)(image, 500)}`);
    if (forwarded.length > 0)
        facts.push(`Forwarded variables ${forwarded
            .slice(0, 100)
            .map((name) => (0,markup/* code */.aY)(name))
            .join(' ')}`);
    return (`<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">` +
        `<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width">` +
        `<title>${title}</title><style>${STYLE}</style></head>\n<body><h1>${title}</h1>` +
        `<p>${sentences.map((line) => (0,markup/* escapeHtml */.ZD)((0,console_text.plainText)(line))).join('<br>')}${(0,markup/* entryLink */.bM)(message)}</p><p>${facts.join('<br>')}</p>`);
}
function hash(text) {
    return `sha256-${(0,external_node_crypto_.createHash)('sha256').update(text).digest('base64')}`;
}
function notice(text) {
    return `<li>${(0,markup/* escapeHtml */.ZD)((0,console_text.plainText)(text))}</li>`;
}
function tools(steps) {
    const options = steps.map(({ index, name }) => `<option value="${index}">${index} ${(0,markup/* escapeHtml */.ZD)((0,console_text.plainText)(name, 60))}</option>`);
    return ('<noscript><p>The logs are shown by a script; without it, see the folder steps beside this page.</p></noscript>' +
        '<div id="tools"><input id="search" type="search" placeholder="Search the logs" aria-label="Search the logs">' +
        `<select id="step" aria-label="Step"><option value="">All steps</option>${options.join('')}</select>` +
        '<output id="hits"></output></div>\n');
}
function stepBox({ index, name, status, seconds, lines, log }) {
    const figures = [
        titles/* STEP_STATUS */.o[status],
        ...(seconds === undefined ? [] : [(0,quantity_text/* duration */.p)(seconds)]),
        ...(lines === undefined ? [] : [(0,quantity_text/* lineCount */.I)(lines)]),
    ].join(' · ');
    const failed = status === 'failed';
    return (`<details class="step${failed ? ' failed' : ''}" id="step-${index}" data-step="${index}"${failed ? ' open' : ''}>` +
        `<summary>${index} ${(0,markup/* code */.aY)(name)} <small>${figures} · <a href="${log}">${log}</a></small><b class="count"></b></summary>` +
        '<div class="lines"></div></details>');
}
function isLogged(step) {
    return step.log !== undefined && follow/* STEP_LOG */.g.test(step.log);
}


/***/ }),

/***/ 83245:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Uv: () => (/* binding */ readResult),
/* harmony export */   W1: () => (/* binding */ RecordError),
/* harmony export */   wj: () => (/* binding */ parseEvent)
/* harmony export */ });
/* harmony import */ var node_fs_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(51455);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(76760);
/* harmony import */ var _schema_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(16526);



class RecordError extends Error {
    name = 'RecordError';
}
function parseEvent(line) {
    let value;
    try {
        value = JSON.parse(line);
    }
    catch (cause) {
        throw new RecordError(`Failed to read an event for the run: ${line.slice(0, 200)} is not JSON. Report this as a bug.`, {
            cause,
        });
    }
    const parsed = _schema_js__WEBPACK_IMPORTED_MODULE_2__/* .recordEventSchema */ .HA.safeParse(value);
    return parsed.success ? parsed.data : undefined;
}
async function readResult(directory) {
    const path = (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(directory, _schema_js__WEBPACK_IMPORTED_MODULE_2__/* .RUN_FILES */ .al.result);
    let text;
    try {
        text = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.readFile)(path, 'utf8');
    }
    catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
            return undefined;
        throw error;
    }
    try {
        return _schema_js__WEBPACK_IMPORTED_MODULE_2__/* .runResultSchema */ .sp.parse(JSON.parse(text));
    }
    catch (cause) {
        throw new RecordError(`Failed to read the result for ${directory}: ${_schema_js__WEBPACK_IMPORTED_MODULE_2__/* .RUN_FILES */ .al.result} is not what this version writes.`, {
            cause,
        });
    }
}


/***/ }),

/***/ 16526:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  al: () => (/* reexport */ RUN_FILES),
  $K: () => (/* binding */ ownerSchema),
  HA: () => (/* binding */ recordEventSchema),
  sp: () => (/* binding */ runResultSchema)
});

// UNUSED EXPORTS: placeSchema, stepResultSchema

// EXTERNAL MODULE: ../../main/node_modules/zod/v4/classic/schemas.js + 17 modules
var schemas = __webpack_require__(47838);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(54792);
;// CONCATENATED MODULE: ./lib/record/files.js
const RUN_FILES = {
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


/***/ })

};
