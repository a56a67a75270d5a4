export const id = 771;
export const ids = [771];
export const modules = {

/***/ 3850:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   H: () => (/* binding */ ownerLabels)
/* harmony export */ });
function ownerLabels(owner) {
    return {
        'pulumi-runner.owner-host': owner.host,
        'pulumi-runner.owner-pid': String(owner.pid),
        'pulumi-runner.owner-started': owner.started,
    };
}


/***/ }),

/***/ 8771:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  run: () => (/* binding */ run)
});

// EXTERNAL MODULE: external "node:os"
var external_node_os_ = __webpack_require__(8161);
// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(8500);
;// CONCATENATED MODULE: ./lib/clock.js

const LONGEST_TIMER_MS = 2 ** 31 - 1;
const systemClock = {
    now: () => Date.now(),
    sleep: async (ms, signal) => {
        try {
            await (0,promises_.setTimeout)(Math.min(ms, LONGEST_TIMER_MS), undefined, { signal });
        }
        catch (error) {
            throw signal.aborted ? signal.reason : error;
        }
    },
};
function deadline(ms, onExpire) {
    if (ms === undefined)
        return { clear: () => undefined };
    const timer = setTimeout(onExpire, Math.min(ms, LONGEST_TIMER_MS));
    return { clear: () => clearTimeout(timer) };
}

// EXTERNAL MODULE: ./lib/cloud/errors.js
var errors = __webpack_require__(2398);
// EXTERNAL MODULE: ./lib/cloud/exchange-answer.js
var exchange_answer = __webpack_require__(9155);
;// CONCATENATED MODULE: ./lib/cloud/refusal.js
const REFUSAL_LIMIT = 8 * 1024;
function refusal(answer) {
    const fields = typeof answer.json === 'object' && answer.json !== null ? answer.json : {};
    const said = [fields['message'], fields['error_description'], fields['error']].find((field) => typeof field === 'string');
    const read = (typeof said === 'string' ? said : answer.text).slice(0, REFUSAL_LIMIT);
    const text = (typeof said === 'string' ? read : read.replace(/<(style|script)[^>]*>.*?<\/\1>|<[^>]*>/gis, ' '))
        .replace(/(?:pul-|eyJ)[\w.-]+/g, '***')
        .replace(/\s+/g, ' ')
        .trim();
    return `HTTP ${answer.status}${text === '' ? '' : ` ${text.length > 300 ? `${text.slice(0, 300)}…` : text}`}`;
}

;// CONCATENATED MODULE: ./lib/cloud/deployments.js



const ENDED = new Set(['failed', 'succeeded', 'skipped', 'cancelled', 'canceled']);
const POLL_REFUSALS = {
    402: 'Customer-managed runners need another edition of Pulumi Cloud, or the organization reached its limit.',
    403: 'Check that the pool belongs to the organization and that the token is a pool token.',
    404: 'Check the service URL, and that the pool still exists.',
};
class PoolApi {
    #http;
    #tokens;
    constructor(http, tokens) {
        this.#http = http;
        this.#tokens = tokens;
    }
    async poll(signal, noMoreTries) {
        const answer = await this.#call({
            method: 'GET',
            path: '/api/deployments/poll',
            purpose: 'poll for work',
            signal,
            noMoreTries,
        });
        const wait = answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs };
        if (answer.status === 204)
            return wait;
        const refused = POLL_REFUSALS[answer.status];
        if (refused !== undefined)
            throw new errors/* AuthError */.lR(`Failed to poll for work for the pool: ${refusal(answer)}. ${refused}`);
        if (answer.status >= 300) {
            throw new errors/* CloudRefusedError */.GW(answer.status, `Failed to poll for work for the pool: ${refusal(answer)}. Check that the service URL is Pulumi Cloud's API.`, wait);
        }
        if (answer.text.trim() === '' || answer.json === null)
            return wait;
        const { claimSchema, complaints } = await __webpack_require__.e(/* import() */ 220).then(__webpack_require__.bind(__webpack_require__, 9220));
        const claim = claimSchema.safeParse(answer.json, exchange_answer/* SELDOM */.$);
        if (!claim.success) {
            const reason = answer.json === undefined ? 'not JSON' : complaints(claim.error);
            throw new errors/* CloudRefusedError */.GW(answer.status, `Failed to read the claim for the pool: ${reason}. If work was claimed, Pulumi Cloud fails it after 10 minutes without a heartbeat; start it again.`, wait);
        }
        return { claim: claim.data, ...wait };
    }
    async acknowledge(claim, signal) {
        await this.#call({
            method: 'POST',
            path: '/api/agent-workflows/deployment',
            purpose: 'acknowledge the claim',
            body: { jobID: claim.jobId, runID: claim.runId, typeSpecificID: claim.deploymentId },
            signal,
        });
    }
    async state(deploymentId, signal) {
        const path = `/api/deployments/${encodeURIComponent(deploymentId)}/status`;
        const answer = await this.#call({ method: 'GET', path, purpose: "read the deployment's status", signal }, 'once');
        if (answer.status === 404 || answer.status === 410)
            return 'ended';
        if (answer.status >= 300)
            return 'unknown';
        const status = statusText(answer);
        if (status === undefined)
            return 'unknown';
        return ENDED.has(status) ? 'ended' : 'running';
    }
    async bootstrap(signal) {
        await this.#call({ method: 'GET', path: '/api/background-activities/token', purpose: 'greet Pulumi Cloud', signal }, 'once');
        await this.#call({
            method: 'POST',
            path: '/api/background-activities/configuration',
            purpose: 'greet Pulumi Cloud',
            body: {},
            signal,
        }, 'once');
    }
    async #call(call, how = 'call') {
        const signal = call.noMoreTries === undefined ? call.signal : AbortSignal.any([call.signal, call.noMoreTries]);
        const token = await this.#tokens.get(signal);
        const answer = await this.#http[how]({ ...call, token });
        if (answer.status !== 401)
            return answer;
        const again = await this.#http[how]({ ...call, token: await this.#tokens.renew(token, signal) });
        if (again.status === 401) {
            throw new errors/* AuthError */.lR(`Failed to ${call.purpose} for the pool: ${refusal(again)}, twice. Check that the pool exists and that its policy still allows this job.`);
        }
        return again;
    }
}
function statusText({ json }) {
    const status = typeof json === 'object' && json !== null ? json['status'] : json;
    return typeof status === 'string' ? status.toLowerCase() : undefined;
}

// EXTERNAL MODULE: ./lib/config/schema.js
var schema = __webpack_require__(1091);
;// CONCATENATED MODULE: ./lib/config/agent-config.js

const CONFIG_KEYS = schema/* KEY_NAMES */.Vx.filter((key) => (0,schema/* definitionOf */.Fg)(key).type !== 'none');
function propertyName(key) {
    const { type } = (0,schema/* definitionOf */.Fg)(key);
    const unit = type === 'duration' ? 'Ms' : type === 'lifetime' ? 'Seconds' : '';
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
function quoteValue(value) {
    const masked = maskSecretLike(value);
    return `"${masked.length > LONGEST_SHOWN ? `${masked.slice(0, LONGEST_SHOWN - 1)}…` : masked}"`;
}

;// CONCATENATED MODULE: ./lib/config/config-file.js



async function parseConfigFile(file, text) {
    const { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } = await __webpack_require__.e(/* import() */ 815).then(__webpack_require__.t.bind(__webpack_require__, 8815, 19));
    const lines = new LineCounter();
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
    const problems = [];
    const settings = new Map();
    const at = (offset) => {
        const { line, col } = lines.linePos(offset ?? 0);
        return { line: Math.max(line, 1), column: Math.max(col, 1) };
    };
    const notices = document.warnings.map(({ message, pos }) => `${file}:${at(pos[0]).line}: ${withoutSource(message)}.`);
    for (const { message, pos } of document.errors) {
        problems.push({ message: `not valid YAML: ${withoutSource(message)}`, file, ...at(pos[0]) });
    }
    if (problems.length > 0)
        return { usable: false, settings, problems, notices };
    if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
        return { usable: true, settings, problems, notices };
    }
    if (!isMap(document.contents)) {
        const message = 'the file must hold keys and values, one `key: value` a line';
        return { usable: false, settings, problems: [{ message, file, ...at(document.contents.range[0]) }], notices };
    }
    const scalarText = (node) => {
        if (!isScalar(node) || node.value === null)
            return undefined;
        return typeof node.value === 'string' ? node.value.trim() : (node.source ?? String(node.value));
    };
    const resolved = (node) => (isAlias(node) ? node.resolve(document) : node);
    const contentOf = (node) => {
        if (isMap(node))
            return { shape: 'mapping' };
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
    const firstLines = new Map();
    for (const { key: keyNode, value } of document.contents.items) {
        const name = isScalar(keyNode) ? (scalarText(keyNode) ?? '') : '';
        const position = at(keyNode.range[0]);
        const first = firstLines.get(name);
        const key = (0,schema/* fileKey */.wm)(name);
        if (key === undefined) {
            problems.push({ ...unknownKey(name), file, ...position });
        }
        else if (first !== undefined) {
            problems.push({ message: `${key} is given twice, first on line ${first}; keep one`, key, file, ...position });
        }
        else {
            const content = contentOf(resolved(value));
            if (content !== undefined)
                settings.set(key, { content, origin: 'file', name: key, file, ...position });
        }
        if (first === undefined)
            firstLines.set(name, position.line);
    }
    return { usable: true, settings, problems, notices };
}
function withoutSource(message) {
    return maskSecretLike(message.replace(/(?<=\w): .*$/s, ''));
}
function unknownKey(name) {
    const environmentOnly = schema/* KEY_NAMES */.Vx.find((key) => key === name && (0,schema/* definitionOf */.Fg)(key).environmentOnly === true);
    if (environmentOnly !== undefined) {
        const variable = (0,schema/* environmentNames */.iF)(environmentOnly).join(' or ');
        return { message: `${name} can only be set in the environment, as ${variable}`, key: name };
    }
    const near = nearest(name, schema/* KEY_NAMES */.Vx.filter((key) => (0,schema/* fileKey */.wm)(key) !== undefined));
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    return { message: `${quoteValue(name)} is not a known key${hint}`, key: maskSecretLike(name) };
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
    const shown = quoteValue(text);
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
            throw new DurationError(`${shown} has the unknown unit ${quoteValue(name)}; the units are ns, us, ms, s, m and h`);
        }
        const significant = whole.replace(/^0+/, '');
        const amount = significant.length > 19 ? LARGEST_MAGNITUDE + 1n : BigInt(significant) * unit;
        total += amount + fractionNanoseconds(fraction, unit);
        if (total > LARGEST_MAGNITUDE)
            throw tooLong(shown);
        rest = rest.slice(matched.length);
    }
    if (!negative && total > INT64_MAX)
        throw tooLong(shown);
    return negative ? -total : total;
}
function tooLong(shown) {
    return new DurationError(`${shown} is longer than the longest duration, ${formatDuration(INT64_MAX / 1000000n)}`);
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
        throw new DurationError(`${quoteValue(text)} is negative`);
    if (milliseconds === 0 && !allowZero)
        throw new DurationError(`${quoteValue(text)} must be longer than 0s`);
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
function formatDuration(milliseconds) {
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

// EXTERNAL MODULE: ./lib/config/search-path.js
var search_path = __webpack_require__(8658);
;// CONCATENATED MODULE: ./lib/config/service-url.js

function isLoopbackHost(hostname) {
    const host = hostname.toLowerCase();
    return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}
function parseServiceUrl(text) {
    const shown = text.includes('@') ? '' : `${quoteValue(text)} `;
    if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
        return { problem: `${shown}has no scheme; write an address such as https://api.pulumi.com` };
    }
    if (!URL.canParse(text))
        return { problem: `${shown}is not a valid address; write one such as https://api.pulumi.com` };
    const url = new URL(text);
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
        return { problem: `${shown}is not an https:// address` };
    }
    if (url.username !== '' || url.password !== '') {
        return { problem: 'holds credentials; remove them, the token is sent by itself' };
    }
    if (text.includes('?') || text.includes('#')) {
        return { problem: 'has a query or a fragment; give only scheme, host, port and path' };
    }
    return { url: `${url.origin}${url.pathname}`.replace(/\/+$/, '') };
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

;// CONCATENATED MODULE: ./lib/config/cross-checks.js





function checkTogether(config, settings, sources, state) {
    const address = checkServiceUrl(config, settings);
    return {
        problems: [
            ...checkAuthentication(settings, sources, state),
            ...checkWorkflowTypes(config, settings),
            ...address.problems,
        ],
        notices: [...address.notices, ...checkWaits(config)],
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
            ? ` (there is no ${search_path/* CONFIG_FILE_NAME */.au} in ${(0,search_path/* searchDirectories */._I)(sources).join(', ')})`
            : ` (neither the environment nor ${file} does)`;
        const [tokenVariable, oidcVariable] = [(0,schema/* environmentNames */.iF)('token')[0], (0,schema/* environmentNames */.iF)('oidc_token_file')[0]];
        const message = `no way to authenticate: set token (${tokenVariable}) or oidc_token_file (${oidcVariable})${looked}`;
        return [{ message, key: 'token' }];
    }
    return ['organization_name', 'runner_pool_id']
        .filter((key) => !settings.has(key))
        .map((key) => ({
        message: `${key} is required with ${describeSetting(oidc)}; set it (or ${(0,schema/* environmentNames */.iF)(key)[0]})`,
        key,
    }));
}
function checkWorkflowTypes({ enabledWorkflowTypes }, settings) {
    const setting = settings.get('enabled_workflow_types');
    if (setting === undefined || enabledWorkflowTypes === undefined || enabledWorkflowTypes.includes('deployment'))
        return [];
    const clause = 'leaves out deployment, the only kind of work this agent serves; add it';
    return [problemWith('enabled_workflow_types', setting, clause)];
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
        const longest = formatDuration(requestRetryMaxWaitMs);
        notices.push(`request_retry_wait (${formatDuration(requestRetryWaitMs)}) is longer than request_retry_max_wait; each wait is ${longest}.`);
    }
    if (healthThresholdMs !== undefined && healthThresholdMs <= pollingIntervalMs) {
        const [threshold, interval] = [formatDuration(healthThresholdMs), formatDuration(pollingIntervalMs)];
        notices.push(`health_threshold (${threshold}) is not longer than polling_interval (${interval}); /healthz will say unhealthy between polls.`);
    }
    return notices;
}

// EXTERNAL MODULE: ./lib/outcome.js
var lib_outcome = __webpack_require__(3259);
;// CONCATENATED MODULE: ./lib/config/problem.js

function describeProblem({ message, file, line, column }) {
    const place = [file, line, column].filter((part) => part !== undefined).join(':');
    return place === '' ? message : `${place}: ${message}`;
}
class ConfigError extends lib_outcome/* OutcomeError */.Rz {
    name = 'ConfigError';
    problems;
    constructor(problems, options) {
        const rank = ({ file, line }) => line ?? (file === undefined ? Number.POSITIVE_INFINITY : 0);
        const ordered = [...problems].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
        const count = ordered.length === 1 ? '1 problem' : `${ordered.length} problems`;
        const lines = ordered.map((problem) => `\n  ${describeProblem(problem)}`).join('');
        super('config-error', `Failed to load the agent's configuration: ${count}. Correct what is listed:${lines}`, options);
        this.problems = ordered;
    }
}

// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./node_modules/zod/v4/classic/schemas.js + 11 modules
var schemas = __webpack_require__(2857);
// EXTERNAL MODULE: ./node_modules/zod/v4/core/core.js
var core = __webpack_require__(8532);
;// CONCATENATED MODULE: ./lib/config/value.js






const value_LONGEST_TIMER_MS = 2 ** 31 - 1;
const BOOLEANS = {
    ...Object.fromEntries(['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true])),
    ...Object.fromEntries(['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false])),
};
function texts(test, problem) {
    return schemas/* string */.YjP().refine(test, { error: ({ input }) => problem(String(input)) });
}
function without(pattern, what) {
    return texts((text) => !pattern.test(text), (text) => `${quoteValue(text)} holds ${what}`);
}
function wholeNumber(smallest, largest) {
    const fits = (text) => /^\d{1,9}$/.test(text) && Number(text) >= smallest && Number(text) <= largest;
    return texts(fits, (text) => `${quoteValue(text)} is not a whole number from ${smallest} to ${largest}`).transform(Number);
}
function oneOf(choices) {
    return texts((text) => choices.includes(text), (text) => {
        const near = nearest(text, choices);
        const hint = near === undefined ? '' : `; did you mean ${near}?`;
        return `${quoteValue(text)} is not one of ${choices.join(', ')}${hint}`;
    });
}
function durations(read) {
    return schemas/* string */.YjP().transform((text, context) => {
        try {
            return read(text);
        }
        catch (error) {
            if (!(error instanceof DurationError))
                throw error;
            context.addIssue({ code: 'custom', message: error.message });
            return core/* NEVER */.tm;
        }
    });
}
const SCHEMAS = {
    secret: () => texts((text) => /^[\x21-\x7e]+$/.test(text), () => 'holds white space or characters a token cannot have; copy the token again'),
    word: () => without(/[\s\p{Cc}]/u, 'white space'),
    text: () => without(/\p{Cc}/u, 'control characters'),
    path: ({ workingDirectory }) => without(/\p{Cc}/u, 'control characters').transform((text) => external_node_path_.resolve(workingDirectory, text)),
    url: () => schemas/* string */.YjP().transform((text, context) => {
        const parsed = parseServiceUrl(text);
        if ('url' in parsed)
            return parsed.url;
        context.addIssue({ code: 'custom', message: parsed.problem });
        return core/* NEVER */.tm;
    }),
    boolean: () => texts((text) => Object.hasOwn(BOOLEANS, text), (text) => `${quoteValue(text)} is neither true nor false`).transform((text) => BOOLEANS[text] === true),
    count: ({ definition }) => wholeNumber(definition.minimum ?? 0, 999_999),
    port: () => wholeNumber(0, 65_535),
    duration: ({ definition }) => durations((text) => {
        const value = parsePositiveDuration(text, { allowZero: definition.zero === true });
        if (value <= value_LONGEST_TIMER_MS || definition.untimed === true)
            return value;
        throw new DurationError(`${quoteValue(text)} is longer than the longest wait, ${formatDuration(value_LONGEST_TIMER_MS)}`);
    }),
    lifetime: () => durations((text) => Math.ceil(parsePositiveDuration(/^\d+$/.test(text) ? `${text}s` : text) / 1000)),
    choice: ({ definition }) => oneOf(definition.choices ?? []),
};
const VARIABLE_NAME = texts((text) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text), (text) => `${quoteValue(text)} is not a name of an environment variable (letters, digits and _)`);
function checked(schema, text) {
    const result = schema.safeParse(text);
    return result.success ? { value: result.data } : { problem: result.error.issues[0]?.message ?? 'cannot be used' };
}
function parseItem(text, { definition }) {
    return checked(definition.type === 'choices' ? oneOf(definition.choices ?? []) : VARIABLE_NAME, text);
}
function isListType(type) {
    return type === 'choices' || type === 'names';
}
function splitList(text) {
    return text.split(/[\s,]+/).filter((item) => item !== '');
}
function parseValue(text, reading) {
    const { type } = reading.definition;
    if (type === 'none' || isListType(type))
        return { value: text };
    return checked(SCHEMAS[type](reading), text);
}

;// CONCATENATED MODULE: ./lib/config/load.js










async function loadConfig(sources) {
    const found = (0,search_path/* findConfigFile */["if"])(sources);
    const contents = found.file !== undefined && found.text !== undefined ? await parseConfigFile(found.file, found.text) : undefined;
    const problems = [...found.problems, ...(contents?.problems ?? []), ...unknownKeys(sources)];
    const notices = [...found.notices, ...(contents?.notices ?? []), ...unknownVariables(sources.environment)];
    const settings = new Map();
    for (const key of schema/* KEY_NAMES */.Vx) {
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
        const { noEffect } = (0,schema/* definitionOf */.Fg)(key);
        if (noEffect !== undefined)
            notices.push(`${describeSetting(setting)} ${noEffect}.`);
    }
    const given = Object.fromEntries(CONFIG_KEYS.filter((key) => values.has(key)).map((key) => [propertyName(key), values.get(key)]));
    const { pollingIntervalMs = 0, jobStatusLoopIntervalMs = 0 } = given;
    const config = {
        workingDirectory: sources.agentDirectory,
        healthThresholdMs: 2 * Math.max(pollingIntervalMs, jobStatusLoopIntervalMs),
        ...given,
    };
    const together = checkTogether(config, settings, sources, {
        ...(found.file !== undefined && { file: found.file }),
        fileUsable: found.problems.length === 0 && contents?.usable !== false,
    });
    problems.push(...together.problems);
    if (problems.length > 0)
        throw new ConfigError(problems);
    return {
        config: Object.freeze(config),
        notices: [...notices, ...together.notices],
        ...(found.file !== undefined && { file: found.file }),
        origins: Object.fromEntries(CONFIG_KEYS.map((key) => [key, settings.get(key)?.origin ?? 'default'])),
    };
}
function written(key, { overrides = {}, environment, overrideName = flagName }) {
    const override = Object.hasOwn(overrides, key) ? overrides[key]?.trim() : undefined;
    if (override)
        return { content: { text: override }, origin: 'override', name: overrideName(key) };
    for (const name of (0,schema/* environmentNames */.iF)(key)) {
        const text = environment[name]?.trim();
        if (text)
            return { content: { text }, origin: 'environment', name };
    }
    return undefined;
}
function fallback(key, { defaults = {} }) {
    const given = Object.hasOwn(defaults, key) ? defaults[key]?.trim() : undefined;
    const text = given || (0,schema/* definitionOf */.Fg)(key).default;
    return text === undefined ? undefined : { content: { text }, origin: 'default', name: `the default of ${key}` };
}
function flagName(key) {
    return `--${key.replaceAll('_', '-')}`;
}
function readSetting(key, setting, workingDirectory) {
    const definition = (0,schema/* definitionOf */.Fg)(key);
    const { content } = setting;
    const reading = { definition, workingDirectory };
    const wrong = (clause) => ({ problems: [problemWith(key, setting, clause)] });
    if (definition.type === 'none')
        return { problems: [] };
    if ('shape' in content) {
        return wrong(isListType(definition.type) ? 'must be a plain list' : `must be one value, not a ${content.shape}`);
    }
    if (isListType(definition.type)) {
        const items = 'items' in content ? content.items : splitList(content.text).map((text) => ({ text }));
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
    const parsed = parseValue(content.text, reading);
    if ('problem' in parsed)
        return wrong(parsed.problem);
    if (definition.built === false && definition.default !== undefined) {
        const only = parseValue(definition.default, reading);
        if (!('value' in only) || only.value !== parsed.value) {
            return wrong(`${quoteValue(content.text)} is not supported yet; leave it at ${definition.default}`);
        }
    }
    return { value: parsed.value, problems: [] };
}
function unknownKeys({ overrides = {}, defaults = {}, overrideName = flagName }) {
    const unknown = (given) => Object.keys(given).filter((name) => (0,schema/* fileKey */.wm)(name) === undefined);
    return [
        ...unknown(overrides).map((key) => ({ message: `${overrideName(key)} is not a known setting`, key })),
        ...unknown(defaults).map((key) => ({ message: `the default of ${key} is for no known setting`, key })),
    ];
}
function unknownVariables(environment) {
    const known = schema/* KEY_NAMES */.Vx.flatMap(schema/* environmentNames */.iF);
    return Object.keys(environment)
        .filter((name) => name.startsWith('PULUMI_AGENT_') && !known.includes(name))
        .sort()
        .map((name) => {
        const near = nearest(name, known);
        return `${name} is not a known setting and has no effect${near === undefined ? '.' : `; did you mean ${near}?`}`;
    });
}

;// CONCATENATED MODULE: ./lib/log/secret-forms.js
const SHORTEST_SECRET = 4;
const SHORTEST_PART = 8;
function jsonForms(value) {
    const plain = JSON.stringify(value).slice(1, -1);
    const html = plain.replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
    return [plain, html];
}
function urlForms(value) {
    const wellFormed = value.toWellFormed();
    const form = new URLSearchParams({ v: wellFormed }).toString().slice('v='.length);
    return [encodeURIComponent(wellFormed), form, form.replaceAll('+', '%20')];
}
const BASE64_WIDTHS = [76, 64];
function base64Forms(value) {
    const bytes = Buffer.from(value, 'utf8');
    const forms = [bytes.toString('base64').replace(/=+$/, '')];
    for (const before of [0, 1, 2]) {
        const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
        forms.push(text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)));
    }
    const alone = bytes.toString('base64').slice(0, Math.floor((bytes.length * 8) / 6));
    for (const width of BASE64_WIDTHS) {
        for (let at = 0; alone.length > width && at < alone.length; at += width)
            forms.push(alone.slice(at, at + width));
    }
    return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}
function lineForms(value) {
    return value.split(/\r?\n/).flatMap((line) => {
        const bare = line.trim();
        if (bare.length >= SHORTEST_PART)
            return [bare];
        return line.length >= SHORTEST_PART && bare.length >= SHORTEST_SECRET ? [line] : [];
    });
}
function secretForms(value) {
    if (value.trim().length < SHORTEST_SECRET)
        return [];
    const forms = new Set([value]);
    const bare = value.replace(/[\r\n]+$/, '');
    const unix = bare.replaceAll('\r\n', '\n');
    for (const form of [bare, unix, unix.replaceAll('\n', '\r\n')])
        forms.add(form);
    if (unix.includes('\n'))
        for (const line of lineForms(unix))
            forms.add(line);
    for (const encode of [jsonForms, urlForms, base64Forms]) {
        for (const form of [...encode(bare), ...(bare === unix ? [] : encode(unix))]) {
            if (form.length >= SHORTEST_PART)
                forms.add(form);
        }
    }
    return [...forms];
}

;// CONCATENATED MODULE: ./lib/log/plain-names.js

const PLAIN_NAMES = names(`
  CI COLUMNS DEBIAN_FRONTEND EDITOR FORCE_COLOR HOME HOSTNAME LANG LANGUAGE LINES LOGNAME NO_COLOR OLDPWD PAGER PATH PWD
  SHELL SHLVL TEMP TERM TMP TMPDIR TZ USER XDG_CACHE_HOME XDG_CONFIG_HOME NO_PROXY no_proxy SSL_CERT_DIR SSL_CERT_FILE
  NODE_ENV NODE_EXTRA_CA_CERTS DOTNET_ROOT GOARCH GOCACHE GOMODCACHE GOOS GOPATH GOROOT JAVA_HOME VIRTUAL_ENV

  AWS_DEFAULT_OUTPUT AWS_DEFAULT_REGION AWS_PARTITION AWS_PROFILE AWS_REGION AWS_SDK_LOAD_CONFIG
  ARM_ENVIRONMENT ARM_LOCATION AZURE_ENVIRONMENT AZURE_LOCATION
  CLOUDSDK_COMPUTE_REGION CLOUDSDK_COMPUTE_ZONE GOOGLE_REGION GOOGLE_ZONE

  PULUMI_AUTOMATION_API PULUMI_CI_SYSTEM PULUMI_DEBUG_COMMANDS PULUMI_ENV_FILE PULUMI_EXPERIMENTAL PULUMI_HOME PULUMI_ORG
  PULUMI_ORGANIZATION PULUMI_PARALLEL PULUMI_PROJECT PULUMI_SKIP_CONFIRMATIONS PULUMI_SKIP_UPDATE_CHECK PULUMI_STACK

  GITHUB_ACTIONS GITHUB_ACTOR GITHUB_BASE_REF GITHUB_EVENT_NAME GITHUB_HEAD_REF GITHUB_JOB GITHUB_REF GITHUB_REF_NAME
  GITHUB_REF_TYPE GITHUB_REPOSITORY GITHUB_REPOSITORY_OWNER GITHUB_RUN_ATTEMPT GITHUB_RUN_ID GITHUB_RUN_NUMBER
  GITHUB_SERVER_URL GITHUB_SHA GITHUB_WORKFLOW GITHUB_WORKSPACE RUNNER_ARCH RUNNER_NAME RUNNER_OS RUNNER_TEMP
`);
const URL_NAMES = names(`
  PULUMI_API PULUMI_BACKEND_URL PULUMI_SERVICE_URL DOCKER_HOST
  ALL_PROXY HTTPS_PROXY HTTP_PROXY all_proxy https_proxy http_proxy
`);
function isPlainName(name) {
    return PLAIN_NAMES.has(name) || /^LC_[A-Z]+$/.test(name);
}
function isPlainVariable(name, value) {
    return isPlainName(name) || (URL_NAMES.has(name) && isBareUrl(value));
}
function secretValues(environment) {
    return Object.entries(environment)
        .filter(([name, value]) => !isPlainVariable(name, value) && !/^(?:true|false)$/i.test(value))
        .flatMap(([, value]) => [value, ...urlPasswords(value)])
        .filter((value) => value.trim().length >= SHORTEST_SECRET);
}
function isBareUrl(value) {
    const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? URL.parse(value) : null;
    return url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}
function urlPasswords(value) {
    const password = URL.parse(value)?.password ?? '';
    if (password === '')
        return [];
    try {
        return [password, decodeURIComponent(password)];
    }
    catch {
        return [password];
    }
}
function names(list) {
    return new Set(list.trim().split(/\s+/));
}

;// CONCATENATED MODULE: ./lib/log/aho-corasick.js
const DENSE_ENTRIES = 2 ** 20;
class AhoCorasick {
    #classOf;
    #width;
    #firstChild;
    #label;
    #fail;
    #depth;
    #longest;
    #dense = 0;
    #table = new Int32Array(0);
    constructor(patterns) {
        const sorted = patterns.toSorted((a, b) => (a < b ? -1 : 1));
        const bound = sorted.reduce((sum, pattern) => sum + pattern.length, 1);
        this.#classOf = new Int32Array(2 ** 16);
        this.#firstChild = new Int32Array(bound + 1);
        this.#label = new Int32Array(bound);
        this.#fail = new Int32Array(bound);
        this.#depth = new Int32Array(bound);
        this.#longest = new Int32Array(bound);
        this.#width = this.#classify(sorted);
        const states = this.#grow(sorted, bound);
        this.#fill(Math.min(states, Math.max(1, Math.floor(DENSE_ENTRIES / this.#width))));
    }
    depth(state) {
        return this.#depth[state];
    }
    scan(text, state, found) {
        const table = this.#table;
        const classOf = this.#classOf;
        const length = text.length;
        let current = state;
        let at = 0;
        while (at < length) {
            if (current < this.#dense) {
                let row = current * this.#width;
                let next = 0;
                while (at < length) {
                    next = table[row + classOf[text.charCodeAt(at)]];
                    if (next < 0)
                        break;
                    row = next;
                    at++;
                }
                if (at === length)
                    return row / this.#width;
                current = ~next;
            }
            else {
                current = this.#step(current, classOf[text.charCodeAt(at)]);
            }
            at++;
            const longest = this.#longest[current];
            if (longest > 0)
                found(at, longest);
        }
        return current;
    }
    #classify(patterns) {
        let classes = 1;
        for (const pattern of patterns) {
            for (let at = 0; at < pattern.length; at++) {
                const code = pattern.charCodeAt(at);
                if (this.#classOf[code] === 0)
                    this.#classOf[code] = classes++;
            }
        }
        return classes;
    }
    #grow(sorted, bound) {
        const low = new Int32Array(bound);
        const high = new Int32Array(bound);
        high[0] = sorted.length;
        let states = 1;
        for (let state = 0; state < states; state++) {
            const depth = this.#depth[state];
            const end = high[state];
            let from = low[state];
            this.#firstChild[state] = states;
            this.#longest[state] = this.#longest[this.#fail[state]];
            if (from < end && sorted[from]?.length === depth) {
                this.#longest[state] = depth;
                from++;
            }
            while (from < end) {
                const code = sorted[from]?.charCodeAt(depth);
                let to = from + 1;
                while (to < end && sorted[to]?.charCodeAt(depth) === code)
                    to++;
                const label = this.#classOf[code];
                low[states] = from;
                high[states] = to;
                this.#depth[states] = depth + 1;
                this.#label[states] = label;
                this.#fail[states] = state === 0 ? 0 : this.#step(this.#fail[state], label);
                states++;
                from = to;
            }
        }
        this.#firstChild[states] = states;
        return states;
    }
    #step(state, label) {
        let current = state;
        for (;;) {
            if (current < this.#dense) {
                const next = this.#table[current * this.#width + label];
                return next < 0 ? ~next : next / this.#width;
            }
            const end = this.#firstChild[current + 1];
            for (let child = this.#firstChild[current]; child < end; child++) {
                if (this.#label[child] === label)
                    return child;
            }
            if (current === 0)
                return 0;
            current = this.#fail[current];
        }
    }
    #fill(dense) {
        const width = this.#width;
        const table = new Int32Array(dense * width);
        for (let state = 0; state < dense; state++) {
            const row = state * width;
            if (state > 0) {
                const inherited = this.#fail[state] * width;
                table.copyWithin(row, inherited, inherited + width);
            }
            const end = this.#firstChild[state + 1];
            for (let child = this.#firstChild[state]; child < end; child++) {
                const plain = child < dense && this.#longest[child] === 0;
                table[row + this.#label[child]] = plain ? child * width : ~child;
            }
        }
        this.#table = table;
        this.#dense = dense;
    }
}

;// CONCATENATED MODULE: ./lib/log/redactor.js


const MASK = '***';
class Redactor {
    #forms = new Set();
    #automaton;
    add(values) {
        for (const value of values) {
            for (const form of secretForms(value)) {
                if (this.#forms.has(form))
                    continue;
                this.#forms.add(form);
                this.#automaton = undefined;
            }
        }
    }
    text(value) {
        const stream = this.stream();
        return stream.push(value) + stream.end();
    }
    stream() {
        return new RedactionStream(() => this.#current());
    }
    #current() {
        if (this.#automaton === undefined && this.#forms.size > 0)
            this.#automaton = new AhoCorasick([...this.#forms]);
        return this.#automaton;
    }
}
class RedactionStream {
    #current;
    #automaton;
    #state = 0;
    #held = '';
    #maskedUntil = -1;
    #starts = [];
    #ends = [];
    constructor(current) {
        this.#current = current;
    }
    push(text) {
        this.#follow();
        const automaton = this.#automaton;
        if (automaton === undefined)
            return text;
        this.#scan(automaton, text, this.#held.length);
        const input = this.#held + text;
        return this.#release(input, input.length - automaton.depth(this.#state));
    }
    end() {
        this.#follow();
        const rest = this.#release(this.#held, this.#held.length);
        this.#state = 0;
        this.#maskedUntil = -1;
        return rest;
    }
    #follow() {
        const current = this.#current();
        if (current === undefined || current === this.#automaton)
            return;
        this.#automaton = current;
        this.#state = 0;
        this.#starts = [];
        this.#ends = [];
        this.#scan(current, this.#held, 0);
    }
    #scan(automaton, text, base) {
        this.#state = automaton.scan(text, this.#state, (end, length) => this.#cover(base + end - length, base + end));
    }
    #cover(start, end) {
        let first = start;
        while ((this.#ends.at(-1) ?? -1) >= first) {
            this.#ends.pop();
            first = Math.min(first, this.#starts.pop() ?? first);
        }
        this.#starts.push(first);
        this.#ends.push(end);
    }
    #release(input, safe) {
        let out = '';
        let at = Math.max(0, this.#maskedUntil);
        let done = 0;
        for (; done < this.#starts.length; done++) {
            const start = this.#starts[done];
            if (start > safe)
                break;
            if (start > this.#maskedUntil)
                out += input.slice(at, start) + MASK;
            at = this.#maskedUntil = Math.max(this.#maskedUntil, this.#ends[done]);
        }
        if (at < safe)
            out += at === 0 && safe === input.length ? input : input.slice(at, safe);
        this.#starts = this.#starts.slice(done).map((start) => start - safe);
        this.#ends = this.#ends.slice(done).map((end) => end - safe);
        this.#held = input.slice(safe);
        this.#maskedUntil -= safe;
        return out;
    }
}

// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
;// CONCATENATED MODULE: ./lib/record/owner.js


function startOf(pid) {
    if (process.platform === 'linux') {
        try {
            const fields = (0,external_node_fs_.readFileSync)(`/proc/${pid}/stat`, 'utf8')
                .replace(/^.*\) /s, '')
                .split(' ');
            return fields[0] === 'Z' ? undefined : fields[19];
        }
        catch {
            return undefined;
        }
    }
    try {
        const { execFileSync } = process.getBuiltinModule('node:child_process');
        const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
            encoding: 'utf8',
            timeout: 5_000,
        }).trim();
        return started === '' ? undefined : started;
    }
    catch {
        return undefined;
    }
}
function ownerOf(pid) {
    const started = startOf(pid);
    return started === undefined ? undefined : { host: (0,external_node_os_.hostname)(), pid, started };
}
function ownOwner() {
    return ownerOf(process.pid) ?? { host: (0,external_node_os_.hostname)(), pid: process.pid, started: 'unknown' };
}
function isAlive(owner) {
    return owner.host === hostname() && startOf(owner.pid) === owner.started;
}
function signalOwner(owner, signal) {
    if (!isAlive(owner))
        return false;
    try {
        return process.kill(owner.pid, signal);
    }
    catch {
        return false;
    }
}

// EXTERNAL MODULE: ./lib/target/docker/docker-target.js + 28 modules
var docker_target = __webpack_require__(1661);
// EXTERNAL MODULE: ./lib/version.js
var version = __webpack_require__(3411);
;// CONCATENATED MODULE: ./lib/cloud/console-url.js
function consoleUrl(serviceUrl, organization) {
    const { hostname } = new URL(serviceUrl);
    if (organization === undefined || !hostname.startsWith('api.'))
        return undefined;
    return `https://app.${hostname.slice('api.'.length)}/${encodeURIComponent(organization)}/deployments`;
}

;// CONCATENATED MODULE: ./lib/cloud/jobs.js



const CONFIRM_MS = 1_000;
const NOT_FOR_THIS_TOKEN = new Set([401, 403, 404]);
class JobApi {
    #http;
    #claim;
    #poolToken;
    #usesPool = false;
    #settled = false;
    #withoutContentType = false;
    constructor(http, claim, poolToken) {
        this.#http = http;
        this.#claim = claim;
        this.#poolToken = poolToken;
    }
    async definition(signal) {
        const { jobId } = this.#claim;
        const answer = await this.#call({ method: 'GET', path: '', purpose: 'read the job definition', signal }, 'call');
        if (answer.status >= 300) {
            throw new errors/* JobDefinitionError */.p2(`Failed to read the job definition for job ${jobId}: ${refusal(answer)}. Start the deployment again; if it stays, report it with the run's artifact.`);
        }
        const { parseJobDefinition } = await __webpack_require__.e(/* import() */ 220).then(__webpack_require__.bind(__webpack_require__, 9220));
        return parseJobDefinition(answer.json, jobId);
    }
    async stepStatus(index, status, signal) {
        const path = `/${index}/status`;
        const answer = await this.#call({
            method: 'PATCH',
            path,
            purpose: `report step ${index} as ${status}`,
            body: { status },
            signal,
        });
        this.#accepted(answer, `report step ${index} as ${status}`);
    }
    async logs(index, batch, signal) {
        const purpose = `send log lines of step ${index}`;
        const call = { method: 'POST', path: `/${index}/logs`, purpose, body: batch, signal };
        let answer = await this.#call({ ...call, withoutContentType: this.#withoutContentType });
        if (answer.status === 415 && !this.#withoutContentType) {
            this.#withoutContentType = true;
            answer = await this.#call({ ...call, withoutContentType: true });
        }
        if (answer.status === 413 || answer.status === 400)
            return 'too-large';
        this.#accepted(answer, purpose);
        return 'accepted';
    }
    async heartbeat(signal) {
        const answer = await this.#call({
            method: 'POST',
            path: '/heartbeat',
            purpose: 'send a heartbeat',
            body: {},
            signal,
        });
        this.#accepted(answer, 'send a heartbeat');
    }
    #accepted(answer, purpose) {
        if (answer.status < 300)
            return;
        throw new errors/* CloudRefusedError */.GW(answer.status, `Failed to ${purpose} for job ${this.#claim.jobId}: ${refusal(answer)}. The lines are in the run's artifact.`);
    }
    async #call(call, how = 'once') {
        const path = `/api/workflow/jobs/${encodeURIComponent(this.#claim.jobId)}${call.path}`;
        const usedPool = this.#usesPool;
        const token = usedPool ? await this.#poolToken(call.signal) : this.#claim.jobToken;
        let answer = await this.#http[how]({ ...call, path, token });
        if (answer.status === 401 && !usedPool && (this.#usesPool || !this.#settled)) {
            const other = await this.#http[how]({ ...call, path, token: await this.#poolToken(call.signal) });
            if (!NOT_FOR_THIS_TOKEN.has(other.status)) {
                this.#usesPool = true;
                answer = other;
            }
        }
        this.#settled = true;
        if (answer.status === 404) {
            await (0,promises_.setTimeout)(CONFIRM_MS, undefined, { signal: call.signal }).catch(() => call.signal.throwIfAborted());
            const same = this.#usesPool ? await this.#poolToken(call.signal) : this.#claim.jobToken;
            answer = await this.#http[how]({ ...call, path, token: same });
        }
        if (answer.status === 404 || answer.status === 410) {
            throw new errors/* JobGoneError */.Vp(`Failed to ${call.purpose} for job ${this.#claim.jobId}: ${refusal(answer)}. Pulumi Cloud no longer knows the job.`);
        }
        return answer;
    }
}

;// CONCATENATED MODULE: ./lib/job/cancellation.js
const cancellation_CONFIRM_MS = 1_000;
async function cancelled({ state, intervalMs, clock, signal, onFailure, }) {
    let seen = 0;
    while (!signal.aborted) {
        await clock.sleep(seen > 0 ? Math.min(cancellation_CONFIRM_MS, intervalMs) : intervalMs, signal).catch(() => undefined);
        if (signal.aborted)
            return false;
        try {
            const now = await state(signal);
            if (now === 'ended')
                seen += 1;
            else if (now === 'running')
                seen = 0;
        }
        catch (error) {
            if (signal.aborted)
                return false;
            onFailure(error);
        }
        if (seen >= 2)
            return true;
    }
    return false;
}

;// CONCATENATED MODULE: ./lib/job/heartbeat.js

const FENCE_MS = 8 * 60_000;
const INTERVAL_MS = 30_000;
const RETRY_MS = 5_000;
class Heartbeat {
    #options;
    #ended = new AbortController();
    #lastAccepted;
    #loop;
    #fence;
    constructor(options) {
        this.#options = options;
        this.#lastAccepted = options.clock.now();
    }
    get lastAccepted() {
        return this.#lastAccepted;
    }
    start() {
        const { clock, fenceMs = FENCE_MS, onLost } = this.#options;
        const check = () => {
            const left = this.#lastAccepted + fenceMs - clock.now();
            if (left <= 0)
                onLost();
            else
                this.#fence = setTimeout(check, left);
        };
        this.#fence = setTimeout(check, fenceMs);
        this.#loop = this.#run();
    }
    async stop() {
        clearTimeout(this.#fence);
        this.#ended.abort();
        await this.#loop;
        clearTimeout(this.#fence);
    }
    async #run() {
        const { beat, clock, onGone, onFailure, intervalMs = INTERVAL_MS, retryMs = RETRY_MS } = this.#options;
        const { signal } = this.#ended;
        while (!signal.aborted) {
            let wait = intervalMs;
            const asked = clock.now();
            try {
                await beat(signal);
                this.#lastAccepted = asked;
            }
            catch (error) {
                if (signal.aborted)
                    return;
                onFailure(error);
                if (error instanceof errors/* JobGoneError */.Vp)
                    onGone();
                else
                    wait = Math.min(intervalMs, retryMs);
            }
            await clock.sleep(wait, signal).catch(() => undefined);
        }
    }
}

;// CONCATENATED MODULE: ./lib/job/environment.js
const OIDC_FILE = '/mnt/pulumi/pulumi.oidc';
const ENVIRONMENT_FILE = '/PULUMI_ENV';
function jobEnvironment({ definition, claim, serviceUrl, allowlist, host }) {
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

;// CONCATENATED MODULE: ./lib/job/stop.js
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

;// CONCATENATED MODULE: ./lib/job/job-end.js


const STOPPED = {
    cloud: 'cancelled',
    signal: 'interrupted',
    lease: 'lease-lost',
    timeout: 'failed',
};
function verdictOn(error, stop, left, where = 'the workflow') {
    const asked = error instanceof StopRequested ? error.stop : stop;
    if (asked !== undefined) {
        return { outcome: STOPPED[asked.by], message: `Failed to finish ${where}: ${(0,lib_outcome/* clause */.sb)(asked.reason)}. ${left}` };
    }
    if (error instanceof lib_outcome/* OutcomeError */.Rz)
        return { outcome: error.outcome, message: error.message };
    const reason = (0,lib_outcome/* clause */.sb)(error instanceof Error ? error.message : String(error));
    return { outcome: 'failed', message: `Failed to run ${where}: ${reason}. Report this with the run's artifact.` };
}
function verdictOnStep(name, end, stop) {
    if (stop !== undefined && stop.by !== 'timeout') {
        return verdictOn(new StopRequested(stop), stop, 'The stack may need a refresh.', name);
    }
    const how = (0,lib_outcome/* clause */.sb)(end.reason ?? `exit code ${end.exitCode}`);
    return { outcome: 'failed', message: `Failed to run ${name} of the workflow: ${how}. Its log says more.` };
}

;// CONCATENATED MODULE: ./lib/log/text-cut.js
function cutPosition(text, limit) {
    const last = text.charCodeAt(limit - 1);
    const splitsPair = last >= 0xd800 && last <= 0xdbff;
    return splitsPair ? limit - 1 : limit;
}

;// CONCATENATED MODULE: ./lib/log/cloud-queue.js

const LARGEST_CALL = { lines: 1_000, bytes: 256 * 1024 };
const ENVELOPE_BYTES = 48;
const PIECE_LENGTH = 16 * 1024;
const SMALLEST_BUFFER = 64 * 1024;
const HEADER_BYTES = 12;
const LINE_FRAME_BYTES = 16;
class CloudQueue {
    #buffer = Buffer.alloc(0);
    #start = 0;
    #end = 0;
    #length = 0;
    #jsonBytes = 0;
    #replacement;
    get length() {
        return this.#length;
    }
    get bytes() {
        return this.#jsonBytes;
    }
    add({ t, text, partial = false }) {
        let rest = partial ? `${text}\n` : text;
        let size = jsonSize({ t, l: rest });
        while (size > LARGEST_CALL.bytes - ENVELOPE_BYTES && rest.length > PIECE_LENGTH) {
            const at = cutPosition(rest, PIECE_LENGTH);
            const piece = { t, l: `${rest.slice(0, at)}\n` };
            this.#append(piece, jsonSize(piece));
            rest = rest.slice(at);
            size = jsonSize({ t, l: rest });
        }
        this.#append({ t, l: rest }, size);
    }
    first(limits) {
        const lines = [];
        let bytes = ENVELOPE_BYTES;
        let at = this.#start;
        while (lines.length < Math.min(limits.lines, this.#length)) {
            const replaced = lines.length === 0 ? this.#replacement : undefined;
            const size = replaced === undefined ? this.#buffer.readUInt32LE(at + 8) : jsonSize(replaced);
            if (lines.length > 0 && bytes + size > limits.bytes)
                break;
            lines.push(replaced ?? this.#lineAt(at));
            bytes += size;
            at = this.#after(at);
        }
        return { lines, bytes };
    }
    drop(count) {
        for (let dropped = 0; dropped < count; dropped++) {
            this.#jsonBytes -= this.#buffer.readUInt32LE(this.#start + 8);
            this.#start = this.#after(this.#start);
        }
        this.#length -= count;
        this.#replacement = undefined;
        if (this.#length === 0)
            this.#start = this.#end = 0;
    }
    replaceFirst(line) {
        this.#replacement = line;
    }
    #lineAt(at) {
        const text = at + HEADER_BYTES + this.#buffer.readUInt32LE(at);
        return new QueuedLine(this.#buffer.toString('utf8', at + HEADER_BYTES, text), this.#buffer.toString('utf8', text, this.#after(at)));
    }
    #after(at) {
        return at + HEADER_BYTES + this.#buffer.readUInt32LE(at) + this.#buffer.readUInt32LE(at + 4);
    }
    #append({ t, l }, size) {
        this.#reserve(HEADER_BYTES + (t.length + l.length) * 3);
        const timeBytes = this.#buffer.write(t, this.#end + HEADER_BYTES, 'utf8');
        const textBytes = this.#buffer.write(l, this.#end + HEADER_BYTES + timeBytes, 'utf8');
        this.#buffer.writeUInt32LE(timeBytes, this.#end);
        this.#buffer.writeUInt32LE(textBytes, this.#end + 4);
        this.#buffer.writeUInt32LE(size, this.#end + 8);
        this.#end += HEADER_BYTES + timeBytes + textBytes;
        this.#length++;
        this.#jsonBytes += size;
    }
    #reserve(size) {
        if (this.#end + size <= this.#buffer.length)
            return;
        const used = this.#end - this.#start;
        const old = this.#buffer;
        if (used + size > (old.length * 3) / 4) {
            this.#buffer = Buffer.allocUnsafeSlow(Math.max(SMALLEST_BUFFER, (used + size) * 2));
        }
        old.copy(this.#buffer, 0, this.#start, this.#end);
        this.#end = used;
        this.#start = 0;
    }
}
class QueuedLine {
    t;
    l;
    constructor(t, l) {
        this.t = t;
        this.l = l;
    }
}
function jsonSize({ t, l }) {
    return LINE_FRAME_BYTES + jsonTextSize(t) + jsonTextSize(l);
}
function jsonTextSize(text) {
    let size = Buffer.byteLength(text, 'utf8');
    for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at);
        if (code === 0x22 || code === 0x5c || (code >= 0x08 && code <= 0x0d && code !== 0x0b))
            size += 1;
        else if (code < 0x20)
            size += 5;
    }
    return size;
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
    #result = { sent: 0, undelivered: 0, batches: 0, retries: 0, cut: 0 };
    #lastError;
    #running;
    #ending;
    #stopped = false;
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
    write(lines) {
        if (this.#stopped || this.#ending !== undefined) {
            this.#result.undelivered += lines.length;
            return undefined;
        }
        const first = this.#queue.length === 0;
        for (const line of lines)
            this.#queue.add(line);
        if (this.#queue.bytes > this.#maxQueuedBytes)
            this.#room ??= Promise.withResolvers();
        this.#running ??= this.#run();
        if (this.#nap?.idle && (first || this.#backlog))
            this.#nap.controller.abort();
        return this.#room?.promise;
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
        const batch = this.#queue.first({ lines: Math.min(this.#size, this.#limits.lines), bytes: this.#limits.bytes });
        for (let failures = 1; !this.#stopped; failures++) {
            const answer = await this.#send(batch.lines);
            if (answer === 'accepted')
                return this.#accepted(batch.lines.length);
            if (answer === 'too-large' && this.#shrink(batch))
                return;
            if (this.#stopped)
                return;
            const now = this.#options.now();
            this.#failingSince ??= now;
            const left = this.#failingSince + this.#giveUpMs - now;
            if (left <= 0)
                return this.#halt();
            const backoff = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LONGEST_RETRY_MS);
            await this.#rest(Math.min(left, backoff * (0.5 + (this.#options.random ?? Math.random)() / 2)), false);
            if (!this.#stopped)
                this.#result.retries++;
        }
    }
    async #send(lines) {
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
            return await Promise.race([
                this.#options.send({ offset: this.#result.sent, lines }, call.signal),
                aborted.promise,
            ]);
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
    #shrink({ lines, bytes }) {
        const [line] = lines;
        if (lines.length === 1 && line !== undefined) {
            this.#cutter ??= new LineCutter(line);
            if (this.#cutter.exhausted)
                return false;
            this.#queue.replaceFirst(this.#cutter.next());
        }
        const fewer = lines.length > 1 ? Math.max(FEWEST_LINES, Math.floor(lines.length / 2)) : this.#limits.lines;
        this.#limits = {
            lines: Math.min(this.#limits.lines, fewer),
            bytes: Math.min(this.#limits.bytes, Math.floor(bytes / 2)),
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

;// CONCATENATED MODULE: ./lib/job/reporter.js


const PATIENCE_MS = 5 * 60_000;
const STOPPING_PATIENCE_MS = 45_000;
const LOST_PATIENCE_MS = 2_000;
const LAST_TRY_MS = 3_000;
const REFUSALS = 3;
class Reporter {
    #options;
    #gone = new AbortController();
    #tail = Promise.resolve();
    #owed = [];
    #isLost = false;
    constructor(options) {
        this.#options = options;
    }
    begin(index) {
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
                    refusals = 0;
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
            now: () => clock.now(),
            sleep: (ms, aborted) => clock.sleep(ms, aborted),
            signal,
            giveUpMs: PATIENCE_MS,
        });
        return {
            log,
            finish: (status, beforeStatus) => this.#enqueue(async () => {
                const patience = this.#patience();
                const { sent, undelivered } = await log.end(patience.over);
                patience.clear();
                if (undelivered > 0) {
                    this.#options.onNotice(`${undelivered} log lines of step ${index} did not reach Pulumi Cloud; they are in the artifact.`);
                }
                await beforeStatus?.();
                await this.#deliverStatus(index, status);
                return { sent, undelivered };
            }),
        };
    }
    async drained() {
        await this.#tail;
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
    #patience() {
        const { clock, stopping } = this.#options;
        const [over, late, cleared] = [new AbortController(), new AbortController(), new AbortController()];
        const endIn = (ms) => void clock
            .sleep(ms, cleared.signal)
            .then(() => over.abort())
            .then(() => clock.sleep(LAST_TRY_MS, cleared.signal))
            .then(() => late.abort(), () => undefined);
        const hurry = () => endIn(STOPPING_PATIENCE_MS);
        endIn(this.#isLost ? LOST_PATIENCE_MS : PATIENCE_MS);
        if (stopping.aborted)
            hurry();
        stopping.addEventListener('abort', hurry, { once: true });
        const clear = () => {
            cleared.abort();
            stopping.removeEventListener('abort', hurry);
        };
        return { over: over.signal, late: late.signal, clear };
    }
    async #deliverStatus(index, status) {
        const owed = this.#owed;
        owed.push({ index, status });
        const patience = this.#patience();
        try {
            while (owed.length > 0 && (await this.#deliverFirst(patience)))
                owed.shift();
            if (owed.length > 1 && (await this.#isTaken({ index, status }, patience.late)))
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
        for (let wait = 1_000; !gone.aborted; wait = Math.min(wait * 2, 30_000)) {
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
                        this.#options.onNotice(late.aborted ? unanswered(first) : messageOf(error));
                    this.#isLost = refusals < REFUSALS;
                    return !this.#isLost;
                }
            }
            await this.#options.clock.sleep(wait / 2 + (Math.random() * wait) / 2, enough).catch(() => undefined);
        }
        return false;
    }
    async #isTaken(report, signal) {
        return this.#tell(report, signal).then(() => true, () => false);
    }
    async #tell({ index, status }, signal) {
        try {
            await this.#options.api.stepStatus(index, status, AbortSignal.any([this.#gone.signal, signal]));
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
function messageOf(error) {
    return error instanceof Error ? error.message : String(error);
}
function unanswered({ index, status }) {
    return `Failed to report step ${index} as ${status} for the job: no answer came in time. Check Pulumi Cloud's status.`;
}

;// CONCATENATED MODULE: ./lib/job/secrets.js

const SECRET_NAME = /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE/i;
const PLAIN_VALUE = /^(?:\d{1,6}|[A-Za-z]{1,20}(?:[-_/][A-Za-z]{1,20}){0,3})$/;
function suspectedSecrets(variables) {
    const suspect = Object.entries(variables).filter(([name, value]) => SECRET_NAME.test(name) || !(isPlainVariable(name, value) || PLAIN_VALUE.test(value)));
    return secretValues(Object.fromEntries(suspect));
}
function jobSecrets({ definition, claim, environment }) {
    const forwarded = environment.forwarded.map((name) => [name, environment.variables[name] ?? '']);
    const unmarked = Object.entries(definition.env).map(([name, { value }]) => [name, value]);
    return [
        ...environment.marked,
        ...(definition.image.credentials === undefined ? [] : [definition.image.credentials.password]),
        ...(claim.oidcToken === undefined ? [] : [claim.oidcToken]),
        ...secretValues(Object.fromEntries(forwarded)),
        ...suspectedSecrets(Object.fromEntries(unmarked)),
    ];
}

// EXTERNAL MODULE: ./lib/target/target.js
var target = __webpack_require__(1568);
;// CONCATENATED MODULE: ./lib/job/interrupt.js
const TERM_MS = 10_000;
const KILL_MS = 10_000;
async function interrupt(step, { clock, graceMs, onSignal }) {
    const waits = [
        ['SIGINT', graceMs],
        ['SIGTERM', TERM_MS],
        ['SIGKILL', KILL_MS],
    ];
    for (const [signal, ms] of waits) {
        onSignal(signal);
        const timeUp = new AbortController();
        try {
            step.signal(signal).catch(() => undefined);
            const exit = await Promise.race([step.exit, clock.sleep(ms, timeUp.signal)]);
            if (exit !== undefined)
                return exit;
        }
        catch {
            return undefined;
        }
        finally {
            timeUp.abort();
        }
    }
    return undefined;
}

;// CONCATENATED MODULE: ./lib/job/step.js




const LEASE_GRACE_MS = 90_000;
async function runStep(options) {
    const { container, spec, log, stop, clock, graceMs } = options;
    const ended = new AbortController();
    const expired = Promise.withResolvers();
    const timer = deadline(options.timeoutMs, () => expired.resolve(`timed out after ${options.timeoutText}`));
    const stopped = Promise.withResolvers();
    const onStop = () => stopped.resolve(stop.stop?.reason ?? 'stopped');
    stop.signal.addEventListener('abort', onStop, { once: true });
    if (stop.signal.aborted)
        onStop();
    try {
        const process = await container.start(spec, (chunk) => log.write(chunk), ended.signal);
        process.exit.catch(() => undefined);
        const first = await Promise.race([process.exit, expired.promise, stopped.promise]);
        if (typeof first !== 'string')
            return exited(first.code, first.outOfMemory);
        const grace = stop.stop?.by === 'lease' ? Math.min(graceMs, LEASE_GRACE_MS) : graceMs;
        const exit = await interrupt(process, {
            clock,
            graceMs: grace,
            onSignal: (signal) => void log.line(`[agent] Stopping the step: ${first}. Sending ${signal}.`),
        });
        if (exit === undefined)
            return { status: 'failed', reason: `${first}; the step did not end, so its container was removed` };
        if (exit.code === 0 && stop.stop !== undefined)
            return exited(0, false);
        return { status: 'failed', exitCode: exit.code, reason: first };
    }
    catch (error) {
        if (error instanceof target/* ContainerLostError */.kL)
            return { status: 'failed', reason: error.message };
        if (error instanceof StopRequested)
            return { status: 'failed', reason: error.stop.reason };
        throw error;
    }
    finally {
        timer.clear();
        ended.abort();
        stop.signal.removeEventListener('abort', onStop);
    }
}
function exited(exitCode, outOfMemory) {
    if (exitCode === 0)
        return { status: 'succeeded', exitCode };
    return outOfMemory ? { status: 'failed', exitCode, reason: 'ran out of memory' } : { status: 'failed', exitCode };
}

// EXTERNAL MODULE: external "node:fs/promises"
var external_node_fs_promises_ = __webpack_require__(1455);
;// CONCATENATED MODULE: ./lib/log/step-file.js

const HIGH_WATER = 64 * 1024;
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
    #handle;
    #path;
    #pending = Buffer.allocUnsafeSlow(HIGH_WATER);
    #pendingBytes = 0;
    #writing = Buffer.allocUnsafeSlow(HIGH_WATER);
    #flushing;
    #error;
    #ending;
    constructor(handle, path) {
        this.#handle = handle;
        this.#path = path;
    }
    write(lines) {
        this.#check();
        for (const { text } of lines)
            this.#append(text);
        if (this.#pendingBytes === 0)
            return undefined;
        this.#flushing ??= this.#flush();
        return this.#pendingBytes > HIGH_WATER ? this.#flushing.then(() => this.#check()) : undefined;
    }
    end() {
        this.#ending ??= this.#close();
        return this.#ending;
    }
    #append(text) {
        const most = this.#pendingBytes + text.length * 3;
        if (most > this.#pending.length) {
            const larger = Buffer.allocUnsafeSlow(most * 2);
            this.#pending.copy(larger, 0, 0, this.#pendingBytes);
            this.#pending = larger;
        }
        this.#pendingBytes += this.#pending.write(text, this.#pendingBytes, 'utf8');
    }
    async #flush() {
        try {
            while (this.#pendingBytes > 0) {
                const bytes = this.#pending.subarray(0, this.#pendingBytes);
                [this.#pending, this.#writing] = [this.#writing, this.#pending];
                this.#pendingBytes = 0;
                await this.#handle.appendFile(bytes);
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
        try {
            await this.#handle.close();
        }
        catch (error) {
            this.#error ??= new StepFileError('close', this.#path, error);
        }
        this.#check();
    }
}
async function openStepFile(path) {
    try {
        return new StepFile(await (0,external_node_fs_promises_.open)(path, 'ax', 0o600), path);
    }
    catch (error) {
        throw new StepFileError('create', path, error);
    }
}

;// CONCATENATED MODULE: ./lib/log/lines.js

const LONGEST_LINE = 64 * 1024;
class LineSplitter {
    #pending = '';
    get unfinished() {
        return this.#pending !== '';
    }
    push(text, take) {
        let from = 0;
        for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
            const line = text.slice(from, end + 1);
            from = end + 1;
            if (this.#pending === '' && line.length <= LONGEST_LINE + 1) {
                take(line, false);
            }
            else {
                this.#pending += line;
                this.#cut(LONGEST_LINE + 1, take);
                take(this.#pending, false);
                this.#pending = '';
            }
        }
        if (from === text.length)
            return;
        this.#pending += text.slice(from);
        this.#cut(LONGEST_LINE, take);
    }
    end(take) {
        if (this.#pending !== '')
            take(this.#pending, false);
        this.#pending = '';
    }
    #cut(rest, take) {
        while (this.#pending.length > rest) {
            const at = cutPosition(this.#pending, LONGEST_LINE);
            take(this.#pending.slice(0, at), true);
            this.#pending = this.#pending.slice(at);
        }
    }
}

;// CONCATENATED MODULE: ./lib/log/step-log.js

class StepLog {
    #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    #redactor;
    #stream;
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
        this.#stream = redactor.stream();
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
        return this.#hand(this.#split(this.#stream.push(this.#decoder.decode(chunk, { stream: true }))));
    }
    line(text) {
        if (this.#ending !== undefined)
            return undefined;
        const before = this.#splitter.unfinished ? '\n' : '';
        return this.#hand(this.#split(`${before}${this.#redactor.text(text)}\n`));
    }
    end(signal) {
        this.#ending ??= this.#finish(signal);
        return this.#ending;
    }
    async #finish(signal) {
        const lines = this.#split(this.#stream.push(this.#decoder.decode()) + this.#stream.end());
        this.#splitter.end((text) => this.#add(lines, text, false));
        await this.#hand(lines);
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
    #split(text) {
        const lines = [];
        this.#bytes += Buffer.byteLength(text);
        this.#splitter.push(text, (line, partial) => this.#add(lines, line, partial));
        return lines;
    }
    #add(lines, text, partial) {
        const t = this.#timestamp(lines.length === 0);
        if (partial) {
            lines.push({ t, text, partial });
        }
        else {
            lines.push({ t, text });
            this.#lines++;
        }
    }
    #timestamp(ask) {
        if (!ask)
            return this.#time;
        const now = this.#now();
        if (now > this.#clock) {
            this.#clock = now;
            this.#time = new Date(now).toISOString();
        }
        return this.#time;
    }
    #hand(lines) {
        if (lines.length === 0)
            return undefined;
        const waits = [];
        for (const outlet of this.#outlets) {
            if (outlet.broken)
                continue;
            try {
                const wait = outlet.sink.write(lines);
                if (wait !== undefined)
                    waits.push(wait.catch((error) => this.#fail(outlet, error)));
            }
            catch (error) {
                this.#fail(outlet, error);
            }
        }
        return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
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
    async begin(index) {
        const { reporter, redactor, clock, stepLog, event, notice } = this.#options;
        const name = this.#names[index] ?? `Step ${index}`;
        const path = stepLog(index, name);
        const report = reporter.begin(index);
        const files = await openStepFile(path.absolute).then((file) => [file], (error) => {
            notice(error instanceof Error ? error.message : String(error));
            return [];
        });
        const cloud = { write: (lines) => report.log.write(lines), end: () => Promise.resolve() };
        const log = new StepLog({ redactor, sinks: [...files, cloud], now: () => clock.now() });
        const started = clock.now();
        event({ type: 'step-started', index, step: name, log: path.relative });
        return {
            log,
            finish: async (end, beforeStatus) => {
                await log.end().catch((error) => notice(error instanceof Error ? error.message : String(error)));
                const { totals } = log;
                const delivery = report.finish(end.status, beforeStatus);
                delivery.catch(() => undefined);
                this.#deliveries.set(index, delivery);
                const finished = clock.now();
                const { status, ...why } = end;
                event({
                    type: 'step-finished',
                    index,
                    step: name,
                    status,
                    seconds: (finished - started) / 1000,
                    lines: totals.lines,
                    ...why,
                });
                this.#results.set(index, {
                    index,
                    name,
                    status,
                    ...why,
                    startedAt: new Date(started).toISOString(),
                    finishedAt: new Date(finished).toISOString(),
                    log: path.relative,
                    ...totals,
                    cloud: { sent: 0, undelivered: 0 },
                });
            },
        };
    }
    async results() {
        return Promise.all(this.#names.map(async (name, index) => {
            const result = this.#results.get(index);
            const none = { sent: 0, undelivered: 0 };
            if (result === undefined)
                return { index, name, status: 'not-started', lines: 0, bytes: 0, cloud: none };
            const delivery = await this.#deliveries.get(index)?.catch(() => undefined);
            return { ...result, cloud: delivery ?? { sent: 0, undelivered: result.lines } };
        }));
    }
}

;// CONCATENATED MODULE: ./lib/job/timeout.js


function timeoutMs(timeout, of) {
    if (timeout === undefined)
        return undefined;
    try {
        return durationFromJob(timeout) || undefined;
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
async function runJob(options) {
    return new Job(options).run();
}
class Job {
    #options;
    #reporter;
    #journal;
    #forwarded = [];
    #image;
    #container;
    #removal;
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
    }
    async run() {
        let end;
        try {
            end = await this.#run();
        }
        catch (error) {
            end = this.#verdict(error, 'The stack may need a refresh.');
        }
        const left = await this.#remove();
        if (left !== undefined)
            this.#options.notice(left);
        await this.#reporter.drained();
        const container = this.#container;
        return {
            ...end,
            steps: await this.#journal.results(),
            forwarded: this.#forwarded,
            ...(this.#image === undefined ? {} : { image: this.#image }),
            ...(container === undefined ? {} : { imageDigest: container.imageDigest }),
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
        this.#image = override ?? definition.image.reference ?? DEFAULT_IMAGE;
        this.#journal.expect(definition.steps.map((step, index) => step.name ?? `Step ${index}`));
        event({ type: 'job-loaded', image: this.#image, steps: this.#journal.names });
        const limit = timeoutMs(definition.timeout, 'the job');
        const timer = deadline(limit, () => {
            stop.request({ by: 'timeout', reason: `the job timed out after ${formatDuration(limit ?? 0)}` });
        });
        try {
            const prepared = await this.#prepare(definition, environment);
            if (prepared !== undefined)
                return prepared;
            return await this.#steps(definition, environment);
        }
        finally {
            timer.clear();
        }
    }
    #environment(definition) {
        const { claim, serviceUrl, allowlist, host, redactor, notice } = this.#options;
        const environment = jobEnvironment({ definition, claim, serviceUrl, allowlist, host });
        redactor.add(jobSecrets({ definition, claim, environment }));
        this.#forwarded = environment.forwarded;
        for (const warning of environment.warnings)
            notice(warning);
        return environment;
    }
    async #prepare(definition, environment) {
        const { target, stop, pullImage, labels } = this.#options;
        const step = await this.#journal.begin(0);
        try {
            this.#container = await target.prepare({
                image: this.#image ?? DEFAULT_IMAGE,
                ...(definition.image.credentials === undefined ? {} : { credentials: definition.image.credentials }),
                ...(definition.os === undefined || definition.architecture === undefined
                    ? {}
                    : { platform: `${definition.os}/${definition.architecture}` }),
                pull: pullImage,
                labels,
                files: environment.files,
                environmentFile: environment.environmentFile,
            }, async (line) => step.log.line(line), stop.signal);
        }
        catch (error) {
            const end = this.#verdict(error, NOTHING_RUN);
            await step.log.line(end.message);
            await step.finish({ status: 'failed', reason: end.message }, this.#options.beforeLastStatus);
            return end;
        }
        const last = definition.steps.length === 1;
        await step.finish({ status: 'succeeded' }, last ? this.#options.beforeLastStatus : undefined);
        return undefined;
    }
    async #steps(definition, environment) {
        const { stop, redactor, beforeLastStatus } = this.#options;
        const variables = { ...environment.variables };
        const last = definition.steps.length - 1;
        for (const [index, step] of definition.steps.entries()) {
            if (index === 0)
                continue;
            const journal = await this.#journal.begin(index);
            const end = stop.stop === undefined ? await this.#step(definition, step, variables, journal.log) : notRun(stop);
            if (end.reason !== undefined)
                void journal.log.line(`[agent] The step failed: ${(0,lib_outcome/* clause */.sb)(end.reason)}.`);
            if (end.status === 'succeeded' && index < last) {
                const written = parseEnvironmentFile(await this.#readEnvironmentFile());
                redactor.add(suspectedSecrets(written));
                Object.assign(variables, written);
            }
            if (end.status === 'failed' || index === last)
                void this.#remove();
            await journal.finish(end, end.status === 'failed' || index === last ? beforeLastStatus : undefined);
            if (end.status === 'failed') {
                return verdictOnStep(`step ${index} "${this.#journal.names[index]}"`, end, stop.stop);
            }
        }
        if (stop.stop?.by === 'cloud' || stop.stop?.by === 'lease') {
            return this.#verdict(new StopRequested(stop.stop), 'Every step had succeeded.');
        }
        return { outcome: 'succeeded', message: 'Every step of the workflow succeeded.' };
    }
    async #step(definition, step, variables, log) {
        const { stop, clock, graceMs } = this.#options;
        if (this.#container === undefined)
            throw new Error('a step was started without a container');
        const limit = timeoutMs(step.timeout, 'the step');
        const running = runStep({
            container: this.#container,
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
            ...(limit === undefined ? {} : { timeoutMs: limit, timeoutText: formatDuration(limit) }),
        });
        return running.catch((error) => ({
            status: 'failed',
            reason: error instanceof Error ? error.message : String(error),
        }));
    }
    async #readEnvironmentFile() {
        try {
            return (await this.#container?.readEnvironmentFile(this.#options.stop.signal)) ?? '';
        }
        catch (error) {
            if (!this.#options.stop.signal.aborted)
                this.#options.notice(error instanceof Error ? error.message : String(error));
            return '';
        }
    }
    async #failedBeforeSteps(error) {
        const end = this.#verdict(error, NOTHING_RUN);
        this.#journal.expect(['Setup']);
        const step = await this.#journal.begin(0);
        await step.log.line(end.message);
        await step.finish({ status: 'failed', reason: end.message }, this.#options.beforeLastStatus);
        return end;
    }
    #verdict(error, left) {
        return verdictOn(error, this.#options.stop.stop, left);
    }
    async #remove() {
        if (this.#container === undefined)
            return undefined;
        this.#removal ??= this.#container.remove();
        try {
            await this.#removal;
            return undefined;
        }
        catch (error) {
            return error instanceof Error ? error.message : String(error);
        }
    }
}
function notRun(stop) {
    return { status: 'failed', reason: `not run: ${stop.stop?.reason ?? 'the run was stopped'}` };
}

// EXTERNAL MODULE: ./lib/agent/labels.js
var labels = __webpack_require__(3850);
// EXTERNAL MODULE: external "node:v8"
var external_node_v8_ = __webpack_require__(8877);
;// CONCATENATED MODULE: ./lib/agent/small-heap.js

function keepHeapSmall() {
    (0,external_node_v8_.setFlagsFromString)('--semi-space-growth-factor=1');
    (0,external_node_v8_.setFlagsFromString)('--heap-growing-percent=25');
}

;// CONCATENATED MODULE: ./lib/agent/claimed-run.js








async function runClaim(claim, options) {
    const { config, clock, log, redactor, tokens, pool, record, health, notice } = options;
    keepHeapSmall();
    redactor.add([claim.jobToken]);
    health.become('running');
    const api = new JobApi(options.http, claim, (signal) => tokens.get(signal));
    const stop = new StopSource();
    stop.signal.addEventListener('abort', () => tellStop(stop, options), { once: true });
    options.onStopSource(stop);
    const heartbeat = heartbeatOf(api, stop, options);
    const ended = new AbortController();
    const watch = watchForCancel(claim, stop, ended.signal, options);
    const job = runJob({
        claim,
        api,
        target: options.target,
        stop,
        clock,
        redactor,
        serviceUrl: config.serviceUrl,
        ...(config.image === undefined ? {} : { image: config.image }),
        pullImage: config.pullImage,
        allowlist: config.envForwardAllowlist,
        graceMs: config.cancelGracePeriodMs,
        host: options.environment,
        labels: {
            ...options.labels,
            ...(0,labels/* ownerLabels */.H)(options.owner),
            'pulumi-runner.run': claim.runId,
            'pulumi-runner.job': claim.jobId,
        },
        stepLog: (index, name) => record.stepLog(index, name),
        event: (event) => record.event(event),
        notice,
        beforeLastStatus: async () => {
            ended.abort();
            await heartbeat.stop();
        },
    });
    await (0,promises_.setImmediate)();
    if (!ended.signal.aborted) {
        heartbeat.start();
        void pool.acknowledge(claim, ended.signal).catch((error) => log('debug', String(error)));
    }
    const end = await job;
    ended.abort();
    await Promise.all([heartbeat.stop(), watch]);
    return end;
}
function heartbeatOf(api, stop, { clock, health, log, notice }) {
    let failures = 0;
    return new Heartbeat({
        clock,
        beat: async (signal) => {
            await api.heartbeat(signal);
            health.active();
            if (failures > 0)
                log('info', `Heartbeats are accepted again after ${failures} failures.`);
            failures = 0;
        },
        onFailure: (error) => {
            failures += 1;
            if (failures === 1)
                notice(error instanceof Error ? error.message : String(error));
        },
        onGone: () => stop.request({ by: 'cloud', reason: 'Pulumi Cloud no longer knows the job' }),
        onLost: () => stop.request({
            by: 'lease',
            reason: 'no heartbeat was accepted for 8 minutes, and Pulumi Cloud gives a run up after 10',
        }),
    });
}
async function watchForCancel({ deploymentId }, stop, signal, { clock, config, pool, log }) {
    const ended = await cancelled({
        state: (aborted) => pool.state(deploymentId, aborted),
        intervalMs: config.jobStatusLoopIntervalMs,
        clock,
        signal,
        onFailure: (error) => log('warning', error instanceof Error ? error.message : String(error)),
    });
    if (ended)
        stop.request({ by: 'cloud', reason: 'the deployment was cancelled in Pulumi Cloud' });
}
function tellStop({ stop }, { health, log, record }) {
    if (stop === undefined)
        return;
    health.become('stopping');
    log('warning', `Stopping: ${stop.reason}.`);
    record.event({ type: 'stopping', by: stop.by, reason: stop.reason });
}

// EXTERNAL MODULE: external "node:http"
var external_node_http_ = __webpack_require__(7067);
;// CONCATENATED MODULE: ./lib/agent/health.js


const SNAPSHOT_MS = 30_000;
class Health {
    #options;
    #state = 'starting';
    #lastActivity;
    #server;
    #timer;
    constructor(options) {
        this.#options = options;
        this.#lastActivity = options.now();
    }
    active() {
        this.#lastActivity = this.#options.now();
    }
    become(state) {
        this.#state = state;
        this.active();
        this.#options.onSnapshot(this.snapshot());
    }
    snapshot() {
        const { now, thresholdMs } = this.#options;
        return {
            t: new Date(now()).toISOString(),
            status: now() - this.#lastActivity > thresholdMs ? 'unhealthy' : 'healthy',
            state: this.#state,
            lastActivity: new Date(this.#lastActivity).toISOString(),
            rssBytes: process.memoryUsage.rss(),
        };
    }
    async listen(port) {
        const server = (0,external_node_http_.createServer)({ requestTimeout: 5_000, keepAliveTimeout: 1_000 }, (request, response) => {
            const known = (request.url ?? '').split('?')[0] === '/healthz';
            if (!known || (request.method !== 'GET' && request.method !== 'HEAD')) {
                response.writeHead(known ? 405 : 404, { 'content-type': 'application/json' }).end('{}\n');
                return;
            }
            const { status, t, lastActivity } = this.snapshot();
            response.writeHead(status === 'healthy' ? 200 : 503, { 'content-type': 'application/json' });
            response.end(`${JSON.stringify({ status, currentTime: t, lastActivity })}\n`);
        });
        await new Promise((resolve, reject) => {
            server.once('error', reject);
            server.listen(port, () => {
                server.removeListener('error', reject);
                resolve();
            });
        }).catch((cause) => {
            const reason = cause instanceof Error ? cause.message : String(cause);
            throw new lib_outcome/* OutcomeError */.Rz('config-error', `Failed to serve /healthz for the agent: ${reason}. Set http_server_port to a free port, or to 0 for any.`, { cause });
        });
        server.on('error', () => undefined);
        server.unref();
        this.#server = server;
        this.#timer = setInterval(() => this.#options.onSnapshot(this.snapshot()), SNAPSHOT_MS).unref();
        return `http://127.0.0.1:${server.address().port}/healthz`;
    }
    close() {
        clearInterval(this.#timer);
        this.#server?.close();
        this.#server?.closeAllConnections();
    }
}

// EXTERNAL MODULE: ./lib/record/files.js
var files = __webpack_require__(4810);
;// CONCATENATED MODULE: ./lib/record/writer.js



function stepLogName(index, name) {
    const plain = name
        .normalize('NFKD')
        .replace(/[^A-Za-z0-9]+/g, '-')
        .replace(/^-+|-+$/g, '')
        .toLowerCase()
        .slice(0, 60);
    return `${String(index).padStart(2, '0')}-${plain === '' ? 'step' : plain}.log`;
}
const PLAIN_FIELDS = new Set([
    ...['t', 'startedAt', 'claimedAt', 'finishedAt', 'expiresAt', 'lastActivity', 'started', 'host', 'version'],
    ...['type', 'outcome', 'status', 'state', 'level', 'by', 'method', 'log', 'url', 'serviceUrl', 'consoleUrl'],
    ...['deploymentId', 'runId', 'jobId'],
]);
function stepLogPath(directory, index, name) {
    const relative = `${files/* RUN_FILES */.a.steps}/${stepLogName(index, name)}`;
    return { relative, absolute: (0,external_node_path_.join)(directory, relative) };
}
class RecordWriter {
    directory;
    #now;
    #redact;
    #events;
    #health;
    constructor({ directory, now, redact }) {
        this.directory = directory;
        this.#now = now;
        this.#redact = redact;
        (0,external_node_fs_.mkdirSync)((0,external_node_path_.join)(directory, files/* RUN_FILES */.a.steps), { recursive: true, mode: 0o700 });
        this.#events = (0,external_node_fs_.openSync)((0,external_node_path_.join)(directory, files/* RUN_FILES */.a.events), 'a', 0o600);
        this.#health = (0,external_node_fs_.openSync)((0,external_node_path_.join)(directory, files/* RUN_FILES */.a.health), 'a', 0o600);
    }
    time() {
        return new Date(this.#now()).toISOString();
    }
    event(event) {
        (0,external_node_fs_.writeSync)(this.#events, `${this.#line({ t: this.time(), ...event })}\n`);
    }
    health(snapshot) {
        (0,external_node_fs_.writeSync)(this.#health, `${this.#line(snapshot)}\n`);
    }
    stepLog(index, name) {
        return stepLogPath(this.directory, index, this.#redact(name));
    }
    result(result) {
        const path = (0,external_node_path_.join)(this.directory, files/* RUN_FILES */.a.result);
        (0,external_node_fs_.writeFileSync)(`${path}.part`, `${JSON.stringify(this.#redacted(result), null, 2)}\n`, { mode: 0o600 });
        (0,external_node_fs_.renameSync)(`${path}.part`, path);
    }
    close() {
        (0,external_node_fs_.closeSync)(this.#events);
        (0,external_node_fs_.closeSync)(this.#health);
    }
    #line(value) {
        return JSON.stringify(this.#redacted(value));
    }
    #redacted(value) {
        if (typeof value === 'string')
            return this.#redact(value);
        if (Array.isArray(value))
            return value.map((item) => this.#redacted(item));
        if (typeof value !== 'object' || value === null)
            return value;
        return Object.fromEntries(Object.entries(value).map(([key, item]) => [
            key,
            PLAIN_FIELDS.has(key) && typeof item === 'string' ? item : this.#redacted(item),
        ]));
    }
}

;// CONCATENATED MODULE: ./lib/agent/run-record.js




const HELD_EVENTS = 50;
class RunRecord {
    #options;
    #startedAt;
    #notices = [];
    #held = [];
    #incomplete = false;
    #directory;
    #writer;
    constructor(options) {
        this.#options = options;
        this.#startedAt = options.now();
    }
    open(directory) {
        this.#directory = directory;
        try {
            this.#writer = new RecordWriter({ directory, ...this.#options });
        }
        catch (cause) {
            const reason = cause instanceof Error ? cause.message : String(cause);
            const advice = 'Set run_directory to a folder that the agent can write to.';
            throw new lib_outcome/* OutcomeError */.Rz('config-error', `Failed to make the directory for the run: ${reason}. ${advice}`, {
                cause,
            });
        }
        for (const event of this.#held)
            this.#write((writer) => writer.event(event));
        this.#held = [];
    }
    event(event) {
        if (this.#writer !== undefined)
            this.#write((writer) => writer.event(event));
        else
            this.#held = [...this.#held, event].slice(-HELD_EVENTS);
    }
    notice(level, message) {
        if (level === 'warning')
            this.#notices.push(message);
        this.event({ type: 'notice', level, message });
    }
    health(snapshot) {
        this.#write((writer) => writer.health(snapshot));
    }
    stepLog(index, name) {
        if (this.#directory === undefined)
            throw new Error('a step was begun before the run directory was opened');
        return stepLogPath(this.#directory, index, this.#options.redact(name));
    }
    close(end) {
        const { version, owner, now } = this.#options;
        this.event({ type: 'outcome', outcome: end.outcome, exitCode: end.exitCode, message: end.message });
        const writer = this.#writer;
        this.#writer = undefined;
        try {
            writer?.result({
                schema: 1,
                ...end,
                version,
                owner,
                startedAt: new Date(this.#startedAt).toISOString(),
                finishedAt: new Date(now()).toISOString(),
                notices: this.#notices,
            });
        }
        finally {
            writer?.close();
        }
    }
    #write(write) {
        if (this.#writer === undefined)
            return;
        try {
            write(this.#writer);
        }
        catch (error) {
            if (this.#incomplete)
                return;
            this.#incomplete = true;
            const reason = error instanceof Error ? error.message : String(error);
            this.#notices.push(`Failed to write an event for the run: ${reason}. Some events are missing.`);
        }
    }
}
function agentLogPath(directory) {
    return (0,external_node_path_.join)(directory, files/* RUN_FILES */.a.log);
}

;// CONCATENATED MODULE: ./lib/agent/waiting.js

const JITTER = 0.1;
const SHORTEST_PAUSE_MS = 1_000;
async function waitForWork(options) {
    const { clock, drain, maxWaitMs = Number.POSITIVE_INFINITY, random } = options;
    const started = clock.now();
    const never = new AbortController().signal;
    for (let polls = 1; !drain.aborted; polls += 1) {
        let result = {};
        let failure;
        try {
            result = await options.poll(never, drain);
            options.onAnswer();
        }
        catch (error) {
            if (drain.aborted)
                break;
            if (!(error instanceof errors/* CloudUnreachableError */.s8 || error instanceof errors/* CloudRefusedError */.GW))
                throw error;
            failure = error;
            options.onFailure(error);
            if (options.singleRun && options.broken())
                throw error;
        }
        if (result.claim !== undefined)
            return { claim: result.claim };
        const said = result.retryAfterMs ?? failure?.retryAfterMs;
        const asked = options.pollingIntervalOverride || said === undefined ? undefined : Math.max(said, SHORTEST_PAUSE_MS);
        const left = maxWaitMs - (clock.now() - started);
        const wait = (asked ?? options.pollingIntervalMs) * (1 + JITTER * random());
        if (left <= 0 || (asked !== undefined && asked > left)) {
            if (failure !== undefined)
                throw failure;
            return { ended: 'no-work' };
        }
        const pause = Math.min(wait, left);
        options.onWait(polls, pause / 1000);
        await clock.sleep(pause, drain).catch(() => undefined);
    }
    return { ended: 'drained' };
}

;// CONCATENATED MODULE: ./lib/agent/agent.js








class Agent {
    #options;
    #health;
    #record;
    #usable = false;
    constructor(options) {
        this.#options = options;
        this.#record = this.#newRecord();
        this.#health = new Health({
            thresholdMs: options.config.healthThresholdMs,
            now: () => options.clock.now(),
            onSnapshot: (snapshot) => this.#record.health(snapshot),
        });
    }
    async run() {
        const { config, drain, target } = this.#options;
        try {
            for (let outcome;;) {
                outcome = await this.#once(outcome);
                const ends = config.singleRun || drain.aborted || !this.#usable || ENDING.has(outcome);
                if (ends)
                    return (0,lib_outcome/* exitCodeOf */.FO)(outcome, config);
                this.#record = this.#newRecord();
            }
        }
        finally {
            this.#health.close();
            await target.close();
        }
    }
    #newRecord() {
        const { version, owner, clock, redactor } = this.#options;
        return new RunRecord({ version, owner, now: () => clock.now(), redact: (text) => redactor.text(text) });
    }
    async #once(last) {
        const { config, version, owner, clock, log, runDirectory } = this.#options;
        const started = clock.now();
        this.#record.event({ type: 'agent-started', version, owner });
        let end;
        try {
            if (config.singleRun)
                this.#record.open(runDirectory());
            if (last === undefined)
                await this.#ready();
            else if (last === 'target-error')
                await this.#checkTarget();
            end = await this.#waitAndRun();
        }
        catch (error) {
            end = this.#end(failure(error), { waitSeconds: (clock.now() - started) / 1000 });
        }
        this.#health.become('stopped');
        log(end.exitCode === 0 ? 'info' : 'error', `${end.outcome}: ${end.message}`);
        try {
            this.#record.close(end);
        }
        catch (error) {
            log('error', `Failed to write the result for the run: ${error instanceof Error ? error.message : String(error)}.`);
        }
        return end.outcome;
    }
    async #checkTarget() {
        const { target, drain, log } = this.#options;
        this.#usable = false;
        const detail = await target.check(drain);
        this.#usable = true;
        log('info', detail);
        this.#record.event({ type: 'target-ready', target: target.name, detail });
    }
    async #ready() {
        const { config, tokens, drain } = this.#options;
        const usable = this.#checkTarget();
        const allowed = tokens.get(drain).then(() => {
            const { method, expiresAt } = tokens;
            this.#record.event({ type: 'authenticated', method, ...(expiresAt === undefined ? {} : { expiresAt }) });
        });
        const listening = this.#health.listen(config.httpServerPort).then((url) => {
            this.#options.log('info', `Health is served at ${url}.`);
            this.#record.event({ type: 'health-listening', url });
        });
        const results = await Promise.allSettled([listening, allowed, usable]);
        const failed = results.filter((result) => result.status === 'rejected').map((result) => result.reason);
        if (drain.aborted)
            throw new lib_outcome/* OutcomeError */.Rz('interrupted', 'The agent was asked to stop before it was ready.');
        for (const other of failed.slice(1))
            this.#notice('warning', other instanceof Error ? other.message : String(other));
        if (failed.length > 0)
            throw failed[0];
    }
    async #waitAndRun() {
        const { config, clock, log, pool, http, drain } = this.#options;
        const started = clock.now();
        this.#health.become('waiting');
        const waiting = waitForWork({
            poll: (signal, noMoreTries) => pool.poll(signal, noMoreTries),
            broken: () => http.broken,
            pollingIntervalMs: config.pollingIntervalMs,
            pollingIntervalOverride: config.pollingIntervalOverride,
            ...(config.maxWaitMs === undefined ? {} : { maxWaitMs: config.maxWaitMs }),
            singleRun: config.singleRun,
            clock,
            drain,
            onAnswer: () => this.#health.active(),
            onWait: (polls, nextPollSeconds) => {
                this.#record.event({ type: 'waiting', polls, nextPollSeconds });
                if (polls === 1)
                    void pool.bootstrap(drain).catch((error) => log('debug', String(error)));
            },
            onFailure: (error) => this.#notice('warning', error.message),
            random: Math.random,
        });
        void this.#warmUp();
        const waited = await waiting;
        const waitSeconds = (clock.now() - started) / 1000;
        if ('claim' in waited)
            return this.#runClaim(waited.claim, waitSeconds);
        if (waited.ended === 'no-work')
            return this.#end({ outcome: 'no-work', message: lib_outcome/* OUTCOMES */.im['no-work'].sentence }, { waitSeconds });
        const message = 'The agent was asked to stop while it waited; nothing had been claimed.';
        return this.#end({ outcome: 'interrupted', message }, { waitSeconds });
    }
    async #warmUp() {
        await (0,promises_.setImmediate)();
        try {
            await Promise.all([__webpack_require__.e(/* import() */ 220).then(__webpack_require__.bind(__webpack_require__, 9220)), this.#options.target.warmUp?.()]);
        }
        catch (error) {
            this.#options.log('debug', String(error));
        }
    }
    async #runClaim(claim, waitSeconds) {
        const { config, clock, runDirectory } = this.#options;
        const claimedAt = clock.now();
        try {
            if (!config.singleRun)
                this.#record.open(runDirectory());
        }
        catch (error) {
            this.#notice('warning', error instanceof Error ? error.message : String(error));
        }
        const { deploymentId, runId, jobId } = claim;
        this.#options.log('info', `Claimed deployment ${deploymentId} (job ${jobId}).`);
        this.#record.event({ type: 'claimed', deploymentId, runId, jobId, waitSeconds });
        const end = await runClaim(claim, {
            ...this.#options,
            health: this.#health,
            record: this.#record,
            notice: (message) => this.#notice('warning', message),
        });
        return this.#end(end, { waitSeconds, deploymentId, runId, jobId, claimedAt });
    }
    #end(end, { claimedAt, ...known }) {
        const { config, clock } = this.#options;
        const page = consoleUrl(config.serviceUrl, config.organizationName);
        return {
            ...end,
            exitCode: (0,lib_outcome/* exitCodeOf */.FO)(end.outcome, config),
            serviceUrl: config.serviceUrl,
            ...(page === undefined ? {} : { consoleUrl: page }),
            ...known,
            ...(claimedAt === undefined ? {} : { claimedAt: new Date(claimedAt).toISOString() }),
            runSeconds: claimedAt === undefined ? 0 : (clock.now() - claimedAt) / 1000,
            forwarded: [...(end.forwarded ?? [])],
            steps: [...(end.steps ?? [])],
        };
    }
    #notice(level, message) {
        this.#options.log(level, message);
        this.#record.notice(level, message);
    }
}
const ENDING = new Set(['config-error', 'auth-error', 'no-work']);
function failure(error) {
    if (error instanceof lib_outcome/* OutcomeError */.Rz)
        return { outcome: error.outcome, message: error.message };
    if (error instanceof errors/* CloudRefusedError */.GW)
        return { outcome: 'cloud-unreachable', message: error.message };
    const reason = error instanceof Error ? error.message : String(error);
    return {
        outcome: 'failed',
        message: `Failed to run the agent for the pool: ${reason}. Report this with the run's artifact.`,
    };
}

;// CONCATENATED MODULE: ./lib/agent/agent-log.js



const STDERR = 2;
function openAgentLog({ file, now, redact }) {
    const targets = [STDERR];
    if (file !== undefined) {
        const opened = openedFor(file);
        if (sameFile(file))
            targets[0] = opened;
        else
            targets.push(opened);
    }
    return (level, message) => {
        if (level === 'debug')
            return;
        const text = redact(message).replace(/[\r\n]+/g, ' | ');
        const line = `${new Date(now()).toISOString()} ${level.padEnd(7)} ${text}\n`;
        for (const target of targets) {
            try {
                (0,external_node_fs_.writeSync)(target, line);
            }
            catch {
            }
        }
    };
}
function openedFor(file) {
    try {
        (0,external_node_fs_.mkdirSync)((0,external_node_path_.dirname)(file), { recursive: true, mode: 0o700 });
        return (0,external_node_fs_.openSync)(file, 'a', 0o600);
    }
    catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        const advice = 'Set run_directory to a folder that the agent can write to.';
        throw new lib_outcome/* OutcomeError */.Rz('config-error', `Failed to open the log for the agent: ${reason}. ${advice}`, { cause });
    }
}
function sameFile(file) {
    try {
        const [stderr, log] = [(0,external_node_fs_.fstatSync)(STDERR), (0,external_node_fs_.statSync)(file)];
        return stderr.dev === log.dev && stderr.ino === log.ino;
    }
    catch {
        return false;
    }
}

// EXTERNAL MODULE: ./node_modules/undici/lib/dispatcher/agent.js
var agent = __webpack_require__(7405);
// EXTERNAL MODULE: ./node_modules/cockatiel/dist/Policy.js + 11 modules
var Policy = __webpack_require__(6287);
// EXTERNAL MODULE: ./node_modules/cockatiel/dist/breaker/ConsecutiveBreaker.js
var ConsecutiveBreaker = __webpack_require__(1786);
// EXTERNAL MODULE: ./node_modules/cockatiel/dist/backoff/DelegateBackoff.js
var DelegateBackoff = __webpack_require__(4263);
// EXTERNAL MODULE: ./node_modules/cockatiel/dist/errors/BrokenCircuitError.js
var BrokenCircuitError = __webpack_require__(155);
// EXTERNAL MODULE: ./node_modules/undici/lib/api/api-request.js
var api_request = __webpack_require__(4043);
;// CONCATENATED MODULE: ./lib/cloud/retry-after.js
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000;
function retryAfter(header, now) {
    if (header === undefined)
        return undefined;
    if (/^\s*\d+\s*$/.test(header))
        return Math.min(Number(header) * 1000, LONGEST_RETRY_AFTER_MS);
    const date = /^\s*(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(header) ? Date.parse(header) : Number.NaN;
    return Number.isNaN(date) ? undefined : Math.min(Math.max(0, date - now), LONGEST_RETRY_AFTER_MS);
}

;// CONCATENATED MODULE: ./lib/cloud/http.js





const ANSWER_LIMIT = 16 * 1024 * 1024;
class TransientError extends Error {
    name = 'TransientError';
    retryAfterMs;
    constructor(message, retryAfterMs, options) {
        super(message, options);
        this.retryAfterMs = retryAfterMs;
    }
}
function networkReason(error) {
    if (!(error instanceof Error))
        return String(error);
    if (error.name === 'TimeoutError')
        return 'no answer in time';
    if (error instanceof AggregateError)
        return error.errors.map(networkReason).join('; ');
    return error.message === '' ? error.name : error.message;
}
class CloudHttp {
    #options;
    #breaker;
    constructor(options) {
        this.#options = options;
        this.#breaker = (0,Policy/* circuitBreaker */.sL)((0,Policy/* handleType */.n_)(errors/* CloudUnreachableError */.s8), {
            halfOpenAfter: options.circuitBreakerTimeoutMs,
            breaker: new ConsecutiveBreaker/* ConsecutiveBreaker */.N(options.circuitBreakerFailures),
        });
    }
    get broken() {
        return this.#breaker.state !== 0;
    }
    async call(call) {
        const { retryCount, retryWaitMs, retryMaxWaitMs, onRetry } = this.#options;
        const retries = (0,Policy/* retry */.L5)((0,Policy/* handleType */.n_)(TransientError), {
            maxAttempts: retryCount,
            backoff: new DelegateBackoff/* DelegateBackoff */.W(({ attempt, result }) => {
                const error = result.error;
                const asked = error instanceof TransientError ? error.retryAfterMs : undefined;
                const full = Math.min(retryMaxWaitMs, retryWaitMs * 2 ** (attempt - 1));
                return Math.min(retryMaxWaitMs, asked ?? full / 2 + (Math.random() * full) / 2);
            }),
        });
        retries.onRetry((event) => {
            onRetry?.(call.purpose, 'error' in event ? networkReason(event.error) : 'no usable answer', event.delay);
        });
        const waiting = new AbortController();
        let tries = 0;
        const attempt = async () => {
            call.noMoreTries?.throwIfAborted();
            tries += 1;
            try {
                return await this.#attempt(call);
            }
            catch (error) {
                if (call.noMoreTries?.aborted === true)
                    waiting.abort(call.noMoreTries.reason);
                throw error;
            }
            finally {
                tries -= 1;
            }
        };
        const stopWaiting = () => {
            if (tries === 0)
                waiting.abort(call.noMoreTries?.reason);
        };
        call.noMoreTries?.addEventListener('abort', stopWaiting, { once: true });
        const attempts = async () => {
            try {
                return await retries.execute(attempt, call.signal);
            }
            catch (error) {
                throw error instanceof TransientError ? this.#unreachable(call, error) : error;
            }
        };
        const alive = setInterval(() => undefined, 60_000);
        try {
            const signal = AbortSignal.any([call.signal, waiting.signal]);
            return await abortable(() => this.#breaker.execute(attempts, signal), signal);
        }
        catch (error) {
            if (error instanceof BrokenCircuitError/* BrokenCircuitError */.b) {
                throw new errors/* CloudUnreachableError */.s8(`Failed to ${call.purpose} for ${this.#options.serviceUrl}: too many calls failed, so no more are made for a while. Check the network path and Pulumi Cloud's status.`, { cause: error });
            }
            throw error;
        }
        finally {
            clearInterval(alive);
            call.noMoreTries?.removeEventListener('abort', stopWaiting);
        }
    }
    async once(call) {
        try {
            return await abortable(() => this.#attempt(call), call.signal);
        }
        catch (error) {
            throw error instanceof TransientError ? this.#unreachable(call, error) : error;
        }
    }
    #unreachable(call, cause) {
        return new errors/* CloudUnreachableError */.s8(`Failed to ${call.purpose} for ${this.#options.serviceUrl}: ${cause.message}. Check the network path and Pulumi Cloud's status.`, { cause, retryAfterMs: cause.retryAfterMs });
    }
    async #attempt(call) {
        const { serviceUrl, requestTimeoutMs, userAgent, dispatcher, now } = this.#options;
        const url = new URL(`${serviceUrl}${call.path}`);
        const headers = { accept: 'application/vnd.pulumi+8', 'user-agent': userAgent };
        if (call.token !== undefined)
            headers['authorization'] = `token ${call.token}`;
        if (call.body !== undefined && call.withoutContentType !== true)
            headers['content-type'] = 'application/json';
        let status;
        let header;
        let text;
        try {
            const answer = await api_request.call(dispatcher, {
                origin: url.origin,
                path: `${url.pathname}${url.search}`,
                method: call.method,
                headers,
                body: call.body === undefined ? null : JSON.stringify(call.body),
                signal: AbortSignal.any([call.signal, AbortSignal.timeout(requestTimeoutMs)]),
            });
            status = answer.statusCode;
            header = answer.headers['retry-after'];
            text = await bounded(answer.body);
        }
        catch (error) {
            if (call.signal.aborted)
                throw call.signal.reason;
            throw new TransientError(networkReason(error), undefined, { cause: error });
        }
        const retryAfterMs = retryAfter(Array.isArray(header) ? header[0] : header, now());
        const answer = { status, text, json: parseJson(text), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
        if (status === 408 || status === 429 || (status >= 500 && status !== 501)) {
            throw new TransientError(refusal(answer), retryAfterMs);
        }
        return answer;
    }
}
async function bounded(body) {
    const chunks = [];
    let bytes = 0;
    for await (const chunk of body) {
        bytes += chunk.length;
        if (bytes > ANSWER_LIMIT)
            throw new Error(`the answer is over ${ANSWER_LIMIT} bytes`);
        chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
}
function parseJson(text) {
    try {
        return JSON.parse(text);
    }
    catch {
        return undefined;
    }
}
async function abortable(work, signal) {
    signal.throwIfAborted();
    const { promise: aborted, reject } = Promise.withResolvers();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const working = work();
    working.catch(() => undefined);
    try {
        return await Promise.race([working, aborted]);
    }
    finally {
        signal.removeEventListener('abort', onAbort);
    }
}

;// CONCATENATED MODULE: ./lib/agent/connect.js



function connect(config, log) {
    const dispatcher = new agent({ connect: { timeout: Math.min(10_000, config.requestTimeoutMs) } });
    const http = new CloudHttp({
        serviceUrl: config.serviceUrl,
        requestTimeoutMs: config.requestTimeoutMs,
        retryCount: config.requestRetryCount,
        retryWaitMs: config.requestRetryWaitMs,
        retryMaxWaitMs: config.requestRetryMaxWaitMs,
        circuitBreakerFailures: config.circuitBreakerFailures,
        circuitBreakerTimeoutMs: config.circuitBreakerTimeoutMs,
        userAgent: `pulumi-runner-agent/${version/* VERSION */.x} (${globalThis.process.platform}; ${globalThis.process.arch})`,
        dispatcher,
        now: () => Date.now(),
        onRetry: (purpose, reason, waitMs) => log('warning', `Failed to ${purpose}: ${reason}. Trying again in ${(waitMs / 1000).toFixed(1)} s.`),
    });
    return { http, close: () => dispatcher.destroy() };
}

;// CONCATENATED MODULE: ./lib/agent/run-directories.js


function runDirectories(config, environment) {
    const home = environment['HOME'];
    const state = environment['XDG_STATE_HOME'] ?? (home === undefined ? (0,external_node_os_.tmpdir)() : (0,external_node_path_.join)(home, '.local', 'state'));
    const base = config.runDirectory ?? (0,external_node_path_.join)(state, 'pulumi-runner-agent', 'runs');
    if (config.singleRun && config.runDirectory !== undefined)
        return () => base;
    const fresh = () => (0,external_node_path_.join)(base, new Date().toISOString().replaceAll(':', '-'));
    if (!config.singleRun)
        return fresh;
    const only = fresh();
    return () => only;
}

;// CONCATENATED MODULE: ./lib/agent/signals.js
class Signals {
    #drain = new AbortController();
    #process;
    #onSignal;
    #interrupt;
    #job;
    constructor(process, onSignal) {
        this.#process = process;
        this.#onSignal = onSignal;
        process.on('SIGINT', this.#onInterrupt);
        process.on('SIGTERM', this.#onDrain);
        process.on('SIGHUP', this.#onDrain);
    }
    get drain() {
        return this.#drain.signal;
    }
    attach(job) {
        this.#job = job;
        this.#pass();
    }
    close() {
        this.#process.removeListener('SIGINT', this.#onInterrupt);
        this.#process.removeListener('SIGTERM', this.#onDrain);
        this.#process.removeListener('SIGHUP', this.#onDrain);
    }
    #onInterrupt = (signal) => {
        this.#onSignal(signal, 'a running step is interrupted, nothing more is claimed');
        this.#interrupt ??= signal;
        this.#drain.abort();
        this.#pass();
    };
    #onDrain = (signal) => {
        if (this.#drain.signal.aborted) {
            this.#onInterrupt(signal);
            return;
        }
        this.#onSignal(signal, 'a running job is finished, nothing more is claimed');
        this.#drain.abort();
    };
    #pass() {
        if (this.#interrupt !== undefined) {
            this.#job?.request({ by: 'signal', reason: `the agent was interrupted by ${this.#interrupt}` });
        }
    }
}

;// CONCATENATED MODULE: ./lib/cloud/token.js




class StaticToken {
    method = 'token';
    expiresAt = undefined;
    #token;
    constructor(token) {
        this.#token = token;
    }
    get() {
        return Promise.resolve(this.#token);
    }
    renew() {
        return Promise.reject(new errors/* AuthError */.lR('Failed to authenticate for the pool: Pulumi Cloud refused the pool token (HTTP 401). Check that the token belongs to an existing pool and was not deleted.'));
    }
}
const DEFAULT_LIFETIME_SECONDS = 7200;
const RENEWAL_RETRY_MS = 60_000;
class OidcToken {
    method = 'oidc';
    #options;
    #token;
    #exchange;
    constructor(options) {
        this.#options = options;
    }
    get expiresAt() {
        return this.#token === undefined ? undefined : new Date(this.#token.expiresAt).toISOString();
    }
    async get(signal) {
        const { now } = this.#options;
        const held = this.#token;
        if (held !== undefined && now() < held.renewAt)
            return held.value;
        this.#exchange ??= {
            signal,
            done: this.#exchanged(signal).finally(() => {
                this.#exchange = undefined;
            }),
        };
        const exchange = this.#exchange;
        try {
            return await exchange.done;
        }
        catch (error) {
            if (exchange.signal.aborted && !signal.aborted)
                return this.get(signal);
            if (signal.aborted || held === undefined || held !== this.#token || now() >= held.expiresAt)
                throw error;
            held.renewAt = Math.min(now() + RENEWAL_RETRY_MS, held.expiresAt);
            return held.value;
        }
    }
    renew(refused, signal) {
        if (this.#token?.value === refused)
            this.#token = undefined;
        return this.get(signal);
    }
    async #exchanged(signal) {
        const { poolId, poolName, scope, now, onSecret } = this.#options;
        const idToken = await this.#idToken();
        const scopes = scope !== undefined
            ? [scope]
            : [poolId, poolName].filter((pool) => pool !== undefined).map((pool) => `runner:${pool}`);
        const answers = [];
        for (const candidate of scopes) {
            const answered = await this.#ask(candidate, idToken, signal);
            answers.push(answered);
            if (![400, 401, 403].includes(answered.status))
                break;
        }
        const answer = answers.at(-1);
        if (answer === undefined || answer.status >= 300)
            throw this.#refused(answers, idToken);
        const parsed = exchange_answer/* exchangeSchema */.V.safeParse(answer.json, exchange_answer/* SELDOM */.$);
        if (!parsed.success) {
            throw new errors/* AuthError */.lR(`Failed to exchange the ID token for pool ${poolId}: the answer holds no access_token. Check that the service URL is Pulumi Cloud's API.`);
        }
        const value = parsed.data.access_token;
        onSecret(value);
        const lifetime = (parsed.data.expires_in ?? DEFAULT_LIFETIME_SECONDS) * 1000;
        const ahead = Math.min(lifetime / 2, Math.max(60_000, lifetime / 10));
        this.#token = { value, renewAt: now() + lifetime - ahead, expiresAt: now() + lifetime };
        return value;
    }
    async #idToken() {
        const { tokenFile, poolId, onSecret } = this.#options;
        let token;
        try {
            token = (await (0,external_node_fs_promises_.readFile)(tokenFile, 'utf8')).trim();
        }
        catch (cause) {
            const reason = cause instanceof Error ? cause.message : String(cause);
            throw new errors/* AuthError */.lR(`Failed to read the ID token for pool ${poolId}: ${reason}. The CI job that starts the agent must write oidc_token_file and keep it fresh.`, { cause });
        }
        if (token === '') {
            throw new errors/* AuthError */.lR(`Failed to read the ID token for pool ${poolId}: ${tokenFile} is empty. The CI job that starts the agent must write oidc_token_file and keep it fresh.`);
        }
        onSecret(token);
        return token;
    }
    #ask(scope, idToken, signal) {
        const { http, organization, audience, expirationSeconds } = this.#options;
        return http.call({
            method: 'POST',
            path: '/api/oauth/token',
            purpose: 'exchange the ID token',
            signal,
            body: {
                audience: audience ?? `urn:pulumi:org:${organization}`,
                grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
                subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
                requested_token_type: 'urn:pulumi:token-type:access_token:runner',
                scope,
                ...(expirationSeconds === undefined ? {} : { expiration: expirationSeconds }),
                subject_token: idToken,
            },
        });
    }
    #refused(answers, idToken) {
        const { organization, poolId, now } = this.#options;
        const claims = idTokenClaims(idToken);
        const said = [...new Set(answers.map(refusal))].join(', then by its name ');
        const stale = claims.exp !== undefined && claims.exp * 1000 < now()
            ? ' The ID token has expired: whoever writes oidc_token_file must refresh it.'
            : '';
        return new errors/* AuthError */.lR(`Failed to exchange the ID token for pool ${poolId} of ${organization}: ${said}.${stale} ` +
            `The token says iss=${claims.iss}, aud=${claims.aud}, sub=${claims.sub}. In Pulumi Cloud, register that issuer and add a policy ` +
            `{decision: allow, tokenType: runner, runnerID: ${poolId}, rules: {aud: ${claims.aud}, sub: ${claims.sub}}}; ` +
            'tokens for runners need an edition with customer-managed workflow runners.');
    }
}
function idTokenClaims(token) {
    let claims = {};
    try {
        const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
        if (typeof payload === 'object' && payload !== null)
            claims = payload;
    }
    catch {
    }
    const said = (name) => {
        const value = claims[name];
        const shown = Array.isArray(value) ? value.join(',') : typeof value === 'string' ? value : '(not in the token)';
        return shown.replace(/\s+/g, ' ').slice(0, 300);
    };
    const exp = claims['exp'];
    return { iss: said('iss'), aud: said('aud'), sub: said('sub'), exp: typeof exp === 'number' ? exp : undefined };
}

;// CONCATENATED MODULE: ./lib/agent/token-source.js

function tokenSource(config, http, redactor) {
    const { oidcTokenFile, organizationName, runnerPoolId, token } = config;
    if (oidcTokenFile !== undefined && organizationName !== undefined && runnerPoolId !== undefined) {
        return new OidcToken({
            http,
            tokenFile: oidcTokenFile,
            organization: organizationName,
            poolId: runnerPoolId,
            ...(config.runnerPoolName === undefined ? {} : { poolName: config.runnerPoolName }),
            ...(config.oidcScope === undefined ? {} : { scope: config.oidcScope }),
            ...(config.oidcAudience === undefined ? {} : { audience: config.oidcAudience }),
            ...(config.tokenExpirationSeconds === undefined ? {} : { expirationSeconds: config.tokenExpirationSeconds }),
            now: () => Date.now(),
            onSecret: (secret) => redactor.add([secret]),
        });
    }
    return new StaticToken(token ?? '');
}

;// CONCATENATED MODULE: ./lib/agent/run.js

















async function run({ command, environment, workingDirectory, agentDirectory, process, }) {
    const redactor = new Redactor();
    const redact = (text) => redactor.text(text);
    const clock = systemClock;
    const owner = ownOwner();
    const overrides = { ...command.overrides };
    const directoryHint = overrides['run_directory'] ?? environment['PULUMI_AGENT_RUN_DIRECTORY'];
    let loaded;
    try {
        loaded = await loadConfig({
            environment,
            workingDirectory,
            homeDirectory: environment['HOME'] ?? (0,external_node_os_.homedir)(),
            agentDirectory,
            ...(command.file === undefined ? {} : { file: command.file }),
            defaults: command.defaults,
            overrides,
        });
    }
    catch (error) {
        return refuse(error, { owner, redact, directory: directoryHint });
    }
    const { config, notices, file } = loaded;
    if (config.token !== undefined)
        redactor.add([config.token]);
    redactor.add(secretValues(Object.fromEntries(config.envForwardAllowlist.map((name) => [name, environment[name] ?? '']))));
    const directory = runDirectories(config, environment);
    const log = openLog(config.singleRun ? directory() : undefined, redact);
    log('info', `pulumi-runner-agent ${version/* VERSION */.x}, ${file === undefined ? 'no configuration file' : `configured by ${file}`}.`);
    for (const notice of notices)
        log('info', notice);
    const signals = new Signals(process, (signal, meaning) => log('warning', `${signal}: ${meaning}.`));
    const { http, close } = connect(config, log);
    const tokens = tokenSource(config, http, redactor);
    const agent = new Agent({
        config,
        version: version/* VERSION */.x,
        owner,
        clock,
        log,
        redactor,
        http,
        tokens,
        pool: new PoolApi(http, tokens),
        target: (0,docker_target.createDockerTarget)({ environment, logger: log }),
        environment,
        labels: command.labels,
        runDirectory: directory,
        drain: signals.drain,
        onStopSource: (stop) => signals.attach(stop),
    });
    try {
        return await agent.run();
    }
    finally {
        signals.close();
        await close();
    }
}
function refuse(error, { owner, redact, directory }) {
    if (!(error instanceof lib_outcome/* OutcomeError */.Rz))
        throw error;
    const record = new RunRecord({ version: version/* VERSION */.x, owner, now: () => Date.now(), redact });
    let log;
    try {
        log = openLog(directory, redact);
        if (directory !== undefined)
            record.open(directory);
    }
    catch {
        log = openLog(undefined, redact);
    }
    log('error', error.message);
    const exitCode = (0,lib_outcome/* exitCodeOf */.FO)(error.outcome);
    record.close({
        outcome: error.outcome,
        exitCode,
        message: error.message,
        waitSeconds: 0,
        runSeconds: 0,
        forwarded: [],
        steps: [],
    });
    return exitCode;
}
function openLog(directory, redact) {
    return openAgentLog({
        ...(directory === undefined ? {} : { file: agentLogPath(directory) }),
        now: () => Date.now(),
        redact,
    });
}


/***/ }),

/***/ 2398:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   GW: () => (/* binding */ CloudRefusedError),
/* harmony export */   Vp: () => (/* binding */ JobGoneError),
/* harmony export */   lR: () => (/* binding */ AuthError),
/* harmony export */   p2: () => (/* binding */ JobDefinitionError),
/* harmony export */   s8: () => (/* binding */ CloudUnreachableError)
/* harmony export */ });
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3259);

class CloudUnreachableError extends _outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .OutcomeError */ .Rz {
    name = 'CloudUnreachableError';
    retryAfterMs;
    constructor(message, options) {
        super('cloud-unreachable', message, options);
        this.retryAfterMs = options?.retryAfterMs;
    }
}
class AuthError extends _outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .OutcomeError */ .Rz {
    name = 'AuthError';
    constructor(message, options) {
        super('auth-error', message, options);
    }
}
class CloudRefusedError extends Error {
    name = 'CloudRefusedError';
    status;
    retryAfterMs;
    constructor(status, message, options) {
        super(message, options);
        this.status = status;
        this.retryAfterMs = options?.retryAfterMs;
    }
}
class JobGoneError extends Error {
    name = 'JobGoneError';
}
class JobDefinitionError extends _outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .OutcomeError */ .Rz {
    name = 'JobDefinitionError';
    constructor(message, options) {
        super('failed', message, options);
    }
}


/***/ }),

/***/ 9155:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $: () => (/* binding */ SELDOM),
/* harmony export */   V: () => (/* binding */ exchangeSchema)
/* harmony export */ });
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2857);
/* harmony import */ var zod__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(9567);

const SELDOM = { jitless: true };
const exchangeSchema = zod__WEBPACK_IMPORTED_MODULE_0__/* .object */ .Ikc({
    access_token: zod__WEBPACK_IMPORTED_MODULE_0__/* .string */ .YjP().min(1),
    expires_in: zod__WEBPACK_IMPORTED_MODULE_1__/* .number */ .ai().positive().max(1e9).optional().catch(undefined),
});


/***/ }),

/***/ 4810:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   a: () => (/* binding */ RUN_FILES)
/* harmony export */ });
const RUN_FILES = {
    log: 'agent.log',
    events: 'events.ndjson',
    health: 'health.ndjson',
    steps: 'steps',
    result: 'run.json',
};


/***/ })

};
