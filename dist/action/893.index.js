export const id = 893;
export const ids = [893];
export const modules = {

/***/ 57022:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   RY: () => (/* binding */ JOB_MS),
/* harmony export */   VU: () => (/* binding */ PUBLISH_MS),
/* harmony export */   Zc: () => (/* binding */ FORCE_MS),
/* harmony export */   Ze: () => (/* binding */ KILLED_MAIN_MS),
/* harmony export */   hZ: () => (/* binding */ LONGEST_GRACE_MS)
/* harmony export */ });
const JOB_MS = 285_000;
const PUBLISH_MS = 25_000;
const FORCE_MS = 25_000;
const KILLED_MAIN_MS = 10_000;
const LONGEST_GRACE_MS = 210_000;


/***/ }),

/***/ 54893:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  O5: () => (/* binding */ ACTION_DEFAULTS),
  Qm: () => (/* binding */ agentVariablesOf),
  V6: () => (/* binding */ forwardedNames),
  readInputs: () => (/* binding */ readInputs),
  ts: () => (/* binding */ readPublishingInputs)
});

// UNUSED EXPORTS: ACTION_INPUTS, inInputTerms, isWritten, overrideName, variables

// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(76760);
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

// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(54792);
;// CONCATENATED MODULE: ./lib/config/problem.js

function describeProblem({ message, file, line, column }) {
    const place = [file, line, column].filter((part) => part !== undefined).join(':');
    return place === '' ? message : `${place}: ${message}`;
}
class ConfigError extends outcome/* OutcomeError */.Rz {
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

// EXTERNAL MODULE: ./lib/config/schema.js + 6 modules
var schema = __webpack_require__(62280);
;// CONCATENATED MODULE: ./lib/config/template-setting.js

function onlyPiece(text, start, end) {
    return text.slice(0, start).replace(/[^\n]/g, ' ') + text.slice(start, end);
}
function readTemplate(text, workingDirectory) {
    return /[\n{]|:\s/.test(text) ? text : external_node_path_.resolve(workingDirectory, text);
}

;// CONCATENATED MODULE: ./lib/config/config-file.js





const MERGE_KEY = '<<';
async function parseConfigFile(file, text) {
    const { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } = await __webpack_require__.e(/* import() */ 645).then(__webpack_require__.t.bind(__webpack_require__, 53645, 19));
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
        const key = (0,schema/* fileKey */.wm)(name);
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
            const key = (0,schema/* fileKey */.wm)(nameOf(keyNode));
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
    const environmentOnly = schema/* KEY_NAMES */.Vx.find((key) => key === name && (0,schema/* definitionOf */.Fg)(key).environmentOnly === true);
    if (environmentOnly !== undefined) {
        const variable = (0,schema/* environmentNames */.iF)(environmentOnly).join(' or ');
        return `${name} has no effect in a file; it can only be set in the environment, as ${variable}.`;
    }
    const near = nearest(name, schema/* KEY_NAMES */.Vx.filter((key) => (0,schema/* fileKey */.wm)(key) !== undefined));
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

;// CONCATENATED MODULE: ./lib/config/agent-config.js

const CONFIG_KEYS = schema/* KEY_NAMES */.Vx.filter((key) => (0,schema/* definitionOf */.Fg)(key).type !== 'none');
function propertyName(key) {
    const { type } = (0,schema/* definitionOf */.Fg)(key);
    const unit = type === 'duration' ? 'Ms' : type === 'lifetime' ? 'Seconds' : type === 'quantity' ? 'Bytes' : '';
    const camel = key.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
    return `${camel}${unit}`;
}
function redactedConfig(config) {
    const secrets = new Set(CONFIG_KEYS.filter((key) => definitionOf(key).type === 'secret').map(propertyName));
    return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, secrets.has(name) ? '***' : value]));
}

// EXTERNAL MODULE: ./lib/config/search-path.js
var search_path = __webpack_require__(88587);
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
    const [token, file] = [(0,schema/* environmentNames */.iF)('access_token')[0], (0,schema/* environmentNames */.iF)('oidc_token_file')[0]];
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
        .map((key) => ({ message: `${key} is required ${use}; set it (or ${(0,schema/* environmentNames */.iF)(key)[0]})`, key }));
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
        const longest = formatDuration(requestRetryMaxWaitMs);
        notices.push(`request_retry_wait (${formatDuration(requestRetryWaitMs)}) is longer than request_retry_max_wait; each wait is ${longest}.`);
    }
    if (healthThresholdMs !== undefined && healthThresholdMs <= pollingIntervalMs) {
        const [threshold, interval] = [formatDuration(healthThresholdMs), formatDuration(pollingIntervalMs)];
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

// EXTERNAL MODULE: external "node:net"
var external_node_net_ = __webpack_require__(77030);
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
const CONTROL = /\p{Cc}/u;
const PEM_BEGIN = '-----BEGIN';
function certificateProblem(text) {
    if (text.includes('PRIVATE KEY'))
        return 'holds a private key; give certificates alone';
    if (text.includes(PEM_BEGIN))
        return text.includes('-----END CERTIFICATE-----')
            ? undefined
            : 'holds no whole certificate; give it to its END line';
    return CONTROL.test(text) ? `${quote_quoteValue(text)} is neither a PEM text nor a path` : undefined;
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
    return CONTROL.test(text) ? `${quote_quoteValue(text)} holds control characters` : undefined;
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
    throw new DurationError(`${quote_quoteValue(text)} is longer than the longest wait, ${formatDuration(LONGEST_TIMER_MS)}`);
}
const READERS = {
    secret: (text) => checked(text, secretProblem(text)),
    word: (text) => checked(text, wordProblem(text)),
    text: (text) => checked(text, textProblem(text)),
    path: (text, { workingDirectory }) => checked(text, textProblem(text), (plain) => external_node_path_.resolve(workingDirectory, plain)),
    certificates: (text, { workingDirectory }) => checked(text, certificateProblem(text), (good) => good.includes(PEM_BEGIN) ? good.replaceAll('\\n', '\n') : external_node_path_.resolve(workingDirectory, good)),
    template: (text, { workingDirectory }) => ({ value: readTemplate(text, workingDirectory) }),
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
function splitList(text) {
    return text.split(/[\s,]+/).filter((item) => item !== '');
}
function parseValue(text, reading) {
    return isListType(reading.definition.type) ? { value: text } : read(text, reading);
}
function read(text, reading) {
    const { type } = reading.definition;
    return type === 'none' ? { value: text } : READERS[type](text, reading);
}

;// CONCATENATED MODULE: ./lib/config/load.js










const VARIABLE_PREFIX = 'PULUMI_AGENT_';
async function loadConfig(sources) {
    const found = (0,search_path/* findConfigFile */["if"])(sources);
    const contents = found.file !== undefined && found.text !== undefined ? await parseConfigFile(found.file, found.text) : undefined;
    const problems = [...found.problems, ...(contents?.problems ?? []), ...unknownKeys(sources)];
    const warnings = [...(contents?.warnings ?? []), ...unknownVariables(sources.environment)];
    const notices = [...found.notices];
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
        throw new ConfigError(problems, { warnings });
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
        const { target } = (0,schema/* definitionOf */.Fg)(key);
        if (target === undefined || target === used || used === undefined || setting.origin === 'default')
            return [];
        return [`${describeSetting(setting)} only acts on the ${names[target]} target, so it has no effect here.`];
    });
}
function written(key, { overrides = {}, environment, overrideName = flagName }) {
    const override = Object.hasOwn(overrides, key) ? overrides[key]?.trim() : undefined;
    if (override)
        return { content: { text: override }, origin: 'override', name: overrideName(key) };
    for (const name of (0,schema/* environmentNames */.iF)(key)) {
        const text = environment[name]?.trim();
        if (text)
            return { content: { text: withUnit(text, (0,schema/* definitionOf */.Fg)(key).plainUnit?.[name]) }, origin: 'environment', name };
    }
    return undefined;
}
function withUnit(text, unit) {
    return unit !== undefined && /^\d+(\.\d+)?$/.test(text) ? `${text}${unit}` : text;
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
        if (definition.type === 'template' && content.shape === 'mapping')
            return { value: { text: content.source(), name: setting.file ?? setting.name }, problems: [] };
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
    if (definition.unbuilt?.some((choice) => choice === parsed.value)) {
        const built = definition.choices?.filter((choice) => definition.unbuilt?.includes(choice) !== true) ?? [];
        return wrong(`${quote_quoteValue(content.text)} is not supported yet; use ${built.join(' or ')}`);
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
    const known = schema/* KEY_NAMES */.Vx.flatMap(schema/* environmentNames */.iF).filter((name) => name.startsWith(VARIABLE_PREFIX));
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

// EXTERNAL MODULE: ./lib/action/cancel-window.js
var cancel_window = __webpack_require__(57022);
// EXTERNAL MODULE: ./lib/action/input-text.js
var input_text = __webpack_require__(60379);
// EXTERNAL MODULE: ./lib/action/own-trust.js
var own_trust = __webpack_require__(44224);
;// CONCATENATED MODULE: ./lib/action/path-inputs.js




function pathInputs(environment, checkoutDirectory) {
    const caCertificate = (0,own_trust/* caCertificateInput */.M)(environment, checkoutDirectory);
    const kubeconfig = (0,input_text/* inputText */.AN)(environment, 'kubeconfig');
    const podTemplate = (0,input_text/* inputText */.AN)(environment, 'pod-template');
    return {
        ...(caCertificate !== '' && { ca_certificate: caCertificate }),
        ...(kubeconfig !== '' && { kubeconfig: (0,external_node_path_.resolve)(checkoutDirectory, kubeconfig) }),
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
const ON_NO_WORK = ['succeed', 'warn', 'fail'];
const UPLOAD_ARTIFACT = ['always', 'on-failure', 'never'];
const OIDC_INPUTS = ['runner-pool-id', 'runner-pool-name', 'oidc-scope', 'oidc-audience'];
async function readInputs(sources) {
    const { environment, idTokenFile, checkoutDirectory } = sources;
    const named = (0,input_text/* inputText */.AN)(environment, 'config-file');
    const configFile = named === '' ? '' : (0,external_node_path_.resolve)(checkoutDirectory, named);
    const search = { ...sources, ...(configFile !== '' && { file: configFile }) };
    const hasToken = await isWritten('token', search, environment);
    const usesIdToken = !hasToken && !(await isWritten('oidc_token_file', search, environment));
    const overrides = {
        ...(0,input_text/* agentSettings */.tj)(environment),
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
        ...(usesIdToken && { idTokenAudience: config.oidcAudience ?? (0,input_text/* audienceOf */.Ox)(config.organizationName ?? '') }),
    };
}
function graceWarning({ cancelGracePeriodMs }) {
    if (cancelGracePeriodMs <= cancel_window/* LONGEST_GRACE_MS */.hZ)
        return [];
    const [grace, job, longest] = [cancelGracePeriodMs, cancel_window/* JOB_MS */.RY, cancel_window/* LONGEST_GRACE_MS */.hZ].map(formatDuration);
    return [
        `A step will not have the ${grace} of cancel-grace-period when the CI job is cancelled: GitHub ends a job ${job} after its ` +
            `cancel, which leaves a step ${longest} at most. A cancel in Pulumi Cloud gives it the whole time.`,
    ];
}
function readPublishingInputs(environment) {
    return readPublishing(environment, []);
}
function agentVariablesOf(environment, checkoutDirectory) {
    return variables({ ...(0,input_text/* agentSettings */.tj)(environment), ...pathInputs(environment, checkoutDirectory) });
}
function forwardedNames(environment) {
    const { PULUMI_AGENT_ENV_FORWARD_ALLOWLIST: fromEnvironment = '' } = environment;
    return splitList((0,input_text/* inputText */.AN)(environment, 'env-forward-allowlist') || fromEnvironment);
}
function variables(settings) {
    const named = Object.entries(settings).map(([key, text]) => [(0,schema/* environmentNames */.iF)(key)[0] ?? key, text]);
    return { ...Object.fromEntries(named), PULUMI_AGENT_SINGLE_RUN: 'true' };
}
function overrideName(key) {
    if (key === 'oidc_token_file')
        return "this job's ID token";
    const input = Object.entries(input_text/* AGENT_INPUTS */.G3).find(([, known]) => known === key)?.[0];
    return input === undefined ? key : `input ${input}`;
}
function inInputTerms(problem) {
    const { key = '', file, message } = problem;
    if (file !== undefined || !message.startsWith(`${key} `))
        return problem;
    return { ...problem, message: `${overrideName(key)}${message.slice(key.length)}` };
}
async function isWritten(key, search, environment) {
    if ((0,input_text/* writtenText */.v4)(environment, key) !== '')
        return true;
    const { file, text } = (0,search_path/* findConfigFile */["if"])(search);
    return file !== undefined && text !== undefined && (await parseConfigFile(file, text)).settings.has(key);
}
function secondWay(environment) {
    const token = (0,input_text/* inputText */.AN)(environment, 'token') === '' ? 'token' : 'input token';
    return OIDC_INPUTS.filter((name) => (0,input_text/* inputText */.AN)(environment, name) !== '').map((name) => ({
        message: `input ${name} is for authenticating with this job's ID token, and ${token} is another way; keep one of them`,
        key: input_text/* AGENT_INPUTS */.G3[name],
    }));
}
function readPublishing(environment, problems) {
    const artifactName = (0,input_text/* inputText */.AN)(environment, 'artifact-name');
    const days = (0,input_text/* inputText */.AN)(environment, 'artifact-retention-days');
    const retention = /^\d{1,3}$/.test(days) && Number(days) <= 400 ? Number(days) : undefined;
    if (days !== '' && retention === undefined) {
        problems.push({
            message: `input artifact-retention-days ${quote_quoteValue(days)} is not a whole number from 0 to 400`,
        });
    }
    return {
        uploadArtifact: choice(environment, 'upload-artifact', UPLOAD_ARTIFACT, problems),
        ...(artifactName !== '' && { artifactName }),
        ...(retention !== undefined && { artifactRetentionDays: retention }),
    };
}
function choice(environment, name, choices, problems) {
    const text = (0,input_text/* inputText */.AN)(environment, name);
    const found = choices.find((known) => known === text);
    if (found === undefined && text !== '') {
        problems.push({ message: `input ${name} ${quote_quoteValue(text)} is not one of ${choices.join(', ')}` });
    }
    return found ?? choices[0];
}
function isOn(environment, name, problems) {
    const text = (0,input_text/* inputText */.AN)(environment, name);
    if (text === '')
        return false;
    const parsed = parseValue(text, { definition: { type: 'boolean', help: '' }, workingDirectory: '' });
    if ('problem' in parsed)
        problems.push({ message: `input ${name} ${parsed.problem}` });
    return 'value' in parsed && parsed.value === true;
}


/***/ })

};
