export const id = 46;
export const ids = [46];
export const modules = {

/***/ 5046:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  Syslog: () => (/* binding */ Syslog)
});

// EXTERNAL MODULE: external "node:child_process"
var external_node_child_process_ = __webpack_require__(1421);
// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(8500);
// EXTERNAL MODULE: ./lib/log/terminal-text.js
var terminal_text = __webpack_require__(2442);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(3259);
;// CONCATENATED MODULE: ./lib/agent/logging/syslog-parts.js
const CONTINUED = '\u2026 ';
function* syslogParts(text, limit) {
    if (Buffer.byteLength(text) <= limit) {
        yield text;
        return;
    }
    const bytes = Buffer.from(text);
    let prefix = '';
    for (let at = 0; at < bytes.length;) {
        let end = Math.min(bytes.length, at + limit - Buffer.byteLength(prefix));
        while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80)
            end -= 1;
        yield prefix + bytes.toString('utf8', at, end);
        prefix = CONTINUED;
        at = end;
    }
}

;// CONCATENATED MODULE: ./lib/agent/logging/syslog.js






const PRIORITIES = { error: 27, warning: 28, info: 30, debug: 31 };
const MESSAGE_BYTES = 2048;
const HEADER_BYTES = 256;
const LONGEST_QUEUE = 1_000;
const START_MS = 5_000;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;
const CLOSE_MS = 2_000;
class Syslog {
    #options;
    #queue = [];
    #handed = 0;
    #child;
    #childEnded = Promise.resolve();
    #retry;
    #retryMs = FIRST_RETRY_MS;
    #away = false;
    #closing = false;
    constructor(options) {
        this.#options = options;
    }
    static async open(options) {
        const child = startLogger(options, 'ignore');
        const said = [];
        child.stderr?.on('data', (chunk) => said.push(chunk.toString()));
        const failure = await new Promise((resolve) => {
            const late = setTimeout(() => {
                child.kill('SIGKILL');
                resolve(`logger has not ended after ${START_MS / 1000} s`);
            }, START_MS);
            child.once('error', (error) => {
                clearTimeout(late);
                resolve('code' in error && error.code === 'ENOENT' ? 'there is no program logger on PATH' : error.message);
            });
            child.once('close', (code) => {
                clearTimeout(late);
                resolve(code === 0 ? undefined : complaint(said.join('')));
            });
        });
        if (failure === undefined)
            return new Syslog(options);
        throw new outcome/* OutcomeError */.Rz('config-error', `Failed to open syslog for the agent: ${failure}. Start the syslog daemon, set syslog_socket to its socket, see that util-linux's logger is installed, or set syslog to false.`);
    }
    write(level, text) {
        for (const part of syslogParts((0,terminal_text/* stripControl */.k)(text), MESSAGE_BYTES - HEADER_BYTES)) {
            if (this.#queue.length >= LONGEST_QUEUE || this.#closing)
                this.#options.onUndelivered(level, part);
            else
                this.#queue.push({ level, text: part });
        }
        if (this.#child === undefined && this.#retry === undefined)
            this.#start();
        else
            this.#hand();
    }
    async close() {
        this.#closing = true;
        clearTimeout(this.#retry);
        if (this.#child === undefined && this.#queue.length > 0)
            this.#start();
        const child = this.#child;
        if (child !== undefined) {
            const late = new AbortController();
            this.#hand();
            await Promise.race([
                this.#childEnded,
                (0,promises_.setTimeout)(CLOSE_MS, undefined, { signal: late.signal }).then(() => child.kill('SIGKILL')),
            ]);
            late.abort();
            await this.#childEnded;
        }
        for (const { level, text } of this.#queue.splice(0))
            this.#options.onUndelivered(level, text);
    }
    #start() {
        const child = startLogger(this.#options, 'pipe');
        this.#child = child;
        this.#handed = 0;
        let said = '';
        let rest = '';
        child.stderr?.setEncoding('utf8').on('data', (chunk) => {
            const lines = (rest + chunk).split('\n');
            rest = lines.pop() ?? '';
            for (const line of lines) {
                if (line.startsWith('<')) {
                    this.#sent(said);
                    said = '';
                }
                else {
                    said = line;
                }
            }
        });
        child.stdin?.on('drain', () => this.#hand());
        child.stdin?.on('error', () => undefined);
        this.#childEnded = new Promise((resolve) => {
            const ended = (reason) => {
                if (this.#child === child)
                    this.#lost(reason);
                resolve();
            };
            child.once('error', (error) => ended(error.message));
            child.once('close', () => ended(complaint(said)));
        });
        this.#hand();
    }
    #hand() {
        const stdin = this.#child?.stdin;
        if (!stdin?.writable)
            return;
        while (this.#handed < this.#queue.length && (!stdin.writableNeedDrain || this.#closing)) {
            const { level, text } = this.#queue[this.#handed];
            stdin.write(`<${PRIORITIES[level]}>${text}\n`);
            this.#handed += 1;
        }
        if (this.#closing)
            stdin.end();
    }
    #sent(said) {
        const entry = this.#queue.shift();
        this.#handed -= 1;
        this.#retryMs = FIRST_RETRY_MS;
        if (said === '')
            this.#away = false;
        else if (entry !== undefined)
            this.#options.onUndelivered(entry.level, entry.text);
    }
    #lost(reason) {
        this.#child = undefined;
        if (this.#closing)
            return;
        if (this.#queue.length > 0) {
            this.#retry = setTimeout(() => {
                this.#retry = undefined;
                this.#start();
            }, this.#retryMs);
            this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
        }
        if (this.#away || this.#queue.length === 0)
            return;
        this.#away = true;
        const advice = 'Lines are kept until it is back; see that the syslog daemon runs.';
        this.#options.onTrouble(`Failed to write to syslog for the agent: ${reason}. ${advice}`);
    }
}
function formatFor(socket) {
    try {
        return /^\/run\/systemd\/journal[./]/.test((0,external_node_fs_.realpathSync)(socket)) ? 'local' : 'rfc5424';
    }
    catch {
        return 'rfc5424';
    }
}
function startLogger({ socket, pid, path, format = formatFor(socket) }, stdin) {
    const form = format === 'rfc5424' ? ['--rfc5424'] : [];
    const options = [...form, '--prio-prefix', '--stderr', '--socket-errors=on', `--size=${MESSAGE_BYTES}`];
    return (0,external_node_child_process_.spawn)('logger', [...options, `--id=${pid}`, '--tag=pulumi-runner-agent', `--socket=${socket}`], {
        stdio: [stdin, 'ignore', 'pipe'],
        env: { LC_ALL: 'C', ...(path === undefined ? {} : { PATH: path }) },
        detached: true,
    });
}
function complaint(said) {
    const [first = ''] = said.split('\n');
    return first === ''
        ? 'logger has ended'
        : (0,terminal_text/* stripControl */.k)(first)
            .replace(/^logger: (socket )?/, '')
            .slice(0, 300);
}


/***/ }),

/***/ 2442:
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


/***/ })

};
