export const id = 219;
export const ids = [219];
export const modules = {

/***/ 5219:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  _: () => (/* binding */ DEFAULT_IMAGE),
  b: () => (/* binding */ runJob)
});

// EXTERNAL MODULE: ./lib/clock.js
var lib_clock = __webpack_require__(8398);
// EXTERNAL MODULE: ./lib/cloud/errors.js
var errors = __webpack_require__(2871);
// EXTERNAL MODULE: ./lib/config/duration.js
var duration = __webpack_require__(3351);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(4792);
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
var job_stop = __webpack_require__(5850);
;// CONCATENATED MODULE: ./lib/job/job-end.js


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
        try {
            return (await this.#container?.readEnvironmentFile(signal)) ?? '';
        }
        catch (error) {
            if (!signal.aborted)
                this.#options.notice((0,outcome/* messageOf */.bD)(error));
            return '';
        }
    }
    async remove() {
        if (this.#container === undefined)
            return undefined;
        this.#removal ??= this.#container.remove();
        try {
            await this.#removal;
            return undefined;
        }
        catch (error) {
            return (0,outcome/* messageOf */.bD)(error);
        }
    }
}

;// CONCATENATED MODULE: ./lib/log/cloud-batch.js
class CloudBatch {
    offset;
    length;
    json;
    constructor(offset, length, json) {
        this.offset = offset;
        this.length = length;
        this.json = json;
    }
    get lines() {
        return JSON.parse(this.json.toString('utf8')).lines;
    }
    toJSON() {
        return { offset: this.offset, lines: this.lines };
    }
}

;// CONCATENATED MODULE: ./lib/log/json-text.js
const LETTERS = new Uint8Array(256);
const LETTER_U = 0x75;
for (let code = 0; code < 0x20; code++)
    LETTERS[code] = LETTER_U;
for (const pair of ['\bb', '\tt', '\nn', '\ff', '\rr', '""', '\\\\'])
    LETTERS[pair.charCodeAt(0)] = pair.charCodeAt(1);
const LINE_FEED = 0x0a;
const ESCAPED = [...LETTERS.keys()].filter((code) => LETTERS[code] !== 0 && code !== LINE_FEED);
const HEX = Buffer.from('0123456789abcdef');
const BACKSLASH = 0x5c;
const ZERO = 0x30;
class JsonLines {
    #text;
    #codes = [];
    #nexts = [];
    constructor(text) {
        this.#text = text;
        for (const code of ESCAPED) {
            const next = text.indexOf(code);
            if (next === -1)
                continue;
            this.#codes.push(code);
            this.#nexts.push(next);
        }
    }
    write(start, end, to, at) {
        if (this.#isSpecial(start, end))
            return writeEscaped(this.#text, start, end, to, at);
        const isEnded = this.#text[end - 1] === LINE_FEED;
        const out = at + this.#text.copy(to, at, start, isEnded ? end - 1 : end);
        if (!isEnded)
            return out;
        to[out] = BACKSLASH;
        to[out + 1] = 0x6e;
        return out + 2;
    }
    #isSpecial(start, end) {
        for (let index = 0; index < this.#codes.length; index++) {
            let next = this.#nexts[index];
            if (next < start) {
                const found = this.#text.indexOf(this.#codes[index], start);
                next = found === -1 ? this.#text.length : found;
                this.#nexts[index] = next;
            }
            if (next < end)
                return true;
        }
        return false;
    }
}
function writeEscaped(from, start, end, to, at) {
    let out = at;
    for (let index = start; index < end; index++) {
        const code = from[index];
        const letter = LETTERS[code];
        if (letter === 0) {
            to[out++] = code;
            continue;
        }
        to[out++] = BACKSLASH;
        to[out++] = letter;
        if (letter !== LETTER_U)
            continue;
        to[out++] = ZERO;
        to[out++] = ZERO;
        to[out++] = HEX[code >> 4];
        to[out++] = HEX[code & 0x0f];
    }
    return out;
}

;// CONCATENATED MODULE: ./lib/log/lines.js
const LONGEST_LINE = 64 * 1024;
const lines_LINE_FEED = 0x0a;
class LineSplitter {
    #pending = Buffer.alloc(0);
    #held = 0;
    get unfinished() {
        return this.#held > 0;
    }
    push(bytes, take) {
        let from = 0;
        if (this.#held > 0) {
            const end = bytes.indexOf(lines_LINE_FEED);
            from = end === -1 ? bytes.length : end + 1;
            this.#hold(bytes, 0, from);
            this.#cut(end === -1 ? LONGEST_LINE : LONGEST_LINE + 1, take);
            if (end === -1)
                return;
            take(this.#pending.subarray(0, this.#held), 1, false);
            this.#held = 0;
        }
        let [lines, start] = [0, from];
        for (let end = bytes.indexOf(lines_LINE_FEED, start); end !== -1; end = bytes.indexOf(lines_LINE_FEED, start)) {
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
function countLines(bytes) {
    let lines = 0;
    let start = 0;
    for (; start < bytes.length; lines++)
        start = lineEnd(bytes, start);
    return lines;
}
function lineEnd(bytes, start) {
    const end = bytes.indexOf(lines_LINE_FEED, start);
    return end === -1 ? bytes.length : end + 1;
}
function characterStart(bytes, at) {
    let start = at;
    while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80)
        start--;
    return start;
}

;// CONCATENATED MODULE: ./lib/log/cloud-queue.js



const LARGEST_CALL = { lines: 1_000, bytes: 256 * 1024 };
const ENVELOPE_BYTES = 48;
const PIECE_BYTES = 16 * 1024;
const MOST_ESCAPED = 6;
const SMALLEST_BUFFER = 64 * 1024;
const END = Buffer.from(']}');
const NOTHING = Buffer.alloc(0);
class CloudQueue {
    #buffer = Buffer.alloc(0);
    #start = 0;
    #end = 0;
    #sizes = new Uint32Array(0);
    #first = 0;
    #next = 0;
    #head = { t: '', bytes: Buffer.alloc(0) };
    #replacement;
    get length() {
        return this.#next - this.#first;
    }
    get bytes() {
        return this.#end - this.#start;
    }
    add({ t, bytes, partial = false }) {
        if (t !== this.#head.t)
            this.#head = { t, bytes: Buffer.from(`{"t":${JSON.stringify(t)},"l":"`) };
        const json = new JsonLines(bytes);
        for (let from = 0; from < bytes.length;) {
            const to = lineEnd(bytes, from);
            const size = this.#append(json, from, to, partial);
            if (size > LARGEST_CALL.bytes - ENVELOPE_BYTES && to - from > PIECE_BYTES) {
                this.#end -= size;
                this.#next--;
                this.#appendPieces(bytes, from, to, partial);
            }
            from = to;
        }
    }
    #appendPieces(bytes, from, to, partial) {
        for (let start = from; start < to;) {
            const end = to - start <= PIECE_BYTES ? to : characterStart(bytes, start + PIECE_BYTES);
            this.#append(new JsonLines(bytes), start, end, partial || end < to);
            start = end;
        }
    }
    first(limits, offset) {
        const replaced = this.#replacement ?? NOTHING;
        let end = this.#start;
        let count = 0;
        let bytes = ENVELOPE_BYTES;
        while (count < Math.min(limits.lines, this.length)) {
            const size = this.#sizes[this.#first + count];
            bytes += count === 0 && replaced !== NOTHING ? replaced.length : size;
            if (count > 0 && bytes > limits.bytes)
                break;
            end += size;
            count++;
        }
        const start = this.#start + (replaced === NOTHING ? 0 : this.#sizes[this.#first]);
        const head = Buffer.from(`{"offset":${offset},"lines":[`);
        const json = Buffer.concat([head, replaced, this.#buffer.subarray(start, end), END]);
        if (count > 0)
            json.set(END, json.length - END.length - 1);
        return new CloudBatch(offset, count, count > 0 ? json.subarray(0, -1) : json);
    }
    drop(count) {
        for (let dropped = 0; dropped < count; dropped++)
            this.#start += this.#sizes[this.#first++];
        if (count > 0)
            this.#replacement = undefined;
        if (this.length === 0)
            this.#start = this.#end = this.#first = this.#next = 0;
    }
    replaceFirst(line) {
        this.#replacement = Buffer.from(`${JSON.stringify(line)},`);
    }
    #append(json, from, to, partial) {
        const head = this.#head.bytes;
        this.#reserve(head.length + (to - from) * MOST_ESCAPED + 8);
        const began = this.#end;
        head.copy(this.#buffer, began);
        let end = json.write(from, to, this.#buffer, began + head.length);
        if (partial)
            end += this.#buffer.write('\\n', end, 'latin1');
        this.#buffer[end] = 0x22;
        this.#buffer[end + 1] = 0x7d;
        this.#buffer[end + 2] = 0x2c;
        this.#end = end + 3;
        this.#sizes[this.#next++] = this.#end - began;
        return this.#end - began;
    }
    #reserve(size) {
        if (this.#end + size > this.#buffer.length) {
            const used = this.#end - this.#start;
            const old = this.#buffer;
            if (used + size > (old.length * 3) / 4) {
                const spare = Math.min(used, 4 * 1024 ** 2) + size;
                this.#buffer = Buffer.allocUnsafeSlow(Math.max(SMALLEST_BUFFER, used + spare + LONGEST_LINE));
            }
            old.copy(this.#buffer, 0, this.#start, this.#end);
            this.#end = used;
            this.#start = 0;
        }
        if (this.#next < this.#sizes.length)
            return;
        const waiting = this.#sizes.subarray(this.#first, this.#next);
        if (waiting.length >= (this.#sizes.length * 3) / 4)
            this.#sizes = new Uint32Array(Math.max(256, waiting.length * 2));
        this.#sizes.set(waiting);
        this.#next = waiting.length;
        this.#first = 0;
    }
}

;// CONCATENATED MODULE: ./lib/log/text-cut.js
function cutPosition(text, limit) {
    const last = text.charCodeAt(limit - 1);
    const splitsPair = last >= 0xd800 && last <= 0xdbff;
    return splitsPair ? limit - 1 : limit;
}

;// CONCATENATED MODULE: ./lib/log/line-cutter.js

const SHORTEST_REST = 256;
const PLAUSIBLE_LIMIT = 4 * 1024;
class LineCutter {
    #line;
    #kept;
    constructor(line) {
        this.#line = line;
        this.#kept = line.l.length;
    }
    get exhausted() {
        return this.#kept === 0;
    }
    get refusedForContent() {
        return this.#kept < PLAUSIBLE_LIMIT;
    }
    next() {
        const { t, l } = this.#line;
        const half = Math.floor(this.#kept / 2);
        this.#kept = half < SHORTEST_REST ? 0 : cutPosition(l, half);
        return {
            t,
            l: `${l.slice(0, this.#kept)}[${l.length - this.#kept} characters cut: Pulumi Cloud refused the line]\n`,
        };
    }
}

;// CONCATENATED MODULE: ./lib/log/cloud-log.js



const USUAL_LINES = 100;
const FEWEST_LINES = 10;
const RELEASED_SHARE = 8;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;
class CloudLog {
    #options;
    #interval;
    #giveUpMs;
    #maxQueuedBytes;
    #queue = new CloudQueue();
    #limits = LARGEST_CALL;
    #size = USUAL_LINES;
    #cutter;
    #result = { sent: 0, undelivered: 0, batches: 0, retries: 0, failures: 0, cut: 0 };
    #lastError;
    #running;
    #ending;
    #stopped = false;
    #released = false;
    #lastStart = Number.NEGATIVE_INFINITY;
    #failingSince;
    #nap;
    #call;
    #room;
    #stop = () => this.#halt();
    constructor(options) {
        this.#options = options;
        this.#interval = options.flushIntervalMs ?? 1_000;
        this.#giveUpMs = options.giveUpMs ?? 300_000;
        this.#maxQueuedBytes = options.maxQueuedBytes ?? 4 * 1024 * 1024;
        options.signal.addEventListener('abort', this.#stop, { once: true });
        if (options.signal.aborted)
            this.#halt();
    }
    write(blocks) {
        if (this.#stopped || this.#ending !== undefined) {
            for (const { bytes } of blocks)
                this.#result.undelivered += countLines(bytes);
            return undefined;
        }
        const first = this.#queue.length === 0;
        for (const block of blocks)
            this.#queue.add(block);
        if (!this.#released && this.#queue.bytes > this.#maxQueuedBytes)
            this.#room ??= Promise.withResolvers();
        if (this.#released && this.#queue.bytes > this.#maxQueuedBytes * RELEASED_SHARE)
            this.#halt();
        this.#running ??= this.#run();
        if (this.#nap?.idle && (first || this.#backlog))
            this.#nap.controller.abort();
        return this.#room?.promise;
    }
    release() {
        this.#released = true;
        this.#makeRoom();
    }
    async end(signal) {
        signal?.addEventListener('abort', this.#stop, { once: true });
        if (signal?.aborted)
            this.#halt();
        try {
            this.#ending ??= this.#finish();
            return await this.#ending;
        }
        finally {
            signal?.removeEventListener('abort', this.#stop);
        }
    }
    async #finish() {
        const timer = setTimeout(this.#stop, this.#giveUpMs);
        this.#nap?.controller.abort();
        try {
            await this.#running;
        }
        finally {
            clearTimeout(timer);
            this.#options.signal.removeEventListener('abort', this.#stop);
        }
        return { ...this.#result, ...(this.#lastError === undefined ? {} : { lastError: this.#lastError.error }) };
    }
    async #run() {
        while (await this.#due())
            await this.#deliver();
        this.#result.undelivered += this.#queue.length;
        this.#queue.drop(this.#queue.length);
        this.#makeRoom();
    }
    get #backlog() {
        return this.#queue.length >= USUAL_LINES || this.#queue.bytes >= this.#limits.bytes || this.#room !== undefined;
    }
    async #due() {
        while (!this.#stopped) {
            const ending = this.#ending !== undefined;
            const wait = Math.min(this.#interval, this.#lastStart + this.#interval - this.#options.now());
            if (this.#queue.length === 0) {
                if (ending)
                    return false;
                await this.#rest(undefined, true);
            }
            else if (ending || this.#backlog || wait <= 0) {
                return true;
            }
            else {
                await this.#rest(wait, true);
            }
        }
        return false;
    }
    async #deliver() {
        const limits = { lines: Math.min(this.#size, this.#limits.lines), bytes: this.#limits.bytes };
        const batch = this.#queue.first(limits, this.#result.sent);
        for (let failures = 1; !this.#stopped; failures++) {
            const answer = await this.#send(batch);
            if (answer === 'accepted')
                return this.#accepted(batch.length);
            if (answer === 'too-large' && this.#shrink(batch))
                return;
            this.#result.failures++;
            if (this.#stopped)
                return;
            const now = this.#options.now();
            this.#failingSince ??= now;
            const left = this.#failingSince + this.#giveUpMs - now;
            if (left <= 0)
                return this.#halt();
            const backoff = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LONGEST_RETRY_MS);
            const usual = backoff * (0.5 + (this.#options.random ?? Math.random)() / 2);
            const asked = this.#options.pauseAfter?.(this.#lastError?.error) ?? 0;
            await this.#rest(Math.min(left, Math.max(usual, asked)), false);
            if (!this.#stopped)
                this.#result.retries++;
        }
    }
    async #send(batch) {
        const call = new AbortController();
        const aborted = Promise.withResolvers();
        call.signal.addEventListener('abort', () => aborted.resolve('failed'), { once: true });
        const timer = setTimeout(() => {
            const error = new Error(`Pulumi Cloud gave no answer within ${this.#giveUpMs / 1000} s.`);
            this.#lastError = { error };
            call.abort(error);
        }, this.#giveUpMs);
        this.#call = call;
        this.#lastStart = this.#options.now();
        try {
            return await Promise.race([this.#options.send(batch, call.signal), aborted.promise]);
        }
        catch (error) {
            this.#lastError = { error };
            return 'failed';
        }
        finally {
            clearTimeout(timer);
            this.#call = undefined;
        }
    }
    #accepted(count) {
        this.#failingSince = undefined;
        this.#result.sent += count;
        this.#result.batches++;
        if (this.#cutter !== undefined) {
            this.#result.cut++;
            if (this.#cutter.refusedForContent)
                this.#limits = LARGEST_CALL;
            this.#cutter = undefined;
        }
        this.#queue.drop(count);
        this.#size = this.#queue.length >= USUAL_LINES ? Math.min(this.#size * 2, LARGEST_CALL.lines) : USUAL_LINES;
        if (this.#queue.bytes <= this.#maxQueuedBytes)
            this.#makeRoom();
    }
    #shrink(batch) {
        const { length } = batch;
        const [line] = length === 1 ? batch.lines : [];
        if (line !== undefined) {
            this.#cutter ??= new LineCutter(line);
            if (this.#cutter.exhausted)
                return false;
            this.#queue.replaceFirst(this.#cutter.next());
        }
        const fewer = length > 1 ? Math.max(FEWEST_LINES, Math.floor(length / 2)) : this.#limits.lines;
        this.#limits = {
            lines: Math.min(this.#limits.lines, fewer),
            bytes: Math.min(this.#limits.bytes, Math.floor(batch.json.length / 2)),
        };
        return true;
    }
    #makeRoom() {
        this.#room?.resolve();
        this.#room = undefined;
    }
    async #rest(milliseconds, idle) {
        const controller = new AbortController();
        const over = Promise.withResolvers();
        controller.signal.addEventListener('abort', () => over.resolve(), { once: true });
        this.#nap = { controller, idle };
        if (milliseconds !== undefined) {
            this.#options.sleep(milliseconds, controller.signal).then(over.resolve, over.resolve);
        }
        await over.promise;
        this.#nap = undefined;
    }
    #halt() {
        this.#stopped = true;
        this.#call?.abort();
        this.#nap?.controller.abort();
        this.#makeRoom();
    }
}

;// CONCATENATED MODULE: ./lib/job/patience.js
const PATIENCE_MS = 5 * 60_000;
const STOPPING_PATIENCE_MS = 45_000;
const LOST_PATIENCE_MS = 2_000;
const LAST_TRY_MS = 3_000;
class Patience {
    #options;
    #over = new AbortController();
    #late = new AbortController();
    #cleared = new AbortController();
    #renewed = new AbortController();
    #hurry = () => this.#endIn(STOPPING_PATIENCE_MS, this.#cleared.signal);
    constructor(options) {
        this.#options = options;
        const { isLost, stopping } = options;
        if (isLost)
            this.#endIn(LOST_PATIENCE_MS, AbortSignal.any([this.#cleared.signal, this.#renewed.signal]));
        else
            this.#endIn(PATIENCE_MS, this.#cleared.signal);
        if (stopping.aborted)
            this.#hurry();
        stopping.addEventListener('abort', this.#hurry, { once: true });
    }
    get over() {
        return this.#over.signal;
    }
    get late() {
        return this.#late.signal;
    }
    renew() {
        if (!this.#options.isLost || this.#renewed.signal.aborted || this.#over.signal.aborted)
            return;
        this.#renewed.abort();
        this.#endIn(PATIENCE_MS, this.#cleared.signal);
    }
    clear() {
        this.#cleared.abort();
        this.#options.stopping.removeEventListener('abort', this.#hurry);
    }
    #endIn(ms, signal) {
        const { clock } = this.#options;
        const end = async () => {
            await clock.sleep(ms, signal);
            this.#over.abort();
            await clock.sleep(LAST_TRY_MS, this.#cleared.signal);
            this.#late.abort();
        };
        end().catch(() => undefined);
    }
}

;// CONCATENATED MODULE: ./lib/job/reporter.js




const GIVE_UP_MS = 10 * 60_000;
const LONGEST_PAUSE_MS = 30_000;
const REFUSALS = 3;
class Reporter {
    #options;
    #gone = new AbortController();
    #tail = Promise.resolve();
    #owed = [];
    #last;
    #told;
    #isLost = false;
    #areLinesLost = false;
    #patienceWithLines;
    constructor(options) {
        this.#options = options;
    }
    begin(index, onSent) {
        const { api, clock } = this.#options;
        const running = this.#enqueue(() => this.#deliverStatus(index, 'running'));
        const refused = new AbortController();
        const signal = AbortSignal.any([this.#gone.signal, refused.signal]);
        let refusals = 0;
        const log = new CloudLog({
            send: async (batch, aborted) => {
                await running;
                try {
                    await this.#settle(aborted);
                    const answer = await api.logs(index, batch, aborted);
                    this.#isLost = false;
                    this.#areLinesLost = false;
                    this.#patienceWithLines?.renew();
                    refusals = 0;
                    if (answer === 'accepted')
                        onSent?.(batch.length);
                    return answer;
                }
                catch (error) {
                    if (error instanceof errors/* JobGoneError */.Vp)
                        this.#lose(error);
                    if (error instanceof errors/* CloudRefusedError */.GW) {
                        refusals += 1;
                        if (refusals === REFUSALS) {
                            this.#options.onNotice(error.message);
                            refused.abort(error);
                        }
                    }
                    throw error;
                }
            },
            now: () => clock.steady(),
            sleep: (ms, aborted) => clock.sleep(ms, aborted),
            signal,
            giveUpMs: GIVE_UP_MS,
            pauseAfter: askedMs,
        });
        return {
            log,
            finish: (status, beforeStatus) => this.#enqueue(async () => {
                const patience = this.#patience(this.#isLost || this.#areLinesLost);
                this.#patienceWithLines = patience;
                const { sent, undelivered, batches, retries, failures } = await log.end(patience.over);
                patience.clear();
                if (undelivered > 0) {
                    this.#areLinesLost = true;
                    this.#options.onNotice(`${undelivered} log lines of step ${index} did not reach Pulumi Cloud; they are in the artifact.`);
                }
                await beforeStatus?.();
                await this.#deliverStatus(index, status);
                return { sent, undelivered, batches, retries, failures };
            }),
        };
    }
    async drained() {
        await this.#tail;
        return this.#gone.signal.aborted || this.#told === this.#last;
    }
    #enqueue(work) {
        const done = this.#tail.then(work);
        this.#tail = done.catch(() => undefined);
        return done;
    }
    #lose(error) {
        if (this.#gone.signal.aborted)
            return;
        this.#gone.abort(error);
        this.#options.onGone();
    }
    #patience(isLost) {
        const { clock, stopping } = this.#options;
        return new Patience({ clock, stopping, isLost });
    }
    async #deliverStatus(index, status) {
        const owed = this.#owed;
        const report = { index, status };
        this.#last = report;
        owed.push(report);
        const patience = this.#patience(this.#isLost);
        try {
            while (owed.length > 0 && (await this.#deliverFirst(patience)))
                owed.shift();
            if (owed.length > 1 && (await this.#isTaken(report, patience.late)))
                owed.length = 0;
        }
        finally {
            patience.clear();
        }
    }
    async #deliverFirst({ over, late }) {
        const [first] = this.#owed;
        const gone = this.#gone.signal;
        if (first === undefined)
            return false;
        const enough = AbortSignal.any([gone, over]);
        let refusals = 0;
        for (let wait = 1_000; !gone.aborted; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
            let asked = 0;
            try {
                await this.#tell(first, late);
                return true;
            }
            catch (error) {
                if (gone.aborted)
                    return false;
                if (!(error instanceof errors/* CloudUnreachableError */.s8 || late.aborted))
                    refusals += 1;
                if (refusals === REFUSALS || over.aborted) {
                    if (!this.#isLost)
                        this.#options.onNotice(late.aborted ? unanswered(first) : (0,outcome/* messageOf */.bD)(error));
                    this.#isLost = refusals < REFUSALS;
                    return !this.#isLost;
                }
                asked = askedMs(error);
            }
            const pause = Math.max(asked, wait / 2 + (Math.random() * wait) / 2);
            await this.#options.clock.sleep(pause, enough).catch(() => undefined);
        }
        return false;
    }
    async #isTaken(report, signal) {
        return this.#tell(report, signal).then(() => true, () => false);
    }
    async #tell(report, signal) {
        try {
            const { index, status } = report;
            await this.#options.api.stepStatus(index, status, AbortSignal.any([this.#gone.signal, signal]));
            this.#told = report;
            this.#isLost = false;
        }
        catch (error) {
            if (error instanceof errors/* JobGoneError */.Vp)
                this.#lose(error);
            throw error;
        }
    }
    async #settle(signal) {
        for (let first = this.#owed[0]; first !== undefined; first = this.#owed[0]) {
            await this.#tell(first, signal);
            this.#owed.shift();
        }
    }
}
function askedMs(error) {
    const asked = error instanceof errors/* CloudUnreachableError */.s8 ? error.retryAfterMs : undefined;
    return Math.min(asked ?? 0, LONGEST_PAUSE_MS);
}
function unanswered({ index, status }) {
    return `Failed to report step ${index} as ${status} for the job: no answer came in time. Check Pulumi Cloud's status.`;
}

// EXTERNAL MODULE: ./lib/log/plain-names.js
var plain_names = __webpack_require__(2664);
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
var target = __webpack_require__(9327);
;// CONCATENATED MODULE: ./lib/job/interrupt.js
const TERM_MS = 10_000;
const KILL_MS = 10_000;
const DELIVERY_MS = 360_000;
async function interrupt(step, { clock, graceMs, onSignal }) {
    const waits = [
        ['SIGINT', graceMs],
        ['SIGTERM', TERM_MS],
        ['SIGKILL', KILL_MS],
    ];
    try {
        for (const [signal, ms] of waits) {
            onSignal(signal);
            const sent = step
                .signal(signal)
                .catch(() => undefined)
                .then(() => 'sent');
            const first = await before(clock, DELIVERY_MS, [step.exit, sent]);
            if (first !== 'sent')
                return first;
            const exit = await before(clock, ms, [step.exit]);
            if (exit !== undefined)
                return exit;
        }
    }
    catch {
    }
    return undefined;
}
async function before(clock, ms, promises) {
    const settled = new AbortController();
    const timeUp = clock.sleep(ms, settled.signal).then(() => undefined);
    try {
        return await Promise.race([...promises, timeUp]);
    }
    finally {
        settled.abort();
    }
}

;// CONCATENATED MODULE: ./lib/job/step.js




const LEASE_GRACE_MS = 90_000;
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
        log.release();
        const grace = stop.stop?.by === 'lease' ? Math.min(graceMs, LEASE_GRACE_MS) : graceMs;
        const exit = await interrupt(process, {
            clock,
            graceMs: grace,
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

// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: external "node:util"
var external_node_util_ = __webpack_require__(7975);
;// CONCATENATED MODULE: ./lib/log/step-file.js


const HIGH_WATER = 64 * 1024;
const writeSome = (0,external_node_util_.promisify)(external_node_fs_.write);
class StepFileError extends Error {
    name = 'StepFileError';
    constructor(action, path, cause) {
        const why = cause instanceof Error ? cause.message : String(cause);
        super(`Failed to ${action} the step log ${path}: ${why}. Check the disk's free space and the folder's permissions.`, {
            cause,
        });
    }
}
class StepFile {
    #descriptor;
    #path;
    #pending = Buffer.allocUnsafeSlow(HIGH_WATER);
    #pendingBytes = 0;
    #writing = Buffer.allocUnsafeSlow(HIGH_WATER);
    #flushing;
    #error;
    #ending;
    #hash;
    #sha256;
    constructor(descriptor, path) {
        this.#descriptor = descriptor;
        this.#path = path;
    }
    get sha256() {
        return this.#sha256;
    }
    write(blocks) {
        this.#check();
        for (const { bytes } of blocks)
            this.#append(bytes);
        if (this.#pendingBytes === 0)
            return undefined;
        this.#flushing ??= this.#flush();
        return this.#pendingBytes > HIGH_WATER ? this.#flushing.then(() => this.#check()) : undefined;
    }
    end() {
        this.#ending ??= this.#close();
        return this.#ending;
    }
    #append(bytes) {
        const size = this.#pendingBytes + bytes.length;
        if (size > this.#pending.length) {
            const larger = Buffer.allocUnsafeSlow(size * 2);
            this.#pending.copy(larger, 0, 0, this.#pendingBytes);
            this.#pending = larger;
        }
        bytes.copy(this.#pending, this.#pendingBytes);
        this.#pendingBytes = size;
    }
    async #flush() {
        try {
            while (this.#pendingBytes > 0) {
                const bytes = this.#pending.subarray(0, this.#pendingBytes);
                [this.#pending, this.#writing] = [this.#writing, this.#pending];
                this.#pendingBytes = 0;
                for (let done = 0; done < bytes.length;) {
                    const { bytesWritten } = await writeSome(this.#descriptor, bytes, done, bytes.length - done, null);
                    this.#hash ??= await newHash();
                    this.#hash.update(bytes.subarray(done, done + bytesWritten));
                    done += bytesWritten;
                }
            }
        }
        catch (error) {
            this.#error = new StepFileError('write', this.#path, error);
            this.#pendingBytes = 0;
        }
        finally {
            this.#flushing = undefined;
        }
    }
    #check() {
        if (this.#error !== undefined)
            throw this.#error;
    }
    async #close() {
        await this.#flushing;
        this.#hash ??= await newHash();
        this.#sha256 = this.#hash.digest('hex');
        try {
            (0,external_node_fs_.closeSync)(this.#descriptor);
        }
        catch (error) {
            this.#error ??= new StepFileError('close', this.#path, error);
        }
        this.#check();
    }
}
async function newHash() {
    const { createHash } = await Promise.resolve(/* import() */).then(__webpack_require__.t.bind(__webpack_require__, 7598, 19));
    return createHash('sha256');
}
function openStepFile(path) {
    try {
        return new StepFile((0,external_node_fs_.openSync)(path, 'ax', 0o600), path);
    }
    catch (error) {
        throw new StepFileError('create', path, error);
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
    #redactor;
    #text;
    #splitter = new LineSplitter();
    #now;
    #onSinkError;
    #outlets;
    #error;
    #ending;
    #clock = Number.NEGATIVE_INFINITY;
    #time = '';
    #lines = 0;
    #bytes = 0;
    constructor({ redactor, sinks, now, onSinkError }) {
        this.#redactor = redactor;
        this.#text = new RedactedText(redactor);
        this.#outlets = sinks.map((sink) => ({ sink, broken: false }));
        this.#now = now;
        this.#onSinkError = onSinkError;
    }
    get totals() {
        return { lines: this.#lines, bytes: this.#bytes };
    }
    write(chunk) {
        if (this.#ending !== undefined)
            return undefined;
        return this.#hand((take) => this.#split(this.#text.push(chunk), take));
    }
    line(text) {
        if (this.#ending !== undefined)
            return undefined;
        const before = this.#splitter.unfinished ? '\n' : '';
        const bytes = Buffer.from(`${before}${this.#redactor.text(text)}\n`);
        return this.#hand((take) => this.#split(bytes, take));
    }
    release() {
        for (const { sink } of this.#outlets)
            sink.release?.();
    }
    end(signal) {
        this.#ending ??= this.#finish(signal);
        return this.#ending;
    }
    async #finish(signal) {
        await this.#hand((take) => {
            this.#split(this.#text.end(), take);
            this.#splitter.end(take);
        });
        await Promise.all(this.#outlets.map(async (outlet) => {
            try {
                await outlet.sink.end(signal);
            }
            catch (error) {
                this.#fail(outlet, error);
            }
        }));
        if (this.#error !== undefined)
            throw this.#error.first;
        return this.totals;
    }
    #split(bytes, take) {
        this.#bytes += bytes.length;
        this.#splitter.push(bytes, take);
    }
    #timestamp() {
        const now = this.#now();
        if (now > this.#clock) {
            this.#clock = now;
            this.#time = new Date(now).toISOString();
        }
        return this.#time;
    }
    #hand(make) {
        let time;
        const waits = new Set();
        make((bytes, count, partial) => {
            time ??= this.#timestamp();
            if (!partial)
                this.#lines += count;
            const block = partial ? { t: time, bytes, partial } : { t: time, bytes };
            for (const outlet of this.#outlets)
                this.#write(outlet, block, waits);
        });
        return waits.size === 0 ? undefined : Promise.all(waits).then(() => undefined);
    }
    #write(outlet, block, waits) {
        if (outlet.broken)
            return;
        try {
            const wait = outlet.sink.write([block]);
            if (wait !== undefined)
                waits.add(wait.catch((error) => this.#fail(outlet, error)));
        }
        catch (error) {
            this.#fail(outlet, error);
        }
    }
    #fail(outlet, error) {
        const known = outlet.broken;
        outlet.broken = true;
        this.#error ??= { first: error };
        if (!known)
            this.#onSinkError?.(error, outlet.sink);
    }
}

;// CONCATENATED MODULE: ./lib/job/step-journal.js




const NOTHING_SENT = { sent: 0, undelivered: 0, batches: 0, retries: 0, failures: 0 };
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
        const { reporter, redactor, clock, stepLog, event, notice, onLog } = this.#options;
        const name = this.#names[index] ?? `Step ${index}`;
        const path = stepLog(index, name);
        const report = reporter.begin(index, (sent) => onLog?.({ sent }));
        const files = this.#openFile(path.absolute);
        const cloud = {
            write: (blocks) => {
                onLog?.({ bytes: blocks.reduce((sum, { bytes }) => sum + bytes.length, 0) });
                return report.log.write(blocks);
            },
            release: () => report.log.release(),
            end: () => Promise.resolve(),
        };
        const log = new StepLog({ redactor, sinks: [...files, cloud], now: () => clock.now() });
        const started = (0,lib_clock/* momentOf */.Et)(clock);
        event({ type: 'step-started', index, step: name, log: path.relative });
        return {
            log,
            finish: async (end, beforeStatus) => {
                let whole = files.length > 0;
                await log.end().catch((error) => {
                    whole = false;
                    notice((0,outcome/* messageOf */.bD)(error));
                });
                const { totals } = log;
                const delivery = report.finish(end.status, beforeStatus);
                delivery.then(({ undelivered }) => onLog?.({ undelivered })).catch(() => undefined);
                this.#deliveries.set(index, delivery);
                const finished = clock.now();
                const { status, ...why } = end;
                event({
                    type: 'step-finished',
                    index,
                    step: name,
                    status,
                    seconds: (0,lib_clock/* passedSince */.Pd)(started, clock).surely / 1000,
                    lines: totals.lines,
                    ...why,
                });
                this.#results.set(index, {
                    index,
                    name,
                    status,
                    ...why,
                    startedAt: new Date(started.now).toISOString(),
                    finishedAt: new Date(finished).toISOString(),
                    log: path.relative,
                    ...totals,
                    ...(whole && files[0]?.sha256 !== undefined && { sha256: files[0].sha256 }),
                    cloud: NOTHING_SENT,
                });
            },
        };
    }
    #openFile(path) {
        try {
            return [openStepFile(path)];
        }
        catch (error) {
            this.#options.notice((0,outcome/* messageOf */.bD)(error));
            return [];
        }
    }
    async results() {
        return Promise.all(this.#names.map(async (name, index) => {
            const result = this.#results.get(index);
            if (result === undefined)
                return { index, name, status: 'not-started', lines: 0, bytes: 0, cloud: NOTHING_SENT };
            const delivery = await this.#deliveries.get(index)?.catch(() => undefined);
            return { ...result, cloud: delivery ?? { ...NOTHING_SENT, undelivered: result.lines } };
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
const GONE = 'Pulumi Cloud no longer knows the job';
const NOTHING_RUN = 'No step was run.';
const UNTOLD = 'Pulumi Cloud could not be told how the job ended: it fails the deployment 10 minutes after the last heartbeat, however the job ended.';
async function runJob(options) {
    return new Job(options).run();
}
class Job {
    #options;
    #reporter;
    #journal;
    #container;
    #forwarded = [];
    #image;
    constructor(options) {
        this.#options = options;
        const { api, clock, stop, notice } = options;
        this.#reporter = new Reporter({
            api,
            clock,
            onGone: () => stop.request({ by: 'cloud', reason: GONE }),
            onNotice: notice,
            stopping: stop.signal,
        });
        this.#journal = new StepJournal({ ...options, reporter: this.#reporter });
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
        const left = await this.#container.remove();
        if (left !== undefined)
            this.#options.notice(left);
        if (!(await this.#reporter.drained()))
            this.#options.notice(UNTOLD);
        const { imageDigest } = this.#container;
        return {
            ...end,
            steps: await this.#journal.results(),
            forwarded: this.#forwarded,
            ...(this.#image === undefined ? {} : { image: this.#image }),
            ...(imageDigest === undefined ? {} : { imageDigest }),
        };
    }
    async #run() {
        const { api, stop, event, image: override } = this.#options;
        let definition;
        try {
            definition = await api.definition(stop.signal);
            checkTimeouts(definition);
        }
        catch (error) {
            if (error instanceof errors/* JobGoneError */.Vp)
                stop.request({ by: 'cloud', reason: GONE });
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
        const { claim, redactor, notice } = this.#options;
        const environment = jobEnvironment({ ...this.#options, definition });
        redactor.add(jobSecrets({ definition, claim, environment }));
        this.#forwarded = environment.forwarded;
        for (const warning of environment.warnings)
            notice(warning);
        return environment;
    }
    async #prepare(image, definition, environment) {
        const { stop, redactor, beforeLastStatus } = this.#options;
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
        const last = definition.steps.length === 1;
        await step.finish({ status: 'succeeded' }, last ? beforeLastStatus : undefined);
        return undefined;
    }
    async #steps(definition, environment) {
        const { stop, redactor, beforeLastStatus } = this.#options;
        const variables = { ...environment.variables };
        const last = definition.steps.length - 1;
        for (const [index, step] of definition.steps.entries()) {
            if (index === 0)
                continue;
            const journal = this.#journal.begin(index);
            const end = stop.stop === undefined ? await this.#step(definition, step, variables, journal.log) : notRun(stop);
            if (end.reason !== undefined)
                void journal.log.line(`[agent] The step failed: ${(0,outcome/* clause */.sb)(end.reason)}.`);
            if (end.status === 'succeeded' && index < last) {
                const written = parseEnvironmentFile(await this.#container.environmentFile(stop.signal));
                redactor.add(suspectedSecrets(written));
                Object.assign(variables, written);
            }
            if (end.status === 'failed' || index === last)
                void this.#container.remove();
            await journal.finish(end, end.status === 'failed' || index === last ? beforeLastStatus : undefined);
            if (end.status === 'failed') {
                return verdictOnStep(`step ${index} "${this.#journal.names[index]}"`, end, stop.stop);
            }
        }
        if (stop.stop?.by === 'cloud' || stop.stop?.by === 'lease') {
            return this.#verdict(new job_stop/* StopRequested */.v(stop.stop), 'Every step had succeeded.');
        }
        return { outcome: 'succeeded', message: 'Every step of the workflow succeeded.' };
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
            onNote: (note) => this.#options.notice(`${step.name ?? 'A step'}: ${note}`),
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
        await setup.finish({ status: 'failed', reason: end.message }, this.#options.beforeLastStatus);
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

/***/ 5850:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   G: () => (/* binding */ StopSource),
/* harmony export */   v: () => (/* binding */ StopRequested)
/* harmony export */ });
class StopSource {
    #controller = new AbortController();
    #stop;
    get signal() {
        return this.#controller.signal;
    }
    get stop() {
        return this.#stop;
    }
    request(stop) {
        if (this.#stop !== undefined)
            return;
        this.#stop = stop;
        this.#controller.abort(new StopRequested(stop));
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
